package demo

import (
	"slices"
	"time"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/pricing"
	"shop/projections"
)

// mainCity is where the shop delivers itself.
const mainCity = "Алматы"

// reasons are why baskets are left behind, as often as they are; empty: for nothing that the shop knows.
var reasons = []weighted[string]{
	{"", 34}, {pricing.ReasonBelowMinimum, 24}, {projections.ReasonDeliveryUnknown, 14}, {pricing.ReasonOutOfStock, 11},
	{basket.ReasonPromoInvalid, 8}, {projections.ReasonEmptied, 6}, {pricing.ReasonCashUnavailable, 3},
}

// tried is how many of a hundred baskets with a reason are asked to become an order all the same.
var tried = map[string]int{pricing.ReasonBelowMinimum: 25, pricing.ReasonOutOfStock: 60, basket.ReasonPromoInvalid: 70, pricing.ReasonCashUnavailable: 50}

// price lets every order begin as a basket, some minutes before.
func (p *planner) price() {
	for i := range p.plan.Orders {
		o := &p.plan.Orders[i]
		o.PricedAt = o.At.Add(-time.Duration(45+p.r.IntN(25*60)) * time.Second)
	}
}

// abandon plans baskets that never become orders.
func (p *planner) abandon(count int) {
	p.onShelf = map[string]int64{}
	for _, g := range p.goods {
		p.onShelf[g.Article] = g.Stock
	}
	moves := p.moves()
	for _, at := range p.moments(count) {
		for ; len(moves) > 0 && !moves[0].at.After(at); moves = moves[1:] {
			p.onShelf[moves[0].article] += moves[0].pieces
		}
		p.plan.Abandoned = append(p.plan.Abandoned, p.abandoned(at))
	}
}

// move is pieces that came, or went.
type move struct {
	at      time.Time
	article string
	pieces  int64
}

// moves are what the plan does to the stock that the catalog file states, sorted by time.
func (p *planner) moves() []move {
	var moves []move
	for _, r := range p.plan.Receipts {
		moves = append(moves, move{r.At, r.Article, r.Quantity})
	}
	for _, o := range p.plan.Orders {
		for _, l := range o.Lines {
			moves = append(moves, move{o.At, l.Article, -l.Amount})
			for _, s := range o.Steps {
				switch s.Kind {
				case Cancel, RefusePayment, ExpirePayment:
					moves = append(moves, move{s.At, l.Article, l.Amount})
				case PayAgain:
					moves = append(moves, move{s.At, l.Article, -l.Amount})
				}
			}
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return a.at.Compare(b.at) })
	return moves
}

func (p *planner) abandoned(at time.Time) Abandoned {
	a := Abandoned{At: at, Basket: Basket{PricedAt: at, Delivery: domain.Delivery, Payment: domain.Card}, Reason: pickWeighted(p.r, reasons)}
	a.Person = p.people[1+p.r.IntN(guests)]
	elsewhere := a.Reason == projections.ReasonDeliveryUnknown || a.Reason == pricing.ReasonCashUnavailable
	for elsewhere && a.City == mainCity {
		a.Person = p.people[1+p.r.IntN(guests)]
	}
	a.Lines = p.lines(Order{At: at})
	switch a.Reason {
	case "":
		// Elsewhere the delivery would be in the way, once it is said where.
		if a.City != mainCity || chance(p.r, 40) {
			a.City = ""
		}
	case pricing.ReasonBelowMinimum:
		a.Lines = p.little(at)
	case pricing.ReasonOutOfStock:
		if gone := p.soldOut(at); len(gone) > 0 {
			a.Lines = append(a.Lines, Line{pick(p.r, gone), 1})
		} else {
			a.Reason, a.City = "", ""
		}
	case basket.ReasonPromoInvalid:
		a.Promocode = pick(p.r, []string{"WELCOME20", "VESNA15", "DALA5", "BLACKFRIDAY"})
	case pricing.ReasonCashUnavailable:
		a.Payment = domain.Cash
	}
	a.Tried = chance(p.r, tried[a.Reason])
	if a.Tried || a.Reason == projections.ReasonEmptied {
		a.PricedAt = at.Add(-time.Duration(30+p.r.IntN(15*60)) * time.Second)
	}
	return a
}

// little is a product that is too cheap for an order of its own.
func (p *planner) little(at time.Time) []Line {
	choice := p.choice(Order{At: at})
	for {
		if g := p.goods[choice.pick(p.r)]; p.costs(g, at) < minimumSum {
			return []Line{{g.Article, 1}}
		}
	}
}

// soldOut are the articles of which nothing is free.
func (p *planner) soldOut(at time.Time) []string {
	var articles []string
	for _, g := range p.goods {
		if p.onShelf[g.Article] == 0 && p.known(g, at) {
			articles = append(articles, g.Article)
		}
	}
	return articles
}
