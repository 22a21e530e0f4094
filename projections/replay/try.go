package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"shop/domain"
	"shop/domain/pricing"
	"shop/domain/rules"
	"shop/eventstore"
)

// Figures are sums over orders, in tenge.
type Figures struct {
	Orders int64 `json:"orders"`
	// Goods are the goods before the order's discount; Discounts, Bonuses and Delivery what comes off and on.
	Goods     domain.Money `json:"goods"`
	Discounts domain.Money `json:"discounts"`
	Bonuses   domain.Money `json:"bonuses"`
	Delivery  domain.Money `json:"delivery"`
	// Revenue is Goods − Discounts − Bonuses + Delivery, Average that of one order, rounded down.
	Revenue domain.Money `json:"revenue"`
	Average domain.Money `json:"average"`
}

func (f *Figures) add(goods, discount, bonus, delivery domain.Money) {
	f.Orders++
	f.Goods += goods
	f.Discounts += discount
	f.Bonuses += bonus
	f.Delivery += delivery
}

func (f *Figures) merge(other Figures) {
	f.Orders += other.Orders
	f.Goods += other.Goods
	f.Discounts += other.Discounts
	f.Bonuses += other.Bonuses
	f.Delivery += other.Delivery
}

func (f *Figures) close() {
	f.Revenue = f.Goods - f.Discounts - f.Bonuses + f.Delivery
	if f.Orders > 0 {
		f.Average = f.Revenue / f.Orders
	}
}

// Row compares orders as they were with what they would be.
type Row struct {
	// Name is a month (2026-03), a category, a city, or new, returning, guest; empty for all orders.
	Name string  `json:"name"`
	Was  Figures `json:"was"`
	// Would leaves out the orders that could not be made.
	Would Figures `json:"would"`
	// Change is Would less Was.
	Change Figures `json:"change"`
	// BelowMinimum and NoCash count orders that could not be made: below the minimum sum, or in cash where the shop would
	// not deliver; Lost is the revenue they were.
	BelowMinimum int64        `json:"below_minimum"`
	NoCash       int64        `json:"no_cash"`
	Lost         domain.Money `json:"lost"`
	// TierUp and TierDown count orders that would reach a tier of more or fewer percent.
	TierUp   int64 `json:"tier_up"`
	TierDown int64 `json:"tier_down"`
}

func (r *Row) merge(other *Row) {
	r.Was.merge(other.Was)
	r.Would.merge(other.Would)
	r.BelowMinimum += other.BelowMinimum
	r.NoCash += other.NoCash
	r.Lost += other.Lost
	r.TierUp += other.TierUp
	r.TierDown += other.TierDown
}

func (r *Row) close() {
	r.Was.close()
	r.Would.close()
	w, n := &r.Was, &r.Would
	r.Change = Figures{
		n.Orders - w.Orders, n.Goods - w.Goods, n.Discounts - w.Discounts, n.Bonuses - w.Bonuses, n.Delivery - w.Delivery,
		n.Revenue - w.Revenue, n.Average - w.Average,
	}
}

// Baskets are those that never became an order, each as it was last priced.
type Baskets struct {
	Baskets int64 `json:"baskets"`
	// Unavailable could not be ordered for the stock, under any rules.
	Unavailable int64 `json:"unavailable"`
	// Could and Would count those that an order could be made of, then and under the other rules; the sums are their
	// goods after the discount.
	Could    int64        `json:"could"`
	CouldSum domain.Money `json:"could_sum"`
	Would    int64        `json:"would"`
	WouldSum domain.Money `json:"would_sum"`
}

func (b *Baskets) merge(other Baskets) {
	b.Baskets += other.Baskets
	b.Unavailable += other.Unavailable
	b.Could += other.Could
	b.CouldSum += other.CouldSum
	b.Would += other.Would
	b.WouldSum += other.WouldSum
}

// Report says what all orders and baskets up to a position would have been under other rules. It depends on nothing but
// the position and the rules.
type Report struct {
	ID       string              `json:"id"`
	Position eventstore.Position `json:"position"`
	// Rules are the ones tried; Changes is how they differ from those in force at the position, of RulesVersion.
	Rules        rules.Rules `json:"rules"`
	RulesVersion int64       `json:"rules_version"`
	Changes      []Change    `json:"changes"`
	// Elsewhere counts orders that another shop priced; they are left out.
	Elsewhere   int64    `json:"elsewhere"`
	Total       Row      `json:"total"`
	ByMonth     []Row    `json:"by_month"`
	ByCategory  []Row    `json:"by_category"`
	ByCity      []Row    `json:"by_city"`
	ByCustomer  []Row    `json:"by_customer"`
	Baskets     Baskets  `json:"baskets"`
	Assumptions []string `json:"assumptions"`
}

// assumptions are what the figures take for granted.
var assumptions = []string{
	"Shoppers put the same goods into their baskets, at the prices of that day, whatever the rules.",
	"An order whose lines the shop changed counts with its last lines.",
	"Every order placed counts, also one that was cancelled or not paid later; money given back is not taken off.",
	"An order uses the promo code it used then, with the terms of that day; a code that lost to a tier then stays unused.",
	"At most as many bonuses are spent as then, within the limit of the tried rules; bonuses earned are not followed up.",
	"A discount that staff gave by hand stays the percent that it was.",
	"An order that could not be made under the tried rules is left out of what would be, as if nobody had added to it.",
	"A basket left behind counts as it was last priced; that it could be ordered does not say that it would.",
	"Categories are those the products are in at the log position; delivery and bonuses belong to no category.",
	"A guest is neither new nor returning.",
}

// ReportID names the report of rules at a position.
func ReportID(r rules.Rules, at eventstore.Position) (string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("name a report: %w", err)
	}
	hash := sha256.Sum256(text)
	return fmt.Sprintf("%d-%s", at, hex.EncodeToString(hash[:8])), nil
}

const (
	// atOnce is how many rows are priced between looks at whether to go on: some hundredths of a second.
	atOnce = 1 << 13
	// toldCities is the most cities told by name.
	toldCities  = 30
	otherCities = "other cities"
	noCity      = "no city"
	noCategory  = "no category"
)

// customers are the rows of ByCustomer.
var customers = []string{"new", "returning", "guest"}

func (m mark) customer() int {
	switch {
	case m&returning != 0:
		return 1
	case m&account != 0:
		return 0
	}
	return 2
}

// errUnread: somebody tries a history that was not read to the end.
var errUnread = errors.New("baskets left behind are still to be read")

// Try prices every order and basket under other rules. Priced, when given, hears of every lot of them that is done, from
// several goroutines.
func (h *History) Try(ctx context.Context, tried rules.Rules, priced func(rows int)) (*Report, error) {
	if err := tried.Check(); err != nil {
		return nil, err
	}
	if len(h.left()) > 0 {
		return nil, errUnread
	}
	id, err := ReportID(tried, h.Position)
	if err != nil {
		return nil, err
	}
	changed, err := Changes(h.Rules, tried)
	if err != nil {
		return nil, err
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), len(h.orders)/1000))
	sums := make([]*trial, workers)
	var group sync.WaitGroup
	for w := range workers {
		sums[w] = newTrial(h, &tried)
		group.Go(func() {
			inLots(ctx, len(h.orders)*w/workers, len(h.orders)*(w+1)/workers, sums[w].price, priced)
			inLots(ctx, len(h.baskets)*w/workers, len(h.baskets)*(w+1)/workers, sums[w].leave, priced)
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := sums[0]
	for _, other := range sums[1:] {
		all.merge(other)
	}
	report := &Report{
		ID: id, Position: h.Position, Rules: tried, RulesVersion: h.RulesVersion, Changes: slices.Clone(changed), Elsewhere: h.Elsewhere,
		Total: all.total, Baskets: all.baskets, Assumptions: assumptions,
	}
	if changed == nil {
		report.Changes = []Change{}
	}
	report.Total.close()
	report.ByMonth = h.tell(all.month, func(i int) string {
		return time.Date(0, time.Month(int(h.firstMonth)+i), 1, 0, 0, 0, 0, domain.Almaty).Format("2006-01")
	})
	report.ByCategory = h.tell(all.category, func(i int) string { return cmp.Or(h.called[h.categories[i]], noCategory) })
	report.ByCustomer = h.tell(all.customer, func(i int) string { return customers[i] })
	report.ByCity = h.tellCities(all.city, &tried)
	slices.SortStableFunc(report.ByCategory, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Was.Revenue, a.Was.Revenue), strings.Compare(a.Name, b.Name))
	})
	return report, nil
}

// tell gives rows their names and leaves out those without orders.
func (h *History) tell(rows []Row, name func(int) string) []Row {
	told := []Row{}
	for i := range rows {
		if rows[i].Was.Orders > 0 {
			rows[i].Name = name(i)
			rows[i].close()
			told = append(told, rows[i])
		}
	}
	return told
}

// tellCities puts the spellings of a city together, and all but the largest into one row.
func (h *History) tellCities(rows []Row, tried *rules.Rules) []Row {
	byName := map[string]*Row{}
	for i := range rows {
		name := h.cities[i]
		if name == "" {
			name = noCity
		} else if city, served := h.Rules.DeliveryTo(name); served {
			name = city.City
		} else if city, served := tried.DeliveryTo(name); served {
			name = city.City
		}
		if byName[name] == nil {
			byName[name] = &Row{Name: name}
		}
		byName[name].merge(&rows[i])
	}
	told := []Row{}
	for _, r := range byName {
		if r.Was.Orders > 0 {
			r.close()
			told = append(told, *r)
		}
	}
	slices.SortFunc(told, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Was.Revenue, a.Was.Revenue), strings.Compare(a.Name, b.Name))
	})
	if len(told) > toldCities {
		rest := Row{Name: otherCities}
		for i := range told[toldCities:] {
			rest.merge(&told[toldCities+i])
		}
		rest.close()
		told = append(told[:toldCities:toldCities], rest)
	}
	return told
}

// trial sums up a part of a history under other rules.
type trial struct {
	h     *History
	rules *rules.Rules
	// towns is what delivery costs in each of the history's cities, and whether the shop goes there.
	towns  []rules.CityDelivery
	served []bool

	total    Row
	month    []Row
	category []Row
	city     []Row
	customer []Row
	baskets  Baskets

	shares []pricing.Share
	// told is the last order, counted from 1, that a category counted.
	told []int
}

func newTrial(h *History, tried *rules.Rules) *trial {
	t := &trial{
		h: h, rules: tried, towns: make([]rules.CityDelivery, len(h.cities)), served: make([]bool, len(h.cities)),
		month: make([]Row, int(h.lastMonth-h.firstMonth)+1), category: make([]Row, len(h.categories)), city: make([]Row, len(h.cities)),
		customer: make([]Row, len(customers)), told: make([]int, len(h.categories)),
	}
	for i, name := range h.cities {
		t.towns[i], t.served[i] = tried.DeliveryTo(name)
	}
	return t
}

func (t *trial) merge(other *trial) {
	t.total.merge(&other.total)
	for _, rows := range [][2][]Row{{t.month, other.month}, {t.category, other.category}, {t.city, other.city}, {t.customer, other.customer}} {
		for i := range rows[0] {
			rows[0][i].merge(&rows[1][i])
		}
	}
	t.baskets.merge(other.baskets)
}

// reckon prices a row under the trial's rules.
func (t *trial) reckon(row *priced) pricing.Totals {
	s := pricing.Sums{
		TotalSum: row.total, ScopedSum: row.scoped, City: t.towns[row.city], Served: t.served[row.city],
		Pickup: row.marks&pickup != 0, Cash: row.marks&cash != 0, BonusBalance: row.bonus, SpendBonus: row.bonus, ManualPercent: int64(row.hand),
	}
	if row.code != 0 {
		s.Code = &t.h.codes[row.code].Terms
	}
	return pricing.Reckon(t.rules, &s)
}

// inLots goes from one row up to another until ctx ends, and tells done, when given, of each lot.
func inLots(ctx context.Context, from, to int, each func(from, to int), done func(rows int)) {
	for ; from < to && ctx.Err() == nil; from += atOnce {
		end := min(from+atOnce, to)
		each(from, end)
		if done != nil {
			done(end - from)
		}
	}
}

// price sums up the orders from one up to another.
func (t *trial) price(from, to int) {
	for i := from; i < to; i++ {
		row := &t.h.orders[i]
		if row.marks&replaced != 0 {
			continue
		}
		now := t.reckon(row)
		for _, group := range [...]*Row{&t.total, &t.month[max(row.month, t.h.firstMonth)-t.h.firstMonth], &t.city[row.city], &t.customer[row.marks.customer()]} {
			group.Was.add(row.total, row.total-row.discounted, row.bonus, row.delivery)
			group.count(row, &now, row.discounted-row.bonus+row.delivery)
			if now.Reason == "" {
				group.Would.add(row.total, now.Discount(), now.BonusSpent, now.DeliveryPrice)
			}
		}
		t.categories(i, row, &now)
	}
}

// count takes note of what would become of an order that was worth a sum.
func (r *Row) count(row *priced, now *pricing.Totals, worth domain.Money) {
	switch now.Reason {
	case pricing.ReasonBelowMinimum:
		r.BelowMinimum++
		r.Lost += worth
	case pricing.ReasonCashUnavailable:
		r.NoCash++
		r.Lost += worth
	}
	switch percent := now.Tier.Percent; {
	case percent > int64(row.tier):
		r.TierUp++
	case percent < int64(row.tier):
		r.TierDown++
	}
}

// categories shares an order out among the categories of its lines, the discounts to the tenge.
func (t *trial) categories(i int, row *priced, now *pricing.Totals) {
	var from uint32
	if i > 0 {
		from = t.h.orders[i-1].lines
	}
	lines := t.h.lines[from:row.lines]
	for _, l := range lines {
		category := t.h.categoryOf[l.product]
		group := &t.category[category]
		group.Was.Goods += l.total
		if now.Reason == "" {
			group.Would.Goods += l.total
		}
		if t.told[category] == i+1 {
			continue
		}
		t.told[category] = i + 1
		group.Was.Orders++
		if now.Reason == "" {
			group.Would.Orders++
		}
		group.count(row, now, 0)
	}
	t.share(lines, row.total-row.discounted, row.total, func(r *Row, off domain.Money) {
		r.Was.Discounts += off
	})
	if now.Reason == "" {
		t.share(lines, now.Discount(), row.total, func(r *Row, off domain.Money) { r.Would.Discounts += off })
		return
	}
	t.share(lines, row.total-row.discounted, row.total, func(r *Row, off domain.Money) { r.Lost -= off })
	for _, l := range lines {
		t.category[t.h.categoryOf[l.product]].Lost += l.total
	}
}

// share gives each line's category its part of what comes off.
func (t *trial) share(lines []pricedLine, off, total domain.Money, give func(*Row, domain.Money)) {
	if off == 0 {
		return
	}
	t.shares = t.shares[:0]
	for i, l := range lines {
		t.shares = append(t.shares, pricing.Share{ProductID: t.h.products[l.product], Total: l.total, Line: i})
	}
	pricing.Spread(off, total, t.shares)
	for _, s := range t.shares {
		give(&t.category[t.h.categoryOf[lines[s.Line].product]], s.Off)
	}
}

// leave sums up the baskets from one up to another.
func (t *trial) leave(from, to int) {
	for i := from; i < to; i++ {
		row := &t.h.baskets[i]
		if row.marks&ordered != 0 {
			continue
		}
		t.baskets.Baskets++
		if row.marks&unavailable != 0 {
			t.baskets.Unavailable++
			continue
		}
		if row.marks&orderable != 0 {
			t.baskets.Could++
			t.baskets.CouldSum += row.discounted
		}
		if now := t.reckon(row); now.Reason == "" {
			t.baskets.Would++
			t.baskets.WouldSum += now.DiscountedSum
		}
	}
}
