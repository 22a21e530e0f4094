package commands_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/shopapi"
	"shop/commands/testshop"
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

func (l *rivalLog) AppendEach(ctx context.Context, appends ...eventstore.Append) []eventstore.Result {
	if l.wins.Add(-1) >= 0 {
		l.act()
	}
	return l.Store.AppendEach(ctx, appends...)
}

func TestConflictIsDecidedAnew(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 5)
	elsewhere := &commands.Stock{commands.New(s.Log, commands.Options{})}
	rival := &rivalLog{Store: s.Log, act: func() {
		if _, err := elsewhere.Receive(t.Context(), cream, 1, ""); err != nil {
			t.Error(err)
		}
	}}
	rival.wins.Store(5)
	s.Use(rival)
	s.Placed(testshop.Checkout(testshop.Line(cream, 5)))
	state := s.StockOf(cream)
	testshop.EqualText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "6 5") // a batch decides under the lock at once

	handler := commands.New(rival, commands.Options{Attempts: 1})
	if _, err := (&commands.Catalog{Handler: handler}).ArchiveProduct(t.Context(), cream, ""); err != nil {
		t.Errorf("a rival of another stream: %v", err)
	}
	_, err := (&commands.Stock{Handler: handler}).Receive(t.Context(), cream, 1, "")
	var conflict *eventstore.VersionConflict
	if !errors.As(err, &conflict) {
		t.Errorf("after the last attempt: %v", err)
	}
}

func TestConflictMayEndInARefusal(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 1)
	other := commands.New(s.Log, commands.Options{Clock: s.Clock.Now})
	orders := &commands.Orders{Handler: other, Numbers: &commands.OrderNumbers{Pool: s.Pool}, Providers: payments.Providers{Current: s.Sandbox}}
	rival := &rivalLog{Store: s.Log, act: func() {
		testshop.Equal(t, "the rival's order", s.Ask(shopapi.Orders{Orders: orders}.Place, testshop.Post(t.Context(), testshop.Checkout(testshop.Line(cream, 1)))).Code, 201)
	}}
	rival.wins.Store(1)
	s.Use(rival)
	s.Place(testshop.Checkout(testshop.Line(cream, 1))).Wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)
}

func TestRememberedStateOfAnotherLogIsForgotten(t *testing.T) {
	t.Parallel()
	one, two := testshop.Open(t), testshop.Open(t)
	moved := &movingLog{Store: one.Log}
	h := commands.New(moved, commands.Options{Clock: one.Clock.Now})
	for i := range 3 {
		if _, err := (&commands.Rules{Handler: h}).Change(t.Context(), minimum(int64(i)), 0); err != nil {
			t.Fatal(err)
		}
	}
	moved.Store = two.Log // a backup was restored under the running process
	if _, err := (&commands.Rules{Handler: h}).Change(t.Context(), minimum(100), 0); err != nil {
		t.Fatal(err)
	}
	events, err := two.Log.Stream(t.Context(), rules.Stream, 1, 0)
	if err != nil || len(events) != 1 {
		t.Fatalf("events %v, %v", events, err)
	}
	testshop.Equal(t, "version", events[0].Data.(rules.Changed).Version, 2)
}

func minimum(sum int64) rules.Rules {
	r := rules.Default()
	r.MinimumSum = sum
	return r
}

type movingLog struct{ *eventstore.Store }

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	h := commands.New(s.Log, commands.Options{Cached: 8})
	for i := range 20 {
		if _, err := (&commands.Content{Handler: h}).Change(t.Context(), fmt.Sprint("block-", i), "text", nil); err != nil {
			t.Fatal(err)
		}
	}
	testshop.Equal(t, "kept", h.Shared(), 8)
	if position, err := (&commands.Content{Handler: h}).Change(t.Context(), "block-0", "text", nil); err != nil || position != 0 {
		t.Errorf("a forgotten aggregate: position %d, %v", position, err)
	}
}

func TestUnitWritesSeveralStreamsOrNone(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	before := s.Head()
	refuse := errors.New("no")
	change := func(fail bool) error {
		_, err := s.Handler.Do(t.Context(), false, func(u *commands.Unit) error {
			a, b := commands.ContentStream("a"), commands.ContentStream("b")
			if err := u.Load(a, b); err != nil {
				return err
			}
			for _, stream := range []commands.Stream[content.Command, content.Event, content.State]{a, b} {
				if err := stream.Do(u, content.Change{Name: stream.Name, Text: "1", At: u.At()}); err != nil {
					return err
				}
				testshop.Equal(t, "text the unit sees", stream.State(u).Text, "1")
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
	testshop.Equal(t, "head", s.Head(), before)
	state, err := commands.See(t.Context(), s.Handler, commands.ContentStream("a"))
	testshop.EqualText(t, "remembered", fmt.Sprintf("%q %v", state.Text, err), `"" <nil>`)
	if err := change(false); err != nil {
		t.Error(err)
	}
	testshop.EqualText(t, "log", s.Types(before), "[content.changed content.changed]")
}

func TestOriginBecomesMetadata(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	ctx := commands.WithOrigin(t.Context(), commands.Origin{Correlation: "request-1", Actor: "staff:aigul", Imported: true})
	if _, err := (&commands.Content{Handler: s.Handler}).Change(ctx, "a", "1", nil); err != nil {
		t.Fatal(err)
	}
	events, err := s.Log.Stream(t.Context(), content.Stream("a"), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := events[0].Metadata
	testshop.EqualText(t, "metadata", fmt.Sprint(m.CorrelationID, " ", m.CausationID, " ", m.Actor, " ", m.Imported), "request-1 request-1 staff:aigul true")
	testshop.Equal(t, "recorded at", events[0].RecordedAt.UTC(), testshop.Noon)
}

func TestStaffCommandsAddNothingTwice(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 5)
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
		return testshop.Count(t.Context(), s.Handler, cream, 3)
	})
	twice("price", func() (eventstore.Position, error) {
		return (&commands.Catalog{Handler: s.Handler}).PriceProduct(t.Context(), cream, 8_000, 7_000)
	})
	twice("archive", func() (eventstore.Position, error) {
		return (&commands.Catalog{Handler: s.Handler}).ArchiveProduct(t.Context(), cream, "")
	})
	twice("restore", func() (eventstore.Position, error) {
		return (&commands.Catalog{Handler: s.Handler}).RestoreProduct(t.Context(), cream)
	})
	twice("rules", func() (eventstore.Position, error) {
		return (&commands.Rules{Handler: s.Handler}).Change(t.Context(), minimum(5_000), 0)
	})
	testshop.Equal(t, "on hand", s.StockOf(cream).OnHand, 3)

	before := s.Head()
	_, err := (&commands.Stock{Handler: s.Handler}).Receive(t.Context(), uuid.New(), 1, "")
	status, _, _ := shopapi.Problem(err)
	testshop.Equal(t, "status for an unknown product", status, 404)
	if position, err := (&commands.Rules{Handler: s.Handler}).Open(t.Context()); err != nil || position != 0 {
		t.Errorf("opening with rules: position %d, %v", position, err)
	}
	testshop.Equal(t, "head", s.Head(), before)
}
