package projections

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/domain"
	"shop/eventstore"
)

// Table is one table of a read model: a pure fold of events into rows of type R.
//
// The JSON names of R's fields are the table's columns; columns that are not among them are the database's own
// (generated). R must be rebuilt by Fold without looking at slices or maps it shares with another row.
type Table[R any] struct {
	// Name is the table's name, DDL the statement that creates it (createTable), both without a schema.
	Name, DDL string
	// Indexes are statements that a rebuild runs after the rows are in; empty: none.
	Indexes string
	// Key is the primary key's column, KeyType its type in PostgreSQL.
	Key, KeyType string
	// Personal are the columns that hold personal data. Reports of differences mask them, PostgreSQL keeps no statistics of
	// them, and nothing is kept beside the live read model once a person is erased.
	Personal []string
	// Events are the types that matter, as zero values; Keys and Fold see no others.
	Events []domain.Event
	// Keys names the rows an event touches; nil: none.
	Keys func(eventstore.Event) []string
	// Stream names the one stream that the row with this key is folded from; nil: several streams share rows, which
	// must then hold nothing personal.
	Stream func(key string) string
	// Fold applies an event to the row with this key, zero if there was none. False removes the row.
	Fold func(key string, row *R, event eventstore.Event) (keep bool)
}

// AnyTable is a Table whatever the type of its rows. Only Table implements it.
type AnyTable interface {
	// Definition says what the table is made of.
	Definition() Definition
	// Renamed is the table with the same rows under another name. Its DDL still makes the former one.
	Renamed(name string) AnyTable
	// NewRow returns a pointer to an empty row.
	NewRow() any
	// FoldRow folds an event of one of the table's types into a row that NewRow made. When the event removes the row,
	// FoldRow empties it and returns false. A panic of the fold is returned as an error that names the event.
	FoldRow(key string, row any, e eventstore.Event) (keep bool, err error)
	// FoldFresh folds events as if the table were empty, and returns the keys that they touch and the rows, as a JSON
	// array. It leaves out keys that wanted refuses; nil wants all.
	FoldFresh(events []eventstore.Event, metadata bool, wanted func(key string) bool) (keys []string, rows []byte, err error)

	batch(events []eventstore.Event, metadata bool) tableBatch
	states(events []eventstore.Event, personal bool) ([]json.RawMessage, error)
}

// Definition is what a table is made of, but for its fold. The fields that Table has too mean the same here.
type Definition struct {
	Name, DDL, Indexes string
	Key, KeyType       string
	// Columns are those that folds write, in the order of the row's fields.
	Columns  []string
	Personal []string
	// Types are the stored names of the events that matter.
	Types  []string
	Keys   func(eventstore.Event) []string
	Stream func(key string) string
}

// In is the table's name in a schema, for SQL.
func (d Definition) In(schema string) string { return pgx.Identifier{schema, d.Name}.Sanitize() }

// ColumnList is Columns for SQL.
func (d Definition) ColumnList() string { return list(d.Columns, "") }

// SelectByKey is a statement that returns key and row, as JSON, of the rows whose keys are in $1.
func (d Definition) SelectByKey(schema string) string {
	return fmt.Sprintf(`SELECT r.%[1]s::text, row_to_json(r) FROM (SELECT %[2]s FROM %[3]s WHERE %[1]s = ANY($1::text[]::%[4]s[])) r`,
		quote(d.Key), d.ColumnList(), d.In(schema), d.KeyType)
}

// DeleteByKey is a statement that removes the rows whose keys are in $1.
func (d Definition) DeleteByKey(schema string) string {
	return fmt.Sprintf(`DELETE FROM %s WHERE %s = ANY($1::text[]::%s[])`, d.In(schema), quote(d.Key), d.KeyType)
}

// Definition says what the table is made of.
func (t Table[R]) Definition() Definition {
	d := Definition{Name: t.Name, DDL: t.DDL, Indexes: t.Indexes, Key: t.Key, KeyType: t.KeyType, Personal: t.Personal, Keys: t.Keys, Stream: t.Stream}
	if len(t.Personal) > 0 {
		d.DDL += ";\n" + withoutStatistics(t.Name, t.Personal)
	}
	for field := range reflect.TypeFor[R]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		d.Columns = append(d.Columns, name)
	}
	for _, e := range t.Events {
		d.Types = append(d.Types, e.EventType())
	}
	return d
}

// Renamed is the table with the same rows under another name.
func (t Table[R]) Renamed(name string) AnyTable {
	t.Name = name
	return t
}

// NewRow returns a pointer to an empty row.
func (t Table[R]) NewRow() any { return new(R) }

// FoldRow folds an event into a row that NewRow made.
func (t Table[R]) FoldRow(key string, row any, e eventstore.Event) (keep bool, err error) {
	return t.foldRow(key, row.(*R), e)
}

// foldRow empties a row that the event removes, and turns a panic of the fold into an error that names the event.
func (t Table[R]) foldRow(key string, row *R, e eventstore.Event) (keep bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("fold %s at position %d into %s of %s: %v\n%s", e.Type, e.Position, key, t.Name, r, debug.Stack())
		}
	}()
	if keep = t.Fold(key, row, e); !keep {
		*row = *new(R)
	}
	return keep, nil
}

// FoldFresh folds events as if the table were empty.
func (t Table[R]) FoldFresh(events []eventstore.Event, metadata bool, wanted func(string) bool) (keys []string, rows []byte, err error) {
	b := t.group(events, metadata)
	if wanted != nil {
		b.keys = slices.DeleteFunc(b.keys, func(key string) bool { return !wanted(key) })
	}
	if err := b.fold(); err != nil {
		return nil, nil, err
	}
	docs, err := b.documents()
	return b.keys, array(docs), err
}

// tableBatch is the part of a table that a batch of events touches.
type tableBatch interface {
	// read queues the SELECT of the rows touched. fold is called when it has been answered; write queues what changed, and copy
	// adds the rows that write left out.
	read(b *pgx.Batch, schema string)
	fold() error
	write(b *pgx.Batch, schema string) error
	copy(ctx context.Context, tx pgx.Tx, schema string) error
}

// batch is nil when the events touch no row.
func (t Table[R]) batch(events []eventstore.Event, metadata bool) tableBatch {
	if b := t.group(events, metadata); len(b.keys) > 0 {
		return b
	}
	return nil
}

// group groups events by the rows they touch. Folds see metadata only when the projection asks for it.
func (t Table[R]) group(events []eventstore.Event, metadata bool) *rowBatch[R] {
	b := &rowBatch[R]{table: t, byKey: map[string]*batchRow[R]{}}
	for _, e := range events {
		if !t.wants(e) {
			continue
		}
		if !metadata {
			e.Metadata = eventstore.Metadata{}
		}
		for _, key := range t.Keys(e) {
			r := b.byKey[key]
			if r == nil {
				r = &batchRow[R]{}
				b.byKey[key] = r
			}
			r.events = append(r.events, e)
		}
	}
	b.keys = slices.Sorted(maps.Keys(b.byKey))
	return b
}

func (t Table[R]) wants(e eventstore.Event) bool {
	return slices.ContainsFunc(t.Events, func(want domain.Event) bool { return want.EventType() == e.Type })
}

// rowBatch is the tableBatch of a Table.
type rowBatch[R any] struct {
	table Table[R]
	keys  []string
	byKey map[string]*batchRow[R]
	// added, changed and removed are what fold found; added are in the order of their keys.
	added   []*batchRow[R]
	changed [][]byte
	removed []string
}

type batchRow[R any] struct {
	value  R
	stored bool
	events []eventstore.Event
}

func (b *rowBatch[R]) read(batch *pgx.Batch, schema string) {
	d := b.table.Definition()
	keys := slices.DeleteFunc(slices.Clone(b.keys), b.isNew)
	if len(keys) == 0 {
		return
	}
	batch.Queue(d.SelectByKey(schema), keys).Query(func(found pgx.Rows) error {
		var key string
		var doc []byte
		_, err := pgx.ForEachRow(found, []any{&key, &doc}, func() error {
			r := b.byKey[key]
			if r == nil {
				return fmt.Errorf("table %s answers key %q, which is not how Keys spells it", d.Name, key)
			}
			r.stored = true
			return json.Unmarshal(doc, &r.value)
		})
		return err
	})
}

// isNew says that a row cannot be stored: the first event of the only stream that it is folded from is in the batch.
func (b *rowBatch[R]) isNew(key string) bool {
	first := &b.byKey[key].events[0]
	return b.table.Stream != nil && first.Version == 1 && first.Stream == b.table.Stream(key)
}

func (b *rowBatch[R]) fold() error {
	for _, key := range b.keys {
		r := b.byKey[key]
		var before []byte
		var err error
		if r.stored {
			if before, err = json.Marshal(r.value); err != nil {
				return fmt.Errorf("encode row %s of %s: %w", key, b.table.Name, err)
			}
		}
		keep := r.stored
		for _, e := range r.events {
			if keep, err = b.table.foldRow(key, &r.value, e); err != nil {
				return err
			}
		}
		if !keep {
			if r.stored {
				b.removed = append(b.removed, key)
			}
			continue
		}
		if !r.stored {
			b.added = append(b.added, r)
			continue
		}
		after, err := json.Marshal(r.value)
		if err != nil {
			return fmt.Errorf("encode row %s of %s: %w", key, b.table.Name, err)
		}
		if !bytes.Equal(before, after) {
			b.changed = append(b.changed, after)
		}
	}
	return nil
}

// documents are the added rows as JSON.
func (b *rowBatch[R]) documents() ([][]byte, error) {
	docs := make([][]byte, len(b.added))
	for i, r := range b.added {
		var err error
		if docs[i], err = json.Marshal(r.value); err != nil {
			return nil, fmt.Errorf("encode a row of %s: %w", b.table.Name, err)
		}
	}
	return docs, nil
}

// copiedAtLeast is how many new rows a COPY is worth, which takes a round trip of its own and half of what the server takes for
// rows in JSON.
const copiedAtLeast = 8

// copies says that the added rows come by COPY. Rows that the fold of another stream may add meanwhile cannot.
func (b *rowBatch[R]) copies() bool { return b.table.Stream != nil && len(b.added) >= copiedAtLeast }

func (b *rowBatch[R]) write(batch *pgx.Batch, schema string) error {
	d := b.table.Definition()
	insert := fmt.Sprintf(`INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM json_populate_recordset(NULL::%[1]s, $1::json)`, d.In(schema), d.ColumnList())
	var added [][]byte
	if !b.copies() {
		var err error
		if added, err = b.documents(); err != nil {
			return err
		}
	}
	changed := b.changed
	if d.Stream == nil { // the fold of another stream may add the row meanwhile
		added, changed = nil, slices.Concat(added, changed)
	}
	if len(added) > 0 {
		batch.Queue(insert, array(added))
	}
	if len(changed) > 0 {
		batch.Queue(insert+fmt.Sprintf(` ON CONFLICT (%s) DO UPDATE SET (%s) = ROW(%s)`, quote(d.Key), d.ColumnList(), list(d.Columns, "EXCLUDED.")), array(changed))
	}
	if len(b.removed) > 0 {
		batch.Queue(d.DeleteByKey(schema), b.removed)
	}
	return nil
}

func (b *rowBatch[R]) copy(ctx context.Context, tx pgx.Tx, schema string) error {
	if !b.copies() {
		return nil
	}
	d := b.table.Definition()
	encoding, err := knownRowEncoding(ctx, tx, reflect.TypeFor[R](), d, schema)
	if err != nil {
		return err
	}
	rows := []byte(CopyHeader)
	for _, r := range b.added {
		if rows, err = encoding.Append(rows, reflect.ValueOf(&r.value).Elem()); err != nil {
			return fmt.Errorf("a row of %s: %w", d.Name, err)
		}
	}
	rows = append(rows, CopyTrailer...)
	_, err = tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(rows), fmt.Sprintf("COPY %s (%s) FROM STDIN (FORMAT binary)", d.In(schema), d.ColumnList()))
	return err
}

// array joins JSON documents into one JSON array.
func array(docs [][]byte) []byte {
	return slices.Concat([]byte("["), bytes.Join(docs, []byte(",")), []byte("]"))
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func list(columns []string, prefix string) string {
	var b strings.Builder
	for i, c := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(prefix)
		b.WriteString(quote(c))
	}
	return b.String()
}

// Masked stands for a value of a personal column that is not shown.
const Masked = `"•••"`

func (t Table[R]) states(events []eventstore.Event, personal bool) ([]json.RawMessage, error) {
	var row R
	there := false
	states := make([]json.RawMessage, len(events))
	for i, e := range events {
		if t.wants(e) {
			for _, key := range t.Keys(e) {
				if there = t.Fold(key, &row, e); !there {
					row = *new(R)
				}
			}
		}
		states[i] = json.RawMessage("null")
		if !there {
			continue
		}
		var err error
		if states[i], err = t.shown(&row, personal); err != nil {
			return nil, fmt.Errorf("row of %s after event %d: %w", t.Name, e.Position, err)
		}
	}
	return states, nil
}

// shown is a row as JSON. Personal columns that hold something are masked.
func (t Table[R]) shown(row *R, personal bool) (json.RawMessage, error) {
	text, err := json.Marshal(row)
	if err != nil || personal || len(t.Personal) == 0 {
		return text, err
	}
	var columns map[string]json.RawMessage
	if err := json.Unmarshal(text, &columns); err != nil {
		return nil, err
	}
	for _, name := range t.Personal {
		if said := string(columns[name]); said != `""` && said != "null" && said != "" {
			columns[name] = json.RawMessage(Masked)
		}
	}
	return json.Marshal(columns)
}

// keyAfter makes Keys for tables whose key is the rest of the stream's name.
func keyAfter(prefix string) func(eventstore.Event) []string {
	return func(e eventstore.Event) []string { return []string{strings.TrimPrefix(e.Stream, prefix)} }
}

// streamOf makes Stream for them.
func streamOf(prefix string) func(string) string {
	return func(key string) string { return prefix + key }
}

// withoutStatistics is the statement that keeps columns out of PostgreSQL's statistics: personal ones, whose values it would remember
// after their rows are gone, and documents.
func withoutStatistics(table string, columns []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ALTER TABLE %s", quote(table))
	for i, column := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " ALTER COLUMN %s SET STATISTICS 0", quote(column))
	}
	return b.String()
}

// timeOrNil is nil for the zero time, so that it is stored as null.
func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// dayOf is a moment's day in Almaty, YYYY-MM-DD.
func dayOf(at time.Time) string { return at.In(domain.Almaty).Format(time.DateOnly) }

// monthOf is the first day of a moment's month in Almaty, YYYY-MM-DD.
func monthOf(t time.Time) string { return t.In(domain.Almaty).Format("2006-01") + "-01" }
