package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/feed/memory"
	"shop/eventstore/relay"
	"shop/eventstore/relay/natstest"
)

var quiet = slog.New(slog.DiscardHandler)

type happened struct {
	N    int    `json:"n"`
	Note string `json:"note,omitempty"`
}

func (happened) EventType() string { return "test.happened" }

// grow appends n events to each of twelve streams, which lie in all ranges.
func grow(log *memory.Log, n int) (last eventstore.Position) {
	for i := range n {
		for s := range 12 {
			last = log.Append(fmt.Sprint("s-", s), happened{N: i})
		}
	}
	return last
}

// start runs a relay of a log.
func start(t testing.TB, log *memory.Log, checkpoints feed.Checkpoints, p message.Publisher) (f *feed.Feed, stop func()) {
	t.Helper()
	f = feed.Over(log, checkpoints, feed.Options{Save: 5 * time.Millisecond, Logger: quiet})
	f.Relay(feed.Consumer{Name: "relay"}, p, relay.Settings{}.Topic())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	var done atomic.Bool
	stop = func() {
		if done.Swap(true) {
			return
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return f, stop
}

func waitFor(t testing.TB, f *feed.Feed, p eventstore.Position) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := f.WaitFor(ctx, "relay", p); err != nil {
		t.Fatal(err)
	}
}

// published reads the whole stream as a careful reader does, and answers the positions it took, per range, with what it missed.
func published(t testing.TB, conn *nats.Conn) (taken map[int][]eventstore.Position, gaps, repeated int) {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "SHOP_LOG")
	if err != nil {
		t.Fatal(err)
	}
	state := stream.CachedInfo().State
	taken = map[int][]eventstore.Position{}
	last := eventstore.Heads{}
	for seq := state.FirstSeq; seq <= state.LastSeq && state.Msgs > 0; seq++ {
		raw, err := stream.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		m, err := relay.Receive(raw.Header, raw.Data)
		if err != nil {
			t.Fatal(err)
		}
		if m.Previous > last[m.Range] {
			gaps++
		}
		if m.First <= last[m.Range] {
			repeated++
		}
		for _, e := range m.Events {
			var at eventstore.Position
			if _, err := fmt.Sscan(e.Position, &at); err != nil {
				t.Fatal(err)
			}
			taken[m.Range] = append(taken[m.Range], at)
		}
		last[m.Range] = m.Last
	}
	return taken, gaps, repeated
}

// complete fails unless the stream holds each event of the log once, in order.
func complete(t testing.TB, conn *nats.Conn, last eventstore.Position) {
	t.Helper()
	taken, gaps, repeated := published(t, conn)
	count, seen := 0, map[eventstore.Position]bool{}
	for _, positions := range taken {
		before := eventstore.Position(0)
		for _, p := range positions {
			if p <= before {
				t.Errorf("%d comes after %d", p, before)
			}
			before, seen[p] = p, true
			count++
		}
	}
	if count != int(last) || len(seen) != int(last) || gaps > 0 || repeated > 0 {
		t.Errorf("%d events, %d different, of %d; %d gaps, %d messages repeat something", count, len(seen), last, gaps, repeated)
	}
}

func TestEveryEventIsPublishedOnce(t *testing.T) {
	t.Parallel()
	log := &memory.Log{}
	last := grow(log, 50)
	conn := natstest.Start(t).Connect()
	f, _ := start(t, log, memory.Open(log), relay.NewPublisher(conn, relay.Settings{}, log, quiet))
	waitFor(t, f, last)
	last = grow(log, 5)
	waitFor(t, f, last)
	complete(t, conn, last)
}

// forgetful publishes, and says every other time that it has not: the process dies between publishing and the checkpoint.
type forgetful struct {
	message.Publisher
	n atomic.Int64
}

func (p *forgetful) Publish(topic string, messages ...*message.Message) error {
	if err := p.Publisher.Publish(topic, messages...); err != nil {
		return err
	}
	if p.n.Add(1)%2 == 1 {
		return errors.New("the process dies here")
	}
	return nil
}

func TestCrashBetweenPublishAndCheckpointDoublesNothing(t *testing.T) {
	t.Parallel()
	log := &memory.Log{}
	conn := natstest.Start(t).Connect()
	grow(log, 3)
	tables := memory.Open(log)
	last := grow(log, 40)
	f, stop := start(t, log, tables, &forgetful{Publisher: relay.NewPublisher(conn, relay.Settings{}, log, quiet)})
	waitFor(t, f, last)
	stop()
	// Another process begins where the checkpoints of a crash would be: at the beginning, with nothing remembered.
	last = grow(log, 3)
	f, _ = start(t, log, memory.Open(log), relay.NewPublisher(conn, relay.Settings{}, log, quiet))
	waitFor(t, f, last)
	complete(t, conn, last)
}

// Two relays with leases of their own both publish everything, at the same time.
func TestTwoRelaysThatBothLead(t *testing.T) {
	t.Parallel()
	log := &memory.Log{}
	grow(log, 1)
	server := natstest.Start(t)
	conn := server.Connect()
	var feeds []*feed.Feed
	for range 2 {
		own := server.Connect()
		f, _ := start(t, log, memory.Open(log), relay.NewPublisher(own, relay.Settings{}, log, quiet))
		feeds = append(feeds, f)
	}
	var last eventstore.Position
	for range 40 {
		last = grow(log, 2)
	}
	for _, f := range feeds {
		waitFor(t, f, last)
	}
	complete(t, conn, last)
}

func TestServerGoneAndBack(t *testing.T) {
	t.Parallel()
	log := &memory.Log{}
	grow(log, 2)
	server := natstest.Start(t)
	conn := server.Connect()
	f, _ := start(t, log, memory.Open(log), relay.NewPublisher(conn, relay.Settings{}, log, quiet))
	waitFor(t, f, grow(log, 2))
	server.Stop()
	last := grow(log, 20)
	server.Restart()
	waitFor(t, f, last)
	complete(t, conn, last)
}

// What JetStream lost at the end is published again from the log.
func TestLostEndIsFilled(t *testing.T) {
	t.Parallel()
	log := &memory.Log{}
	last := grow(log, 4)
	conn := natstest.Start(t).Connect()
	tables := memory.Open(log)
	publisher := relay.NewPublisher(conn, relay.Settings{}, log, quiet)
	f, stop := start(t, log, tables, publisher)
	waitFor(t, f, last)
	stop()
	// Only the first message of each range survives, as in a server that lost what it acknowledged last.
	lose(t, conn)
	last = grow(log, 4)
	f, _ = start(t, log, tables, relay.NewPublisher(conn, relay.Settings{}, log, quiet))
	waitFor(t, f, last)
	complete(t, conn, last)
}

// lose makes the stream anew with the first message of each range alone.
func lose(t testing.TB, conn *nats.Conn) {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "SHOP_LOG")
	if err != nil {
		t.Fatal(err)
	}
	info := stream.CachedInfo()
	var kept []*nats.Msg
	seen := map[string]bool{}
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		raw, err := stream.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		if !seen[raw.Subject] {
			seen[raw.Subject] = true
			header := raw.Header
			for _, key := range []string{nats.MsgIdHdr, "Nats-Expected-Last-Subject-Sequence", "Nats-Expected-Stream"} {
				header.Del(key)
			}
			kept = append(kept, &nats.Msg{Subject: raw.Subject, Header: header, Data: raw.Data})
		}
	}
	if len(kept) != eventstore.Ranges {
		t.Fatalf("messages in %d ranges", len(kept))
	}
	if err := js.DeleteStream(t.Context(), "SHOP_LOG"); err != nil {
		t.Fatal(err)
	}
	config := info.Config
	if _, err := js.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	for _, m := range kept {
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// After a purge the relay goes on, and readers see by the previous position that they missed something.
func TestPurgeShows(t *testing.T) {
	t.Parallel()
	log := &memory.Log{}
	last := grow(log, 4)
	conn := natstest.Start(t).Connect()
	tables := memory.Open(log)
	f, stop := start(t, log, tables, relay.NewPublisher(conn, relay.Settings{}, log, quiet))
	waitFor(t, f, last)
	stop()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "SHOP_LOG")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, _ = start(t, log, tables, relay.NewPublisher(conn, relay.Settings{}, log, quiet))
	waitFor(t, f, grow(log, 1))
	_, gaps, repeated := published(t, conn)
	if gaps != eventstore.Ranges || repeated != 0 {
		t.Errorf("%d gaps, %d repeated", gaps, repeated)
	}
}

func TestLargeBatchesAreCut(t *testing.T) {
	t.Parallel()
	log := &memory.Log{}
	var last eventstore.Position
	for range 40 {
		last = log.Append("s-1", happened{Note: strings.Repeat("я", 30_000)})
	}
	conn := natstest.Start(t).Connect()
	f, _ := start(t, log, memory.Open(log), relay.NewPublisher(conn, relay.Settings{}, log, quiet))
	waitFor(t, f, last)
	complete(t, conn, last)
}

func TestForeignStreamIsRefused(t *testing.T) {
	t.Parallel()
	conn := natstest.Start(t).Connect()
	if _, err := relay.Prepare(t.Context(), conn, uuid.New(), relay.Settings{}); err != nil {
		t.Fatal(err)
	}
	_, err := relay.Prepare(t.Context(), conn, uuid.New(), relay.Settings{})
	if !errors.Is(err, relay.ErrForeign) || strings.Contains(err.Error(), "\n") {
		t.Errorf("another log's stream: %v", err)
	}
	_, err = relay.Find(t.Context(), conn, uuid.New(), relay.Settings{})
	if !errors.Is(err, relay.ErrForeign) {
		t.Errorf("read another log's stream: %v", err)
	}
}

func TestSettingsAreCheckedAndCorrected(t *testing.T) {
	t.Parallel()
	conn := natstest.Start(t).Connect()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	log := uuid.New()
	config := func() jetstream.StreamConfig {
		stream, err := js.Stream(t.Context(), "SHOP_LOG")
		if err != nil {
			t.Fatal(err)
		}
		return stream.CachedInfo().Config
	}
	if _, err := relay.Prepare(t.Context(), conn, log, relay.Settings{Kept: time.Hour}); err != nil {
		t.Fatal(err)
	}
	changed := config()
	changed.MaxAge, changed.MaxBytes, changed.Discard = 10*time.Minute, 1<<20, jetstream.DiscardNew
	if _, err := js.UpdateStream(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	if _, err := relay.Prepare(t.Context(), conn, log, relay.Settings{Kept: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if c := config(); c.MaxAge != time.Hour || c.MaxBytes != -1 || c.Discard != jetstream.DiscardOld || c.Storage != jetstream.FileStorage {
		t.Errorf("settings are %+v", c)
	}
	// Storage cannot be changed: it is refused, and the line says what is wrong.
	memoryStream := config()
	if err := js.DeleteStream(t.Context(), "SHOP_LOG"); err != nil {
		t.Fatal(err)
	}
	memoryStream.Storage = jetstream.MemoryStorage
	if _, err := js.CreateStream(t.Context(), memoryStream); err != nil {
		t.Fatal(err)
	}
	if _, err := relay.Prepare(t.Context(), conn, log, relay.Settings{Kept: time.Hour}); err == nil {
		t.Error("a stream in memory is taken")
	}
}

func TestClearTextIsForThisMachine(t *testing.T) {
	t.Parallel()
	for servers, ok := range map[string]bool{
		"nats://127.0.0.1:4222": true, "nats://localhost:4222": true, "nats://[::1]:4222": true, "tls://nats.example:4222": true,
		"nats://nats.example:4222": false, "nats://10.0.0.7:4222": false, "http://127.0.0.1": false, "": false,
		"tls://nats.example:4222,nats://nats-2.example:4222": false,
	} {
		if err := (relay.Address{Servers: servers}).Check(); (err == nil) != ok {
			t.Errorf("%s: %v", servers, err)
		}
	}
}

// A message that no relay publishes is refused, whatever is wrong with it.
func TestForgedMessagesAreRefused(t *testing.T) {
	t.Parallel()
	stream := "s-1"
	rng := eventstore.RangeOf(eventstore.SliceOf(stream))
	event := func(at string) feed.CloudEvent {
		return feed.CloudEvent{SpecVersion: "1.0", ID: uuid.NewString(), Type: "test.happened", Subject: stream, Position: at, Data: json.RawMessage("{}")}
	}
	good := func() (nats.Header, []feed.CloudEvent) {
		return nats.Header{
			feed.EpochKey: {"log/1/1"}, feed.RangeKey: {fmt.Sprint(rng)}, feed.PreviousKey: {"3"}, feed.FirstKey: {"5"}, feed.LastKey: {"9"},
		}, []feed.CloudEvent{event("5"), event("9")}
	}
	try := func(h nats.Header, events []feed.CloudEvent) error {
		payload, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		_, err = relay.Receive(h, payload)
		return err
	}
	if h, events := good(); try(h, events) != nil {
		t.Fatal(try(h, events))
	}
	for what, forge := range map[string]func(h nats.Header, events []feed.CloudEvent) []feed.CloudEvent{
		"another range": func(h nats.Header, e []feed.CloudEvent) []feed.CloudEvent {
			h.Set(feed.RangeKey, fmt.Sprint((rng+1)%4))
			return e
		},
		"no such range":  func(h nats.Header, e []feed.CloudEvent) []feed.CloudEvent { h.Set(feed.RangeKey, "4"); return e },
		"no epoch":       func(h nats.Header, e []feed.CloudEvent) []feed.CloudEvent { h.Del(feed.EpochKey); return e },
		"no previous":    func(h nats.Header, e []feed.CloudEvent) []feed.CloudEvent { h.Del(feed.PreviousKey); return e },
		"previous above": func(h nats.Header, e []feed.CloudEvent) []feed.CloudEvent { h.Set(feed.PreviousKey, "5"); return e },
		"cut off":        func(_ nats.Header, e []feed.CloudEvent) []feed.CloudEvent { return e[:1] },
		"empty":          func(_ nats.Header, e []feed.CloudEvent) []feed.CloudEvent { return e[:0] },
		"out of order":   func(_ nats.Header, e []feed.CloudEvent) []feed.CloudEvent { return []feed.CloudEvent{e[1], e[0]} },
		"no position":    func(_ nats.Header, e []feed.CloudEvent) []feed.CloudEvent { e[1].Position = "x"; return e },
	} {
		h, events := good()
		if err := try(h, forge(h, events)); !errors.Is(err, relay.ErrForged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := relay.Receive(func() nats.Header { h, _ := good(); return h }(), []byte("[{")); !errors.Is(err, relay.ErrForged) {
		t.Errorf("broken payload: %v", err)
	}
}

func TestClusterKeepsThree(t *testing.T) {
	t.Parallel()
	servers := natstest.Cluster(t, 3)
	log := &memory.Log{}
	last := grow(log, 10)
	var at []string
	for _, s := range servers {
		at = append(at, s.URL())
	}
	conn := natstest.Connect(t, strings.Join(at, ","))
	f, _ := start(t, log, memory.Open(log), relay.NewPublisher(conn, relay.Settings{}, log, quiet))
	waitFor(t, f, last)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	found, err := js.Stream(t.Context(), "SHOP_LOG")
	if err != nil {
		t.Fatal(err)
	}
	if n := found.CachedInfo().Config.Replicas; n != 3 {
		t.Errorf("%d replicas", n)
	}
	servers[0].Stop() // any one of three may go
	last = grow(log, 10)
	waitFor(t, f, last)
	complete(t, conn, last)
}
