package eventstore

import (
	"context"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// telemetry holds the instruments; their names are part of what operators rely on.
type telemetry struct {
	tracer         trace.Tracer
	appendDuration metric.Float64Histogram
	groupSize      metric.Int64Histogram
	feedLag        metric.Float64Histogram
	feedBatch      metric.Int64Histogram
	deadLetters    metric.Int64Counter
	leaseChanges   metric.Int64Counter
	leasesHeld     metric.Int64ObservableGauge
}

func newTelemetry(o Options) telemetry {
	t := telemetry{tracer: o.Tracer}
	// An instrument with a valid constant name cannot fail; what is returned beside an error does nothing and is safe.
	t.appendDuration, _ = o.Meter.Float64Histogram("shop.append.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from the call of Append to its answer"),
		metric.WithExplicitBucketBoundaries(.0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1, 2.5, 5))
	t.groupSize, _ = o.Meter.Int64Histogram("shop.append.group_size", metric.WithUnit("{append}"),
		metric.WithDescription("Appends that shared a transaction"),
		metric.WithExplicitBucketBoundaries(1, 2, 4, 8, 16, 32, 64))
	t.feedLag, _ = o.Meter.Float64Histogram("shop.feed.lag", metric.WithUnit("s"),
		metric.WithDescription("Time from the recording of a batch's oldest event to the end of its handling"),
		metric.WithExplicitBucketBoundaries(.001, .002, .005, .01, .02, .05, .1, .25, .5, 1, 5, 30, 300, 3600))
	t.feedBatch, _ = o.Meter.Int64Histogram("shop.feed.batch", metric.WithUnit("{event}"),
		metric.WithDescription("Events handled in one transaction"),
		metric.WithExplicitBucketBoundaries(1, 2, 5, 10, 50, 100, 500, 1000, 5000))
	t.deadLetters, _ = o.Meter.Int64Counter("shop.dead_letters", metric.WithUnit("{event}"),
		metric.WithDescription("Events parked because a consumer could not handle them"))
	t.leaseChanges, _ = o.Meter.Int64Counter("shop.lease.changes", metric.WithUnit("{lease}"),
		metric.WithDescription("Leases that changed hands, by reason: claimed (it was free), expired (its holder fell silent), handed-over (given up)"))
	t.leasesHeld, _ = o.Meter.Int64ObservableGauge("shop.lease.held", metric.WithUnit("{lease}"),
		metric.WithDescription("Leases that this process holds"))
	return t
}

// TraceOf is the W3C header of the span in ctx; empty without one.
func TraceOf(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier.Get("traceparent")
}

// spanOf is the span context a stored traceparent names; invalid when there is none.
func spanOf(header string) trace.SpanContext {
	if header == "" {
		return trace.SpanContext{}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": header})
	return trace.SpanContextFromContext(ctx)
}
