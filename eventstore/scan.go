package eventstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Scanning chooses what Scan reads.
type Scanning struct {
	// After is exclusive, UpTo inclusive; UpTo 0 is the head. Never is anything read that is not safe to read.
	After, UpTo Position
	// Range limits the scan to one range of slices; -1: all.
	Range int
	// Types are the stored names wanted; empty: all.
	Types []string
	// Headers are those among Types whose payload is not wanted: it is neither sent nor decoded, no key is read for it, and
	// Data is nil.
	Headers []string
	// Only are the wanted positions, ascending; empty: all. A window without any is not queried.
	Only []Position
	// Metadata asks for the events' metadata too; without, it is neither read nor decoded.
	Metadata bool
	// Stored gives payloads as they are stored instead of decoded events: Data is a Stored. Open opens the personal fields in
	// them; without it they are left out and no key of a person is read.
	Stored, Open bool
	// Closed gives decoded events without their personal fields, like events of erased persons; no key is read.
	Closed bool
	// Bare is Closed and fills only Stream, Position, Type and Schema of the event, because less data is faster.
	Bare bool
	// Skim reads payloads instead of the codec, for callers that need few of their fields. It gets them as they are stored,
	// with personal fields sealed, returns nil for those that it leaves to the codec, and must be safe for concurrent use.
	Skim func(typ string, schema int, payload []byte) any
	// Window is how many positions one COPY covers, and so the most events handed over at once. Default 4096.
	Window int
	// Readers is how many windows are read at once, each with a connection of its own. Default 1.
	Readers int
}

// Stored is a payload as it is in the log, in the schema of its day, without the personal fields that were not
// opened. It is valid only until the function it was handed to returns.
type Stored []byte

const (
	scanWindow = 4096
	// scanBytes bounds what one batch holds where events are long.
	scanBytes = 4 << 20
)

// Scan hands the events that were asked for to fn in the order of positions, as fast as the database gives them:
// batches are read by COPY, the next one arrives while one is decoded. reached says how far the scan has come; it
// moves even where no event was wanted, and is UpTo at the end. The batch is fn's to keep, but for a Stored. An event that cannot be
// decoded ends the scan with an error that names it, and so does an error of fn.
//
// Each window is a COPY of its own: it needs no sort, and no snapshot stays open while fn takes its time.
func (s *Store) Scan(ctx context.Context, q Scanning, fn func(events []Event, reached Position) error) error {
	upTo, err := s.safe(ctx, q.Range, q.UpTo)
	if err != nil {
		return err
	}
	if q.UpTo = upTo; q.UpTo <= q.After {
		return nil
	}
	if q.Window <= 0 {
		q.Window = scanWindow
	}
	q.Readers = max(1, q.Readers)
	ctx, stop := context.WithCancel(ctx)
	used := make(chan *scanned, 3*q.Readers)
	readers := make([]*scanner, q.Readers)
	var group sync.WaitGroup
	for n := range readers {
		// The readers take turns, window by window; so they are listened to in turns.
		in := &scanner{store: s, q: q, cells: q.cells(), batches: make(chan *scanned, 1), used: used}
		readers[n] = in
		group.Go(func() {
			defer close(in.batches)
			in.err = in.read(ctx, n)
		})
	}
	err = s.handOver(ctx, readers, fn)
	stop()
	group.Wait() // The readers must be gone before Scan returns.
	return err
}

func (s *Store) handOver(ctx context.Context, readers []*scanner, fn func([]Event, Position) error) error {
	for n := 0; ; {
		in := readers[n]
		batch, more := <-in.batches
		if !more {
			if in.err != nil {
				return fmt.Errorf("scan the log after %d: %w", in.q.After, in.err)
			}
			return nil
		}
		if batch.last {
			n = (n + 1) % len(readers)
		}
		found, err := s.decodeAs(ctx, batch.events, s.reading(in.q))
		if err != nil {
			return err
		}
		events := make([]Event, len(found))
		for i, f := range found {
			if f.err != nil {
				e := batch.events[i]
				return fmt.Errorf("position %d, %s of stream %s: %w", e.position, e.typ, e.stream, f.err)
			}
			events[i] = f.Event
		}
		if err := fn(events, batch.reached); err != nil {
			return err
		}
		select {
		case in.used <- batch:
		default:
		}
	}
}

// reading is how the payloads of a scan become what it hands over.
func (s *Store) reading(q Scanning) reading {
	if !q.Stored {
		return reading{open: !q.Closed && !q.Bare, decode: s.codec.Decode, skim: q.Skim}
	}
	return reading{open: q.Open && !q.Bare, decode: func(_ string, _ int, payload []byte) (any, error) { return Stored(payload), nil }}
}

// scanned is a batch as it came from the server; events point into bytes.
type scanned struct {
	bytes   []byte
	events  []stored
	reached Position
	// last: the window ends with it.
	last bool
}

// scanner reads batches and puts them into a channel, which it closes at the end or when it fails with err. Batches that
// come back in used are filled again.
type scanner struct {
	store   *Store
	q       Scanning
	cells   []int
	batches chan *scanned
	used    chan *scanned
	err     error
	// names are stored names seen, so that each is one string.
	names map[string]string

	ctx   context.Context // of the COPY that runs, for Write
	batch *scanned
	begun bool
	ended bool
}

// read reads the nth window and those that follow after the other readers' ones.
func (in *scanner) read(ctx context.Context, n int) error {
	in.names, in.ctx = map[string]string{}, ctx
	window := Position(in.q.Window)
	for after := in.q.After + window*Position(n); after < in.q.UpTo; after += window * Position(in.q.Readers) {
		upTo := min(after+window, in.q.UpTo)
		in.batch, in.begun, in.ended = in.fresh(), false, false
		only := between(in.q.Only, after, upTo)
		if len(only) > 0 || len(in.q.Only) == 0 {
			if err := in.window(ctx, in.sql(after, upTo, only)); err != nil {
				return err
			}
		}
		in.batch.last = true
		if err := in.send(upTo); err != nil {
			return err
		}
	}
	return nil
}

// between are those of ascending positions that lie after one, up to another.
func between(all []Position, after, upTo Position) []Position {
	first, _ := slices.BinarySearch(all, after+1)
	end, _ := slices.BinarySearch(all, upTo+1)
	return all[first:end]
}

func (in *scanner) fresh() *scanned {
	select {
	case b := <-in.used:
		return &scanned{bytes: b.bytes[:0], events: b.events[:0]}
	default:
		return &scanned{}
	}
}

func (in *scanner) send(reached Position) error {
	in.batch.reached = reached
	select {
	case in.batches <- in.batch:
		return nil
	case <-in.ctx.Done():
		return in.ctx.Err()
	}
}

// window runs one COPY. It holds its connection no longer.
func (in *scanner) window(ctx context.Context, sql string) error {
	conn, err := in.store.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Conn().PgConn().CopyTo(ctx, in, sql); err != nil {
		return err
	}
	if _, err := in.parse(); err != nil {
		return err
	}
	if !in.ended {
		return errBadCopy
	}
	return nil
}

// sql is the COPY of a window, or of some positions in it; it takes no parameters.
func (in *scanner) sql(after, upTo Position, only []Position) string {
	var b strings.Builder
	b.WriteString(`COPY (SELECT `)
	for i, c := range in.cells {
		if i > 0 {
			b.WriteString(`, `)
		}
		if c == dataCell && len(in.q.Headers) > 0 {
			b.WriteString(`CASE WHEN type NOT IN (` + literals(in.q.Headers) + `) THEN data END`)
		} else {
			b.WriteString(cellNames[c])
		}
	}
	b.WriteString(` FROM eventstore.events WHERE position `)
	if len(only) > 0 {
		b.WriteString(`= ANY ('{`)
		for i, p := range only {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.FormatInt(int64(p), 10))
		}
		b.WriteString(`}')`)
	} else {
		fmt.Fprintf(&b, `> %d AND position <= %d`, after, upTo)
	}
	if first, last := slicesOf(in.q.Range); in.q.Range >= 0 {
		fmt.Fprintf(&b, ` AND slice BETWEEN %d AND %d`, first, last)
	}
	if len(in.q.Types) > 0 {
		b.WriteString(` AND type IN (` + literals(in.q.Types) + `)`)
	}
	b.WriteString(` ORDER BY position) TO STDOUT (FORMAT binary)`)
	return b.String()
}

// literals are texts as literals of SQL.
func literals(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = `'` + strings.ReplaceAll(t, `'`, `''`) + `'`
	}
	return strings.Join(quoted, `, `)
}

// Write takes what the server sends. A batch that has grown long goes off before its window is complete.
func (in *scanner) Write(p []byte) (int, error) {
	if in.batch.bytes = append(in.batch.bytes, p...); len(in.batch.bytes) < scanBytes {
		return len(p), nil
	}
	rest, err := in.parse()
	if err != nil || len(in.batch.events) == 0 {
		return len(p), err
	}
	next := in.fresh()
	next.bytes = append(next.bytes, rest...)
	if err := in.send(Position(in.batch.events[len(in.batch.events)-1].position)); err != nil {
		return 0, err
	}
	in.batch = next
	return len(p), nil
}

// The cells of a row, in the order they are asked for.
const (
	streamCell = iota
	positionCell
	typeCell
	schemaCell
	dataCell
	idCell
	sliceCell
	versionCell
	recordedCell
	metadataCell
	allCells
)

// cellWidths are in bytes; 0: any.
var (
	cellNames  = [allCells]string{"stream", "position", "type", "schema", "data", "id", "slice", "version", "recorded_at", "metadata"}
	cellWidths = [allCells]int{positionCell: 8, schemaCell: 2, idCell: 16, sliceCell: 2, versionCell: 8, recordedCell: 8}
)

func (q *Scanning) cells() []int {
	cells := []int{streamCell, positionCell, typeCell, schemaCell, dataCell}
	if !q.Bare {
		cells = append(cells, idCell, sliceCell, versionCell, recordedCell)
	}
	if q.Metadata {
		cells = append(cells, metadataCell)
	}
	return cells
}

// parse finds the events in the batch's bytes and answers what remains: the beginning of a row.
func (in *scanner) parse() (rest []byte, err error) {
	rest = in.batch.bytes
	if !in.begun {
		if len(rest) < len(copyHead) {
			return rest, nil
		}
		if string(rest[:len(copyHead)]) != copyHead {
			return nil, errBadCopy
		}
		rest, in.begun = rest[len(copyHead):], true
	}
	for !in.ended && len(rest) >= 2 {
		switch n := int16(binary.BigEndian.Uint16(rest)); {
		case n == -1:
			in.ended, rest = true, rest[2:]
			continue
		case int(n) != len(in.cells):
			return nil, errBadCopy
		}
		var cells [allCells][]byte
		row := rest[2:]
		for _, c := range in.cells {
			if len(row) < 4 {
				return rest, nil
			}
			n := int(int32(binary.BigEndian.Uint32(row)))
			row = row[4:]
			if n == -1 && c == dataCell && slices.Contains(in.q.Headers, string(cells[typeCell])) {
				continue
			}
			if width := cellWidths[c]; n < 0 || width > 0 && n != width {
				return nil, errBadCopy
			}
			if len(row) < n {
				return rest, nil
			}
			cells[c], row = row[:n:n], row[n:]
		}
		e := stored{
			stream: string(cells[streamCell]), position: int64(binary.BigEndian.Uint64(cells[positionCell])),
			typ: in.name(cells[typeCell]), schema: int16(binary.BigEndian.Uint16(cells[schemaCell])),
			data: cells[dataCell], metadata: cells[metadataCell],
		}
		if !in.q.Bare {
			e.id, e.slice = [16]byte(cells[idCell]), int16(binary.BigEndian.Uint16(cells[sliceCell]))
			e.version = int64(binary.BigEndian.Uint64(cells[versionCell]))
			e.recordedAt = momentOf(int64(binary.BigEndian.Uint64(cells[recordedCell])))
		}
		in.batch.events = append(in.batch.events, e)
		rest = row
	}
	if in.ended && len(rest) > 0 {
		return nil, errBadCopy
	}
	return rest, nil
}

// name is a stored name as a string that its events share.
func (in *scanner) name(b []byte) string {
	if name, ok := in.names[string(b)]; ok {
		return name
	}
	name := string(b)
	in.names[name] = name
	return name
}
