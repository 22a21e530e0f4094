package changes_test

import (
	"fmt"
	"testing"
	"time"

	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/promocode"
	"shop/readapi/staff"
)

// TestWhatStaysAfterAnUndo: what shoppers did with the things of a change since it was applied is told by thing and reason; what they did
// before, and with other things, is not.
func TestWhatStaysAfterAnUndo(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Happened = staff.Shop{DB: d.Pool}
	cream, soap := d.Product(9_000, 9_000, 10), d.Product(8_000, 8_000, 10)
	d.Promocode("SPRING", promocode.Terms{Kind: promocode.Fixed, Value: 100})
	order := func(code string, ids ...domain.ID) {
		var lines []testshop.Fields
		for _, id := range ids {
			lines = append(lines, testshop.Line(id, 1))
		}
		body := testshop.Checkout(lines...)
		if code != "" {
			body = body.With("promocode", code)
		}
		d.Placed(body)
	}
	order("", cream)
	d.Clock.Advance(time.Second)
	made := d.must(proposal(
		asked("product", cream, "price", "", "8000"), asked("stock", cream, "received", "10", "12"), asked("promocode", "SPRING", "terms", "", `{"kind":"fixed","value":200}`),
		asked("product", soap, "shelf", "", `"A"`),
	))
	d.Clock.Advance(time.Second)
	order("", cream)
	order("SPRING", cream)
	stays, err := d.Stays(t.Context(), made.ID)
	want := fmt.Sprintf("[{product %s shoppers 2} {promocode SPRING shoppers 1}]", cream)
	if got := fmt.Sprint(stays); err != nil || got != want {
		t.Errorf("%s stays, want %s (%v)", got, want, err)
	}
}
