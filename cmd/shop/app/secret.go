package app

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/eventstore/keyring"
)

// purposes are those of the secrets that every shop has.
var purposes = []string{"accounts", "authenticators", "customers", "links", "mails", "notices", "pseudonyms", "sandbox", "security", "vapid"}

// Secret is a key of this shop for one purpose, made at the first call and kept in the database, wrapped, so that it
// outlives restarts and all processes share it.
func Secret(ctx context.Context, store *eventstore.Store, purpose string) ([]byte, error) {
	keys, err := secrets(ctx, store, purpose)
	return keys[purpose], err
}

func useOf(purpose string) keyring.Use { return keyring.Use{Kind: "secret", Of: purpose} }

// secrets are the keys for several purposes, by purpose. The purposes are sorted, so that two processes that make the same
// keys do not wait for each other.
func secrets(ctx context.Context, store *eventstore.Store, purposes ...string) (map[string][]byte, error) {
	fresh := make([][]byte, len(purposes))
	for i, purpose := range purposes {
		secret := make([]byte, keyring.Size)
		rand.Read(secret) // never fails
		fresh[i], _ = store.Keys().Wrap(useOf(purpose), secret)
	}
	const insert = "INSERT INTO secrets (name, value) SELECT * FROM unnest($1::text[], $2::bytea[]) ON CONFLICT DO NOTHING"
	if _, err := store.Pool().Exec(ctx, insert, purposes, fresh); err != nil {
		return nil, fmt.Errorf("make secrets: %w", err)
	}
	stored, err := storedSecrets(ctx, store.Pool(), "SELECT name, value FROM secrets WHERE name = ANY ($1)", purposes)
	if err != nil {
		return nil, err
	}
	keys := map[string][]byte{}
	for purpose, wrapped := range stored {
		if keys[purpose], err = store.Keys().Unwrap(useOf(purpose), wrapped); err != nil {
			return nil, fmt.Errorf("read secrets: %w", err)
		}
	}
	return keys, nil
}

// queries is a pool, or a transaction.
type queries interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func storedSecrets(ctx context.Context, db queries, query string, args ...any) (map[string][]byte, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	stored := map[string][]byte{}
	var purpose string
	var key []byte
	if _, err := pgx.ForEachRow(rows, []any{&purpose, &key}, func() error {
		stored[purpose] = key
		key = nil
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	return stored, nil
}

// secretsByKey says how many secrets each key wraps; bare are those that are not wrapped.
func secretsByKey(ctx context.Context, db queries) (by map[keyring.ID]int64, bare int64, err error) {
	stored, err := storedSecrets(ctx, db, "SELECT name, value FROM secrets")
	if err != nil {
		return nil, 0, err
	}
	by = map[keyring.ID]int64{}
	for _, key := range stored {
		if id, wrapped := keyring.WrappedBy(key); wrapped {
			by[id]++
		} else {
			bare++
		}
	}
	return by, bare, nil
}

// rewrapSecrets wraps all secrets with the first key of the file, in one transaction.
func rewrapSecrets(ctx context.Context, store *eventstore.Store) error {
	if err := store.NoteKey(ctx, store.Keys().First()); err != nil {
		return err
	}
	err := pgx.BeginFunc(ctx, store.Pool(), func(tx pgx.Tx) error {
		stored, err := storedSecrets(ctx, tx, "SELECT name, value FROM secrets ORDER BY name FOR UPDATE")
		if err != nil {
			return err
		}
		var names []string
		var fresh [][]byte
		for purpose, key := range stored {
			if by, wrapped := keyring.WrappedBy(key); wrapped && by == store.Keys().First() {
				continue
			}
			secret, err := store.Keys().Unwrap(useOf(purpose), key)
			if err != nil {
				return err
			}
			again, _ := store.Keys().Wrap(useOf(purpose), secret)
			names, fresh = append(names, purpose), append(fresh, again)
		}
		_, err = tx.Exec(ctx, "UPDATE secrets s SET value = u.value FROM unnest($1::text[], $2::bytea[]) AS u (name, value) WHERE s.name = u.name", names, fresh)
		return err
	})
	if err != nil {
		return fmt.Errorf("wrap secrets: %w", err)
	}
	return nil
}
