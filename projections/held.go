package projections

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
)

// bulk is a table of a read model whose rows are kept in memory while a build folds.
type bulk interface {
	// take groups events by rows and queues the query for rows that may be stored but are not in memory; fold is
	// called when it has been answered.
	take(events []eventstore.Event, read *pgx.Batch) error
	fold() error
	// flush writes what changed, flushed is called once that is committed.
	flush(ctx context.Context, tx pgx.Tx, pace *pace) error
	flushed()
	// drop forgets rows that are stored; resting: only those that no event touched since the flush before the last.
	drop(resting bool)
	// size is about how many bytes the rows take.
	size() int64
}

// held is a bulk. Its rows are those of some ranges of slices.
type held[R any] struct {
	table  Table[R]
	schema string
	wants  map[string]bool
	rows   map[string]*heldRow[R]
	// changed are the rows that the table does not have as they are, in the order of their first change.
	changed []*heldRow[R]
	// steps are the folds of the batch in hand.
	steps []step[R]
	bytes int64
	// begun: the table had rows before, so that any key may be stored. Otherwise left knows the keys that may be
	// stored but not in memory; nil: none.
	begun bool
	left  *keySet
	// flushes counts.
	flushes int64
	encode  []encodeCell
	sizeOf  sizer
}

type heldRow[R any] struct {
	key   string
	value R
	// exists: the fold wants the row; stored: the table has one.
	exists, stored, changed bool
	bytes                   int64
	// touched is how many flushes there were when an event touched it last.
	touched int64
}

type step[R any] struct {
	row   *heldRow[R]
	event *eventstore.Event
}

func (t Table[R]) bulk(ctx context.Context, db *pgxpool.Pool, schema string, begun bool) (bulk, error) {
	h := &held[R]{table: t, schema: schema, begun: begun, wants: map[string]bool{}, rows: map[string]*heldRow[R]{}}
	for _, e := range t.Events {
		h.wants[e.EventType()] = true
	}
	var err error
	if h.encode, err = encoders(ctx, db, reflect.TypeFor[R](), within(schema, t.Name), t.columns()); err != nil {
		return nil, err
	}
	h.sizeOf = sizerOf(reflect.TypeFor[R](), 0)
	return h, nil
}

func (h *held[R]) size() int64 { return h.bytes }

func (h *held[R]) take(events []eventstore.Event, read *pgx.Batch) (err error) {
	var at *eventstore.Event
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("keys of %s at position %d in %s: %v\n%s", at.Type, at.Position, h.table.Name, r, debug.Stack())
		}
	}()
	h.steps = h.steps[:0]
	var asked []string
	for i := range events {
		if at = &events[i]; !h.wants[at.Type] {
			continue
		}
		for _, key := range h.table.Keys(*at) {
			row := h.rows[key]
			if row == nil {
				row = &heldRow[R]{key: key}
				h.rows[key] = row
				if h.begun || h.left.has(key) {
					asked = append(asked, key)
				}
			}
			row.touched = h.flushes
			h.steps = append(h.steps, step[R]{row, at})
		}
	}
	if len(asked) == 0 {
		return nil
	}
	read.Queue(h.table.selectByKey(h.schema), asked).Query(func(found pgx.Rows) error {
		var key string
		var doc []byte
		_, err := pgx.ForEachRow(found, []any{&key, &doc}, func() error {
			row := h.rows[key]
			if row == nil {
				return fmt.Errorf("table %s answers key %q, which is not how Keys spells it", h.table.Name, key)
			}
			row.exists, row.stored = true, true
			return json.Unmarshal(doc, &row.value)
		})
		return err
	})
	return nil
}

func (h *held[R]) fold() error {
	for i := range h.steps {
		row := h.steps[i].row
		keep, err := h.table.foldOne(row.key, &row.value, *h.steps[i].event)
		if err != nil {
			return err
		}
		if row.exists = keep; !keep {
			row.value = *new(R)
		}
		if !row.changed {
			row.changed = true
			h.changed = append(h.changed, row)
		}
	}
	for i := range h.steps {
		row := h.steps[i].row
		bytes := h.sizeOf.of(reflect.ValueOf(&row.value).Elem()) + int64(len(row.key)) + rowOverhead
		h.bytes += bytes - row.bytes
		row.bytes = bytes
	}
	h.steps = h.steps[:0]
	return nil
}

// rowOverhead is about what a row takes beside its value and its key: in the map, among the changed.
const rowOverhead = 120

func (h *held[R]) flush(ctx context.Context, tx pgx.Tx, pace *pace) error {
	var stale []string
	rows := 0
	for _, row := range h.changed {
		if row.stored {
			stale = append(stale, row.key)
		}
		if row.exists {
			rows++
		}
	}
	if len(stale) > 0 {
		if _, err := tx.Exec(ctx, h.table.deleteByKey(h.schema), stale); err != nil {
			return fmt.Errorf("remove rows of %s: %w", h.table.Name, err)
		}
	}
	if rows == 0 {
		return nil
	}
	in := &copyIn[R]{ctx: ctx, pace: pace, since: time.Now(), rows: h.changed, encode: h.encode, out: []byte(copyHead), failed: make(chan error, 1)}
	sql := fmt.Sprintf("COPY %s (%s) FROM STDIN (FORMAT binary)", within(h.schema, h.table.Name), list(h.table.columns(), ""))
	if _, err := tx.Conn().PgConn().CopyFrom(ctx, in, sql); err != nil {
		select {
		case failed := <-in.failed:
			err = errors.Join(failed, err)
		default:
		}
		return fmt.Errorf("write rows of %s: %w", h.table.Name, err)
	}
	return nil
}

func (h *held[R]) flushed() {
	for _, row := range h.changed {
		row.changed, row.stored = false, row.exists
		if !row.exists {
			h.forget(row)
		}
	}
	clear(h.changed)
	h.changed = h.changed[:0]
	h.flushes++
}

func (h *held[R]) drop(resting bool) {
	for _, row := range h.rows {
		if row.changed || resting && row.touched >= h.flushes-1 {
			continue
		}
		if !h.begun {
			if h.left == nil {
				h.left = newKeySet()
			}
			h.left.add(row.key)
		}
		h.forget(row)
	}
}

func (h *held[R]) forget(row *heldRow[R]) {
	delete(h.rows, row.key)
	h.bytes -= row.bytes
}

// copyHead begins binary COPY data: signature, flags, no extension.
const copyHead = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// copyIn gives the rows that exist to COPY.
type copyIn[R any] struct {
	rows   []*heldRow[R]
	encode []encodeCell
	out    []byte
	// read is how much of out is gone, ended says that nothing is added any more.
	read  int
	ended bool
	// failed gets why nothing more is read. A connection that breaks does not wait for the reader, so it is no field.
	failed chan error

	ctx   context.Context // of the COPY, for Read
	pace  *pace
	since time.Time
}

func (c *copyIn[R]) Read(p []byte) (int, error) {
	if err := c.pace.breathe(c.ctx, time.Since(c.since)); err != nil {
		return c.fail(err)
	}
	c.since = time.Now()
	for !c.ended && len(c.out)-c.read < len(p) {
		if c.read > 0 {
			c.out = append(c.out[:0], c.out[c.read:]...)
			c.read = 0
		}
		if err := c.add(); err != nil {
			return c.fail(err)
		}
	}
	if c.read == len(c.out) {
		return 0, io.EOF
	}
	n := copy(p, c.out[c.read:])
	c.read += n
	return n, nil
}

func (c *copyIn[R]) fail(err error) (int, error) {
	select {
	case c.failed <- err:
	default: // the first reason counts
	}
	return 0, err
}

// add encodes the next row, or the end.
func (c *copyIn[R]) add() error {
	for len(c.rows) > 0 {
		row := c.rows[0]
		c.rows = c.rows[1:]
		if !row.exists {
			continue
		}
		c.out = binary.BigEndian.AppendUint16(c.out, uint16(len(c.encode)))
		value := reflect.ValueOf(&row.value).Elem()
		for i, encode := range c.encode {
			var err error
			if c.out, err = encode(c.out, value.Field(i)); err != nil {
				return fmt.Errorf("encode %s of row %s: %w", value.Type().Field(i).Name, row.key, err)
			}
		}
		return nil
	}
	c.out, c.ended = binary.BigEndian.AppendUint16(c.out, 0xffff), true
	return nil
}

// keySet is a set that may say yes to a key it does not have (a Bloom filter), of a size that does not grow: 2 MiB,
// which errs with 1 key in 100 at some 1.7 million keys.
type keySet struct {
	seed maphash.Seed
	bits []uint64
}

const (
	keySetBits   = 1 << 24
	keySetHashes = 4
)

func newKeySet() *keySet { return &keySet{maphash.MakeSeed(), make([]uint64, keySetBits/64)} }

// places are the bits of a key.
func (s *keySet) places(key string) (places [keySetHashes]uint32) {
	h := maphash.String(s.seed, key)
	for i := range places {
		places[i] = (uint32(h) + uint32(i)*(uint32(h>>32)|1)) % keySetBits
	}
	return places
}

func (s *keySet) add(key string) {
	for _, p := range s.places(key) {
		s.bits[p/64] |= 1 << (p % 64)
	}
}

func (s *keySet) has(key string) bool {
	if s == nil {
		return false
	}
	for _, p := range s.places(key) {
		if s.bits[p/64]&(1<<(p%64)) == 0 {
			return false
		}
	}
	return true
}
