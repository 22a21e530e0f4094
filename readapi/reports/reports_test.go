package reports_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/eventstore"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi/reports"
)

var almaty = time.FixedZone("Asia/Almaty", 5*60*60)

func id(kind byte, n int) domain.ID {
	return uuid.UUID{0: kind, 6: 0x40, 8: 0x80, 14: byte(n >> 8), 15: byte(n)}
}

// past is a made-up history.
type past struct {
	events []eventstore.Event
	orders []order.State
	// monthly are the ledgers' sums by month: earned, spent, returned, revoked.
	monthly map[string][4]int64
}

func (p *past) add(stream string, events ...domain.Event) {
	for _, data := range events {
		p.events = append(p.events, eventstore.Event{Stream: stream, Slice: eventstore.SliceOf(stream), Type: data.EventType(), Data: data})
	}
}

// The catalog of the tests: products 0 to 5, of which 5 moves in March, in categories 11 and 12 below 1, and 2.
var (
	parents = map[int]int{11: 1, 12: 1, 2: 0, 1: 0}
	homes   = []struct{ brand, category int }{{1, 11}, {1, 12}, {2, 2}, {2, 11}, {3, 1}, {3, 2}}
	moved   = struct{ brand, category int }{1, 12}
	cities  = []string{"Алматы", "Астана", "=Тараз", ""}
	codes   = []string{"", "", "WELCOME10", "MAY"}
	begin   = time.Date(2026, 1, 20, 21, 0, 0, 0, time.UTC)
)

// homeOf is where a product counts in a month.
func homeOf(product int, month string) (brand, category int) {
	if product == 5 && month >= "2026-03" {
		return moved.brand, moved.category
	}
	return homes[product].brand, homes[product].category
}

// madeUp is the past of n orders, most of them through every turn that an order's life may take.
func madeUp(random *rand.Rand, n int) *past {
	p := &past{monthly: map[string][4]int64{}}
	for c, parent := range parents {
		above := domain.ID{}
		if parent != 0 {
			above = id('c', parent)
		}
		p.add(catalog.CategoryStream(id('c', c)), catalog.CategoryAdded{ID: id('c', c), Category: catalog.Category{Name: fmt.Sprint("category ", c), ParentID: above}})
	}
	for b := 1; b <= 3; b++ {
		p.add(catalog.BrandStream(id('b', b)), catalog.BrandAdded{ID: id('b', b), Brand: catalog.Brand{Name: fmt.Sprint("brand ", b)}})
	}
	for i, home := range homes {
		stream := catalog.ProductStream(id('p', i))
		p.add(stream, catalog.ProductAdded{ID: id('p', i), Article: fmt.Sprint("A-", i), BrandID: id('b', home.brand), CategoryID: id('c', home.category), At: begin},
			catalog.ProductDescribed{Text: catalog.ProductText{Name: fmt.Sprint("product ", i)}})
		if i == 5 {
			march := time.Date(2026, 3, 10, 0, 0, 0, 0, almaty)
			p.add(stream, catalog.ProductMoved{BrandID: id('b', 2), CategoryID: id('c', 2), At: march},
				catalog.ProductMoved{BrandID: id('b', moved.brand), CategoryID: id('c', moved.category), At: march.AddDate(0, 0, 3)})
		}
	}
	for i := range n {
		p.order(random, i)
	}
	return p
}

func (p *past) order(random *rand.Rand, i int) {
	at := begin.Add(time.Duration(random.Int64N(int64(130 * 24 * time.Hour))))
	if random.IntN(5) == 0 { // some come at one moment
		at = begin.AddDate(0, 0, 40)
	}
	placed := order.Placed{
		ID: id('o', i), Number: int64(9_000 - i), PersonID: id('g', i), City: cities[random.IntN(len(cities))], DeliveryType: domain.Delivery,
		PaymentMethod: []domain.PaymentMethod{domain.Card, domain.KaspiBill, domain.Cash}[random.IntN(3)], At: at, PayBefore: at.Add(time.Hour),
	}
	c := &placed.Calculation
	c.CanCreateOrder, c.RulesVersion, c.PromocodeApplied = true, 1, codes[random.IntN(len(codes))]
	if random.IntN(3) > 0 {
		placed.CustomerID = id('u', random.IntN(customers))
	}
	for range 1 + random.IntN(3) {
		line := domain.PricedLine{ProductID: id('p', random.IntN(len(homes))), Amount: 1 + random.Int64N(4), Price: 1000 + random.Int64N(5000)}
		line.DiscountedPrice = line.Price - random.Int64N(500)
		line.OrderDiscount = random.Int64N(line.DiscountedPrice)
		line.Total = line.DiscountedPrice*line.Amount - line.OrderDiscount
		c.Lines = append(c.Lines, line)
		c.ListSum, c.TotalSum, c.DiscountedSum = c.ListSum+line.Price*line.Amount, c.TotalSum+line.DiscountedPrice*line.Amount, c.DiscountedSum+line.Total
	}
	if random.IntN(4) == 0 {
		c.BonusSpent = c.DiscountedSum / 4
	}
	c.DeliveryPrice = random.Int64N(2) * 1900
	c.TotalPaid = c.DiscountedSum - c.BonusSpent + c.DeliveryPrice

	var state order.State
	do := func(command order.Command) {
		events, err := order.Decider.Decide(command, state)
		if err != nil {
			return // not every turn can be taken from everywhere
		}
		for _, e := range events {
			p.add(order.Stream(placed.ID), e)
			state = order.Decider.Evolve(state, e)
		}
	}
	do(order.Place{Placed: placed})
	payment := func(n int) string { return fmt.Sprintf("p%d-%d", i, n) }
	for turn := range random.IntN(14) {
		at = at.Add(time.Duration(random.Int64N(int64(40 * 24 * time.Hour))))
		switch random.IntN(11) {
		case 0, 1:
			do(order.RequestPayment{PaymentID: payment(turn), Provider: "sandbox", PayBefore: at.Add(time.Hour), At: at})
		case 2, 3:
			do(order.ConfirmPayment{PaymentID: cmp.Or(state.PaymentID, payment(turn)), Amount: c.TotalPaid, At: at})
		case 4:
			do(order.FailPayment{PaymentID: state.PaymentID, Reason: "no money", At: at})
		case 5:
			do(order.Approve{At: at})
		case 6:
			do(order.StartProcessing{At: at})
		case 7:
			do(order.Complete{At: at})
		case 8:
			do(order.Cancel{By: "staff", At: at})
		case 9:
			for _, paid := range state.Payments {
				do(order.Refund{PaymentID: paid.ID, RefundID: payment(turn), Amount: 1 + random.Int64N(max(1, paid.Amount)), At: at})
				do(order.Refund{PaymentID: paid.ID, Amount: paid.Amount - paid.Refunded, At: at})
			}
		case 10:
			do(order.Join{CustomerID: id('u', random.IntN(customers)), At: at})
		}
	}
	p.orders = append(p.orders, state)
	if random.IntN(3) == 0 {
		p.entry(random, at)
	}
}

// customers is how many accounts there are.
const customers = 25

// entry is one of a bonus ledger.
func (p *past) entry(random *rand.Rand, at time.Time) {
	owner, amount, kind := id('u', random.IntN(customers)), 1+random.Int64N(900), random.IntN(4)
	p.add(bonus.Stream(owner), []domain.Event{
		bonus.Earned{CustomerID: owner, Amount: amount, At: at}, bonus.Spent{CustomerID: owner, Amount: amount, At: at},
		bonus.Returned{CustomerID: owner, Amount: amount, At: at}, bonus.Revoked{CustomerID: owner, Amount: amount, At: at},
	}[kind])
	sums := p.monthly[month(at)]
	sums[kind] += amount
	p.monthly[month(at)] = sums
}

// shuffled mixes the streams and keeps the order within each, as the log does.
func shuffled(random *rand.Rand, events []eventstore.Event) []eventstore.Event {
	streams := map[string][]eventstore.Event{}
	for _, e := range events {
		streams[e.Stream] = append(streams[e.Stream], e)
	}
	names := slices.Sorted(maps.Keys(streams))
	var mixed []eventstore.Event
	for len(names) > 0 {
		i := random.IntN(len(names))
		name := names[i]
		mixed = append(mixed, streams[name][0])
		if streams[name] = streams[name][1:]; len(streams[name]) == 0 {
			names = slices.Delete(names, i, i+1)
		}
	}
	for i := range mixed {
		mixed[i].Position = eventstore.Position(i + 1)
	}
	return mixed
}

func month(t time.Time) string { return t.In(almaty).Format("2006-01") }
func day(t time.Time) string   { return t.In(almaty).Format(time.DateOnly) }

// counts says, on its own, whether an order is a sale.
func counts(s order.State) bool {
	return !slices.Contains([]order.Status{order.StatusCancelled, order.StatusRefunded, order.StatusPaymentErr}, s.Status)
}

// revenue is worked out from the payments: what was given back below the price is not revenue.
func revenue(events []eventstore.Event, s order.State) int64 {
	if !counts(s) {
		return 0
	}
	sum := s.Due()
	for _, e := range events {
		if r, ok := e.Data.(order.Refunded); ok && !r.Excess && e.Stream == order.Stream(s.Placed.ID) {
			sum -= r.Amount
		}
	}
	return sum
}

// shop is a read model with a reader of reports.
type shop struct {
	t      *testing.T
	reader reports.Reader
	at     reports.AsOf
}

func fold(t *testing.T, events []eventstore.Event, batch func() int) shop {
	t.Helper()
	db := pgtest.Open(t)
	if _, err := rebuild.Prepare(t.Context(), db, projections.Sales()); err != nil {
		t.Fatal(err)
	}
	for rest := events; len(rest) > 0; {
		size := min(batch(), len(rest))
		if err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error { return projections.Sales().Apply(t.Context(), tx, rest[:size]) }); err != nil {
			t.Fatal(err)
		}
		rest = rest[size:]
	}
	return shop{t, reports.Reader{DB: db, Store: eventstore.Open(db, nil, eventstore.Options{})}, reports.AsOf{Schema: "sales", Position: eventstore.Position(len(events))}}
}

// read asks for a report as a URL does.
func (s shop) read(name, query string) reports.Answer {
	s.t.Helper()
	report, found := reports.Named(name)
	if !found {
		s.t.Fatalf("there is no report %s", name)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		s.t.Fatal(err)
	}
	q, err := report.Ask(values)
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := s.reader.Read(s.t.Context(), report, q, s.at)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// told are rows as KEY VALUE VALUE …, sorted.
func told(rows []reports.Row, keys ...string) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		for _, key := range keys {
			lines[i] += fmt.Sprint(row[key], " ")
		}
	}
	slices.Sort(lines)
	return lines
}

// sums adds numbers up under names.
type sums map[string][]int64

func (s sums) add(name string, numbers ...int64) {
	if s[name] == nil {
		s[name] = make([]int64, len(numbers))
	}
	for i, n := range numbers {
		s[name][i] += n
	}
}

func (s sums) told() []string {
	var lines []string
	for name, numbers := range s {
		line := name + " "
		for _, n := range numbers {
			line += fmt.Sprint(n, " ")
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: the report says\n%s\nby hand\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

func when(is bool, n int64) int64 { return one(is) * n }

// Whatever happened to orders, in whatever batches it is folded: each report says what adding up the orders says.
func TestReportsAddUp(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, seed))
			p := madeUp(random, 260)
			s := fold(t, shuffled(random, p.events), func() int { return 1 + random.IntN(300) })
			statuses := map[order.Status]int{}

			byMonth, byDay, byCity, byPayment, byCode := sums{}, sums{}, sums{}, sums{}, sums{}
			goods, brands, categories := sums{}, sums{}, sums{}
			const from, to = "2026-02-10", "2026-04-20"
			late := sums{}
			bonuses := sums{}
			for _, o := range p.orders {
				c, sold := o.Placed.Calculation, counts(o)
				statuses[o.Status]++
				got := revenue(p.events, o)
				all := []int64{one(sold), when(sold, c.ListSum), when(sold, c.ListSum-c.DiscountedSum), when(sold, c.BonusSpent), when(sold, c.DeliveryPrice), got,
					o.Captured(), one(!sold), when(!sold, c.TotalPaid)}
				byMonth.add(month(o.Placed.At), all...)
				byDay.add(day(o.Placed.At), all...)
				byCity.add(cmp.Or(o.Placed.City, "Unknown"), all...)
				byPayment.add(string(o.Placed.PaymentMethod), all...)
				byCode.add(cmp.Or(c.PromocodeApplied, "none"), one(sold), when(sold, c.TotalSum), when(sold, c.TotalSum-c.DiscountedSum), got, one(!sold))
				if sold {
					bonuses.add(month(o.Placed.At), one(c.BonusSpent > 0), one(c.BonusSpent == 0), when(c.BonusSpent > 0, got), when(c.BonusSpent == 0, got), 0, 0, 0, 0)
				}
				for _, l := range c.Lines {
					if !sold {
						continue
					}
					n := int(l.ProductID[15])
					brand, category := homeOf(n, month(o.Placed.At))
					numbers := []int64{1, l.Amount, l.Price * l.Amount, l.Price*l.Amount - l.Total, l.Total}
					goods.add(fmt.Sprint("product ", n), numbers...)
					brands.add(fmt.Sprint("brand ", brand), numbers...)
					for c := category; c != 0; c = parents[c] {
						categories.add(fmt.Sprint("category ", c), numbers...)
					}
					if d := day(o.Placed.At); d >= from && d <= to {
						late.add(fmt.Sprint("product ", n), numbers...)
					}
				}
			}
			for m, n := range p.monthly {
				bonuses.add(m, 0, 0, 0, 0, n[0], n[1], n[2], n[3])
			}
			if len(statuses) < 6 {
				t.Fatalf("too few ends of orders: %v", statuses)
			}
			of := []string{"orders", "list", "discounts", "bonuses", "delivery", "revenue", "received", "lost_orders", "lost"}
			key := func(name string, keys []string) []string { return append([]string{name}, keys...) }
			sold := []string{"lines", "pieces", "list", "discounts", "sales"}

			same(t, "sales by month", told(s.read("sales", "").Rows, key("month", of)...), byMonth.told())
			same(t, "sales by day", told(s.read("sales", "by=day").Rows, key("day", of)...), byDay.told())
			same(t, "cities", told(s.read("cities", "").Rows, key("city", of)...), byCity.told())
			same(t, "payments", told(s.read("payments", "").Rows, key("payment", of)...), byPayment.told())
			same(t, "promo codes", told(s.read("promocodes", "").Rows, "promocode", "orders", "goods", "discount", "revenue", "lost_orders"), byCode.told())
			same(t, "products", told(s.read("products", "").Rows, key("product", sold)...), goods.told())
			same(t, "brands", told(s.read("brands", "").Rows, key("brand", sold)...), brands.told())
			same(t, "categories", told(s.read("categories", "").Rows, key("category", sold)...), categories.told())
			same(t, "products of some days", told(s.read("products", "from="+from+"&to="+to).Rows, key("product", sold)...), late.told())
			same(t, "bonuses", told(s.read("bonuses", "").Rows, "month", "with", "without", "with_revenue", "without_revenue", "earned", "spent", "returned", "revoked"), bonuses.told())
			customersAddUp(t, s, p)
			partsAddUp(t, s)
		})
	}
}

// customersAddUp works cohorts and repeat orders out by looking at each customer's orders.
func customersAddUp(t *testing.T, s shop, p *past) {
	t.Helper()
	of := map[domain.ID][]order.State{}
	repeat := map[string]sums{"month": {}, "week": {}, "day": {}}
	again := func(at time.Time, numbers ...int64) {
		day := at.In(almaty)
		monday := day
		for monday.Weekday() != time.Monday {
			monday = monday.AddDate(0, 0, -1)
		}
		repeat["month"].add(month(at), numbers...)
		repeat["week"].add(monday.Format(time.DateOnly), numbers...)
		repeat["day"].add(day.Format(time.DateOnly), numbers...)
	}
	for _, o := range p.orders {
		switch {
		case !counts(o):
		case o.CustomerID == domain.ID{}:
			again(o.Placed.At, 0, 0, 0, 1, 0, 0, revenue(p.events, o))
		default:
			of[o.CustomerID] = append(of[o.CustomerID], o)
		}
	}
	cohorts, members, latest := sums{}, map[string]int64{}, ""
	for _, orders := range of {
		slices.SortFunc(orders, func(a, b order.State) int {
			return cmp.Or(a.Placed.At.Compare(b.Placed.At), cmp.Compare(a.Placed.Number, b.Placed.Number))
		})
		first := orders[0].Placed.At
		members[month(first)]++
		again(first, 0, one(len(orders) > 1), 0, 0, 0, 0, 0)
		seen := map[string]bool{}
		for i, o := range orders {
			m, got := month(o.Placed.At), revenue(p.events, o)
			began, now := first.In(almaty), o.Placed.At.In(almaty)
			since := (now.Year()-began.Year())*12 + int(now.Month()-began.Month())
			cohorts.add(fmt.Sprint(month(first), " ", since), one(!seen[m]), 1, got)
			seen[m], latest = true, max(latest, m)
			again(o.Placed.At, one(i == 0), 0, one(i > 0), 0, when(i == 0, got), when(i > 0, got), 0)
		}
	}
	for began := range members {
		month, _ := time.Parse("2006-01", began)
		for since := 0; month.Format("2006-01") <= latest; since++ {
			cohorts.add(fmt.Sprint(began, " ", since), 0, 0, 0)
			month = month.AddDate(0, 1, 0)
		}
	}
	a := s.read("cohorts", "")
	same(t, "cohorts", told(a.Rows, "cohort", "since", "active", "orders", "revenue"), cohorts.told())
	for _, row := range a.Rows {
		if row["customers"] != members[row["cohort"].(string)] {
			t.Errorf("cohort %v has %v customers, by hand %d", row["cohort"], row["customers"], members[row["cohort"].(string)])
		}
	}
	for by, sums := range repeat {
		rows := s.read("repeat", "by="+by).Rows
		same(t, "repeat by "+by, told(rows, by, "first", "again", "repeat", "guests", "first_revenue", "repeat_revenue", "guest_revenue"), sums.told())
	}
	days := slices.Sorted(maps.Keys(repeat["day"]))
	from, to := days[len(days)/3], days[2*len(days)/3]
	maps.DeleteFunc(repeat["day"], func(day string, _ []int64) bool { return day < from || day > to })
	rows := s.read("repeat", "by=day&from="+from+"&to="+to).Rows
	same(t, "repeat of some days", told(rows, "day", "first", "again", "repeat", "guests", "first_revenue", "repeat_revenue", "guest_revenue"), repeat["day"].told())
}

// partsAddUp checks that what filters divide adds up to the whole, by whatever way the parts are read.
func partsAddUp(t *testing.T, s shop) {
	t.Helper()
	sales := s.read("products", "").Total["sales"]
	for filter, values := range map[string][]string{
		"payment":  {"CARD", "KASPI_BILL", "CASH"},
		"brand":    {id('b', 1).String(), id('b', 2).String(), id('b', 3).String()},
		"category": {id('c', 1).String(), id('c', 2).String()},
		"to":       {"2026-03-12"},
	} {
		var sum int64
		for _, v := range values {
			sum += s.read("products", filter+"="+v).Total["sales"].(int64)
		}
		if filter == "to" {
			sum += s.read("products", "from=2026-03-13").Total["sales"].(int64)
		}
		if sum != sales {
			t.Errorf("the parts by %s are %d of %d", filter, sum, sales)
		}
	}
	if c := s.read("categories", "").Total["sales"]; c != sales {
		t.Errorf("categories are %v of %v", c, sales)
	}
	if week := s.read("sales", "by=week"); week.Total["revenue"] != s.read("sales", "").Total["revenue"] {
		t.Errorf("weeks are %v", week.Total)
	}
}

func TestRestockDemand(t *testing.T) {
	t.Parallel()
	var p past
	soap := id('p', 1)
	at := func(d int) time.Time { return begin.AddDate(0, 0, d) }
	p.add(catalog.ProductStream(soap), catalog.ProductAdded{ID: soap, Article: "KA-100", At: begin}, catalog.ProductDescribed{Text: catalog.ProductText{Name: "Мыло"}})
	p.add(restock.Stream(soap),
		restock.Subscribed{ProductID: soap, CustomerID: id('u', 1), Place: 1, At: at(0)}, restock.Subscribed{ProductID: soap, CustomerID: id('u', 2), Place: 2, At: at(1)},
		restock.Subscribed{ProductID: soap, CustomerID: id('u', 3), Place: 3, At: at(2)}, restock.Unsubscribed{ProductID: soap, CustomerID: id('u', 2), Place: 2, At: at(4)},
		restock.Notified{ProductID: soap, CustomerID: id('u', 1), Place: 1, At: at(10)})
	s := fold(t, p.events, func() int { return 2 })

	a := s.read("restock", "to=2026-01-22")

	same(t, "restock", told(a.Rows, "product", "product_id", "article", "asked", "waiting", "told", "left", "waited", "average", "longest"),
		[]string{"Мыло " + soap.String() + " KA-100 2 0 1 1 13 7 10 "})
	if a := s.read("restock", ""); a.Total["waiting"] != int64(1) {
		t.Errorf("waiting %v", a.Total)
	}
}
