package eventstore

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A sealed payload is the event's JSON object with each personal field's value replaced by a string, the base64 of
// nonce and AES-256-GCM ciphertext, and with the member $sealed that says whose key opens which fields. Additional
// data is the event's id and the field's name, so that a ciphertext opens nowhere else.
const sealMember = "$sealed"

type sealed struct {
	Person uuid.UUID `json:"person"`
	Fields []string  `json:"fields"`
}

// secret names the fields of a row to seal.
type secret struct {
	person uuid.UUID
	fields []string
	row    *row
}

// personKeys are the keys of persons, remembered for a while.
type personKeys struct {
	pool  *pgxpool.Pool
	cache *lru.Cache[uuid.UUID, knownKey]
	// erasures counts erasures, so that a key read before one is not remembered after it.
	erasures atomic.Int64
}

type knownKey struct {
	cipher.AEAD // nil: the person is erased
	read        time.Time
}

const (
	// keyCacheSize bounds the keys in memory, some 1 KiB each.
	keyCacheSize = 4096
	// keyCacheTime bounds how long a process that did not hear of an erasure can still read.
	keyCacheTime = 30 * time.Second
)

func newPersonKeys(pool *pgxpool.Pool) *personKeys {
	cache, err := lru.New[uuid.UUID, knownKey](keyCacheSize)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &personKeys{pool: pool, cache: cache}
}

const (
	readKeys = `SELECT person, key FROM eventstore.person_keys WHERE person = ANY ($1)`
	// makeKeys returns those it made. Its commit need not be waited for: the event that the key seals is committed after it,
	// and once that commit is on disk, so is everything before.
	makeKeys = `WITH put AS (
			INSERT INTO eventstore.person_keys (person, key)
			SELECT * FROM unnest($1::uuid[], $2::bytea[]) AS u (person, key) ORDER BY u.person
			ON CONFLICT DO NOTHING RETURNING person, key)
		SELECT put.person, put.key FROM put, set_config('synchronous_commit', 'off', true)`
)

// open returns the keys of persons; nil or absent: erased.
func (k *personKeys) open(ctx context.Context, persons []uuid.UUID) (map[uuid.UUID]cipher.AEAD, error) {
	keys := make(map[uuid.UUID]cipher.AEAD, len(persons))
	var missing []uuid.UUID
	for _, person := range persons {
		if key, ok := k.cache.Get(person); ok && time.Since(key.read) < keyCacheTime {
			keys[person] = key.AEAD
		} else {
			missing = append(missing, person)
		}
	}
	if len(missing) == 0 {
		return keys, nil
	}
	return keys, k.fetch(ctx, keys, missing, readKeys, missing)
}

// fetch adds to keys what a query answers about persons.
func (k *personKeys) fetch(ctx context.Context, keys map[uuid.UUID]cipher.AEAD, persons []uuid.UUID, query string, args ...any) error {
	erasures, now := k.erasures.Load(), time.Now()
	rows, err := k.pool.Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read keys of persons: %w", err)
	}
	var person uuid.UUID
	var secret []byte
	_, err = pgx.ForEachRow(rows, []any{&person, &secret}, func() error {
		var key cipher.AEAD
		if secret != nil {
			var err error
			if key, err = newCipher(secret); err != nil {
				return err
			}
		}
		keys[person] = key
		k.cache.Add(person, knownKey{key, now})
		return nil
	})
	if err != nil {
		return fmt.Errorf("read keys of persons: %w", err)
	}
	if k.erasures.Load() != erasures {
		for _, person := range persons {
			k.cache.Remove(person)
		}
	}
	return nil
}

func newCipher(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// ensure returns the keys of persons, new ones where there was none. An erased person gets a key that is kept nowhere.
// Most persons it does not know are new, so it makes them keys before it looks for any.
func (k *personKeys) ensure(ctx context.Context, persons []uuid.UUID) (_ map[uuid.UUID]cipher.AEAD, err error) {
	keys := make(map[uuid.UUID]cipher.AEAD, len(persons))
	var unknown []uuid.UUID
	var fresh [][]byte
	for _, person := range persons {
		if key, ok := k.cache.Get(person); ok && time.Since(key.read) < keyCacheTime {
			keys[person] = key.AEAD
			continue
		}
		unknown, fresh = append(unknown, person), append(fresh, newKey())
	}
	if len(unknown) > 0 {
		if err := k.fetch(ctx, keys, unknown, makeKeys, unknown, fresh); err != nil {
			return nil, err
		}
		// Those not made were there, perhaps of another process a moment ago, or are erased.
		there := slices.DeleteFunc(unknown, func(person uuid.UUID) bool { _, made := keys[person]; return made })
		if len(there) > 0 {
			if err := k.fetch(ctx, keys, there, readKeys, there); err != nil {
				return nil, err
			}
		}
	}
	for _, person := range persons {
		if keys[person] == nil {
			if keys[person], err = newCipher(newKey()); err != nil {
				return nil, err
			}
		}
	}
	return keys, nil
}

func newKey() []byte {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return key
}

// forget drops a person's key from memory.
func (k *personKeys) forget(person uuid.UUID) {
	k.erasures.Add(1)
	k.cache.Remove(person)
}

// seal replaces the secrets in their rows' payloads.
func (k *personKeys) seal(ctx context.Context, secrets []secret) error {
	if len(secrets) == 0 {
		return nil
	}
	persons := make([]uuid.UUID, 0, len(secrets))
	seen := map[uuid.UUID]bool{}
	for _, s := range secrets {
		if !seen[s.person] {
			seen[s.person] = true
			persons = append(persons, s.person)
		}
	}
	keys, err := k.ensure(ctx, persons)
	if err != nil {
		return err
	}
	for _, s := range secrets {
		if s.row.data, err = sealFields(s.row.data, keys[s.person], s.row.id, sealed{Person: s.person, Fields: s.fields}); err != nil {
			return fmt.Errorf("seal %s: %w", s.row.typ, err)
		}
	}
	return nil
}

func sealFields(payload []byte, key cipher.AEAD, event uuid.UUID, s sealed) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil {
		return nil, err
	}
	if _, taken := members[sealMember]; taken {
		return nil, fmt.Errorf("a payload has no member %s of its own", sealMember)
	}
	present := make([]string, 0, len(s.Fields))
	for _, field := range s.Fields {
		plain, ok := members[field]
		if !ok {
			continue // omitted because it is empty
		}
		text, err := json.Marshal(base64.StdEncoding.EncodeToString(key.Seal(nil, nil, plain, sealData(event, field))))
		if err != nil {
			return nil, err
		}
		members[field] = text
		present = append(present, field)
	}
	mark, err := json.Marshal(sealed{Person: s.Person, Fields: present})
	if err != nil {
		return nil, err
	}
	members[sealMember] = mark
	return json.Marshal(members)
}

func sealData(event uuid.UUID, field string) []byte { return append(event[:], field...) }

// sealOf reads a payload's $sealed; nil when nothing is sealed.
func sealOf(payload []byte) (*sealed, error) {
	// Almost no payload is sealed; this look spares the others a second parse.
	if !bytes.Contains(payload, []byte(`"`+sealMember+`"`)) {
		return nil, nil
	}
	var top struct {
		Sealed *sealed `json:"$sealed"`
	}
	if err := json.Unmarshal(payload, &top); err != nil {
		return nil, fmt.Errorf("read %s: %w", sealMember, err)
	}
	return top.Sealed, nil
}

// errTampered: a sealed field does not open with its person's key.
var errTampered = errors.New("sealed field does not open")

// openFields puts the personal fields back. Without a key it leaves them out and says so.
func openFields(payload []byte, key cipher.AEAD, event uuid.UUID, s *sealed) (plain []byte, erased bool, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil {
		return nil, false, err
	}
	delete(members, sealMember)
	for _, field := range s.Fields {
		if key == nil {
			delete(members, field)
			continue
		}
		var closed []byte // encoding/json decodes base64
		if err := json.Unmarshal(members[field], &closed); err != nil {
			return nil, false, fmt.Errorf("%w: %s: %w", errTampered, field, err)
		}
		opened, err := key.Open(nil, nil, closed, sealData(event, field))
		if err != nil {
			return nil, false, fmt.Errorf("%w: %s", errTampered, field)
		}
		members[field] = opened
	}
	plain, err = json.Marshal(members)
	return plain, key == nil, err
}

// ErasePerson deletes a person's key for ever: the personal fields of their events read as zero values from now on,
// in this process at once, in others as soon as they hear of it. It may be repeated.
func (s *Store) ErasePerson(ctx context.Context, person uuid.UUID) error {
	const erase = `INSERT INTO eventstore.person_keys (person, key, erased_at) VALUES ($1, NULL, $2)
		ON CONFLICT (person) DO UPDATE SET key = NULL, erased_at = excluded.erased_at WHERE person_keys.erased_at IS NULL`
	batch := &pgx.Batch{}
	batch.Queue(erase, person, s.opts.Clock().UTC().Truncate(time.Microsecond))
	batch.Queue("SELECT pg_notify($1, $2)", channelErased, person.String())
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return tx.SendBatch(ctx, batch).Close() })
	// Forget even after an error: the key may be gone although the answer was lost.
	s.forgetPerson(person)
	if err != nil {
		return fmt.Errorf("erase person %s: %w", person, err)
	}
	return nil
}

// forgetPerson drops what this process remembers of a person.
func (s *Store) forgetPerson(person uuid.UUID) {
	s.keys.forget(person)
	s.forgotten.ring()
}
