package notices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/mail"
	"shop/domain"
	"shop/domain/staff"
)

const (
	// atOnce is how many targets are told at the same time, handful how many notices of one are taken.
	atOnce  = 32
	handful = 50
	// lease is how long notices in the hands of a process that died wait for another.
	lease = 2 * time.Minute
	// triesMost is how often a notice is tried, tooOld how old it may be.
	triesMost = 10
	tooOld    = 24 * time.Hour
	// shortest and longest bound how long a target rests after a failure.
	shortest, longest = 10 * time.Second, time.Hour
	// kept is how long it is remembered what was told and given up.
	kept = 7 * 24 * time.Hour
	// grace is how long a delivery may go on after the worker was stopped.
	grace = 3 * time.Second
)

// Worker delivers notices, each target by itself. Several workers may share a board.
type Worker struct {
	Board  *Board
	Outbox *mail.Outbox
	// Contact is what push services are told of whom to write to, mailto: or https:.
	Contact string
	// PublicURL is how browsers reach the shop, without a final slash.
	PublicURL string
	// Telegram is the address of its bot interface, without a final slash.
	Telegram string
	// Every is the pause between two looks. Default 1s.
	Every  time.Duration
	Logger *slog.Logger

	once sync.Once
	http *http.Client
}

func (w *Worker) client() *http.Client {
	w.once.Do(func() { w.http = w.Board.guard.client() })
	return w.http
}

// job is a notice on its way to a target.
type job struct {
	ID         uuid.UUID
	Notice     uuid.UUID
	Cause      Cause
	About      []byte
	HappenedAt time.Time
	Attempts   int
}

// Run delivers until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	every := w.Every
	if every <= 0 {
		every = time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var swept time.Time
	// Who is being told; a target that hangs is in here until it is cut off, and nobody waits for it.
	var mu sync.Mutex
	busy := map[string]bool{}
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	ending, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, end) })()
	for {
		mu.Lock()
		names := make([]string, 0, len(busy))
		for name := range busy {
			names = append(names, name)
		}
		mu.Unlock()
		due, err := w.due(ctx, names)
		if err != nil && ctx.Err() == nil {
			w.Logger.ErrorContext(ctx, "notices cannot be sent", "error", err)
		}
		for _, name := range due {
			mu.Lock()
			busy[name] = true
			mu.Unlock()
			deliveries.Go(func() {
				if err := w.tell(ending, name); err != nil && ending.Err() == nil {
					w.Logger.ErrorContext(ending, "notices cannot be sent", "target", name, "error", err)
				}
				mu.Lock()
				defer mu.Unlock()
				delete(busy, name)
			})
		}
		if now := w.Board.now(); now.Sub(swept) > time.Hour {
			swept = now
			if err := w.sweep(ctx); err != nil && ctx.Err() == nil {
				w.Logger.ErrorContext(ctx, "old notices cannot be forgotten", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Once tells every target that is due once, one after the other.
func (w *Worker) Once(ctx context.Context) error {
	due, err := w.due(ctx, []string{})
	if err != nil {
		return err
	}
	for _, name := range due {
		if err := w.tell(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// due are targets that something waits for, without those that are busy or rest.
func (w *Worker) due(ctx context.Context, busy []string) ([]string, error) {
	rows, err := w.Board.db.Query(ctx, `SELECT DISTINCT j.target FROM notice_jobs j LEFT JOIN notice_targets t USING (target)
		WHERE j.done_at IS NULL AND j.dead_at IS NULL AND j.due_at <= $1 AND (t.open_until IS NULL OR t.open_until <= $1) AND j.target <> ALL ($2) LIMIT $3`,
		w.Board.now(), busy, max(0, atOnce-len(busy)))
	if err != nil {
		return nil, fmt.Errorf("look for notices: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for notices: %w", err)
	}
	return names, nil
}

const claimJobs = `WITH due AS (
		SELECT id FROM notice_jobs WHERE target = $1 AND done_at IS NULL AND dead_at IS NULL AND due_at <= $2 ORDER BY happened_at, id LIMIT $4 FOR UPDATE SKIP LOCKED
	), taken AS (UPDATE notice_jobs j SET attempts = attempts + 1, due_at = $3 FROM due WHERE j.id = due.id
		RETURNING j.id, j.notice, j.cause, j.about, j.happened_at, j.attempts)
	SELECT * FROM taken ORDER BY happened_at, id`

// tell makes one attempt at what waits for a target. Its error is of the board; that of the target is kept with it.
func (w *Worker) tell(ctx context.Context, target string) error {
	now := w.Board.now()
	rows, err := w.Board.db.Query(ctx, claimJobs, target, now, now.Add(lease), handful)
	if err != nil {
		return fmt.Errorf("take notices: %w", err)
	}
	jobs, err := pgx.CollectRows(rows, pgx.RowToStructByName[job])
	if err != nil {
		return fmt.Errorf("take notices: %w", err)
	}
	if len(jobs) == 0 {
		return nil
	}
	kind, of, _ := strings.Cut(target, ":")
	id, err := uuid.Parse(of)
	if err != nil {
		return w.end(ctx, jobs, "there is no such target")
	}
	deliver := map[string]func(context.Context, uuid.UUID, []job) (int, error){"mail": w.byMail, "push": w.byPush, "hook": w.byHook}[kind]
	done, failure := deliver(ctx, id, jobs)
	if err := w.end(ctx, jobs[:done], ""); err != nil {
		return err
	}
	if failure == nil {
		return w.note(ctx, target, nil)
	}
	return errors.Join(w.again(ctx, jobs[done:], failure), w.note(ctx, target, failure))
}

// end finishes notices: told, or for a reason not to be told.
func (w *Worker) end(ctx context.Context, jobs []job, reason string) error {
	if len(jobs) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	_, err := w.Board.db.Exec(ctx, `UPDATE notice_jobs SET done_at = $2, error = nullif($3, '') WHERE id = ANY ($1)`, ids, w.Board.now(), reason)
	if err != nil {
		return fmt.Errorf("finish notices: %w", err)
	}
	return nil
}

// again puts notices back, or gives up those that were tried too often or are too old.
func (w *Worker) again(ctx context.Context, jobs []job, failure error) error {
	if len(jobs) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	now := w.Board.now()
	// Only the first was tried: the others of a target that does not answer have lost no attempt.
	_, err := w.Board.db.Exec(ctx, `UPDATE notice_jobs SET due_at = $2::timestamptz, error = $3,
			attempts = attempts - (id <> $4)::int,
			dead_at = CASE WHEN id = $4 AND attempts >= $5 OR happened_at < $6 THEN $2::timestamptz END
		WHERE id = ANY ($1)`, ids, now, failure.Error(), ids[0], triesMost, now.Add(-tooOld))
	if err != nil {
		return fmt.Errorf("put notices back: %w", err)
	}
	return nil
}

// note keeps how a target did. After a failure it rests, twice as long each time.
func (w *Worker) note(ctx context.Context, target string, failure error) error {
	now := w.Board.now()
	if failure == nil {
		_, err := w.Board.db.Exec(ctx, `INSERT INTO notice_targets (target, told_at) VALUES ($1, $2)
			ON CONFLICT (target) DO UPDATE SET failures = 0, open_until = NULL, told_at = excluded.told_at, error = NULL`, target, now)
		if err != nil {
			return fmt.Errorf("keep how a target did: %w", err)
		}
		return nil
	}
	var failures int
	err := w.Board.db.QueryRow(ctx, `INSERT INTO notice_targets (target, failures, failed_at, error) VALUES ($1, 1, $2, $3)
		ON CONFLICT (target) DO UPDATE SET failures = notice_targets.failures + 1, failed_at = excluded.failed_at, error = excluded.error RETURNING failures`,
		target, now, failure.Error()).Scan(&failures)
	if err == nil {
		_, err = w.Board.db.Exec(ctx, `UPDATE notice_targets SET open_until = $2 WHERE target = $1`, target, now.Add(restAfter(failures)))
	}
	if err != nil {
		return fmt.Errorf("keep how a target did: %w", err)
	}
	w.Logger.WarnContext(ctx, "staff were not told", "target", target, "failures", failures, "error", failure)
	return nil
}

// restAfter doubles from failure to failure, and is spread.
func restAfter(failures int) time.Duration {
	rest := longest
	if failures < 12 {
		rest = min(longest, shortest<<max(0, failures-1))
	}
	return rest/2 + rand.N(rest/2)
}

// person is whom a notice goes to.
type person struct {
	Email    string
	Role     string
	Language string
	Disabled bool
}

// still are the notices that a person may still hear of: a role may have changed since they were made.
func still(jobs []job, role string) []job {
	var wanted []job
	for _, j := range jobs {
		if j.Cause.For(staff.Role(role)) {
			wanted = append(wanted, j)
		}
	}
	return wanted
}

func (w *Worker) person(ctx context.Context, account uuid.UUID) (p person, known bool, err error) {
	err = w.Board.db.QueryRow(ctx, `SELECT a.email, a.role, coalesce(p.language, 'ru'), a.disabled_at IS NOT NULL
		FROM staff_accounts a LEFT JOIN notice_people p ON p.account = a.id WHERE a.id = $1`, account).Scan(&p.Email, &p.Role, &p.Language, &p.Disabled)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, false, nil
	}
	if err != nil {
		return p, false, fmt.Errorf("read who is told: %w", err)
	}
	return p, !p.Disabled, nil
}

// byMail puts all that waits for a person into one letter. The letter's id is the first notice's, so that a repeat is none.
func (w *Worker) byMail(ctx context.Context, account uuid.UUID, jobs []job) (done int, failure error) {
	p, known, err := w.person(ctx, account)
	if err != nil {
		return 0, err
	}
	wanted := still(jobs, p.Role)
	if !known || len(wanted) == 0 {
		return len(jobs), nil
	}
	says := wordsIn(p.Language)
	letter := mail.StaffNotice{Footer: says.footer, URL: w.PublicURL + "/admin/notices"}
	for _, j := range wanted {
		about, err := j.about()
		if err != nil {
			return 0, err
		}
		letter.Lines = append(letter.Lines, mail.StaffLine{Title: says.causes[j.Cause], Text: says.line(about), URL: w.PublicURL + path(j.Cause, about)})
	}
	letter.Subject = letter.Lines[0].Title
	if text := letter.Lines[0].Text; text != "" {
		letter.Subject += ": " + text
	}
	if len(wanted) > 1 {
		letter.Subject = fmt.Sprintf("%s: %d", says.digest, len(wanted))
	}
	if err := w.Outbox.Enqueue(ctx, w.Board.db, mail.Letter{ID: wanted[0].ID, To: p.Email, Content: letter, Expires: w.Board.now().Add(tooOld)}); err != nil {
		return 0, err
	}
	return len(jobs), nil
}

func (j job) about() (a About, err error) {
	if err := json.Unmarshal(j.About, &a); err != nil {
		return a, errors.New("the notice is not understood")
	}
	return a, nil
}

// pushBody is what the service worker of the office shows.
type pushBody struct {
	ID    domain.ID `json:"id"`
	Title string    `json:"title"`
	Text  string    `json:"text"`
	Path  string    `json:"path"`
}

// fewPushes is how many notices are pushed one by one; more are one push that counts them.
const fewPushes = 3

// byPush sends a browser what waits for it. A browser that is gone is dropped.
func (w *Worker) byPush(ctx context.Context, id uuid.UUID, jobs []job) (done int, failure error) {
	var account uuid.UUID
	var sealed []byte
	err := w.Board.db.QueryRow(ctx, `SELECT account, sealed FROM notice_pushes WHERE id = $1`, id).Scan(&account, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return len(jobs), nil
	}
	if err != nil {
		return 0, fmt.Errorf("read a push address: %w", err)
	}
	p, known, err := w.person(ctx, account)
	if err != nil {
		return 0, err
	}
	var s Subscription
	if plain, err := w.Board.seal.Open(nil, nil, sealed, id[:]); err != nil || json.Unmarshal(plain, &s) != nil {
		return 0, errors.New("the push address does not open with the key of the notices")
	}
	if !known || len(still(jobs, p.Role)) == 0 {
		return len(jobs), nil
	}
	bodies, err := pushBodies(wordsIn(p.Language), still(jobs, p.Role))
	if err != nil {
		return 0, err
	}
	for _, body := range bodies {
		message, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		err = w.Board.push(ctx, w.client(), s, w.Contact, message)
		if errors.Is(err, errGone) {
			if _, err := w.Board.db.Exec(ctx, `DELETE FROM notice_pushes WHERE id = $1`, id); err != nil {
				return 0, fmt.Errorf("drop a push address: %w", err)
			}
			return len(jobs), nil
		}
		if err != nil {
			return 0, err
		}
	}
	return len(jobs), nil
}

// pushBodies are the pushes that say some notices.
func pushBodies(says words, jobs []job) ([]pushBody, error) {
	if len(jobs) > fewPushes {
		return []pushBody{{ID: jobs[0].Notice, Title: fmt.Sprintf("%s: %d", says.digest, len(jobs)), Path: "/admin"}}, nil
	}
	var bodies []pushBody
	for _, j := range jobs {
		about, err := j.about()
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, pushBody{ID: j.Notice, Title: says.causes[j.Cause], Text: says.line(about), Path: path(j.Cause, about)})
	}
	return bodies, nil
}

// byHook sends a webhook what waits for it, one by one, up to the first failure.
func (w *Worker) byHook(ctx context.Context, id uuid.UUID, jobs []job) (done int, failure error) {
	kind, secrets, err := w.Board.hook(ctx, id)
	if errors.Is(err, ErrNoHook) {
		return len(jobs), nil
	}
	if err != nil {
		return 0, err
	}
	var language string
	if err := w.Board.db.QueryRow(ctx, `SELECT language FROM notice_hooks WHERE id = $1`, id).Scan(&language); err != nil {
		return 0, fmt.Errorf("read a webhook: %w", err)
	}
	says := wordsIn(language)
	for i, j := range jobs {
		about, err := j.about()
		if err != nil {
			return i, err
		}
		body := hookBody{ID: j.Notice, Cause: j.Cause, At: j.HappenedAt, About: about, Text: says.text(j.Cause, about), URL: w.PublicURL + path(j.Cause, about)}
		if err := w.post(ctx, kind, secrets, body); err != nil {
			return i, err
		}
	}
	return len(jobs), nil
}

// sweep forgets what ended long ago.
func (w *Worker) sweep(ctx context.Context) error {
	_, err := w.Board.db.Exec(ctx, `DELETE FROM notice_jobs WHERE happened_at < $1`, w.Board.now().Add(-kept))
	if err != nil {
		return fmt.Errorf("forget notices: %w", err)
	}
	return nil
}
