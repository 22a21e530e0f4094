package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/order"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/projections/replay"
)

const (
	journeys = 300
	// Orders from all over the log, in an order of their own, the same in every run.
	drawn = `SELECT stream FROM eventstore.events WHERE type = $1 AND position IN (
		SELECT 1 + (hashint8(n) & 2147483647) % (SELECT max(position) FROM eventstore.events) FROM generate_series(1, 40 * $2::bigint) n)
		ORDER BY hashtext(stream) LIMIT $2`
)

// benchTravel follows orders event by event, with what else came of them, and explains their prices, as /analytics does.
func benchTravel(ctx context.Context, db *pgxpool.Pool, _ settings) ([]result, error) {
	rows, _ := db.Query(ctx, drawn, order.Placed{}.EventType(), journeys)
	streams, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	var took []time.Duration
	events, coded := 0, 0
	for _, stream := range streams {
		began := time.Now()
		steps, err := replay.Trail(ctx, store, stream, false)
		if err != nil {
			return nil, err
		}
		placed, ok := steps[0].Event.Data.(order.Placed)
		if !ok {
			return nil, fmt.Errorf("%s begins with %s", stream, steps[0].Event.Type)
		}
		if _, err := replay.Reprice(ctx, store, &placed, steps[0].Event.Position); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		events += len(steps)
		if placed.Calculation.PromocodeApplied != "" {
			coded++
		}
	}
	return []result{{
		work: "one order event by event, with its price explained (target p99 ≤ 20 ms)", product: ms(quantile(took, .99)), unit: "ms p99",
		note: fmt.Sprintf("%d orders, %d events, %d promo codes; p50 %.1f ms, most %.1f ms", len(took), events, coded, ms(quantile(took, .5)), ms(quantile(took, 1))),
	}}, nil
}
