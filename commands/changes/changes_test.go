package changes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/staff"
	"shop/eventstore"
)

func as(t testing.TB, who string) context.Context {
	return commands.WithOrigin(t.Context(), commands.Origin{Actor: who})
}

func everything(staff.Permission) bool { return true }

// only may do some things.
func only(some ...staff.Permission) func(staff.Permission) bool {
	return func(p staff.Permission) bool {
		for _, one := range some {
			if one == p {
				return true
			}
		}
		return false
	}
}

type desk struct {
	*testshop.Shop
	*changes.Changes
}

func open(t testing.TB) desk {
	s := testshop.Open(t)
	return desk{s, &changes.Changes{Handler: s.Handler, Fields: changes.All()}}
}

func asked(thing string, id any, field, was, now string) changes.Asked {
	a := changes.Asked{Thing: thing, ID: fmt.Sprint(id), Field: field, Now: json.RawMessage(now)}
	if was != "" {
		a.Was = json.RawMessage(was)
	}
	return a
}

func proposal(items ...changes.Asked) changes.Proposal {
	return changes.Proposal{Title: "Sale", Items: items, May: everything}
}

// must proposes a change that nothing speaks against.
func (d desk) must(p changes.Proposal) changes.Answer {
	d.T.Helper()
	a, err := d.Propose(as(d.T, "staff:a"), p)
	if err != nil {
		var refused *changes.Refused
		if errors.As(err, &refused) {
			d.T.Errorf("%s", outcomes(refused.Rows))
		}
		d.T.Fatalf("propose: %v", err)
	}
	return a
}

func (d desk) prices(id domain.ID) string {
	d.T.Helper()
	p, err := commands.See(d.T.Context(), d.Shop.Handler, commands.ProductStream(id))
	if err != nil {
		d.T.Fatal(err)
	}
	return fmt.Sprintf("%d/%d", p.Price, p.DiscountedPrice)
}

func (d desk) wants(id domain.ID, want string) {
	d.T.Helper()
	if got := d.prices(id); got != want {
		d.T.Errorf("prices are %s, want %s", got, want)
	}
}

func outcomes(rows []changes.Row) string {
	var all []string
	for _, r := range rows {
		text := string(r.Outcome)
		if r.Outcome == change.Refused {
			text += " " + r.Code
		}
		if r.Outcome == change.Conflict {
			text += " " + string(r.Found)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// TestAnEditIsAChangeOfOneItem: it is one append, whose events name the change and the person.
func TestAnEditIsAChangeOfOneItem(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	before := d.Head()
	a := d.must(proposal(asked("product", id, "discount", "0", "10")))
	d.wants(id, "9000/8100")
	if a.Status != change.StatusApplied || outcomes(a.Rows) != "done" {
		t.Errorf("answers %s %s", a.Status, outcomes(a.Rows))
	}
	testshop.EqualText(t, "events", strings.Join(d.Types(before), " "), "change.proposed change.items-listed change.items-applied change.applied product.priced")
	events, err := d.Log.Stream(t.Context(), "product-"+id.String(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if m := events[len(events)-1].Metadata; m.Actor != "staff:a" || m.CausationID != "change:"+a.ID.String() {
		t.Errorf("the event says %+v", m)
	}
	if s, _ := d.Show(t.Context(), a.ID); string(s.List[0].Was) != `{"price":9000,"discounted_price":9000}` {
		t.Errorf("was %s", s.List[0].Was)
	}
}

// TestAProductArchivedMeanwhileIsTold: beside its row, unless the change itself is about that.
func TestAProductArchivedMeanwhileIsTold(t *testing.T) {
	t.Parallel()
	d := open(t)
	gone, other := d.Product(9_000, 9_000, 10), d.Product(9_000, 9_000, 10)
	d.must(proposal(asked("product", gone, "archived", "false", "true")))
	answer, err := d.DryRun(as(t, "staff:a"), proposal(asked("product", gone, "price", "9000", "9500"), asked("product", other, "price", "9000", "9500"), asked("product", other, "archived", "", "false")))
	if err != nil || outcomes(answer.Rows) != "done, done, same" || !answer.Rows[0].Archived || answer.Rows[1].Archived {
		t.Errorf("%v: %+v", err, answer.Rows)
	}
	if a := d.must(proposal(asked("product", gone, "archived", "true", "false"), asked("product", gone, "price", "9000", "9500"))); a.Rows[0].Archived || a.Rows[1].Archived {
		t.Errorf("put back by the change itself: %+v", a.Rows)
	}
}

// TestAChangeCanBeStoppedUntilItIsWritten: told which share is checked, and at 1 that writing begins; stopped before that it leaves nothing,
// whether it is one append or is listed before it is applied.
func TestAChangeCanBeStoppedUntilItIsWritten(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, many := range []int{2, 205} {
		products := make([]domain.ID, many)
		p := proposal()
		for i := range products {
			products[i] = d.Product(9_000, 9_000, 1)
			p.Items = append(p.Items, asked("product", products[i], "price", "9000", "9500"))
		}
		before := d.Head()
		ctx, stop := context.WithCancel(as(t, "staff:a"))
		var shares []float64
		p.Tell = func(share float64) {
			shares = append(shares, share)
			if share == 1 {
				stop()
			}
		}
		if _, err := d.Propose(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%d items: %v, want that it is stopped", many, err)
		}
		if len(shares) != many+1 || !slices.IsSorted(shares) || shares[many] != 1 {
			t.Errorf("%d items: told %v", many, shares)
		}
		if types := d.Types(before); len(types) > 0 {
			t.Errorf("%d items: stopped, it wrote %v", many, types)
		}
		d.must(p)
		d.wants(products[many-1], "9500/9500")
	}
}

// TestNothingIsHalfDone: one item that cannot be as asked stops all, unless the others are asked for alone.
func TestNothingIsHalfDone(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, other := d.Product(9_000, 9_000, 10), d.Product(5_000, 5_000, 10)
	p := proposal(
		asked("product", id, "price", "9000", "9500"), asked("product", other, "price", "4000", "4500"), asked("product", other, "shelf", "", `"A-1"`),
		asked("product", id, "name", "", `7`), asked("product", "nobody", "price", "", "1"), asked("product", id, "colour", "", "1"),
		asked("product", domain.ID{15: 9}, "name", "", `"a"`), asked("stock", id, "on_hand", "", "-1"), asked("product", id, "shelf", "", `""`),
	)
	want := "done, conflict 5000, done, refused change/bad-value, refused change/bad-id, refused change/no-field, refused catalog/unknown, refused stock/bad-count, same"
	before := d.Head()
	_, err := d.Propose(as(t, "staff:a"), p)
	var refused *changes.Refused
	if !errors.As(err, &refused) || outcomes(refused.Rows) != want {
		t.Fatalf("answers %v\n%s", err, outcomes(refused.Rows))
	}
	dry, err := d.DryRun(as(t, "staff:a"), p)
	if err != nil || outcomes(dry.Rows) != want {
		t.Errorf("a dry run answers %v\n%s", err, outcomes(dry.Rows))
	}
	if d.Head() != before {
		t.Error("something was written")
	}
	p.Partly = true
	d.must(p)
	d.wants(id, "9500/9500")
	d.wants(other, "5000/5000")
}

// TestPartsOfOneFieldAreOneItem: list price and price to pay in one change are one event.
func TestPartsOfOneFieldAreOneItem(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	a := d.must(proposal(asked("product", id, "price", "9000", "12000"), asked("product", id, "discounted_price", "9000", "8000")))
	d.wants(id, "12000/8000")
	if s, _ := d.Show(t.Context(), a.ID); len(s.List) != 1 {
		t.Errorf("%d items", len(s.List))
	}
	if _, err := d.Undo(as(t, "staff:a"), changes.Undoing{Change: a.ID, May: everything}); err != nil {
		t.Fatal(err)
	}
	d.wants(id, "9000/9000")
}

// TestWhoMayOnlyProposeNeedsASecondPerson: the proposer is none, and nothing happens before.
func TestWhoMayOnlyProposeNeedsASecondPerson(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	p := proposal(asked("product", id, "price", "", "9500"))
	p.May = only(staff.ChangeStock)
	if _, err := d.Propose(as(t, "staff:a"), p); err == nil {
		t.Error("a stranger changes prices")
	}
	p.May = only(staff.ChangeCatalog)
	a := d.must(p)
	if a.Status != change.Waiting || fmt.Sprint(a.Needs) != "[role]" {
		t.Fatalf("answers %s %v", a.Status, a.Needs)
	}
	d.wants(id, "9000/9000")
	if _, err := d.Approve(as(t, "staff:a"), a.ID, ""); !errors.Is(err, change.ErrOwn) {
		t.Errorf("the proposer approves: %v", err)
	}
	if _, err := d.Approve(as(t, "staff:b"), a.ID, ""); err != nil {
		t.Fatal(err)
	}
	d.wants(id, "9500/9500")
}

// TestASaleEndsByItself: what somebody changed meanwhile stays, and is told.
func TestASaleEndsByItself(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, edited := d.Product(9_000, 9_000, 10), d.Product(5_000, 5_000, 10)
	p := proposal(asked("product", id, "discount", "", "10"), asked("product", edited, "discount", "", "10"))
	p.StartsAt, p.EndsAt = testshop.Noon.Add(time.Hour), testshop.Noon.Add(2*time.Hour)
	a := d.must(p)
	if a.Status != change.Planned {
		t.Fatalf("answers %s", a.Status)
	}
	d.wants(id, "9000/9000")
	if _, err := d.Apply(t.Context(), a.ID); !errors.Is(err, change.ErrTooEarly) {
		t.Errorf("applied before its time: %v", err)
	}
	d.Clock.Advance(time.Hour)
	if _, err := d.Apply(t.Context(), a.ID); err != nil {
		t.Fatal(err)
	}
	d.wants(id, "9000/8100")
	d.must(proposal(asked("product", edited, "discounted_price", "4500", "4000")))
	d.Clock.Advance(time.Hour)
	if _, err := d.End(t.Context(), a.ID); err != nil {
		t.Fatal(err)
	}
	d.wants(id, "9000/9000")
	d.wants(edited, "5000/4000")
	s, err := d.Show(t.Context(), a.ID)
	if err != nil || s.Status != change.StatusEnded || s.Ended[0].Outcome != change.Done || s.Ended[1].Outcome != change.Conflict {
		t.Errorf("%v: %s %+v", err, s.Status, s.Ended)
	}
}

// TestUndoOfAnUndoOfAnUndo: each takes the one before back; what was changed between stays, unless it is forced.
func TestUndoOfAnUndoOfAnUndo(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, other := d.Product(9_000, 9_000, 10), d.Product(5_000, 5_000, 10)
	a := d.must(proposal(asked("product", id, "price", "", "9500"), asked("product", other, "price", "", "5500")))
	undo := func(of changes.Answer, force ...int) changes.Answer {
		t.Helper()
		u, err := d.Undo(as(t, "staff:b"), changes.Undoing{Change: of.ID, Force: force, May: everything})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	first := undo(a)
	d.wants(id, "9000/9000")
	second := undo(first)
	d.wants(id, "9500/9500")
	d.must(proposal(asked("product", other, "price", "", "6000")))
	dry, err := d.DryUndo(as(t, "staff:b"), changes.Undoing{Change: second.ID, May: everything})
	if err != nil || outcomes(dry.Rows) != `conflict {"price":6000,"discounted_price":6000}, done` && outcomes(dry.Rows) != `done, conflict {"price":6000,"discounted_price":6000}` {
		t.Errorf("a dry undo: %v %s", err, outcomes(dry.Rows))
	}
	third := undo(second)
	d.wants(id, "9000/9000")
	d.wants(other, "6000/6000")
	if _, err := d.Undo(as(t, "staff:b"), changes.Undoing{Change: second.ID, May: everything}); !errors.Is(err, change.ErrUndone) {
		t.Errorf("undone twice: %v", err)
	}
	if s, _ := d.Show(t.Context(), second.ID); s.Status != change.StatusUndone || s.UndoneBy != third.ID {
		t.Errorf("the undone change is %s by %s", s.Status, s.UndoneBy)
	}
	again := d.must(proposal(asked("product", id, "price", "", "9900")))
	d.must(proposal(asked("product", id, "price", "", "9950")))
	if _, err := d.Undo(as(t, "staff:b"), changes.Undoing{Change: again.ID, May: everything}); err == nil {
		t.Error("an undo that puts nothing back is made")
	}
	undo(again, 0)
	d.wants(id, "9000/9000")
}

// TestABulkChangeGoesOnWhereItStopped: a process that dies between two appends leaves a change that another finishes. All prices of it
// are old until then.
func TestABulkChangeGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	d := open(t)
	const many = 450
	var p changes.Proposal
	var ids []domain.ID
	for range many {
		id := d.Product(9_000, 9_000, 1)
		ids = append(ids, id)
		p.Items = append(p.Items, asked("product", id, "price", "9000", "9500"))
	}
	p.May = everything
	log := &dyingLog{Store: d.Log, after: 1}
	d.Use(log)
	d.Changes.Handler = d.Shop.Handler
	if _, err := d.Propose(as(t, "staff:a"), p); err == nil {
		t.Fatal("the process did not die")
	}
	d.Use(d.Log)
	d.Changes.Handler = d.Shop.Handler
	d.wants(ids[0], "9000/9000")
	d.wants(ids[many-1], "9000/9000")
	if _, err := d.Apply(t.Context(), log.change); err != nil {
		t.Fatal(err)
	}
	s, err := d.Show(t.Context(), log.change)
	if err != nil || s.Status != change.StatusApplied || len(s.Applied) != many {
		t.Fatalf("%v: %s with %d results", err, s.Status, len(s.Applied))
	}
	for i, id := range ids {
		if d.prices(id) != "9500/9500" || s.Applied[i].Outcome != change.Done {
			t.Fatalf("item %d: %s %+v", i, d.prices(id), s.Applied[i])
		}
	}
	events, err := d.Log.Stream(t.Context(), "product-"+ids[many-1].String(), 0, 100)
	if err != nil || events[len(events)-1].Metadata.Actor != "staff:a" {
		t.Errorf("%v: the last event is of %s", err, events[len(events)-1].Metadata.Actor)
	}
}

// dyingLog fails after some appends, and tells which change they were of.
type dyingLog struct {
	*eventstore.Store
	after  int
	change domain.ID
}

func (l *dyingLog) Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error) {
	for _, a := range together {
		for _, w := range a.Writes {
			if p, ok := w.Events[0].Data.(change.Proposed); ok {
				l.change = p.ID
			}
		}
	}
	if l.after--; l.after < 0 {
		return eventstore.Appended{}, errors.New("the process is dead")
	}
	return l.Store.Append(ctx, together...)
}

// TestAWholeAndItsPartAreNoOneChange: neither could go back alone.
func TestAWholeAndItsPartAreNoOneChange(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := domain.ID{15: 7}
	whole := asked("mark", id, "whole", "", `{"name":"Веган","description":""}`)
	d.must(proposal(whole))
	dry, err := d.DryRun(as(t, "staff:a"), proposal(asked("mark", id, "whole", "", `{"name":"Эко","description":""}`), asked("mark", id, "picture", "", `{"src":"/media/1.webp"}`)))
	if err != nil || outcomes(dry.Rows) != "done, refused change/overlap" {
		t.Errorf("%v: %s", err, outcomes(dry.Rows))
	}
}
