package eventstore

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// telemetry holds the instruments; their names are part of what operators rely on.
type telemetry struct {
	tracer         trace.Tracer
	appendDuration metric.Float64Histogram
	groupSize      metric.Int64Histogram
	clockSkew      metric.Float64Gauge
	keysUnopened   metric.Int64Counter
	outcomes       map[string][]metric.RecordOption // made once, not with each append
}

func newTelemetry(o Options) telemetry {
	t := telemetry{tracer: o.Tracer, outcomes: map[string][]metric.RecordOption{}}
	for _, outcome := range []string{"done", "conflict", "key_used", "duplicate", "quota_full", "failed"} {
		t.outcomes[outcome] = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(attribute.String("outcome", outcome)))}
	}
	// An instrument with a valid constant name cannot fail; the value returned with an error does nothing and is safe.
	t.appendDuration, _ = o.Meter.Float64Histogram("shop.append.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from the call of Append to its answer"),
		metric.WithExplicitBucketBoundaries(.0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1, 2.5, 5))
	t.groupSize, _ = o.Meter.Int64Histogram("shop.append.group_size", metric.WithUnit("{append}"),
		metric.WithDescription("Appends that shared a transaction"), metric.WithExplicitBucketBoundaries(1, 2, 4, 8, 16, 32, 64))
	t.clockSkew, _ = o.Meter.Float64Gauge("shop.clock.skew", metric.WithUnit("s"),
		metric.WithDescription("By how much this process's clock is ahead of the database server's"))
	t.keysUnopened, _ = o.Meter.Int64Counter("shop.keys.unopened", metric.WithUnit("{key}"),
		metric.WithDescription("Keys of persons that were needed and could not be had, by reason: missing (no row), closed (it does not unwrap)"))
	return t
}
