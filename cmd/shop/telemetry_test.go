package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"shop/domain/order"
	"shop/migrations/pgtest"
)

// quiet is for handlers whose log a test does not look at.
var quiet = slog.New(slog.DiscardHandler)

func TestLogLinesCarryTheirTrace(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := newLogger(&out, config{LogFormat: "json"}).With("part", "x")
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
	if telemetryWanted(env()) || telemetryWanted(env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318", "OTEL_SDK_DISABLED", "true")) {
		t.Error("telemetry is on")
	}
	if !telemetryWanted(env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318")) {
		t.Error("telemetry is off")
	}
}

// TestOneOrderIsOneTrace follows an order from the request over the append to the projector: the trace goes on
// through the log, in the metadata of the event.
func TestOneOrderIsOneTrace(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	metrics := sdkmetric.NewManualReader()
	// Global, as in the program; so this test is not parallel, and puts things back.
	useTelemetry(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)), sdkmetric.NewMeterProvider(sdkmetric.WithReader(metrics)))
	defer func() {
		otel.SetTracerProvider(tracenoop.NewTracerProvider())
		otel.SetMeterProvider(metricnoop.NewMeterProvider())
		otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator())
	}()

	p := program{t, []string{"SHOP_DATABASE_URL=" + pgtest.URL(t), "SHOP_DATA_DIR=" + t.TempDir(), "SHOP_LOG_FORMAT=json"}}
	cream := p.stocked("MK-1", 9000, 10)
	c := p.config()
	var logged bytes.Buffer
	s, err := openShop(t.Context(), c, newLogger(&logged, c), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(context.Background())
	projecting, err := s.startProjections(t.Context(), everyRole, make(chan error, 1))
	if err != nil {
		t.Fatal(err)
	}
	// What was put before has traces of its own, and is not to share a batch with the order.
	if err := projecting.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	site, err := s.site(t.Context(), projecting)
	if err != nil {
		t.Fatal(err)
	}
	site.traced = true
	server := httptest.NewServer(site.routes())
	r := (&served{t: t, url: server.URL}).placed(cream, 1, "CASH")
	server.Close()
	if err := projecting.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	projecting.stop()

	all := spans.GetSpans()
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
	}
	for _, want := range []string{"place order", "eventstore.append", "consume orders", "consume stock"} {
		if !slices.Contains(joined, want) {
			t.Errorf("%q is not in the order's trace, which has %v", want, joined)
		}
	}

	events, err := s.store.Stream(t.Context(), order.Stream(r.ID), 0, 0)
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
	for _, want := range []string{"shop.append.duration", "shop.feed.lag", "http.server.request.duration"} {
		if !slices.Contains(names, want) {
			t.Errorf("metric %s is missing among %v", want, names)
		}
	}
}
