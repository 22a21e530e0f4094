package demo_test

import (
	"cmp"
	"errors"
	"io"
	"net/mail"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"shop/cmd/shop/demo"
	"shop/commands/importer/catalogfile"
	"shop/domain"
	"shop/domain/rules"
)

var now = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// planned is the plan that the tests look at; none changes it.
var planned = sync.OnceValues(func() (demo.Plan, error) {
	goods, err := demo.Goods()
	return demo.Past(now, goods, demo.Orders, 1), err
})

func past(t *testing.T) (demo.Plan, map[string]demo.Good) {
	t.Helper()
	plan, err := planned()
	if err != nil {
		t.Fatal(err)
	}
	goods, err := demo.Goods()
	if err != nil {
		t.Fatal(err)
	}
	byArticle := map[string]demo.Good{}
	for _, g := range goods {
		byArticle[g.Article] = g
	}
	return plan, byArticle
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
	people, used := map[string]demo.Person{}, map[[2]string]bool{}
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
			sum += costs(plan, g, o.At) * l.Amount
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
		if o.Promocode == demo.Promocode && people[o.Email].Email != "" {
			t.Errorf("order %d: a promo code that is not for the first order", i)
		}
		if o.Promocode != "" && used[[2]string{o.Email, o.Promocode}] {
			t.Errorf("order %d: %s again", i, o.Promocode)
		}
		people[o.Email], used[[2]string{o.Email, o.Promocode}] = o.Person, true
	}
	if len(people) < 1000 || len(people) > 2000 {
		t.Errorf("%d customers", len(people))
	}
}

func TestOrdersLiveInOrder(t *testing.T) {
	plan, _ := past(t)
	counts, steps := map[demo.Outcome]int{}, map[demo.StepKind]int{}
	last := plan.Opened
	for i, o := range plan.Orders {
		counts[o.Outcome]++
		if o.At.Before(last) || o.At.After(now) {
			t.Errorf("order %d is placed at %v, after %v", i, o.At, last)
		}
		last = o.At
		at, asked, paid := o.At, o.At, false
		kinds := map[demo.StepKind]time.Time{}
		for _, s := range o.Steps {
			if s.At.Before(at) || s.At.After(now) {
				t.Errorf("order %d: %s at %v, after %v", i, s.Kind, s.At, at)
			}
			at = s.At
			kinds[s.Kind] = at
			switch s.Kind {
			case demo.PayAgain:
				asked = at
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
			if s.Kind == demo.Pay && o.Payment == domain.Card && s.At.Sub(asked) > 30*time.Minute {
				t.Errorf("order %d: paid after %v", i, s.At.Sub(o.At))
			}
		}
		refused := !kinds[demo.RefusePayment].IsZero() || !kinds[demo.ExpirePayment].IsZero()
		for what, is := range map[string][2]bool{
			"is completed":  {!kinds[demo.Complete].IsZero(), o.Outcome == demo.Completed},
			"is cancelled":  {!kinds[demo.Cancel].IsZero(), o.Outcome == demo.Cancelled},
			"failed to pay": {refused && kinds[demo.PayAgain].IsZero(), o.Outcome == demo.PaymentError},
		} {
			if is[0] != is[1] {
				t.Errorf("order %d, %s, %s: %v", i, o.Outcome, what, is[0])
			}
		}
		for kind := range kinds {
			steps[kind]++
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
	for _, kind := range []demo.StepKind{demo.RefusePayment, demo.ExpirePayment, demo.PayAgain, demo.Refund} {
		if n := steps[kind]; n < 15 || n > 150 {
			t.Errorf("%d orders: %s", n, kind)
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
			for _, s := range o.Steps {
				switch s.Kind {
				case demo.Cancel, demo.RefusePayment, demo.ExpirePayment:
					moves[l.Article] = append(moves[l.Article], move{s.At, l.Amount})
				case demo.PayAgain:
					moves[l.Article] = append(moves[l.Article], move{s.At, -l.Amount})
				}
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
	if byMonth[time.December]*10 < byMonth[time.July]*11 {
		t.Errorf("December %d, July %d", byMonth[time.December], byMonth[time.July])
	}
	if share := 100 * byCity["Алматы"] / len(plan.Orders); share < 40 || share > 60 || len(byCity) < 15 {
		t.Errorf("%d %% from Almaty, %d cities", share, len(byCity))
	}
	if sun[1] < 2*sun[0] {
		t.Errorf("sun care: %d in summer, %d else", sun[1], sun[0])
	}
}

// costs is what one pays for a product at a moment of the plan.
func costs(plan demo.Plan, g demo.Good, at time.Time) domain.Money {
	pay := g.Price
	for _, p := range plan.Prices {
		if p.Article == g.Article && !p.At.After(at) {
			pay = p.Pay
		}
	}
	return pay
}

func TestPricesBecomeThoseOfTheCatalog(t *testing.T) {
	plan, goods := past(t)
	last, changes := map[string]demo.Price{}, map[string]int{}
	for _, p := range plan.Prices {
		if p.Pay < 100 || p.Pay > p.List || p.List%10 != 0 || p.Pay%10 != 0 || !p.At.Before(plan.Arrived) || p.At.Before(last[p.Article].At) {
			t.Errorf("price %+v", p)
		}
		if was := last[p.Article]; was.List == p.List && was.Pay == p.Pay {
			t.Errorf("no change: %+v", p)
		}
		last[p.Article] = p
		changes[p.Article]++
	}
	changed, often := 0, 0
	for article, n := range changes {
		if p, g := last[article], goods[article]; p.List != g.List || p.Pay != g.Price {
			t.Errorf("%s ends at %d, %d, the catalog says %d, %d", article, p.List, p.Pay, g.List, g.Price)
		}
		if n > 1 {
			changed++
		}
		if n > 3 {
			often++
		}
	}
	if changed < len(goods)/2 || often < 20 {
		t.Errorf("%d of %d prices changed, %d often", changed, len(goods), often)
	}
}

func TestRulesBecomeThoseOfANewShop(t *testing.T) {
	plan, _ := past(t)
	for i, r := range plan.Rules {
		if err := r.Rules.Check(); err != nil {
			t.Errorf("rules of %v: %v", r.At, err)
		}
		if i > 0 && (!r.At.After(plan.Rules[i-1].At) || r.Rules.Equal(plan.Rules[i-1].Rules)) {
			t.Errorf("rules %d change nothing", i)
		}
	}
	if last := plan.Rules[len(plan.Rules)-1]; len(plan.Rules) < 3 || !last.Rules.Equal(rules.Default()) {
		t.Errorf("%d versions, the last one is %+v", len(plan.Rules), last)
	}
}

func TestPromoCodesAreUsedAsTheyMay(t *testing.T) {
	plan, goods := past(t)
	codes, uses := map[string]demo.Code{}, map[string]int64{}
	for _, c := range plan.Codes {
		codes[c.Code] = c
	}
	for i, o := range plan.Orders {
		if o.Promocode == "" {
			continue
		}
		c := codes[o.Promocode]
		uses[o.Promocode]++
		var sum domain.Money
		for _, l := range o.Lines {
			sum += costs(plan, goods[l.Article], o.At) * l.Amount
		}
		ended := !c.Revoked.IsZero() && !o.At.Before(c.Revoked) || !c.Terms.ValidUntil.IsZero() && !o.At.Before(c.Terms.ValidUntil)
		if o.At.Before(c.At) || o.At.Before(c.Terms.ValidFrom) || ended || sum < c.Terms.MinSum {
			t.Errorf("order %d: %s at %v for %d", i, c.Code, o.At, sum)
		}
	}
	for code, c := range codes {
		if uses[code] < 5 || c.Terms.Uses > 0 && uses[code] > c.Terms.Uses {
			t.Errorf("%s was used %d times", code, uses[code])
		}
	}
}

// TestMembersComeBack looks at who ordered in the months after their first order.
func TestMembersComeBack(t *testing.T) {
	plan, _ := past(t)
	joined, first := map[string]time.Time{}, map[string]time.Time{}
	for _, m := range plan.Members {
		joined[m.Email] = m.At
		if (m.Password != "") != (m.Email == "demo@dala.example") {
			t.Errorf("%s has the password %q", m.Email, m.Password)
		}
	}
	const month = 30 * 24 * time.Hour
	came := map[int]map[string]bool{}
	orders := 0
	for i, o := range plan.Orders {
		at, member := joined[o.Email]
		if member != o.Member || member && at.After(o.At) {
			t.Errorf("order %d of a member: %v, joined at %v", i, o.Member, at)
		}
		if !o.Member {
			continue
		}
		orders++
		if first[o.Email].IsZero() {
			first[o.Email] = o.At
		}
		n := int(o.At.Sub(first[o.Email]) / month)
		if came[n] == nil {
			came[n] = map[string]bool{}
		}
		came[n][o.Email] = true
	}
	// Of those who joined so long ago that it can be told.
	share := func(n int) int {
		could, did := 0, 0
		for email, at := range first {
			if now.Sub(at) > time.Duration(n+1)*month {
				could++
				if came[n][email] {
					did++
				}
			}
		}
		return 100 * did / could
	}
	if len(joined) < 300 || len(joined) != len(first) || orders < 900 || orders > 1500 {
		t.Errorf("%d members, %d of them made %d orders", len(joined), len(first), orders)
	}
	if one, six := share(1), share(6); one < 15 || one > 45 || six < 5 || six >= one {
		t.Errorf("%d %% came in the second month, %d %% in the seventh", one, six)
	}
}

// TestWhoWaitsIsToldWhenItIsThere replays the lists on the stock of the plan.
func TestWhoWaitsIsToldWhenItIsThere(t *testing.T) {
	plan, goods := past(t)
	free := stockOf(plan, goods)
	on := map[[2]string]time.Time{}
	told := map[string]time.Time{}
	for _, r := range plan.Returns {
		if free(r.Article, r.At) < 1 || free(r.Article, r.At.Add(-time.Second)) > 0 {
			t.Errorf("%s comes back at %v: %d pieces", r.Article, r.At, free(r.Article, r.At))
		}
	}
	returns := plan.Returns
	open := 0
	for _, w := range plan.Waits {
		for ; len(returns) > 0 && !returns[0].At.After(w.At); returns = returns[1:] {
			told[returns[0].Article] = returns[0].At
		}
		key := [2]string{w.Email, w.Article}
		if since, waits := on[key]; waits && !told[w.Article].After(since) {
			t.Errorf("%s waits twice for %s", w.Email, w.Article)
		}
		on[key] = w.At
		if free(w.Article, w.At) > 0 {
			t.Errorf("%s waits for %s, which is there", w.Email, w.Article)
		}
		if free(w.Article, now) == 0 {
			open++
		}
	}
	if len(plan.Returns) < 5 || open < 10 {
		t.Errorf("%d lists were told, %d wait", len(plan.Returns), open)
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
	plan := demo.Past(now, goods, demo.Orders, 1)
	said, err := demo.EarlyCatalogFile(goods, plan)
	if err != nil {
		t.Fatal(err)
	}
	file, err := catalogfile.Open(said, "early", catalogfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	early := map[string]bool{}
	opening := map[string]demo.Price{}
	for _, p := range plan.Prices {
		if p.At.Equal(plan.Opened) {
			opening[p.Article] = p
		}
	}
	for {
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		early[row.Article] = true
		if p := opening[row.Article]; row.Price != p.List || cmp.Or(row.DiscountPrice, row.Price) != p.Pay {
			t.Errorf("%s opens at %d, %d, the file says %d, %d", row.Article, p.List, p.Pay, row.Price, row.DiscountPrice)
		}
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
		at := slices.IndexFunc(plan.Members, func(m demo.Member) bool { return m.Email == "demo@dala.example" })
		if at < 0 || plan.Members[at].Password != demo.AccountPassword {
			t.Fatalf("%d orders: nobody can sign in", orders)
		}
		m, its := plan.Members[at], 0
		for _, o := range plan.Orders {
			if o.Person == m.Person {
				its++
			}
			if o.Person == m.Person && o.At.Before(m.At) {
				t.Errorf("%d orders: one of the account's at %v, opened at %v", orders, o.At, m.At)
			}
		}
		if len(plan.Orders) != orders || its != accounts {
			t.Errorf("%d orders: planned %d, %d of the account's", orders, len(plan.Orders), its)
		}
		if m.At.Before(plan.Opened) || m.At.After(plan.Now) {
			t.Errorf("%d orders: the account is opened at %v", orders, m.At)
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
			sum += costs(plan, g, a.At) * l.Amount
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
