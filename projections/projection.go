package projections

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

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
	Tables   []model
}

// All are the shop's read models.
func All() []Projection {
	return []Projection{Catalog(), Stock(), Popularity(), Orders(), Rules(), Promocodes(), Content(), Posts(), Customers(), Reviews(), Restock(), Bonus(), Funnel(), Sales()}
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
		for _, e := range t.events() {
			types = append(types, e.EventType())
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Apply folds a batch of consecutive events into the live tables within tx. The caller's transaction moves the
// checkpoint too; Apply itself does not know whether it saw the events before.
func (p Projection) Apply(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
	return p.apply(ctx, tx, p.Name, events)
}

func (p Projection) apply(ctx context.Context, tx pgx.Tx, schema string, events []eventstore.Event) error {
	var pages []page
	for _, t := range p.Tables {
		if touched := t.touched(events, p.Metadata); touched != nil {
			pages = append(pages, touched)
		}
	}
	if len(pages) == 0 {
		return nil
	}
	var read, write pgx.Batch
	for _, page := range pages {
		page.read(&read, schema)
	}
	if err := tx.SendBatch(ctx, &read).Close(); err != nil {
		return fmt.Errorf("read rows of %s: %w", p.Name, err)
	}
	for _, page := range pages {
		if err := page.fold(); err != nil {
			return err
		}
		page.write(&write, schema)
	}
	if write.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &write).Close(); err != nil {
		return fmt.Errorf("write rows of %s: %w", p.Name, err)
	}
	return nil
}

// Fingerprint changes whenever the read model must be built anew; it is the edition of its consumer.
func (p Projection) Fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, p.Version, p.Types())
	for _, t := range p.Tables {
		table, indexes := t.create()
		fmt.Fprintln(h, table, indexes)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// createTables makes the projection's tables in a new schema. The schema's comment says what it was made from.
func (p Projection) createTables(ctx context.Context, tx pgx.Tx, schema string) error {
	statements := []string{
		"CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public",
		"CREATE SCHEMA " + quote(schema),
		fmt.Sprintf("COMMENT ON SCHEMA %s IS '%s'", quote(schema), p.Fingerprint()),
	}
	for _, t := range p.Tables {
		table, _ := t.create()
		statements = append(statements, table)
	}
	return inSchema(ctx, tx, schema, statements)
}

// createIndexes makes what is cheaper to make once the rows are in.
func (p Projection) createIndexes(ctx context.Context, tx pgx.Tx, schema string) error {
	var statements []string
	for _, t := range p.Tables {
		_, indexes := t.create()
		statements = append(statements, indexes)
	}
	return inSchema(ctx, tx, schema, statements)
}

// inSchema runs statements that name no schema.
func inSchema(ctx context.Context, tx pgx.Tx, schema string, statements []string) error {
	path := fmt.Sprintf("SET LOCAL search_path TO %s, public", quote(schema))
	for _, sql := range slices.Concat([]string{path}, statements, []string{"SET LOCAL search_path TO DEFAULT"}) {
		// The simple protocol takes several statements at once, as Indexes holds.
		if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("create %s: %w", schema, err)
		}
	}
	return nil
}

// asker runs a query; a pool and a transaction do.
type asker interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// made answers what a schema was made from; empty: there is no such schema.
func made(ctx context.Context, db asker, schema string) (string, error) {
	var comment string
	err := db.QueryRow(ctx, `SELECT coalesce(obj_description(oid, 'pg_namespace'), 'unknown') FROM pg_namespace WHERE nspname = $1`, schema).Scan(&comment)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return comment, err
}
