package changes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/commands/changes"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/staff"
	"shop/eventstore"
)

// shape is what read models see of an event, but for its place in the log.
func shape(e eventstore.Event) string {
	data, _ := json.Marshal(e.Data) // it came from JSON
	return fmt.Sprintf("%s %d %s %d %s", e.Stream, e.Version, e.Type, e.Schema, data)
}

// TestPendingIsWhatIsAppended: random changes of all fields, looked at before their time and applied then, append just the events that were
// foretold; looking wrote nothing.
func TestPendingIsWhatIsAppended(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		s := fill(t, rand.New(rand.NewPCG(seed, 11)))
		s.Stored = s.Shop.Log
		p := s.some(12)
		p.StartsAt = s.Shop.Handler.Now().Add(time.Hour)
		a, err := s.Propose(as(t, "staff:a"), p)
		if err != nil {
			continue // chance asked for what is so already
		}
		before := s.Head()
		pending, err := s.Pending(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if s.Head() != before {
			t.Errorf("seed %d: the log went from %d to %d", seed, before, s.Head())
		}
		s.Clock.Advance(time.Hour)
		if _, err := s.Apply(t.Context(), a.ID); err != nil {
			t.Fatal(err)
		}
		events, err := s.Shop.Log.Read(t.Context(), eventstore.Query{Range: -1, After: before})
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, e := range events {
			if !strings.HasPrefix(e.Stream, "change-") {
				want = append(want, shape(e))
			}
		}
		for i, e := range pending.Events {
			got = append(got, shape(e))
			if e.Position <= before || i > 0 && e.Position <= pending.Events[i-1].Position || e.Slice != eventstore.SliceOf(e.Stream) {
				t.Errorf("seed %d: event %d is at %d in slice %d", seed, i, e.Position, e.Slice)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		testshop.EqualText(t, fmt.Sprint("seed ", seed), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPendingOfAChangeThatWaits: a price that waits for a second person is foretold; what another edit is in the way of is counted; what
// was decided or applied has nothing to foretell.
func TestPendingOfAChangeThatWaits(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Stored = d.Shop.Log
	cream, soap := d.Product(9_000, 9_000, 10), d.Product(5_000, 5_000, 10)
	p := proposal(asked("product", cream, "price", "", "8000"), asked("product", soap, "price", "", "4000"))
	p.May = only("catalog.change", "changes.propose")
	waiting := d.must(p)
	d.must(proposal(asked("product", soap, "price", "", "4500")))
	pending, err := d.Pending(t.Context(), waiting.ID)
	if err != nil || len(pending.Events) != 1 || pending.Left != 1 || pending.Events[0].Stream != "product-"+cream.String() {
		t.Errorf("%+v, %v", pending, err)
	}
	if _, err := d.Reject(as(t, "staff:b"), waiting.ID, "no"); err != nil {
		t.Fatal(err)
	}
	applied := d.must(proposal(asked("product", cream, "price", "", "7000")))
	for what, id := range map[string]domain.ID{"rejected": waiting.ID, "applied": applied.ID} {
		if _, err := d.Pending(t.Context(), id); !errors.Is(err, change.ErrNoPreview) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := d.Pending(t.Context(), d.Shop.Handler.NewID()); !errors.Is(err, change.ErrUnknown) {
		t.Errorf("unknown: %v", err)
	}
}

// TestADraftWaitsForWhoeverProposedIt: it is foretold and applied by them; where a second person is needed, it waits for one as ever.
func TestADraftWaitsForWhoeverProposedIt(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Stored = d.Shop.Log
	id := d.Product(9_000, 9_000, 10)
	draft := func(price string, may func(staff.Permission) bool) changes.Answer {
		p := proposal(asked("product", id, "price", "", price))
		p.Draft, p.May = true, may
		return d.must(p)
	}
	a := draft("8000", everything)
	if a.Status != change.Waiting || fmt.Sprint(a.Needs) != "[draft]" {
		t.Errorf("a draft is %s, needs %v", a.Status, a.Needs)
	}
	if pending, err := d.Pending(t.Context(), a.ID); err != nil || len(pending.Events) != 1 {
		t.Errorf("%+v, %v", pending, err)
	}
	d.wants(id, "9000/9000")
	if _, err := d.Apply(as(t, "staff:a"), a.ID); err != nil {
		t.Fatal(err)
	}
	d.wants(id, "8000/8000")
	b := draft("7000", only("catalog.change", "changes.propose"))
	if fmt.Sprint(b.Needs) != "[role]" {
		t.Errorf("a draft of who may only propose needs %v", b.Needs)
	}
	if _, err := d.Apply(as(t, "staff:a"), b.ID); !errors.Is(err, change.ErrWaits) {
		t.Errorf("it is applied alone: %v", err)
	}
}

// TestPendingFindsThePriceThatComesBack: a sale that begins when another has ended is foretold over the price that comes back then.
func TestPendingFindsThePriceThatComesBack(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Stored = d.Shop.Log
	id := d.Product(9_000, 9_000, 10)
	hour := func(n int) time.Time { return testshop.Noon.Add(time.Duration(n) * time.Hour) }
	sale := func(percent string, from, until time.Time) changes.Proposal {
		p := proposal(asked("product", id, "discount", "", percent))
		p.StartsAt, p.EndsAt = from, until
		return p
	}
	d.must(sale("10", time.Time{}, hour(4)))
	next := d.must(sale("20", hour(4), hour(8)))
	pending, err := d.Pending(t.Context(), next.ID)
	if err != nil || pending.Left != 0 || len(pending.Events) == 0 || !strings.Contains(fmt.Sprintf("%+v", pending.Events), "DiscountedPrice:7200") {
		t.Errorf("%+v, %v", pending, err)
	}
}
