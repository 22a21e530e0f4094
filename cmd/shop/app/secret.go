package app

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Secret is a key of this shop for one purpose, made at the first call and kept in the database, so that it
// outlives restarts and all processes share it.
func Secret(ctx context.Context, pool *pgxpool.Pool, purpose string) ([]byte, error) {
	fresh := make([]byte, 32)
	rand.Read(fresh) // never fails
	if _, err := pool.Exec(ctx, "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", purpose, fresh); err != nil {
		return nil, fmt.Errorf("make secret %s: %w", purpose, err)
	}
	var kept []byte
	if err := pool.QueryRow(ctx, "SELECT value FROM secrets WHERE name = $1", purpose).Scan(&kept); err != nil {
		return nil, fmt.Errorf("read secret %s: %w", purpose, err)
	}
	return kept, nil
}
