package rebuild

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"shop/eventstore"
	"shop/projections"
)

// sample is what a tick checks: streams, and keys of rows. The streams of those rows are among the streams.
type sample struct {
	streams map[string]bool
	keys    map[rowID][]string // by rowID without a key
}

// nextSample takes the next streams by name, if a table is folded from them, and the next rows of one table by key.
func (a *Auditor) nextSample(ctx context.Context, conn *pgxpool.Conn) (sample, error) {
	next := sample{streams: map[string]bool{}, keys: map[rowID][]string{}}
	if a.lastStream == "" && a.turn == 1 {
		// A process that is restarted often must not always begin at the same stream.
		err := conn.QueryRow(ctx, `SELECT stream FROM eventstore.events
			WHERE position >= (SELECT (random() * max(position))::bigint FROM eventstore.events) ORDER BY position LIMIT 1`).Scan(&a.lastStream)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return next, err
		}
	}
	names, err := pgx.CollectRows(orLater(conn.Query(ctx, `SELECT name FROM eventstore.streams WHERE name > $1 ORDER BY name LIMIT $2`, a.lastStream, namesPerTick)), pgx.RowTo[string])
	if err != nil {
		return next, err
	}
	for _, name := range names {
		a.lastStream = name
		if a.isFolded(name) {
			if next.streams[name] = true; len(next.streams) == streamsPerTick {
				break
			}
		}
	}
	if len(names) < namesPerTick && (len(names) == 0 || a.lastStream == names[len(names)-1]) {
		a.lastStream = ""
	}

	p, t, ok := a.tableInTurn()
	if !ok {
		return next, nil
	}
	at := rowID{projection: p.Name, table: t.Name}
	after, name := a.lastKeys[p.Name+"."+t.Name], t.In(p.Name)
	keys, err := pgx.CollectRows(orLater(conn.Query(ctx, fmt.Sprintf(`SELECT %[1]s::text FROM %[2]s
		WHERE $1 = '' OR %[1]s > nullif($1, '')::%[3]s ORDER BY %[1]s LIMIT $2`, quote(t.Key), name, t.KeyType), after, rowsPerTick)), pgx.RowTo[string])
	if isUndefined(err) {
		return next, nil // not made yet, or being replaced
	}
	if err != nil {
		return next, err
	}
	after = ""
	if len(keys) == rowsPerTick {
		after = keys[len(keys)-1]
	}
	a.lastKeys[p.Name+"."+t.Name] = after
	next.keys[at] = keys
	for _, key := range keys {
		next.streams[t.Stream(key)] = true
	}
	return next, nil
}

// orLater drops the error of Query: CollectRows reports it.
func orLater(rows pgx.Rows, _ error) pgx.Rows { return rows }

// foldsStream says whether a stream may have rows in a table whose rows have one stream each.
func foldsStream(d projections.Definition, stream string) bool {
	return d.Stream != nil && strings.HasPrefix(stream, d.Stream(""))
}

// isFolded says whether a stream may have rows in any table whose rows have one stream each.
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

// tableInTurn takes one table after the other of those whose rows have one stream each. False: there is none.
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

// auditResult is what the check of one projection found.
type auditResult struct {
	checked     map[rowID]bool
	differences []Finding
}

// auditSnapshot is a transaction with what it sees of a projection: its schema, and how far its consumer came.
type auditSnapshot struct {
	tx     pgx.Tx
	schema uint32
	at     [eventstore.Ranges]eventstore.Position
}

// errNotLive: the schema holds no tables of this program's definition, or a swap replaced them during the check.
var errNotLive = errors.New("the read model is not what this program folds")

// atSnapshot runs work in one snapshot. PostgreSQL looks up the name of a schema anew for every statement, not in the
// snapshot. After a swap the new tables would therefore seem empty, so atSnapshot makes sure that the schema was the same
// one to the end.
func (a *Auditor) atSnapshot(ctx context.Context, conn *pgxpool.Conn, p projections.Projection, work func(auditSnapshot) error) error {
	const schemaOf = "SELECT oid FROM pg_namespace WHERE nspname = $1"
	var s auditSnapshot
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		s.tx = tx
		if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '100ms'"); err != nil {
			return err
		}
		// Tables of another definition belong to another version of the program.
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

// compareStreams folds streams afresh, up to the checkpoints of the projection, and compares the rows that come out.
func (a *Auditor) compareStreams(ctx context.Context, conn *pgxpool.Conn, p projections.Projection, sample sample, count bool) (auditResult, error) {
	found := auditResult{checked: map[rowID]bool{}}
	var streams []string
	for stream := range sample.streams {
		if slices.ContainsFunc(p.Tables, func(t projections.AnyTable) bool { return foldsStream(t.Definition(), stream) }) {
			streams = append(streams, stream)
		}
	}
	if len(streams) == 0 {
		return found, nil
	}
	skipped := map[string]int64{}
	err := a.atSnapshot(ctx, conn, p, func(s auditSnapshot) error {
		comparable, events, err := a.readStreams(ctx, s, p, streams, skipped)
		if err != nil {
			return err
		}
		for _, t := range p.Tables {
			d := t.Definition()
			if d.Stream == nil {
				continue
			}
			keys := slices.DeleteFunc(slices.Clone(sample.keys[rowID{projection: p.Name, table: d.Name}]), func(key string) bool { return !comparable[d.Stream(key)] })
			touched, folded, err := t.FoldFresh(events, p.Metadata, nil)
			if err != nil {
				return err
			}
			if err := found.compareRows(ctx, s, p, d, append(keys, touched...), folded); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errNotLive) {
		return auditResult{}, nil
	}
	if err == nil && count {
		for reason, n := range skipped {
			a.skipped.Add(ctx, n, projectionAttribute(p), metric.WithAttributes(attribute.String("reason", reason)))
		}
	}
	return found, err
}

// readStreams reads the events of streams up to the checkpoints. It returns the streams that can be compared, and counts
// the others by reason. Events below a checkpoint never change, so that they need not be read in the snapshot.
func (a *Auditor) readStreams(ctx context.Context, s auditSnapshot, p projections.Projection, streams []string, skipped map[string]int64) (comparable map[string]bool, events []eventstore.Event, err error) {
	parked, err := pgx.CollectRows(orLater(s.tx.Query(ctx, "SELECT DISTINCT stream FROM eventstore.dead_letters WHERE consumer = $1 AND stream = ANY ($2)", p.Name, streams)), pgx.RowTo[string])
	if err != nil {
		return nil, nil, err
	}
	long, err := pgx.CollectRows(orLater(s.tx.Query(ctx, "SELECT name FROM eventstore.streams WHERE name = ANY ($1) AND version > $2", streams, maxStreamLength)), pgx.RowTo[string])
	if err != nil {
		return nil, nil, err
	}
	types := p.Types()
	comparable = map[string]bool{}
	for _, stream := range streams {
		if slices.Contains(parked, stream) {
			skipped["dead letters"]++
			continue
		}
		if slices.Contains(long, stream) {
			skipped["long"]++
			continue
		}
		all, err := a.Store.InspectStream(ctx, stream)
		if err != nil {
			return nil, nil, err
		}
		upTo := s.at[eventstore.RangeOf(eventstore.SliceOf(stream))]
		wanted := slices.DeleteFunc(all, func(e eventstore.Event) bool { return e.Position > upTo || !slices.Contains(types, e.Type) })
		if slices.ContainsFunc(wanted, saysLess) {
			skipped["erased"]++
			continue
		}
		comparable[stream] = true
		events = append(events, wanted...)
	}
	return comparable, events, nil
}

// saysLess: the event may have been folded when it held more than can be read now.
func saysLess(e eventstore.Event) bool {
	_, unreadable := e.Data.(eventstore.Unreadable)
	return e.Erased || unreadable
}

// compareRows compares live rows with folded ones by all columns of the table, generated ones included.
func (s *auditResult) compareRows(ctx context.Context, at auditSnapshot, p projections.Projection, t projections.Definition, keys []string, folded []byte) error {
	if len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, key := range keys {
		s.checked[rowID{p.Name, t.Name, key}] = true
	}
	sql, err := comparisonSQL(ctx, at, p, t)
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

// comparisonSQL is the statement that finds differences between the live rows with the keys in $1 and the folded rows in
// $2. For folded rows it computes generated columns by the expressions in the catalog.
func comparisonSQL(ctx context.Context, at auditSnapshot, p projections.Projection, t projections.Definition) (string, error) {
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
