package eventstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Process is one that takes part in the consumers' work, or did a moment ago.
type Process struct {
	// Holder names it: host, process number and a random part.
	Holder string
	Roles  []string
	// StartedAt and SeenAt are by the database's clock.
	StartedAt, SeenAt time.Time
}

// Processes are those that renewed their leases in time, the oldest first.
func (s *Store) Processes(ctx context.Context) ([]Process, error) {
	rows, err := s.pool.Query(ctx, `SELECT holder, roles, started_at, seen_at FROM eventstore.processes
		WHERE until > clock_timestamp() ORDER BY started_at, holder`)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	processes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Process])
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return processes, nil
}

// newHolder names this process; two feeds of one process have two names.
func newHolder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var random [4]byte
	rand.Read(random[:]) // never fails
	return fmt.Sprintf("%s:%d:%s", host, os.Getpid(), hex.EncodeToString(random[:]))
}

// alone is work that one process at a time does.
type alone struct {
	name string
	work func(ctx context.Context)
	// changed is nudged when held or yielding changes.
	changed chan struct{}

	mu sync.Mutex
	// held: the lease is this process's; yielding: another shall have it; working: the work runs.
	held, yielding, working bool
}

// Alone gives the feed, before Run, work that only one of the processes which were given it does at a time. Its context
// ends when the feed stops or the lease is lost; then it must return soon. Unlike a consumer's such work is not fenced: a
// process that was stopped or cut off may go on with it for a moment before it hears that another has begun.
func (f *Feed) Alone(name string, work func(ctx context.Context)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alone = append(f.alone, &alone{name: name, work: work, changed: make(chan struct{}, 1)})
}

// do runs the work while the lease is held, until ctx ends. Work that ends by itself is not begun again under the same lease.
func (f *Feed) do(ctx context.Context, a *alone) {
	var ended chan struct{} // of the work at hand
	stop := func() {}
	defer func() { stop() }()
	for {
		a.mu.Lock()
		mayWork := a.held && !a.yielding && ctx.Err() == nil
		begin := mayWork && ended == nil
		a.working = a.working || begin
		a.mu.Unlock()
		switch {
		case begin:
			working, cancel := context.WithCancel(ctx)
			end := make(chan struct{})
			go func() {
				defer close(end)
				a.work(working)
			}()
			ended, stop = end, cancel
		case !mayWork && ended != nil:
			stop()
			<-ended
			ended = nil
			a.mu.Lock()
			a.working = false
			a.mu.Unlock()
			nudge(f.leases) // it can be given up now
		}
		if ctx.Err() != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-a.changed:
		}
	}
}

func (a *alone) hold(held bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held != held {
		a.held, a.yielding = held, false
		nudge(a.changed)
	}
}

func (a *alone) isHeld() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.held
}

// yield asks the work to end, and says whether it has.
func (a *alone) yield() (ended bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.yielding = true
	nudge(a.changed)
	return !a.working
}

// share is what a process can hold: a consumer's range, or a lease of its own (with number alonely).
type share struct {
	Name   string
	Number int
	Holder string
	taken  bool // by this process, just now
}

const alonely = -1

// runner is a live process as the balance of shares sees it.
type runner struct {
	holder string
	// can are the names of what it is able to hold.
	can []string
}

// balance says which free shares a process should take and which of its own it should give up. All processes that see the
// same come to the same: shares are dealt like cards, name by name, to the live processes that can hold them, in the
// order of their start. So everybody has as many as others, give or take one, and while no process comes or goes nothing moves.
// A share is only taken when it is free; one that has too many gives up what others lack.
func balance(me string, live []runner, shares []share) (take, yield []share) {
	alive := map[string]bool{}
	for _, r := range live {
		alive[r.holder] = true
	}
	shares = slices.Clone(shares)
	slices.SortFunc(shares, func(a, b share) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number))
	})
	dealt := 0
	for start, end := 0, 0; start < len(shares); start = end {
		for end < len(shares) && shares[end].Name == shares[start].Name {
			end++
		}
		var able []string
		for _, r := range live {
			if slices.Contains(r.can, shares[start].Name) {
				able = append(able, r.holder)
			}
		}
		mine := 0
		for range shares[start:end] {
			if len(able) > 0 && able[dealt%len(able)] == me {
				mine++
			}
			dealt++
		}
		for _, s := range shares[start:end] {
			if s.Holder == me {
				if mine--; mine < 0 {
					yield = append(yield, s)
				}
			}
		}
		for _, s := range shares[start:end] {
			if mine > 0 && !alive[s.Holder] {
				mine--
				take = append(take, s)
			}
		}
	}
	return take, yield
}

const (
	// renew is one row for all that a process holds.
	renew = `INSERT INTO eventstore.processes AS p (holder, roles, consumers, started_at, seen_at, until)
		SELECT $1, $2, $3, t, t, t + $4::interval FROM clock_timestamp() t
		ON CONFLICT (holder) DO UPDATE SET seen_at = excluded.seen_at, until = excluded.until, consumers = excluded.consumers`
	readProcesses = `SELECT holder, consumers, extract(epoch FROM until - clock_timestamp())::float8 FROM eventstore.processes ORDER BY started_at, holder`
	// buryProcesses forgets those that ended without a word.
	buryProcesses = `DELETE FROM eventstore.processes WHERE until < clock_timestamp() - interval '1 minute'`
	readShares    = `SELECT consumer, range::int, coalesce(holder, '') FROM eventstore.checkpoints
		UNION ALL SELECT name, -1, coalesce(holder, '') FROM eventstore.leases`
	makeLeases = `INSERT INTO eventstore.leases (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`

	silent = `NOT EXISTS (SELECT FROM eventstore.processes p WHERE p.holder = k.holder AND p.until > clock_timestamp())`
	// takeRanges and takeLeases pass over rows that somebody is writing: the next look finds them, or free them.
	takeRanges = `UPDATE eventstore.checkpoints c SET holder = $1, term = c.term + 1
		FROM (SELECT k.consumer, k.range, k.holder FROM eventstore.checkpoints k
			JOIN unnest($2::text[], $3::int[]) AS u (consumer, range) ON u.consumer = k.consumer AND u.range = k.range
			WHERE ` + silent + ` ORDER BY k.consumer, k.range FOR UPDATE OF k SKIP LOCKED) free
		WHERE c.consumer = free.consumer AND c.range = free.range
		RETURNING c.consumer, c.range::int, coalesce(free.holder, '')`
	takeLeases = `UPDATE eventstore.leases c SET holder = $1, term = c.term + 1
		FROM (SELECT k.name, k.holder FROM eventstore.leases k
			WHERE k.name = ANY ($2) AND ` + silent + ` ORDER BY k.name FOR UPDATE OF k SKIP LOCKED) free
		WHERE c.name = free.name RETURNING c.name, -1, coalesce(free.holder, '')`
	// breakLocks ends the transactions that keep the ranges of silent holders locked: those of a process that was stopped
	// in the middle, whose connections nothing else would end. Only such that wait for their client are meant.
	breakLocks = `SELECT count(pg_terminate_backend(a.pid)) FROM eventstore.checkpoints k JOIN pg_stat_activity a ON a.backend_xid = k.xmax
		JOIN unnest($1::text[], $2::int[]) AS u (consumer, range) ON u.consumer = k.consumer AND u.range = k.range
		WHERE k.holder IS NOT NULL AND ` + silent + ` AND a.wait_event = 'ClientRead' AND a.state_change < clock_timestamp() - $3::interval / 2`

	freeLease = `WITH freed AS (UPDATE eventstore.leases SET holder = NULL WHERE name = $1 AND holder = $2 RETURNING 1)
		SELECT pg_notify($3, '') FROM freed`
	leave = `WITH gone AS (DELETE FROM eventstore.processes WHERE holder = $1),
		ranges AS (UPDATE eventstore.checkpoints c SET holder = NULL
			FROM (SELECT consumer, range FROM eventstore.checkpoints WHERE holder = $1 FOR UPDATE SKIP LOCKED) mine
			WHERE c.consumer = mine.consumer AND c.range = mine.range RETURNING 1),
		leases AS (UPDATE eventstore.leases SET holder = NULL WHERE holder = $1 RETURNING 1),
		freed AS (SELECT count(*) AS n FROM (SELECT FROM ranges UNION ALL SELECT FROM leases) f)
		SELECT n, CASE WHEN n > 0 THEN pg_notify($2, '')::text END FROM freed`
)

// lead keeps this process's leases and its share of the work, and tells other processes of moved checkpoints. It has a
// connection of its own: leases must not wait behind a busy pool.
func (f *Feed) lead(ctx context.Context) {
	var conn *pgx.Conn
	defer func() {
		if conn != nil {
			closeConn(conn)
		}
	}()
	every := f.opts.Lease * 4 / 15
	timer := time.NewTimer(0)
	defer timer.Stop()
	renewed := time.Now()
	for {
		look := true
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-f.leases:
		case <-f.news.there:
			look = false
		}
		var err error
		next := every
		// A connection that hangs must not cost the leases.
		turn, cancel := context.WithTimeout(ctx, max(f.opts.Lease/2, 500*time.Millisecond))
		if conn == nil {
			look = true
			conn, err = connectAside(turn, f.store.pool.Config().ConnConfig, "SET synchronous_commit = off")
		}
		if err == nil && look {
			if next, err = f.look(turn, conn); err == nil {
				renewed = time.Now()
			}
		}
		if err == nil {
			err = f.tellNews(turn, conn)
		}
		cancel()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.log.Warn("leases cannot be renewed", "error", err)
			if conn != nil {
				closeConn(conn)
				conn = nil
			}
			if time.Since(renewed) > f.opts.Lease {
				for _, a := range f.alone { // others may think that it is theirs by now
					a.hold(false)
				}
			}
			look, next = true, min(every, 100*time.Millisecond)
		}
		if look {
			timer.Reset(next)
		}
		// What happens during this pause is told together.
		if !pause(ctx, tellEvery) {
			return
		}
	}
}

// tellEvery is the least pause between two notifications of moved checkpoints.
const tellEvery = 5 * time.Millisecond

// look renews the leases, takes free ones and lets go of what others lack. It says when to look again: sooner than usual
// when another process is about to fall silent.
func (f *Feed) look(ctx context.Context, conn *pgx.Conn) (again time.Duration, err error) {
	again = f.opts.Lease * 4 / 15
	can := make([]string, 0, len(f.alone))
	parts := map[string]*consumer{}
	for _, c := range f.all() {
		if c.follows {
			continue
		}
		parts[c.Name] = c
		if !c.foreign.Load() {
			can = append(can, c.Name)
		}
	}
	works := map[string]*alone{}
	names := make([]string, 0, len(f.alone))
	for _, a := range f.alone {
		can, names = append(can, a.name), append(names, a.name)
		works[a.name] = a
	}
	slices.Sort(can)

	var live []runner
	var shares []share
	others, dead := 0, false
	batch := &pgx.Batch{}
	if len(names) > 0 {
		batch.Queue(makeLeases, names)
	}
	batch.Queue(renew, f.holder, orNone(f.opts.Roles), can, f.opts.Lease)
	if !f.introduced {
		batch.Queue("SELECT pg_notify($1, '')", channelLeases) // others shall look, and share
	}
	batch.Queue(readProcesses).Query(func(rows pgx.Rows) error {
		var r runner
		var left float64
		_, err := pgx.ForEachRow(rows, []any{&r.holder, &r.can, &left}, func() error {
			if left <= 0 {
				dead = dead || left < -60
				return nil
			}
			live = append(live, runner{r.holder, slices.Clone(r.can)})
			if r.holder != f.holder {
				others++
				again = min(again, time.Duration(left*float64(time.Second))+time.Millisecond)
			}
			return nil
		})
		return err
	})
	batch.Queue(readShares).Query(func(rows pgx.Rows) (err error) {
		shares, err = pgx.CollectRows(rows, pgx.RowToStructByPos[share])
		return err
	})
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return 0, fmt.Errorf("renew leases: %w", err)
	}
	f.introduced = true
	f.others.Store(others > 0)
	take, yield := balance(f.holder, live, shares)
	given := map[string]bool{}
	for _, s := range yield {
		if a := works[s.Name]; s.Number == alonely && a != nil {
			if a.yield() {
				if _, err := conn.Exec(ctx, freeLease, s.Name, f.holder, channelLeases); err != nil {
					return 0, fmt.Errorf("hand over %s: %w", s.Name, err)
				}
				a.hold(false)
				f.count(ctx, 1, "handed-over")
				given[s.Name] = true
			}
		} else if c := parts[s.Name]; c != nil {
			p := c.parts[s.Number]
			p.yielding.Store(true)
			nudge(p.changed)
		}
	}
	taken, err := f.take(ctx, conn, take)
	if err != nil {
		return 0, err
	}
	if taken < len(take) {
		again = min(again, 50*time.Millisecond)
	}
	if dead {
		if _, err := conn.Exec(ctx, buryProcesses); err != nil {
			return 0, fmt.Errorf("forget processes: %w", err)
		}
	}
	for _, s := range shares {
		mine := s.Holder == f.holder || slices.ContainsFunc(take, func(t share) bool { return t.taken && t.Name == s.Name && t.Number == s.Number })
		if a := works[s.Name]; s.Number == alonely && a != nil {
			a.hold(mine && !given[s.Name])
		} else if c := parts[s.Name]; c != nil && c.parts[s.Number].holding.Load() != mine {
			nudge(f.control) // the steward finds out what is ours, and what is not any more
		}
	}
	return again, nil
}

// take makes free shares this process's own, marks those that it got, and counts them.
func (f *Feed) take(ctx context.Context, conn *pgx.Conn, shares []share) (taken int, err error) {
	if len(shares) == 0 {
		return 0, nil
	}
	var names, leases []string
	var numbers []int32
	for _, s := range shares {
		if s.Number == alonely {
			leases = append(leases, s.Name)
		} else {
			names, numbers = append(names, s.Name), append(numbers, int32(s.Number))
		}
	}
	expired, silent := 0, map[string]int{}
	note := func(rows pgx.Rows) error {
		var got share
		_, err := pgx.ForEachRow(rows, []any{&got.Name, &got.Number, &got.Holder}, func() error {
			for i := range shares {
				if shares[i].Name == got.Name && shares[i].Number == got.Number {
					shares[i].taken = true
				}
			}
			taken++
			if got.Holder != "" && got.Holder != f.holder {
				expired++
				silent[got.Holder]++
			}
			return nil
		})
		return err
	}
	batch := &pgx.Batch{}
	if len(names) > 0 {
		batch.Queue(takeRanges, f.holder, names, numbers).Query(note)
	}
	if len(leases) > 0 {
		batch.Queue(takeLeases, f.holder, leases).Query(note)
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return 0, fmt.Errorf("take leases: %w", err)
	}
	for holder, n := range silent {
		f.log.Info("leases were taken from a process that fell silent", "leases", n, "process", holder)
	}
	f.count(ctx, taken-expired, "claimed")
	f.count(ctx, expired, "expired")
	if taken == len(shares) {
		return taken, nil
	}
	var broken int
	if err := conn.QueryRow(ctx, breakLocks, names, numbers, f.opts.Lease).Scan(&broken); err != nil {
		if state(err) == "42501" { // the other process connects as somebody else; its locks end with its connections
			return taken, nil
		}
		return taken, fmt.Errorf("break locks: %w", err)
	}
	if broken > 0 {
		f.log.Warn("transactions of a process that fell silent were ended", "transactions", broken)
	}
	return taken, nil
}

// count counts changes of leases.
func (f *Feed) count(ctx context.Context, n int, reason string) {
	if n > 0 {
		f.store.tel.leaseChanges.Add(ctx, int64(n), metric.WithAttributes(attribute.String("reason", reason)))
	}
}

// held is how many leases this process has.
func (f *Feed) held() (n int64) {
	for _, c := range f.all() {
		for _, p := range c.parts {
			if p.holding.Load() {
				n++
			}
		}
	}
	for _, a := range f.alone {
		if a.isHeld() {
			n++
		}
	}
	return n
}

// leaveShares frees everything at once for other processes, at the end.
func (f *Feed) leaveShares(ctx context.Context) {
	var freed int
	if err := f.store.pool.QueryRow(ctx, leave, f.holder, channelLeases).Scan(&freed, nil); err != nil {
		f.log.Warn("leases cannot be given up; they run out", "error", err)
		return
	}
	f.count(ctx, freed, "handed-over")
}

// release gives the range up for another process, with everything done so far.
func (p *partition) release(ctx context.Context) error {
	const free = `WITH freed AS (UPDATE eventstore.checkpoints SET holder = NULL, position = $1, updated_at = now()
			WHERE consumer = $2 AND range = $3 AND position = $4 AND term = $5 AND holder = $6 RETURNING 1)
		SELECT count(*), (SELECT pg_notify($7, '') FROM freed)::text FROM freed`
	p.mu.Lock()
	defer p.mu.Unlock()
	p.yielding.Store(false)
	if !p.loaded || !p.held {
		return nil
	}
	at := p.at.Load()
	var freed int
	err := p.feed.store.pool.QueryRow(ctx, free, at, p.consumer.Name, p.number, int64(p.saved), p.term, p.feed.holder, channelLeases).Scan(&freed, nil)
	if err != nil || freed == 0 {
		p.unload()
		if err != nil {
			return fmt.Errorf("hand over range %d of %s: %w", p.number, p.consumer.Name, err)
		}
		return nil
	}
	p.feed.count(ctx, 1, "handed-over")
	p.saved, p.held = Position(at), false
	p.holding.Store(false)
	p.reached = Position(at)
	p.epoch++
	p.writes++
	return nil
}

// follow keeps up with a range that another process holds: at moves over events that nobody wants by itself, and over
// wanted ones when the holder has handled them. What it waits for rings one of the channels.
func (p *partition) follow() (changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, reached := Position(p.at.Load()), p.reached
	events, upTo, behind, changed := p.feed.ring.after(p.number, at)
	if !p.loaded || p.held {
		return changed
	}
	if behind {
		if reached > at {
			p.consumer.committed(nil) // the ring no longer tells what it was
			p.at.Store(int64(reached))
			p.consumer.moved.ring()
			nudge(p.changed) // the ring may know the rest
		}
		return changed
	}
	var told []Event
	for i := range events {
		e := &events[i]
		if !p.consumer.wants(e.Type) {
			continue
		}
		if e.Position > reached {
			upTo = e.Position - 1
			break
		}
		told = append(told, e.Event)
	}
	if reached > upTo {
		nudge(p.feed.wake) // the holder has seen more than this process
	}
	if upTo <= at {
		return changed
	}
	if len(told) > 0 {
		p.consumer.committed(told)
	}
	p.at.Store(int64(upTo))
	p.consumer.moved.ring()
	return changed
}

// news are checkpoints that this process moved and has not told others of.
type news struct {
	there chan struct{}
	mu    sync.Mutex
	moved map[*partition]progress
}

// progress is where a range's checkpoint stands under a term.
type progress struct {
	Consumer string   `json:"c"`
	Range    int      `json:"r"`
	Term     int64    `json:"t"`
	Position Position `json:"p"`
}

// tell notes that a checkpoint moved, if there is anybody to tell.
func (f *Feed) tell(p *partition, to Position) {
	if !f.others.Load() {
		return
	}
	f.news.mu.Lock()
	f.news.moved[p] = progress{p.consumer.Name, p.number, p.term, to}
	f.news.mu.Unlock()
	nudge(f.news.there)
}

// tellNews sends what moved: other processes need not ask the database.
func (f *Feed) tellNews(ctx context.Context, conn *pgx.Conn) error {
	f.news.mu.Lock()
	moved := f.news.moved
	f.news.moved = map[*partition]progress{}
	f.news.mu.Unlock()
	if len(moved) == 0 {
		return nil
	}
	const most = 7900 // bytes of a notification, less than the server takes
	batch := &pgx.Batch{}
	var payload strings.Builder
	send := func() {
		batch.Queue("SELECT pg_notify($1, $2)", channelMoved, f.holder+"\n"+payload.String())
		payload.Reset()
	}
	for _, m := range moved {
		line, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("tell of checkpoints: %w", err)
		}
		if payload.Len()+len(line)+64 > most {
			send()
		}
		payload.Write(line)
	}
	send()
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("tell of checkpoints: %w", err)
	}
	return nil
}

// hearNews takes in what another process told.
func (f *Feed) hearNews(payload string) {
	from, moved, _ := strings.Cut(payload, "\n")
	if from == f.holder {
		return
	}
	for decoder := json.NewDecoder(strings.NewReader(moved)); ; {
		var m progress
		if err := decoder.Decode(&m); err != nil {
			return
		}
		f.mu.Lock()
		c := f.consumers[m.Consumer]
		f.mu.Unlock()
		if c == nil || m.Range < 0 || m.Range >= Ranges {
			continue
		}
		c.parts[m.Range].hear(m)
	}
}

// hear takes in where the holder stands.
func (p *partition) hear(m progress) {
	if p.holding.Load() {
		nudge(p.feed.control) // who is right, the database knows
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.loaded || p.held || p.term != m.Term:
		nudge(p.feed.control)
	case m.Position > p.reached:
		p.reached = m.Position
		nudge(p.changed)
	}
}
