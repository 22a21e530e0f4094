package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"

	"shop/eventstore"
)

// unsteady is a broker that keeps messages, and every so often fails before or after that; and its receiver, who needs every
// event once.
type unsteady struct {
	t  *testing.T
	mu sync.Mutex
	n  int
	// last is how far the receiver has come in each topic, gaps are what it missed.
	last     map[string]eventstore.Position
	gaps     []string
	ids      map[string]string
	received []CloudEvent
	repeated int
}

var errBroker = errors.New("the broker is away")

func (u *unsteady) Close() error {
	u.t.Error("the relay closed the broker")
	return nil
}

func (u *unsteady) Publish(topic string, messages ...*message.Message) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, msg := range messages {
		u.n++
		if u.n%5 == 2 {
			return errBroker
		}
		u.receive(topic, msg)
		if u.n%5 == 4 {
			return errBroker // it was kept, and the answer got lost
		}
	}
	return nil
}

// receive takes what follows on what it has.
func (u *unsteady) receive(topic string, msg *message.Message) {
	if before, ok := u.ids[msg.UUID]; ok && before != string(msg.Payload) {
		u.t.Errorf("two messages are %s", msg.UUID)
	}
	u.ids[msg.UUID] = string(msg.Payload)
	number := func(text string) eventstore.Position {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			u.t.Error(err)
		}
		return eventstore.Position(n)
	}
	previous := number(msg.Metadata.Get(PreviousKey))
	if previous > u.last[topic] {
		u.gaps = append(u.gaps, fmt.Sprintf("%s: %d after %d", topic, previous, u.last[topic]))
	}
	var events []CloudEvent
	if err := json.Unmarshal(msg.Payload, &events); err != nil {
		u.t.Error(err)
	}
	if len(events) == 0 || events[0].Position != msg.Metadata.Get(FirstKey) || events[len(events)-1].Position != msg.Metadata.Get(LastKey) {
		u.t.Errorf("%d events, metadata %v", len(events), msg.Metadata)
	}
	for _, e := range events {
		if p := number(e.Position); p > u.last[topic] {
			u.received, u.last[topic] = append(u.received, e), p
		} else {
			u.repeated++
		}
	}
}

// TestRelayPublishesEveryEvent: through failures of the broker and changes of process, a receiver that compares positions has
// every event once, in order, as it is stored.
func TestRelayPublishesEveryEvent(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	broker := &unsteady{t: t, last: map[string]eventstore.Position{}, ids: map[string]string{}}
	start := func() (*Feed, func()) {
		f := New(s, Options{Save: 5 * time.Millisecond, Logger: quiet})
		f.Relay(Consumer{Name: "relay", Types: []string{"test.happened", "test.named"}}, broker, "log")
		return f, runFeed(t, f)
	}
	f, stop := start()
	put := func(rounds int) (last eventstore.Position) {
		for n := range rounds {
			for i := range 12 {
				last = appendTo(t, s, fmt.Sprint("s-", i), happened{N: n, Note: "<b>"}, odd{}, named{Person: uuid.New(), Name: "Айгуль", City: "Алматы"})
			}
		}
		return last
	}
	waitFor(t, f, "relay", put(10))
	stop()
	put(40) // more than a message holds
	f, stop = start()
	last := put(5)
	waitFor(t, f, "relay", last)
	stop()

	broker.mu.Lock()
	defer broker.mu.Unlock()
	if len(broker.gaps) > 0 {
		t.Errorf("missed: %q", broker.gaps)
	}
	if want := 55 * 12 * 2; len(broker.received) != want || broker.repeated == 0 {
		t.Errorf("%d events of %d, %d repeated", len(broker.received), want, broker.repeated)
	}
	versions := map[string]int{}
	epoch, err := s.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range broker.received {
		v, err := strconv.Atoi(e.StreamVersion)
		if err != nil || v <= versions[e.Subject] {
			t.Fatalf("%s: version %s after %d", e.Subject, e.StreamVersion, versions[e.Subject])
		}
		versions[e.Subject] = v
		if e.SpecVersion != "1.0" || e.Source != "/logs/"+epoch.Log.String() || e.SchemaVersion != 1 || e.Time.IsZero() || uuid.Validate(e.ID) != nil {
			t.Fatalf("%+v", e)
		}
		if e.Type == "test.named" && (strings.Contains(string(e.Data), "Айгуль") || !strings.Contains(string(e.Data), "Алматы") || !strings.Contains(string(e.Data), "$sealed")) {
			t.Fatalf("not as stored: %s", e.Data)
		}
	}
	for id := range broker.ids {
		if !strings.HasPrefix(id, epoch.String()+"/") {
			t.Fatalf("message %s of epoch %s", id, epoch)
		}
	}
	var position int64
	if err := s.Pool().QueryRow(t.Context(), `SELECT max(position) FROM eventstore.checkpoints WHERE consumer = 'relay'`).Scan(&position); err != nil || position != int64(last) {
		t.Errorf("the checkpoint is at %d of %d, %v", position, last, err)
	}
}

// TestCloudEventsAreWhatTheTypeSays: what is written by hand is what json makes of the type, whatever the texts hold.
func TestCloudEventsAreWhatTheTypeSays(t *testing.T) {
	t.Parallel()
	epoch := eventstore.Epoch{Log: uuid.New(), System: 7, Timeline: 2}
	odd := "a\"b\\ <&>\u2028\x00\n Айгүл 🙂"
	events := []eventstore.Raw{
		{
			ID: uuid.New(), Stream: "order-" + odd, Version: 3, Position: 1 << 40, Type: "order.placed", Schema: 2, RecordedAt: time.Date(2026, 11, 23, 21, 5, 6, 120_000_000, time.FixedZone("", 18_000)),
			Metadata: eventstore.Metadata{CorrelationID: "c", CausationID: odd, Actor: "guest", Trace: "00-1", Imported: true}, Data: []byte(`{"a":"<b>"}`),
		},
		{ID: uuid.New(), Stream: "s", Version: 1, Position: 1, Type: "t", Data: []byte(`{}`)},
	}
	written := CloudEvents(epoch, events)
	var read []CloudEvent
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatalf("%v: %s", err, written)
	}
	var compared []CloudEvent
	strict := json.NewDecoder(bytes.NewReader(written))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&compared); err != nil {
		t.Error(err)
	}
	e := read[0]
	want := CloudEvent{
		SpecVersion: "1.0", ID: events[0].ID.String(), Source: "/logs/" + epoch.Log.String(), Type: "order.placed", Subject: "order-" + odd, Time: events[0].RecordedAt.UTC(),
		DataContentType: "application/json", Position: "1099511627776", StreamVersion: "3", SchemaVersion: 2, CorrelationID: "c", CausationID: odd, Actor: "guest",
		Imported: true, TraceParent: "00-1", Data: json.RawMessage(`{"a":"<b>"}`),
	}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("%+v, want %+v", e, want)
	}
	if empty := CloudEvents(epoch, nil); string(empty) != "[]" {
		t.Errorf("no events: %s", empty)
	}
}

// BenchmarkMessage is a batch of about ten events on its way to a handler of ours, and to one that wants messages.
func BenchmarkMessage(b *testing.B) {
	s := openStore(b)
	for i := range 40 {
		appendTo(b, s, fmt.Sprint("s-", i), payload)
	}
	entries, err := s.Read(b.Context(), eventstore.Query{Range: 0})
	if err != nil {
		b.Fatal(err)
	}
	f := New(s, Options{Logger: quiet})
	for _, messages := range []bool{false, true} {
		b.Run(fmt.Sprint("messages=", messages), func(b *testing.B) {
			c := f.register(Consumer{Name: fmt.Sprint("c", messages), Messages: messages}, false)
			batch := &Batch{Consumer: c.Name, part: c.parts[0], entries: entries}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := batch.message(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// countingRaw is a log that counts how often it is read as it is stored.
type countingRaw struct {
	*eventstore.Store
	reads atomic.Int64
}

func (c *countingRaw) Raw(ctx context.Context, q eventstore.Query) ([]eventstore.Raw, error) {
	c.reads.Add(1)
	return c.Store.Raw(ctx, q)
}

// steady is a broker that keeps every message.
type steady struct {
	mu       sync.Mutex
	messages []*message.Message
}

func (s *steady) Close() error { return nil }

func (s *steady) Publish(_ string, messages ...*message.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, messages...)
	return nil
}

// TestRelayGathersLiveEvents: what comes one after the other goes out in few messages, as it is stored, and is not read again for that.
func TestRelayGathersLiveEvents(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	source, broker := &countingRaw{Store: s}, &steady{}
	f := Over(source, &tables{store: s, pool: s.Pool()}, Options{Logger: quiet})
	f.Relay(Consumer{Name: "relay"}, broker, "log")
	stop := runFeed(t, f)
	waitFor(t, f, "relay", appendTo(t, s, "s", happened{Note: "first"}))
	before, begun := source.reads.Load(), time.Now()
	var last eventstore.Position
	for n := range 200 {
		last = appendTo(t, s, "s", happened{N: n}, named{Person: uuid.New(), Name: "Айгуль", City: "Алматы"}, odd{})
	}
	eventually(t, "the relay is there", func() bool {
		at, _ := f.Places("relay")
		return at[eventstore.RangeOf(eventstore.SliceOf("s"))] >= last
	})
	most := int(time.Since(begun)/gatherFor) + 2
	stop()
	if again := source.reads.Load() - before; again > 0 {
		t.Errorf("the log was read %d times again", again)
	}
	if sent := len(broker.messages) - 1; sent < 1 || sent > most {
		t.Errorf("%d messages, at most %d of their time", sent, most)
	}
	var events []json.RawMessage
	for _, msg := range broker.messages {
		var some []json.RawMessage
		if err := json.Unmarshal(msg.Payload, &some); err != nil {
			t.Fatal(err)
		}
		events = append(events, some...)
	}
	epoch, err := s.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored, err := s.Raw(t.Context(), eventstore.Query{UpTo: last, Range: -1})
	if err != nil {
		t.Fatal(err)
	}
	var want []json.RawMessage
	if err := json.Unmarshal(CloudEvents(epoch, stored), &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != 601 || !reflect.DeepEqual(events, want) {
		t.Errorf("%d events were sent, %d are stored, or they differ", len(events), len(want))
	}
}
