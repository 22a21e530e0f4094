package preview

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/projections"
	"shop/projections/standin"
)

const (
	// atOnce is how many previews a process makes at the same time.
	atOnce = 2
	// within is how long a preview may take.
	within = 15 * time.Second
	// bounds are those of the server: for a statement, for a lock, which only a swap of read models holds for longer than a moment, and
	// for a process that stands still.
	bounds = "SET LOCAL statement_timeout = '8s'; SET LOCAL lock_timeout = '2s'; SET LOCAL idle_in_transaction_session_timeout = '10s'"
)

// ErrBusy: others are making previews, or this one took too long. It is a context.DeadlineExceeded.
var ErrBusy = fmt.Errorf("no time for a preview: %w", context.DeadlineExceeded)

// Previews are those of a database.
type Previews struct {
	db    *pgxpool.Pool
	slots chan struct{}
}

// New makes previews of the read models in a database.
func New(db *pgxpool.Pool) *Previews { return &Previews{db, make(chan struct{}, atOnce)} }

// With lets see read the database as it would be with events in the log. Read models that are not named stay as they are.
func (p *Previews) With(ctx context.Context, models []projections.Projection, events []eventstore.Event, see func(ctx context.Context, db *Overlay) error) error {
	return standin.InTurn(ctx, p.slots, within, ErrBusy, func(ctx context.Context) error { return p.with(ctx, models, events, see) })
}

func (p *Previews) with(ctx context.Context, models []projections.Projection, events []eventstore.Event, see func(ctx context.Context, db *Overlay) error) error {
	borrowed, err := p.db.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect for a preview: %w", err)
	}
	// The connection is not given back: what it prepared names tables that end with it.
	conn := borrowed.Hijack()
	defer conn.Close(context.WithoutCancel(ctx))
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return fmt.Errorf("begin a preview: %w", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, bounds, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("bound a preview: %w", err)
	}
	o := &Overlay{tx: tx, keys: map[string][]string{}}
	for _, model := range models {
		if err := o.lay(ctx, model, events); err != nil {
			return fmt.Errorf("fold %d events over %s: %w", len(events), model.Name, err)
		}
	}
	// From here on nothing can be written, not even by mistake.
	if _, err := tx.Exec(ctx, "SET TRANSACTION READ ONLY"); err != nil {
		return fmt.Errorf("close a preview to writes: %w", err)
	}
	return see(ctx, o)
}

// lay folds events into copies of the rows of a read model that they touch, and puts views in the place of its tables.
func (o *Overlay) lay(ctx context.Context, model projections.Projection, events []eventstore.Event) error {
	var touched []projections.AnyTable
	for _, t := range model.Tables {
		d := t.Definition()
		keys := keysOf(d, events)
		if len(keys) == 0 {
			continue
		}
		at := model.Name + "." + d.Name
		if err := o.copy(ctx, model.Name, at, d, keys); err != nil {
			return fmt.Errorf("copy %d rows of %s: %w", len(keys), at, err)
		}
		touched = append(touched, t.Renamed(rowsOf(at)))
		o.cover(at, keys)
	}
	model.Tables = touched
	return model.ApplyTo(ctx, o.tx, standin.Schema, events)
}

// rowsOf and keysOfTable name the table of copied rows and that of the keys whose live rows are covered.
func rowsOf(table string) string      { return table + " rows" }
func keysOfTable(table string) string { return table + " keys" }

// copy makes a table of the rows with these keys, as the live one has them, and a view of both that has the live one's name.
func (o *Overlay) copy(ctx context.Context, schema, table string, d projections.Definition, keys []string) error {
	key, live := pgx.Identifier{d.Key}.Sanitize(), d.In(schema)
	rows, covered := pgx.Identifier{standin.Schema, rowsOf(table)}.Sanitize(), pgx.Identifier{standin.Schema, keysOfTable(table)}.Sanitize()
	var b pgx.Batch
	b.Queue(fmt.Sprintf("CREATE TEMPORARY TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS, PRIMARY KEY (%s))", rows, live, key))
	b.Queue(fmt.Sprintf("CREATE TEMPORARY TABLE %s (key %s PRIMARY KEY)", covered, d.KeyType))
	if err := o.tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	b = pgx.Batch{}
	b.Queue(fmt.Sprintf("INSERT INTO %s SELECT unnest($1::text[])::%s", covered, d.KeyType), keys)
	b.Queue(fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM %[3]s WHERE %[4]s IN (SELECT key FROM %[5]s)", rows, d.ColumnList(), live, key, covered))
	b.Queue(fmt.Sprintf("CREATE TEMPORARY VIEW %s AS SELECT * FROM %s WHERE %s NOT IN (SELECT key FROM %s) UNION ALL SELECT * FROM %s",
		pgx.Identifier{standin.Schema, table}.Sanitize(), live, key, covered, rows))
	return o.tx.SendBatch(ctx, &b).Close()
}

// keysOf are the keys of the rows that events touch, each once.
func keysOf(d projections.Definition, events []eventstore.Event) []string {
	var keys []string
	for _, e := range events {
		if slices.Contains(d.Types, e.Type) {
			keys = append(keys, d.Keys(e)...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
