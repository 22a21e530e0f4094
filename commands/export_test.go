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

// KeepFromStart is how a state is remembered that was loaded before anything else was seen.
func (h *Handler) KeepFromStart(ref Ref, state any, version eventstore.Version) {
	h.memory.keep(ref, state, version, since{})
}

// AwaitsLoad is how many commands wait for the load of a stream.
func (h *Handler) AwaitsLoad(stream string) int {
	h.loads.mu.Lock()
	defer h.loads.mu.Unlock()
	if its := h.loads.of[stream]; its != nil {
		return its.waiting
	}
	return 0
}

// FreezeNow writes down whatever waits for it, and says how many streams that were.
func (h *Handler) FreezeNow(ctx context.Context) (n int, err error) {
	for {
		select {
		case l := <-h.frozen.queue:
			n++
			if err := h.freeze(ctx, l); err != nil {
				return n, err
			}
		default:
			return n, nil
		}
	}
}

// FreezeEvery is how many events a stream grows by before its state is written down again.
const FreezeEvery = freezeEvery

// Shape is that of a stream's snapshots.
func Shape(ref Ref) string { return ref.shape() }

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
