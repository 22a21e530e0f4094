package changes_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/change"
)

// planned are what changes hold, as a read model would tell.
type planned []changes.Hold

func (p planned) Holds(context.Context, []string) ([]changes.Hold, error) { return p, nil }

// TestTwoSalesOverOnePrice: the second is refused and names the first; one that begins when the first ended is planned over the price
// that comes back.
func TestTwoSalesOverOnePrice(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Product(9_000, 9_000, 10)
	hour := func(n int) time.Time { return testshop.Noon.Add(time.Duration(n) * time.Hour) }
	sale := func(was, percent string, from, until time.Time) changes.Proposal {
		p := proposal(asked("product", id, "discount", was, percent))
		p.Title, p.StartsAt, p.EndsAt = "Spring", from, until
		return p
	}
	first := d.must(sale("0", "10", time.Time{}, hour(4)))
	refused := func(p changes.Proposal, code, text string) {
		t.Helper()
		_, err := d.Propose(as(t, "staff:a"), p)
		var rows *changes.Refused
		if !errors.As(err, &rows) || rows.Rows[0].Code != code || !strings.Contains(rows.Rows[0].Detail, text) {
			t.Errorf("answers %v %+v", err, rows)
		}
	}
	refused(sale("", "20", time.Time{}, hour(2)), "catalog/price-held", "2026-03-03")
	refused(sale("", "20", hour(3), hour(8)), "catalog/price-held", "")
	d.Plans = planned{{Change: first.ID, Title: "Spring", Thing: "product", ID: id.String(), Field: "prices", From: hour(0), Until: hour(4)}}
	refused(sale("", "20", hour(3), hour(8)), "change/held", "«Spring» ("+first.ID.String()+") holds this until")
	refused(sale("", "20", hour(1), time.Time{}), "change/held", "Spring")

	next := d.must(sale("10", "20", hour(4), hour(8)))
	if s, _ := d.Show(t.Context(), next.ID); string(s.List[0].Was) != `{"price":9000,"discounted_price":9000}` || string(s.List[0].Now) != `{"price":9000,"discounted_price":7200}` {
		t.Errorf("planned %s -> %s", s.List[0].Was, s.List[0].Now)
	}
	d.wants(id, "9000/8100")
	d.Clock.Advance(4 * time.Hour)
	d.carryOn(first.ID, next.ID)
	d.wants(id, "9000/7200")
	d.Clock.Advance(4 * time.Hour)
	d.carryOn(next.ID)
	d.wants(id, "9000/9000")
}

// carryOn applies or ends what is due of changes, as the policy does.
func (d desk) carryOn(ids ...domain.ID) {
	d.T.Helper()
	for _, id := range ids {
		s, err := d.Show(d.T.Context(), id)
		if err != nil {
			d.T.Fatal(err)
		}
		now := d.Shop.Handler.Now()
		switch {
		case s.Status == change.Planned && !s.StartsAt.After(now):
			_, err = d.Apply(d.T.Context(), id)
		case s.Status == change.Running && !s.EndsAt.After(now):
			_, err = d.End(d.T.Context(), id)
		}
		if err != nil {
			d.T.Fatal(err)
		}
	}
}

// TestSalesThatOverlapGiveBackWhatWasBefore: with any sales over any prices and any edits between, at the end every price is the last
// that somebody set for good, even when nobody knows what is planned.
func TestSalesThatOverlapGiveBackWhatWasBefore(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 17))
			d := open(t)
			products := []domain.ID{d.Product(9_000, 9_000, 10), d.Product(5_000, 4_000, 10), d.Product(1_000, 1_000, 10)}
			lasting := map[domain.ID]string{}
			for _, id := range products {
				lasting[id] = d.prices(id)
			}
			var sales []domain.ID
			for range 40 {
				switch r.IntN(4) {
				case 0:
					id, price := products[r.IntN(3)], 500+r.IntN(3)*100 // few prices, so that many meet by chance
					written, err := (&commands.Catalog{Handler: d.Shop.Handler}).PriceProduct(t.Context(), id, domain.Money(price), domain.Money(price))
					if err != nil {
						t.Fatal(err)
					}
					if written > 0 { // the price that it has already is none
						lasting[id] = d.prices(id)
					}
				case 1, 2:
					p := changes.Proposal{Title: "Sale", Partly: true, May: everything}
					for _, id := range products {
						if r.IntN(3) > 0 {
							p.Items = append(p.Items, asked("product", id, "price", "", fmt.Sprint(500+r.IntN(3)*100)))
						}
					}
					p.EndsAt = d.Shop.Handler.Now().Add(time.Duration(2+r.IntN(6)) * time.Hour)
					if r.IntN(2) == 0 {
						p.StartsAt = d.Shop.Handler.Now().Add(time.Hour)
					}
					made, err := d.Propose(as(t, "staff:a"), p)
					var refused *changes.Refused
					if err == nil {
						sales = append(sales, made.ID)
					} else if !errors.As(err, &refused) && !errors.Is(err, change.ErrNoItems) {
						t.Fatal(err)
					}
				case 3:
					d.Clock.Advance(time.Hour)
					d.carryOn(sales...)
				}
			}
			d.Clock.Advance(10 * time.Hour)
			d.carryOn(sales...)
			d.Clock.Advance(10 * time.Hour)
			d.carryOn(sales...)
			for _, id := range products {
				d.wants(id, lasting[id])
			}
		})
	}
}
