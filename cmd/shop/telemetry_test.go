package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/domain/order"
	"shop/eventstore"
	"shop/migrations/pgtest"
)

func TestLogLinesCarryTheirTrace(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := app.NewLogger(&out, app.Config{LogFormat: "json"}).With("part", "x")
	ctx, span := sdktrace.NewTracerProvider().Tracer("test").Start(t.Context(), "work")
	log.InfoContext(ctx, "inside")
	span.End()
	log.InfoContext(t.Context(), "outside")
	inside, outside, _ := strings.Cut(out.String(), "\n")
	if !strings.Contains(inside, `"trace_id":"`+span.SpanContext().TraceID().String()+`"`) || !strings.Contains(inside, `"span_id":"`) || !strings.Contains(inside, `"part":"x"`) {
		t.Errorf("inside: %s", inside)
	}
	if strings.Contains(outside, "trace_id") {
		t.Errorf("outside: %s", outside)
	}
}

func TestTelemetryIsOffWithoutAnEndpoint(t *testing.T) {
	t.Parallel()
	if app.TelemetryWanted(shoptest.Env()) || app.TelemetryWanted(shoptest.Env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318", "OTEL_SDK_DISABLED", "true")) {
		t.Error("telemetry is on")
	}
	if !app.TelemetryWanted(shoptest.Env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318")) {
		t.Error("telemetry is off")
	}
}

// forgetTelemetry puts things back after UseTelemetry.
func forgetTelemetry() {
	otel.SetTracerProvider(tracenoop.NewTracerProvider())
	otel.SetMeterProvider(metricnoop.NewMeterProvider())
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator())
}

// TestOneOrderIsOneTrace follows an order from the request over the append to the projector: the trace goes on
// through the log, in the metadata of the event.
func TestOneOrderIsOneTrace(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	metrics := sdkmetric.NewManualReader()
	// Global, as in the program; so this test is not parallel, and puts things back.
	if err := app.UseTelemetry(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)), sdkmetric.NewMeterProvider(sdkmetric.WithReader(metrics))); err != nil {
		t.Fatal(err)
	}
	defer forgetTelemetry()

	p := program{t, []string{"SHOP_DATABASE_URL=" + pgtest.URL(t), "SHOP_DATA_DIR=" + t.TempDir(), "SHOP_LOG_FORMAT=json"}}
	cream := p.stocked("MK-1", 9000, 10)
	c := p.config()
	c.Telemetry = true
	var logged bytes.Buffer
	s, err := app.OpenShop(t.Context(), c, app.NewLogger(&logged, c), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	projecting, err := s.StartProjections(t.Context(), app.EveryRole, make(chan error, 1))
	if err != nil {
		t.Fatal(err)
	}
	// What was put before has traces of its own, and is not to share a batch with the order.
	if err := projecting.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	site, err := newSite(s, projecting)
	if err != nil {
		t.Fatal(err)
	}
	site.Traced = true
	server := httptest.NewServer(site.Routes())
	foreign, err := http.NewRequest(http.MethodGet, server.URL+"/api/rules/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "Baggage": "user=admin", "User-Agent": "Spy/1.0", "X-Forwarded-For": "203.0.113.9",
	} {
		foreign.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(foreign)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	logged.Reset()
	r := (&served{t: t, url: server.URL}).placed(cream, 1, "CASH")
	server.Close()
	if err := projecting.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	projecting.Stop()

	all := spans.GetSpans()
	checkNobodysSpans(t, all)
	find := func(name string) tracetest.SpanStub {
		i := slices.IndexFunc(all, func(s tracetest.SpanStub) bool { return s.Name == name })
		if i < 0 {
			var names []string
			for _, s := range all {
				names = append(names, s.Name)
			}
			t.Fatalf("no span %q among %v", name, names)
		}
		return all[i]
	}
	request := find("POST /api/orders")
	of := request.SpanContext.TraceID()
	if request.SpanKind != trace.SpanKindServer {
		t.Errorf("the request's span is a %s", request.SpanKind)
	}
	var joined []string
	for _, s := range all {
		if s.SpanContext.TraceID() == of {
			joined = append(joined, s.Name)
		}
		if s.InstrumentationScope.Name == "github.com/exaring/otelpgx" {
			checkQuerySpan(t, s)
		}
	}
	for _, want := range []string{"place order", "eventstore.append", "consume orders", "consume stock", "INSERT", "SELECT"} {
		if !slices.Contains(joined, want) {
			t.Errorf("%q is not in the order's trace, which has %v", want, joined)
		}
	}

	events, err := s.Store.Stream(t.Context(), order.Stream(r.ID), 0, 0)
	if err != nil || len(events) == 0 || !strings.Contains(events[0].Metadata.Trace, of.String()) || events[0].Metadata.CorrelationID == "" {
		t.Errorf("the log says %+v, %v", events, err)
	}
	var line struct {
		Msg, Route string
		TraceID    string `json:"trace_id"`
		RequestID  string `json:"request_id"`
	}
	if err := json.Unmarshal(logged.Bytes()[bytes.LastIndexByte(bytes.TrimSpace(logged.Bytes()), '\n')+1:], &line); err != nil ||
		line.Route != "/api/orders" || line.TraceID != of.String() || line.RequestID != events[0].Metadata.CorrelationID {
		t.Errorf("logged %+v, %v", line, err)
	}

	var measured metricdata.ResourceMetrics
	if err := metrics.Collect(t.Context(), &measured); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, scope := range measured.ScopeMetrics {
		for _, m := range scope.Metrics {
			names = append(names, m.Name)
		}
	}
	for _, want := range []string{"shop.append.duration", "shop.feed.lag", "http.server.request.duration", "go.memory.used", "go.goroutine.count"} {
		if !slices.Contains(names, want) {
			t.Errorf("metric %s is missing among %v", want, names)
		}
	}
}

// checkQuerySpan: a span of a query belongs to something that was traced, tells its text, and no value.
func checkQuerySpan(t *testing.T, s tracetest.SpanStub) {
	t.Helper()
	if !s.Parent.IsValid() || s.SpanKind != trace.SpanKindClient {
		t.Errorf("the query's span %s is a %s below %v", s.Name, s.SpanKind, s.Parent)
	}
	for _, a := range s.Attributes {
		for _, value := range []string{personEmail, personFirst, personLast, personPhone[1:], personStreet} {
			if strings.Contains(a.Value.AsString(), value) {
				t.Errorf("%s of the query's span %s tells %q", a.Key, s.Name, value)
			}
		}
	}
}

// The gauges say what the database holds, and a reader that collects often does not ask it each time.
func TestGaugesTellOfConsumersAndTheDatabase(t *testing.T) {
	t.Parallel()
	p := program{t, []string{"SHOP_DATABASE_URL=" + pgtest.URL(t), "SHOP_DATA_DIR=" + t.TempDir()}}
	p.stocked("MK-1", 9000, 10)
	s, err := app.OpenShop(t.Context(), p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if s.Pool.Config().ConnConfig.Tracer != nil {
		t.Error("queries are traced, and nobody asked for traces")
	}
	if _, err := s.Pool.Exec(t.Context(), `INSERT INTO eventstore.checkpoints (consumer, range, position, types) SELECT 'late', r, 0, '{}' FROM generate_series(0, $1 - 1) r`, eventstore.Ranges); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool.Exec(t.Context(), `UPDATE eventstore.checkpoints SET paused = true WHERE consumer = 'late'`); err != nil {
		t.Fatal(err)
	}
	reader := sdkmetric.NewManualReader()
	g := &app.Gauges{Store: s.Store, Pool: s.Pool, Log: shoptest.Quiet}
	if _, err := g.Observe(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)).Meter("test")); err != nil {
		t.Fatal(err)
	}
	collect := func() map[string]float64 {
		t.Helper()
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{}
		add := func(name string, of attribute.Set, value float64) {
			for _, label := range of.ToSlice() {
				name += " " + label.Value.AsString()
			}
			values[name] = value
		}
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				switch data := m.Data.(type) {
				case metricdata.Gauge[int64]:
					for _, point := range data.DataPoints {
						add(m.Name, point.Attributes, float64(point.Value))
					}
				case metricdata.Gauge[float64]:
					for _, point := range data.DataPoints {
						add(m.Name, point.Attributes, point.Value)
					}
				}
			}
		}
		return values
	}
	got := collect()
	for name, least := range map[string]float64{
		"shop.log.head": 5, "shop.consumer.lag late": 1, "shop.consumer.state late paused": 1, "shop.database.size": 1 << 20,
		"shop.database.connections": 1, "shop.database.connections.max": 10, "shop.pool.connections.max": 8,
	} {
		if got[name] < least {
			t.Errorf("%s is %v, want %v or more", name, got[name], least)
		}
	}
	if value, ok := got["shop.consumer.state late live"]; !ok || value != 0 {
		t.Errorf("a paused consumer is live: %v", value)
	}
	before := g.At
	collect()
	if g.At != before {
		t.Error("the database was asked again within a moment")
	}
}

// checkNobodysSpans: no span says who asked, and nobody else's trace goes on here.
func checkNobodysSpans(t *testing.T, all tracetest.SpanStubs) {
	t.Helper()
	rules := 0
	for _, s := range all {
		if s.Name == "GET /api/rules" {
			rules++
		}
		if s.SpanContext.TraceID().String() == "4bf92f3577b34da6a3ce929d0e0e4736" {
			t.Errorf("span %s goes on with a caller's trace", s.Name)
		}
		for _, a := range s.Attributes {
			value := a.Value.String()
			if strings.HasPrefix(string(a.Key), "client.") || strings.HasPrefix(string(a.Key), "user_agent") || strings.HasPrefix(string(a.Key), "network.peer") ||
				strings.Contains(value, "Spy/1.0") || strings.Contains(value, "203.0.113.9") {
				t.Errorf("span %s says %s=%s", s.Name, a.Key, value)
			}
		}
	}
	if rules != 1 {
		t.Errorf("the request with a foreign trace has %d spans", rules)
	}
}
