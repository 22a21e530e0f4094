package changes_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore/feed"
)

// products are n products at 9 000, the first and the last with many pieces.
func (d desk) products(n int) []domain.ID {
	d.T.Helper()
	ids := make([]domain.ID, n)
	_, err := d.Shop.Handler.Do(d.T.Context(), false, func(u *commands.Unit) error {
		for i := range ids {
			ids[i] = uuid.Must(uuid.NewV7())
			u.New(commands.ProductStream(ids[i]))
			put := catalog.PutProduct{
				ID: ids[i], Article: fmt.Sprint("A-", i), Link: fmt.Sprint("krem-", i), CategoryID: uuid.Must(uuid.NewV7()),
				Text: catalog.ProductText{Name: "Крем"}, Price: 9_000, DiscountedPrice: 9_000, At: u.At(),
			}
			if err := commands.ProductStream(ids[i]).Do(u, put); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.T.Fatal(err)
	}
	for _, id := range []domain.ID{ids[0], ids[n-1]} {
		if _, err := (&commands.Stock{Handler: d.Shop.Handler}).Receive(d.T.Context(), id, 100_000, ""); err != nil {
			d.T.Fatal(err)
		}
	}
	return ids
}

// priced sets the price of all.
func priced(ids []domain.ID, price int) changes.Proposal {
	var p changes.Proposal
	for _, id := range ids {
		p.Items = append(p.Items, asked("product", id, "price", "", fmt.Sprint(price)))
	}
	p.Title, p.May = "Sale", everything
	return p
}

// TestNoOrderMixesThePricesOfAChange: one process sets the prices of two products, and of a thousand, while another that follows the
// log takes orders of the first and the last. Every order has the old prices or the new ones.
func TestNoOrderMixesThePricesOfAChange(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 1_000} {
		d := open(t)
		ids := d.products(n)
		elsewhere := &changes.Changes{Handler: commands.New(d.Log, commands.Options{Clock: d.Clock.Now}), Fields: changes.All()}
		d.Use(d.Log)
		follower := feed.New(d.Log, feed.Options{})
		follower.Observe(d.Shop.Handler.Observe)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- follower.Run(ctx) }()
		applied := make(chan error, 1)
		go func() {
			for _, price := range []int{8_000, 9_000, 8_000} {
				if _, err := elsewhere.Propose(as(t, "staff:a"), priced(ids, price)); err != nil {
					applied <- err
					return
				}
			}
			applied <- nil
		}()
		sums := map[domain.Money]int{}
		for i, left := 0, -1; left != 0; i++ {
			select {
			case err := <-applied:
				if err != nil {
					t.Error(err)
				}
				left = 3
			default:
			}
			body := testshop.Checkout(testshop.Line(ids[0], 1), testshop.Line(ids[n-1], 1)).
				With("customer_phone", fmt.Sprintf("+7701%07d", i)).With("customer_email", fmt.Sprintf("a%d@example.kz", i))
			sums[d.OrderOf(d.Placed(body).ID).Placed.Calculation.TotalSum]++
			if left > 0 {
				left--
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("feed: %v", err)
		}
		t.Logf("%d products: orders by sum %v", n, sums)
		for sum := range sums {
			if sum != 18_000 && sum != 16_000 {
				t.Errorf("%d products: %d orders mix prices: %d", n, sums[sum], sum)
			}
		}
	}
}

// BenchmarkTenThousandPrices applies a change of 10 000 prices.
func BenchmarkTenThousandPrices(b *testing.B) {
	d := open(b)
	ids := d.products(10_000)
	price := 9_000
	for b.Loop() {
		price++
		start := time.Now()
		d.must(priced(ids, price))
		b.Logf("10000 prices: %v", time.Since(start).Round(time.Millisecond))
	}
}
