package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/rules"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/projections/replay"
)

// benchHistory measures what analysts ask of a long past. With -data the past is made once; -work chooses what is measured.
func benchHistory(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	db, err := migrated(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var made bool
	if err := db.QueryRow(ctx, "SELECT EXISTS (SELECT FROM eventstore.events)").Scan(&made); err != nil {
		return nil, err
	}
	var results []result
	if !made {
		began := time.Now()
		events, err := fillPast(ctx, db, s.orders)
		if err != nil {
			return nil, err
		}
		took := time.Since(began)
		results = append(results, result{
			work: fmt.Sprintf("make up a past of %d orders", s.orders), product: float64(events) / took.Seconds(), unit: "events/s",
			note: fmt.Sprintf("%d events in %s, with indexes", events, took.Round(time.Second)),
		})
	}
	for _, part := range []struct {
		work string
		run  func(context.Context, *pgxpool.Pool, settings) ([]result, error)
	}{
		{"replay", benchReplay},
		{"takeaway", exportPast},
		{"travel", benchTravel},
	} {
		if !strings.Contains(part.work, s.work) {
			continue
		}
		measured, err := part.run(ctx, db, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.work, err)
		}
		results = append(results, measured...)
	}
	return results, nil
}

// replayed is what a replay in a process of its own tells.
type replayed struct {
	Orders int64
	// Read and Price are in seconds; Bytes is what the facts take, PeakKiB the most memory the process had.
	Read, Price float64
	Bytes       int64
	PeakKiB     int64
}

// replayOnce is the process: it prices all orders as then, or under other rules.
func replayOnce(ctx context.Context, url, what string) error {
	db, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	quiet := func(float64) {}
	var r replayed
	began := time.Now()
	if what == "prove" {
		proof, err := replay.Prove(ctx, store, 0, quiet)
		if err != nil {
			return err
		}
		if proof.Different > 0 {
			return fmt.Errorf("%d orders differ, the first: %+v", proof.Different, proof.Differences[0])
		}
		r.Orders, r.Read = proof.Orders, time.Since(began).Seconds()
	} else {
		past, err := replay.Read(ctx, store, 0, quiet)
		if err != nil {
			return err
		}
		r.Read = time.Since(began).Seconds()
		began = time.Now()
		tried := past.Rules
		tried.Tiers = []rules.Tier{{From: 20_000, Percent: 7}, {From: 60_000, Percent: 12}}
		if _, err := past.Try(ctx, tried, nil); err != nil {
			return err
		}
		r.Orders, r.Price, r.Bytes = int64(past.Orders()), time.Since(began).Seconds(), past.Bytes()
	}
	r.PeakKiB = peak()
	return json.NewEncoder(os.Stdout).Encode(r)
}

// benchReplay prices the whole past again, by the rules of its days and by others.
func benchReplay(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	run := func(what string) (replayed, error) {
		done, err := startProcess[replayed](ctx, db, "-replay", what)
		if err != nil {
			return replayed{}, err
		}
		return done()
	}
	proof, err := run("prove")
	if err != nil {
		return nil, err
	}
	trial, err := run("try")
	if err != nil {
		return nil, err
	}
	return []result{
		{
			work: "price every order again by the rules of its day", product: float64(proof.Orders) / proof.Read, unit: "orders/s",
			note: fmt.Sprintf("%d orders, 0 differences, %.1f s, peak memory %d MiB", proof.Orders, proof.Read, proof.PeakKiB>>10),
		},
		{
			work: "what if: price orders that are read", product: float64(trial.Orders) / trial.Price, unit: "orders/s",
			note: fmt.Sprintf("target 100 000; %d orders read in %.1f s and priced in %.1f s (target 30 s together), facts %d MiB, peak memory %d MiB",
				trial.Orders, trial.Read, trial.Price, trial.Bytes>>20, trial.PeakKiB>>10),
		},
	}, nil
}
