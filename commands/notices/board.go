package notices

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/staff"
)

// Board keeps who wants to hear what, and the notices on their way. It is safe for concurrent use.
type Board struct {
	db    *pgxpool.Pool
	seal  cipher.AEAD
	hash  []byte
	now   func() time.Time
	vapid *ecdsa.PrivateKey
	guard *Guard
}

// Options are what a board needs besides the database.
type Options struct {
	// Key seals addresses and secrets, VAPID is what the shop proves to push services that it is itself with; 32 bytes each.
	Key, VAPID []byte
	Clock      func() time.Time
	// Guard bounds where notices may go.
	Guard *Guard
}

// NewBoard is a board on a migrated database.
func NewBoard(db *pgxpool.Pool, o Options) (*Board, error) {
	block, err := aes.NewCipher(o.Key)
	if err != nil {
		return nil, fmt.Errorf("key of the notices: %w", err)
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("key of the notices: %w", err)
	}
	vapid, err := vapidKey(o.VAPID)
	if err != nil {
		return nil, err
	}
	return &Board{db: db, seal: seal, hash: o.Key, now: o.Clock, vapid: vapid, guard: o.Guard}, nil
}

// Execer is a pool or a transaction.
type Execer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// waitingMost is how many notices may wait for a target; newer ones are dropped, for the list in the office has them all.
const waitingMost = 500

// target is who hears of a cause on a way.
type target struct {
	Name      string
	Role      *string
	Causes    []Cause
	QuietFrom *int
	QuietTo   *int
	Digest    bool
	ByMail    bool
}

const selectTargets = `SELECT 'mail:' || p.account AS name, a.role AS role, p.mail AS causes, p.quiet_from::int AS quiet_from, p.quiet_to::int AS quiet_to,
		p.digest AS digest, true AS by_mail
	FROM notice_people p JOIN staff_accounts a ON a.id = p.account WHERE a.disabled_at IS NULL AND p.mail <> '{}'
	UNION ALL SELECT 'push:' || s.id, a.role, p.push, p.quiet_from::int, p.quiet_to::int, p.digest, false
	FROM notice_pushes s JOIN notice_people p USING (account) JOIN staff_accounts a ON a.id = p.account WHERE a.disabled_at IS NULL AND p.push <> '{}'
	UNION ALL SELECT 'hook:' || id, NULL, causes, NULL, NULL, false, false FROM notice_hooks WHERE enabled AND causes <> '{}'`

// hears says whether a target is told of a cause.
func (t target) hears(c Cause) bool {
	for _, chosen := range t.Causes {
		if chosen == c {
			return t.Role == nil || c.For(staff.Role(*t.Role))
		}
	}
	return false
}

// Announce puts notices on their way to whoever chose their cause and may hear of it, in the caller's transaction. A notice
// that was announced before is not announced again.
func (b *Board) Announce(ctx context.Context, tx Execer, all []Notice) error {
	if len(all) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, selectTargets)
	if err != nil {
		return fmt.Errorf("look who is told: %w", err)
	}
	targets, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[target])
	if err != nil {
		return fmt.Errorf("look who is told: %w", err)
	}
	now := b.now()
	var jobs jobRows
	for _, t := range targets {
		due := dueAt(now, t.QuietFrom, t.QuietTo, t.Digest && t.ByMail)
		for _, n := range all {
			if !t.hears(n.Cause) {
				continue
			}
			if err := jobs.add(n, t.Name, due); err != nil {
				return err
			}
		}
	}
	return jobs.insert(ctx, tx)
}

// jobRows are rows of notice_jobs, by column.
type jobRows struct {
	ids, notices            []uuid.UUID
	targets, causes, abouts []string
	at, due                 []time.Time
}

func (r *jobRows) add(n Notice, target string, due time.Time) error {
	about, err := json.Marshal(n.About)
	if err != nil {
		return fmt.Errorf("announce %s: %w", n.Cause, err)
	}
	r.ids = append(r.ids, uuid.NewSHA1(n.ID, []byte(target)))
	r.notices = append(r.notices, n.ID)
	r.targets, r.causes, r.abouts = append(r.targets, target), append(r.causes, string(n.Cause)), append(r.abouts, string(about))
	r.at, r.due = append(r.at, n.At), append(r.due, due)
	return nil
}

const insertJobs = `INSERT INTO notice_jobs (id, notice, target, cause, about, happened_at, due_at)
	SELECT n.id, n.notice, n.target, n.cause, n.about::jsonb, n.at, n.due
	FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[]) AS n (id, notice, target, cause, about, at, due)
	LEFT JOIN (SELECT target, count(*) AS waiting FROM notice_jobs WHERE done_at IS NULL AND dead_at IS NULL AND target = ANY ($3) GROUP BY target) w USING (target)
	WHERE coalesce(w.waiting, 0) < $8 ON CONFLICT (id) DO NOTHING`

func (r *jobRows) insert(ctx context.Context, tx Execer) error {
	if len(r.ids) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, insertJobs, r.ids, r.notices, r.targets, r.causes, r.abouts, r.at, r.due, waitingMost); err != nil {
		return fmt.Errorf("announce: %w", err)
	}
	return nil
}

// morning is when a digest is sent, in minutes of the day in Almaty.
const morning = 8 * 60

// dueAt is when a target may be told of what happens now: at once, at the end of quiet hours, or in the morning with a digest.
func dueAt(now time.Time, from, to *int, digest bool) time.Time {
	due := now
	if digest {
		due = nextAt(now, morning)
	}
	if from == nil || to == nil || *from == *to {
		return due
	}
	local := due.In(domain.Almaty)
	minute := local.Hour()*60 + local.Minute()
	quiet := minute >= *from && minute < *to
	if *from > *to {
		quiet = minute >= *from || minute < *to
	}
	if quiet {
		return nextAt(due, *to)
	}
	return due
}

// nextAt is the next moment at a minute of the day in Almaty, after a time.
func nextAt(after time.Time, minute int) time.Time {
	local := after.In(domain.Almaty)
	at := time.Date(local.Year(), local.Month(), local.Day(), minute/60, minute%60, 0, 0, domain.Almaty)
	if !at.After(after) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

// Started is when this database began to tell staff; the first call says now.
func (b *Board) Started(ctx context.Context) (at time.Time, err error) {
	if _, err = b.db.Exec(ctx, `INSERT INTO notice_start (at) VALUES ($1) ON CONFLICT DO NOTHING`, b.now()); err == nil {
		err = b.db.QueryRow(ctx, `SELECT at FROM notice_start`).Scan(&at)
	}
	if err != nil {
		return at, fmt.Errorf("begin to tell staff: %w", err)
	}
	return at, nil
}
