package eventstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore/turn"
	"shop/eventstore/wake"
)

// Lock is what AppendLocked locks and reads before anything is decided.
type Lock struct {
	// Streams are locked by name; their events after a version are read.
	Streams []From
	// Claims are of the quotas that the appends may claim of; those that are exact are locked.
	Claims []Claim
	// Turns are streams that other processes want as well: their turn is waited for first, TurnWait at most for each. Then, unless it
	// is nil, says once what to lock in place of Streams and Claims, when the turn has come or was waited for in vain.
	Turns    []string
	TurnWait time.Duration
	Then     func() Lock
}

// Locked is what a decision under the lock goes by, until it returns.
type Locked struct {
	// Events are those of the locked streams after the versions given. Nobody adds any meanwhile.
	Events map[string][]Event
	// Load is Store.Load on the connection that has the locks, for other streams.
	Load func(ctx context.Context, from ...From) (map[string][]Event, error)
}

// AppendLocked locks streams, lets decide say what to append over what is there, and writes that: nobody can be faster, which
// is how a command ends that was refused by others again and again. What is decided is written as by AppendEach, in one
// transaction; an append to a stream that is not locked, or with a claim of a quota that is not, is refused with
// *VersionConflict whose Actual may equal Expected. The streams are held while decide runs, two seconds at most: it
// must not wait for anything. It may run several times, when the server ended its transaction; the last run is the one that counts.
// An error is about all of them, and nothing of theirs was written, unless ctx or Options.Within was over meanwhile.
func (s *Store) AppendLocked(ctx context.Context, lock Lock, decide func(ctx context.Context, at Locked) []Append) (results []Result, err error) {
	if !s.enter() {
		return nil, ErrClosed
	}
	defer s.inFlight.Done()
	ctx, end := s.observed(ctx)
	defer func() { end(results) }()
	ctx, cancel := context.WithTimeout(ctx, s.opts.Within)
	defer cancel()
	select {
	case s.alone <- struct{}{}:
		defer func() { <-s.alone }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	u := &underLock{store: s, lock: lock, decide: decide}
	if len(lock.Turns) == 0 {
		u.ask() // while it has no connection: whoever is asked may want one
	}
	pause := alonePause
	for attempt := 1; ; {
		err := s.on(ctx, func(conn *pgx.Conn) error { return u.transact(ctx, conn) })
		if err == nil {
			s.committed(u.answers)
			return u.results, nil
		}
		if state(err) != stateLockTimeout {
			attempt++
		}
		if !(isLost(err) || isRetryable(err)) || attempt > aloneAttempts || ctx.Err() != nil {
			if ended := ctx.Err(); ended != nil {
				return nil, fmt.Errorf("append under the lock: %w: %w", ended, err)
			}
			return nil, fmt.Errorf("append under the lock: %w", err)
		}
		if !wake.Pause(ctx, pause) {
			return nil, ctx.Err()
		}
		pause = min(2*pause, longestPause)
	}
}

// underLock is a call of AppendLocked.
type underLock struct {
	store  *Store
	lock   Lock
	decide func(ctx context.Context, at Locked) []Append

	// group and of are what the last attempt decided, answers and results what became of it. sent: its commit was sent, and
	// may have come through without an answer.
	group   []*pending
	of      []int
	results []Result
	answers []answer
	sent    bool
}

// takeTurn waits for the turn and asks what to lock.
func (u *underLock) takeTurn(ctx context.Context, conn *pgx.Conn) error {
	if len(u.lock.Turns) == 0 {
		return nil
	}
	err := turn.Take(ctx, conn, u.lock.Turns, u.lock.TurnWait, heldIdle)
	if state(err) == stateLockTimeout {
		u.lock.Turns = nil
		_, err = conn.Exec(ctx, "ROLLBACK")
	}
	if err == nil {
		u.ask()
	}
	return err
}

// ask asks once what to lock.
func (u *underLock) ask() {
	if then := u.lock.Then; then != nil {
		now := then()
		u.lock.Streams, u.lock.Claims, u.lock.Then = now.Streams, now.Claims, nil
	}
}

func (u *underLock) transact(ctx context.Context, conn *pgx.Conn) error {
	if err := u.takeTurn(ctx, conn); err != nil {
		return err
	}
	var found []stored
	at, err := lockAndLook(ctx, conn, []*pending{u.wants()}, aloneLockWait, func(look *pgx.Batch, streams []string) {
		_, after := fromColumns(u.lock.Streams)
		look.Queue(selectStreams, streams, after).Query(func(rows pgx.Rows) (err error) {
			found, err = storedOf(rows)
			return err
		})
	})
	if err != nil {
		return err
	}
	// The locks are ours, so an earlier attempt whose answer was lost has ended, one way or the other.
	if was, err := u.written(ctx, conn); err != nil || was {
		if err == nil {
			_, err = conn.Exec(ctx, "ROLLBACK")
		}
		return err
	}
	events, err := u.store.decode(ctx, found)
	if err != nil {
		return err
	}
	known, err := legible(events)
	if err != nil {
		return err
	}
	appends := u.decide(ctx, Locked{Events: byStream(known), Load: func(ctx context.Context, from ...From) (map[string][]Event, error) {
		return u.store.loadBy(ctx, conn, from)
	}})
	u.results = make([]Result, len(appends))
	u.group, u.of = u.store.chain(ctx, appends, u.results)
	u.leaveOut(at)
	if err := u.store.keys.settle(ctx, u.group); err != nil {
		return err
	}
	return u.write(ctx, conn, at)
}

// wants is what is locked, as an append that writes nothing. The streams are in the order of locking.
func (u *underLock) wants() *pending {
	slices.SortFunc(u.lock.Streams, func(a, b From) int { return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.After, b.After)) })
	u.lock.Streams = slices.CompactFunc(u.lock.Streams, func(a, b From) bool { return a.Stream == b.Stream })
	p := &pending{claims: u.lock.Claims}
	for _, f := range u.lock.Streams {
		p.writes = append(p.writes, pendingWrite{stream: f.Stream, slice: SliceOf(f.Stream), expected: AnyVersion})
	}
	return p
}

// written says whether the last attempt was written although its answer was lost, and then fills the answers in.
func (u *underLock) written(ctx context.Context, conn *pgx.Conn) (bool, error) {
	if !u.sent {
		return false, nil
	}
	u.sent = false
	known := false
	for k, p := range u.group {
		if u.answers[k].err != nil || p.events == 0 {
			continue
		}
		stored, err := storedBy(ctx, conn, p)
		if err != nil {
			u.sent = true
			return false, err
		}
		if stored == nil {
			return false, nil // all of them or none
		}
		u.answers[k].appended, known = *stored, true
	}
	if known {
		u.answer()
	}
	return known, nil
}

// leaveOut refuses what wants more than is locked, and what was decided over that.
func (u *underLock) leaveOut(at locked) {
	void := streamSet{}
	var group []*pending
	var of []int
	for k, p := range u.group {
		stream, version := void.under(p)
		for _, w := range p.writes {
			if _, ok := slices.BinarySearch(at.streams, w.stream); !ok && stream == "" {
				stream, version = w.stream, w.expected
			}
		}
		for _, c := range p.claims {
			if _, ok := at.held[string(c.Quota)]; !ok && stream == "" {
				stream, version = "the quota of a claim", AnyVersion
			}
		}
		if stream == "" {
			group, of = append(group, p), append(of, u.of[k])
			continue
		}
		void.add(p)
		u.results[u.of[k]].Err = &VersionConflict{Stream: stream, Expected: version, Actual: version}
	}
	u.group, u.of = group, of
}

// write judges what was decided by keys and quotas, and commits the rest.
func (u *underLock) write(ctx context.Context, conn *pgx.Conn, at locked) error {
	if keys := askedOf(u.group); len(keys.keys) > 0 {
		look := &pgx.Batch{}
		at.take(look, keys)
		if err := conn.SendBatch(ctx, look).Close(); err != nil {
			return err
		}
	}
	u.store.tel.groupSize.Record(ctx, int64(len(u.group)))
	j := judge(u.group, at.versions, func(k *Key) bool { return !at.taken[[2]string{k.Scope, k.Key}] }, at.held)
	u.answers = j.refusals(len(u.group))
	if len(j.accepted) == 0 {
		_, err := conn.Exec(ctx, "ROLLBACK")
		u.answer()
		return err
	}
	u.sent = true
	positions, err := j.write(ctx, conn, at)
	if err != nil {
		return err
	}
	u.answers = j.verdict(len(u.group), positions)
	u.answer()
	return nil
}

func (u *underLock) answer() {
	for k, a := range u.answers {
		u.results[u.of[k]] = Result{a.appended, a.err}
	}
}
