package demo_test

import (
	"errors"
	"io"
	"net/mail"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"shop/cmd/shop/demo"
	"shop/commands/catalogfile"
	"shop/domain"
)

var now = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

func past(t *testing.T) (demo.Plan, map[string]demo.Good) {
	t.Helper()
	goods, err := demo.Goods()
	if err != nil {
		t.Fatal(err)
	}
	byArticle := map[string]demo.Good{}
	for _, g := range goods {
		byArticle[g.Article] = g
	}
	return demo.Past(now, goods, demo.Orders, 1), byArticle
}

func TestPastIsTheSameForTheSameSeed(t *testing.T) {
	goods, err := demo.Goods()
	if err != nil {
		t.Fatal(err)
	}
	plan := demo.Past(now, goods, demo.Orders, 1)
	if !reflect.DeepEqual(plan, demo.Past(now, goods, demo.Orders, 1)) {
		t.Error("two plans of one seed differ")
	}
	if reflect.DeepEqual(plan.Orders, demo.Past(now, goods, demo.Orders, 2).Orders) {
		t.Error("plans of two seeds are the same")
	}
}

func TestOrdersCanBePlaced(t *testing.T) {
	plan, goods := past(t)
	if len(plan.Orders) != demo.Orders {
		t.Errorf("%d orders", len(plan.Orders))
	}
	phone := regexp.MustCompile(`^\+77[0-9]{9}$`)
	people, promocodes := map[string]demo.Person{}, map[string]bool{}
	for i, o := range plan.Orders {
		var sum domain.Money
		seen := map[string]bool{}
		for _, l := range o.Lines {
			g, ok := goods[l.Article]
			if !ok || seen[l.Article] || l.Amount < 1 || l.Amount > 5 {
				t.Errorf("order %d: line %+v", i, l)
			}
			if g.Arrival && o.At.Before(plan.Arrived) {
				t.Errorf("order %d: %s was not there yet", i, l.Article)
			}
			seen[l.Article] = true
			sum += g.Price * l.Amount
		}
		if sum < 7000 {
			t.Errorf("order %d: sum %d", i, sum)
		}
		if o.Payment == domain.Cash && (o.City != "Алматы" || o.Delivery != domain.Delivery) {
			t.Errorf("order %d: cash for %s in %s", i, o.Delivery, o.City)
		}
		if o.Delivery == domain.Pickup && o.City != "Алматы" {
			t.Errorf("order %d: pickup in %s", i, o.City)
		}
		if _, err := mail.ParseAddress(o.Email); err != nil || !phone.MatchString(o.Phone) {
			t.Errorf("order %d: %s %s", i, o.Email, o.Phone)
		}
		if o.FirstName == "" || o.LastName == "" || o.Street == "" || o.House == "" {
			t.Errorf("order %d: %+v", i, o.Person)
		}
		if known, ok := people[o.Email]; ok && known != o.Person {
			t.Errorf("order %d: two people share %s", i, o.Email)
		}
		if o.Promocode != "" && (people[o.Email].Email != "" || promocodes[o.Email]) {
			t.Errorf("order %d: a promo code that is not for the first order", i)
		}
		people[o.Email], promocodes[o.Email] = o.Person, o.Promocode != ""
	}
	if len(people) < 1000 || len(people) > 2000 {
		t.Errorf("%d customers", len(people))
	}
}

func TestOrdersLiveInOrder(t *testing.T) {
	plan, _ := past(t)
	counts := map[demo.Outcome]int{}
	last := plan.Opened
	for i, o := range plan.Orders {
		counts[o.Outcome]++
		if o.At.Before(last) || o.At.After(now) {
			t.Errorf("order %d is placed at %v, after %v", i, o.At, last)
		}
		last = o.At
		at, paid := o.At, false
		for _, s := range o.Steps {
			if s.At.Before(at) || s.At.After(now) {
				t.Errorf("order %d: %s at %v, after %v", i, s.Kind, s.At, at)
			}
			at = s.At
			switch s.Kind {
			case demo.Pay, demo.Approve:
				if (s.Kind == demo.Approve) != (o.Payment == domain.Cash) {
					t.Errorf("order %d: %s of a %s order", i, s.Kind, o.Payment)
				}
				paid = true
			case demo.Process, demo.Complete:
				if !paid {
					t.Errorf("order %d: %s before it is paid", i, s.Kind)
				}
			}
			if s.Kind == demo.Pay && o.Payment == domain.Card && s.At.Sub(o.At) > 30*time.Minute {
				t.Errorf("order %d: paid after %v", i, s.At.Sub(o.At))
			}
		}
		final := map[demo.Outcome]demo.StepKind{demo.Completed: demo.Complete, demo.Cancelled: demo.Cancel, demo.PaymentError: demo.RefusePayment}[o.Outcome]
		if final != "" && (len(o.Steps) == 0 || o.Steps[len(o.Steps)-1].Kind != final) {
			t.Errorf("order %d is %s after %v", i, o.Outcome, o.Steps)
		}
		if o.Outcome == demo.InProgress && now.Sub(o.At) > 8*24*time.Hour {
			t.Errorf("order %d is in progress since %v", i, o.At)
		}
	}
	for outcome, bounds := range map[demo.Outcome][2]int{demo.Completed: {2600, 2900}, demo.Cancelled: {80, 200}, demo.PaymentError: {50, 150}, demo.InProgress: {10, 150}} {
		if n := counts[outcome]; n < bounds[0] || n > bounds[1] {
			t.Errorf("%d orders are %s", n, outcome)
		}
	}
}

// TestNothingIsOversold replays the plan on the stock that the catalog file states.
func TestNothingIsOversold(t *testing.T) {
	plan, goods := past(t)
	for _, r := range plan.Receipts {
		if r.Quantity < 1 || r.At.Before(plan.Opened) || goods[r.Article].Arrival && r.At.Before(plan.Arrived) {
			t.Errorf("receipt %+v", r)
		}
	}
	if !slices.IsSortedFunc(plan.Receipts, func(a, b demo.Receipt) int { return a.At.Compare(b.At) }) {
		t.Error("receipts are not sorted")
	}
	free := stockOf(plan, goods)
	for _, o := range plan.Orders {
		for _, l := range o.Lines {
			if left := free(l.Article, o.At); left < 0 {
				t.Fatalf("%s: %d pieces at %v", l.Article, left, o.At)
			}
		}
	}
	for article, g := range goods {
		if left := free(article, now); g.Stock == 0 && left != 0 || left < g.Stock || left > g.Stock+12 {
			t.Errorf("%s: %d pieces are left of %d", article, left, g.Stock)
		}
	}
}

// stockOf says how many pieces of an article are free after a moment of the plan.
func stockOf(plan demo.Plan, goods map[string]demo.Good) func(article string, at time.Time) int64 {
	type move struct {
		at       time.Time
		quantity int64
	}
	moves := map[string][]move{}
	for _, r := range plan.Receipts {
		moves[r.Article] = append(moves[r.Article], move{r.At, r.Quantity})
	}
	for _, o := range plan.Orders {
		for _, l := range o.Lines {
			moves[l.Article] = append(moves[l.Article], move{o.At, -l.Amount})
			if o.Outcome == demo.Cancelled || o.Outcome == demo.PaymentError {
				moves[l.Article] = append(moves[l.Article], move{o.Steps[len(o.Steps)-1].At, l.Amount})
			}
		}
	}
	return func(article string, at time.Time) int64 {
		free := goods[article].Stock
		for _, m := range moves[article] {
			if !m.at.After(at) {
				free += m.quantity
			}
		}
		return free
	}
}

func TestPastLooksLikeAShop(t *testing.T) {
	plan, goods := past(t)
	units, byMonth, byCity := map[string]int64{}, map[time.Month]int{}, map[string]int{}
	var sun [2]int64
	for _, o := range plan.Orders {
		byMonth[o.At.Month()]++
		byCity[o.City]++
		for _, l := range o.Lines {
			units[l.Article] += l.Amount
			if goods[l.Article].Leaf == "Солнце" {
				sun[map[bool]int{true: 1}[o.At.Month() >= time.May && o.At.Month() <= time.August]] += l.Amount
			}
		}
	}
	var sold []int64
	var total, top int64
	for _, n := range units {
		sold = append(sold, n)
		total += n
	}
	slices.SortFunc(sold, func(a, b int64) int { return int(b - a) })
	for _, n := range sold[:len(goods)/10] {
		top += n
	}
	if share := 100 * top / total; share < 25 || share > 60 {
		t.Errorf("a tenth of the goods makes %d %% of the units", share)
	}
	if len(units) < len(goods)*9/10 {
		t.Errorf("only %d of %d goods were ever sold", len(units), len(goods))
	}
	if byMonth[time.December]*10 < byMonth[time.July]*13 {
		t.Errorf("December %d, July %d", byMonth[time.December], byMonth[time.July])
	}
	if share := 100 * byCity["Алматы"] / len(plan.Orders); share < 40 || share > 60 || len(byCity) < 15 {
		t.Errorf("%d %% from Almaty, %d cities", share, len(byCity))
	}
	if sun[1] < 2*sun[0] {
		t.Errorf("sun care: %d in summer, %d else", sun[1], sun[0])
	}
}

func TestEarlyCatalogLacksTheArrivals(t *testing.T) {
	goods, err := demo.Goods()
	if err != nil {
		t.Fatal(err)
	}
	arrivals := 0
	for _, g := range goods {
		if g.Arrival {
			arrivals++
		}
	}
	file, err := catalogfile.Open(demo.EarlyCatalogFile(goods), "early", catalogfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	early := map[string]bool{}
	for {
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		early[row.Article] = true
	}
	for _, g := range goods {
		if early[g.Article] == g.Arrival {
			t.Errorf("%s: arrival %v, in the early file %v", g.Article, g.Arrival, early[g.Article])
		}
	}
	if arrivals != 14 || len(rows(t)) != len(goods) {
		t.Errorf("%d arrivals among %d goods", arrivals, len(goods))
	}
}

func TestSmallPastsHaveTheAccountToo(t *testing.T) {
	goods, err := demo.Goods()
	if err != nil {
		t.Fatal(err)
	}
	for orders, accounts := range map[int]int{0: 0, 1: 0, 5: 0, 12: 12} {
		plan := demo.Past(now, goods, orders, 1)
		its := 0
		for _, o := range plan.Orders {
			if o.Account {
				its++
			}
			if o.Account && o.At.Before(plan.Registered) {
				t.Errorf("%d orders: one of the account's at %v, opened at %v", orders, o.At, plan.Registered)
			}
		}
		if len(plan.Orders) != orders || its != accounts {
			t.Errorf("%d orders: planned %d, %d of the account's", orders, len(plan.Orders), its)
		}
		if plan.Customer.Email != "demo@dala.example" || plan.Registered.Before(plan.Opened) || plan.Registered.After(plan.Now) {
			t.Errorf("%d orders: %q opens an account at %v", orders, plan.Customer.Email, plan.Registered)
		}
	}
}

func TestBasketsAreLeftForEveryReason(t *testing.T) {
	plan, goods := past(t)
	free := stockOf(plan, goods)
	count, attempts := map[string]int{}, map[string]int{}
	for i, a := range plan.Abandoned {
		count[a.Reason]++
		if a.Tried {
			attempts[a.Reason]++
		}
		var sum domain.Money
		short := false
		for _, l := range a.Lines {
			g := goods[l.Article]
			if g.Arrival && a.PricedAt.Before(plan.Arrived) {
				t.Errorf("basket %d: %s was not there yet", i, l.Article)
			}
			sum += g.Price * l.Amount
			short = short || free(l.Article, a.At) < l.Amount
		}
		for what, is := range map[string][2]bool{
			"is worth too little": {sum < 7000, a.Reason == "below_minimum"},
			"wants what is gone":  {short, a.Reason == "out_of_stock"},
			"has a promo code":    {a.Promocode != "", a.Reason == "promo_invalid"},
			"is paid in cash":     {a.Payment == domain.Cash, a.Reason == "cash_unavailable"},
			"takes time":          {a.PricedAt.Before(a.At), a.Tried || a.Reason == "emptied"},
		} {
			if is[0] != is[1] {
				t.Errorf("basket %d, left for %q, %s: %v", i, a.Reason, what, is[0])
			}
		}
		if far := a.City != "" && a.City != "Алматы"; a.Reason == "" && far || a.Reason == "delivery_unknown" && !far {
			t.Errorf("basket %d, left for %q, is to be sent to %q", i, a.Reason, a.City)
		}
		if a.PricedAt.Before(plan.Opened.Add(30*time.Minute)) || a.At.After(now) {
			t.Errorf("basket %d: from %v to %v", i, a.PricedAt, a.At)
		}
	}
	for _, reason := range []string{"", "below_minimum", "delivery_unknown", "out_of_stock", "promo_invalid", "emptied", "cash_unavailable"} {
		if count[reason] < 5 {
			t.Errorf("%d baskets are left for %q", count[reason], reason)
		}
	}
	for _, reason := range []string{"below_minimum", "out_of_stock", "promo_invalid", "cash_unavailable"} {
		if attempts[reason] == 0 || attempts[reason] == count[reason] {
			t.Errorf("%d of %d baskets left for %q were tried", attempts[reason], count[reason], reason)
		}
	}
	if len(plan.Abandoned) != 600 || attempts[""]+attempts["delivery_unknown"]+attempts["emptied"] > 0 {
		t.Errorf("%d baskets, tried: %v", len(plan.Abandoned), attempts)
	}
	for i, o := range plan.Orders {
		if before := o.At.Sub(o.PricedAt); before <= 0 || before > time.Hour {
			t.Errorf("order %d is priced %v before", i, before)
		}
	}
}
