package mail

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/eventstore"
)

// Outbox holds the letters that wait. It is safe for concurrent use.
type Outbox struct {
	db   *pgxpool.Pool
	seal cipher.AEAD
	now  func() time.Time
}

// NewOutbox seals what waits with key, 32 bytes; clock is usually time.Now.
func NewOutbox(db *pgxpool.Pool, key []byte, clock func() time.Time) (*Outbox, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("key of the outbox: %w", err)
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("key of the outbox: %w", err)
	}
	return &Outbox{db: db, seal: seal, now: clock}, nil
}

// Execer is a pgx.Tx, or a pool when nothing else is written with the letter.
type Execer interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
}

// Letter is one that no event calls for.
type Letter struct {
	// ID becomes the Message-ID; zero: a new one. A second letter of the same ID is not written.
	ID domain.ID
	// Person is whose erasure takes the letter back; zero: nobody's.
	Person domain.ID
	// To is a bare e-mail address.
	To      string
	Content Content
	// Expires is when the letter is of no use any more; zero: never.
	Expires time.Time
}

// sealedLetter is what a row without an event carries.
type sealedLetter struct {
	To      string          `json:"to"`
	Content json.RawMessage `json:"content"`
}

const insertJob = `INSERT INTO mail_jobs (id, kind, person, sealed, expires_at, created_at, due_at)
	VALUES ($1, $2, nullif($3, '00000000-0000-0000-0000-000000000000'::uuid), $4, $5, $6, $6) ON CONFLICT (id) DO NOTHING`

// Enqueue writes a letter into the outbox, in the caller's transaction. It is sent moments after that commits.
func (o *Outbox) Enqueue(ctx context.Context, tx Execer, l Letter) error {
	if err := CheckAddress(l.To); err != nil {
		return fmt.Errorf("enqueue %s: %w", l.Content.Kind(), err)
	}
	if l.ID == uuid.Nil {
		l.ID = uuid.Must(uuid.NewV7())
	}
	content, err := json.Marshal(l.Content)
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", l.Content.Kind(), err)
	}
	plain, err := json.Marshal(sealedLetter{To: l.To, Content: content})
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", l.Content.Kind(), err)
	}
	var expires *time.Time
	if !l.Expires.IsZero() {
		expires = &l.Expires
	}
	if _, err := tx.Exec(ctx, insertJob, l.ID, l.Content.Kind(), l.Person, o.seal.Seal(nil, nil, plain, l.ID[:]), expires, o.now()); err != nil {
		return fmt.Errorf("enqueue %s: %w", l.Content.Kind(), err)
	}
	return nil
}

const insertEventJob = `INSERT INTO mail_jobs (id, kind, person, stream, version, created_at, due_at)
	VALUES ($1, $2, nullif($3, '00000000-0000-0000-0000-000000000000'::uuid), $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`

// EnqueueEvent writes the letter that an event calls for, due after a delay. Person is as in Letter.
func (o *Outbox) EnqueueEvent(ctx context.Context, tx Execer, kind Kind, e eventstore.Event, person domain.ID, delay time.Duration) error {
	if _, err := tx.Exec(ctx, insertEventJob, e.ID, kind, person, e.Stream, e.Version, e.RecordedAt, o.now().Add(delay)); err != nil {
		return fmt.Errorf("enqueue %s: %w", kind, err)
	}
	return nil
}

// Forget takes back all letters of a person that were not sent, dead ones as well. Call it when the person is erased,
// before the last letter to them is enqueued without a Person.
func (o *Outbox) Forget(ctx context.Context, tx Execer, person domain.ID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM mail_jobs WHERE person = $1`, person); err != nil {
		return fmt.Errorf("forget letters: %w", err)
	}
	return nil
}

// job is a row that is being delivered.
type job struct {
	ID        domain.ID
	Kind      Kind
	Sealed    []byte
	Stream    *string
	Version   *eventstore.Version
	Attempts  int
	CreatedAt time.Time
}

// open reads a letter that waited sealed.
func (o *Outbox) open(j job) (to string, content Content, err error) {
	plain, err := o.seal.Open(nil, nil, j.Sealed, j.ID[:])
	if err != nil {
		return "", nil, errors.New("the letter does not open with the outbox's key")
	}
	var l sealedLetter
	if err := json.Unmarshal(plain, &l); err != nil {
		return "", nil, errors.New("the letter is not understood")
	}
	read, known := kinds[j.Kind]
	if !known {
		return "", nil, fmt.Errorf("no letter is called %s", j.Kind)
	}
	if content, err = read.decode(l.Content); err != nil {
		return "", nil, errors.New("the letter's content is not understood")
	}
	return l.To, content, nil
}

var _ Execer = pgx.Tx(nil)
