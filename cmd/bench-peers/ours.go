package main

import (
	"context"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/migrations"
)

// connsOf is how many connections a peer in this process may have.
const connsOf = 40

func databaseOf(serverURL, name string) (string, error) {
	u, err := url.Parse(serverURL)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

func openPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = connsOf
	return pgxpool.NewWithConfig(ctx, config)
}

// measureShop measures this log with a consumer that only takes note; its checkpoint is durable.
func measureShop(ctx context.Context, url string, p plan) (f figures, err error) {
	if err := migrations.Up(ctx, url); err != nil {
		return f, err
	}
	pool, err := openPool(ctx, url)
	if err != nil {
		return f, err
	}
	defer pool.Close()
	store := eventstore.Open(pool, registry.New(), eventstore.Options{Logger: slog.New(slog.DiscardHandler)})
	defer store.Close()
	note := strings.Repeat("7", 200)
	return measure(ctx, p, peer{
		append: func(ctx context.Context, stream, id string, version int) error {
			moved := stock.Adjusted{Quantity: 1, OnHand: 1, Cause: stock.Cause{Kind: "count", Ref: note}, At: time.Now()}
			_, err := store.Append(ctx, eventstore.Append{Writes: []eventstore.Write{{
				Stream: stream, Expected: eventstore.Version(version), Events: []eventstore.NewEvent{{ID: uuid.MustParse(id), Data: moved}},
			}}})
			return err
		},
		follow: func(ctx context.Context, seen func(string)) error {
			consumers := feed.New(store, feed.Options{Logger: slog.New(slog.DiscardHandler)})
			consumers.Add(feed.Consumer{
				Name:   "peer",
				Handle: func(context.Context, pgx.Tx, []eventstore.Event) error { return nil },
				Committed: func(events []eventstore.Event) {
					for _, e := range events {
						seen(strings.ReplaceAll(e.ID.String(), "-", ""))
					}
				},
			})
			return consumers.Run(ctx)
		},
	})
}

// page is how a reader by hand asks for what comes next.
type page struct{ columns, next string }

// Two ways in which such readers are written. Both keep their place in memory. The first loses events whose transactions commit after
// later ones; the second waits for the oldest write transaction of the whole server.
var (
	byPosition = page{"", `SELECT position, '0'::xid8, id FROM log WHERE position > $1 AND $2::xid8 IS NOT NULL ORDER BY position LIMIT 1000`}
	byXmin     = page{", xid xid8 NOT NULL DEFAULT pg_current_xact_id()", `SELECT position, xid, id FROM log
		WHERE (xid, position) > ($2::xid8, $1) AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, position LIMIT 1000`}
)

func measurePages(how page) func(ctx context.Context, url string, p plan) (figures, error) {
	return func(ctx context.Context, url string, p plan) (f figures, err error) {
		pool, err := openPool(ctx, url)
		if err != nil {
			return f, err
		}
		defer pool.Close()
		ddl := `CREATE TABLE log (position bigserial PRIMARY KEY, stream text NOT NULL, version bigint NOT NULL, id uuid NOT NULL UNIQUE, data json NOT NULL` +
			how.columns + `, UNIQUE (stream, version))`
		if how.columns != "" {
			ddl += `; CREATE INDEX ON log (xid, position)`
		}
		if _, err := pool.Exec(ctx, ddl); err != nil {
			return f, err
		}
		return measure(ctx, p, peer{
			append: func(ctx context.Context, stream, id string, version int) error {
				_, err := pool.Exec(ctx, "INSERT INTO log (stream, version, id, data) VALUES ($1, $2, $3, $4)", stream, version+1, id, payload(id))
				return err
			},
			follow: func(ctx context.Context, seen func(string)) error {
				position, xid := int64(0), "0"
				for ctx.Err() == nil {
					rows, err := pool.Query(ctx, how.next, position, xid)
					if err != nil {
						return err
					}
					n := 0
					var id uuid.UUID
					var of uint64
					if _, err := pgx.ForEachRow(rows, []any{&position, &of, &id}, func() error {
						n++
						seen(strings.ReplaceAll(id.String(), "-", ""))
						return nil
					}); err != nil {
						return err
					}
					if n == 0 {
						time.Sleep(10 * time.Millisecond)
						continue
					}
					xid = strconv.FormatUint(of, 10)
				}
				return nil
			},
		})
	}
}
