package commands_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/testshop"
	"shop/domain/basket"
	"shop/domain/promocode"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
)

// sent notes the statements that a pool sends.
type sent struct {
	mu         sync.Mutex
	statements []string
}

func (s *sent) note(sql string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statements = append(s.statements, sql)
}

func (s *sent) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	s.note(q.SQL)
	return ctx
}
func (*sent) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (*sent) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}
func (s *sent) TraceBatchQuery(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchQueryData) {
	s.note(q.SQL)
}
func (*sent) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// since are the statements since the last time. The connection that notifies other processes is opened and used whenever its time comes.
func (s *sent) since() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := slices.DeleteFunc(s.statements, func(sql string) bool {
		return strings.Contains(sql, "pg_notify") || sql == "SET synchronous_commit = off"
	})
	s.statements = nil
	return found
}

// watched is a shop that follows the log, of whose log every statement is noted.
func watched(t *testing.T) (*followed, *sent) {
	t.Helper()
	f, noted := follow(t), &sent{}
	config := f.Pool.Config()
	config.ConnConfig.Tracer = noted
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	log := eventstore.Open(pool, registry.New(), eventstore.Options{})
	t.Cleanup(log.Close)
	f.Use(log)
	f.Handler.Observe(feed.Sight{Gap: true, Head: f.shown})
	return f, noted
}

// made is the cookie of a basket that was made just now and not used yet.
func (f *followed) made(body testshop.Fields, headers ...testshop.Header) testshop.Header {
	f.T.Helper()
	f.show(time.Now())
	return testshop.WithBasket(f.Price(body, headers...).Result().Cookies()[0].Value)
}

// TestAFirstOrderAsksNothing: neither of a basket that was made a moment ago nor of the account. The append tells whether they are as
// they were.
func TestAFirstOrderAsksNothing(t *testing.T) {
	t.Parallel()
	f, noted := watched(t)
	cream, anna := f.elsewhere.Product(9_000, 9_000, 10), f.elsewhere.Customer()
	f.elsewhere.Promocode("TEN", promocode.Terms{Kind: promocode.Percent, Value: 10})
	f.elsewhere.Credit(anna, 5_000)
	wish := testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}, "city": "Алматы", "payment_method": "CASH", "delivery_type": "DELIVERY"}
	cash := func() testshop.Fields {
		return testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", "CASH")
	}
	rich := func() testshop.Fields { return cash().With("promocode", "TEN").With("spend_bonus", 100) }
	for _, c := range []struct {
		what  string
		order func() testshop.Fields
		by    []testshop.Header
	}{{"a guest's", cash, nil}, {"a customer's, with code and bonuses", rich, []testshop.Header{testshop.By(anna)}}} {
		f.Placed(c.order(), append(c.by, f.made(wish, c.by...))...) // from here on the process knows the goods and the account
		mine := f.made(wish, c.by...)
		noted.since()
		f.Placed(c.order(), append(c.by, mine)...)
		if statements := noted.since(); len(statements) != 1 || !strings.Contains(statements[0], "eventstore.append") {
			t.Errorf("%s first order of a basket sent %d statements: %q", c.what, len(statements), statements)
		}
	}
}

// TestNobodyOrdersInAnAccountThatWasClosedElsewhere: this process does not know yet that it was.
func TestNobodyOrdersInAnAccountThatWasClosedElsewhere(t *testing.T) {
	t.Parallel()
	f, noted := watched(t)
	cream, anna := f.elsewhere.Product(9_000, 9_000, 10), f.elsewhere.Customer()
	f.show(time.Now())
	f.Placed(testshop.Checkout(testshop.Line(cream, 1)), testshop.By(anna))
	if err := leaves(t, anna)(f.elsewhere.Handler); err != nil {
		t.Fatal(err)
	}
	f.Handler.Observe(feed.Sight{Head: f.shown, At: time.Now()})
	noted.since()
	f.Place(testshop.Checkout(testshop.Line(cream, 1)), testshop.By(anna)).Wants(401, signedOut)
	if statements := noted.since(); len(statements) == 0 || !strings.Contains(statements[0], "eventstore.append") {
		t.Errorf("the log was asked before: %q", statements)
	}
	testshop.Equal(t, "reserved", f.StockOf(cream).Reserved, 1)
}

// TestANewBasketMayBeUsedElsewhereFirst: a cookie of this process is priced by another one, of which this one does not know yet.
func TestANewBasketMayBeUsedElsewhereFirst(t *testing.T) {
	t.Parallel()
	f, _ := watched(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	wish := testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}, "city": "Алматы", "payment_method": "CARD"}
	f.show(time.Now())
	f.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	f.show(time.Now())
	cookie := f.Price(wish).Result().Cookies()[0].Value
	f.elsewhere.Price(wish, testshop.WithBasket(cookie))
	f.Handler.Observe(feed.Sight{Head: f.shown, At: time.Now()})
	receipt := f.Placed(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithBasket(cookie))
	stream := basket.Stream(testshop.BasketID(cookie))
	events, err := f.Shop.Log.Stream(t.Context(), stream, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events {
		told = append(told, e.Type)
	}
	testshop.EqualText(t, "basket", told, []string{"basket.priced", "basket.checked-out"})
	if len(events) == 2 && events[1].Data.(basket.CheckedOut).OrderID != receipt.ID {
		t.Error("the basket became another order")
	}
}
