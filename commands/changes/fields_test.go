package changes_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/changes"
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

// TestADeliveryIsReceived: more pieces than before came in, as the reason says; an undo counts them out again.
func TestADeliveryIsReceived(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	p := proposal(asked("stock", id, "received", "10", "15"))
	p.Reason = "invoice 7"
	made := d.must(p)
	if _, err := d.Undo(as(t, "staff:a"), changes.Undoing{Change: made.ID, May: everything}); err != nil {
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
			moves += " =" + e.Cause.Kind
		}
	}
	if want := " +receipt  +receipt invoice 7 =count"; moves != want {
		t.Errorf("movements%s, want%s", moves, want)
	}
}
