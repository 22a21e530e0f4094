package commands

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"shop/domain/content"
	"shop/domain/rules"
	"shop/eventstore"
)

// rivalLog lets another process be faster a number of times.
type rivalLog struct {
	*eventstore.Store
	wins atomic.Int64
	act  func()
}

func (l *rivalLog) Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error) {
	if l.wins.Add(-1) >= 0 {
		l.act()
	}
	return l.Store.Append(ctx, together...)
}

func TestConflictIsDecidedAnew(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 5)
	elsewhere := &Stock{New(s.log, Options{})}
	rival := &rivalLog{Store: s.log, act: func() {
		if _, err := elsewhere.Receive(t.Context(), cream, 1, ""); err != nil {
			t.Error(err)
		}
	}}
	rival.wins.Store(5)
	s.use(rival)
	s.placed(checkout(lineOf(cream, 5)))
	state := s.stockOf(cream)
	equalText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "10 5")

	rival.wins.Store(1 << 20)
	handler := New(rival, Options{Attempts: 3})
	_, err := (&Stock{handler}).Receive(t.Context(), cream, 1, "")
	var conflict *eventstore.VersionConflict
	if !errors.As(err, &conflict) {
		t.Errorf("after the last attempt: %v", err)
	}
	equal(t, "attempts", 1<<20-rival.wins.Load(), 3)
}

func TestConflictMayEndInARefusal(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 1)
	other := New(s.log, Options{Clock: s.clock.Now})
	orders := &Orders{Handler: other, Numbers: &OrderNumbers{Pool: s.pool}, Provider: s.sandbox}
	rival := &rivalLog{Store: s.log, act: func() {
		equal(t, "the rival's order", s.ask(orders.Place, post(t.Context(), checkout(lineOf(cream, 1)))).Code, 201)
	}}
	rival.wins.Store(1)
	s.use(rival)
	s.place(checkout(lineOf(cream, 1))).wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)
}

func TestRememberedStateOfAnotherLogIsForgotten(t *testing.T) {
	t.Parallel()
	one, two := openShop(t), openShop(t)
	moved := &movingLog{Store: one.log}
	h := New(moved, Options{Clock: one.clock.Now})
	for i := range 3 {
		if _, err := (&Rules{h}).Change(t.Context(), minimum(int64(i)), 0); err != nil {
			t.Fatal(err)
		}
	}
	moved.Store = two.log // a backup was restored under the running process
	if _, err := (&Rules{h}).Change(t.Context(), minimum(100), 0); err != nil {
		t.Fatal(err)
	}
	events, err := two.log.Stream(t.Context(), rules.Stream, 1, 0)
	if err != nil || len(events) != 1 {
		t.Fatalf("events %v, %v", events, err)
	}
	equal(t, "version", events[0].Data.(rules.Changed).Version, 2)
}

func minimum(sum int64) rules.Rules {
	r := rules.Default()
	r.MinimumSum = sum
	return r
}

type movingLog struct{ *eventstore.Store }

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	h := New(s.log, Options{Cached: 8})
	for i := range 20 {
		if _, err := (&Content{h}).Change(t.Context(), fmt.Sprint("block-", i), "text", nil); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "kept", h.memory.shared.Len(), 8)
	if position, err := (&Content{h}).Change(t.Context(), "block-0", "text", nil); err != nil || position != 0 {
		t.Errorf("a forgotten aggregate: position %d, %v", position, err)
	}
}

func TestUnitWritesSeveralStreamsOrNone(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	before := s.head()
	refuse := errors.New("no")
	change := func(fail bool) error {
		_, err := s.handler.Do(t.Context(), false, func(u *Unit) error {
			a, b := contentStream("a"), contentStream("b")
			if err := u.Load(a, b); err != nil {
				return err
			}
			for _, stream := range []Stream[content.Command, content.Event, content.State]{a, b} {
				if err := stream.Do(u, content.Change{Name: stream.Name, Text: "1", At: u.At()}); err != nil {
					return err
				}
				equal(t, "text the unit sees", stream.State(u).Text, "1")
			}
			if fail {
				return refuse
			}
			return nil
		})
		return err
	}
	if err := change(true); !errors.Is(err, refuse) {
		t.Errorf("error is %v", err)
	}
	equal(t, "head", s.head(), before)
	state, err := see(t.Context(), s.handler, contentStream("a"))
	equalText(t, "remembered", fmt.Sprintf("%q %v", state.Text, err), `"" <nil>`)
	if err := change(false); err != nil {
		t.Error(err)
	}
	equalText(t, "log", s.types(before), "[content.changed content.changed]")
}

func TestOriginBecomesMetadata(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	ctx := WithOrigin(t.Context(), Origin{Correlation: "request-1", Actor: "staff:aigul", Imported: true})
	if _, err := (&Content{s.handler}).Change(ctx, "a", "1", nil); err != nil {
		t.Fatal(err)
	}
	events, err := s.log.Stream(t.Context(), content.Stream("a"), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := events[0].Metadata
	equalText(t, "metadata", fmt.Sprint(m.CorrelationID, " ", m.CausationID, " ", m.Actor, " ", m.Imported), "request-1 request-1 staff:aigul true")
	equal(t, "recorded at", events[0].RecordedAt.UTC(), noon)
}

func TestStaffCommandsAddNothingTwice(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 5)
	twice := func(name string, command func() (eventstore.Position, error)) {
		t.Helper()
		first, err := command()
		if err != nil || first == 0 {
			t.Errorf("%s: position %d, %v", name, first, err)
		}
		if again, err := command(); err != nil || again != 0 {
			t.Errorf("%s again: position %d, %v", name, again, err)
		}
	}
	twice("count", func() (eventstore.Position, error) {
		return (&Stock{s.handler}).Adjust(t.Context(), cream, 3, "list 7")
	})
	twice("price", func() (eventstore.Position, error) {
		return (&Catalog{Handler: s.handler}).PriceProduct(t.Context(), cream, 8_000, 7_000)
	})
	twice("archive", func() (eventstore.Position, error) {
		return (&Catalog{Handler: s.handler}).ArchiveProduct(t.Context(), cream, "")
	})
	twice("restore", func() (eventstore.Position, error) {
		return (&Catalog{Handler: s.handler}).RestoreProduct(t.Context(), cream)
	})
	twice("rules", func() (eventstore.Position, error) { return (&Rules{s.handler}).Change(t.Context(), minimum(5_000), 0) })
	equal(t, "on hand", s.stockOf(cream).OnHand, 3)

	before := s.head()
	_, err := (&Stock{s.handler}).Receive(t.Context(), uuid.New(), 1, "")
	status, _, _ := Answer(err)
	equal(t, "status for an unknown product", status, 404)
	if position, err := (&Rules{s.handler}).Open(t.Context()); err != nil || position != 0 {
		t.Errorf("opening with rules: position %d, %v", position, err)
	}
	equal(t, "head", s.head(), before)
}
