package changes

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
)

// ErrHeld: a change for a while, or at a time, holds the same field then. Two of them could not both give back what was before.
var ErrHeld = domain.Refuse("change/held", "Another planned change holds this then.")

// Hold is a field that a change at a time, or for a while, holds or will hold.
type Hold struct {
	Change           domain.ID
	Title            string
	Thing, ID, Field string
	// From and Until bound it, the end excluded; equal for a change that stays.
	From, Until time.Time
}

// Plans know the fields that changes hold which are planned, or in force for a while. They may lag: what is only planned and proposed
// within the same second is told when it is applied.
type Plans interface {
	Holds(ctx context.Context, things []string) ([]Hold, error)
}

// timed says whether a change has a time.
func (p *Proposal) timed() bool { return !p.StartsAt.IsZero() || !p.EndsAt.IsZero() }

// held finds for each item of a change with a time another change that holds its field then.
func (c *Changes) held(ctx context.Context, p *Proposal) (map[int]Hold, error) {
	if c.Plans == nil || !p.timed() || p.undoes != (domain.ID{}) {
		return nil, nil
	}
	things := make([]string, len(p.Items))
	for i, a := range p.Items {
		things[i] = a.ID
	}
	holds, err := c.Plans.Holds(ctx, things)
	if err != nil || len(holds) == 0 {
		return nil, err
	}
	from := p.StartsAt
	if from.IsZero() {
		from = c.Handler.Now()
	}
	until := p.EndsAt
	if until.IsZero() {
		until = from
	}
	of := map[[2]string][]Hold{}
	for _, h := range holds {
		of[[2]string{h.Thing, h.ID}] = append(of[[2]string{h.Thing, h.ID}], h)
	}
	held := map[int]Hold{}
	for i, a := range p.Items {
		_, stored, err := c.Fields.of(a.Thing, a.Field)
		if err != nil || stored.shift != nil {
			continue // refused later, or it holds nothing
		}
		for _, h := range of[[2]string{a.Thing, a.ID}] {
			if sameField(h.Field, stored.Name) && meet(from, until, h.From, h.Until) {
				held[i] = h
			}
		}
	}
	return held, nil
}

func sameField(a, b string) bool { return a == b || a == wholeField || b == wholeField }

// meet says whether two spans have a moment in common; a span without length is its moment.
func meet(from, until, otherFrom, otherUntil time.Time) bool {
	switch {
	case from.Equal(otherFrom):
		return true
	case from.Before(otherFrom):
		return until.After(otherFrom)
	}
	return otherUntil.After(from)
}

// refusal names the change that is in the way.
func (h Hold) refusal() *domain.Refusal {
	if h.Until.After(h.From) {
		return ErrHeld.With(fmt.Sprintf("The change «%s» (%s) holds this until %s.", h.Title, h.Change, h.Until.UTC().Format("2006-01-02 15:04 UTC")))
	}
	return ErrHeld.With(fmt.Sprintf("The change «%s» (%s) sets this at %s.", h.Title, h.Change, h.From.UTC().Format("2006-01-02 15:04 UTC")))
}

// from is the value that a change will find when it begins: what comes back when a change ends that is in force until then.
func (f *Field) from(u *commands.Unit, id string, p *Proposal) (json.RawMessage, error) {
	if f.later == nil || p.StartsAt.IsZero() {
		return f.read(u, id)
	}
	if _, err := f.read(u, id); err != nil {
		return nil, err
	}
	return f.later(u, id, p.StartsAt)
}

// strange says whether a field that the change is to end has been set by another change meanwhile, to whichever value.
func (f *Field) strange(u *commands.Unit, s change.State, id string, ends bool) bool {
	return ends && f.holder != nil && f.holder(u, id) != s.ID
}

// until is how long a value stays that is decided now: one that is planned is held only when it begins.
func (p *Proposal) until() time.Time {
	if !p.StartsAt.IsZero() {
		return time.Time{}
	}
	return p.EndsAt
}
