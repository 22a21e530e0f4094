package changes

import (
	"context"
	"fmt"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
	"shop/eventstore"
)

// Approve lets a change be applied as a second person, or over the rule with a reason, and applies it when its time has come.
func (c *Changes) Approve(ctx context.Context, id domain.ID, override string) (eventstore.Position, error) {
	position, err := c.decide(ctx, "approve", id, func(u *commands.Unit, by string) change.Command {
		return change.Approve{By: by, Override: override, At: u.At()}
	})
	if err != nil {
		return 0, err
	}
	s, err := c.Show(ctx, id)
	if err != nil || s.StartsAt.After(c.Handler.Now()) {
		return position, err
	}
	applied, err := c.Apply(ctx, id)
	return max(position, applied), err
}

// Reject says no to a change as a second person.
func (c *Changes) Reject(ctx context.Context, id domain.ID, reason string) (eventstore.Position, error) {
	return c.decide(ctx, "reject", id, func(u *commands.Unit, by string) change.Command {
		return change.Reject{By: by, Reason: reason, At: u.At()}
	})
}

// Cancel ends a change that was not applied yet.
func (c *Changes) Cancel(ctx context.Context, id domain.ID, reason string) (eventstore.Position, error) {
	return c.decide(ctx, "cancel", id, func(u *commands.Unit, by string) change.Command {
		return change.Cancel{By: by, Reason: reason, At: u.At()}
	})
}

func (c *Changes) decide(ctx context.Context, what string, id domain.ID, command func(u *commands.Unit, by string) change.Command) (eventstore.Position, error) {
	ctx = caused(ctx, id)
	by := commands.OriginOf(ctx).Actor
	position, err := c.Handler.Do(ctx, false, func(u *commands.Unit) error {
		stream := commands.ChangeStream(id)
		if err := u.Load(stream); err != nil {
			return err
		}
		return stream.Do(u, command(u, by))
	})
	if err != nil {
		return 0, fmt.Errorf("%s change %s: %w", what, id, err)
	}
	return position, nil
}
