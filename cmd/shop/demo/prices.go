package demo

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"time"

	"shop/domain"
)

// Price is what a product costs from a time on, in tenge.
type Price struct {
	At      time.Time
	Article string
	// List is the list price, Pay what one pays.
	List, Pay domain.Money
}

// sale is days on which a part of the goods costs less.
type sale struct {
	month     time.Month
	day, days int
	// percent comes off, for so many of a hundred goods; top limits it to a top category, empty: of all.
	percent, share int64
	top            string
}

var sales = []sale{
	{month: time.November, day: 24, days: 7, percent: 20, share: 35},
	{month: time.February, day: 25, days: 12, percent: 15, share: 60, top: "Лицо"},
	{month: time.May, day: 20, days: 14, percent: 10, share: 50, top: "Тело"},
	{month: time.August, day: 10, days: 14, percent: 12, share: 60, top: "Детям"},
}

// reprice plans what the goods cost over the year, up to what the catalog file says: some were cheaper, what the file
// discounts was not so at first, and there were sales.
func (p *planner) reprice() {
	p.prices = map[string][]Price{}
	last := p.plan.Arrived.AddDate(0, 0, -2)
	day := func(n int) time.Time { return p.plan.Opened.AddDate(0, 0, n).Add(time.Hour) }
	for _, g := range p.goods {
		if g.Arrival {
			continue
		}
		type span struct {
			from, to time.Time
			percent  int64
		}
		// How many percent of today's list price it was, and what came off.
		levels, off := []span{{from: p.plan.Opened, percent: 100}}, []span(nil)
		if chance(p.r, 45) {
			levels[0].percent = 80 + p.r.Int64N(14)
			if chance(p.r, 40) {
				levels = append(levels, span{from: day(40 + p.r.IntN(110)), percent: (levels[0].percent + 100) / 2})
			}
			levels = append(levels, span{from: day(160 + p.r.IntN(150)), percent: 100})
		}
		discounted := day(250 + p.r.IntN(80))
		moments := []time.Time{discounted}
		for _, l := range levels {
			moments = append(moments, l.from)
		}
		for _, s := range sales {
			from := time.Date(p.plan.Opened.Year(), s.month, s.day, 9, 0, 0, 0, domain.Almaty)
			if from.Before(p.plan.Opened) {
				from = from.AddDate(1, 0, 0)
			}
			to := from.AddDate(0, 0, s.days)
			if joins := chance(p.r, int(s.share)); !joins || to.After(last) || s.top != "" && s.top != g.Top {
				continue
			}
			off = append(off, span{from, to, s.percent})
			moments = append(moments, from, to)
		}
		slices.SortFunc(moments, time.Time.Compare)
		for _, at := range moments {
			now := Price{At: at, Article: g.Article, List: g.List}
			for _, l := range levels {
				if !at.Before(l.from) {
					now.List = tens(g.List * l.percent / 100)
				}
			}
			now.Pay = now.List
			if !at.Before(discounted) {
				now.Pay = tens(now.List * g.Price / g.List)
			}
			for _, s := range off {
				if !at.Before(s.from) && at.Before(s.to) {
					now.Pay = min(now.Pay, tens(now.List*(100-s.percent)/100))
				}
			}
			had := p.prices[g.Article]
			if n := len(had); n == 0 || had[n-1].List != now.List || had[n-1].Pay != now.Pay {
				p.prices[g.Article] = append(had, now)
			}
		}
		p.plan.Prices = append(p.plan.Prices, p.prices[g.Article]...)
	}
	slices.SortStableFunc(p.plan.Prices, func(a, b Price) int { return a.At.Compare(b.At) })
}

// tens rounds to ten tenge, as prices are.
func tens(sum domain.Money) domain.Money { return (sum + 5) / 10 * 10 }

// costs is what one pays for a piece at a time.
func (p *planner) costs(g Good, at time.Time) domain.Money {
	pay := g.Price
	for i, price := range p.prices[g.Article] {
		if i == 0 || !price.At.After(at) {
			pay = price.Pay
		}
	}
	return pay
}

var oldPrice, payPrice = regexp.MustCompile(`<oldprice>\d+</oldprice>\s*`), regexp.MustCompile(`<price>\d+</price>`)

// EarlyCatalogFile is the catalog as the shop opened with: without the arrivals among its goods, at the prices of the
// first day.
func EarlyCatalogFile(goods []Good, plan Plan) (*bytes.Reader, error) {
	first := map[string]Price{}
	for _, price := range plan.Prices {
		if price.At.Equal(plan.Opened) {
			first[price.Article] = price
		}
	}
	file := bytes.Clone(catalogFile)
	for _, g := range goods {
		at := bytes.Index(file, []byte("<vendorCode>"+g.Article+"</vendorCode>"))
		if at < 0 {
			return nil, fmt.Errorf("catalog.xml has no article %s", g.Article)
		}
		start := bytes.LastIndex(file[:at], []byte("<offer "))
		end := at + bytes.Index(file[at:], []byte("</offer>")) + len("</offer>")
		price, priced := first[g.Article]
		switch {
		case g.Arrival:
			file = slices.Delete(file, start, end)
		case priced:
			offer := oldPrice.ReplaceAll(file[start:end], nil)
			said := fmt.Sprintf("<price>%d</price>", price.Pay)
			if price.List > price.Pay {
				said += fmt.Sprintf("<oldprice>%d</oldprice>", price.List)
			}
			file = slices.Replace(file, start, end, payPrice.ReplaceAll(offer, []byte(said))...)
		}
	}
	return bytes.NewReader(file), nil
}
