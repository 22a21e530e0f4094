package eventstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"shop/eventstore/call"
)

const (
	// maxGroupStreams bounds the streams of one call of eventstore.append; a group of 64 orders has some 450.
	maxGroupStreams = 1024
	// chunk is how many events one INSERT carries.
	chunk = 5000
)

// errContended: a stream or key was not as assumed, and nothing was written.
var errContended = errors.New("a stream or key is not as assumed")

const eventIDConstraint = "event_id_is_unique"

const callAppend = `SELECT outcome, versions, positions FROM eventstore.append(
	$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`

const callAppendEvent = `SELECT eventstore.append_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

// appendEvent writes a single event, or says why not.
func (s *Store) appendEvent(ctx context.Context, w *pendingWrite) (answer, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return answer{}, err
	}
	defer conn.Release()
	e := &w.rows[0]
	p := call.New().Int4(int32(s.opts.LockWait.Milliseconds())).Text(w.stream).Int2(w.slice).Int8(int64(w.expected)).Int4(int32(GroupOf(w.slice))).
		UUID(e.id).Text(e.typ).Int2(e.schema).JSON(e.data).JSON(e.metadata).Time(e.at)
	defer p.Free()
	var got []int64 // the version and, once written, the position
	err = s.calls.Row(ctx, conn.Conn(), callAppendEvent, p, &got)
	switch {
	case err != nil:
		return answer{}, markLost(conn.Conn(), err)
	case len(got) == 1:
		return answer{err: &VersionConflict{Stream: w.stream, Expected: w.expected, Actual: Version(got[0])}}, nil
	default:
		return answer{appended: Appended{Position: Position(got[1]), Versions: map[string]Version{w.stream: Version(got[0])}}}, nil
	}
}

// tryFast writes a group in one round trip, taking the streams to be where the members expect them. errContended says
// that they are not, or that a key was used, and that nothing was written.
func (s *Store) tryFast(ctx context.Context, group []*pending) ([]answer, error) {
	claims := claimsOf(group...)
	if p := group[0]; len(group) == 1 && len(p.keys) == 0 && len(p.fresh) == 0 && len(p.writes) == 1 && p.events == 1 && !claims.any() {
		a, err := s.appendEvent(ctx, &p.writes[0])
		return []answer{a}, err
	}
	j := judge(group, nil, func(*Key) bool { return false }, nil)
	if len(j.refused) > 0 && (claims.any() || group[0].chained) {
		return nil, errContended // only the other path leaves out what the refused claim, and knows their true versions
	}
	if len(j.streams) > maxGroupStreams {
		return nil, errContended // rightly judged by the other path
	}
	n := len(j.streams)
	names, numbers, expected, added := make([]string, n), make([]int16, n), make([]int64, n), make([]int64, n)
	for i, t := range j.streams {
		if t.added == 0 && t.required && t.base == 0 {
			return nil, errContended // a stream that must not be there: only the other path leaves no row of it
		}
		names[i], numbers[i], expected[i], added[i] = t.stream, t.slice, int64(AnyVersion), int64(t.added)
		if t.required {
			expected[i] = int64(t.base)
		}
	}
	fresh := freshOf(j.accepted)
	sql, p := callOf(claims, fresh)
	defer p.Free()
	p.Int4(int32(s.opts.LockWait.Milliseconds())).Texts(names).Int2s(numbers).Int8s(expected).Int8s(added).Int4s(j.groups())
	keysOf(j.accepted).addTo(p)
	rowsOf(j).addTo(p)
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	var outcome string
	var versions, positions []int64
	erasures := s.keys.erasures.Count()
	if err := s.calls.Row(ctx, conn.Conn(), sql, p, &outcome, &versions, &positions); err != nil {
		return nil, markLost(conn.Conn(), contended(err))
	}
	switch {
	case outcome == "done":
	case outcome == "conflict" && len(group) == 1 && len(group[0].keys) == 0:
		conflict := &VersionConflict{Stream: names[0], Expected: Version(expected[0])}
		if len(versions) == 1 {
			conflict.Actual = Version(versions[0])
		}
		return []answer{{err: conflict}}, nil
	default:
		return nil, errContended
	}

	s.keys.remember(fresh, erasures)
	// What was assumed is now known; the same judgement again gives the refused ones their true versions.
	bases := make(map[string]Version, n)
	for i, t := range j.streams {
		t.base = Version(versions[i] - added[i])
		bases[t.stream] = t.base
	}
	if len(j.refused) > 0 {
		j = judge(group, bases, func(*Key) bool { return false }, nil)
	}
	return j.verdict(len(group), positions), nil
}

// callOf is the function that appends with those claims and keys, and its first parameters.
func callOf(claims claimColumns, fresh []*freshKey) (sql string, p *call.Parameters) {
	p = call.New()
	switch {
	case len(fresh) > 0:
		persons, wrapped := columnsOf(fresh)
		claims.addTo(p.UUIDs(persons).Bytes(wrapped))
		return callAppendKeyed, p
	case claims.any():
		claims.addTo(p)
		return callAppendClaiming, p
	}
	return callAppend, p
}

func contended(err error) error {
	if state(err) == stateContended {
		return errContended
	}
	return err
}

const (
	// lockStreams locks the rows in the order given, making those that are missing. An update that is never true
	// locks without writing, and keeps one phase: locking and inserting apart would deadlock with eventstore.append.
	lockStreams = `INSERT INTO eventstore.streams AS s (name, slice, version)
		SELECT u.name, u.slice, 0 FROM unnest($1::text[], $2::smallint[]) WITH ORDINALITY AS u (name, slice, i) ORDER BY u.i
		ON CONFLICT (name) DO UPDATE SET version = s.version WHERE false`
	readVersions = `SELECT name, version FROM eventstore.streams WHERE name = ANY ($1)`
	takeKeys     = `INSERT INTO eventstore.idempotency_keys (scope, key, request, response)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) AS u (scope, key, request, response) ORDER BY u.scope, u.key
		ON CONFLICT DO NOTHING RETURNING scope, key`
	dropKeys = `DELETE FROM eventstore.idempotency_keys k USING unnest($1::text[], $2::text[]) AS u (scope, key)
		WHERE k.scope = u.scope AND k.key = u.key`
	moveStreams = `UPDATE eventstore.streams s SET version = s.version + u.added
		FROM unnest($1::text[], $2::bigint[]) AS u (name, added) WHERE s.name = u.name`
	// dropEmptyStreams takes back the rows lockStreams made for streams that got no event.
	dropEmptyStreams = `DELETE FROM eventstore.streams WHERE name = ANY ($1) AND version = 0`
	insertEvents     = `WITH put AS (
			INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
			SELECT nextval('eventstore.position'), u.slice, u.schema, u.version, u.id, u.at, u.stream, u.type, u.data, u.meta
			FROM unnest($1::text[], $2::smallint[], $3::bigint[], $4::uuid[], $5::text[], $6::smallint[], $7::json[], $8::json[], $9::timestamptz[])
			     WITH ORDINALITY AS u (stream, slice, version, id, type, schema, data, meta, at, i)
			ORDER BY u.i
			RETURNING position)
		SELECT array_agg(position) FROM put`
)

// What a transaction of two round trips may take. Between the two it holds streams that others want, and the process may be
// stopped or cut off there; the server then ends the transaction, and nothing of it was written.
const (
	// aloneLockWait bounds the wait for each lock of an append that goes alone.
	aloneLockWait = 500 * time.Millisecond
	// heldIdle is how long the server waits for the second round trip, heldAtMost for the whole transaction, to which each
	// event adds. The latter needs PostgreSQL 17; it ends a transaction whose batch arrived in part.
	heldIdle   = 1500 * time.Millisecond
	heldAtMost = 2 * time.Second
	perEvent   = time.Millisecond
)

// boundTransaction sets the bounds of a transaction in milliseconds, until its end.
const boundTransaction = `SELECT set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true),
	CASE WHEN current_setting('server_version_num')::int >= 170000 THEN set_config('transaction_timeout', $3, true) END`

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// on runs what may leave a transaction open when it fails, on a connection.
func (s *Store) on(ctx context.Context, do func(conn *pgx.Conn) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // closes the connection if a transaction is still open
	err = do(conn.Conn())
	if err != nil && conn.Conn().PgConn().TxStatus() != 'I' && ctx.Err() == nil {
		_, _ = conn.Exec(ctx, "ROLLBACK") // the first error says more
	}
	return markLost(conn.Conn(), err)
}

// commitJudged locks all streams of a group, judges its members by the present versions, and writes the accepted ones: two
// round trips. lockWait bounds the wait for each lock.
func (s *Store) commitJudged(ctx context.Context, group []*pending, lockWait time.Duration) (answers []answer, err error) {
	err = s.on(ctx, func(conn *pgx.Conn) (err error) {
		answers, err = judged(ctx, conn, group, lockWait)
		return err
	})
	return answers, err
}

func judged(ctx context.Context, conn *pgx.Conn, group []*pending, lockWait time.Duration) ([]answer, error) {
	at, err := lockAndLook(ctx, conn, group, lockWait, func(*pgx.Batch, []string) {})
	if err != nil {
		return nil, err
	}
	j := judge(group, at.versions, func(k *Key) bool { return !at.taken[[2]string{k.Scope, k.Key}] }, at.held)
	if len(j.accepted) == 0 {
		_, err := conn.Exec(ctx, "ROLLBACK")
		return j.verdict(len(group), nil), err
	}
	positions, err := j.write(ctx, conn, at)
	if err != nil {
		return nil, err
	}
	return j.verdict(len(group), positions), nil
}

// locked is what a group is judged over: its streams, locked, by name, their versions, and those of its keys that nobody
// had used.
type locked struct {
	streams  []string
	versions map[string]Version
	taken    map[[2]string]bool
	// held is what others have of the quotas that the group claims of.
	held map[string]holding
}

// lockAndLook begins a transaction, locks the group's streams and takes its keys. also may ask more, once the streams, which
// it is given by name, are locked.
func lockAndLook(ctx context.Context, conn *pgx.Conn, group []*pending, lockWait time.Duration, also func(look *pgx.Batch, streams []string)) (locked, error) {
	slicesOf := map[string]int16{}
	keys, events := askedOf(group), 0
	for _, p := range group {
		events += p.events
		for _, w := range p.writes {
			slicesOf[w.stream] = w.slice
		}
	}
	at := locked{streams: slices.Sorted(maps.Keys(slicesOf)), versions: make(map[string]Version, len(slicesOf)), taken: map[[2]string]bool{}, held: map[string]holding{}}
	numbers := make([]int16, len(at.streams))
	for i, name := range at.streams {
		numbers[i] = slicesOf[name]
	}

	look := &pgx.Batch{}
	if conn.PgConn().TxStatus() == 'I' { // else its turn began it
		look.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	}
	look.Queue(boundTransaction, milliseconds(lockWait), milliseconds(heldIdle), milliseconds(heldAtMost+time.Duration(events)*perEvent))
	claimsOf(group...).count(look, at.held) // before the streams, as eventstore.append_claiming does
	if len(at.streams) > 0 {
		look.Queue(lockStreams, at.streams, numbers)
		look.Queue(readVersions, at.streams).Query(func(rows pgx.Rows) error {
			var name string
			var version int64
			_, err := pgx.ForEachRow(rows, []any{&name, &version}, func() error {
				at.versions[name] = Version(version)
				return nil
			})
			return err
		})
	}
	also(look, at.streams)
	at.take(look, keys)
	err := conn.SendBatch(ctx, look).Close()
	return at, err
}

// take takes those of some keys that nobody has used.
func (at *locked) take(look *pgx.Batch, keys keyColumns) {
	if len(keys.keys) == 0 {
		return
	}
	look.Queue(takeKeys, keys.scopes, keys.keys, keys.requests, keys.responses).Query(func(rows pgx.Rows) error {
		var scope, key string
		_, err := pgx.ForEachRow(rows, []any{&scope, &key}, func() error {
			at.taken[[2]string{scope, key}] = true
			return nil
		})
		return err
	})
}

// write writes the accepted members, releases locks and claims of the others, and commits.
func (j judgement) write(ctx context.Context, conn *pgx.Conn, at locked) (positions []int64, err error) {
	var (
		moved []string
		added []int64
		empty []string
		kept  = map[[2]string]bool{}
		loose keyColumns
	)
	for _, t := range j.streams {
		moved, added = append(moved, t.stream), append(added, int64(t.added))
		at.versions[t.stream] += t.added
	}
	for _, name := range at.streams {
		if at.versions[name] == 0 {
			empty = append(empty, name)
		}
	}
	for _, a := range j.accepted {
		for _, k := range a.keys {
			kept[[2]string{k.Scope, k.Key}] = true
		}
	}
	for key := range at.taken {
		if !kept[key] {
			loose.add(&Key{Scope: key[0], Key: key[1]})
		}
	}

	write := &pgx.Batch{}
	if len(loose.keys) > 0 {
		write.Queue(dropKeys, loose.scopes, loose.keys)
	}
	if len(empty) > 0 {
		write.Queue(dropEmptyStreams, empty)
	}
	write.Queue(moveStreams, moved, added)
	members := make([]*pending, len(j.accepted))
	for i, a := range j.accepted {
		members[i] = a.pending
	}
	claimsOf(members...).write(write)
	rows := rowsOf(j)
	if len(rows.ids) > 0 {
		write.Queue("SELECT eventstore.mark($1)", j.groups())
		for from := 0; from < len(rows.ids); from += chunk {
			c := rows.cut(from, min(from+chunk, len(rows.ids)))
			write.Queue(insertEvents, c.streams, c.slices, c.versions, c.ids, c.types, c.schemas, c.data, c.metadata, c.at).
				QueryRow(func(row pgx.Row) error {
					var put []int64
					err := row.Scan(&put)
					positions = append(positions, put...)
					return err
				})
		}
	}
	write.Queue("COMMIT")
	err = conn.SendBatch(ctx, write).Close()
	return positions, err
}

// groups are the marker groups of the slices written.
func (j judgement) groups() []int32 {
	var seen [Groups]bool
	var groups []int32
	for _, t := range j.streams {
		if g := GroupOf(t.slice); t.added > 0 && !seen[g] {
			seen[g] = true
			groups = append(groups, int32(g))
		}
	}
	return groups
}

// queryer is a pool, a connection or a transaction.
type queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// storedBy searches for the events of p, which an attempt whose answer was lost may have written. nil: they are not there.
func storedBy(ctx context.Context, db queryer, p *pending) (*Appended, error) {
	if p.events == 0 {
		return nil, nil
	}
	rows, err := db.Query(ctx, `SELECT stream, max(version), max(position), count(*) FROM eventstore.events WHERE id = ANY ($1) GROUP BY stream`, p.ids())
	if err != nil {
		return nil, err
	}
	found, n := Appended{Versions: map[string]Version{}}, 0
	var stream string
	var version, position, count int64
	_, err = pgx.ForEachRow(rows, []any{&stream, &version, &position, &count}, func() error {
		found.Versions[stream] = Version(version)
		found.Position = max(found.Position, Position(position))
		n += int(count)
		return nil
	})
	if err != nil || n < p.events {
		return nil, err
	}
	return &found, nil
}

// ids are those of its events.
func (p *pending) ids() []pgtype.UUID {
	ids := make([]pgtype.UUID, 0, p.events)
	for _, w := range p.writes {
		for _, r := range w.rows {
			ids = append(ids, pgtype.UUID{Bytes: r.id, Valid: true})
		}
	}
	return ids
}

// explain turns a violated rule of the tables into the error that names it.
func (s *Store) explain(ctx context.Context, p *pending, err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == stateUniqueViolation && pg.ConstraintName == eventIDConstraint {
		var id uuid.UUID
		if s.pool.QueryRow(ctx, `SELECT id FROM eventstore.events WHERE id = ANY ($1) LIMIT 1`, p.ids()).Scan(&id) == nil {
			return &DuplicateEvent{ID: id}
		}
	}
	if outcomeOf(err) != "failed" {
		return err
	}
	return fmt.Errorf("append: %w", err)
}
