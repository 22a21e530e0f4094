package commands_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/snapshot"
)

// readLog counts the events that it reads.
type readLog struct {
	*eventstore.Store
	read atomic.Int64
	// before runs before a question is asked.
	before func(ctx context.Context)
}

func (l *readLog) Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error) {
	if l.before != nil {
		l.before(ctx)
	}
	found, err := l.Store.Load(ctx, from...)
	for _, events := range found {
		l.read.Add(int64(len(events)))
	}
	return found, err
}

func (l *readLog) Stream(ctx context.Context, stream string, after eventstore.Version, limit int) ([]eventstore.Event, error) {
	events, err := l.Store.Stream(ctx, stream, after, limit)
	l.read.Add(int64(len(events)))
	return events, err
}

// started is a process that has just started, with snapshots.
func started(s *testshop.Shop) (*testshop.Shop, *readLog) {
	log := &readLog{Store: s.Log}
	other := *s
	other.UseWith(log, commands.Options{Snapshots: snapshot.Of(s.Log)})
	return &other, log
}

// moves gives a product's stock a past: orders that reserved a piece and released it, n events in all.
func moves(t testing.TB, log *eventstore.Store, product domain.ID, n int) {
	t.Helper()
	stream, state, version := stock.Stream(product), stock.Decider.Initial, eventstore.Version(0)
	past, err := log.Stream(t.Context(), stream, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range past {
		state, version = stock.Decider.Evolve(state, e.Data.(stock.Event)), e.Version
	}
	for done := 0; done < n; {
		w := eventstore.Write{Stream: stream, Expected: version}
		for len(w.Events) < min(5_000, n-done) {
			order := uuid.Must(uuid.NewV7())
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			for _, c := range []stock.Command{stock.Reserve{ProductID: product, OrderID: order, Quantity: 1, At: at}, stock.Release{OrderID: order, At: at}} {
				events, err := stock.Decider.Decide(c, state)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					state = stock.Decider.Evolve(state, e)
					w.Events = append(w.Events, eventstore.NewEvent{ID: uuid.Must(uuid.NewV7()), Data: e})
				}
			}
		}
		if _, err := log.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{w}}); err != nil {
			t.Fatal(err)
		}
		done, version = done+len(w.Events), version+eventstore.Version(len(w.Events))
	}
}

// frozenShop has a product whose stock is long, and a snapshot of it.
func frozenShop(t *testing.T) (s *testshop.Shop, cream domain.ID, length int) {
	t.Helper()
	s = testshop.Open(t)
	cream = s.Product(9_000, 9_000, 10)
	moves(t, s.Log, cream, 2*commands.FreezeEvery)
	first, log := started(s)
	testshop.Equal(t, "on hand", seen(t, first, commands.StockStream(cream)).OnHand, 10)
	length = int(log.read.Load())
	if n, err := first.Handler.FreezeNow(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d snapshots, %v", n, err)
	}
	return s, cream, length
}

func seen[C any, E domain.Event, S any](t *testing.T, s *testshop.Shop, stream commands.Stream[C, E, S]) S {
	t.Helper()
	state, err := commands.See(t.Context(), s.Handler, stream)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func TestAProcessThatStartsReadsOnlyWhatCameAfterTheSnapshot(t *testing.T) {
	t.Parallel()
	s, cream, _ := frozenShop(t)
	s.Placed(testshop.Checkout(testshop.Line(cream, 2)))
	next, log := started(s)
	if got, want := seen(t, next, commands.StockStream(cream)), s.StockOf(cream); !reflect.DeepEqual(got, want) {
		t.Errorf("from the snapshot %+v, from the log %+v", got, want)
	}
	testshop.Equal(t, "events read", log.read.Load(), 1)
	testshop.Equal(t, "reserved", next.StockOf(cream).Reserved, 2)
	next.Placed(testshop.Checkout(testshop.Line(cream, 8)))
	next.Place(testshop.Checkout(testshop.Line(cream, 1))).Wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)
}

// TestASnapshotThatIsNotOfThisStateIsNeverUsed plants each kind of them. What speaks against one is told.
func TestASnapshotThatIsNotOfThisStateIsNeverUsed(t *testing.T) {
	t.Parallel()
	s, cream, length := frozenShop(t)
	other := s.Product(9_000, 9_000, 3)
	moves(t, s.Log, other, 2*commands.FreezeEvery)
	second, _ := started(s)
	seen(t, second, commands.StockStream(other))
	if _, err := second.Handler.FreezeNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	const of = " WHERE stream = $1"
	for name, plant := range map[string]string{
		"of another server":                 "UPDATE eventstore.snapshots SET system = system + 1" + of,
		"of a later timeline":               "UPDATE eventstore.snapshots SET timeline = timeline + 1" + of,
		"of a version beyond the stream":    "UPDATE eventstore.snapshots SET version = version + 1000" + of,
		"of an event that is not there":     "UPDATE eventstore.snapshots SET event = gen_random_uuid()" + of,
		"of an earlier version":             "UPDATE eventstore.snapshots s SET version = e.version, event = e.id FROM eventstore.events e WHERE s.stream = $1 AND e.stream = $1 AND e.version = 5",
		"with a damaged state":              "UPDATE eventstore.snapshots SET state = set_byte(state, 70, 57)" + of,
		"with a wrong number":               `UPDATE eventstore.snapshots SET state = convert_to(replace(convert_from(state, 'UTF8'), '"on_hand":10', '"on_hand":99'), 'UTF8')` + of,
		"with a broken sum":                 "UPDATE eventstore.snapshots SET sum = set_byte(sum, 3, 255 - get_byte(sum, 3))" + of,
		"with no sum":                       "UPDATE eventstore.snapshots SET sum = ''" + of,
		"that is garbage":                   "UPDATE eventstore.snapshots SET state = '\\x00ff'" + of,
		"of another stream":                 "UPDATE eventstore.snapshots s SET state = o.state, sum = o.sum FROM eventstore.snapshots o WHERE s.stream = $1 AND o.stream <> $1",
		"of another decider":                "UPDATE eventstore.snapshots SET shape = 'stock/0/0123456789abcdef0'" + of,
		"of which the row is gone entirely": "DELETE FROM eventstore.snapshots" + of,
	} {
		if _, err := s.Pool.Exec(t.Context(), "CREATE TABLE kept AS TABLE eventstore.snapshots"); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Pool.Exec(t.Context(), plant, stock.Stream(cream)); err != nil || done.RowsAffected() != 1 {
			t.Fatalf("%s: planted %d, %v", name, done.RowsAffected(), err)
		}
		next, log := started(s)
		if got, want := seen(t, next, commands.StockStream(cream)), s.StockOf(cream); !reflect.DeepEqual(got, want) {
			t.Errorf("a snapshot %s: %+v, in the log %+v", name, got, want)
		}
		testshop.Equal(t, "events read beside a snapshot "+name, log.read.Load(), int64(length))
		// The next one takes its place.
		if n, err := next.Handler.FreezeNow(t.Context()); n != 1 || err != nil {
			t.Errorf("%s: %d snapshots written, %v", name, n, err)
		}
		mended, log := started(s)
		seen(t, mended, commands.StockStream(cream))
		testshop.Equal(t, "events read after a snapshot "+name+" was replaced", log.read.Load(), 0)
		if _, err := s.Pool.Exec(t.Context(), "TRUNCATE eventstore.snapshots"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Pool.Exec(t.Context(), "INSERT INTO eventstore.snapshots TABLE kept"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Pool.Exec(t.Context(), "DROP TABLE kept"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestASnapshotDoesNotSurviveAStreamThatWentBack: the stream is cut off before the snapshot's version, as a restore does, and then
// grows past it with other events.
func TestASnapshotDoesNotSurviveAStreamThatWentBack(t *testing.T) {
	t.Parallel()
	s, cream, length := frozenShop(t)
	for _, sql := range []string{
		"DELETE FROM eventstore.events WHERE stream = $1 AND version > 1000", "UPDATE eventstore.streams SET version = 1000 WHERE name = $1",
	} {
		if _, err := s.Pool.Exec(t.Context(), sql, stock.Stream(cream)); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := range []int{0, 2*commands.FreezeEvery + 10} {
		if more > 0 {
			moves(t, s.Log, cream, more)
		}
		next, log := started(s)
		if got, want := seen(t, next, commands.StockStream(cream)), s.StockOf(cream); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, in the log %+v", got, want)
		}
		testshop.Equal(t, "events read", log.read.Load(), int64(1000+more))
	}
	if length <= 1000 {
		t.Errorf("the snapshot was of version %d", length)
	}
}

// TestAPromoCodeIsFrozenWithoutItsBuyers, and read in full once they must be known.
func TestAPromoCodeIsFrozenWithoutItsBuyers(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.Promocode("TEN", promocode.Terms{Kind: promocode.Percent, Value: 10})
	stream, person := promocode.Stream("TEN"), uuid.Must(uuid.NewV7())
	redeemed := func(order domain.ID, buyer string) eventstore.NewEvent {
		return eventstore.NewEvent{ID: uuid.Must(uuid.NewV7()), Data: promocode.Redeemed{
			Code: "TEN", OrderID: order, Customer: buyer, Discount: 100, At: testshop.Noon,
		}}
	}
	w := eventstore.Write{Stream: stream, Expected: 1}
	for range commands.FreezeEvery + 5 {
		w.Events = append(w.Events, redeemed(uuid.Must(uuid.NewV7()), "anna"))
	}
	w.Events = append(w.Events, redeemed(person, "boris"))
	if _, err := s.Log.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{w}}); err != nil {
		t.Fatal(err)
	}
	first, _ := started(s)
	seen(t, first, commands.PromocodeStream("TEN"))
	if n, err := first.Handler.FreezeNow(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d snapshots, %v", n, err)
	}
	var names bool
	if err := s.Pool.QueryRow(t.Context(), "SELECT convert_from(state, 'UTF8') LIKE '%anna%' FROM eventstore.snapshots").Scan(&names); err != nil || names {
		t.Errorf("the snapshot names a buyer: %v, %v", names, err)
	}
	next, log := started(s)
	state := seen(t, next, commands.PromocodeStream("TEN"))
	testshop.Equal(t, "uses", state.Uses, s.CodeOf("TEN").Uses)
	testshop.Equal(t, "events read", log.read.Load(), 0)
	back := promocode.Return{OrderID: person, At: testshop.Noon}
	if _, err := commands.Change(t.Context(), next.Handler, commands.PromocodeStream("TEN"), func(*commands.Unit) promocode.Command { return back }); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "uses after one was given back", s.CodeOf("TEN").Uses, state.Uses-1)

	next.Promocode("TEN", promocode.Terms{Kind: promocode.Percent, Value: 10, UsesPerUser: 1})
	third, log := started(s)
	for _, shop := range []*testshop.Shop{next, third} {
		limited := seen(t, shop, commands.PromocodeStream("TEN"))
		anna, boris := promocode.Buyer{Account: "anna"}, promocode.Buyer{Account: "boris"}
		if limited.Problem(anna, promocode.Standing{}, 10_000, testshop.Noon) == "" || limited.Problem(boris, promocode.Standing{}, 10_000, testshop.Noon) != "" {
			t.Errorf("anna: %q, boris: %q", limited.Problem(anna, promocode.Standing{}, 10_000, testshop.Noon), limited.Problem(boris, promocode.Standing{}, 10_000, testshop.Noon))
		}
	}
	if log.read.Load() < commands.FreezeEvery {
		t.Errorf("only %d events were read for a code whose buyers must be known", log.read.Load())
	}
}

// TestAStreamThatGrowsIsWrittenDownAgain: by commands, without anybody who loads it.
func TestAStreamThatGrowsIsWrittenDownAgain(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	moves(t, s.Log, cream, commands.FreezeEvery-10)
	shop, _ := started(s)
	for range 20 {
		if _, err := (&commands.Stock{Handler: shop.Handler}).Receive(t.Context(), cream, 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := shop.Handler.FreezeNow(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d snapshots, %v", n, err)
	}
	next, log := started(s)
	testshop.Equal(t, "on hand", seen(t, next, commands.StockStream(cream)).OnHand, 30)
	testshop.Equal(t, "events read", log.read.Load(), 0)
}

// TestAHundredCommandsLoadAStreamOnce: also when the one that began gives up, and nobody's context ends it but the last one's.
func TestAHundredCommandsLoadAStreamOnce(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 1000)
	moves(t, s.Log, cream, 100)
	counting := &readLog{Store: s.Log}
	if _, err := counting.Stream(t.Context(), stock.Stream(cream), 0, 0); err != nil {
		t.Fatal(err)
	}
	shop, log := started(s)
	gate := make(chan struct{})
	var asked atomic.Int64
	log.before = func(ctx context.Context) {
		if asked.Add(1) > 1 {
			return
		}
		select {
		case <-gate:
		case <-ctx.Done():
		}
	}
	impatient, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := commands.See(impatient, shop.Handler, commands.StockStream(cream))
		gone <- err
	}()
	waits := func(n int) {
		t.Helper()
		for until := time.Now().Add(time.Minute); shop.Handler.AwaitsLoad(stock.Stream(cream)) != n; time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%d wait for the load, want %d", shop.Handler.AwaitsLoad(stock.Stream(cream)), n)
			}
		}
	}
	waits(1)
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			if state, err := commands.See(t.Context(), shop.Handler, commands.StockStream(cream)); err != nil || state.OnHand != 1000 {
				t.Errorf("%+v, %v", state, err)
			}
		})
	}
	waits(101)
	leave()
	if err := <-gone; err == nil {
		t.Error("who gave up was answered")
	}
	waits(100)
	close(gate)
	group.Wait()
	testshop.Equal(t, "events read", log.read.Load(), counting.read.Load())

	// When all give up, so does the load, and the next command begins another.
	alone, log := started(s)
	var began, ended atomic.Bool
	log.before = func(ctx context.Context) {
		if !began.Swap(true) {
			<-ctx.Done()
			ended.Store(true)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := commands.See(ctx, alone.Handler, commands.StockStream(cream))
		gone <- err
	}()
	for until := time.Now().Add(time.Minute); !began.Load(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the load does not begin")
		}
	}
	cancel()
	if err := <-gone; err == nil {
		t.Error("who gave up was answered")
	}
	for until := time.Now().Add(time.Minute); !ended.Load(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the load goes on although nobody waits")
		}
	}
	testshop.Equal(t, "on hand", seen(t, alone, commands.StockStream(cream)).OnHand, 1000)
}

// BenchmarkFirstCheckout is the first order of a product with 500 000 movements in a process that has just started, and a hundred
// of them at once, without a snapshot and with one.
func BenchmarkFirstCheckout(b *testing.B) {
	const movements = 500_000
	s := testshop.Open(b)
	cream := s.Product(9_000, 9_000, 100_000)
	moves(b, s.Log, cream, movements)
	first, _ := started(s)
	if _, err := commands.See(b.Context(), first.Handler, commands.StockStream(cream)); err != nil {
		b.Fatal(err)
	}
	n := 0
	run := func(name string, shop func() (*testshop.Shop, *readLog), at int) {
		b.Run(fmt.Sprintf("%s/orders=%d", name, at), func(b *testing.B) {
			read := int64(0)
			for b.Loop() {
				b.StopTimer()
				next, log := shop()
				b.StartTimer()
				var group sync.WaitGroup
				for range at {
					n++
					r := testshop.Post(b.Context(), testshop.Checkout(testshop.Line(cream, 1)), testshop.WithKey(fmt.Sprint(n)))
					group.Go(func() {
						if err := (shopapi.Orders{Orders: next.Orders}).Place(httptest.NewRecorder(), r); err != nil {
							b.Error(err)
						}
					})
				}
				group.Wait()
				read += log.read.Load()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N), "ms/start")
			b.ReportMetric(float64(read)/float64(b.N), "events/start")
		})
	}
	without := func() (*testshop.Shop, *readLog) {
		log := &readLog{Store: s.Log}
		other := *s
		other.Use(log)
		return &other, log
	}
	for _, at := range []int{1, 100} {
		run("without", without, at)
	}
	if n, err := first.Handler.FreezeNow(b.Context()); n != 1 || err != nil {
		b.Fatalf("%d snapshots, %v", n, err)
	}
	for _, at := range []int{1, 100} {
		run("snapshot", func() (*testshop.Shop, *readLog) { return started(s) }, at)
	}
}
