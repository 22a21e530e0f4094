package eventstore

import (
	"bytes"
	"context"
	"crypto/cipher"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// freshKey is a key that was made for a person who may be new. It is written in the transaction of the append whose events it
// seals (eventstore.append_keyed), so that a person who is new costs no transaction more. When the person has a key already, the
// append is contended: settle then reads that key and seals with it instead.
type freshKey struct {
	person uuid.UUID
	// wrapped is the key as it is stored.
	wrapped []byte
	cipher.AEAD
	// says is what it seals.
	says []said
}

// said is a secret with the payload that it is sealed in, as it was before.
type said struct {
	secret
	plain []byte
}

// callAppendKeyed is callAppendClaiming with the keys of persons before its arguments.
const callAppendKeyed = `SELECT outcome, versions, positions FROM eventstore.append_keyed(
	$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)`

// fresh makes a key for a person.
func (k *personKeys) fresh(ctx context.Context, person uuid.UUID) (*freshKey, error) {
	secret := newKey()
	key, err := newCipher(secret)
	if err != nil {
		return nil, err
	}
	wrapped, by := k.ring.Wrap(useOf(person), secret)
	if err := k.note(ctx, by); err != nil {
		return nil, err
	}
	return &freshKey{person: person, wrapped: wrapped, AEAD: key}, nil
}

// freshOf are the fresh keys of the members that a group accepts.
func freshOf(members []accepted) (fresh []*freshKey) {
	for _, m := range members {
		fresh = append(fresh, m.fresh...)
	}
	return fresh
}

// columnsOf are fresh keys as arrays for unnest.
func columnsOf(fresh []*freshKey) (persons [][16]byte, wrapped [][]byte) {
	for _, f := range fresh {
		persons, wrapped = append(persons, f.person), append(wrapped, f.wrapped)
	}
	return persons, wrapped
}

// remember keeps keys in memory that were committed, unless somebody was erased meanwhile.
func (k *personKeys) remember(fresh []*freshKey, erasures int64) {
	now := time.Now()
	for _, f := range fresh {
		k.cache.Add(f.person, knownKey{f.AEAD, now})
	}
	if k.erasures.Count() != erasures {
		for _, f := range fresh {
			k.cache.Remove(f.person)
		}
	}
}

// settle writes the fresh keys of appends in a transaction of its own, before the appends. What is said of a person who has
// another key is sealed with that one; whoever is erased keeps the fresh key, which is kept nowhere.
func (k *personKeys) settle(ctx context.Context, group []*pending) error {
	var fresh []*freshKey
	for _, p := range group {
		fresh = append(fresh, p.fresh...)
	}
	if len(fresh) == 0 {
		return nil
	}
	erasures := k.erasures.Count()
	present, err := k.put(ctx, fresh)
	if err != nil {
		return err
	}
	for _, f := range fresh {
		stored, there := present[f.person]
		switch {
		case !there:
			return fmt.Errorf("seal what is said of a person: %w", &KeyMissing{Person: f.person})
		case stored == nil, bytes.Equal(stored, f.wrapped):
			continue
		}
		key, err := k.unwrap(f.person, stored)
		if err != nil {
			k.unopened(ctx, err)
			return fmt.Errorf("seal what is said of a person: %w", err)
		}
		f.AEAD = key
		for _, s := range f.says {
			s.row.data = s.plain
			if err := s.seal(key); err != nil {
				return err
			}
		}
	}
	for _, p := range group {
		p.fresh = nil
	}
	for _, f := range fresh {
		if present[f.person] != nil {
			k.remember([]*freshKey{f}, erasures)
		}
	}
	return nil
}

// put writes those of fresh keys whose persons have none, and returns what all of them have then; nil: the person is erased.
func (k *personKeys) put(ctx context.Context, fresh []*freshKey) (map[uuid.UUID][]byte, error) {
	persons, wrapped := columnsOf(fresh)
	present := make(map[uuid.UUID][]byte, len(fresh))
	read := func(query string, args ...any) error {
		rows, err := k.pool.Query(ctx, query, args...)
		if err != nil {
			return fmt.Errorf("write keys of persons: %w", err)
		}
		var person uuid.UUID
		var stored []byte
		_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&person), &stored}, func() error {
			present[person] = bytes.Clone(stored)
			return nil
		})
		if err != nil {
			return fmt.Errorf("write keys of persons: %w", err)
		}
		return nil
	}
	if err := read(makeKeys, persons, wrapped); err != nil {
		return nil, err
	}
	if len(present) == len(fresh) {
		return present, nil
	}
	return present, read(readKeys, persons)
}
