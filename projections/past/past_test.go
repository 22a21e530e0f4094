package past

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/customer"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// shop is a log with its read models, which nobody folds: the past needs their tables' shape alone.
type shop struct {
	testing.TB
	store *eventstore.Store
	pasts *Pasts
}

func open(t testing.TB) shop {
	t.Helper()
	db := pgtest.Open(t)
	for _, m := range []projections.Projection{projections.Catalog(), projections.Stock(), projections.Content(), projections.Customers()} {
		if err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
			return errors.Join(m.CreateTables(t.Context(), tx, m.Name), m.CreateIndexes(t.Context(), tx, m.Name))
		}); err != nil {
			t.Fatal(err)
		}
	}
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	s := shop{t, store, New(db, store)}
	t.Cleanup(s.pasts.Close)
	return s
}

// append writes events of a stream after a version, and answers the position of the last.
func (s shop) append(stream string, after eventstore.Version, events ...domain.Event) eventstore.Position {
	s.Helper()
	w := eventstore.Write{Stream: stream, Expected: after}
	for _, e := range events {
		w.Events = append(w.Events, eventstore.NewEvent{Data: e})
	}
	done, err := s.store.Append(s.Context(), eventstore.Append{Writes: []eventstore.Write{w}})
	if err != nil {
		s.Fatal(err)
	}
	return done.Position
}

// idOf is the id of the nth product.
func idOf(n int) domain.ID { return uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n)) }

// goods adds a product with its price and stock.
func (s shop) goods(n int, price domain.Money) (id domain.ID, last eventstore.Position) {
	s.Helper()
	id = idOf(n)
	s.append(catalog.ProductStream(id), 0,
		catalog.ProductAdded{ID: id, Article: fmt.Sprintf("A-%d", n), Link: fmt.Sprintf("a-%d", n), At: noon},
		catalog.ProductDescribed{Text: catalog.ProductText{Name: fmt.Sprintf("Крем %d", n)}, At: noon}, catalog.ProductPriced{Price: price, DiscountedPrice: price, At: noon})
	return id, s.append(stock.Stream(id), 0, stock.Received{ProductID: id, Quantity: 5, OnHand: 5, At: noon})
}

// prices are what the shop had at a position.
func (s shop) prices(at eventstore.Position) (said string) {
	s.Helper()
	err := s.pasts.At(s.Context(), at, func(ctx context.Context, db *DB) error {
		rows, err := db.Query(ctx, `SELECT p.article || '=' || p.price || '/' || coalesce(s.available, 0) || CASE WHEN p.on_sale THEN '' ELSE ' off' END
			FROM catalog.product p LEFT JOIN stock.level s ON s.product_id = p.id ORDER BY p.article`)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		said = strings.Join(all, " ")
		return err
	})
	if err != nil {
		s.Error(err)
	}
	return said
}

func (s shop) expect(at eventstore.Position, want string) {
	s.Helper()
	if got := s.prices(at); got != want {
		s.Errorf("at %d: %s, want %s", at, got, want)
	}
}

// TestTheShopIsShownAsItWas: every moment has its own prices and stock, also when one is looked at again after another, and what happens
// later changes none of them.
func TestTheShopIsShownAsItWas(t *testing.T) {
	t.Parallel()
	s := open(t)
	cream, first := s.goods(1, 4000)
	repriced := s.append(catalog.ProductStream(cream), 3, catalog.ProductPriced{Price: 5000, DiscountedPrice: 4500, At: noon})
	_, second := s.goods(2, 700)
	sold := s.append(stock.Stream(cream), 1, stock.Reserved{ProductID: cream, Quantity: 2, OnHand: 5, Reserved: 2, At: noon}, stock.Shipped{ProductID: cream, Quantity: 2, OnHand: 3, At: noon})
	for range 2 {
		s.expect(first, "A-1=4000/5")
		s.expect(repriced, "A-1=5000/5")
		s.expect(second, "A-1=5000/5 A-2=700/5")
	}
	gone := s.append(catalog.ProductStream(cream), 4, catalog.ProductArchived{At: noon})
	s.expect(sold, "A-1=5000/3 A-2=700/5")
	s.expect(gone, "A-1=5000/3 off A-2=700/5")
	if n := len(s.pasts.moments); n != kept {
		t.Errorf("%d moments are kept, want %d", n, kept)
	}
}

// TestWhatStaffSkippedIsLeftOut: as the read model leaves it out.
func TestWhatStaffSkippedIsLeftOut(t *testing.T) {
	t.Parallel()
	s := open(t)
	cream, _ := s.goods(1, 4000)
	skipped := s.append(catalog.ProductStream(cream), 3, catalog.ProductPriced{Price: 1, DiscountedPrice: 1, At: noon})
	_, err := s.store.Pool().Exec(t.Context(), `INSERT INTO eventstore.dead_letters (consumer, position, range, stream, error, skipped_at, reason) VALUES ('catalog', $1, 0, 'x', 'x', now(), 'x')`, skipped)
	if err != nil {
		t.Fatal(err)
	}
	s.expect(skipped, "A-1=4000/5")
}

// TestThePastHoldsNothingPersonal: accounts are there without what says who they are, and nothing can be folded beyond the bounds.
func TestThePastHoldsNothingPersonal(t *testing.T) {
	t.Parallel()
	s := open(t)
	who := uuid.NewSHA1(uuid.Nil, []byte("Анна"))
	s.append(customer.Stream(who), 0, customer.Registered{ID: who, Email: "a@b.kz", Profile: customer.Profile{FirstName: "Анна", Phone: "+77010001122"}, At: noon})
	_, at := s.goods(1, 4000)
	look := func(sql string) error {
		return s.pasts.At(t.Context(), at, func(ctx context.Context, db *DB) error {
			var n int
			return db.QueryRow(ctx, sql).Scan(&n)
		})
	}
	err := s.pasts.At(t.Context(), at, func(ctx context.Context, db *DB) error {
		var row string
		if err := db.QueryRow(ctx, "SELECT a::text FROM customer.account a").Scan(&row); err != nil {
			return err
		}
		if !strings.Contains(row, who.String()) || strings.Contains(row, "Анна") || strings.Contains(row, "7701") || strings.Contains(row, "a@b.kz") {
			t.Errorf("an account of the past: %s", row)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	var refused *pgconn.PgError
	if err := look("SELECT count(a.email) FROM customer.account a"); !errors.As(err, &refused) || refused.Code != "42703" {
		t.Errorf("a statement that names what is personal: %v", err)
	}
	s.pasts.most.events = 1
	if err := look("SELECT count(*) FROM catalog.product"); !errors.Is(err, ErrTooMuch) {
		t.Errorf("too many events: %v", err)
	}
	s.pasts.most.events, s.pasts.most.bytes = usual.events, 10
	if err := look("SELECT count(*) FROM catalog.product"); !errors.Is(err, ErrTooMuch) {
		t.Errorf("too many bytes: %v", err)
	}
	s.pasts.most = usual
	if err := look("SELECT count(*) FROM catalog.product"); err != nil {
		t.Errorf("within the bounds, after a refusal: %v", err)
	}
}

// TestMomentsAreBounded: when all that may be kept are looked at, another one is refused at once; one that nobody looks at makes room, and
// ends with its connection.
func TestMomentsAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, last := s.goods(1, 4000)
	inside, leave, left := make(chan struct{}), make(chan struct{}), make(chan error)
	for n := range kept {
		go func() {
			left <- s.pasts.At(t.Context(), last-eventstore.Position(n), func(context.Context, *DB) error {
				inside <- struct{}{}
				<-leave
				return nil
			})
		}()
		<-inside
	}
	if err := s.pasts.At(t.Context(), 1, func(context.Context, *DB) error { return nil }); kept > 2 && !errors.Is(err, ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	close(leave)
	for range kept {
		if err := <-left; err != nil {
			t.Error(err)
		}
	}
	s.expect(1, "A-1=0/0 off")
	s.pasts.Close()
	open := func() (n int) {
		if err := s.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM pg_class WHERE relname = 'catalog.product'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for deadline := time.Now().Add(10 * time.Second); open() > 0; {
		if time.Now().After(deadline) {
			t.Fatal("its tables stay")
		}
	}
}

// TestALogOfThePastEndsThere: single streams are read as they were, and nothing is written.
func TestALogOfThePastEndsThere(t *testing.T) {
	t.Parallel()
	s := open(t)
	at := s.append("content-about", 0, content.Changed{Name: "about", Text: "old", At: noon})
	s.append("content-about", 1, content.Changed{Name: "about", Text: "new", At: noon})
	s.append("content-news", 0, content.Changed{Name: "news", Text: "later", At: noon})
	log := Log{s.store, at}
	found, err := log.Load(t.Context(), eventstore.From{Stream: "content-about"}, eventstore.From{Stream: "content-news"})
	if err != nil || len(found) != 1 || len(found["content-about"]) != 1 {
		t.Errorf("loaded %v, %v", found, err)
	}
	events, err := log.Stream(t.Context(), "content-about", 0, 10)
	if err != nil || len(events) != 1 {
		t.Errorf("read %v, %v", events, err)
	}
	if _, err := log.Append(t.Context(), eventstore.Append{}); !errors.Is(err, errPast) {
		t.Errorf("an append: %v", err)
	}
}

// TestTheLastEventOfALongStreamIsFound: at every position, whatever lies between.
func TestTheLastEventOfALongStreamIsFound(t *testing.T) {
	t.Parallel()
	s := open(t)
	cream, first := s.goods(1, 4000)
	other, _ := s.goods(2, 1)
	at := map[eventstore.Position]int64{first - 1: 0, first: 5}
	for n := range int64(20) {
		at[s.append(stock.Stream(cream), eventstore.Version(n+1), stock.Adjusted{ProductID: cream, OnHand: 100 + n, At: noon})] = 100 + n
		s.append(stock.Stream(other), eventstore.Version(n+1), stock.Adjusted{ProductID: other, OnHand: n, At: noon})
	}
	for position, want := range at {
		e, found, err := s.store.LastOf(t.Context(), stock.Stream(cream), position, "stock.received", "stock.adjusted")
		if err != nil || found != (want > 0) {
			t.Errorf("at %d: %v, %v", position, found, err)
		}
		switch of := e.Data.(type) {
		case stock.Received:
			if of.OnHand != want {
				t.Errorf("at %d: %d, want %d", position, of.OnHand, want)
			}
		case stock.Adjusted:
			if of.OnHand != want {
				t.Errorf("at %d: %d, want %d", position, of.OnHand, want)
			}
		}
	}
	if _, found, err := s.store.LastOf(t.Context(), "stock-none", first, "stock.received"); found || err != nil {
		t.Errorf("no stream: %v, %v", found, err)
	}
}
