package past

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/projections"
	"shop/projections/standin"
)

// limits bound the memory of a fold: events that are read, rows and bytes of the tables.
type limits struct{ events, rows, bytes int }

var usual = limits{events: 3_000_000, rows: 300_000, bytes: 384 << 20}

// window is how many positions the log is read by, readers how many windows are read at once.
const (
	window  = 16_384
	readers = 2
)

// folding is a table on its way.
type folding struct {
	name string
	source
	def     projections.Definition
	wants   map[string]bool
	skipped map[eventstore.Position]bool
	rows    map[string]any
	// keys are those of rows in the order in which they came.
	keys []string
}

// fold makes those of some tables that a moment does not have yet, in one walk through the log.
func (p *Pasts) fold(ctx context.Context, m *moment, names []string) error {
	var tables []*folding
	for _, name := range names {
		if m.folded[name] {
			continue
		}
		from := p.book.of[name]
		f := &folding{name: name, source: from, def: from.table.Definition(), wants: map[string]bool{}, rows: map[string]any{}}
		for _, typ := range f.def.Types {
			f.wants[typ] = true
		}
		tables = append(tables, f)
	}
	if len(tables) == 0 {
		return nil
	}
	if err := p.skips(ctx, tables); err != nil {
		return err
	}
	if err := p.read(ctx, m.at, tables); err != nil {
		return fmt.Errorf("fold %s up to %d: %w", strings.Join(names, ", "), m.at, err)
	}
	err := pgx.BeginFunc(ctx, m.conn, func(tx pgx.Tx) error {
		size := 0
		for _, f := range tables {
			n, err := f.write(ctx, tx)
			if err != nil {
				return fmt.Errorf("write %s as it was: %w", f.name, err)
			}
			if size += n; size > p.most.bytes {
				return ErrTooMuch
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range tables {
		m.folded[f.name] = true
	}
	return nil
}

// skips learns which events staff let the read models leave out.
func (p *Pasts) skips(ctx context.Context, tables []*folding) error {
	of := map[string]map[eventstore.Position]bool{}
	for _, f := range tables {
		if of[f.model.Name] == nil {
			of[f.model.Name] = map[eventstore.Position]bool{}
		}
		f.skipped = of[f.model.Name]
	}
	rows, err := p.db.Query(ctx, "SELECT consumer, position FROM eventstore.dead_letters WHERE skipped_at IS NOT NULL")
	if err != nil {
		return fmt.Errorf("look for skipped events: %w", err)
	}
	var consumer string
	var at eventstore.Position
	_, err = pgx.ForEachRow(rows, []any{&consumer, &at}, func() error {
		if skipped := of[consumer]; skipped != nil {
			skipped[at] = true
		}
		return nil
	})
	return err
}

// read folds the log up to a position into rows in memory.
func (p *Pasts) read(ctx context.Context, at eventstore.Position, tables []*folding) error {
	q := eventstore.Scanning{UpTo: at, Range: -1, Closed: true, Window: window, Readers: readers}
	for _, f := range tables {
		q.Types, q.Metadata = append(q.Types, f.def.Types...), q.Metadata || f.model.Metadata
	}
	slices.Sort(q.Types)
	q.Types = slices.Compact(q.Types)
	events := 0
	return p.store.Scan(ctx, q, func(batch []eventstore.Event, _ eventstore.Position) error {
		rows := 0
		for _, f := range tables {
			if err := f.add(batch); err != nil {
				return err
			}
			rows += len(f.keys)
		}
		if events += len(batch); events > p.most.events || rows > p.most.rows {
			return ErrTooMuch
		}
		return nil
	})
}

// add folds events.
func (f *folding) add(events []eventstore.Event) error {
	for _, e := range events {
		if !f.wants[e.Type] || f.skipped[e.Position] {
			continue
		}
		if !f.model.Metadata {
			e.Metadata = eventstore.Metadata{}
		}
		for _, key := range f.def.Keys(e) {
			row, known := f.rows[key]
			if row == nil {
				row = f.table.NewRow()
			}
			if !known {
				f.keys = append(f.keys, key)
			}
			keep, err := f.table.FoldRow(key, row, e)
			if err != nil {
				return err
			}
			if f.rows[key] = row; !keep {
				f.rows[key] = nil
			}
		}
	}
	return nil
}

// write makes the temporary table of the rows, and answers how many bytes they have.
func (f *folding) write(ctx context.Context, tx pgx.Tx) (int, error) {
	if err := f.create(ctx, tx); err != nil {
		return 0, err
	}
	def := f.table.Renamed(f.name).Definition()
	encoding, err := projections.RowEncodingOf(ctx, tx, reflect.TypeOf(f.table.NewRow()).Elem(), def, standin.Schema)
	if err != nil {
		return 0, err
	}
	out := []byte(projections.CopyHeader)
	for _, key := range f.keys {
		row := f.rows[key]
		if row == nil {
			continue // it was removed
		}
		if out, err = encoding.Append(out, reflect.ValueOf(row).Elem()); err != nil {
			return 0, err
		}
	}
	out = append(out, projections.CopyTrailer...)
	f.rows, f.keys = nil, nil
	if _, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(out), "COPY "+def.In(standin.Schema)+" ("+def.ColumnList()+") FROM STDIN (FORMAT binary)"); err != nil {
		return 0, err
	}
	if err := f.impersonal(ctx, tx); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, "ANALYZE "+def.In(standin.Schema))
	return len(out), err
}

// impersonal drops the columns that would hold personal data: they are empty, and a statement that names one is to fail.
func (f *folding) impersonal(ctx context.Context, tx pgx.Tx) error {
	if len(f.def.Personal) == 0 {
		return nil
	}
	drops := make([]string, len(f.def.Personal))
	for i, column := range f.def.Personal {
		drops[i] = "DROP COLUMN " + pgx.Identifier{column}.Sanitize()
	}
	_, err := tx.Exec(ctx, "ALTER TABLE "+pgx.Identifier{standin.Schema, f.name}.Sanitize()+" "+strings.Join(drops, ", "))
	return err
}

// create makes the empty table as the live one is, without what searches in texts need: it takes longer to make than all the rest.
func (f *folding) create(ctx context.Context, tx pgx.Tx) error {
	table := pgx.Identifier{standin.Schema, f.name}.Sanitize()
	live := pgx.Identifier(strings.SplitN(f.name, ".", 2)).Sanitize()
	if _, err := tx.Exec(ctx, "CREATE TEMPORARY TABLE "+table+" (LIKE "+live+" INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING INDEXES)"); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT 'DROP INDEX ' || i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
		WHERE i.indrelid = $1::text::regclass AND m.amname <> 'btree'`, table)
	if err != nil {
		return err
	}
	drops, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if rows, err = tx.Query(ctx, `SELECT 'ALTER TABLE ' || $1::text || ' DROP COLUMN ' || quote_ident(attname) FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND atttypid = 'tsvector'::regtype`, table); err != nil {
		return err
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, sql := range slices.Concat(drops, columns) {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
