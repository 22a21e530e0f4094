package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
)

// rawTable has the log's three indexes and nothing else of it.
const rawTable = `
CREATE TABLE raw_events (
	position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	stream text NOT NULL, version bigint NOT NULL, id uuid NOT NULL UNIQUE,
	type text NOT NULL, data json NOT NULL, metadata json NOT NULL, recorded_at timestamptz NOT NULL,
	UNIQUE (stream, version)
)`

const rawInsert = `INSERT INTO raw_events (stream, version, id, type, data, metadata, recorded_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`

// rawPayload is about as long as what the store writes for sampleEvent with its metadata.
const rawPayload = `{"product_id":"0197a9a2-7b1e-7c33-9a51-4d2f6c9b1e77","order_id":"0197a9a2-7b1e-7c33-9a51-4d2f6c9b1e78","quantity":2,"on_hand":120,"reserved":14,"cause":{"kind":"order","ref":"0197a9a2-7b1e-7c33-9a51-4d2f6c9b1e78"},"at":"2026-11-20T09:30:00.123456Z"}`

const rawMetadata = `{"correlation_id":"0197a9a2-7b1e-7c33-9a51-4d2f6c9b1e79","actor":"guest"}`

func sampleEvent() stock.Reserved {
	id := uuid.New()
	return stock.Reserved{ProductID: id, OrderID: id, Quantity: 2, OnHand: 120, Reserved: 14,
		Cause: stock.Cause{Kind: "order", Ref: id.String()}, At: time.Now().UTC()}
}

// benchAppend compares an append of one event with an expected version to a raw INSERT of one row.
func benchAppend(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	if _, err := db.Exec(ctx, rawTable); err != nil {
		return nil, err
	}
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()

	measure, err := processorOf(ctx, db)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, clients := range []int{1, 8, 32, 128} {
		var lastRaw, lastAppend []time.Duration
		var raws, appends []cost
		calls := 0.0
		raw := func() (float64, error) {
			run, begin := uuid.NewString(), measure.spent()
			rate, took, err := load(ctx, clients, s.period, func(ctx context.Context, client, n int) error {
				id, err := uuid.NewV7()
				if err != nil {
					return err
				}
				_, err = db.Exec(ctx, rawInsert, fmt.Sprintf("stock-%s-%d", run, client), n+1, id, "stock.reserved", rawPayload, rawMetadata, time.Now())
				return err
			})
			lastRaw, raws = took, append(raws, measure.spent().each(begin, len(took)))
			return rate, err
		}
		product := func() (float64, error) {
			run, begin := uuid.NewString(), measure.spent()
			before, err := appendCalls(ctx, db)
			if err != nil {
				return 0, err
			}
			rate, took, err := load(ctx, clients, s.period, func(ctx context.Context, client, n int) error {
				_, err := store.Append(ctx, eventstore.Append{
					Writes: []eventstore.Write{{
						Stream:   fmt.Sprintf("stock-%s-%d", run, client),
						Expected: eventstore.Version(n),
						Events:   []eventstore.NewEvent{{Data: sampleEvent()}},
					}},
					Metadata: eventstore.Metadata{CorrelationID: run, Actor: "guest"},
				})
				return err
			})
			if err != nil {
				return 0, err
			}
			lastAppend, appends = took, append(appends, measure.spent().each(begin, len(took)))
			after, err := appendCalls(ctx, db)
			calls = float64(after-before) / float64(max(1, len(took)))
			return rate, err
		}
		limit, rate, ratio, err := alternate(s.rounds, raw, product)
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			work: fmt.Sprintf("append one event, expected version, %d clients", clients), limit: limit, product: rate, unit: "/s", ratio: ratio,
			note: fmt.Sprintf("p99 raw INSERT %.1f ms, append %.1f ms; %.1f appends a transaction; processor time each: raw %s; append %s",
				ms(quantile(lastRaw, .99)), ms(quantile(lastAppend, .99)), 1/max(calls, 1e-9), medianCost(raws), medianCost(appends)),
		})
	}
	return benchHotStream(ctx, store, s, results)
}

// hotAppenders append to one stream at once.
const hotAppenders = 64

// benchHotStream measures appends of one event to the same stream, which are written in the order in which they come.
func benchHotStream(ctx context.Context, store *eventstore.Store, s settings, results []result) ([]result, error) {
	var rates []float64
	var took []time.Duration
	for range s.rounds {
		stream := "stock-" + uuid.NewString()
		rate, t, err := load(ctx, hotAppenders, s.period, func(ctx context.Context, _, _ int) error {
			_, err := store.Append(ctx, eventstore.Append{
				Writes:   []eventstore.Write{{Stream: stream, Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{{Data: sampleEvent()}}}},
				Metadata: eventstore.Metadata{CorrelationID: stream, Actor: "guest"},
			})
			return err
		})
		if err != nil {
			return nil, err
		}
		rates, took = append(rates, rate), t
	}
	return append(results, result{
		work: fmt.Sprintf("append to one stream, %d clients", hotAppenders), product: median(rates), unit: "/s",
		note: fmt.Sprintf("p50 %.1f ms, p99 %.1f ms (target ≥ 10 000)", ms(quantile(took, .5)), ms(quantile(took, .99))),
	}), nil
}

// appendCalls is how often the server was called to append so far.
func appendCalls(ctx context.Context, db *pgxpool.Pool) (calls int64, err error) {
	err = db.QueryRow(ctx, `SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
		WHERE d.datname = current_database() AND query LIKE '%eventstore.append%' AND toplevel`).Scan(&calls)
	return calls, err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
