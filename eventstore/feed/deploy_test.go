package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// novel is an event that only the new build knows.
type novel struct{}

// newBuild is the codec of the next version of the program: its plain events have schema 2, and there is a new type.
type newBuild struct{ codec }

func (c newBuild) Encode(data any) (eventstore.Encoded, error) {
	if _, ok := data.(novel); ok {
		return eventstore.Encoded{Type: "test.novel", Schema: 1, Payload: json.RawMessage(`{}`)}, nil
	}
	e, err := c.codec.Encode(data)
	if e.Type == "test.happened" {
		e.Schema = 2
	}
	return e, err
}

func (c newBuild) Decode(typ string, schema int, payload []byte) (any, error) {
	if typ == "test.novel" {
		return novel{}, nil
	}
	return c.codec.Decode(typ, schema, payload)
}

// oldBuild is the codec of the present version; it says what it does not know.
type oldBuild struct{ codec }

func (c oldBuild) Decode(typ string, schema int, payload []byte) (any, error) {
	if typ == "test.novel" || schema > 1 {
		return nil, fmt.Errorf("%s schema %d: %w", typ, schema, eventstore.ErrNewer)
	}
	return c.codec.Decode(typ, schema, payload)
}

// builds are two versions of the program over one database.
func builds(t *testing.T) (former, next *eventstore.Store) {
	t.Helper()
	db := openStore(t).Pool()
	former = eventstore.Open(db, oldBuild{}, eventstore.Options{Logger: quiet})
	next = eventstore.Open(db, newBuild{}, eventstore.Options{Logger: quiet})
	t.Cleanup(former.Close)
	t.Cleanup(next.Close)
	return former, next
}

func nothingParked(t *testing.T, s *eventstore.Store) {
	t.Helper()
	letters, err := ControlOf(s).DeadLetters(t.Context(), "")
	if err != nil || len(letters) > 0 {
		t.Errorf("parked: %+v, %v", letters, err)
	}
}

// TestEventsOfANewerBuildAreLeftToIt: the old process handles what it can read, gives the consumer up and follows.
func TestEventsOfANewerBuildAreLeftToIt(t *testing.T) {
	t.Parallel()
	former, next := builds(t)
	c, all := seen(t, former, "c", "test.happened"), seen(t, former, "all")
	old, _ := run(t, former, Options{}, c, all)
	for i := range 20 {
		appendTo(t, former, fmt.Sprint("s-", i), happened{}, happened{})
	}
	readable := appendTo(t, former, "s-0", happened{})
	waitFor(t, old, "c", readable)
	var last eventstore.Position
	for i := range 20 {
		last = appendTo(t, next, fmt.Sprint("s-", i), happened{}, novel{}, happened{})
	}
	eventually(t, "given up", func() bool {
		return holders(t, former, "c")[""] == eventstore.Ranges && holders(t, former, "all")[""] == eventstore.Ranges
	})
	nothingParked(t, former)

	young, _ := run(t, next, Options{}, c, all)
	waitFor(t, young, "c", last)
	waitFor(t, young, "all", last)
	waitFor(t, old, "c", last) // the old one is told how far the new one has come
	for i := range 20 {        // and the old one goes on writing
		appendTo(t, former, fmt.Sprint("s-", i), named{})
		last = appendTo(t, next, fmt.Sprint("s-", i), happened{})
	}
	waitFor(t, young, "all", last)
	nothingParked(t, former)
	for stream, v := range versions(t, former, "all") {
		want := 7
		if stream == "s-0" {
			want = 8
		}
		if len(v) != want || v[len(v)-1] != int64(want) {
			t.Errorf("%s: %v", stream, v)
		}
	}
	if got := holders(t, former, "c"); got[young.Holder()] != eventstore.Ranges {
		t.Errorf("held by %v", got)
	}
}

// TestAHandlerThatMeetsANewerStreamGivesUp: a policy reads other streams than the event's.
func TestAHandlerThatMeetsANewerStreamGivesUp(t *testing.T) {
	t.Parallel()
	former, next := builds(t)
	policy := func(s *eventstore.Store, handled *atomic.Int32) Consumer {
		return Consumer{Name: "policy", Types: []string{"test.named"}, Handle: func(ctx context.Context, _ pgx.Tx, events []eventstore.Event) error {
			if _, err := s.Load(ctx, eventstore.From{Stream: "other"}); err != nil {
				return fmt.Errorf("load: %w", err)
			}
			handled.Add(int32(len(events)))
			return nil
		}}
	}
	var byOld, byNew atomic.Int32
	run(t, former, Options{}, policy(former, &byOld))
	appendTo(t, next, "other", happened{})
	last := appendTo(t, former, "s", named{})
	eventually(t, "given up", func() bool { return holders(t, former, "policy")[""] == eventstore.Ranges })
	nothingParked(t, former)
	young, _ := run(t, next, Options{}, policy(next, &byNew))
	waitFor(t, young, "policy", last)
	if byOld.Load() != 0 || byNew.Load() != 1 {
		t.Errorf("handled by the old %d, by the new %d", byOld.Load(), byNew.Load())
	}
}

// TestTheHighestRevisionHandles: a changed policy is the new build's from its start, and stays so until somebody goes back.
func TestTheHighestRevisionHandles(t *testing.T) {
	t.Parallel()
	former, next := builds(t)
	revision := func(n int, by *atomic.Int32, types ...string) Consumer {
		return Consumer{Name: "policy", Types: types, Revision: n, Handle: func(_ context.Context, _ pgx.Tx, events []eventstore.Event) error {
			by.Add(int32(len(events)))
			return nil
		}}
	}
	var byOld, byNew atomic.Int32
	old, stopOld := run(t, former, Options{}, revision(1, &byOld, "test.named"))
	waitFor(t, old, "policy", appendTo(t, former, "s", named{}))

	young, stopNew := run(t, next, Options{}, revision(2, &byNew, "test.named", "test.novel"))
	eventually(t, "taken over", func() bool { return holders(t, former, "policy")[young.Holder()] == eventstore.Ranges })
	for i := range 20 {
		waitFor(t, young, "policy", appendTo(t, next, fmt.Sprint("s-", i), named{}, novel{}))
	}
	if byOld.Load() != 1 || byNew.Load() != 40 {
		t.Errorf("handled by the old %d, by the new %d", byOld.Load(), byNew.Load())
	}

	// One of the old revision that starts takes nothing, also when the new one is away.
	stopOld()
	stopNew()
	old, _ = run(t, former, Options{}, revision(1, &byOld, "test.named"))
	last := appendTo(t, former, "s", named{})
	time.Sleep(300 * time.Millisecond)
	if byOld.Load() != 1 {
		t.Error("the old revision went on")
	}
	if err := ControlOf(former).Revert(t.Context(), "policy"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, old, "policy", last)
	if byOld.Load() != 2 {
		t.Errorf("after going back the old revision handled %d", byOld.Load())
	}
	var unknown *UnknownConsumer
	if err := ControlOf(former).Revert(t.Context(), "nobody"); !errors.As(err, &unknown) {
		t.Errorf("revert of nobody: %v", err)
	}
	nothingParked(t, former)
}
