package securitylog

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const (
	// flushEvery is how long an entry waits at most for its batch.
	flushEvery = 250 * time.Millisecond
	// alikeFor is within what time entries that are alike share a row.
	alikeFor = time.Minute
	// batch is how many rows one statement writes, waiting how many of a budget wait at most while the database is away.
	batch   = 1000
	waiting = 4000
	// mostAlike bounds what is remembered of a budget in order to find what is alike.
	mostAlike = 4000
	// flushWithin is how long a batch may take.
	flushWithin = 10 * time.Second
)

// Budget is a share of the table. A flood in one takes nothing from the others.
type Budget string

// The budgets: staff who are signed in and the command line; failed sign-ins of staff; customers who are signed in; everybody else.
const (
	OfStaff     Budget = "staff"
	OfStaffFail Budget = "staff-failures"
	OfCustomers Budget = "customers"
	OfGuests    Budget = "guests"
)

// allowance is how many rows a budget may write at once, and how many a minute after that.
type allowance struct{ burst, aMinute float64 }

// allowances bound the table: all budgets of a process that are exhausted without an end write some 270 000 rows a day.
var allowances = map[Budget]allowance{
	OfStaff: {5000, 120}, OfStaffFail: {1000, 20}, OfCustomers: {2000, 30}, OfGuests: {1000, 20},
}

// alike is what makes entries one row.
type alike struct {
	kind           Kind
	outcome        Outcome
	how            string
	who            Who
	about          uuid.UUID
	route          string
	network, email string
}

// row is what is written.
type row struct {
	alike
	at      time.Time
	request uuid.UUID
	times   int64
}

// repeat counts what is alike after a row was written.
type repeat struct {
	until time.Time
	first time.Time
	more  int64
}

// share is the state of a budget.
type share struct {
	allowance
	rows   []row
	tokens float64
	at     time.Time
	alike  map[alike]*repeat
	// summed is what exceeded the budget, by kind, outcome, means and party alone.
	summed map[alike]*repeat
	// swept is when both were last looked through.
	swept time.Time
}

// Log is the security log on a migrated database. It is safe for concurrent use.
type Log struct {
	pool   *pgxpool.Pool
	secret []byte
	clock  func() time.Time
	logger *slog.Logger

	mu     sync.Mutex
	shares map[Budget]*share
	// full nudges Run when a batch waits.
	full chan struct{}
	// writing holds batches apart.
	writing sync.Mutex

	signIns, records, dropped metric.Int64Counter
}

// Options set up a Log.
type Options struct {
	// Secret keys the hashes; it is the log's own and must stay the same.
	Secret []byte
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Logger hears of batches that could not be written. Default slog.Default.
	Logger *slog.Logger
}

// New makes a Log. Until Run or Flush it writes nothing.
func New(pool *pgxpool.Pool, o Options) *Log {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	l := &Log{pool: pool, secret: o.Secret, clock: o.Clock, logger: o.Logger, shares: map[Budget]*share{}, full: make(chan struct{}, 1)}
	for budget, a := range allowances {
		l.shares[budget] = &share{allowance: a, tokens: a.burst, at: o.Clock(), alike: map[alike]*repeat{}, summed: map[alike]*repeat{}}
	}
	// Instruments with valid constant names cannot fail.
	meter := otel.Meter("shop/security")
	l.signIns, _ = meter.Int64Counter("shop.signin", metric.WithUnit("{attempt}"), metric.WithDescription("Attempts to sign in, by who and outcome"))
	l.records, _ = meter.Int64Counter("shop.security.records", metric.WithUnit("{record}"), metric.WithDescription("What the security log was told, by kind and outcome"))
	l.dropped, _ = meter.Int64Counter("shop.security.dropped", metric.WithUnit("{record}"), metric.WithDescription("Records that lost their details: summed up by a budget, or lost with the database"))
	return l
}

// Record puts an entry into memory, from where Run writes it. It waits for nothing but other callers' map operations.
func (l *Log) Record(ctx context.Context, e Entry) {
	s := scopeOf(ctx)
	budget := budgetOf(s.who, e)
	r := l.rowOf(s, e)
	if e.Kind == SignIn {
		l.signIns.Add(ctx, 1, metric.WithAttributes(attribute.String("who", string(r.who.Party)), attribute.String("outcome", string(e.Outcome))))
	}
	l.records.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", string(e.Kind)), attribute.String("outcome", string(e.Outcome))))
	l.mu.Lock()
	summed := l.shares[budget].take(r)
	waits := len(l.shares[budget].rows)
	l.mu.Unlock()
	if summed {
		l.drop(ctx, budget, "budget", 1)
	}
	if waits >= batch {
		select {
		case l.full <- struct{}{}:
		default:
		}
	}
}

func (l *Log) drop(ctx context.Context, b Budget, why string, n int64) {
	l.dropped.Add(ctx, n, metric.WithAttributes(attribute.String("budget", string(b)), attribute.String("reason", why)))
}

// budgetOf is decided by what was proved: whoever only says to be staff is not.
func budgetOf(proved Who, e Entry) Budget {
	who := proved
	if who.Party == "" {
		who = e.Who
	}
	known := proved.Party != "" || e.Outcome == OK
	switch who.Party {
	case CLI, Shop:
		return OfStaff
	case Staff:
		if known {
			return OfStaff
		}
		return OfStaffFail
	case Customer:
		if known {
			return OfCustomers
		}
	}
	return OfGuests
}

func (l *Log) rowOf(s scope, e Entry) row {
	who := e.Who
	if who.Party == "" {
		who = s.who
	}
	if who.Party == "" {
		who.Party = Guest
	}
	r := row{alike: alike{kind: e.Kind, outcome: e.Outcome, how: e.How, who: who, about: e.About}, at: l.now(), times: 1}
	if s.request.Route != nil {
		r.route = s.request.Route()
	}
	if s.request.Network != "" {
		r.network = string(l.hash("network", s.request.Network))
	}
	if email := strings.ToLower(strings.TrimSpace(e.Email)); email != "" {
		r.email = string(l.EmailHash(email))
	}
	if id, err := uuid.Parse(s.request.ID); err == nil {
		r.request = id
	}
	return r
}

func (l *Log) now() time.Time { return l.clock().UTC().Truncate(time.Microsecond) }

// hash is 16 bytes that only the shop can make of a text.
func (l *Log) hash(purpose, text string) []byte {
	h := hmac.New(sha256.New, l.secret)
	h.Write([]byte(purpose + "\x00" + text))
	return h.Sum(nil)[:16]
}

// EmailHash is what stands for an e-mail in its one spelling.
func (l *Log) EmailHash(email string) []byte { return l.hash("e-mail", email) }

// take puts a row where it belongs: among those that wait, or into the count of those that are alike. summed: the budget is exhausted, and
// the row is only counted with others of its kind.
func (s *share) take(r row) (summed bool) {
	if again, known := s.alike[r.alike]; known && r.at.Before(again.until) {
		again.count(r.at)
		return false
	}
	s.tokens = min(s.burst, s.tokens+max(0, r.at.Sub(s.at).Minutes())*s.aMinute)
	s.at = r.at
	if s.tokens < 1 || len(s.rows) >= waiting {
		key := alike{kind: r.kind, outcome: r.outcome, how: r.how, who: Who{Party: r.who.Party}}
		if s.summed[key] == nil {
			s.summed[key] = &repeat{until: r.at.Add(alikeFor)}
		}
		s.summed[key].count(r.at)
		return true
	}
	s.tokens--
	if again := s.alike[r.alike]; again != nil && again.more > 0 {
		s.rows = append(s.rows, again.row(r.alike))
	}
	s.rows = append(s.rows, r)
	if delete(s.alike, r.alike); len(s.alike) < mostAlike {
		s.alike[r.alike] = &repeat{until: r.at.Add(alikeFor)}
	}
	return false
}

func (p *repeat) count(at time.Time) {
	if p.more == 0 {
		p.first = at
	}
	p.more++
}

func (p *repeat) row(of alike) row { return row{alike: of, at: p.first, times: p.more} }

// due takes out what is to be written: rows, and counts whose minute is over; all: also those that go on.
func (s *share) due(now time.Time, all bool) []row {
	rows := s.rows
	s.rows = nil
	if !all && now.Sub(s.swept) < time.Second {
		return rows
	}
	s.swept = now
	for _, counts := range []map[alike]*repeat{s.alike, s.summed} {
		for key, p := range counts {
			if !all && now.Before(p.until) {
				continue
			}
			if p.more > 0 {
				rows = append(rows, p.row(key))
			}
			delete(counts, key)
		}
	}
	return rows
}

// Run writes what waits until ctx ends, and then the rest.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	var told time.Time
	for {
		select {
		case <-ctx.Done():
			if err := l.Flush(context.WithoutCancel(ctx)); err != nil {
				l.logger.ErrorContext(ctx, "the security log lost its last records", "error", err)
			}
			return
		case <-tick.C:
		case <-l.full:
		}
		if err := l.flush(ctx, false); err != nil && ctx.Err() == nil && time.Since(told) >= alikeFor {
			told = time.Now()
			l.logger.WarnContext(ctx, "the security log cannot be written", "error", err)
		}
	}
}

// Flush writes all that waits, counts included.
func (l *Log) Flush(ctx context.Context) error { return l.flush(ctx, true) }

func (l *Log) flush(ctx context.Context, all bool) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	for budget, s := range l.shares {
		l.mu.Lock()
		rows := s.due(l.now(), all)
		l.mu.Unlock()
		for len(rows) > 0 {
			n := min(batch, len(rows))
			if err := l.write(ctx, rows[:n]); err != nil {
				l.putBack(ctx, budget, s, rows)
				return err
			}
			rows = rows[n:]
		}
	}
	return nil
}

// putBack keeps rows that could not be written, the oldest, as far as there is room.
func (l *Log) putBack(ctx context.Context, budget Budget, s *share, rows []row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := append(rows, s.rows...)
	if lost := len(all) - waiting; lost > 0 {
		all = all[:waiting]
		l.drop(ctx, budget, "database", int64(lost))
	}
	s.rows = all
}

// write is one statement for a batch.
func (l *Log) write(ctx context.Context, rows []row) error {
	n := len(rows)
	at, kinds, outcomes, hows, parties := make([]time.Time, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	who, about, requests := make([]*uuid.UUID, n), make([]*uuid.UUID, n), make([]*uuid.UUID, n)
	roles, routes, networks, emails, times := make([]string, n), make([]string, n), make([][]byte, n), make([][]byte, n), make([]int64, n)
	for i, r := range rows {
		at[i], kinds[i], outcomes[i], hows[i], parties[i] = r.at, string(r.kind), string(r.outcome), r.how, string(r.who.Party)
		who[i], about[i], requests[i] = orNull(r.who.ID), orNull(r.about), orNull(r.request)
		roles[i], routes[i], networks[i], emails[i], times[i] = r.who.Role, r.route, bytesOrNull(r.network), bytesOrNull(r.email), r.times
	}
	_, err := l.pool.Exec(ctx, `INSERT INTO security.records (at, kind, outcome, how, party, who, role, about, route, network, email, request, times)
		SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::uuid[], $9::text[], $10::bytea[],
			$11::bytea[], $12::uuid[], $13::bigint[])`,
		at, kinds, outcomes, hows, parties, who, roles, about, routes, networks, emails, requests, times)
	if err != nil {
		return fmt.Errorf("write security log: %w", err)
	}
	return nil
}

func orNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

func bytesOrNull(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// Forget takes persons out of the rows: their ids, and the hashes of their e-mails and of the networks beside either. What waits in
// this process is written before; other processes write within flushEvery.
func (l *Log) Forget(ctx context.Context, persons []uuid.UUID, emails ...string) error {
	if err := l.Flush(ctx); err != nil {
		return err
	}
	hashes := make([][]byte, len(emails))
	for i, email := range emails {
		hashes[i] = l.EmailHash(strings.ToLower(strings.TrimSpace(email)))
	}
	if persons == nil {
		persons = []uuid.UUID{}
	}
	if _, err := l.pool.Exec(ctx, "SELECT security.forget($1, $2)", persons, hashes); err != nil {
		return fmt.Errorf("forget persons in the security log: %w", err)
	}
	return nil
}

// Sweep deletes what is older than some days, at least 30.
func (l *Log) Sweep(ctx context.Context, days int) (n int64, err error) {
	err = l.pool.QueryRow(ctx, "SELECT security.sweep($1)", l.now().AddDate(0, 0, -max(30, days))).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("sweep the security log: %w", err)
	}
	return n, nil
}
