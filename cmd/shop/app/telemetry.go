package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/contrib/instrumentation/runtime"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// TelemetryWanted says whether an OTLP endpoint is named by OpenTelemetry's standard variables.
func TelemetryWanted(getenv func(string) string) bool {
	if getenv("OTEL_SDK_DISABLED") == "true" {
		return false
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"} {
		if getenv(name) != "" {
			return true
		}
	}
	return false
}

// StartTelemetry sends traces and metrics to the endpoint the environment names, and returns what flushes
// and ends that. Everything else about them (headers, sampling, resource attributes) is read by the SDK from
// its standard variables. Call it only when TelemetryWanted: without it OpenTelemetry's global no-ops stay.
func StartTelemetry(ctx context.Context, log *slog.Logger) (stop func(context.Context) error, err error) {
	res, err := resource.New(ctx,
		// Without an id of its own one process's metrics would overwrite another's.
		resource.WithAttributes(attribute.String("service.name", "shop"), attribute.String("service.version", Version()),
			attribute.String("service.instance.id", uuid.NewString())),
		resource.WithFromEnv(), resource.WithTelemetrySDK(), resource.WithHost())
	if err != nil {
		return nil, fmt.Errorf("describe this process for telemetry: %w", err)
	}
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("export traces: %w", err)
	}
	metrics, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("export metrics: %w", err), spans.Shutdown(ctx))
	}
	// An exporter that cannot deliver says so once per failure, through the log and not on bare stderr.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry", "error", err) }))
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(res))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithResource(res),
		sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metrics, sdkmetric.WithInterval(15*time.Second))))
	stop = func(ctx context.Context) error {
		return errors.Join(tracers.Shutdown(ctx), meters.Shutdown(ctx))
	}
	if err := UseTelemetry(tracers, meters); err != nil {
		return nil, errors.Join(err, stop(ctx))
	}
	return stop, nil
}

// Deliver ends telemetry with what is still on its way, whether ctx has ended or not.
func Deliver(ctx context.Context, stop func(context.Context) error, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := stop(ctx); err != nil {
		log.Warn("telemetry was not delivered to the end", "error", err)
	}
}

// UseTelemetry makes the providers global, with W3C trace context between processes and into the log, and measures the Go
// runtime.
func UseTelemetry(tracers *sdktrace.TracerProvider, meters *sdkmetric.MeterProvider) error {
	otel.SetTracerProvider(tracers)
	otel.SetMeterProvider(meters)
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	if err := runtime.Start(runtime.WithMeterProvider(meters)); err != nil {
		return fmt.Errorf("measure the Go runtime: %w", err)
	}
	return nil
}

// queryTracer makes a span of each query that is part of a traced request or batch. A span holds the statement, whose values
// are parameters and stay out of it. Metrics of the pool and the database are ours (gauges), so this one measures nothing.
func queryTracer() pgx.QueryTracer {
	return otelpgx.NewTracer(otelpgx.WithMeterProvider(noop.NewMeterProvider()), otelpgx.WithDisableAcquireTracer(),
		otelpgx.WithDisableConnectionDetailsInAttributes())
}

// NewLogger logs to w as the configuration says, each line with the ids of the trace it belongs to.
func NewLogger(w io.Writer, c Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(traced{slog.NewJSONHandler(w, options)})
	}
	return slog.New(traced{slog.NewTextHandler(w, options)})
}

// traced adds trace_id and span_id to records logged within a span.
type traced struct{ slog.Handler }

func (t traced) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return t.Handler.Handle(ctx, r)
}

func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(attrs)} }
func (t traced) WithGroup(name string) slog.Handler       { return traced{t.Handler.WithGroup(name)} }
