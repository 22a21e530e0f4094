package policies

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/rules"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
)

// someGuests are orders of guests by what comes of forgetting them.
type someGuests struct {
	due       []domain.ID
	before    time.Time
	limit     int
	refuse    map[domain.ID]error
	forgotten []domain.ID
	cancelled []domain.ID
}

func (g *someGuests) GuestsSince(_ context.Context, before time.Time, limit int) ([]domain.ID, error) {
	g.before, g.limit = before, limit
	due := g.due[:min(limit, len(g.due))]
	g.due = g.due[len(due):]
	return due, nil
}

func (g *someGuests) ForgetOrder(_ context.Context, id domain.ID) (eventstore.Position, error) {
	if err := g.refuse[id]; err != nil {
		return 0, err
	}
	g.forgotten = append(g.forgotten, id)
	return eventstore.Position(len(g.forgotten)), nil
}

func (g *someGuests) Cancel(_ context.Context, id domain.ID, by, reason string) (eventstore.Position, error) {
	if by != "system" || reason != order.ReasonAbandoned {
		return 0, errors.New("cancelled by " + by + " for " + reason)
	}
	g.cancelled = append(g.cancelled, id)
	delete(g.refuse, id)
	return 1, nil
}

// Guests are forgotten as the rules say, in batches. One that fails delays nobody, and an order that was never paid ends first.
func TestGuestsAreForgottenByTheRules(t *testing.T) {
	t.Parallel()
	store := eventstore.Open(pgtest.Open(t), registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	handler := commands.New(store, commands.Options{})
	months := func(n int64) {
		t.Helper()
		r := rules.Default()
		r.GuestMonths = n
		if _, err := (&commands.Rules{Handler: handler}).Change(t.Context(), r, 0); err != nil {
			t.Fatal(err)
		}
	}
	ids := make([]domain.ID, 5)
	for i := range ids {
		ids[i] = uuid.UUID{15: byte(i + 1)}
	}
	g := &someGuests{due: slices.Clone(ids), refuse: map[domain.ID]error{ids[0]: errors.New("no database"), ids[1]: order.ErrOpen}}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, domain.Almaty)
	policy := ForgetGuests{Handler: handler, Due: g, Guests: g, Orders: g, Batch: 3, Clock: func() time.Time { return now }}

	months(0)
	if n, err := policy.Once(t.Context()); n != 0 || err != nil || g.limit != 0 {
		t.Fatalf("with 0 months %d were forgotten, %v", n, err)
	}
	months(24)
	if n, err := policy.Once(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if want := time.Date(2024, 11, 23, 12, 0, 0, 0, domain.Almaty); !g.before.Equal(want) || g.limit != 3 {
		t.Errorf("asked for %d before %v", g.limit, g.before)
	}
	if !slices.Equal(g.forgotten, ids[1:3]) || !slices.Equal(g.cancelled, ids[1:2]) {
		t.Errorf("forgotten %v, cancelled %v", g.forgotten, g.cancelled)
	}
	if n, err := policy.Once(t.Context()); n != 2 || err != nil || len(g.forgotten) != 4 {
		t.Errorf("%d, %v, %v", n, err, g.forgotten)
	}
	if n, err := policy.Once(t.Context()); n != 0 || err != nil {
		t.Errorf("nothing is due: %d, %v", n, err)
	}
}
