package rebuild

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
)

// running is a log with projections that follow it.
type running struct {
	db    *pgxpool.Pool
	store *eventstore.Store
	feed  *feed.Feed
}

func follow(t *testing.T, models ...projections.Projection) running {
	t.Helper()
	db := pgtest.Open(t)
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	prepare(t, db, models...)
	r := running{db: db, store: store}
	r.feed = r.start(t, models...)
	return r
}

// start follows the log with projections, as a process of its own would.
func (r running) start(t *testing.T, models ...projections.Projection) *feed.Feed {
	t.Helper()
	consumers := feed.New(r.store, feed.Options{})
	for _, p := range models {
		consumers.Add(feed.Consumer{Name: p.Name, Types: p.Types(), Edition: p.Fingerprint(), Handle: p.Apply})
	}
	runFeed(t, consumers)
	return consumers
}

// runFeed runs a feed until stop, or the test's end.
func runFeed(t *testing.T, f *feed.Feed) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// builder is one that can build these projections.
func (r running) builder(ps ...projections.Projection) *Builder {
	return &Builder{DB: r.db, Store: r.store, Projections: ps, Logger: slog.New(slog.DiscardHandler)}
}

// rebuild builds anew and swaps, whatever differs.
func (r running) rebuild(t *testing.T, p projections.Projection) (Build, error) {
	t.Helper()
	return r.run(t, p, BuildOptions{AutoSwap: true, AcceptDifferences: true})
}

func (r running) run(t *testing.T, p projections.Projection, o BuildOptions) (Build, error) {
	t.Helper()
	builder := r.builder(p)
	b, err := builder.Start(t.Context(), p.Name, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return builder.Run(ctx, b.ID, nil)
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
	for paused := new(feed.PausedConsumer); errors.As(err, &paused) && ctx.Err() == nil; err = r.feed.WaitFor(ctx, name, p) {
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRebuildWhileTheShopIsOpen(t *testing.T) {
	t.Parallel()
	p := projections.Catalog()
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
	builder := r.builder(p)
	b, err := builder.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true, AcceptDifferences: true})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := builder.Run(context.WithoutCancel(t.Context()), b.ID, nil)
		rebuilt <- err
	}()
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

	expect(t, pgtest.All[string](t, r.db, "SELECT count(*) || ' ' || count(DISTINCT name) || ' ' || bool_and(name = 'Мыло ' || article) FROM catalog.product"), fmt.Sprintf("%d %[1]d true", n+1))
	expect(t, pgtest.All[string](t, r.db, "SELECT DISTINCT word FROM catalog.word"), "мыло")
	expect(t, pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'catalog%' ORDER BY 1"), "catalog", "catalog_old")
	expect(t, prepare(t, r.db, p))
	if b, err = builder.Find(t.Context(), b.ID); err != nil || b.State != Done || b.Progress != 1 || b.Events < 900 || b.LockTime < 0 || b.LockTime > time.Second {
		t.Errorf("build %+v, %v", b, err)
	}
	// The word that was deleted may have come back with a new product.
	if b.Report == nil || b.Report.Changed < 300 || b.Report.Extra != 1 || len(b.Report.Sample) != maxSample {
		t.Errorf("report of %d rows: missing %d, extra %d, changed %d", b.Report.Compared, b.Report.Missing, b.Report.Extra, b.Report.Changed)
	}
}

// A consumer that is behind, because it is paused, is taken along.
func TestRebuildMovesALateConsumerForward(t *testing.T) {
	t.Parallel()
	p := projections.Stock()
	r := follow(t, p)
	soapIs := func(n int64) stock.Received { return stock.Received{ProductID: soap, Quantity: 1, OnHand: n, At: noon} }
	r.wait(t, p.Name, r.put(t, stock.Stream(soap), soapIs(1)))
	if err := feed.ControlOf(r.store).Pause(t.Context(), p.Name); err != nil {
		t.Fatal(err)
	}
	r.put(t, stock.Stream(soap), soapIs(2))
	if _, err := r.rebuild(t, p); err != nil {
		t.Fatal(err)
	}
	expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM stock.level"), 2)
	if err := feed.ControlOf(r.store).Resume(t.Context(), p.Name); err != nil {
		t.Fatal(err)
	}
	r.put(t, stock.Stream(soap), soapIs(3))
	eventually(t, "the consumer goes on", func() bool { return pgtest.All[int64](t, r.db, "SELECT on_hand FROM stock.level")[0] == 3 })
}

func TestRebuildSettlesDeadLettersAndKeepsSkippedEventsOut(t *testing.T) {
	t.Parallel()
	p := projections.Stock()
	table := p.Tables[0].(projections.Table[projections.Level])
	whole := table.Fold
	table.Fold = func(key string, l *projections.Level, e eventstore.Event) bool {
		if e.Data.(stock.Received).OnHand == 13 {
			panic("unlucky")
		}
		return whole(key, l, e)
	}
	p.Tables = []projections.AnyTable{table}
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
	expect(t, pgtest.All[int64](t, r.db, "SELECT position FROM eventstore.dead_letters WHERE skipped_at IS NULL ORDER BY 1"), int64(bad), int64(last), int64(skip))
	if err := feed.ControlOf(r.store).Skip(t.Context(), p.Name, skip, "проверено"); err != nil {
		t.Fatal(err)
	}

	_, err := r.rebuild(t, p)
	if err == nil || !strings.Contains(err.Error(), "unlucky") || !strings.Contains(err.Error(), fmt.Sprintf("position %d", bad)) {
		t.Fatalf("a rebuild with an event that cannot be folded: %v", err)
	}
	expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM stock.level ORDER BY product_id"), 1, 1)

	// With the fold repaired, what was parked is in, what was skipped stays out.
	table.Fold = whole
	p.Tables = []projections.AnyTable{table}
	if _, err := r.rebuild(t, p); err != nil {
		t.Fatal(err)
	}
	expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM stock.level ORDER BY product_id"), 2, 1)
	expect(t, pgtest.All[int64](t, r.db, "SELECT position FROM eventstore.dead_letters WHERE skipped_at IS NULL"))
}
