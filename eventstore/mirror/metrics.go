package mirror

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Why a range was read from the home region's database.
const (
	seeded = "seed"
	gap    = "gap"
	lost   = "lost"
)

// Observe makes the metrics, until stop. Instruments with valid constant names cannot fail.
func (m *Mirror) Observe(region string) (stop func()) {
	meter := otel.Meter("shop/mirror")
	of := metric.WithAttributes(attribute.String("region", region))
	age, _ := meter.Float64ObservableGauge("shop.copy.age", metric.WithUnit("s"), metric.WithDescription("Time since a region last heard of a relay"))
	behind, _ := meter.Int64ObservableGauge("shop.copy.behind", metric.WithDescription("Positions that relays have published and a region's copy lacks"))
	refills, _ := meter.Int64Counter("shop.copy.refills", metric.WithUnit("{range}"),
		metric.WithDescription("Ranges that a region read from the home region's database, by reason: seed, gap, lost"))
	m.refilled = func(reason string) {
		refills.Add(context.Background(), 1, of, metric.WithAttributes(attribute.String("reason", reason)))
	}
	registered, _ := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		if m.heardAt.Load() > 0 {
			o.ObserveFloat64(age, m.Age().Seconds(), of)
			o.ObserveInt64(behind, m.behind.Load(), of)
		}
		return nil
	}, age, behind)
	return func() { _ = registered.Unregister() }
}

// count notes that a range was read from the home region.
func (m *Mirror) count(reason string) {
	if m.refilled != nil {
		m.refilled(reason)
	}
}
