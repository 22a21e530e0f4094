package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"go.opentelemetry.io/otel"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/shoptest"
	"shop/commands/mail"
	"shop/eventstore/feed"
	"shop/eventstore/mirror"
	"shop/eventstore/relay"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
)

// exported are the names of the program's metrics as Prometheus has them, from the instruments it makes.
func exported(t *testing.T) (otelNames, names []string) {
	t.Helper()
	var mu sync.Mutex
	reader := sdkmetric.NewManualReader()
	// A view is asked about every instrument, even one that has not measured anything yet.
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithView(func(i sdkmetric.Instrument) (sdkmetric.Stream, bool) {
		mu.Lock()
		defer mu.Unlock()
		otelNames = append(otelNames, i.Name)
		names = append(names, prometheusNames(i)...)
		return sdkmetric.Stream{}, false
	}))
	if err := app.UseTelemetry(sdktrace.NewTracerProvider(), meters); err != nil {
		t.Fatal(err)
	}
	defer forgetTelemetry()

	p := program{t, []string{"SHOP_DATABASE_URL=" + pgtest.URL(t), "SHOP_DATA_DIR=" + t.TempDir(), "SHOP_READ_URLS=postgres://127.0.0.1:1/none?sslmode=disable"}}
	s, err := app.OpenShop(t.Context(), p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	stop, err := (&app.Gauges{Store: s.Store, Pool: s.Pool, Log: shoptest.Quiet}).Observe(otel.Meter("shop"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stop() }()
	feed.New(s.Store, feed.Options{})
	defer (&mirror.Mirror{}).Observe("almaty")()
	defer relay.NewPublisher(nil, relay.Settings{}, s.Store, shoptest.Quiet).Observe()()
	defer (&edge.Region{}).Observe()()
	(&mail.Worker{}).Observe()
	readapi.NewAnswers(1, time.Now)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	(&rebuild.Auditor{DB: s.Pool, Store: s.Store, Projections: projections.All(), Logger: shoptest.Quiet}).Run(ended)
	edge.IgnoredProxies(nil, shoptest.Quiet)(http.NotFoundHandler())
	edge.Spans(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	mu.Lock()
	defer mu.Unlock()
	return otelNames, names
}

// prometheusNames follows OpenTelemetry's rules for names in Prometheus, as far as our units go.
func prometheusNames(i sdkmetric.Instrument) []string {
	name := strings.NewReplacer(".", "_").Replace(i.Name)
	switch {
	case strings.HasSuffix(i.Unit, "/s"):
		name += "_per_second"
	case i.Unit == "s":
		name += "_seconds"
	case i.Unit == "By":
		name += "_bytes"
	case i.Unit == "1" && i.Kind == sdkmetric.InstrumentKindObservableGauge:
		name += "_ratio"
	}
	switch i.Kind {
	case sdkmetric.InstrumentKindHistogram:
		return []string{name + "_bucket", name + "_count", name + "_sum"}
	case sdkmetric.InstrumentKindCounter, sdkmetric.InstrumentKindObservableCounter:
		return []string{name + "_total"}
	}
	return []string{name}
}

var metricName = regexp.MustCompile(`\b(?:shop|http|go)_[a-z0-9_]+`)

// labels look like metrics; they stand in braces or in lists after by and on.
var labels = regexp.MustCompile(`\{[^}]*\}|\b(?:by|on|without|ignoring)\s*\([^)]*\)`)

func namesIn(expr string) []string {
	return metricName.FindAllString(labels.ReplaceAllString(expr, " "), -1)
}

type alerts struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr, For    string
			Labels, Annotations map[string]string
		}
	}
}

// What dashboards and alerts ask for exists, and every alert has its section in the runbook.
func TestDashboardAndAlertsAskForWhatThereIs(t *testing.T) {
	otelNames, names := exported(t)
	read := func(path string) []byte {
		t.Helper()
		b, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	check := func(where, expr string) {
		t.Helper()
		used := namesIn(expr)
		if len(used) == 0 {
			t.Errorf("%s: no metric in %q", where, expr)
		}
		for _, name := range used {
			if !slices.Contains(names, name) {
				t.Errorf("%s: the program exports no %s", where, name)
			}
		}
	}

	var board struct {
		UID, Title string
		Panels     []struct {
			Type, Title, Description string
			Datasource               struct{ UID string }
			FieldConfig              struct{ Defaults struct{ Unit string } }
			Targets                  []struct{ Expr string }
		}
		Templating struct{ List []struct{ Name, Type string } }
	}
	if err := json.Unmarshal(read("deploy/grafana/shop.json"), &board); err != nil {
		t.Fatal(err)
	}
	if board.UID == "" || len(board.Templating.List) != 1 || board.Templating.List[0].Name != "datasource" || board.Templating.List[0].Type != "datasource" {
		t.Errorf("the dashboard has uid %q and variables %+v", board.UID, board.Templating.List)
	}
	for _, p := range board.Panels {
		if p.Type == "row" {
			continue
		}
		if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("panel %q lacks a description, unit, data source or query", p.Title)
		}
		for _, target := range p.Targets {
			check("panel "+p.Title, target.Expr)
		}
	}

	var rules alerts
	if err := yaml.Unmarshal(read("deploy/prometheus/alerts.yml"), &rules); err != nil {
		t.Fatal(err)
	}
	guide := string(read("docs/operations.md"))
	_, runbook, _ := strings.Cut(guide, "\n## Runbook\n")
	var sections, alerts []string
	for line := range strings.Lines(runbook) {
		if title, ok := strings.CutPrefix(line, "### "); ok {
			sections = append(sections, strings.TrimSpace(title))
		}
	}
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			alerts = append(alerts, r.Alert)
			check("alert "+r.Alert, r.Expr)
			if !slices.Contains([]string{"warning", "critical"}, r.Labels["severity"]) || r.For == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" ||
				r.Annotations["runbook_url"] != "docs/operations.md#"+strings.ToLower(r.Alert) {
				t.Errorf("alert %s lacks something: %+v", r.Alert, r)
			}
		}
	}
	slices.Sort(alerts)
	slices.Sort(sections)
	if len(alerts) == 0 || !slices.Equal(alerts, sections) {
		t.Errorf("alerts %q, runbook %q", alerts, sections)
	}
	for _, name := range otelNames {
		if strings.HasPrefix(name, "shop.") && !strings.Contains(guide, "`"+name+"`") {
			t.Errorf("docs/operations.md does not mention %s", name)
		}
	}
	for _, path := range []string{"deploy/otel-collector.yml", "deploy/prometheus/prometheus.yml", "docker-compose.yml",
		"deploy/grafana/provisioning/datasources/prometheus.yml", "deploy/grafana/provisioning/dashboards/shop.yml"} {
		var any map[string]any
		if err := yaml.UnmarshalWithOptions(read(path), &any, yaml.AllowDuplicateMapKey()); err != nil || len(any) == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}
