package main

import (
	"context"
	"encoding/json"
	"fmt"

	"shop/domain/stock"
	"shop/eventstore"
)

// proveSnapshots compares each snapshot of a stock with a fold of its stream up to the snapshot's version.
func (r *hostile) proveSnapshots(ctx context.Context, db database, where string) error {
	taken, err := collect[struct {
		Stream  string
		Version int64
		State   []byte
	}](ctx, db.pool, `SELECT stream, version, state FROM eventstore.snapshots WHERE stream LIKE 'stock-%' ORDER BY stream, shape`)
	if err != nil {
		return err
	}
	var faults []string
	for _, s := range taken {
		events, err := db.store.Stream(ctx, s.Stream, 0, int(s.Version))
		if err != nil {
			return err
		}
		state := stock.Decider.Initial
		for _, e := range events {
			if moved, ok := e.Data.(stock.Event); ok {
				state = stock.Decider.Evolve(state, moved)
			}
		}
		folded, err := json.Marshal(state.Snapshot())
		if err != nil {
			return err
		}
		if len(events) == 0 || events[len(events)-1].Version != eventstore.Version(s.Version) || string(folded) != string(s.State) {
			faults = append(faults, fmt.Sprintf("the snapshot of %s at version %d says %s, its %d events say %s", s.Stream, s.Version, s.State, len(events), folded))
		}
	}
	r.report.found(where+"snapshots equal a fold of their streams", len(taken), faults)
	return nil
}
