package rebuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/projections"
)

// bulkTable keeps rows of one table in memory while a build folds: those of its worker's ranges.
type bulkTable struct {
	table  projections.AnyTable
	d      projections.Definition
	schema string
	wants  map[string]bool
	rows   map[string]*bulkRow
	// dirty are the rows that the table does not have as they are, in the order of their first change.
	dirty []*bulkRow
	// pending are the folds of the present batch.
	pending []pendingFold
	bytes   int64
	// hadRows: the table had rows when the build went on with it, so that any key may be stored. Otherwise evicted knows the
	// keys that may be stored but are not in memory; nil: none.
	hadRows bool
	evicted *bloomFilter
	// flushes counts.
	flushes int64
	encode  projections.RowEncoding
	sizeOf  sizer
}

type bulkRow struct {
	key string
	// value is a pointer that the table's NewRow made.
	value any
	// exists: the fold wants the row; stored: the table has one.
	exists, stored, dirty bool
	bytes                 int64
	// touched is how many flushes there were when an event touched it last.
	touched int64
}

// pendingFold is an event to be folded into a row.
type pendingFold struct {
	row   *bulkRow
	event *eventstore.Event
}

func newBulkTable(ctx context.Context, db *pgxpool.Pool, t projections.AnyTable, schema string, hadRows bool) (*bulkTable, error) {
	b := &bulkTable{table: t, d: t.Definition(), schema: schema, hadRows: hadRows, wants: map[string]bool{}, rows: map[string]*bulkRow{}}
	for _, name := range b.d.Types {
		b.wants[name] = true
	}
	row := reflect.TypeOf(t.NewRow()).Elem()
	var err error
	if b.encode, err = projections.RowEncodingOf(ctx, db, row, b.d, schema); err != nil {
		return nil, err
	}
	b.sizeOf = sizerOf(row, 0)
	return b, nil
}

// collect groups events by rows, and queues the query for rows that may be stored but are not in memory. fold is called
// when that has been answered.
func (b *bulkTable) collect(events []eventstore.Event, read *pgx.Batch) (err error) {
	var at *eventstore.Event
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("keys of %s at position %d in %s: %v\n%s", at.Type, at.Position, b.d.Name, r, debug.Stack())
		}
	}()
	b.pending = b.pending[:0]
	var missing []string
	for i := range events {
		if at = &events[i]; !b.wants[at.Type] {
			continue
		}
		for _, key := range b.d.Keys(*at) {
			row := b.rows[key]
			if row == nil {
				row = &bulkRow{key: key, value: b.table.NewRow()}
				b.rows[key] = row
				if b.hadRows || b.evicted.has(key) {
					missing = append(missing, key)
				}
			}
			row.touched = b.flushes
			b.pending = append(b.pending, pendingFold{row, at})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	read.Queue(b.d.SelectByKey(b.schema), missing).Query(func(found pgx.Rows) error {
		var key string
		var doc []byte
		_, err := pgx.ForEachRow(found, []any{&key, &doc}, func() error {
			row := b.rows[key]
			if row == nil {
				return fmt.Errorf("table %s answers key %q, which is not how Keys spells it", b.d.Name, key)
			}
			row.exists, row.stored = true, true
			return json.Unmarshal(doc, row.value)
		})
		return err
	})
	return nil
}

// fold folds the pending events into their rows.
func (b *bulkTable) fold() (err error) {
	for i := range b.pending {
		row := b.pending[i].row
		if row.exists, err = b.table.FoldRow(row.key, row.value, *b.pending[i].event); err != nil {
			return err
		}
		if !row.dirty {
			row.dirty = true
			b.dirty = append(b.dirty, row)
		}
	}
	for i := range b.pending {
		row := b.pending[i].row
		bytes := b.sizeOf.of(reflect.ValueOf(row.value).Elem()) + int64(len(row.key)) + rowOverhead
		b.bytes += bytes - row.bytes
		row.bytes = bytes
	}
	b.pending = b.pending[:0]
	return nil
}

// rowOverhead is about how many bytes a row takes beside its value and its key: in the map, among the dirty ones.
const rowOverhead = 130

// flush writes the dirty rows. committed is called once the transaction is.
func (b *bulkTable) flush(ctx context.Context, tx pgx.Tx, throttle *throttle) error {
	var stale []string
	rows := 0
	for _, row := range b.dirty {
		if row.stored {
			stale = append(stale, row.key)
		}
		if row.exists {
			rows++
		}
	}
	if len(stale) > 0 {
		if _, err := tx.Exec(ctx, b.d.DeleteByKey(b.schema), stale); err != nil {
			return fmt.Errorf("remove rows of %s: %w", b.d.Name, err)
		}
	}
	if rows == 0 {
		return nil
	}
	in := &copyReader{ctx: ctx, throttle: throttle, since: time.Now(), rows: b.dirty, encode: b.encode, out: []byte(projections.CopyHeader), failed: make(chan error, 1)}
	sql := fmt.Sprintf("COPY %s (%s) FROM STDIN (FORMAT binary)", b.d.In(b.schema), b.d.ColumnList())
	if _, err := tx.Conn().PgConn().CopyFrom(ctx, in, sql); err != nil {
		select {
		case failed := <-in.failed:
			err = errors.Join(failed, err)
		default:
		}
		return fmt.Errorf("write rows of %s: %w", b.d.Name, err)
	}
	return nil
}

// committed marks what flush wrote as stored.
func (b *bulkTable) committed() {
	for _, row := range b.dirty {
		row.dirty, row.stored = false, row.exists
		if !row.exists {
			b.remove(row)
		}
	}
	clear(b.dirty)
	b.dirty = b.dirty[:0]
	b.flushes++
}

// evict removes rows that are stored from memory. With onlyIdle it keeps those that an event touched since the flush
// before the last.
func (b *bulkTable) evict(onlyIdle bool) {
	for _, row := range b.rows {
		if row.dirty || onlyIdle && row.touched >= b.flushes-1 {
			continue
		}
		if !b.hadRows {
			if b.evicted == nil {
				b.evicted = newBloomFilter()
			}
			b.evicted.add(row.key)
		}
		b.remove(row)
	}
}

func (b *bulkTable) remove(row *bulkRow) {
	delete(b.rows, row.key)
	b.bytes -= row.bytes
}
