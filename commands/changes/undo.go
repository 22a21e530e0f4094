package changes

import (
	"context"
	"fmt"
	"slices"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/staff"
)

// ErrNothing: no item is as the change left it.
var ErrNothing = domain.Refuse("change/nothing-left", "Nothing is as the change left it.")

// Undoing is what to take back of a change.
type Undoing struct {
	Change domain.ID
	Reason string
	// Force are things, by the numbers of their items, to put back although somebody changed them since.
	Force []int
	May   func(staff.Permission) bool
}

// DryUndo answers what an undo would put back, what it would leave because it was changed since, and what cannot go back.
func (c *Changes) DryUndo(ctx context.Context, asked Undoing) (Answer, error) {
	p, err := c.undoing(ctx, asked)
	if err != nil {
		return Answer{}, err
	}
	return c.DryRun(ctx, p)
}

// Undo puts back what a change set, by another change: what somebody changed since stays, unless it is forced.
func (c *Changes) Undo(ctx context.Context, asked Undoing) (Answer, error) {
	p, err := c.undoing(ctx, asked)
	if err != nil {
		return Answer{}, err
	}
	return c.Propose(ctx, p)
}

// undoing is the change that takes another back.
func (c *Changes) undoing(ctx context.Context, asked Undoing) (Proposal, error) {
	s, err := c.Show(ctx, asked.Change)
	if err != nil {
		return Proposal{}, fmt.Errorf("undo change %s: %w", asked.Change, err)
	}
	if _, err := change.Decider.Decide(change.Undo{At: c.Handler.Now()}, s); err != nil {
		return Proposal{}, fmt.Errorf("undo change %s: %w", asked.Change, err)
	}
	p := Proposal{Title: s.Title, Reason: asked.Reason, Partly: true, May: asked.May, undoes: s.ID, changed: map[int]bool{}}
	// The last item goes back first.
	for i, item := range slices.Backward(s.List) {
		if !s.InForce(i) {
			continue
		}
		back := Asked{Thing: item.Thing, ID: item.ID, Field: item.Field, Was: item.Now, Now: item.Was}
		if slices.Contains(asked.Force, i) {
			// What moves goes back by as much as it moved.
			if _, f, err := c.Fields.of(item.Thing, item.Field); err != nil || f.shift == nil {
				back.Was = nil
			}
		} else if s.ChangedSince(i) {
			p.changed[len(p.Items)] = true
		}
		p.Items, p.numbers = append(p.Items, back), append(p.numbers, i)
	}
	if len(p.Items) == 0 {
		return Proposal{}, fmt.Errorf("undo change %s: %w", asked.Change, ErrNothing)
	}
	if p.EndsAt, err = c.endAgain(ctx, s); err != nil {
		return Proposal{}, fmt.Errorf("undo change %s: %w", asked.Change, err)
	}
	return p, nil
}

// endAgain is when a sale is to end that comes back by an undo of its undo; zero where there is none.
func (c *Changes) endAgain(ctx context.Context, s change.State) (time.Time, error) {
	if s.Undoes == (domain.ID{}) {
		return time.Time{}, nil
	}
	first, err := commands.See(ctx, c.Handler, commands.ChangeStream(s.Undoes))
	if err != nil || !first.EndsAt.After(c.Handler.Now()) {
		return time.Time{}, err
	}
	return first.EndsAt, nil
}
