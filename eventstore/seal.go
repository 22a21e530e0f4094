package eventstore

import (
	"bytes"
	"context"
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

	"shop/eventstore/keyring"
	"shop/eventstore/skim"
	"shop/eventstore/wake"
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
	// first: the event may be the first about the person.
	first  bool
	fields []string
	row    *row
}

// personKeys are the keys of persons, remembered for a while.
type personKeys struct {
	pool  *pgxpool.Pool
	ring  *keyring.Ring
	tel   telemetry
	cache *lru.Cache[uuid.UUID, knownKey]
	// wraps is the key of the file that this process has noted in the database.
	wraps atomic.Pointer[keyring.ID]
	// erasures counts erasures, so that a key read before one is not remembered after it.
	erasures wake.Names
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

func newPersonKeys(pool *pgxpool.Pool, ring *keyring.Ring, tel telemetry) *personKeys {
	cache, err := lru.New[uuid.UUID, knownKey](keyCacheSize)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &personKeys{pool: pool, ring: ring, tel: tel, cache: cache}
}

const (
	readKeys = `SELECT person, key FROM eventstore.person_keys WHERE person = ANY ($1)`
	// makeKeys returns those it made. Its commit waits for the disk, before what the keys seal is written.
	makeKeys = `INSERT INTO eventstore.person_keys (person, key)
		SELECT * FROM unnest($1::uuid[], $2::bytea[]) AS u (person, key) ORDER BY u.person
		ON CONFLICT DO NOTHING RETURNING person, key`
)

func newKey() []byte {
	key := make([]byte, keyring.Size)
	rand.Read(key) // never fails
	return key
}

// forget drops a person's key from memory.
func (k *personKeys) forget(person uuid.UUID) {
	k.erasures.Add(person)
	k.cache.Remove(person)
}

// forgetAll drops the keys of all persons from memory.
func (k *personKeys) forgetAll() {
	k.erasures.Add(uuid.Nil) // anybody may be erased
	k.cache.Purge()
}

// seal replaces the secrets in their rows' payloads. It returns the keys that it made for persons it does not know: they are to be
// written with the events, or settled before.
func (k *personKeys) seal(ctx context.Context, secrets []secret) ([]*freshKey, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	persons, first := make([]uuid.UUID, 0, len(secrets)), map[uuid.UUID]bool{}
	for _, s := range secrets {
		before, seen := first[s.person]
		if !seen {
			persons = append(persons, s.person)
		}
		first[s.person] = before || s.first
	}
	keys, fresh, err := k.ensure(ctx, persons, first)
	if err != nil {
		return nil, err
	}
	made := make(map[uuid.UUID]*freshKey, len(fresh))
	for _, f := range fresh {
		made[f.person] = f
	}
	for _, s := range secrets {
		if f := made[s.person]; f != nil {
			f.says = append(f.says, said{s, s.row.data})
		}
		if err := s.seal(keys.keys[s.person]); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// seal replaces the secret in its row's payload.
func (s secret) seal(key cipher.AEAD) (err error) {
	if s.row.data, err = sealFields(s.row.data, key, s.row.id, sealed{Person: s.person, Fields: s.fields}); err != nil {
		return fmt.Errorf("seal %s: %w", s.row.typ, err)
	}
	return nil
}

func sealFields(payload []byte, key cipher.AEAD, event uuid.UUID, s sealed) ([]byte, error) {
	closed := append(make([]byte, 0, 2*len(payload)), '{')
	present := make([]string, 0, len(s.Fields)) // one that is empty may be omitted
	err := skim.Members(payload, func(name string, value []byte) error {
		if name == sealMember {
			return fmt.Errorf("a payload has no member %s of its own", sealMember)
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		closed = append(append(closed, quoted...), ':')
		if slices.Contains(s.Fields, name) {
			present = append(present, name)
			closed = append(closed, '"')
			closed = base64.StdEncoding.AppendEncode(closed, key.Seal(nil, nil, value, sealData(event, name)))
			closed = append(closed, '"')
		} else {
			closed = append(closed, value...)
		}
		closed = append(closed, ',')
		return nil
	})
	if err != nil {
		return nil, err
	}
	mark, err := json.Marshal(sealed{Person: s.Person, Fields: present})
	if err != nil {
		return nil, err
	}
	return append(append(append(closed, `"`+sealMember+`":`...), mark...), '}'), nil
}

func sealData(event uuid.UUID, field string) []byte { return append(event[:], field...) }

// sealOf reads a payload's $sealed; nil when nothing is sealed.
func sealOf(payload []byte) (*sealed, error) {
	// Almost no payload is sealed; this look spares the others a second parse.
	if !bytes.Contains(payload, []byte(`"`+sealMember+`"`)) {
		return nil, nil
	}
	var found *sealed
	err := skim.Members(payload, func(name string, value []byte) error {
		if name != sealMember {
			return nil
		}
		return json.Unmarshal(value, &found)
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", sealMember, err)
	}
	return found, nil
}

// errTampered: a sealed field does not open with its person's key.
var errTampered = errors.New("sealed field does not open")

// openFields puts the personal fields back. Without a key it leaves them out and says so.
func openFields(payload []byte, key cipher.AEAD, event uuid.UUID, s *sealed) (plain []byte, erased bool, err error) {
	plain = append(make([]byte, 0, len(payload)), '{')
	unopened := len(s.Fields)
	err = skim.Members(payload, func(name string, value []byte) error {
		if name == sealMember {
			return nil
		}
		if slices.Contains(s.Fields, name) {
			unopened--
			if key == nil {
				return nil
			}
			var closed []byte // encoding/json decodes base64
			if err := json.Unmarshal(value, &closed); err != nil {
				return fmt.Errorf("%w: %s: %w", errTampered, name, err)
			}
			if value, err = key.Open(nil, nil, closed, sealData(event, name)); err != nil {
				return fmt.Errorf("%w: %s", errTampered, name)
			}
		}
		if len(plain) > 1 {
			plain = append(plain, ',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		plain = append(append(append(plain, quoted...), ':'), value...)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	if key != nil && unopened > 0 {
		return nil, false, fmt.Errorf("%w: a field is missing", errTampered)
	}
	return append(plain, '}'), key == nil, nil
}

// ErasePerson deletes a person's key for ever: the personal fields of their events read as zero values from now on,
// in this process at once, in others as soon as they hear of it. It may be repeated.
func (s *Store) ErasePerson(ctx context.Context, person uuid.UUID) error {
	const erase = `INSERT INTO eventstore.person_keys (person, key, erased_at) VALUES ($1, NULL, $2)
		ON CONFLICT (person) DO UPDATE SET key = NULL, erased_at = excluded.erased_at WHERE person_keys.erased_at IS NULL`
	batch := &pgx.Batch{}
	batch.Queue(erase, person, s.opts.Clock().UTC().Truncate(time.Microsecond))
	batch.Queue("SELECT pg_notify($1, $2)", ChannelErased, person.String())
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return tx.SendBatch(ctx, batch).Close() })
	// Forget even after an error: the key may be gone although the answer was lost.
	s.forgetPerson(person)
	if err != nil {
		return fmt.Errorf("erase person %s: %w", person, err)
	}
	return nil
}

// ReadKeysAnew drops all persons' keys from memory: persons erased by now, in any process, are unreadable in later reads.
func (s *Store) ReadKeysAnew() { s.keys.forgetAll() }

// forgetPerson drops the cached key of a person.
func (s *Store) forgetPerson(person uuid.UUID) {
	s.keys.forget(person)
	s.erased.Wake()
}
