package eventstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"shop/eventstore/keyring"
)

const (
	// A lock's key has two parts: such locks are no markers of the log.
	lockKeys     = `SELECT pg_advisory_xact_lock(25, 0)`
	noteKey      = `INSERT INTO eventstore.wrapping_keys (id) VALUES ($1) ON CONFLICT DO NOTHING`
	readWrapping = `SELECT id FROM eventstore.wrapping_keys ORDER BY since, id`
	// The head of a stored key is its version and the id of the key that wraps it; that of one not wrapped is empty.
	headOf       = `CASE WHEN octet_length(key) = 65 THEN substr(key, 1, 5) ELSE '' END`
	countPersons = `SELECT ` + headOf + ` AS head, count(*) FROM eventstore.person_keys WHERE key IS NOT NULL GROUP BY 1`
	nextKeys     = `SELECT person, key FROM eventstore.person_keys WHERE person > $1 AND key IS NOT NULL ORDER BY person LIMIT $2`
	// A key that was erased or wrapped anew meanwhile is another one and stays.
	swapKeys = `UPDATE eventstore.person_keys k SET key = u.fresh FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS u (person, old, fresh)
		WHERE k.person = u.person AND k.key = u.old`
)

// note writes down that a key of the file wraps something in the database, before it does: once for each key and process.
func (k *personKeys) note(ctx context.Context, id keyring.ID) error {
	if noted := k.wraps.Load(); k.ring == nil || noted != nil && *noted == id {
		return nil
	}
	if _, err := k.pool.Exec(ctx, noteKey, id[:]); err != nil {
		return fmt.Errorf("note the key that wraps: %w", err)
	}
	k.wraps.Store(&id)
	return nil
}

// unopened counts a key that could not be had.
func (k *personKeys) unopened(ctx context.Context, err error) {
	if err == nil || !Unopened(err) {
		return
	}
	reason := "closed"
	var missing *KeyMissing
	if errors.As(err, &missing) {
		reason = "missing"
	}
	k.tel.keysUnopened.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", reason)))
}

// OpenKeys opens the key file of a database. It refuses a file that lacks a key that wraps something there. With mayMake a missing
// file is made, unless something is wrapped already. fresh: nothing in the database was wrapped before; note the first key
// with Store.NoteKey.
func OpenKeys(ctx context.Context, pool *pgxpool.Pool, path string, mayMake bool) (ring *keyring.Ring, made, fresh bool, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// Of processes that begin at the same moment one makes the file.
		if _, err := tx.Exec(ctx, lockKeys); err != nil {
			return fmt.Errorf("wait for another process's key file: %w", err)
		}
		ids, _, err := wrapping(ctx, tx)
		if err != nil {
			return err
		}
		fresh = len(ids) == 0
		ring, err = keyring.Open(path)
		switch {
		case !errors.Is(err, fs.ErrNotExist):
		case !fresh:
			return fmt.Errorf("SHOP_KEY_FILE: keys in this database are wrapped with key %s, and there is no key file %s: bring the file there, or name it", ids[0], path)
		case !mayMake:
			return fmt.Errorf("SHOP_KEY_FILE: there is no file %s: 'shop keys new' makes one", path)
		default:
			if _, made, err = keyring.Add(path, false); err == nil || errors.Is(err, fs.ErrExist) {
				ring, err = keyring.Open(path)
			}
		}
		if err != nil {
			return fmt.Errorf("SHOP_KEY_FILE: %w", err)
		}
		for _, id := range ids {
			if !ring.Has(id) {
				return fmt.Errorf("SHOP_KEY_FILE: key file %s lacks key %s, with which keys in the database are wrapped: add that key below the others, or take the file that belongs to this database", path, id)
			}
		}
		return nil
	})
	return ring, made, fresh, err
}

// Wrapping are the keys that wrap something in the database; bare says that something may not be wrapped.
func (s *Store) Wrapping(ctx context.Context) (ids []keyring.ID, bare bool, err error) {
	return wrapping(ctx, s.pool)
}

func wrapping(ctx context.Context, db queryer) (ids []keyring.ID, bare bool, err error) {
	rows, err := db.Query(ctx, readWrapping)
	if err != nil {
		return nil, false, fmt.Errorf("read which keys wrap: %w", err)
	}
	var id []byte
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		if len(id) == len(keyring.ID{}) {
			ids = append(ids, keyring.ID(id))
		} else {
			bare = true
		}
		return nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("read which keys wrap: %w", err)
	}
	return ids, bare, nil
}

// NoteKey writes down that a key is about to wrap something in the database.
func (s *Store) NoteKey(ctx context.Context, id keyring.ID) error { return s.keys.note(ctx, id) }

// PersonsByKey counts persons by the key that wraps theirs; bare are those whose is not wrapped.
func (s *Store) PersonsByKey(ctx context.Context) (by map[keyring.ID]int64, bare int64, err error) {
	return personsByKey(ctx, s.pool)
}

func personsByKey(ctx context.Context, db queryer) (by map[keyring.ID]int64, bare int64, err error) {
	rows, err := db.Query(ctx, countPersons)
	if err != nil {
		return nil, 0, fmt.Errorf("count keys of persons: %w", err)
	}
	by = map[keyring.ID]int64{}
	var head []byte
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&head, &n}, func() error {
		if len(head) > len(keyring.ID{}) {
			by[keyring.ID(head[1:])] = n
		} else {
			bare = n
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("count keys of persons: %w", err)
	}
	return by, bare, nil
}

// rewrapAtOnce is how many keys one transaction wraps anew.
const rewrapAtOnce = 1000

// Rewrap wraps the keys of all persons with the first key of the file, while others read, append and erase. It works in batches, in
// the order of persons, and may be repeated: what is wrapped with that key already is passed over. progress, when given, hears
// after each batch how many persons were looked at. It answers how many keys it wrapped.
func (s *Store) Rewrap(ctx context.Context, progress func(looked int64)) (wrapped int64, err error) {
	ring := s.keys.ring
	if ring == nil {
		return 0, errors.New("wrap the keys of persons: there is no key file")
	}
	var last uuid.UUID
	for looked := int64(0); ; {
		n, changed, err := s.rewrapAfter(ctx, &last)
		wrapped += changed
		if err != nil {
			return wrapped, fmt.Errorf("wrap the keys of persons: %w", err)
		}
		looked += int64(n)
		if progress != nil {
			progress(looked)
		}
		if n < rewrapAtOnce {
			return wrapped, nil
		}
	}
}

// rewrapAfter wraps the keys of the next persons, moves last to the last of them, and answers how many there were and how many of
// their keys it changed.
func (s *Store) rewrapAfter(ctx context.Context, last *uuid.UUID) (n int, changed int64, err error) {
	rows, err := s.pool.Query(ctx, nextKeys, [16]byte(*last), rewrapAtOnce)
	if err != nil {
		return 0, 0, err
	}
	first := s.keys.ring.First()
	var persons []uuid.UUID
	var olds, fresh [][]byte
	var person uuid.UUID
	var stored []byte
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&person), &stored}, func() error {
		n, *last = n+1, person
		if by, wrapped := keyring.WrappedBy(stored); wrapped && by == first {
			return nil
		}
		secret, err := s.keys.ring.Unwrap(useOf(person), stored)
		if err != nil {
			return &KeyClosed{Person: person, Err: err}
		}
		again, by := s.keys.ring.Wrap(useOf(person), secret)
		if by != first {
			return errors.New("the key file changed meanwhile: begin again")
		}
		persons, olds, fresh = append(persons, person), append(olds, append([]byte(nil), stored...)), append(fresh, again)
		return nil
	})
	if err != nil || len(persons) == 0 {
		return n, 0, err
	}
	if err := s.keys.note(ctx, first); err != nil {
		return n, 0, err
	}
	tag, err := s.pool.Exec(ctx, swapKeys, plainIDs(persons), olds, fresh)
	return n, tag.RowsAffected(), err
}

// ForgetWrapping strikes the keys that wrap nothing any more from the list. others are ids that wrap what is not a person's key.
func (s *Store) ForgetWrapping(ctx context.Context, others map[keyring.ID]bool, bareOthers bool) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// Whoever notes a key waits until the count is over.
		if _, err := tx.Exec(ctx, `LOCK TABLE eventstore.wrapping_keys IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		ids, _, err := wrapping(ctx, tx)
		if err != nil {
			return err
		}
		by, bare, err := personsByKey(ctx, tx)
		if err != nil {
			return err
		}
		var idle [][]byte
		for _, id := range ids {
			if by[id] == 0 && !others[id] && id != s.keys.ring.First() {
				idle = append(idle, id[:])
			}
		}
		if bare == 0 && !bareOthers {
			idle = append(idle, []byte{})
		}
		_, err = tx.Exec(ctx, `DELETE FROM eventstore.wrapping_keys WHERE id = ANY ($1)`, idle)
		return err
	})
	if err != nil {
		return fmt.Errorf("strike keys that wrap nothing: %w", err)
	}
	return nil
}
