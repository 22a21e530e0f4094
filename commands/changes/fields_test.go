package changes_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/stock"
)

// TestAnArticleKeepsItsDate: one that names no date is as it is with any, also where somebody says what it was; one that names a date has it,
// and has its former one when that is undone.
func TestAnArticleKeepsItsDate(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := uuid.MustParse("0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60")
	says := func(title, date string) string {
		if date != "" {
			date = `,"published_at":"` + date + `"`
		}
		return `{"link":"inci","title":"` + title + `","excerpt":"","source":"","html":"<p>1</p>","picture":"","alt":"","photo":null` + date + `}`
	}
	expect := func(title, date string) {
		t.Helper()
		s, err := commands.See(t.Context(), d.Shop.Handler, commands.PostStream(id))
		if err != nil || s.Article.Title != title || s.Article.PublishedAt.Format(time.DateOnly) != date {
			t.Errorf("%+v, %v, want %s of %s", s.Article, err, title, date)
		}
	}
	d.must(proposal(asked("post", id, "article", "null", says("One", "2026-01-05T00:00:00Z"))))
	expect("One", "2026-01-05")
	d.must(proposal(asked("post", id, "article", says("One", ""), says("Two", ""))))
	expect("Two", "2026-01-05")
	dated := d.must(proposal(asked("post", id, "article", says("Two", ""), says("Two", "2026-02-05T00:00:00Z"))))
	expect("Two", "2026-02-05")
	if _, err := d.Undo(as(t, "staff:a"), changes.Undoing{Change: dated.ID, May: everything}); err != nil {
		t.Fatal(err)
	}
	expect("Two", "2026-01-05")
}

// TestADeliveryIsReceived: more pieces than before came in, as the reason says; an undo takes them out again, as the delivery they were.
func TestADeliveryIsReceived(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	p := proposal(asked("stock", id, "received", "10", "15"))
	p.Reason = "invoice 7"
	made := d.must(p)
	back, err := d.Undo(as(t, "staff:a"), changes.Undoing{Change: made.ID, May: everything})
	if err != nil {
		t.Fatal(err)
	}
	events, err := d.Log.Stream(t.Context(), stock.Stream(id), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	moves := ""
	for _, e := range events {
		switch e := e.Data.(type) {
		case stock.Received:
			moves += " +" + e.Cause.Kind + " " + e.Cause.Ref
		case stock.Adjusted:
			moves += " =" + e.Cause.Kind + " " + e.Cause.Ref
		}
	}
	if want := " +receipt  +receipt invoice 7 =receipt change:" + back.ID.String(); moves != want {
		t.Errorf("movements%s, want%s", moves, want)
	}
}

func (d desk) onHand(id domain.ID, want int64) {
	d.T.Helper()
	if got := d.StockOf(id).OnHand; got != want {
		d.T.Errorf("%d pieces are on hand, want %d", got, want)
	}
}

// TestADeliveryAddsToWhatIsThere: what was sold or counted before it comes changes what there is, not what comes. Taken back, its pieces
// go, whatever was sold or counted since; they stay when fewer are free.
func TestADeliveryAddsToWhatIsThere(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, other := d.Product(9_000, 9_000, 10), d.Product(9_000, 9_000, 10)
	sell := func(n int) { d.Placed(testshop.Checkout(testshop.Line(id, n))) }
	count := func(n int64) {
		t.Helper()
		if _, err := testshop.Count(t.Context(), d.Shop.Handler, id, n); err != nil {
			t.Fatal(err)
		}
	}
	undo := func(of domain.ID, want string, force ...int) domain.ID {
		t.Helper()
		a, err := d.Undo(as(t, "staff:a"), changes.Undoing{Change: of, Force: force, May: everything})
		rows, refused := a.Rows, (*changes.Refused)(nil)
		if errors.As(err, &refused) {
			rows = refused.Rows
		} else if err != nil {
			t.Fatal(err)
		}
		if got := outcomes(rows); got != want {
			t.Errorf("the undo answers %s, want %s", got, want)
		}
		return a.ID
	}
	p := proposal(asked("stock", id, "received", "10", "15"), asked("stock", other, "received", "", "12"))
	p.StartsAt = d.Shop.Handler.Now().Add(2 * time.Hour)
	planned := d.must(p)
	sell(3)
	count(9)
	d.Clock.Advance(2 * time.Hour)
	d.carryOn(planned.ID)
	d.onHand(id, 14)
	d.onHand(other, 12)

	d.Clock.Advance(time.Hour)
	sell(4)
	back := undo(planned.ID, "done, done")
	d.onHand(id, 9)
	again := undo(back, "done, done")
	d.onHand(id, 14)

	sell(4) // 11 are reserved, 3 free
	undo(again, "done, refused change/few-left")
	d.onHand(id, 14)
	next := d.must(proposal(asked("stock", id, "received", "14", "20")))
	d.Clock.Advance(time.Hour)
	count(18)
	undo(next.ID, "done", 0) // to force it changes nothing
	d.onHand(id, 12)
}

// TestADeliveryForAWhile: when it ends its pieces go, and those that were sold before stay sold.
func TestADeliveryForAWhile(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	p := proposal(asked("stock", id, "received", "10", "15"))
	p.EndsAt = d.Shop.Handler.Now().Add(time.Hour)
	made := d.must(p)
	d.Placed(testshop.Checkout(testshop.Line(id, 3)))
	second := d.must(proposal(asked("stock", id, "received", "15", "16"))) // another delivery is no count
	d.Clock.Advance(time.Hour)
	d.carryOn(made.ID)
	d.onHand(id, 11)
	if s, _ := d.Show(t.Context(), made.ID); len(s.Ended) != 1 || s.Ended[0].Outcome != change.Done {
		t.Errorf("it ended as %+v", s.Ended)
	}
	if _, err := d.Undo(as(t, "staff:a"), changes.Undoing{Change: second.ID, May: everything}); err != nil {
		t.Fatal(err)
	}
	d.onHand(id, 10)
}

// TestAChangeDoesNotCountWhatItReceives: the pieces on hand would depend on which of the two comes first.
func TestAChangeDoesNotCountWhatItReceives(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	for _, items := range [][]changes.Asked{
		{asked("stock", id, "received", "10", "15"), asked("stock", id, "on_hand", "10", "7")},
		{asked("stock", id, "on_hand", "10", "7"), asked("stock", id, "received", "10", "15")},
		{asked("stock", id, "received", "10", "15"), asked("stock", id, "received", "10", "11")},
	} {
		_, err := d.Propose(as(t, "staff:a"), proposal(items...))
		var refused *changes.Refused
		if !errors.As(err, &refused) || refused.Rows[1].Code != changes.ErrOverlap.Code {
			t.Errorf("answers %v", err)
		}
	}
	d.onHand(id, 10)
}
