package projections

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// Projection is a read model: tables in a schema that has its name. The name is also its consumer's name.
type Projection struct {
	Name string
	// Version grows when a fold changes its mind about the past, so that the read model is built anew.
	// A change of a table's definition does that by itself.
	Version int
	// Metadata: the folds look at the events' metadata. Without it they see none, and a build does not read it.
	Metadata bool
	// Rest is the least pause of the live fold between transactions (feed.Consumer.Rest). 0: none. It is for what analysts read,
	// and for sums over months.
	Rest time.Duration
	// Schemas are the schemas, by stored name, that changed what older events say since the read model's first version; a schema
	// that only adds fields is none of them. A test compares it with the registry.
	Schemas map[string]int
	Tables  []AnyTable
}

// analyticRest is the Rest of read models that no shopper waits for: a fold of seconds writes each row once instead of many times.
const analyticRest = 2 * time.Second

// All are the shop's read models.
func All() []Projection {
	return []Projection{Catalog(), Stock(), Popularity(), Orders(), Rules(), Settings(), Promocodes(), Content(), Documents(), Posts(), Customers(), Reviews(), Restock(), Packing(), Changes(), Bonus(), Funnel(), Sales()}
}

// Named finds a read model.
func Named(name string) (Projection, bool) {
	i := slices.IndexFunc(All(), func(p Projection) bool { return p.Name == name })
	if i < 0 {
		return Projection{}, false
	}
	return All()[i], true
}

// Types are the stored names of the events that matter; a feed may leave out all others.
func (p Projection) Types() []string {
	var types []string
	for _, t := range p.Tables {
		types = append(types, t.Definition().Types...)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Personal says that a table has columns with personal data.
func (p Projection) Personal() bool {
	return slices.ContainsFunc(p.Tables, func(t AnyTable) bool { return len(t.Definition().Personal) > 0 })
}

// Apply folds a batch of consecutive events into the live tables within tx. The caller's transaction moves the
// checkpoint too; Apply itself does not know whether it saw the events before.
func (p Projection) Apply(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
	return p.ApplyTo(ctx, tx, p.Name, events)
}

// ApplyTo is Apply for tables in a schema of another name, which CreateTables made.
func (p Projection) ApplyTo(ctx context.Context, tx pgx.Tx, schema string, events []eventstore.Event) error {
	var batches []tableBatch
	for _, t := range p.Tables {
		if b := t.batch(events, p.Metadata); b != nil {
			batches = append(batches, b)
		}
	}
	if len(batches) == 0 {
		return nil
	}
	var read, write pgx.Batch
	for _, b := range batches {
		b.read(&read, schema)
	}
	if read.Len() > 0 {
		if err := tx.SendBatch(ctx, &read).Close(); err != nil {
			return fmt.Errorf("read rows of %s: %w", p.Name, err)
		}
	}
	for _, b := range batches {
		if err := b.fold(); err != nil {
			return err
		}
		if err := b.write(&write, schema); err != nil {
			return err
		}
	}
	if write.Len() > 0 {
		if err := tx.SendBatch(ctx, &write).Close(); err != nil {
			return fmt.Errorf("write rows of %s: %w", p.Name, err)
		}
	}
	for _, b := range batches {
		if err := b.copy(ctx, tx, schema); err != nil {
			return fmt.Errorf("add rows of %s: %w", p.Name, err)
		}
	}
	return nil
}

// Fingerprint changes whenever the read model must be built anew; it is the edition of its consumer.
func (p Projection) Fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, p.Version, p.Types())
	if len(p.Schemas) > 0 {
		fmt.Fprintln(h, p.Schemas)
	}
	for _, t := range p.Tables {
		d := t.Definition()
		fmt.Fprintln(h, d.DDL, d.Indexes)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// CreateTables makes the projection's tables in a new schema. The schema's comment is the projection's fingerprint.
func (p Projection) CreateTables(ctx context.Context, tx pgx.Tx, schema string) error {
	statements := []string{
		"CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public",
		"CREATE SCHEMA " + quote(schema),
		fmt.Sprintf("COMMENT ON SCHEMA %s IS '%s'", quote(schema), p.Fingerprint()),
	}
	for _, t := range p.Tables {
		statements = append(statements, t.Definition().DDL)
	}
	if err := InSchema(ctx, tx, schema, statements); err != nil {
		return err
	}
	return p.leaveOutDocuments(ctx, tx, schema)
}

// leaveOutDocuments keeps columns of type jsonb that no index is made of out of the planner's statistics. No query chooses rows by them,
// and sorting samples of long documents takes a good part of an ANALYZE.
func (p Projection) leaveOutDocuments(ctx context.Context, tx pgx.Tx, schema string) error {
	rows, _ := tx.Query(ctx, `SELECT c.relname::text, a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND a.atttypid = 'jsonb'::regtype AND a.attnum > 0`, quote(schema))
	documents := map[string][]string{}
	var table, column string
	_, err := pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		documents[table] = append(documents[table], column)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for documents of %s: %w", schema, err)
	}
	var statements []string
	for _, t := range p.Tables {
		d := t.Definition()
		left := slices.DeleteFunc(documents[d.Name], func(column string) bool {
			return regexp.MustCompile(`\b` + regexp.QuoteMeta(column) + `\b`).MatchString(d.Indexes)
		})
		if len(left) > 0 {
			statements = append(statements, withoutStatistics(d.Name, left))
		}
	}
	return InSchema(ctx, tx, schema, statements)
}

// commentLine is a line of SQL that is a comment.
var commentLine = regexp.MustCompile(`(?m)^\s*--.*$`)

// IndexStatements are what CreateIndexes runs, one by one: those that make an index, which may run at once, and those that follow them.
func (p Projection) IndexStatements() (indexes, after []string) {
	for _, t := range p.Tables {
		for statement := range strings.SplitSeq(commentLine.ReplaceAllString(t.Definition().Indexes, ""), ";") {
			switch statement = strings.TrimSpace(statement); {
			case strings.HasPrefix(statement, "CREATE "):
				indexes = append(indexes, statement)
			case statement != "":
				after = append(after, statement)
			}
		}
	}
	return indexes, after
}

// CreateIndexes makes the indexes, which is cheaper once the rows are in.
func (p Projection) CreateIndexes(ctx context.Context, tx pgx.Tx, schema string) error {
	var statements []string
	for _, t := range p.Tables {
		statements = append(statements, t.Definition().Indexes)
	}
	return InSchema(ctx, tx, schema, statements)
}

// InSchema runs statements whose tables and indexes are those of a schema, which they do not name.
func InSchema(ctx context.Context, tx pgx.Tx, schema string, statements []string) error {
	path := fmt.Sprintf("SET LOCAL search_path TO %s, public", quote(schema))
	for _, sql := range slices.Concat([]string{path}, statements, []string{"SET LOCAL search_path TO DEFAULT"}) {
		// The simple protocol takes several statements at once, as Indexes holds.
		if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("create %s: %w", schema, err)
		}
	}
	return nil
}

// rowQuerier is a pool, a connection or a transaction.
type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// MadeFrom returns the fingerprint of the projection that a schema was made from. Empty: there is no such schema.
func MadeFrom(ctx context.Context, db rowQuerier, schema string) (string, error) {
	var comment string
	err := db.QueryRow(ctx, `SELECT coalesce(obj_description(oid, 'pg_namespace'), 'unknown') FROM pg_namespace WHERE nspname = $1`, schema).Scan(&comment)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return comment, err
}

// States are what a stream's events make of its row in a table of a read model, such as orders.orders: the row after each
// event, null while there is none. Personal columns are masked unless they are asked for.
func States(projection, table string, events []eventstore.Event, personal bool) ([]json.RawMessage, error) {
	p, ok := Named(projection)
	if !ok {
		return nil, fmt.Errorf("there is no projection %q", projection)
	}
	for _, t := range p.Tables {
		if t.Definition().Name == table {
			return t.states(events, personal)
		}
	}
	return nil, fmt.Errorf("projection %s has no table %q", projection, table)
}
