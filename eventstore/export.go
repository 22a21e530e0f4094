package eventstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/eventstore/hashchain"
)

// An exported log is lines of JSON: a header, an event per line in the order of positions, a trailer. The last member
// of every line is its hash: SHA-256 over the hash of the line before (32 bytes, zeros for the header) and the line's
// own bytes up to `,"hash"`. So one hash covers all lines above it. Payloads are as stored: sealed fields stay sealed. Keys of
// persons are a file of the same build of their own.
const (
	formatEvents  = "shop-events"
	formatKeys    = "shop-person-keys"
	formatVersion = 1
)

// Transfer says what an export wrote or an import read.
type Transfer struct {
	// Log identifies the log: the id of its first event, the same in every copy. The zero value: an empty log.
	Log uuid.UUID
	// Events is how many there were, Last the position of the last of them, Head that of the log.
	Events     int64
	Last, Head Position
	// Hash is the trailer's, in hexadecimal.
	Hash string
}

// ExportOptions tune an export; the zero value exports all.
type ExportOptions struct {
	// UpTo is the last position wanted; 0, or one that is not safe to read yet: the head.
	UpTo Position
	// Progress, when given, hears now and then what was written so far.
	Progress func(Transfer)
}

// header is the first line of either file.
type header struct {
	Format     string    `json:"format"`
	Version    int       `json:"version"`
	Store      uuid.UUID `json:"store"`
	ExportedAt time.Time `json:"exported_at"`
	Head       Position  `json:"head"`
}

// progressEvery is how many events pass between two reports of progress.
const progressEvery = 10_000

// Export writes the log up to now as JSON lines, while others continue to append. It needs little memory.
func (s *Store) Export(ctx context.Context, w io.Writer, o ExportOptions) (Transfer, error) {
	done, err := s.export(ctx, w, o)
	if err != nil {
		return done, fmt.Errorf("export events: %w", err)
	}
	return done, nil
}

func (s *Store) export(ctx context.Context, w io.Writer, o ExportOptions) (done Transfer, err error) {
	if done.Head, err = s.Head(ctx); err != nil {
		return done, err
	}
	if o.UpTo > 0 {
		done.Head = min(done.Head, o.UpTo)
	}
	if done.Log, err = s.Identity(ctx); err != nil {
		return done, err
	}
	out := hashchain.NewWriter(w)
	if err := out.Value(header{formatEvents, formatVersion, done.Log, s.opts.Clock().UTC(), done.Head}); err != nil {
		return done, err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return done, err
	}
	defer conn.Release()
	rows := &exporter{out: out, done: &done, progress: o.Progress}
	// COPY takes no parameters; a number needs no quoting.
	_, err = conn.Conn().PgConn().CopyTo(ctx, rows, `COPY (SELECT position, id, stream, version, type, schema, recorded_at, data, metadata
		FROM eventstore.events WHERE position <= `+strconv.FormatInt(int64(done.Head), 10)+` ORDER BY position) TO STDOUT (FORMAT binary)`)
	if err != nil {
		return done, err
	}
	if len(rows.rest) > 0 || !rows.ended {
		return done, errBadCopy
	}
	err = out.Value(trailer{done.Events, done.Last})
	done.Hash = out.Sum()
	return done, err
}

type trailer struct {
	Events int64    `json:"events"`
	Last   Position `json:"last_position"`
}

// Identity is the id of the log's first event, the same in every copy of it; zero: the log is empty.
func (s *Store) Identity(ctx context.Context) (id uuid.UUID, err error) {
	err = s.pool.QueryRow(ctx, `SELECT id FROM eventstore.events ORDER BY position LIMIT 1`).Scan((*[16]byte)(&id))
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return id, err
}

// keyLine is a person's key, or that it is erased.
type keyLine struct {
	Person    uuid.UUID  `json:"person"`
	Key       []byte     `json:"key,omitempty"`
	CreatedAt time.Time  `json:"created_at"`
	ErasedAt  *time.Time `json:"erased_at,omitempty"`
}

// ExportKeys writes the keys that open the personal data in an export, not wrapped: whoever has both reads everything. It answers
// how many persons there are. Call it after Export, so that no key is missing.
func (s *Store) ExportKeys(ctx context.Context, w io.Writer) (persons int64, err error) {
	log, err := s.Identity(ctx)
	if err != nil {
		return 0, fmt.Errorf("export keys: %w", err)
	}
	out := hashchain.NewWriter(w)
	if err := out.Value(header{Format: formatKeys, Version: formatVersion, Store: log, ExportedAt: s.opts.Clock().UTC()}); err != nil {
		return 0, fmt.Errorf("export keys: %w", err)
	}
	rows, err := s.pool.Query(ctx, `SELECT person, key, created_at, erased_at FROM eventstore.person_keys ORDER BY person`)
	if err != nil {
		return 0, fmt.Errorf("export keys: %w", err)
	}
	var k keyLine
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&k.Person), &k.Key, &k.CreatedAt, &k.ErasedAt}, func() error {
		persons++
		if k.Key != nil {
			var err error
			if k.Key, err = s.keys.ring.Unwrap(useOf(k.Person), k.Key); err != nil {
				return err
			}
		}
		k.CreatedAt = k.CreatedAt.UTC()
		return out.Value(k)
	})
	if err == nil {
		err = out.Value(trailer{Events: persons})
	}
	if err != nil {
		return persons, fmt.Errorf("export keys: %w", err)
	}
	return persons, nil
}

// errBadCopy: the server's rows are not what the protocol says.
var errBadCopy = errors.New("the rows of COPY are not understood")

// exporter turns the binary rows of COPY into lines.
type exporter struct {
	out      *hashchain.Writer
	done     *Transfer
	progress func(Transfer)
	rest     []byte
	begun    bool
	ended    bool
	line     []byte
}

// copyHead begins binary COPY data: signature, flags, no extension.
const copyHead = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// exportColumns is how many columns a row has.
const exportColumns = 9

// Write takes what the server sends, which are whole rows in practice.
func (e *exporter) Write(p []byte) (int, error) {
	data := p
	if len(e.rest) > 0 {
		e.rest = append(e.rest, p...)
		data = e.rest
	}
	if !e.begun {
		if len(data) < len(copyHead) {
			e.rest = bytes.Clone(data)
			return len(p), nil
		}
		if string(data[:len(copyHead)]) != copyHead {
			return 0, errBadCopy
		}
		data, e.begun = data[len(copyHead):], true
	}
	for {
		n, err := e.row(data)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			e.rest = append(e.rest[:0], data...)
			return len(p), nil
		}
		data = data[n:]
	}
}

// row writes the row that data begins with and answers its length; 0: it is not all there.
func (e *exporter) row(data []byte) (int, error) {
	if len(data) < 2 {
		return 0, nil
	}
	switch columns := int16(binary.BigEndian.Uint16(data)); {
	case columns == -1:
		e.ended = true
		return 2, nil
	case columns != exportColumns || e.ended:
		return 0, errBadCopy
	}
	var cells [exportColumns][]byte
	at := 2
	for i := range cells {
		if len(data) < at+4 {
			return 0, nil
		}
		n := int(int32(binary.BigEndian.Uint32(data[at:])))
		at += 4
		if n < 0 {
			return 0, errBadCopy
		}
		if len(data) < at+n {
			return 0, nil
		}
		cells[i] = data[at : at+n]
		at += n
	}
	if len(cells[0]) != 8 || len(cells[1]) != 16 || len(cells[3]) != 8 || len(cells[5]) != 2 || len(cells[6]) != 8 {
		return 0, errBadCopy
	}
	position := int64(binary.BigEndian.Uint64(cells[0]))
	b := append(e.line[:0], `{"position":`...)
	b = strconv.AppendInt(b, position, 10)
	b = append(b, `,"id":"`...)
	b = appendUUID(b, cells[1])
	b = append(b, `","stream":`...)
	b = appendString(b, cells[2])
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, int64(binary.BigEndian.Uint64(cells[3])), 10)
	b = append(b, `,"type":`...)
	b = appendString(b, cells[4])
	b = append(b, `,"schema":`...)
	b = strconv.AppendInt(b, int64(int16(binary.BigEndian.Uint16(cells[5]))), 10)
	b = append(b, `,"recorded_at":"`...)
	b = momentOf(int64(binary.BigEndian.Uint64(cells[6]))).AppendFormat(b, momentFormat)
	b = append(b, `","data":`...)
	b = appendJSON(b, cells[7])
	b = append(b, `,"metadata":`...)
	b = appendJSON(b, cells[8])
	var err error
	if e.line, err = e.out.Write(b); err != nil {
		return 0, err
	}
	e.done.Events++
	e.done.Last = Position(position)
	if e.progress != nil && e.done.Events%progressEvery == 0 {
		e.progress(*e.done)
	}
	return at, nil
}

// epoch is where PostgreSQL counts microseconds from.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

const momentFormat = "2006-01-02T15:04:05.000000Z"

func momentOf(micros int64) time.Time { return time.UnixMicro(epoch.UnixMicro() + micros).UTC() }

func appendUUID(b, id []byte) []byte {
	for i, n := range [...]int{4, 2, 2, 2, 6} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, id[:n])
		id = id[n:]
	}
	return b
}

// appendString writes text as a JSON string. Names of streams and types are almost always plain.
func appendString(b, text []byte) []byte {
	for _, c := range text {
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(string(text)) // a string always can be
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// appendJSON writes stored JSON. A line end in it can only be space between tokens.
func appendJSON(b, text []byte) []byte {
	from := len(b)
	b = append(b, text...)
	if bytes.IndexByte(text, '\n') >= 0 {
		for i := from; i < len(b); i++ {
			if b[i] == '\n' {
				b[i] = ' '
			}
		}
	}
	return b
}
