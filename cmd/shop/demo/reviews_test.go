package demo_test

import (
	"slices"
	"testing"
	"time"

	"shop/cmd/shop/demo"
)

func TestReviewsAreBelievable(t *testing.T) {
	plan, goods := past(t)
	if n := len(plan.Reviews); n < 300 || n > 600 {
		t.Errorf("%d reviews", n)
	}
	ratings, texts, products := map[int64]int{}, map[string]int{}, map[string]bool{}
	replies, photographed := 0, 0
	last := plan.Opened
	for i, v := range plan.Reviews {
		if v.At.Before(last) || v.At.After(now) {
			t.Errorf("review %d is of %v, after %v", i, v.At, last)
		}
		last = v.At
		bought := slices.ContainsFunc(plan.Orders, func(o demo.Order) bool {
			return o.Person == v.Person && o.At.Before(v.At) && slices.ContainsFunc(o.Lines, func(l demo.Line) bool { return l.Article == v.Article })
		})
		if !bought || goods[v.Article].Article == "" {
			t.Errorf("review %d is of %s, which was not bought", i, v.Article)
		}
		ratings[v.Rating]++
		texts[v.Content]++
		products[v.Article] = true
		if v.Photo != "" {
			photographed++
		}
		if v.Reply != "" {
			replies++
			if v.RepliedAt.Before(v.At) || v.RepliedAt.After(now) {
				t.Errorf("review %d is answered at %v", i, v.RepliedAt)
			}
		} else if v.Rating < 4 && now.Sub(v.At) > 72*time.Hour {
			t.Errorf("review %d has %d stars and no answer", i, v.Rating)
		}
	}
	all := len(plan.Reviews)
	if good := ratings[4] + ratings[5]; good < all*80/100 || good > all*94/100 || ratings[3] == 0 || ratings[2] == 0 {
		t.Errorf("ratings: %v", ratings)
	}
	if len(texts) < all*9/10 {
		t.Errorf("%d texts of %d reviews", len(texts), all)
	}
	if len(products) < 80 || replies < 40 || photographed < 5 || photographed > 10 {
		t.Errorf("%d products, %d replies, %d with photos", len(products), replies, photographed)
	}
}

func TestTheAccountHasSeenEverything(t *testing.T) {
	plan, _ := past(t)
	outcomes := map[string]int{}
	var newest time.Time
	for _, o := range plan.Orders {
		if o.Email != "demo@dala.example" {
			continue
		}
		outcomes[string(o.Outcome)]++
		if o.SpendBonus {
			outcomes["with bonuses"]++
		}
		newest = o.At
	}
	if outcomes["completed"] < 7 || outcomes["cancelled"] != 1 || outcomes["payment_err"] != 1 || outcomes["with bonuses"] != 4 || now.Sub(newest) > 24*time.Hour {
		t.Errorf("%v, the newest at %v", outcomes, newest)
	}
}
