package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
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
