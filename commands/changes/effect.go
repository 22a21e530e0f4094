package changes

import (
	"context"
	"fmt"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
	"shop/eventstore"
)

// Effects price the orders of the last days without a change and with it.
type Effects interface {
	Measure(ctx context.Context, items []change.Item, days int, at time.Time) (change.Effect, error)
}

// Effect is what a proposal would have made of the orders of the last days. Items that cannot be as asked are left out.
func (c *Changes) Effect(ctx context.Context, p Proposal, days int) (change.Effect, error) {
	out, _, err := c.try(ctx, &p)
	if err != nil {
		return change.Effect{}, err
	}
	var items []change.Item
	for i, item := range out.items {
		if out.results[i].Outcome == change.Done {
			items = append(items, item)
		}
	}
	effect, err := c.Effects.Measure(ctx, items, days, c.Handler.Now())
	if err != nil {
		return change.Effect{}, fmt.Errorf("measure the effect of %d items: %w", len(items), err)
	}
	return effect, nil
}

// EffectOf is what a change would make of the orders of the last days. The change keeps it while it waits to be decided or to begin.
func (c *Changes) EffectOf(ctx context.Context, id domain.ID, days int) (change.Effect, eventstore.Position, error) {
	s, err := c.Show(ctx, id)
	if err != nil {
		return change.Effect{}, 0, fmt.Errorf("measure the effect of change %s: %w", id, err)
	}
	effect, err := c.Effects.Measure(ctx, s.List, days, c.Handler.Now())
	if err != nil {
		return change.Effect{}, 0, fmt.Errorf("measure the effect of change %s: %w", id, err)
	}
	position, err := c.decide(ctx, "keep an effect of", id, func(u *commands.Unit, by string) change.Command {
		return change.Measure{By: by, Effect: effect, At: u.At()}
	})
	return effect, position, err
}
