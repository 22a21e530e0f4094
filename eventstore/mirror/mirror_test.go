package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/mirror"
	"shop/eventstore/relay"
	"shop/eventstore/relay/natstest"
	"shop/eventstore/testevents"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

// Events of the tests, and their codec.
type (
	happened = testevents.Happened
	named    = testevents.Named
	codec    struct{}
)

func (codec) Encode(data any) (eventstore.Encoded, error) {
	e, err := testevents.Encode(data)
	return eventstore.Encoded(e), err
}

func (codec) Decode(typ string, _ int, payload []byte) (any, error) {
	return testevents.Decode(typ, payload)
}

// world is a home region with a relay, and a region that is not fed yet.
type world struct {
	t      *testing.T
	nats   *natstest.Server
	conn   *nats.Conn
	home   *eventstore.Store
	region *eventstore.Store
	relay  *feed.Feed
	// hears collects what the mirror says.
	hears *ear
}

// ear is a logger's handler that remembers messages.
type ear struct {
	mu    sync.Mutex
	lines []string
}

func (e *ear) Enabled(context.Context, slog.Level) bool { return true }
func (e *ear) WithAttrs([]slog.Attr) slog.Handler       { return e }
func (e *ear) WithGroup(string) slog.Handler            { return e }
func (e *ear) Handle(_ context.Context, r slog.Record) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, r.Message)
	return nil
}

func (e *ear) heard(line string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.lines {
		if l == line {
			return true
		}
	}
	return false
}

func open(t *testing.T, clock func() time.Time) *eventstore.Store {
	t.Helper()
	s := eventstore.Open(pgtest.Open(t), codec{}, eventstore.Options{Logger: quiet, Clock: clock})
	t.Cleanup(s.Close)
	return s
}

func newWorld(t *testing.T) *world { return newWorldAt(t, time.Now) }

// newWorldAt is a world whose home region has a clock of its own.
func newWorldAt(t *testing.T, clock func() time.Time) *world {
	t.Helper()
	w := &world{t: t, nats: natstest.Start(t), home: open(t, clock), region: open(t, time.Now), hears: &ear{}}
	w.conn = w.nats.Connect()
	w.put(1)
	w.relay = feed.New(w.home, feed.Options{Save: 5 * time.Millisecond, Logger: quiet})
	publisher := relay.NewPublisher(w.nats.Connect(), relay.Settings{}, w.home, quiet)
	w.relay.Relay(feed.Consumer{Name: "relay"}, publisher, relay.Settings{}.Topic())
	w.background(func(ctx context.Context) error { return w.relay.Run(ctx) })
	w.background(func(ctx context.Context) error { publisher.Tell(ctx, w.relay, "relay"); return nil })
	return w
}

// background runs work until the test ends, or what it returns is called.
func (w *world) background(work func(ctx context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- work(ctx) }()
	var once sync.Once
	var err error
	stop = func() error {
		once.Do(func() { cancel(); err = <-ended })
		return err
	}
	w.t.Cleanup(func() { _ = stop() })
	return stop
}

// mirror feeds the region.
func (w *world) mirror() (stop func() error) {
	m := &mirror.Mirror{
		Pool: w.region.Pool(), Home: mirror.Home{Pool: w.home.Pool()}, Conn: w.nats.Connect(), Log: slog.New(w.hears), Patience: 300 * time.Millisecond,
	}
	return w.background(m.Run)
}

// put appends rounds of events, some of a person, in all ranges.
func (w *world) put(rounds int) (last eventstore.Position) {
	w.t.Helper()
	for n := range rounds {
		for s := range 8 {
			done, err := w.home.Append(w.t.Context(), eventstore.Append{
				Writes: []eventstore.Write{{Stream: fmt.Sprint("s-", s), Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{
					{Data: happened{N: n}}, {Data: named{Person: uuid.New(), Name: "Айгуль"}},
				}}},
				Metadata: eventstore.Metadata{Actor: "guest", CorrelationID: "c", Imported: n%2 == 0},
			})
			if err != nil {
				w.t.Fatal(err)
			}
			last = done.Position
		}
	}
	return last
}

// await returns when the region's copy is complete up to a position.
func (w *world) await(p eventstore.Position) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	for {
		head, err := w.region.Head(ctx)
		if err == nil && head >= p {
			return
		}
		select {
		case <-ctx.Done():
			w.hears.mu.Lock()
			defer w.hears.mu.Unlock()
			w.t.Fatalf("the copy is at %d of %d (%v): %q", head, p, err, w.hears.lines)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// equal compares the copy with the log, row by row.
func (w *world) equal() {
	w.t.Helper()
	const all = `SELECT position || ' ' || id || ' ' || stream || ' ' || slice || ' ' || version || ' ' || type || ' ' || schema || ' ' || recorded_at || ' ' || data::text || ' ' || metadata::text
		FROM eventstore.events ORDER BY position`
	rows := func(s *eventstore.Store) []string {
		found, err := s.Pool().Query(w.t.Context(), all)
		if err != nil {
			w.t.Fatal(err)
		}
		lines, err := pgx.CollectRows(found, pgx.RowTo[string])
		if err != nil {
			w.t.Fatal(err)
		}
		return lines
	}
	home, region := rows(w.home), rows(w.region)
	if len(home) != len(region) {
		w.t.Fatalf("the copy has %d events, the log %d", len(region), len(home))
	}
	for i := range home {
		if home[i] != region[i] {
			w.t.Fatalf("the copy has\n%s\nthe log\n%s", region[i], home[i])
		}
	}
}

func TestCopyIsTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last := w.put(20)
	w.mirror()
	w.await(last)
	w.await(w.put(5))
	w.equal()
	// What is sealed can be read, and a feed of the copy works as one of the log.
	f := feed.New(w.region, feed.Options{Logger: quiet})
	var names, events atomic.Int64
	f.Add(feed.Consumer{Name: "c", Handle: func(_ context.Context, _ pgx.Tx, batch []eventstore.Event) error {
		for _, e := range batch {
			events.Add(1)
			if n, ok := e.Data.(named); ok && n.Name == "Айгуль" {
				names.Add(1)
			}
		}
		return nil
	}})
	w.background(f.Run)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	<-f.Running()
	last = w.put(5)
	w.await(last)
	if err := f.WaitFor(ctx, "c", last); err != nil {
		t.Fatal(err)
	}
	if events.Load() != int64(last) || names.Load() != int64(last)/2 {
		t.Errorf("%d events and %d names of %d events", events.Load(), names.Load(), last)
	}
}

// A range in which nothing happens moves with the others, or whoever waits for an order would wait for ever.
func TestQuietRangesMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mirror()
	w.await(w.put(1)) // what it is seeded with moves all ranges
	var last eventstore.Position
	for range 20 {
		done, err := w.home.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: "s-1", Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{{Data: happened{}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		last = done.Position
	}
	w.await(last)
	w.equal()
}

// purge deletes all messages of the stream.
func (w *world) purge() {
	w.t.Helper()
	js, err := jetstream.New(w.conn)
	if err != nil {
		w.t.Fatal(err)
	}
	stream, err := js.Stream(w.t.Context(), "SHOP_LOG")
	if err != nil {
		w.t.Fatal(err)
	}
	if err := stream.Purge(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func TestPurgedStreamIsRefilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stop := w.mirror()
	w.await(w.put(2))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	last := w.put(5)
	w.relayed(last)
	w.purge()
	w.mirror()
	w.await(w.put(2))
	w.equal()
	if !w.hears.heard("the stream has a gap; what is missing is read from the home region") {
		t.Errorf("it does not say so: %q", w.hears.lines)
	}
}

// The end of the stream is gone, and nothing comes after it that would show that.
func TestLostEndIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stop := w.mirror()
	w.await(w.put(1))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	last := w.put(3)
	w.relayed(last)
	js, err := jetstream.New(w.conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), "SHOP_LOG"); err != nil {
		t.Fatal(err)
	}
	epoch, err := w.home.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := relay.Prepare(t.Context(), w.conn, epoch.Log, relay.Settings{}); err != nil {
		t.Fatal(err)
	}
	w.mirror()
	w.await(last)
	w.equal()
}

// relayed returns when everything is published.
func (w *world) relayed(p eventstore.Position) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	if err := w.relay.WaitFor(ctx, "relay", p); err != nil {
		w.t.Fatal(err)
	}
}

// Forged messages, and messages of another range, are not used; what they hide comes from the home region.
func TestForgedMessageIsNotUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stop := w.mirror()
	last := w.put(2)
	w.await(last)
	js, err := jetstream.New(w.conn)
	if err != nil {
		t.Fatal(err)
	}
	for r := range eventstore.Ranges {
		forged := &nats.Msg{Subject: relay.Settings{}.Subject(r), Data: []byte(`[{"position":"1"}]`), Header: nats.Header{feed.EpochKey: {"x"}, feed.RangeKey: {"0"}}}
		if _, err := js.PublishMsg(t.Context(), forged); err != nil {
			t.Fatal(err)
		}
	}
	w.await(w.put(1))
	w.equal()
	if !w.hears.heard("a message is not used") {
		t.Errorf("it does not say so: %q", w.hears.lines)
	}
	_ = stop
}

func TestErasureIsObeyed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mirror()
	person := uuid.New()
	done, err := w.home.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: "customer", Events: []eventstore.NewEvent{{Data: named{Person: person, Name: "Сауле"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.await(done.Position)
	read := func() eventstore.Event {
		events, err := w.region.Stream(t.Context(), "customer", 0, 0)
		if err != nil || len(events) != 1 {
			t.Fatal(events, err)
		}
		return events[0]
	}
	if read().Data.(named).Name != "Сауле" {
		t.Fatal("the region cannot read the name")
	}
	if err := w.home.ErasePerson(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for {
		w.region.ReadKeysAnew()
		if read().Erased {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("the region still reads the name")
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Logf("obeyed after %s", time.Since(began))
	var keys int
	if err := w.region.Pool().QueryRow(t.Context(), `SELECT count(*) FROM eventstore.person_keys WHERE person = $1 AND key IS NOT NULL`, person).Scan(&keys); err != nil || keys != 0 {
		t.Errorf("%d keys of an erased person, %v", keys, err)
	}
}

func TestTwoProcessesFeedOneCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mirror()
	w.mirror()
	var last eventstore.Position
	for range 10 {
		last = w.put(2)
	}
	w.await(last)
	w.equal()
}

func TestServerGoneAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mirror()
	w.await(w.put(2))
	w.nats.Stop()
	last := w.put(3)
	w.nats.Restart()
	w.await(last)
	w.equal()
}

// A copy that knows what the log has lost writes nothing more.
func TestForkIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stop := w.mirror()
	last := w.put(2)
	w.await(last)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	// The copy was fed by a server of another timeline, whose last events are others.
	w.ofAFormerTimeline()
	if _, err := w.region.Pool().Exec(t.Context(), `UPDATE eventstore.events e SET id = gen_random_uuid() FROM eventstore.copied c WHERE e.position = c.last`); err != nil {
		t.Fatal(err)
	}
	w.put(1)
	m := &mirror.Mirror{Pool: w.region.Pool(), Home: mirror.Home{Pool: w.home.Pool()}, Conn: w.nats.Connect(), Log: quiet}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := m.Run(ctx); !errors.Is(err, mirror.ErrForked) {
		t.Errorf("a forked copy: %v", err)
	}
}

// ofAFormerTimeline has the copy say that a server of another timeline fed it, as it is after a promotion.
func (w *world) ofAFormerTimeline() {
	w.t.Helper()
	if _, err := w.region.Pool().Exec(w.t.Context(), `UPDATE eventstore.copied SET epoch = epoch || '0'`); err != nil {
		w.t.Fatal(err)
	}
}

// copyBeforeAPromotion copies two events from a server that is promoted afterwards.
func (w *world) copyBeforeAPromotion() {
	w.t.Helper()
	stop := w.mirror()
	w.await(w.put(2))
	if err := stop(); err != nil {
		w.t.Fatal(err)
	}
	w.ofAFormerTimeline()
}

// A promotion that lost nothing changes the epoch, and the copy goes on.
func TestPromotionGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.copyBeforeAPromotion()
	last := w.put(2)
	w.mirror()
	w.await(last)
	w.equal()
}

// After a promotion ranges in which nothing happens go on, too: otherwise the copy's end would stand still.
func TestPromotionOfAQuietLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.copyBeforeAPromotion()
	w.purge()
	want, err := w.home.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := &mirror.Mirror{Pool: w.region.Pool(), Home: mirror.Home{Pool: w.home.Pool()}, Conn: w.nats.Connect(), Log: quiet, Patience: 100 * time.Millisecond}
	w.background(m.Run)
	for until := time.Now().Add(30 * time.Second); m.Epoch() != want.String(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the copy is of epoch %q, want %q", m.Epoch(), want)
		}
	}
}

func TestCopyTakesNoAppends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mirror()
	w.await(w.put(1))
	_, err := w.region.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: "x", Events: []eventstore.NewEvent{{Data: happened{}}}}}})
	if err == nil {
		t.Error("an append into a copy")
	}
}
