package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
)

// running is a log with projections that follow it.
type running struct {
	db    *pgxpool.Pool
	store *eventstore.Store
	feed  *eventstore.Feed
}

func follow(t *testing.T, models ...Projection) running {
	t.Helper()
	db := pgtest.Open(t)
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	prepare(t, db, models...)
	feed := eventstore.NewFeed(store, eventstore.FeedOptions{})
	for _, p := range models {
		feed.Add(eventstore.Consumer{Name: p.Name, Types: p.Types(), Handle: p.Apply})
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- feed.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return running{db, store, feed}
}

// put appends events to a stream and answers the position.
func (r running) put(t *testing.T, stream string, events ...domain.Event) eventstore.Position {
	t.Helper()
	w := eventstore.Write{Stream: stream, Expected: eventstore.AnyVersion}
	for _, e := range events {
		w.Events = append(w.Events, eventstore.NewEvent{Data: e})
	}
	done, err := r.store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{w}})
	if err != nil {
		t.Fatal(err)
	}
	return done.Position
}

func (r running) putProduct(t *testing.T, n int) eventstore.Position {
	t.Helper()
	id := uuid.NewSHA1(uuid.Nil, []byte{byte(n), byte(n >> 8)})
	return r.put(t, catalog.ProductStream(id),
		catalog.ProductAdded{ID: id, Article: fmt.Sprint(n), Link: fmt.Sprint(n), At: noon},
		catalog.ProductDescribed{Text: catalog.ProductText{Name: fmt.Sprint("Мыло ", n)}, At: noon},
		catalog.ProductPriced{Price: 1000, DiscountedPrice: 900, At: noon})
}

func (r running) wait(t *testing.T, name string, p eventstore.Position) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := r.feed.WaitFor(ctx, name, p)
	// A paused consumer is moved by a rebuild too; the feed hears of it a moment later.
	for paused := new(eventstore.PausedConsumer); errors.As(err, &paused) && ctx.Err() == nil; err = r.feed.WaitFor(ctx, name, p) {
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRebuildWhileTheShopIsOpen(t *testing.T) {
	t.Parallel()
	p := Catalog()
	r := follow(t, p)
	var last eventstore.Position
	for n := range 300 {
		last = r.putProduct(t, n)
	}
	r.wait(t, p.Name, last)
	if _, err := r.db.Exec(t.Context(), "UPDATE catalog.product SET name = 'порча'; DELETE FROM catalog.word; INSERT INTO catalog.word VALUES ('лишнее', 'лишнее')"); err != nil {
		t.Fatal(err)
	}

	// The shop goes on: events come, and readers never find a table missing or empty.
	stop := make(chan struct{})
	reading := make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				reading <- nil
				return
			default:
			}
			var n int
			if err := r.db.QueryRow(context.WithoutCancel(t.Context()), "SELECT count(*) FROM catalog.product WHERE on_sale").Scan(&n); err != nil || n < 300 {
				reading <- fmt.Errorf("%d products: %w", n, err)
				return
			}
		}
	}()
	rebuilt := make(chan error, 1)
	var progress Rebuilding
	go func() { rebuilt <- Rebuild(context.WithoutCancel(t.Context()), r.db, r.store, p, &progress) }()
	n := 300
	for done := false; !done; n++ {
		r.putProduct(t, n)
		select {
		case err := <-rebuilt:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
	}
	last = r.putProduct(t, n)
	r.wait(t, p.Name, last)
	close(stop)
	if err := <-reading; err != nil {
		t.Error(err)
	}

	expect(t, all[string](t, r.db, "SELECT count(*) || ' ' || count(DISTINCT name) || ' ' || bool_and(name = 'Мыло ' || article) FROM catalog.product"), fmt.Sprintf("%d %[1]d true", n+1))
	expect(t, all[string](t, r.db, "SELECT DISTINCT word FROM catalog.word"), "мыло")
	expect(t, all[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'catalog%'"), "catalog")
	expect(t, prepare(t, r.db, p))
	if progress.Share() != 1 || progress.Events() < 900 {
		t.Errorf("progress %v of %d events", progress.Share(), progress.Events())
	}
}

// A consumer that is behind, because it is paused, is taken along.
func TestRebuildMovesALateConsumerForward(t *testing.T) {
	t.Parallel()
	p := Stock()
	r := follow(t, p)
	soapIs := func(n int64) stock.Received { return stock.Received{ProductID: soap, Quantity: 1, OnHand: n, At: noon} }
	r.wait(t, p.Name, r.put(t, stock.Stream(soap), soapIs(1)))
	if err := r.store.Pause(t.Context(), p.Name); err != nil {
		t.Fatal(err)
	}
	second := r.put(t, stock.Stream(soap), soapIs(2))
	if err := Rebuild(t.Context(), r.db, r.store, p, nil); err != nil {
		t.Fatal(err)
	}
	expect(t, all[int64](t, r.db, "SELECT on_hand FROM stock.level"), 2)
	if err := r.store.Resume(t.Context(), p.Name); err != nil {
		t.Fatal(err)
	}
	r.wait(t, p.Name, max(second, r.put(t, stock.Stream(soap), soapIs(3))))
	expect(t, all[int64](t, r.db, "SELECT on_hand FROM stock.level"), 3)
}

func TestRebuildSettlesDeadLettersAndKeepsSkippedEventsOut(t *testing.T) {
	t.Parallel()
	p := Stock()
	table := p.Tables[0].(Table[Level])
	whole := table.Fold
	table.Fold = func(key string, l *Level, e eventstore.Event) bool {
		if e.Data.(stock.Received).OnHand == 13 {
			panic("unlucky")
		}
		return whole(key, l, e)
	}
	p.Tables = []model{table}
	r := follow(t, p)
	put := func(product domain.ID, onHand int64) eventstore.Position {
		return r.put(t, stock.Stream(product), stock.Received{ProductID: product, OnHand: onHand, At: noon})
	}
	put(soap, 1)
	bad := put(soap, 13)
	last := put(soap, 2)
	put(balm, 1)
	skip := put(balm, 13)
	r.wait(t, p.Name, max(last, skip))
	expect(t, all[int64](t, r.db, "SELECT position FROM eventstore.dead_letters WHERE skipped_at IS NULL ORDER BY 1"), int64(bad), int64(last), int64(skip))
	if err := r.store.SkipDeadLetter(t.Context(), p.Name, skip, "проверено"); err != nil {
		t.Fatal(err)
	}

	err := Rebuild(t.Context(), r.db, r.store, p, nil)
	if err == nil || !strings.Contains(err.Error(), "unlucky") || !strings.Contains(err.Error(), fmt.Sprintf("position %d", bad)) {
		t.Fatalf("a rebuild with an event that cannot be folded: %v", err)
	}
	expect(t, all[int64](t, r.db, "SELECT on_hand FROM stock.level ORDER BY product_id"), 1, 1)

	// With the fold repaired, what was parked is in, what was skipped stays out.
	table.Fold = whole
	p.Tables = []model{table}
	if err := Rebuild(t.Context(), r.db, r.store, p, nil); err != nil {
		t.Fatal(err)
	}
	expect(t, all[int64](t, r.db, "SELECT on_hand FROM stock.level ORDER BY product_id"), 2, 1)
	expect(t, all[int64](t, r.db, "SELECT position FROM eventstore.dead_letters WHERE skipped_at IS NULL"))
}

func TestRebuildRefuses(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	p := Stock()
	prepare(t, db, p)
	if err := Rebuild(t.Context(), db, store, p, nil); !errors.Is(err, ErrNeverRan) {
		t.Errorf("a projection that never ran: %v", err)
	}
	err := alone(t.Context(), db, p, func(*pgxpool.Conn) error {
		if err := Rebuild(t.Context(), db, store, p, nil); !errors.Is(err, ErrRebuilding) {
			t.Errorf("two rebuilds at once: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	expect(t, all[string](t, db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'stock%' ORDER BY 1"), "stock")
}
