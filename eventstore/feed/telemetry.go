package feed

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// scopeName is that of the log: what operators see of both is one.
const scopeName = "shop/eventstore"

// telemetry holds the instruments; their names are part of what operators rely on.
type telemetry struct {
	lag          metric.Float64Histogram
	batch        metric.Int64Histogram
	deadLetters  metric.Int64Counter
	leaseChanges metric.Int64Counter
	leasesHeld   metric.Int64ObservableGauge
}

func newTelemetry(o Options) telemetry {
	var t telemetry
	// An instrument with a valid constant name cannot fail; what is returned beside an error does nothing and is safe.
	t.lag, _ = o.Meter.Float64Histogram("shop.feed.lag", metric.WithUnit("s"),
		metric.WithDescription("Time from the recording of a batch's oldest event to the end of its handling"),
		metric.WithExplicitBucketBoundaries(.001, .002, .005, .01, .02, .05, .1, .25, .5, 1, 5, 30, 300, 3600))
	t.batch, _ = o.Meter.Int64Histogram("shop.feed.batch", metric.WithUnit("{event}"),
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

// handedOver is the reason of a lease that was given up.
const handedOver = "handed-over"

// leasesChanged counts changes of leases.
func (t *telemetry) leasesChanged(ctx context.Context, n int, reason string) {
	if n > 0 {
		t.leaseChanges.Add(ctx, int64(n), metric.WithAttributes(attribute.String("reason", reason)))
	}
}

// parked counts dead letters.
func (t *telemetry) parked(ctx context.Context, consumer string, n int) {
	t.deadLetters.Add(ctx, int64(n), metric.WithAttributes(attribute.String("consumer", consumer)))
}

// observeHeld lets the gauge of leases tell what held answers.
func (t *telemetry) observeHeld(m metric.Meter, held func() int64) (metric.Registration, error) {
	return m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(t.leasesHeld, held())
		return nil
	}, t.leasesHeld)
}
