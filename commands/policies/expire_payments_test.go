package policies

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/eventstore"
)

// list is a read model's answer; those expired leave it.
type list struct {
	orders, unconfirmed []domain.ID
	asked               []time.Time
}

func (l *list) UnpaidSince(_ context.Context, before time.Time, limit int) ([]domain.ID, error) {
	l.asked = append(l.asked, before)
	return l.orders[:min(limit, len(l.orders))], nil
}

func (l *list) UnconfirmedSince(_ context.Context, _ time.Time, limit int) ([]domain.ID, error) {
	return slices.Clone(l.unconfirmed[:min(limit, len(l.unconfirmed))]), nil
}

// shop expires orders, but for those it knows a reason against.
type shop struct {
	list   *list
	wrong  map[domain.ID]error
	seen   []domain.ID
	actors map[string]bool
	after  func()
}

func (s *shop) ExpirePayment(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	s.seen = append(s.seen, id)
	s.actors[commands.OriginOf(ctx).Actor] = true
	if s.after != nil {
		s.after()
	}
	if err := s.wrong[id]; err != nil {
		return 0, err
	}
	for i, other := range s.list.orders {
		if other == id {
			s.list.orders = append(append([]domain.ID{}, s.list.orders[:i]...), s.list.orders[i+1:]...)
		}
	}
	return 1, nil
}

func (s *shop) ExpireConfirmation(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	s.actors[commands.OriginOf(ctx).Actor] = true
	s.list.unconfirmed = slices.DeleteFunc(s.list.unconfirmed, func(other domain.ID) bool { return other == id })
	return 1, nil
}

func orders(n int) []domain.ID {
	ids := make([]domain.ID, n)
	for i := range ids {
		ids[i] = uuid.New()
	}
	return ids
}

func TestOnceEndsAllThatAreDue(t *testing.T) {
	t.Parallel()
	l := &list{orders: orders(250), unconfirmed: orders(101)}
	s := &shop{list: l, wrong: map[domain.ID]error{l.orders[0]: errors.New("bank is down")}, actors: map[string]bool{}}
	now := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	p := ExpirePayments{Orders: s, Due: l, Clock: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)}
	if err := p.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(l.orders) != 1 || len(l.unconfirmed) != 0 || l.asked[0] != now ||
		fmt.Sprint(s.actors) != "map[system:expire-confirmations:true system:expire-payments:true]" {
		t.Errorf("left %d and %d, asked for %v, by %v", len(l.orders), len(l.unconfirmed), l.asked, s.actors)
	}
}

func TestOnceDoesNotTurnInCirclesOnAListThatIsBehind(t *testing.T) {
	t.Parallel()
	l := &list{orders: orders(batch)}
	s := &shop{list: &list{}, actors: map[string]bool{}, wrong: map[domain.ID]error{}}
	for _, id := range l.orders {
		s.wrong[id] = errors.New("ended already")
	}
	p := ExpirePayments{Orders: s, Due: l, Logger: slog.New(slog.DiscardHandler)}
	if err := p.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.seen) != batch {
		t.Errorf("looked at %d orders", len(s.seen))
	}
}

func TestRunLooksAtOnceAndEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	l := &list{orders: orders(1)}
	s := &shop{list: l, actors: map[string]bool{}, after: cancel}
	(ExpirePayments{Orders: s, Due: l, Every: time.Hour}).Run(ctx)
	if len(s.seen) != 1 {
		t.Errorf("looked at %d orders", len(s.seen))
	}
}
