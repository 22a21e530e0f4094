package replicas

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// observe makes the metrics. Instruments with valid constant names cannot fail.
func (s *Set) observe() {
	meter := otel.Meter("shop/replicas")
	s.reads, _ = meter.Int64Counter("shop.reads", metric.WithUnit("{read}"),
		metric.WithDescription("Reads that may go to replicas, by where they went: replica, waited, primary, repeated"))
	in, _ := meter.Int64ObservableGauge("shop.replica.in", metric.WithDescription("1 while a read replica is asked, else 0"))
	behind, _ := meter.Float64ObservableGauge("shop.replica.lag", metric.WithUnit("s"), metric.WithDescription("For how long a read replica has lacked something that the primary has"))
	s.gauges, _ = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, status := range s.Statuses() {
			of := metric.WithAttributes(attribute.String("replica", status.Name))
			is := int64(0)
			if status.In {
				is = 1
			}
			o.ObserveInt64(in, is, of)
			if status.Behind >= 0 {
				o.ObserveFloat64(behind, status.Behind.Seconds(), of)
			}
		}
		return nil
	}, in, behind)
}
