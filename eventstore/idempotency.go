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

// forgetAtOnce is how many keys one transaction deletes.
const forgetAtOnce = 5_000

// ForgetKeys deletes the keys that were used before a time, a bounded number in each transaction, and says how many. Keys that are
// in use at the moment stay for the next call.
func (s *Store) ForgetKeys(ctx context.Context, before time.Time) (forgotten int64, err error) {
	for {
		tag, err := s.pool.Exec(ctx, `DELETE FROM eventstore.idempotency_keys WHERE (scope, key) IN (
			SELECT scope, key FROM eventstore.idempotency_keys WHERE created_at < $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
			before, forgetAtOnce)
		if err != nil {
			return forgotten, fmt.Errorf("forget idempotency keys: %w", err)
		}
		forgotten += tag.RowsAffected()
		if tag.RowsAffected() < forgetAtOnce {
			return forgotten, nil
		}
	}
}
