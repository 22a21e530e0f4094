package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/projections"
	"shop/projections/rebuild"
)

// benchProject compares projecting the log from scratch to copying it out of the database.
func benchProject(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	if err := fill(ctx, store, s.events); err != nil {
		return nil, err
	}
	total, copyOut, err := copyingOut(ctx, db)
	if err != nil {
		return nil, err
	}
	model := projections.Stock()
	project := func() (float64, error) {
		if _, err := db.Exec(ctx, "DROP SCHEMA IF EXISTS stock CASCADE"); err != nil {
			return 0, err
		}
		if _, err := rebuild.Prepare(ctx, db, model); err != nil {
			return 0, err
		}
		head, err := store.Head(ctx)
		if err != nil {
			return 0, err
		}
		var took time.Duration
		start := time.Now()
		err = withFeed(ctx, db, store, []projections.Projection{model}, func(consumers *feed.Feed) error {
			defer func() { took = time.Since(start) }()
			return consumers.WaitFor(ctx, model.Name, head)
		})
		return float64(total) / took.Seconds(), err
	}
	limit, rate, ratio, err := alternate(s.rounds, copyOut, project)
	if err != nil {
		return nil, err
	}
	return []result{{
		work: fmt.Sprintf("project %d events from scratch (stock)", total), limit: limit, product: rate, unit: "events/s", ratio: ratio,
		note: "limit: COPY out, binary, in order, one connection",
	}}, nil
}

// copyingOut is how many events the log has, and the measurement of copying them out of the database.
func copyingOut(ctx context.Context, db *pgxpool.Pool) (total int64, measure func() (float64, error), err error) {
	err = db.QueryRow(ctx, "SELECT count(*) FROM eventstore.events").Scan(&total)
	return total, func() (float64, error) {
		conn, err := db.Acquire(ctx)
		if err != nil {
			return 0, err
		}
		defer conn.Release()
		start := time.Now()
		tag, err := conn.Conn().PgConn().CopyTo(ctx, io.Discard, "COPY (SELECT * FROM eventstore.events ORDER BY position) TO STDOUT (FORMAT binary)")
		return float64(tag.RowsAffected()) / time.Since(start).Seconds(), err
	}, err
}

// fill appends n stock events over 1 000 products.
func fill(ctx context.Context, store *eventstore.Store, n int) error {
	const perAppend = 500
	products := make([]uuid.UUID, 1000)
	for i := range products {
		products[i] = uuid.New()
	}
	for done := 0; done < n; done += perAppend {
		byStream := map[uuid.UUID][]eventstore.NewEvent{}
		for i := range min(perAppend, n-done) {
			product := products[(done+i)/10%len(products)]
			byStream[product] = append(byStream[product], eventstore.NewEvent{Data: stock.Received{
				ProductID: product, Quantity: 1, OnHand: int64(done + i), Cause: stock.Cause{Kind: "receipt", Ref: "bench"}, At: time.Now().UTC(),
			}})
		}
		var a eventstore.Append
		for product, events := range byStream {
			a.Writes = append(a.Writes, eventstore.Write{Stream: stock.Stream(product), Expected: eventstore.AnyVersion, Events: events})
		}
		if _, err := store.Append(ctx, a); err != nil {
			return err
		}
	}
	return nil
}
