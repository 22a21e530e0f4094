package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
)

const (
	// perStream is the length of every stream of the grown logs, openStreams how many of them are written in turns,
	// usedStreams how many are appended to and loaded afterwards.
	perStream, openStreams, usedStreams = 10, 1000, 1000
)

// benchGrow compares an append and the load of a stream on a small log and on a large one, both in the same server.
func benchGrow(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	small, err := growTo(ctx, databaseURL, s.small)
	if err != nil {
		return nil, err
	}
	defer small.close()
	u, err := url.Parse(databaseURL)
	if err != nil {
		return nil, err
	}
	second, err := createDatabase(ctx, databaseURL, path.Base(u.Path)+"_large")
	if err != nil {
		return nil, err
	}
	began := time.Now()
	large, err := growTo(ctx, second, s.large)
	if err != nil {
		return nil, err
	}
	defer large.close()
	fmt.Printf("a log of %d events was loaded in %s\n\n", s.large, time.Since(began).Round(time.Second))

	for _, g := range []*grown{small, large} {
		if err := g.warm(ctx); err != nil {
			return nil, err
		}
	}
	var results []result
	for _, c := range []struct {
		work    string
		clients int
		do      func(*grown, context.Context) error
	}{
		{"append to one of 1 000 streams", 1, (*grown).append},
		{"append to one of 1 000 streams", 8, (*grown).append},
		{"load one of 1 000 streams", 1, (*grown).load},
		{"load one of 1 000 streams", 8, (*grown).load},
		{"append to any stream of the log", 1, (*grown).appendAnywhere},
	} {
		var p99 [2]time.Duration
		on := func(i int, g *grown) func() (float64, error) {
			return func() (float64, error) {
				rate, took, err := load(ctx, c.clients, s.period, func(ctx context.Context, _, _ int) error { return c.do(g, ctx) })
				p99[i] = quantile(took, .99)
				return rate, err
			}
		}
		limit, rate, ratio, err := alternate(s.rounds, on(0, small), on(1, large))
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			work:  fmt.Sprintf("%s, %d clients, log of %d events beside %d", c.work, c.clients, s.large, s.small),
			limit: limit, product: rate, unit: "/s", ratio: ratio,
			note: fmt.Sprintf("costs %.2f × (target ≤ 1.2); p99 %.1f and %.1f ms", 1/ratio, ms(p99[0]), ms(p99[1])),
		})
	}
	return results, nil
}

// grown is a log of many streams.
type grown struct {
	db      *pgxpool.Pool
	store   *eventstore.Store
	streams int
}

func (g *grown) close() {
	g.store.Close()
	g.db.Close()
}

// product is the product whose stock is the n-th stream; ids look random, as those of real products.
func product(n int) uuid.UUID {
	var seed [8]byte
	binary.BigEndian.PutUint64(seed[:], uint64(n))
	return uuid.NewSHA1(uuid.Nil, seed[:])
}

// used is one of a thousand streams that lie all over the log: a shop works with a part of its streams at a time, and
// the part does not grow with the log.
func (g *grown) used(n int) string {
	return stock.Stream(product(n % usedStreams * (g.streams / usedStreams)))
}

// warm touches the streams in use once: the first change of a page after a checkpoint writes the page to the WAL.
func (g *grown) warm(ctx context.Context) error {
	for n := range usedStreams {
		if err := g.appendTo(ctx, g.used(n)); err != nil {
			return err
		}
	}
	return nil
}

func (g *grown) append(ctx context.Context) error {
	return g.appendTo(ctx, g.used(rand.IntN(usedStreams)))
}

// appendAnywhere is the worst case: in a large log nearly every append touches pages that no other did lately.
func (g *grown) appendAnywhere(ctx context.Context) error {
	return g.appendTo(ctx, stock.Stream(product(rand.IntN(g.streams))))
}

func (g *grown) appendTo(ctx context.Context, stream string) error {
	_, err := g.store.Append(ctx, eventstore.Append{
		Writes: []eventstore.Write{{
			Stream: stream, Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{{Data: sampleEvent()}},
		}},
		Metadata: eventstore.Metadata{CorrelationID: "0197a9a2-7b1e-7c33-9a51-4d2f6c9b1e79", Actor: "guest"},
	})
	return err
}

func (g *grown) load(ctx context.Context) error {
	_, err := g.store.Stream(ctx, g.used(rand.IntN(usedStreams)), 0, perStream)
	return err
}

// growTo copies a log of n events into an empty database: streams of ten events, each spread over ten thousand positions.
// The constraints are made after the rows, as the migrations define them, because that takes a quarter of the time.
func growTo(ctx context.Context, databaseURL string, n int) (*grown, error) {
	db, err := migrated(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	const drop = `ALTER TABLE eventstore.events DROP CONSTRAINT events_by_position, DROP CONSTRAINT one_event_per_version, DROP CONSTRAINT event_id_is_unique`
	const add = `ALTER TABLE eventstore.events ADD CONSTRAINT events_by_position PRIMARY KEY (position),
		ADD CONSTRAINT one_event_per_version UNIQUE (stream, version), ADD CONSTRAINT event_id_is_unique UNIQUE (id)`
	streams := n / perStream
	names := make([]string, streams)
	for i := range names {
		names[i] = stock.Stream(product(i))
	}
	i := 0
	began := time.Now().Add(-time.Duration(n) * time.Millisecond)
	events := pgx.CopyFromFunc(func() ([]any, error) {
		if i >= n {
			return nil, nil
		}
		stream := names[(i/(perStream*openStreams)*openStreams+i%openStreams)%streams]
		version := i/openStreams%perStream + 1
		id, err := uuid.NewV7()
		i++
		return []any{int64(i), int16(eventstore.SliceOf(stream)), int16(1), int64(version), id, began.Add(time.Duration(i) * time.Millisecond), stream,
			"stock.reserved", rawPayload, rawMetadata}, err
	})
	steps := []func() error{
		func() error { _, err := db.Exec(ctx, drop); return err },
		func() error {
			_, err := db.CopyFrom(ctx, pgx.Identifier{"eventstore", "events"},
				[]string{"position", "slice", "schema", "version", "id", "recorded_at", "stream", "type", "data", "metadata"}, events)
			return err
		},
		func() error { _, err := db.Exec(ctx, add); return err },
		func() error {
			_, err := db.Exec(ctx, `INSERT INTO eventstore.streams (name, slice, version) SELECT stream, min(slice), max(version) FROM eventstore.events GROUP BY stream`)
			return err
		},
		func() error {
			_, err := db.Exec(ctx, "SELECT setval('eventstore.position', $1)", n)
			return err
		},
		// What a log that grew slowly has had long ago.
		func() error {
			_, err := db.Exec(ctx, "VACUUM (ANALYZE, FREEZE) eventstore.events, eventstore.streams")
			return err
		},
		func() error { _, err := db.Exec(ctx, "CHECKPOINT"); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			db.Close()
			return nil, fmt.Errorf("load a log of %d events: %w", n, err)
		}
	}
	return &grown{db: db, store: eventstore.Open(db, registry.New(), eventstore.Options{}), streams: streams}, nil
}
