package feed

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// fill adds n events to the first range, of which consumers need those after needed.
func fill(r *recent, n int, needed eventstore.Position) {
	at := r.present()[0]
	events := make([]eventstore.Event, n)
	for i := range events {
		events[i].Position = at + eventstore.Position(i) + 1
	}
	to := r.present()
	to[0] = at + eventstore.Position(n)
	r.add(events, nil, to, eventstore.Heads{needed})
}

func TestRecentEventsThatAllConsumersHadAreFew(t *testing.T) {
	t.Parallel()
	r := newRecent(800)
	for range 100 {
		fill(r, 10, r.present()[0])
	}
	if n := r.holds(0); n > 200 {
		t.Errorf("%d events are held, of which nobody needs more than 10", n)
	}
	// Those who come from the table find their way in.
	if _, _, behind, _ := r.after(0, 901); behind {
		t.Error("the last eighth is gone")
	}
	if _, upTo, behind, _ := r.after(0, 700); !behind || upTo != 1000 {
		t.Errorf("a consumer that is behind was not sent to the table up to 1000: %t, %d", behind, upTo)
	}
}

func TestRecentEventsThatAreNeededStay(t *testing.T) {
	t.Parallel()
	r := newRecent(800)
	for range 80 {
		fill(r, 10, 0)
	}
	if events, _, behind, _ := r.after(0, 0); behind || len(events) != 800 {
		t.Errorf("%d of 800 events are here", len(events))
	}
	for range 100 {
		fill(r, 10, 0)
	}
	if n := r.holds(0); n > 1000 || n < 800 {
		t.Errorf("%d events are held for one that may never come", n)
	}
}

// TestConsumersSayWhichRecentEventsTheyNeed: one that has come as far as the table reaches needs none, and holds no others up.
func TestConsumersSayWhichRecentEventsTheyNeed(t *testing.T) {
	t.Parallel()
	f := Over(nil, nil, Options{Recent: 800})
	handle := func(context.Context, pgx.Tx, []eventstore.Event) error { return nil }
	for name, at := range map[string]int64{"ahead": 1000, "resting": 900, "behind": 3} {
		c := f.register(Consumer{Name: name, Types: []string{"x"}, Handle: handle}, false)
		c.parts[0].glance.at.Store(at)
	}
	f.recent.floors[0] = 500
	if needed := f.needed(); needed[0] != 900 {
		t.Errorf("events after %d are needed, not after 900", needed[0])
	}
	f.recent.floors[0] = 1200
	if needed := f.needed(); needed[0] != 1200 {
		t.Errorf("nobody goes by the recent events, and those after %d are needed", needed[0])
	}
}

func TestAConsumerOfEverythingGetsTheRecentEventsThemselves(t *testing.T) {
	t.Parallel()
	f := Over(nil, nil, Options{})
	handle := func(context.Context, pgx.Tx, []eventstore.Event) error { return nil }
	events := []eventstore.Event{{Type: "x"}, {Type: "y", Data: eventstore.Unreadable{Err: eventstore.ErrNewer}}, {Type: "x"}}
	all := newPartition(f, f.register(Consumer{Name: "all", Handle: handle}, false), 0)
	if got := all.wanted(events); len(got) != 3 || &got[0] != &events[0] {
		t.Errorf("%d events, copied", len(got))
	}
	some := newPartition(f, f.register(Consumer{Name: "some", Types: []string{"x"}, Handle: handle}, false), 0)
	if got := some.wanted(events); len(got) != 2 || got[1].Type != "x" {
		t.Errorf("wanted %v", got)
	}
	if got := readable(events); len(got) != 2 || events[1].Type != "y" {
		t.Errorf("readable %v of %v", got, events)
	}
}
