package commands

import (
	"context"
	"time"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// What the tests of this package see of its inside.
const (
	KeyScope      = keyScope
	MaxLag        = maxLag
	NoticesAtOnce = noticesAtOnce
)

// Waiting counts the commands in the queue.
func (h *Handler) Waiting() int { return h.queue.Waiting() }

// Head is how far the handler has seen the log.
func (h *Handler) Head() eventstore.Position { return h.memory.sight.Load().Head }

// Shared counts the states of aggregates that everyone uses; Follows says whether that of a stream is among them.
func (h *Handler) Shared() int { return h.memory.shared.Len() }

func (h *Handler) Follows(stream string) bool { return h.memory.shared.Contains(stream) }

// Remembered is the state of one person's stream; nil: it is not remembered.
func (h *Handler) Remembered(stream string) any {
	known, _ := h.memory.private.Peek(stream)
	return known.state
}

// Keep is how a state is remembered that was loaded after some purges.
func (h *Handler) Keep(ref Ref, state any, version eventstore.Version, purges int64) {
	h.memory.keep(ref, state, version, purges)
}

// RememberLink is what somebody asked for a product by before.
func (h *Handler) RememberLink(link string, id domain.ID) { h.links.Add(link, id) }

// InBatch says whether a unit is decided over what others of its batch decided.
func (u *Unit) InBatch() bool { return u.base != nil }

// ExpireAt ends the wait for an order's money at a time.
func (o *Orders) ExpireAt(ctx context.Context, id domain.ID, at time.Time) error {
	_, err := o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		if err := goods.order.Do(u, order.ExpirePayment{At: at}); err != nil {
			return err
		}
		if goods.order.State(u).Status != order.StatusPaymentErr {
			return nil
		}
		return goods.release(u, "payment_expired")
	})
	return err
}
