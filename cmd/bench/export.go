package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/projections/dataset"
)

// benchExport compares writing data sets as Parquet to copying the log out of the database.
func benchExport(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	if err := loadHistory(ctx, store, s.events); err != nil {
		return nil, err
	}
	return exporting(ctx, db, store, s)
}

// exportPast is benchExport of a past that is there.
func exportPast(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	return exporting(ctx, db, store, s)
}

func exporting(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store, s settings) ([]result, error) {
	total, copyOut, err := copyingOut(ctx, db)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "shop-bench-export-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var results []result
	for _, name := range dataset.Names() {
		var rows int64
		export := func() (float64, error) {
			// Each run is the first into its folder.
			out := filepath.Join(dir, name)
			if err := os.RemoveAll(out); err != nil {
				return 0, err
			}
			start := time.Now()
			report, err := dataset.Write(ctx, store, name, dataset.Options{Dir: out, Format: dataset.Parquet, Secret: []byte("bench")})
			rows = report.Rows
			return float64(total) / time.Since(start).Seconds(), err
		}
		limit, rate, ratio, err := alternate(s.rounds, copyOut, export)
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			work: fmt.Sprintf("write %s of %d events as Parquet, masked", name, total), limit: limit, product: rate, unit: "events/s", ratio: ratio,
			note: fmt.Sprintf("%d rows; limit: COPY of all events out, binary, in order, one connection", rows),
		})
	}
	return results, nil
}
