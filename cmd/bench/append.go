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

	var results []result
	for _, clients := range []int{1, 8, 32} {
		var lastRaw, lastAppend []time.Duration
		raw := func() (float64, error) {
			run := uuid.NewString()
			rate, took, err := load(ctx, clients, s.period, func(ctx context.Context, client, n int) error {
				id, err := uuid.NewV7()
				if err != nil {
					return err
				}
				_, err = db.Exec(ctx, rawInsert, fmt.Sprintf("stock-%s-%d", run, client), n+1, id, "stock.reserved", rawPayload, rawMetadata, time.Now())
				return err
			})
			lastRaw = took
			return rate, err
		}
		product := func() (float64, error) {
			run := uuid.NewString()
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
			lastAppend = took
			return rate, err
		}
		limit, rate, ratio, err := alternate(s.rounds, raw, product)
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			work: fmt.Sprintf("append one event, expected version, %d clients", clients), limit: limit, product: rate, unit: "/s", ratio: ratio,
			note: fmt.Sprintf("p99 raw INSERT %.1f ms, append %.1f ms", ms(quantile(lastRaw, .99)), ms(quantile(lastAppend, .99))),
		})
	}
	return results, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
