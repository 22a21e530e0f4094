package eventstore

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/eventstore/keyring"
)

// openedKeys are keys of persons; a nil one is erased. A person in neither map has no row, and so a key that is missing.
type openedKeys struct {
	keys map[uuid.UUID]cipher.AEAD
	// closed are persons whose keys are there and do not unwrap.
	closed map[uuid.UUID]error
}

func newOpenedKeys(n int) openedKeys { return openedKeys{keys: make(map[uuid.UUID]cipher.AEAD, n)} }

// of is a person's key, nil for one who is erased, or why it cannot be had.
func (o openedKeys) of(person uuid.UUID) (cipher.AEAD, error) {
	if err := o.closed[person]; err != nil {
		return nil, err
	}
	key, there := o.keys[person]
	if !there {
		return nil, &KeyMissing{Person: person}
	}
	return key, nil
}

// open returns the keys of persons.
func (k *personKeys) open(ctx context.Context, persons []uuid.UUID) (openedKeys, error) {
	keys := newOpenedKeys(len(persons))
	missing := k.remembered(persons, keys)
	if len(missing) == 0 {
		return keys, nil
	}
	return keys, k.fetch(ctx, &keys, missing, readKeys, plainIDs(missing))
}

// remembered adds to keys those in memory, and answers whose are not there.
func (k *personKeys) remembered(persons []uuid.UUID, keys openedKeys) (missing []uuid.UUID) {
	for _, person := range persons {
		if key, ok := k.cache.Get(person); ok && time.Since(key.read) < keyCacheTime {
			keys.keys[person] = key.AEAD
		} else {
			missing = append(missing, person)
		}
	}
	return missing
}

// plainIDs are ids in the type that goes to the database as it is; a uuid.UUID goes there as text.
func plainIDs(ids []uuid.UUID) [][16]byte {
	plain := make([][16]byte, len(ids))
	for i, id := range ids {
		plain[i] = id
	}
	return plain
}

// fetch adds to keys what a query answers about persons.
func (k *personKeys) fetch(ctx context.Context, keys *openedKeys, persons []uuid.UUID, query string, args ...any) error {
	erasures, now := k.erasures.Count(), time.Now()
	rows, err := k.pool.Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read keys of persons: %w", err)
	}
	var person uuid.UUID
	var stored []byte
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&person), &stored}, func() error {
		key, err := k.unwrap(person, stored)
		if err != nil {
			if keys.closed == nil {
				keys.closed = map[uuid.UUID]error{}
			}
			keys.closed[person] = err
			return nil
		}
		keys.keys[person] = key
		k.cache.Add(person, knownKey{key, now})
		return nil
	})
	if err != nil {
		return fmt.Errorf("read keys of persons: %w", err)
	}
	if k.erasures.Count() != erasures {
		for _, person := range persons {
			k.cache.Remove(person)
		}
	}
	return nil
}

// unwrap is the key of a person as it is stored; nil: erased.
func (k *personKeys) unwrap(person uuid.UUID, stored []byte) (cipher.AEAD, error) {
	if stored == nil {
		return nil, nil
	}
	secret, err := k.ring.Unwrap(useOf(person), stored)
	if err != nil {
		return nil, &KeyClosed{Person: person, Err: err}
	}
	return newCipher(secret)
}

// useOf is what a person's key is wrapped for.
func useOf(person uuid.UUID) keyring.Use { return keyring.Use{Kind: "person", Of: string(person[:])} }

func newCipher(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// ensure returns the keys of persons, fresh ones for those who may be new and are not in memory: most of them are new. An erased
// person gets a key that is kept nowhere. Whoever is not new must have a key: a new one in place of a key that is missing would
// close for ever what was said before.
func (k *personKeys) ensure(ctx context.Context, persons []uuid.UUID, first map[uuid.UUID]bool) (keys openedKeys, fresh []*freshKey, err error) {
	keys = newOpenedKeys(len(persons))
	var there []uuid.UUID
	for _, person := range k.remembered(persons, keys) {
		if !first[person] {
			there = append(there, person)
			continue
		}
		f, err := k.fresh(ctx, person)
		if err != nil {
			return keys, nil, err
		}
		keys.keys[person] = f.AEAD
		fresh = append(fresh, f)
	}
	if len(there) > 0 {
		if err := k.fetch(ctx, &keys, there, readKeys, plainIDs(there)); err != nil {
			return keys, nil, err
		}
	}
	for _, person := range persons {
		key, err := keys.of(person)
		if err == nil && key == nil {
			keys.keys[person], err = newCipher(newKey())
		}
		if err != nil {
			k.unopened(ctx, err)
			return keys, nil, fmt.Errorf("seal what is said of a person: %w", err)
		}
	}
	return keys, fresh, nil
}
