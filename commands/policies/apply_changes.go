package policies

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
	"shop/eventstore"
)

// dueChanges finds changes that somebody has to go on with, the longest due first. A read model can.
type dueChanges interface {
	DueChanges(ctx context.Context, now time.Time, limit int) ([]domain.ID, error)
}

// applier carries changes on; changes.Changes does.
type applier interface {
	Show(ctx context.Context, id domain.ID) (change.State, error)
	Apply(ctx context.Context, id domain.ID) (eventstore.Position, error)
	End(ctx context.Context, id domain.ID) (eventstore.Position, error)
}

// ApplyChanges applies changes when their time has come, ends those that were for a while, and goes on with those that were left in the
// middle. The list may be behind or name a change twice: the change itself decides.
type ApplyChanges struct {
	Changes applier
	Due     dueChanges
	// Clock tells the time that the list is asked for. Default time.Now.
	Clock func() time.Time
	// Every is the pause between looks. Default 5s.
	Every time.Duration
	// Logger gets what went wrong with single changes. Default slog.Default().
	Logger *slog.Logger
}

// Run looks again and again until ctx ends. A look that fails is repeated at the next.
func (p ApplyChanges) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, 5*time.Second), p.Logger, "apply changes", p.Once)
}

// Once goes on with every change that is due now, one after the other: two that set the same thing keep their order. A change that
// cannot go on does not hold up the others.
func (p ApplyChanges) Once(ctx context.Context) error {
	ctx = commands.WithOrigin(ctx, commands.Origin{Actor: "system:apply-changes"})
	due, err := p.Due.DueChanges(ctx, now(p.Clock), batch)
	if err != nil {
		return fmt.Errorf("apply changes: %w", err)
	}
	for _, id := range due {
		if err := p.carryOn(ctx, id); err != nil && ctx.Err() == nil {
			loggerOr(p.Logger).ErrorContext(ctx, "apply changes", "change", id, "error", err)
		}
	}
	return ctx.Err()
}

// carryOn does what a change waits for. It may have been done meanwhile.
func (p ApplyChanges) carryOn(ctx context.Context, id domain.ID) error {
	s, err := p.Changes.Show(ctx, id)
	if err != nil {
		return err
	}
	switch s.Status {
	case change.Planned, change.Applying:
		_, err = p.Changes.Apply(ctx, id)
	case change.Running, change.Ending:
		_, err = p.Changes.End(ctx, id)
	}
	if errors.Is(err, change.ErrOver) || errors.Is(err, change.ErrTooEarly) {
		return nil
	}
	return err
}
