package rebuild

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/domain"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
)

// renamed is an event that only the next build knows.
type renamed struct{}

func (renamed) EventType() string { return "tally.renamed" }

// nextBuild is the codec of a version of the program that writes tally.added with schema 2, and tally.renamed.
type nextBuild struct{ withTallies }

func (c nextBuild) Encode(data any) (eventstore.Encoded, error) {
	if e, ok := data.(renamed); ok {
		return eventstore.Encoded{Type: e.EventType(), Schema: 1, Payload: json.RawMessage(`{}`)}, nil
	}
	encoded, err := c.withTallies.Encode(data)
	if encoded.Type == "tally.added" {
		encoded.Schema = 2
	}
	return encoded, err
}

func (c nextBuild) Decode(name string, schema int, payload []byte) (any, error) {
	if name == "tally.renamed" {
		return renamed{}, nil
	}
	return c.withTallies.Decode(name, schema, payload)
}

// formerBuild is the codec of the version before.
type formerBuild struct{ withTallies }

func (c formerBuild) Decode(name string, schema int, payload []byte) (any, error) {
	if name == "tally.added" && schema > 1 {
		return nil, &registry.UnknownSchema{Name: name, Schema: schema, Newest: 1}
	}
	if name == "tally.renamed" {
		return nil, &registry.UnknownType{Name: name}
	}
	return c.withTallies.Decode(name, schema, payload)
}

// versionOf is a version of the program: what it reads and writes, its read model and its policy.
type versionOf struct {
	codec  eventstore.Codec
	model  projections.Projection
	policy feed.Consumer
}

// countingPolicy writes down each event it handles, by revision.
func countingPolicy(revision int, types ...string) feed.Consumer {
	return feed.Consumer{Name: "counting", Revision: revision, Types: types, Handle: func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		for _, e := range events {
			if _, err := tx.Exec(ctx, "INSERT INTO counted (position, type, revision) VALUES ($1, $2, $3)", int64(e.Position), e.Type, revision); err != nil {
				return err
			}
		}
		return nil
	}}
}

// TestTwoBuildsSideBySide deploys, while both write, a new schema, a new event, a changed read model and a changed policy: at the
// end nothing is parked, and every event was handled exactly once.
func TestTwoBuildsSideBySide(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	if _, err := db.Exec(t.Context(), "CREATE TABLE counted (position bigint PRIMARY KEY, type text NOT NULL, revision int NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	changed := tallies()
	changed.Version = 1
	former := versionOf{formerBuild{withTallies{registry.New()}}, tallies(), countingPolicy(1, "tally.added")}
	next := versionOf{nextBuild{withTallies{registry.New()}}, changed, countingPolicy(2, "tally.added", "tally.renamed")}

	// start is a process: it deploys its read model and runs until stop.
	start := func(b versionOf) (*eventstore.Store, *feed.Feed, func()) {
		store := eventstore.Open(db, b.codec, eventstore.Options{Logger: quiet})
		builder := &Builder{DB: db, Store: store, Projections: []projections.Projection{b.model}, Logger: quiet}
		if _, err := builder.Deploy(t.Context(), b.model); err != nil {
			t.Fatal(err)
		}
		f := feed.New(store, feed.Options{Logger: quiet})
		f.Add(feed.Consumer{Name: b.model.Name, Types: b.model.Types(), Edition: b.model.Fingerprint(), Together: true, Handle: b.model.Apply})
		f.Add(b.policy)
		stopFeed := runFeed(t, f)
		stop := sync.OnceFunc(func() {
			stopFeed()
			store.Close()
		})
		t.Cleanup(stop)
		return store, f, stop
	}
	put := func(store *eventstore.Store, stream int, events ...domain.Event) (last eventstore.Position) {
		w := eventstore.Write{Stream: fmt.Sprint("tally-", stream), Expected: eventstore.AnyVersion}
		for _, e := range events {
			w.Events = append(w.Events, eventstore.NewEvent{Data: e})
		}
		done, err := store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{w}})
		if err != nil {
			t.Fatal(err)
		}
		return done.Position
	}
	reach := func(f *feed.Feed, p eventstore.Position) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, consumer := range []string{"tally", "counting"} {
			if err := f.WaitFor(ctx, consumer, p); err != nil {
				t.Fatalf("%s: %v", consumer, err)
			}
		}
	}

	const streams = 12
	oldStore, oldFeed, stopOld := start(former)
	for n := range streams {
		put(oldStore, n, added{1})
	}
	reach(oldFeed, put(oldStore, 0, added{1}))
	newStore, newFeed, _ := start(next)
	var last eventstore.Position
	for range 5 {
		for n := range streams {
			put(oldStore, n, added{1})
			last = put(newStore, n, added{1}, renamed{}, added{1})
		}
	}
	reach(newFeed, last)
	// A process of the former build restarts in the middle of it, and takes nothing back.
	stopOld()
	oldStore, oldFeed, _ = start(former)
	for n := range streams {
		last = put(oldStore, n, added{1})
	}
	reach(newFeed, last)
	reach(oldFeed, last)

	letters, err := feed.ControlOf(newStore).DeadLetters(t.Context(), "")
	if err != nil || len(letters) > 0 {
		t.Errorf("parked: %+v, %v", letters, err)
	}
	var sum, written, handled, novel int64
	if err := db.QueryRow(t.Context(), `SELECT (SELECT sum(sum) FROM tally.tally), (SELECT count(*) FROM eventstore.events WHERE type = 'tally.added'),
		(SELECT count(*) FROM counted), (SELECT count(*) FROM counted WHERE revision = 2 AND type = 'tally.renamed')`).Scan(&sum, &written, &handled, &novel); err != nil {
		t.Fatal(err)
	}
	if want := int64(streams + 1 + 5*streams*3 + streams); sum != want || written != want || handled != want+5*streams || novel != 5*streams {
		t.Errorf("added %d, the read model has %d; the policy handled %d, %d of them new; want %d, %d and %d", written, sum, handled, novel, want, want+5*streams, 5*streams)
	}
}
