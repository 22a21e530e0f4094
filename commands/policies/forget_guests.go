package policies

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/review"
	"shop/domain/rules"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// forgetter deletes what names the persons of forgotten orders and reviews; identity.Guests does.
type forgetter interface {
	CarryOut(ctx context.Context, streams ...string) error
}

// ForgetPersons carries out what was decided about orders and reviews: that it is forgotten who made them. At least once.
func ForgetPersons(f forgetter) feed.Consumer {
	const name = "forget-persons"
	return feed.Consumer{
		Name: name, Revision: revisions[name], Together: true, Types: []string{order.Forgotten{}.EventType(), review.Forgotten{}.EventType()},
		Handle: func(ctx context.Context, _ pgx.Tx, events []eventstore.Event) error {
			var streams []string
			for _, e := range events {
				if !slices.Contains(streams, e.Stream) {
					streams = append(streams, e.Stream)
				}
			}
			return f.CarryOut(commands.WithOrigin(ctx, commands.Origin{Actor: "system:" + name}), streams...)
		},
	}
}

// guestsDue finds guests' orders that have ended, or were never paid, and have not changed since a time; a read model can.
type guestsDue interface {
	GuestsSince(ctx context.Context, before time.Time, limit int) ([]domain.ID, error)
}

// canceller ends orders that nobody pays for; commands.Orders does.
type canceller interface {
	Cancel(ctx context.Context, id domain.ID, by, reason string) (eventstore.Position, error)
}

// guestForgetter decides to forget who made a guest's order; identity.Guests does.
type guestForgetter interface {
	ForgetOrder(ctx context.Context, id domain.ID) (eventstore.Position, error)
}

// ForgetGuests ends the contact data of guests when the rules say so: GuestMonths after their order ended. An order whose payment
// failed and that nobody touched for as long is cancelled first.
type ForgetGuests struct {
	Handler *commands.Handler
	Due     guestsDue
	Guests  guestForgetter
	Orders  canceller
	// Every is the pause between polls. Default 1h. A full batch is followed by the next at once.
	Every time.Duration
	// Batch is how many orders one poll looks at. Default 200.
	Batch int
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Logger gets errors and counts. Default slog.Default().
	Logger *slog.Logger
}

// Run polls until ctx ends.
func (p ForgetGuests) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, time.Hour), p.Logger, "forget guests", func(ctx context.Context) error {
		for {
			n, err := p.Once(ctx)
			if err != nil || n < p.batch() {
				return err
			}
		}
	})
}

func (p ForgetGuests) batch() int {
	if p.Batch <= 0 {
		return 200
	}
	return p.Batch
}

// Once forgets the guests of one batch of orders and says how many it forgot. An order that fails does not delay the others; it
// is looked at again at the next poll.
func (p ForgetGuests) Once(ctx context.Context) (forgotten int, err error) {
	ctx = commands.WithOrigin(ctx, commands.Origin{Actor: "system:forget-guests"})
	in, err := commands.See(ctx, p.Handler, commands.RulesStream())
	if err != nil {
		return 0, fmt.Errorf("read how long guests are kept: %w", err)
	}
	before, ends := keptSince(in.Rules, now(p.Clock))
	if !ends {
		return 0, nil
	}
	due, err := p.Due.GuestsSince(ctx, before, p.batch())
	if err != nil {
		return 0, err
	}
	for _, id := range due {
		position, err := p.one(ctx, id)
		switch {
		case ctx.Err() != nil:
			return forgotten, ctx.Err()
		case err != nil:
			loggerOr(p.Logger).ErrorContext(ctx, "forget guest", "order", id, "error", err)
		case position > 0:
			forgotten++
		}
	}
	if forgotten > 0 {
		loggerOr(p.Logger).InfoContext(ctx, "forgot guests", "orders", forgotten, "months", in.Rules.GuestMonths)
	}
	return forgotten, nil
}

func (p ForgetGuests) one(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	position, err := p.Guests.ForgetOrder(ctx, id)
	if !errors.Is(err, order.ErrOpen) {
		return position, err
	}
	if _, err := p.Orders.Cancel(ctx, id, "system", order.ReasonAbandoned); err != nil {
		return 0, err
	}
	return p.Guests.ForgetOrder(ctx, id)
}

// keptSince is the time before which orders must have ended for their guests to be forgotten; false: the rules keep them.
func keptSince(r rules.Rules, at time.Time) (time.Time, bool) {
	if r.GuestMonths <= 0 {
		return time.Time{}, false
	}
	return at.In(domain.Almaty).AddDate(0, -int(r.GuestMonths), 0), true
}
