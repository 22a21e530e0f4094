package policies

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/eventstore"
)

// list is a read model's answer; those expired leave it.
type list struct {
	mu                  sync.Mutex
	orders, unconfirmed []domain.ID
	asked               []time.Time
}

func (l *list) UnpaidSince(_ context.Context, before time.Time, limit int) ([]domain.ID, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, before)
	return slices.Clone(l.orders[:min(limit, len(l.orders))]), nil
}

func (l *list) UnconfirmedSince(_ context.Context, _ time.Time, limit int) ([]domain.ID, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
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
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
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
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
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

// hanging is a shop whose provider hangs: an order that is asked for takes until patience ends.
type hanging struct {
	asks   func(domain.ID) bool
	atOnce atomic.Int32
	most   atomic.Int32
	ended  atomic.Int32
}

func (h *hanging) ExpirePayment(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	if n := h.atOnce.Add(1); n > h.most.Load() {
		h.most.Store(n)
	}
	defer h.atOnce.Add(-1)
	if h.asks(id) {
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
		return 0, context.DeadlineExceeded
	}
	h.ended.Add(1)
	return 0, nil
}

func (h *hanging) ExpireConfirmation(context.Context, domain.ID) (eventstore.Position, error) {
	h.ended.Add(1)
	return 0, nil
}

// Orders whose provider hangs delay the others by a fraction of its patience, and confirmations not at all.
func TestAProviderThatHangsDelaysFewOrders(t *testing.T) {
	t.Parallel()
	l := &list{orders: orders(batch), unconfirmed: orders(20)}
	slow := map[domain.ID]bool{}
	for _, id := range l.orders[:24] {
		slow[id] = true
	}
	h := &hanging{asks: func(id domain.ID) bool { return slow[id] }}
	p := ExpirePayments{Orders: h, Due: l, Logger: slog.New(slog.DiscardHandler)}
	began := time.Now()
	if err := p.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 2*time.Second || h.ended.Load() != batch-24+20 || h.most.Load() > crowd {
		t.Errorf("%d ended in %s, %d at once", h.ended.Load(), took, h.most.Load())
	}
}
