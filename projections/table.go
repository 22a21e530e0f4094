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

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/eventstore"
)

// Table is one table of a read model: a pure fold of events into rows of type R.
//
// The JSON names of R's fields are the table's columns; columns that are not among them are the database's own
// (generated). R must be rebuilt by Fold without looking at slices or maps it shares with another row.
type Table[R any] struct {
	// Name is the table's name, DDL the statement that creates it, both without a schema.
	Name, DDL string
	// Indexes are statements that a rebuild runs after the rows are in; empty: none.
	Indexes string
	// Key is the primary key's column, KeyType its type in PostgreSQL.
	Key, KeyType string
	// Personal are the columns that hold personal data. Reports of differences mask them, PostgreSQL keeps no statistics of
	// them, and nothing is kept beside the live read model once somebody is erased.
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

// model is a Table without its row type.
type model interface {
	create() (table, indexes string)
	name() string
	events() []domain.Event
	touched(events []eventstore.Event, metadata bool) page
	columns() []string
	key() string
	personal() []string
	bulk(ctx context.Context, db *pgxpool.Pool, schema string, begun bool) (bulk, error)
	keyType() string
	// shared says that several streams fold into one row; if not, stream names a row's.
	shared() bool
	stream(key string) string
	keysOf(eventstore.Event) []string
	states(events []eventstore.Event, personal bool) ([]json.RawMessage, error)
}

// page is the part of a table that a batch of events touches.
type page interface {
	// read queues the SELECT, fold is called when it has been answered, write queues what changed.
	read(b *pgx.Batch, schema string)
	fold() error
	write(b *pgx.Batch, schema string)
	// fresh folds as if nothing were stored, only does so for some keys.
	fresh() (keys []string, docs [][]byte, err error)
	only(has func(key string) bool) (docs [][]byte, err error)
}

func (t Table[R]) name() string       { return t.Name }
func (t Table[R]) key() string        { return t.Key }
func (t Table[R]) personal() []string { return t.Personal }
func (t Table[R]) create() (string, string) {
	return t.DDL + unsampled(t.Name, t.Personal), t.Indexes
}
func (t Table[R]) events() []domain.Event { return t.Events }

func (t Table[R]) columns() []string {
	var names []string
	for field := range reflect.TypeFor[R]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// touched groups events by the rows they touch; nil when they touch none. Folds see metadata only when it is asked for.
func (t Table[R]) touched(events []eventstore.Event, metadata bool) page {
	p := &rows[R]{table: t, byKey: map[string]*row[R]{}}
	for _, e := range events {
		if !t.wants(e) {
			continue
		}
		if !metadata {
			e.Metadata = eventstore.Metadata{}
		}
		for _, key := range t.Keys(e) {
			r := p.byKey[key]
			if r == nil {
				r = &row[R]{}
				p.byKey[key] = r
			}
			r.events = append(r.events, e)
		}
	}
	if len(p.byKey) == 0 {
		return nil
	}
	p.keys = slices.Sorted(maps.Keys(p.byKey))
	return p
}

func (t Table[R]) wants(e eventstore.Event) bool {
	return slices.ContainsFunc(t.Events, func(want domain.Event) bool { return want.EventType() == e.Type })
}

// rows is a page in memory.
type rows[R any] struct {
	table Table[R]
	keys  []string
	byKey map[string]*row[R]
	// added, changed and removed are what fold found.
	added, changed [][]byte
	removed        []string
}

type row[R any] struct {
	value  R
	stored bool
	events []eventstore.Event
}

func (p *rows[R]) read(b *pgx.Batch, schema string) {
	t := p.table
	b.Queue(t.selectByKey(schema), p.keys).Query(func(found pgx.Rows) error {
		var key string
		var doc []byte
		_, err := pgx.ForEachRow(found, []any{&key, &doc}, func() error {
			r := p.byKey[key]
			if r == nil {
				return fmt.Errorf("table %s answers key %q, which is not how Keys spells it", t.Name, key)
			}
			r.stored = true
			return json.Unmarshal(doc, &r.value)
		})
		return err
	})
}

// selectByKey answers key and row, as JSON, of the keys in $1; deleteByKey removes them.
func (t Table[R]) selectByKey(schema string) string {
	return fmt.Sprintf(`SELECT r.%[1]s::text, row_to_json(r) FROM (SELECT %[2]s FROM %[3]s WHERE %[1]s = ANY($1::text[]::%[4]s[])) r`,
		quote(t.Key), list(t.columns(), ""), within(schema, t.Name), t.KeyType)
}

func (t Table[R]) deleteByKey(schema string) string {
	return fmt.Sprintf(`DELETE FROM %s WHERE %s = ANY($1::text[]::%s[])`, within(schema, t.Name), quote(t.Key), t.KeyType)
}

func (p *rows[R]) fold() error {
	for _, key := range p.keys {
		r := p.byKey[key]
		var before []byte
		var err error
		if r.stored {
			if before, err = json.Marshal(r.value); err != nil {
				return fmt.Errorf("encode row %s of %s: %w", key, p.table.Name, err)
			}
		}
		keep := r.stored
		for _, e := range r.events {
			if keep, err = p.table.foldOne(key, &r.value, e); err != nil {
				return err
			}
			if !keep {
				r.value = *new(R)
			}
		}
		if !keep {
			if r.stored {
				p.removed = append(p.removed, key)
			}
			continue
		}
		after, err := json.Marshal(r.value)
		if err != nil {
			return fmt.Errorf("encode row %s of %s: %w", key, p.table.Name, err)
		}
		switch {
		case !r.stored:
			p.added = append(p.added, after)
		case !bytes.Equal(before, after):
			p.changed = append(p.changed, after)
		}
	}
	return nil
}

// foldOne folds an event and turns a panic into an error that names it.
func (t Table[R]) foldOne(key string, row *R, e eventstore.Event) (keep bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("fold %s at position %d into %s of %s: %v\n%s", e.Type, e.Position, key, t.Name, r, debug.Stack())
		}
	}()
	return t.Fold(key, row, e), nil
}

func (p *rows[R]) write(b *pgx.Batch, schema string) {
	t := p.table
	columns := t.columns()
	insert := fmt.Sprintf(`INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM json_populate_recordset(NULL::%[1]s, $1::json)`, within(schema, t.Name), list(columns, ""))
	added, changed := p.added, p.changed
	if t.Stream == nil { // who folds another stream may add the row meanwhile
		added, changed = nil, slices.Concat(added, changed)
	}
	if len(added) > 0 {
		b.Queue(insert, array(added))
	}
	if len(changed) > 0 {
		b.Queue(insert+fmt.Sprintf(` ON CONFLICT (%s) DO UPDATE SET (%s) = ROW(%s)`, quote(t.Key), list(columns, ""), list(columns, "EXCLUDED.")), array(changed))
	}
	if len(p.removed) > 0 {
		b.Queue(t.deleteByKey(schema), p.removed)
	}
}

// array joins JSON documents into one JSON array.
func array(docs [][]byte) []byte {
	return slices.Concat([]byte("["), bytes.Join(docs, []byte(",")), []byte("]"))
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func within(schema, table string) string { return pgx.Identifier{schema, table}.Sanitize() }

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

// afterPrefix makes Keys for tables whose key is the rest of the stream's name.
func afterPrefix(prefix string) func(eventstore.Event) []string {
	return func(e eventstore.Event) []string { return []string{strings.TrimPrefix(e.Stream, prefix)} }
}

// prefixed makes Stream for them.
func prefixed(prefix string) func(string) string {
	return func(key string) string { return prefix + key }
}
