package commands_test

import (
	"testing"
	"time"

	"shop/commands"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// TestAnAppendIsSeenWholeOrNotAtAll: the follower was shown the new price of one of two products that one append priced.
func TestAnAppendIsSeenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream, soap := f.elsewhere.Product(9_000, 9_000, 10), f.elsewhere.Product(9_000, 9_000, 10)
	sum := func() domain.Money {
		body := testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1), testshop.Line(soap, 1)}}
		return testshop.Read[commands.Calculation](f.Price(body, f.mine())).TotalSum
	}
	f.show(time.Now())
	testshop.Equal(t, "sum", sum(), 18_000)
	f.show(time.Now())
	f.asked()
	testshop.Equal(t, "sum again", sum(), 18_000)
	testshop.Equal(t, "questions over quiet prices", f.asked(), 0)

	_, err := f.elsewhere.Handler.Do(t.Context(), false, func(u *commands.Unit) error {
		for _, id := range []domain.ID{cream, soap} {
			of := commands.ProductStream(id)
			if err := u.Load(of); err != nil {
				return err
			}
			if err := of.Do(u, catalog.PriceProduct{Price: 8_000, DiscountedPrice: 8_000, At: u.At()}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	events, err := f.Shop.Log.Read(t.Context(), eventstore.Query{After: f.shown, Range: -1})
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	f.Handler.Observe(feed.Sight{Events: events[:1], Head: events[0].Position})
	testshop.Equal(t, "sum over one new price", sum(), 16_000)
	receipt := f.Placed(testshop.Checkout(testshop.Line(cream, 1), testshop.Line(soap, 1)))
	testshop.Equal(t, "sum of the order", f.OrderOf(receipt.ID).Placed.Calculation.TotalSum, 16_000)
	f.show(time.Now())
	f.asked()
	testshop.Equal(t, "sum after it", sum(), 16_000)
	testshop.Equal(t, "questions after it", f.asked(), 0)
}
