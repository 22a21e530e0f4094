package app

import (
	"context"

	"shop/commands/changes"
	reads "shop/readapi/staff"
)

// plans tell changes with a time what others hold.
type plans struct{ reads.Shop }

// Holds are the fields of things that changes with a time hold or will hold.
func (p plans) Holds(ctx context.Context, things []string) ([]changes.Hold, error) {
	found, err := p.ChangeHolds(ctx, things)
	holds := make([]changes.Hold, len(found))
	for i, h := range found {
		holds[i] = changes.Hold(h)
	}
	return holds, err
}
