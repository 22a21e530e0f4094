package relay

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// counters are what relays count. Instruments with valid constant names cannot fail.
type counters struct {
	messages, refused metric.Int64Counter
}

func newCounters() (c counters) {
	meter := otel.Meter("shop/relay")
	c.messages, _ = meter.Int64Counter("shop.relay.messages", metric.WithUnit("{message}"), metric.WithDescription("Messages that JetStream keeps"))
	c.refused, _ = meter.Int64Counter("shop.relay.refused", metric.WithUnit("{message}"),
		metric.WithDescription("Messages that JetStream did not keep, by reason: deposed (the range has another end), failed"))
	return c
}

func (c counters) count(err error) {
	ctx := context.Background()
	switch {
	case err == nil:
		c.messages.Add(ctx, 1)
	case refused(err):
		c.refused.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", "deposed")))
	default:
		c.refused.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", "failed")))
	}
}

// Observe says whether NATS is connected, until stop.
func (p *Publisher) Observe() (stop func()) {
	meter := otel.Meter("shop/relay")
	connected, _ := meter.Int64ObservableGauge("shop.relay.connected", metric.WithDescription("1 while a relay is connected to NATS, else 0"))
	registered, _ := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		is := int64(0)
		if p.conn.IsConnected() {
			is = 1
		}
		o.ObserveInt64(connected, is)
		return nil
	}, connected)
	return func() { _ = registered.Unregister() }
}
