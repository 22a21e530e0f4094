package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/check"
	"shop/eventstore/feed"
	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/projections"
	"shop/projections/rebuild"
)

// prove looks into everything that was promised, in a database nobody writes to.
func (r *hostile) prove(ctx context.Context, db database, where string, server *embeddedpg.Server) error {
	began := time.Now()
	if err := r.caughtUp(ctx, db, where); err != nil {
		return err
	}
	log, err := collect[check.Event](ctx, db.pool, `SELECT stream, version, position FROM eventstore.events`)
	if err != nil {
		return err
	}
	// Stream rows know their version without looking at the events.
	streams, err := collect[struct {
		Name           string
		Version, Found int64
	}](ctx, db.pool, `SELECT s.name, s.version, count(e.version) FROM eventstore.streams s LEFT JOIN eventstore.events e ON e.stream = s.name
		GROUP BY s.name, s.version HAVING s.version <> count(e.version)`)
	if err != nil {
		return err
	}
	faults := inWords(check.Log(log))
	for _, s := range streams {
		faults = append(faults, fmt.Sprintf("%s is at version %d and has %d events", s.Name, s.Version, s.Found))
	}
	r.report.found(where+"versions have no gaps and ascend with positions", len(log), faults)

	noted, err := collect[check.Event](ctx, db.pool, `SELECT stream, version, position FROM hostile_witness ORDER BY nth`)
	if err != nil {
		return err
	}
	r.report.found(where+"every event is delivered once, in order", len(noted), inWords(check.Delivered(noted, log)))

	if err := r.proveAcknowledged(ctx, db, where, log); err != nil {
		return err
	}
	if err := r.proveStock(ctx, db, where); err != nil {
		return err
	}
	if err := r.proveSnapshots(ctx, db, where); err != nil {
		return err
	}
	letters, err := collect[struct {
		Consumer string
		Position int64
		Error    string
	}](ctx, db.pool, `SELECT consumer, position, error FROM eventstore.dead_letters WHERE skipped_at IS NULL ORDER BY consumer, position`)
	if err != nil {
		return err
	}
	faults = nil
	for _, l := range letters {
		faults = append(faults, fmt.Sprintf("%s could not handle position %d: %s", l.Consumer, l.Position, l.Error))
	}
	r.report.found(where+"no dead letters", len(log), faults)
	if err := r.proveMails(ctx, db, where); err != nil {
		return err
	}
	if err := r.proveReadModels(ctx, db, where, server); err != nil {
		return err
	}
	r.report.say("  %schecked %d events in %s: %d faults so far", where, len(log), time.Since(began).Round(time.Millisecond), r.report.faults())
	return nil
}

func collect[T any](ctx context.Context, pool *pgxpool.Pool, sql string, args ...any) ([]T, error) {
	rows, err := pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}

func inWords[T fmt.Stringer](faults []T) (words []string) {
	for _, f := range faults {
		words = append(words, f.String())
	}
	return words
}

// caughtUp waits until every consumer has come to the log's end, unless one does not come there.
func (r *hostile) caughtUp(ctx context.Context, db database, where string) error {
	var last int64
	if err := db.pool.QueryRow(ctx, `SELECT coalesce(max(position), 0) FROM eventstore.events`).Scan(&last); err != nil {
		return err
	}
	watch := feed.New(db.store, feed.Options{}) // never run: it asks the database
	names := []string{witness, "mails"}
	for _, p := range projections.All() {
		names = append(names, p.Name)
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var faults []string
	for _, name := range names {
		if err := watch.WaitFor(waiting, name, eventstore.Position(last)); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			faults = append(faults, fmt.Sprintf("%s does not come to position %d: %v", name, last, err))
		}
	}
	r.report.found(where+"every consumer comes to the end", len(names), faults)
	return nil
}

func (r *hostile) proveAcknowledged(ctx context.Context, db database, where string, log []check.Event) error {
	ids, err := collect[struct{ ID uuid.UUID }](ctx, db.pool, `SELECT id FROM eventstore.events`)
	if err != nil {
		return err
	}
	inLog := make(map[uuid.UUID]bool, len(ids))
	for _, row := range ids {
		inLog[row.ID] = true
	}
	positions := make(map[int64]bool, len(log))
	for _, e := range log {
		positions[e.Position] = true
	}
	placed, err := collect[placedEvent](ctx, db.pool, `SELECT position, (data->>'id')::uuid, (data->>'number')::bigint FROM eventstore.events
		WHERE type = 'order.placed' ORDER BY position`)
	if err != nil {
		return err
	}
	l := r.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	r.report.found(where+"acknowledged appends are in the log", len(l.events), judgeEvents(l.events, inLog))
	var faults []string
	for position, what := range l.positions {
		if !positions[position] {
			faults = append(faults, fmt.Sprintf("%s was acknowledged at position %d, where nothing is", what, position))
		}
	}
	r.report.found(where+"acknowledged commands are in the log", len(l.positions), faults)
	r.report.found(where+"each order acknowledged is there, once, and no other", len(placed), append(judgeOrders(l.orders, placed), l.contradictions...))
	return nil
}

// proveMails says that the policy of letters missed no order. A letter may be left out only when the order was cancelled before it was sent.
func (r *hostile) proveMails(ctx context.Context, db database, where string) error {
	without, err := collect[struct{ Position int64 }](ctx, db.pool, `SELECT e.position FROM eventstore.events e WHERE e.type = 'order.placed'
		AND NOT EXISTS (SELECT FROM mail_jobs j WHERE j.id = e.id) AND NOT EXISTS (SELECT FROM mail_sent s WHERE s.id = e.id)
		AND NOT EXISTS (SELECT FROM eventstore.events c WHERE c.stream = e.stream AND c.type = 'order.cancelled') ORDER BY e.position`)
	if err != nil {
		return err
	}
	var faults []string
	for _, e := range without {
		faults = append(faults, fmt.Sprintf("the order at position %d has no letter", e.Position))
	}
	r.report.found(where+"each order has its letter", 1, faults)
	return nil
}

func (r *hostile) proveStock(ctx context.Context, db database, where string) error {
	names := make([]string, 0, len(r.products))
	for _, p := range r.products {
		names = append(names, stock.Stream(p))
	}
	raw, err := collect[struct {
		Stream  string
		Version int64
		Type    string
		Data    []byte
	}](ctx, db.pool, `SELECT stream, version, type, data::text::bytea FROM eventstore.events WHERE stream = ANY ($1) ORDER BY stream, version`, names)
	if err != nil {
		return err
	}
	moves := make([]stockEvent, 0, len(raw))
	for _, e := range raw {
		move := stockEvent{Stream: e.Stream, Version: e.Version, Type: e.Type}
		if err := json.Unmarshal(e.Data, &move.Data); err != nil {
			return fmt.Errorf("%s version %d: %w", e.Stream, e.Version, err)
		}
		moves = append(moves, move)
	}
	r.report.found(where+"stock adds up and is never oversold", len(moves), judgeStock(moves))
	return nil
}

// proveReadModels folds the whole log anew in a database of its own and compares every table, row by row.
func (r *hostile) proveReadModels(ctx context.Context, db database, where string, server *embeddedpg.Server) (err error) {
	const name = "fresh"
	fresh, err := createDatabase(ctx, server.URL(), name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dropDatabase(ctx, server.URL(), name)) }()
	if err := migrations.Up(ctx, fresh); err != nil {
		return err
	}
	copied, err := r.openDatabase(ctx, fresh)
	if err != nil {
		return err
	}
	defer copied.close()
	if err := copyLog(ctx, db.store, copied.store); err != nil {
		if ctx.Err() != nil {
			return err
		}
		r.report.found(where+"the log can be exported and imported", 1, []string{err.Error()})
		return nil
	}
	if r.deployed > 0 {
		err = r.foldByProgram(ctx, copied)
	} else {
		err = fold(ctx, copied)
	}
	if err != nil {
		return err
	}
	for _, p := range projections.All() {
		tables, err := tablesOf(ctx, copied.pool, p.Name)
		if err != nil {
			return err
		}
		for _, table := range tables {
			is, err := rowsOf(ctx, db.pool, p.Name, table)
			if err != nil {
				return err
			}
			want, err := rowsOf(ctx, copied.pool, p.Name, table)
			if err != nil {
				return err
			}
			r.report.found(where+"read model equals a fresh fold: "+p.Name+"."+table, len(want), judgeRows(p.Name+"."+table, is, want))
		}
	}
	return nil
}

// copyLog moves a log with the keys of its persons, the way a backup does.
func copyLog(ctx context.Context, from, to *eventstore.Store) error {
	var keys bytes.Buffer
	if _, err := from.ExportKeys(ctx, &keys); err != nil {
		return err
	}
	reader, writer := io.Pipe()
	go func() {
		_, err := from.Export(ctx, writer, eventstore.ExportOptions{})
		writer.CloseWithError(err)
	}()
	_, err := to.Import(ctx, reader, eventstore.ImportOptions{Keys: &keys})
	reader.CloseWithError(err)
	return err
}

// fold builds every read model from the log.
func fold(ctx context.Context, db database) error {
	if _, err := rebuild.Prepare(ctx, db.pool, projections.All()...); err != nil {
		return err
	}
	consumers := feed.New(db.store, feed.Options{})
	for _, p := range projections.All() {
		consumers.Add(feed.Consumer{Name: p.Name, Types: p.Types(), Together: true, Handle: p.Apply})
	}
	head, err := db.store.Head(ctx)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- consumers.Run(running) }()
	waiting, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	for _, p := range projections.All() {
		if err = consumers.WaitFor(waiting, p.Name, head); err != nil {
			err = fmt.Errorf("fold %s: %w", p.Name, err)
			break
		}
	}
	stop()
	return errors.Join(err, <-ended)
}

func tablesOf(ctx context.Context, pool *pgxpool.Pool, schema string) ([]string, error) {
	rows, err := pool.Query(ctx, `SELECT tablename::text FROM pg_tables WHERE schemaname = $1 ORDER BY 1`, schema)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// rowsOf are a table's rows as JSON, by primary key.
func rowsOf(ctx context.Context, pool *pgxpool.Pool, schema, table string) (map[string]string, error) {
	var key string
	err := pool.QueryRow(ctx, `SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_index i JOIN pg_attribute a
			ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indisprimary AND i.indrelid = to_regclass($1)`, pgx.Identifier{schema, table}.Sanitize()).Scan(&key)
	if err != nil {
		return nil, fmt.Errorf("the key of %s.%s: %w", schema, table, err)
	}
	pairs, err := collect[struct{ Key, Row string }](ctx, pool,
		fmt.Sprintf(`SELECT row(%s)::text, to_jsonb(t)::text FROM %s t`, key, pgx.Identifier{schema, table}.Sanitize()))
	if err != nil {
		return nil, fmt.Errorf("read %s.%s: %w", schema, table, err)
	}
	rows := make(map[string]string, len(pairs))
	for _, p := range pairs {
		rows[p.Key] = p.Row
	}
	return rows, nil
}

// createDatabase makes an empty database beside the one in serverURL and returns its URL.
func createDatabase(ctx context.Context, serverURL, name string) (string, error) {
	if err := dropDatabase(ctx, serverURL, name); err != nil {
		return "", err
	}
	if err := execute(ctx, serverURL, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", err
	}
	u, err := url.Parse(serverURL)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

func dropDatabase(ctx context.Context, serverURL, name string) error {
	return execute(context.WithoutCancel(ctx), serverURL, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
}

// execute runs statements on a connection of their own.
func execute(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	return err
}
