package changes_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"shop/commands/changes"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/staff"
)

// endedSale is a sale of three products that has ended: nobody edited the first, somebody priced the second anew, and the third to the
// very price of the sale, in two steps.
func endedSale(d desk) (sale domain.ID, products []domain.ID) {
	d.T.Helper()
	products = []domain.ID{d.Product(9_000, 9_000, 10), d.Product(5_000, 5_000, 10), d.Product(5_000, 5_000, 10)}
	p := proposal()
	for _, id := range products {
		p.Items = append(p.Items, asked("product", id, "discount", "0", "10"))
	}
	p.EndsAt = testshop.Noon.Add(time.Hour)
	sale = d.must(p).ID
	d.must(proposal(asked("product", products[1], "discounted_price", "", "4000")))
	for _, price := range []string{"4000", "4500"} {
		d.must(proposal(asked("product", products[2], "discounted_price", "", price)))
	}
	d.Clock.Advance(time.Hour)
	d.carryOn(sale)
	return sale, products
}

// undoing asks for the undo of a change, with some items taken back by choice.
func undoing(id domain.ID, force ...int) changes.Undoing {
	return changes.Undoing{Change: id, Force: force, May: everything}
}

// TestAnEndedSaleIsUndone: what its end left is listed with its value and stays, also at the very price of the sale; by choice it goes
// back to the price before the sale. That is a change, and has its own undo.
func TestAnEndedSaleIsUndone(t *testing.T) {
	t.Parallel()
	d := open(t)
	sale, products := endedSale(d)
	untouched, edited, chance := products[0], products[1], products[2]
	const left = `conflict {"price":5000,"discounted_price":4500}, conflict {"price":5000,"discounted_price":4000}`
	dry, err := d.DryUndo(as(t, "staff:b"), undoing(sale))
	if err != nil || outcomes(dry.Rows) != left || string(dry.Rows[1].Now) != `{"price":5000,"discounted_price":5000}` {
		t.Errorf("a dry undo: %v %s", err, outcomes(dry.Rows))
	}
	before := d.Head()
	_, err = d.Undo(as(t, "staff:b"), undoing(sale))
	var refused *changes.Refused
	if !errors.As(err, &refused) || outcomes(refused.Rows) != left || d.Head() != before {
		t.Errorf("an undo that puts nothing back: %v", err)
	}
	back, err := d.Undo(as(t, "staff:b"), undoing(sale, 1))
	if err != nil {
		t.Fatal(err)
	}
	d.wants(untouched, "9000/9000")
	d.wants(edited, "5000/5000")
	d.wants(chance, "5000/4500")
	if s, _ := d.Show(t.Context(), sale); s.Status != change.StatusUndone || s.UndoneBy != back.ID || len(s.Ended) != 3 {
		t.Errorf("the sale is %s by %s", s.Status, s.UndoneBy)
	}
	if _, err := d.Undo(as(t, "staff:b"), undoing(sale, 2)); !errors.Is(err, change.ErrUndone) {
		t.Errorf("undone twice: %v", err)
	}
	for _, want := range []string{"5000/4000", "5000/5000"} {
		if back, err = d.Undo(as(t, "staff:b"), undoing(back.ID)); err != nil {
			t.Fatal(err)
		}
		d.wants(edited, want)
	}
	if s, _ := d.Show(t.Context(), back.ID); !s.EndsAt.IsZero() {
		t.Errorf("the undo of an undo of an ended sale ends at %s", s.EndsAt)
	}
}

// TestWhatSomebodySetStaysWhenAnUndoIsAppliedLater: an undo that waits for a second person leaves the very price of the sale, too.
func TestWhatSomebodySetStaysWhenAnUndoIsAppliedLater(t *testing.T) {
	t.Parallel()
	d := open(t)
	sale, products := endedSale(d)
	waiting := undoing(sale, 1)
	waiting.May = only(staff.ChangeCatalog)
	back, err := d.Undo(as(t, "staff:b"), waiting)
	if err != nil || back.Status != change.Waiting {
		t.Fatalf("%v: %s", err, back.Status)
	}
	if _, err := d.Approve(as(t, "staff:c"), back.ID, ""); err != nil {
		t.Fatal(err)
	}
	d.wants(products[1], "5000/5000")
	d.wants(products[2], "5000/4500")
}

// TestASaleThatPutBackEverythingHasNothingToUndo: also when its undo waited for a second person meanwhile.
func TestASaleThatPutBackEverythingHasNothingToUndo(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	p := proposal(asked("product", id, "discount", "", "10"))
	p.EndsAt = testshop.Noon.Add(time.Hour)
	sale := d.must(p).ID
	waiting := undoing(sale)
	waiting.May = only(staff.ChangeCatalog)
	back, err := d.Undo(as(t, "staff:b"), waiting)
	if err != nil || back.Status != change.Waiting {
		t.Fatalf("%v: %s", err, back.Status)
	}
	d.Clock.Advance(time.Hour)
	d.carryOn(sale)
	for _, undo := range []func() error{
		func() error { _, err := d.DryUndo(as(t, "staff:b"), undoing(sale)); return err },
		func() error { _, err := d.Undo(as(t, "staff:b"), undoing(sale, 0)); return err },
	} {
		if err := undo(); !errors.Is(err, change.ErrAllBack) {
			t.Errorf("answers %v", err)
		}
	}
	if _, err := d.Approve(as(t, "staff:c"), back.ID, ""); err != nil {
		t.Errorf("the undo that waited: %v", err)
	}
	d.wants(id, "9000/9000")
	if s, _ := d.Show(t.Context(), back.ID); s.Status != change.StatusApplied || s.Applied[0].Outcome != change.Same {
		t.Errorf("the undo that waited is %s: %+v", s.Status, s.Applied)
	}
}

// TestWhatTheEndCouldNotPutBackGoesBackLater: a rule stood in its way; the undo does what the end was to do.
func TestWhatTheEndCouldNotPutBackGoesBackLater(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	p := proposal(asked("stock", id, "received", "10", "15"))
	p.EndsAt = testshop.Noon.Add(time.Hour)
	lent := d.must(p).ID
	d.must(proposal(asked("stock", id, "on_hand", "15", "3")))
	d.Clock.Advance(time.Hour)
	d.carryOn(lent)
	if s, _ := d.Show(t.Context(), lent); s.Ended[0].Code != changes.ErrFewLeft.Code {
		t.Fatalf("the end: %+v", s.Ended)
	}
	d.must(proposal(asked("stock", id, "on_hand", "3", "20")))
	back, err := d.Undo(as(t, "staff:b"), undoing(lent))
	if err != nil || outcomes(back.Rows) != "done" || string(back.Rows[0].Now) != "15" {
		t.Errorf("%v: %s", err, outcomes(back.Rows))
	}
}

// TestAnEndLeavesNoTraceInAnyReadModel: the read models of a shop with a change for a while, other edits and its end equal, row by row,
// those of a shop that had the edits alone. Half of the changes begin later; a third are undone after their end, with all that was edited.
func TestAnEndLeavesNoTraceInAnyReadModel(t *testing.T) {
	t.Parallel()
	const seeds = 6
	var ran, back int
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			with, without := openTwin(t, seed), openTwin(t, seed)
			p := with.some(12)
			p.Items = append(p.Items, with.fresh()...)
			edited := besides(with.some(8), p)
			now := with.Shop.Handler.Now()
			p.EndsAt = now.Add(4 * time.Hour)
			if seed%2 == 1 {
				p.StartsAt = now.Add(2 * time.Hour)
			}
			with.next()
			made, err := with.Propose(as(t, "staff:a"), p)
			if err != nil {
				t.Fatal(err)
			}
			with.next()
			with.carryOn(made.ID)
			with.next()
			kept := with.edit(edited)
			with.next()
			with.carryOn(made.ID)
			s, err := with.Show(t.Context(), made.ID)
			if err != nil || s.Status != change.StatusEnded {
				t.Fatalf("%v: %s", err, s.Status)
			}
			results := map[int]change.Result{}
			for n, result := range s.Ended {
				results[n] = result
			}
			var taken []changes.Asked
			if seed%3 == 2 {
				taken = with.takeBack(s, results)
			}

			for range 4 {
				without.next()
			}
			stays, follows := with.left(made.ID, results)
			without.stay("what could not go back", stays)
			without.stay("edits", kept)
			without.stay("what the end left", follows)
			without.stay("what was taken back by choice", taken)
			testshop.EqualText(t, "the order after it", with.order(), without.order())
			t.Logf("%d items of the change, %d edits, %d left, %d taken back", len(with.done(made.ID)), len(kept), len(stays)+len(follows), len(taken))
			compareRows(t, with.rows(), without.rows())
			ran, back = ran+1, back+len(taken)
		})
	}
	if ran == seeds && back == 0 {
		t.Error("no seed takes anything back by choice")
	}
}

// edit makes edits as somebody else; those that were made.
func (w *twin) edit(p changes.Proposal) []changes.Asked {
	if a, err := w.Propose(as(w.T, "staff:b"), p); err == nil {
		return w.done(a.ID)
	}
	return nil
}

// takeBack undoes an ended change with all that somebody edited, and notes in results what became of it; what went back to what it was.
func (w *twin) takeBack(s change.State, results map[int]change.Result) (taken []changes.Asked) {
	w.T.Helper()
	dry, err := w.DryUndo(as(w.T, "staff:a"), undoing(s.ID))
	if errors.Is(err, change.ErrAllBack) {
		return nil
	}
	if err != nil {
		w.T.Fatal(err)
	}
	var force []int
	for n, result := range resultsOf(dry) {
		if result.Outcome == change.Conflict {
			force = append(force, n)
		}
	}
	back, err := w.Undo(as(w.T, "staff:a"), undoing(s.ID, force...))
	var refused *changes.Refused
	if errors.As(err, &refused) {
		return nil // a rule is in the way of all of it
	}
	if err != nil {
		w.T.Fatal(err)
	}
	for n, result := range resultsOf(back) {
		item := s.List[n]
		if results[n] = result; result.Outcome == change.Done && item.Field != "received" { // pieces go by themselves
			taken = append(taken, changes.Asked{Thing: item.Thing, ID: item.ID, Field: item.Field, Now: item.Was})
		}
	}
	slices.SortFunc(taken, func(a, b changes.Asked) int { return slices.Compare([]string{a.ID, a.Field}, []string{b.ID, b.Field}) })
	return taken
}

// TestAnUndoOfAnUndoIsTheChange: every read model is as if the change and the edits after it were all that happened.
func TestAnUndoOfAnUndoIsTheChange(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			twice, once := openTwin(t, seed), openTwin(t, seed)
			p := twice.some(12)
			p.Items = append(p.Items, twice.fresh()...)
			edited := besides(twice.some(4), p)
			made := map[*twin]domain.ID{}
			for _, w := range []*twin{twice, once} {
				w.next()
				a, err := w.Propose(as(t, "staff:a"), p)
				if err != nil {
					t.Fatal(err)
				}
				made[w] = a.ID
				w.next()
				w.edit(edited)
				w.next()
			}
			back, err := twice.Undo(as(t, "staff:a"), undoing(made[twice]))
			if err != nil {
				t.Fatal(err)
			}
			again, err := twice.Undo(as(t, "staff:a"), undoing(back.ID))
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range again.Rows {
				if row.Outcome != change.Done {
					t.Errorf("%s %s %s does not come again: %s %s", row.Thing, row.ID, row.Field, row.Outcome, row.Detail)
				}
			}
			testshop.EqualText(t, "the order after it", twice.order(), once.order())
			t.Logf("%d items of the change, %d put back and set again", len(once.done(made[once])), len(again.Rows))
			compareRows(t, twice.rows(), once.rows())
		})
	}
}
