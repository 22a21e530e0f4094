package pages

import (
	"context"
	"time"
)

const (
	// pagesWarm is how many pages are kept warm at most.
	pagesWarm = 60
	// warmEvery is how long warming rests between two rounds, restAfter at least between two pages.
	warmEvery = 10 * time.Second
	restAfter = 20 * time.Millisecond
)

// KeepWarm renders the pages that most visits begin with before anybody asks for them, and again those that have
// changed since. It renders one at a time and then rests nine times as long: shoppers come first.
func (p *Pages) KeepWarm(ctx context.Context, mostVisited func(context.Context) []View) {
	for {
		for _, v := range mostVisited(ctx) {
			began := time.Now()
			p.Warm(ctx, v)
			if !rest(ctx, max(restAfter, 9*time.Since(began))) {
				return
			}
		}
		if !rest(ctx, warmEvery) {
			return
		}
	}
}

// Warm renders a page in Russian unless it is kept as it is now, or shoppers wait for theirs. What fails is left to the
// first visitor, who will be told.
func (p *Pages) Warm(ctx context.Context, v View) {
	key := russian + " " + v.At
	kept := p.Look(key)
	if p.Engines.busy() || kept != nil && (kept.From.Stands() || time.Since(kept.Made) < renewEvery) {
		return
	}
	f, err := p.fill(ctx, v, russian)
	if err != nil {
		return
	}
	select {
	case <-p.render(v, key, russian, f):
	case <-ctx.Done():
	}
}

// rest waits; false: it is over before that.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// MostVisited are the pages that most visits begin with, as the storefront names them from its first page.
func (p *Pages) MostVisited(ctx context.Context) []View {
	var views []View
	visit := func(address string) bool {
		made, err := p.plan(ctx, address)
		if err == nil {
			views = append(views, View{plan: made})
		}
		return err == nil
	}
	if !visit("/") {
		return nil // asked again in the next round
	}
	first, err := p.fill(ctx, views[0], russian)
	if err != nil {
		return views
	}
	addresses, err := p.Engines.visited(ctx, string(first.given))
	if err != nil {
		p.Log.WarnContext(ctx, "which pages are visited most is not known", "error", err)
	}
	for _, address := range addresses[:min(len(addresses), pagesWarm)] {
		if address != "/" && !visit(address) {
			break
		}
	}
	return views
}
