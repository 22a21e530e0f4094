package commands

import (
	"context"
	"fmt"

	"shop/domain"
	"shop/eventstore"
)

// Change carries out a command that concerns one stream.
func Change[C any, E domain.Event, S any](ctx context.Context, h *Handler, stream Stream[C, E, S], command func(u *Unit) C) (eventstore.Position, error) {
	position, err := h.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream); err != nil {
			return err
		}
		return stream.Do(u, command(u))
	})
	if err != nil {
		return 0, fmt.Errorf("change %s: %w", stream.Name, err)
	}
	return position, nil
}

// WouldChange says whether a command that concerns one stream would add anything, and adds nothing.
func WouldChange[C any, E domain.Event, S any](ctx context.Context, h *Handler, stream Stream[C, E, S], command func(u *Unit) C) (bool, error) {
	adds := false
	_, err := h.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream); err != nil {
			return err
		}
		events, err := stream.Decider.Decide(command(u), stream.State(u))
		adds = len(events) > 0
		return err
	})
	return adds, err
}

// See folds one stream as it is now.
func See[C any, E domain.Event, S any](ctx context.Context, h *Handler, stream Stream[C, E, S]) (S, error) {
	var state S
	_, err := h.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream); err != nil {
			return err
		}
		state = stream.State(u)
		return nil
	})
	return state, err
}
