package eventstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Recall finds the answer that was stored with a key; false when the key was never used or is forgotten.
func (s *Store) Recall(ctx context.Context, scope, key string) (Key, bool, error) {
	found := Key{Scope: scope, Key: key}
	err := s.pool.QueryRow(ctx, `SELECT request, response FROM eventstore.idempotency_keys WHERE scope = $1 AND key = $2`, scope, key).
		Scan(&found.Request, &found.Response)
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, false, nil
	}
	if err != nil {
		return Key{}, false, fmt.Errorf("recall idempotency key %q of %s: %w", key, scope, err)
	}
	return found, true, nil
}

// ForgetKeys deletes the keys that were used before a time and says how many.
func (s *Store) ForgetKeys(ctx context.Context, before time.Time) (int64, error) {
	tag, err := s.pool.Exec(ctx, `DELETE FROM eventstore.idempotency_keys WHERE created_at < $1`, before)
	if err != nil {
		return 0, fmt.Errorf("forget idempotency keys: %w", err)
	}
	return tag.RowsAffected(), nil
}
