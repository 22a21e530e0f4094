package mail

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
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
	// hash keys the hashes of addresses.
	hash []byte
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
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte("paces of addresses"))
	return &Outbox{db: db, seal: seal, now: clock, hash: hash.Sum(nil)}, nil
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
	// Language is empty for Russian.
	Language string `json:"language,omitempty"`
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
	said, language := languageOf(l.Content)
	content, err := json.Marshal(said)
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", l.Content.Kind(), err)
	}
	plain, err := json.Marshal(sealedLetter{To: l.To, Content: content, Language: language})
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

// Call is a letter that an event calls for.
type Call struct {
	Kind  Kind
	Event eventstore.Event
	// Delay is how much later than now it is due.
	Delay time.Duration
}

const insertCalls = `INSERT INTO mail_jobs (id, kind, stream, version, created_at, due_at)
	SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[]) ON CONFLICT (id) DO NOTHING`

// EnqueueCalls writes the letters that events call for. An event calls for one letter at most.
func (o *Outbox) EnqueueCalls(ctx context.Context, tx Execer, calls []Call) error {
	if len(calls) == 0 {
		return nil
	}
	n, now := len(calls), o.now()
	ids, kinds, streams, versions := make([][16]byte, n), make([]string, n), make([]string, n), make([]int64, n)
	created, due := make([]time.Time, n), make([]time.Time, n)
	for i, c := range calls {
		ids[i], kinds[i], streams[i], versions[i] = c.Event.ID, string(c.Kind), c.Event.Stream, int64(c.Event.Version)
		created[i], due[i] = c.Event.RecordedAt, now.Add(c.Delay)
	}
	if _, err := tx.Exec(ctx, insertCalls, ids, kinds, streams, versions, created, due); err != nil {
		return fmt.Errorf("enqueue %d letters: %w", n, err)
	}
	return nil
}

// Forget takes back all sealed letters to a person that were not sent, dead ones as well. Call it when the person is
// erased; the last letter is one of nobody's. Letters that events call for need it not: they read nothing about an
// erased person, and so are not sent.
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
	read, known := kindOf(j.Kind)
	if !known {
		return "", nil, fmt.Errorf("no letter is called %s", j.Kind)
	}
	if content, err = read.decode(l.Content); err != nil {
		return "", nil, errors.New("the letter's content is not understood")
	}
	return l.To, In(l.Language, content), nil
}

// Started is when this database began to send letters; the first call says now.
func (o *Outbox) Started(ctx context.Context) (at time.Time, err error) {
	if _, err = o.db.Exec(ctx, `INSERT INTO mail_start (at) VALUES ($1) ON CONFLICT DO NOTHING`, o.now()); err == nil {
		err = o.db.QueryRow(ctx, `SELECT at FROM mail_start`).Scan(&at)
	}
	if err != nil {
		return at, fmt.Errorf("begin to send letters: %w", err)
	}
	return at, nil
}

const claimJobs = `WITH due AS (
		SELECT id FROM mail_jobs WHERE dead_at IS NULL AND due_at <= $1 ORDER BY stream IS NOT NULL, due_at LIMIT $3 FOR UPDATE SKIP LOCKED
	)
	UPDATE mail_jobs j SET attempts = attempts + 1, due_at = $2 FROM due WHERE j.id = due.id
	RETURNING j.id, j.kind, j.sealed, j.stream, j.version, j.attempts, j.created_at`

// claim takes letters that are due, first those without an event, because somebody waits for their code or link. They are due
// again after a lease, in case this process dies.
func (o *Outbox) claim(ctx context.Context, lease time.Duration, limit int) ([]job, error) {
	now := o.now()
	if _, err := o.db.Exec(ctx, `DELETE FROM mail_jobs WHERE expires_at <= $1 AND skipped_at IS NULL`, now); err != nil {
		return nil, fmt.Errorf("drop letters of no use: %w", err)
	}
	rows, err := o.db.Query(ctx, claimJobs, now, now.Add(lease), limit)
	if err != nil {
		return nil, fmt.Errorf("take letters: %w", err)
	}
	jobs, err := pgx.CollectRows(rows, pgx.RowToStructByName[job])
	if err != nil {
		return nil, fmt.Errorf("take letters: %w", err)
	}
	return jobs, nil
}

const finishJob = `WITH done AS (DELETE FROM mail_jobs WHERE id = $1 RETURNING id, kind, stream)
	INSERT INTO mail_sent (id, kind, sent_at) SELECT id, kind, $3 FROM done WHERE stream IS NOT NULL AND $2
	ON CONFLICT (id) DO NOTHING`

// finish removes a letter that was sent or that must not be sent. For a letter of an event the time of sending is kept.
func (o *Outbox) finish(ctx context.Context, j job, sent bool) error {
	_, err := o.db.Exec(ctx, finishJob, j.ID, sent, o.now())
	return err
}

const deleteSent = `DELETE FROM mail_sent WHERE id IN (SELECT id FROM mail_sent WHERE sent_at < $1 ORDER BY sent_at LIMIT $2)`

// forgetSent forgets what was sent before a time, so many letters at once that nobody waits for it.
func (o *Outbox) forgetSent(ctx context.Context, before time.Time, atOnce int64) error {
	for {
		tag, err := o.db.Exec(ctx, deleteSent, before, atOnce)
		if err != nil || tag.RowsAffected() < atOnce {
			return err
		}
	}
}

// again puts a letter back, unless it has been taken once more since.
func (o *Outbox) again(ctx context.Context, j job, reason string, after time.Duration) error {
	_, err := o.db.Exec(ctx, `UPDATE mail_jobs SET due_at = $3, error = $4 WHERE id = $1 AND attempts = $2`, j.ID, j.Attempts, o.now().Add(after), reason)
	return err
}

// bury makes a letter a dead one.
func (o *Outbox) bury(ctx context.Context, j job, reason string) error {
	_, err := o.db.Exec(ctx, `UPDATE mail_jobs SET dead_at = $3, error = $4 WHERE id = $1 AND attempts = $2`, j.ID, j.Attempts, o.now(), reason)
	return err
}

// State is the state of a letter in the outbox.
type State string

const (
	Waiting State = "waiting"
	Dead    State = "dead"
	Skipped State = "skipped"
)

// Entry is a letter as it is listed: without recipient and content.
type Entry struct {
	ID    domain.ID `json:"id"`
	Kind  Kind      `json:"kind"`
	State State     `json:"state"`
	// Stream and Version name the event; empty for a letter without one.
	Stream    string             `json:"stream,omitempty"`
	Version   eventstore.Version `json:"version,omitempty"`
	Attempts  int                `json:"attempts"`
	CreatedAt time.Time          `json:"created_at"`
	// DueAt is when the next attempt is made, of a waiting letter.
	DueAt  time.Time `json:"due_at"`
	Error  string    `json:"error"`
	Reason string    `json:"reason,omitempty"`
}

// List is the outbox, the oldest first: dead letters, or all.
func (o *Outbox) List(ctx context.Context, all bool) ([]Entry, error) {
	rows, err := o.db.Query(ctx, `SELECT id, kind, CASE WHEN skipped_at IS NOT NULL THEN 'skipped' WHEN dead_at IS NOT NULL THEN 'dead' ELSE 'waiting' END AS state,
			coalesce(stream, '') AS stream, coalesce(version, 0) AS version, attempts, created_at, due_at, coalesce(error, '') AS error, coalesce(reason, '') AS reason
		FROM mail_jobs WHERE $1 OR dead_at IS NOT NULL AND skipped_at IS NULL ORDER BY created_at, id`, all)
	if err != nil {
		return nil, fmt.Errorf("list letters: %w", err)
	}
	entries, err := pgx.CollectRows(rows, pgx.RowToStructByName[Entry])
	if err != nil {
		return nil, fmt.Errorf("list letters: %w", err)
	}
	return entries, nil
}

// Retry makes a dead letter, or all of them for a zero id, due now with all attempts ahead. It tells how many.
func (o *Outbox) Retry(ctx context.Context, id domain.ID) (int64, error) {
	tag, err := o.db.Exec(ctx, `UPDATE mail_jobs SET dead_at = NULL, attempts = 0, due_at = $2
		WHERE dead_at IS NOT NULL AND skipped_at IS NULL AND (id = $1 OR $1 = '00000000-0000-0000-0000-000000000000')`, id, o.now())
	if err != nil {
		return 0, fmt.Errorf("retry letters: %w", err)
	}
	return tag.RowsAffected(), nil
}

// Skip ends a dead letter for good. Its content is deleted; actor and reason are kept for thirty days. False: there is no such letter.
func (o *Outbox) Skip(ctx context.Context, id domain.ID, by, reason string) (bool, error) {
	tag, err := o.db.Exec(ctx, `UPDATE mail_jobs SET skipped_at = $2, skipped_by = $3, reason = $4, sealed = NULL, expires_at = NULL
		WHERE id = $1 AND dead_at IS NOT NULL AND skipped_at IS NULL`, id, o.now(), by, reason)
	if err != nil {
		return false, fmt.Errorf("skip letter: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// Depth is what waits in the outbox.
type Depth struct {
	Waiting, Dead int64
	// Age is that of the oldest letter that waits for nothing but its turn.
	Age time.Duration
}

// DepthOf asks for what waits, by the database's clock.
func DepthOf(ctx context.Context, db *pgxpool.Pool) (d Depth, err error) {
	var seconds float64
	err = db.QueryRow(ctx, `SELECT count(*) FILTER (WHERE dead_at IS NULL), count(*) FILTER (WHERE dead_at IS NOT NULL AND skipped_at IS NULL),
		coalesce(extract(epoch FROM now() - min(coalesce(held_until, created_at)) FILTER (WHERE dead_at IS NULL AND (held_until IS NULL OR held_until <= now()))), 0)::float8
		FROM mail_jobs`).Scan(&d.Waiting, &d.Dead, &seconds)
	if err != nil {
		return d, fmt.Errorf("look at the outbox: %w", err)
	}
	d.Age = max(0, time.Duration(seconds*float64(time.Second)))
	return d, nil
}
