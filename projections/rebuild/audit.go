package rebuild

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"shop/eventstore"
	"shop/projections"
)

// Auditor compares live read models with a fresh fold of the log, a few keys at a time and for ever. It writes
// nothing. Only one auditor of a database works; the others wait for its place.
//
// A row that one stream makes (Table.Stream) is audited from both ends: streams are walked in the order of their names,
// rows in the order of their keys, so that each is looked at once a round. Rows that streams share are audited by
// reading the log through, a page a tick, for a sample of keys. Left out are streams with dead letters, parked or
// skipped, streams of erased persons, and streams longer than 20 000 events: only a verification covers those.
type Auditor struct {
	DB          *pgxpool.Pool
	Store       *eventstore.Store
	Projections []projections.Projection
	// Interval is the pause between two ticks, at least; after a tick that took long it is longer, so that auditing
	// takes at most a twentieth of one connection's time. Default 1s.
	Interval time.Duration
	// Logger gets a warning per difference. Default slog.Default().
	Logger *slog.Logger
	// Meter defaults to OpenTelemetry's global one.
	Meter metric.Meter

	// eager is for tests: no pause but the interval.
	eager bool

	checked, skipped, differences metric.Int64Counter

	// stream and rows are where the walks are; turn counts ticks, pass is the reading of the log under way.
	stream string
	rows   map[string]string
	turn   int
	pass   *pass

	mu       sync.Mutex
	findings map[place]Finding
}

// Finding is a difference between a live row and the fresh fold.
type Finding struct {
	Projection, Table, Key string
	// Kind is missing (the log says there is a row), extra (it says there is none) or changed.
	Kind string
	// Columns are those that differ; empty unless changed.
	Columns []string
	// FoundAt is when it was first seen.
	FoundAt time.Time
}

type place struct{ projection, table, key string }

func (f Finding) place() place { return place{f.Projection, f.Table, f.Key} }

const (
	// auditStreams and auditRows are how many of each a tick looks at.
	auditStreams, auditRows = 20, 20
	// auditNames is how many names of streams it looks through for them.
	auditNames = 500
	// auditLength is the longest stream that is folded.
	auditLength = 20_000
	// auditFindings bounds what is kept in memory.
	auditFindings = 1000
	// auditShare: a tick is followed by a pause of that many times its length.
	auditShare = 20
	// auditWithin bounds a tick.
	auditWithin = 10 * time.Second
)

// Findings are the differences that stood when their rows were last looked at by this process, oldest first.
func (a *Auditor) Findings() []Finding {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(maps.Values(a.findings), func(x, y Finding) int {
		if c := x.FoundAt.Compare(y.FoundAt); c != 0 {
			return c
		}
		return strings.Compare(x.Projection+x.Table+x.Key, y.Projection+y.Table+y.Key)
	})
}

// Run audits until ctx ends. Call it once.
func (a *Auditor) Run(ctx context.Context) {
	a.prepare()
	for ctx.Err() == nil {
		if err := a.alone(ctx); err != nil && ctx.Err() == nil {
			a.Logger.WarnContext(ctx, "audit of the read models", "error", err)
		}
		pause(ctx, 10*a.Interval)
	}
}

func (a *Auditor) prepare() {
	if a.Interval <= 0 {
		a.Interval = time.Second
	}
	if a.Logger == nil {
		a.Logger = slog.Default()
	}
	if a.Meter == nil {
		a.Meter = otel.Meter("shop/projections")
	}
	a.rows = map[string]string{}
	a.mu.Lock() // it may be asked already
	a.findings = map[place]Finding{}
	a.mu.Unlock()
	// An instrument with a valid constant name cannot fail.
	a.checked, _ = a.Meter.Int64Counter("shop.audit.checked", metric.WithUnit("{row}"),
		metric.WithDescription("Rows of read models compared with a fresh fold by the auditor"))
	a.skipped, _ = a.Meter.Int64Counter("shop.audit.skipped", metric.WithUnit("{stream}"),
		metric.WithDescription("Streams the auditor left out, by reason"))
	a.differences, _ = a.Meter.Int64Counter("shop.audit.differences", metric.WithUnit("{row}"),
		metric.WithDescription("Rows of read models found to differ from a fresh fold by the auditor"))
	for _, p := range a.Projections {
		// From zero, so that the first difference is a rise.
		a.differences.Add(context.Background(), 0, of(p))
	}
}

func of(p projections.Projection) metric.MeasurementOption {
	return metric.WithAttributes(attribute.String("projection", p.Name))
}

// alone audits as long as it holds the lock, which is its connection's and so ends with the process.
func (a *Auditor) alone(ctx context.Context) error {
	conn, err := a.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	const key = "hashtext('shop projections'), hashtext('audit')" // two keys: those of one belong to the log
	var mine bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock("+key+")").Scan(&mine); err != nil || !mine {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock("+key+")"); err != nil {
			_ = conn.Conn().Close(ctx) // and the lock with it
		}
	}()
	for ctx.Err() == nil {
		began := time.Now()
		if err := a.guarded(ctx, conn); err != nil {
			return err
		}
		rest := a.Interval
		if !a.eager {
			rest = max(rest, auditShare*time.Since(began))
		}
		pause(ctx, rest)
	}
	return nil
}

// guarded is tick with a panic of a fold as an error: an auditor must not end the shop.
func (a *Auditor) guarded(ctx context.Context, conn *pgxpool.Conn) (err error) {
	defer func() {
		if r := recover(); r != nil {
			a.pass = nil
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return a.tick(ctx, conn)
}

// tick audits the next few streams and rows, or reads on in the log for rows that streams share.
func (a *Auditor) tick(ctx context.Context, conn *pgxpool.Conn) error {
	bounded, cancel := context.WithTimeout(ctx, auditWithin)
	defer cancel()
	a.turn++
	if a.turn%2 == 0 {
		return a.readOn(bounded, conn)
	}
	asked, err := a.choose(bounded, conn)
	if err != nil {
		return err
	}
	for _, p := range a.Projections {
		found, err := a.compare(bounded, conn, p, asked, true)
		if err != nil {
			return fmt.Errorf("audit %s: %w", p.Name, err)
		}
		if len(found.differences) > 0 {
			// A difference counts when a second look, at another snapshot, finds it too.
			pause(ctx, a.Interval)
			again, cancel := context.WithTimeout(ctx, auditWithin)
			second, err := a.compare(again, conn, p, asked, false)
			cancel()
			if err != nil {
				return fmt.Errorf("audit %s: %w", p.Name, err)
			}
			found.differences = slices.DeleteFunc(found.differences, func(f Finding) bool {
				return !slices.ContainsFunc(second.differences, func(s Finding) bool { return s.place() == f.place() && s.Kind == f.Kind })
			})
		}
		a.keep(ctx, p, found)
	}
	return nil
}

// asked is what a tick looks at: streams, and of tables some keys whose streams are among them.
type asked struct {
	streams map[string]bool
	keys    map[place][]string // place without a key
}

// choose takes the next streams by name, of those that some table is folded from, and the next rows of one table by key.
func (a *Auditor) choose(ctx context.Context, conn *pgxpool.Conn) (asked, error) {
	next := asked{streams: map[string]bool{}, keys: map[place][]string{}}
	if a.stream == "" && a.turn == 1 {
		// A program that is started often must not always begin at the same stream.
		err := conn.QueryRow(ctx, `SELECT stream FROM eventstore.events
			WHERE position >= (SELECT (random() * max(position))::bigint FROM eventstore.events) ORDER BY position LIMIT 1`).Scan(&a.stream)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return next, err
		}
	}
	names, err := pgx.CollectRows(must(conn.Query(ctx, `SELECT name FROM eventstore.streams WHERE name > $1 ORDER BY name LIMIT $2`, a.stream, auditNames)), pgx.RowTo[string])
	if err != nil {
		return next, err
	}
	for _, name := range names {
		a.stream = name
		if a.isFolded(name) {
			if next.streams[name] = true; len(next.streams) == auditStreams {
				break
			}
		}
	}
	if len(names) < auditNames && (len(names) == 0 || a.stream == names[len(names)-1]) {
		a.stream = ""
	}

	p, t, ok := a.tableInTurn()
	if !ok {
		return next, nil
	}
	at := place{projection: p.Name, table: t.Name}
	after, name := a.rows[p.Name+"."+t.Name], t.In(p.Name)
	keys, err := pgx.CollectRows(must(conn.Query(ctx, fmt.Sprintf(`SELECT %[1]s::text FROM %[2]s
		WHERE $1 = '' OR %[1]s > nullif($1, '')::%[3]s ORDER BY %[1]s LIMIT $2`, quote(t.Key), name, t.KeyType), after, auditRows)), pgx.RowTo[string])
	if isUndefined(err) {
		return next, nil // not made yet, or just being replaced
	}
	if err != nil {
		return next, err
	}
	after = ""
	if len(keys) == auditRows {
		after = keys[len(keys)-1]
	}
	a.rows[p.Name+"."+t.Name] = after
	next.keys[at] = keys
	for _, key := range keys {
		next.streams[t.Stream(key)] = true
	}
	return next, nil
}

// must hands on rows whose error CollectRows will report.
func must(rows pgx.Rows, _ error) pgx.Rows { return rows }

// foldsStream says whether a stream may have rows in a table whose rows have one stream each.
func foldsStream(d projections.Definition, stream string) bool {
	return d.Stream != nil && strings.HasPrefix(stream, d.Stream(""))
}

// isFolded says whether a row of some table could be of this stream.
func (a *Auditor) isFolded(stream string) bool {
	for _, p := range a.Projections {
		for _, t := range p.Tables {
			if foldsStream(t.Definition(), stream) {
				return true
			}
		}
	}
	return false
}

// tableInTurn goes round all tables whose rows have one stream each. False: there is none.
func (a *Auditor) tableInTurn() (projections.Projection, projections.Definition, bool) {
	type table struct {
		of projections.Projection
		d  projections.Definition
	}
	var all []table
	for _, p := range a.Projections {
		for _, t := range p.Tables {
			if d := t.Definition(); d.Stream != nil {
				all = append(all, table{p, d})
			}
		}
	}
	if len(all) == 0 {
		return projections.Projection{}, projections.Definition{}, false
	}
	next := all[a.turn/2%len(all)]
	return next.of, next.d, true
}

// seen is what an audit of one projection came to.
type seen struct {
	checked     map[place]bool
	differences []Finding
}

// snapshot is what one transaction knows of a projection.
type snapshot struct {
	tx     pgx.Tx
	schema uint32
	at     [eventstore.Ranges]eventstore.Position
}

// errNotLive: there are no tables that this program's folds made, or they were replaced during the audit.
var errNotLive = errors.New("the read model is not what this program folds")

// atSnapshot runs work at one snapshot and makes sure that the tables read were those of the snapshot: names are looked up
// anew by every statement, so a swap in the middle would show new tables with none of their rows.
func (a *Auditor) atSnapshot(ctx context.Context, conn *pgxpool.Conn, p projections.Projection, work func(snapshot) error) error {
	const schemaOf = "SELECT oid FROM pg_namespace WHERE nspname = $1"
	var s snapshot
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		s.tx = tx
		if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '100ms'"); err != nil {
			return err
		}
		// Tables of another definition are folded by another program.
		if from, err := projections.MadeFrom(ctx, tx, p.Name); err != nil {
			return err
		} else if from != p.Fingerprint() {
			return errNotLive
		}
		if err := tx.QueryRow(ctx, schemaOf, p.Name).Scan(&s.schema); err != nil {
			return err
		}
		ranges := 0
		rows, err := tx.Query(ctx, "SELECT range, position FROM eventstore.checkpoints WHERE consumer = $1", p.Name)
		if err != nil {
			return err
		}
		var r int
		var at eventstore.Position
		if _, err := pgx.ForEachRow(rows, []any{&r, &at}, func() error {
			if r < eventstore.Ranges {
				s.at[r] = at
				ranges++
			}
			return nil
		}); err != nil {
			return err
		}
		if ranges < eventstore.Ranges {
			return errNotLive
		}
		return work(s)
	})
	if err != nil {
		if isUndefined(err) {
			return errNotLive
		}
		return err
	}
	var now uint32
	if err := conn.QueryRow(ctx, schemaOf, p.Name).Scan(&now); err != nil || now != s.schema {
		return errNotLive
	}
	return nil
}

// compare folds the streams of a projection's tables afresh, up to its checkpoints, and compares their rows.
func (a *Auditor) compare(ctx context.Context, conn *pgxpool.Conn, p projections.Projection, asked asked, count bool) (seen, error) {
	found := seen{checked: map[place]bool{}}
	var streams []string
	for stream := range asked.streams {
		if slices.ContainsFunc(p.Tables, func(t projections.AnyTable) bool { return foldsStream(t.Definition(), stream) }) {
			streams = append(streams, stream)
		}
	}
	if len(streams) == 0 {
		return found, nil
	}
	left := map[string]int64{}
	err := a.atSnapshot(ctx, conn, p, func(s snapshot) error {
		sound, events, err := a.fold(ctx, s, p, streams, left)
		if err != nil {
			return err
		}
		for _, t := range p.Tables {
			d := t.Definition()
			if d.Stream == nil {
				continue
			}
			keys := slices.DeleteFunc(slices.Clone(asked.keys[place{projection: p.Name, table: d.Name}]), func(key string) bool { return !sound[d.Stream(key)] })
			touched, folded, err := t.FoldFresh(events, p.Metadata, nil)
			if err != nil {
				return err
			}
			if err := found.look(ctx, s, p, d, append(keys, touched...), folded); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errNotLive) {
		return seen{}, nil
	}
	if err == nil && count {
		for reason, n := range left {
			a.skipped.Add(ctx, n, of(p), metric.WithAttributes(attribute.String("reason", reason)))
		}
	}
	return found, err
}

// fold reads the events of streams up to the checkpoints. Streams that cannot be judged are not among the sound ones.
// Events below a checkpoint never change, so that they need not be read at the snapshot.
func (a *Auditor) fold(ctx context.Context, s snapshot, p projections.Projection, streams []string, left map[string]int64) (sound map[string]bool, events []eventstore.Event, err error) {
	parked, err := pgx.CollectRows(must(s.tx.Query(ctx, "SELECT DISTINCT stream FROM eventstore.dead_letters WHERE consumer = $1 AND stream = ANY ($2)", p.Name, streams)), pgx.RowTo[string])
	if err != nil {
		return nil, nil, err
	}
	long, err := pgx.CollectRows(must(s.tx.Query(ctx, "SELECT name FROM eventstore.streams WHERE name = ANY ($1) AND version > $2", streams, auditLength)), pgx.RowTo[string])
	if err != nil {
		return nil, nil, err
	}
	types := p.Types()
	sound = map[string]bool{}
	for _, stream := range streams {
		if slices.Contains(parked, stream) {
			left["dead letters"]++
			continue
		}
		if slices.Contains(long, stream) {
			left["long"]++
			continue
		}
		all, err := a.Store.InspectStream(ctx, stream)
		if err != nil {
			return nil, nil, err
		}
		upTo := s.at[eventstore.RangeOf(eventstore.SliceOf(stream))]
		wanted := slices.DeleteFunc(all, func(e eventstore.Event) bool { return e.Position > upTo || !slices.Contains(types, e.Type) })
		if slices.ContainsFunc(wanted, unclear) {
			left["erased"]++
			continue
		}
		sound[stream] = true
		events = append(events, wanted...)
	}
	return sound, events, nil
}

// unclear events may have been folded when they said more than they do now.
func unclear(e eventstore.Event) bool {
	_, unreadable := e.Data.(eventstore.Unreadable)
	return e.Erased || unreadable
}

// look compares live rows with folded ones by all columns of the table, those that the database generates too.
func (s *seen) look(ctx context.Context, at snapshot, p projections.Projection, t projections.Definition, keys []string, folded []byte) error {
	if len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, key := range keys {
		s.checked[place{p.Name, t.Name, key}] = true
	}
	sql, err := comparison(ctx, at, p, t)
	if err != nil {
		return err
	}
	rows, err := at.tx.Query(ctx, sql, keys, folded)
	if err != nil {
		return err
	}
	f := Finding{Projection: p.Name, Table: t.Name}
	_, err = pgx.ForEachRow(rows, []any{&f.Key, &f.Kind, &f.Columns}, func() error {
		s.differences = append(s.differences, f)
		f.Columns = nil
		return nil
	})
	return err
}

// comparison is the statement that finds differences among the rows with keys $1, folded as $2. What the database
// generates is computed for folded rows by the expression in the table's definition.
func comparison(ctx context.Context, at snapshot, p projections.Projection, t projections.Definition) (string, error) {
	rows, err := at.tx.Query(ctx, `SELECT a.attname, format_type(a.atttypid, NULL) = 'json', coalesce(pg_get_expr(d.adbin, d.adrelid), '')
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.attgenerated <> ''
		WHERE c.relnamespace = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, at.schema, t.Name)
	if err != nil {
		return "", err
	}
	var fresh, differ []string
	var column, generated string
	var json bool
	if _, err := pgx.ForEachRow(rows, []any{&column, &json, &generated}, func() error {
		name := quote(column)
		if generated == "" {
			fresh = append(fresh, name)
		} else {
			fresh = append(fresh, "("+generated+") AS "+name)
		}
		cast := ""
		if json {
			cast = "::jsonb" // json has no equality
		}
		differ = append(differ, fmt.Sprintf("CASE WHEN l.%[1]s%[2]s IS DISTINCT FROM f.%[1]s%[2]s THEN '%[3]s' END", name, cast, strings.ReplaceAll(column, "'", "''")))
		return nil
	}); err != nil {
		return "", err
	}
	return fmt.Sprintf(`WITH l AS (SELECT * FROM %[1]s WHERE %[2]s = ANY ($1::text[]::%[3]s[])),
			f AS (SELECT %[4]s FROM json_populate_recordset(NULL::%[1]s, $2::json)),
			d AS (SELECT coalesce(l.%[2]s, f.%[2]s)::text AS key,
				CASE WHEN l.%[2]s IS NULL THEN 'missing' WHEN f.%[2]s IS NULL THEN 'extra' ELSE 'changed' END AS kind,
				CASE WHEN l.%[2]s = f.%[2]s THEN array_remove(ARRAY[%[5]s], NULL) END AS columns
				FROM l FULL JOIN f ON l.%[2]s = f.%[2]s)
		SELECT key, kind, columns FROM d WHERE kind <> 'changed' OR cardinality(columns) > 0 ORDER BY key`,
		t.In(p.Name), quote(t.Key), t.KeyType, strings.Join(fresh, ", "), strings.Join(differ, ", ")), nil
}

// keep counts what was checked, tells of new differences, and forgets those that are no more.
func (a *Auditor) keep(ctx context.Context, p projections.Projection, s seen) {
	a.checked.Add(ctx, int64(len(s.checked)), of(p))
	a.mu.Lock()
	defer a.mu.Unlock()
	still := map[place]bool{}
	for _, f := range s.differences {
		still[f.place()] = true
	}
	for at := range s.checked {
		if !still[at] {
			delete(a.findings, at)
		}
	}
	for _, f := range s.differences {
		before, known := a.findings[f.place()]
		f.FoundAt = before.FoundAt
		if !known {
			f.FoundAt = time.Now()
			a.differences.Add(ctx, 1, of(p))
			a.Logger.WarnContext(ctx, "a read model differs from the log", "projection", f.Projection, "table", f.Table, "key", f.Key, "kind", f.Kind, "columns", f.Columns)
		}
		if known || len(a.findings) < auditFindings {
			a.findings[f.place()] = f
		}
	}
}

// pass is one reading of the log for a table whose rows several streams share.
type pass struct {
	projection projections.Projection
	table      projections.AnyTable
	d          projections.Definition
	schema     uint32
	// at is how far the log was read; events are those that touch a key of the sample.
	at     eventstore.Position
	events []eventstore.Event
	// keys are rows that were there at the start; besides, a key is in the sample when its hash is share modulo of.
	keys      map[string]bool
	share, of uint32
	// touched counts events by key; a key with too many leaves the sample.
	touched map[string]int
	// unreadable: an event could not be decoded, so nothing can be said.
	unreadable bool
}

const (
	// passKeys is about how many keys a pass looks at, passPerKey the most events of one of them.
	passKeys, passPerKey = 50, 200
	// passPage is how many events a tick reads, passScan how many positions it looks through for them.
	passPage, passScan = 5000, 50_000
)

// readOn reads another page of the log for the pass under way, and compares when it has come to the end.
func (a *Auditor) readOn(ctx context.Context, conn *pgxpool.Conn) error {
	if a.pass == nil {
		return a.begin(ctx, conn)
	}
	w := a.pass
	done := false
	var found seen
	err := a.atSnapshot(ctx, conn, w.projection, func(s snapshot) error {
		if s.schema != w.schema {
			return errNotLive
		}
		least := slices.Min(s.at[:])
		if w.at < least {
			reached := min(least, w.at+passScan)
			events, err := a.Store.Inspect(ctx, eventstore.Query{After: w.at, UpTo: reached, Range: -1, Types: w.d.Types, Limit: passPage})
			if err != nil {
				return err
			}
			if len(events) == passPage {
				reached = events[passPage-1].Position
			}
			w.take(events)
			w.at = reached
		}
		if w.at < least && !w.unreadable {
			return nil
		}
		done = true
		if w.unreadable {
			return nil
		}
		// What single ranges are ahead by. A consumer that is far ahead in one is audited another time.
		if slices.Max(s.at[:])-w.at > passScan {
			return nil
		}
		var parked bool
		if err := s.tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM eventstore.dead_letters WHERE consumer = $1)", w.projection.Name).Scan(&parked); err != nil || parked {
			return err // whose rows are concerned cannot be told
		}
		for r, at := range s.at {
			events, err := a.Store.Inspect(ctx, eventstore.Query{After: w.at, UpTo: at, Range: r, Types: w.d.Types})
			if err != nil {
				return err
			}
			w.take(events)
		}
		if w.unreadable {
			return nil
		}
		found.checked = map[place]bool{}
		keys := slices.DeleteFunc(slices.Concat(slices.Collect(maps.Keys(w.keys)), slices.Collect(maps.Keys(w.touched))), func(key string) bool { return !w.has(key) })
		_, folded, err := w.table.FoldFresh(w.events, w.projection.Metadata, w.has)
		if err != nil {
			return err
		}
		return found.look(ctx, s, w.projection, w.d, keys, folded)
	})
	if errors.Is(err, errNotLive) {
		a.pass = nil
		return nil
	}
	if err != nil {
		a.pass = nil
		return fmt.Errorf("audit %s.%s: %w", w.projection.Name, w.d.Name, err)
	}
	if done {
		a.pass = nil
		a.keep(ctx, w.projection, found)
	}
	return nil
}

// begin chooses the next shared table and a sample of its keys.
func (a *Auditor) begin(ctx context.Context, conn *pgxpool.Conn) error {
	var all []*pass
	for _, p := range a.Projections {
		for _, t := range p.Tables {
			if d := t.Definition(); d.Stream == nil {
				all = append(all, &pass{projection: p, table: t, d: d, keys: map[string]bool{}, touched: map[string]int{}})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	w := all[rand.IntN(len(all))]
	err := a.atSnapshot(ctx, conn, w.projection, func(s snapshot) error {
		w.schema = s.schema
		var rows float64
		if err := s.tx.QueryRow(ctx, "SELECT greatest(reltuples, 0) FROM pg_class WHERE relnamespace = $1 AND relname = $2", s.schema, w.d.Name).Scan(&rows); err != nil {
			return err
		}
		w.of = max(1, uint32(rows)/passKeys)
		w.share = rand.Uint32N(w.of)
		at := w.projection.Name + "." + w.d.Name
		keys, err := pgx.CollectRows(must(s.tx.Query(ctx, fmt.Sprintf(`SELECT %[1]s::text FROM %[2]s WHERE $1 = '' OR %[1]s > nullif($1, '')::%[3]s ORDER BY %[1]s LIMIT $2`,
			quote(w.d.Key), w.d.In(w.projection.Name), w.d.KeyType), a.rows[at], passKeys)), pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, key := range keys {
			w.keys[key] = true
		}
		a.rows[at] = ""
		if len(keys) == passKeys {
			a.rows[at] = keys[passKeys-1]
		}
		return nil
	})
	if errors.Is(err, errNotLive) {
		return nil
	}
	if err != nil {
		return err
	}
	a.pass = w
	return nil
}

// has says whether a key is in the sample.
func (w *pass) has(key string) bool {
	if w.touched[key] > passPerKey {
		return false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return w.keys[key] || h.Sum32()%w.of == w.share
}

// take keeps the events that touch a key of the sample.
func (w *pass) take(events []eventstore.Event) {
	for _, e := range events {
		if _, w.unreadable = e.Data.(eventstore.Unreadable); w.unreadable {
			return
		}
		kept := false
		for _, key := range w.d.Keys(e) {
			if w.has(key) {
				w.touched[key]++
				kept = true
			}
		}
		if kept {
			w.events = append(w.events, e)
		}
	}
}

// isUndefined: a table or schema is not there, or somebody is just changing it.
func isUndefined(err error) bool {
	const undefinedTable, invalidSchema, lockNotAvailable = "42P01", "3F000", "55P03"
	var refused *pgconn.PgError
	return errors.As(err, &refused) && slices.Contains([]string{undefinedTable, invalidSchema, lockNotAvailable}, refused.Code)
}
