package app

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Secret is a key of this shop for one purpose, made at the first call and kept in the database, so that it
// outlives restarts and all processes share it.
func Secret(ctx context.Context, pool *pgxpool.Pool, purpose string) ([]byte, error) {
	keys, err := secrets(ctx, pool, purpose)
	return keys[purpose], err
}

// secrets are the keys for several purposes, by purpose. The purposes are sorted, so that two processes that make the same
// keys do not wait for each other.
func secrets(ctx context.Context, pool *pgxpool.Pool, purposes ...string) (map[string][]byte, error) {
	fresh := make([][]byte, len(purposes))
	for i := range fresh {
		fresh[i] = make([]byte, 32)
		rand.Read(fresh[i]) // never fails
	}
	const insert = "INSERT INTO secrets (name, value) SELECT * FROM unnest($1::text[], $2::bytea[]) ON CONFLICT DO NOTHING"
	if _, err := pool.Exec(ctx, insert, purposes, fresh); err != nil {
		return nil, fmt.Errorf("make secrets: %w", err)
	}
	keys := map[string][]byte{}
	rows, err := pool.Query(ctx, "SELECT name, value FROM secrets WHERE name = ANY ($1)", purposes)
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	var purpose string
	var key []byte
	if _, err := pgx.ForEachRow(rows, []any{&purpose, &key}, func() error {
		keys[purpose] = key
		key = nil
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	return keys, nil
}
