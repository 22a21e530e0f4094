package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/importer"
	"shop/domain"
	"shop/projections"
)

// past is something that happened in the demo's past.
type past struct {
	at time.Time
	do func(ctx context.Context) error
}

// play carries out a plan in the order of its moments.
func (l *loader) play(ctx context.Context, w terminal.World, plan Plan, goods []Good) error {
	staff := as(ctx, "staff:demo")
	ctx = as(ctx, "guest")
	blog, err := l.blog(staff, plan.Opened)
	if err != nil {
		return err
	}
	story := slices.Concat(
		[]past{
			{plan.Opened, func(context.Context) error { return l.open(staff, goods, plan) }},
			{plan.Arrived, func(context.Context) error { return l.importGoods(staff, CatalogFile()) }},
		},
		l.terms(staff, plan), l.arrivals(staff, plan), blog, l.sales(plan), l.leftBehind(plan), l.opinions(staff, plan), l.waits(plan),
	)
	// Stable: what the plan gives the same moment stays in its order.
	slices.SortStableFunc(story, func(a, b past) int { return a.at.Compare(b.at) })

	show := terminal.NewProgress(w.Stderr)
	for i, p := range story {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.clock = p.at
		if err := p.do(ctx); err != nil {
			return fmt.Errorf("at %s: %w", terminal.Moment(p.at), err)
		}
		show.Say("loading the demo: %s, %d %%", p.at.In(domain.Almaty).Format("02.01.2006"), 100*i/len(story))
	}
	show.Clear()
	return nil
}

// terms are what goods cost whom: rules, promo codes and prices.
func (l *loader) terms(staff context.Context, plan Plan) (story []past) {
	for _, r := range plan.Rules {
		story = append(story, past{r.At, func(context.Context) error {
			_, err := (&commands.Rules{Handler: l.handler}).Change(staff, r.Rules, 0)
			return err
		}})
	}
	codes := &commands.Promocodes{Handler: l.handler}
	for _, c := range plan.Codes {
		story = append(story, past{c.At, func(context.Context) error { _, err := codes.Issue(staff, c.Code, c.Terms); return err }})
		if !c.Revoked.IsZero() {
			story = append(story, past{c.Revoked, func(context.Context) error { _, err := codes.Revoke(staff, c.Code); return err }})
		}
	}
	sale := &commands.Catalog{Handler: l.handler}
	for _, sameTime := range momentsOf(plan.Prices, func(p Price) time.Time { return p.At }) {
		if at := sameTime[0].At; at.After(plan.Opened) { // the first ones stand in the file that it opens with
			story = append(story, past{at, func(context.Context) error {
				return allOf(staff, sameTime, func(ctx context.Context, p Price) error {
					_, err := sale.PriceProduct(ctx, importer.ProductID(p.Article), p.List, p.Pay)
					return err
				})
			}})
		}
	}
	return story
}

// arrivals are who and what comes to the shop: members and deliveries.
func (l *loader) arrivals(staff context.Context, plan Plan) (story []past) {
	for _, m := range plan.Members {
		story = append(story, past{m.At, func(ctx context.Context) error { return l.register(ctx, m) }})
	}
	for _, delivery := range momentsOf(plan.Receipts, func(r Receipt) time.Time { return r.At }) {
		story = append(story, past{delivery[0].At, func(context.Context) error {
			return allOf(staff, delivery, func(ctx context.Context, r Receipt) error {
				_, err := l.stock.Receive(ctx, importer.ProductID(r.Article), r.Quantity, "demo")
				return err
			})
		}})
	}
	return story
}

// sales are the orders, each with its basket before and its life after.
func (l *loader) sales(plan Plan) (story []past) {
	l.placed, l.priced, l.attempts = make([]commands.Receipt, len(plan.Orders)), make([]domain.ID, len(plan.Orders)), make([]int, len(plan.Orders))
	for i, o := range plan.Orders {
		story = append(story, past{o.PricedAt, func(ctx context.Context) (err error) { l.priced[i], err = l.price(ctx, o.Basket); return err }})
		story = append(story, past{o.At, func(ctx context.Context) error { return l.place(ctx, i, o) }})
		for _, step := range o.Steps {
			story = append(story, past{step.At, func(ctx context.Context) error { return l.step(ctx, i, o, step) }})
		}
	}
	return story
}

// leftBehind are the baskets that no order came of.
func (l *loader) leftBehind(plan Plan) (story []past) {
	for _, a := range plan.Abandoned {
		var id domain.ID
		story = append(story, past{a.PricedAt, func(ctx context.Context) (err error) { id, err = l.price(ctx, a.Basket); return err }})
		if a.Tried || a.Reason == projections.ReasonEmptied {
			story = append(story, past{a.At, func(ctx context.Context) error { return l.abandon(ctx, id, a) }})
		}
	}
	return story
}

// opinions are the reviews, with what the shop replies.
func (l *loader) opinions(staff context.Context, plan Plan) (story []past) {
	for _, v := range plan.Reviews {
		var id domain.ID
		story = append(story, past{v.At, func(ctx context.Context) (err error) { id, err = l.review(ctx, v); return err }})
		if v.Reply != "" {
			story = append(story, past{v.RepliedAt, func(context.Context) error { _, err := l.reviews.Answer(staff, id, v.Reply); return err }})
		}
	}
	return story
}

// waits are who waits for what sold out, and is told when it is back.
func (l *loader) waits(plan Plan) (story []past) {
	list := &commands.Restock{Handler: l.handler}
	for _, w := range plan.Waits {
		story = append(story, past{w.At, func(ctx context.Context) error {
			id := l.members[w.Email]
			_, err := list.Wait(commands.AsCustomer(ctx, id), importer.ProductID(w.Article), id)
			return err
		}})
	}
	for _, r := range plan.Returns {
		story = append(story, past{r.At, func(ctx context.Context) error {
			_, err := list.Notify(as(ctx, "system:notify-restock"), importer.ProductID(r.Article))
			return err
		}})
	}
	return story
}

// as lets the commands under ctx be somebody's, without the request that asks for the demo.
func as(ctx context.Context, actor string) context.Context {
	return commands.WithOrigin(ctx, commands.Origin{Actor: actor})
}

// momentsOf divides what is sorted by time into what happens at the same time.
func momentsOf[T any](all []T, at func(T) time.Time) (moments [][]T) {
	for i, one := range all {
		if i == 0 || !at(one).Equal(at(all[i-1])) {
			moments = append(moments, nil)
		}
		last := len(moments) - 1
		moments[last] = append(moments[last], one)
	}
	return moments
}

// allOf does something with each of what is independent, several at once.
func allOf[T any](ctx context.Context, all []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for _, one := range all {
		group.Go(func() error { return do(ctx, one) })
	}
	return group.Wait()
}
