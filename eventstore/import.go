package eventstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/eventstore/hashchain"
	"shop/eventstore/keyring"
)

// ErrNotEmpty: an import needs a log nothing was ever written to.
var ErrNotEmpty = errors.New("the log is not empty")

// BadLine: a file is not what an export wrote. Nothing was imported.
type BadLine = hashchain.BadLine

// Imported is an event as its line has it.
type Imported struct {
	Position   Position        `json:"position"`
	ID         uuid.UUID       `json:"id"`
	Stream     string          `json:"stream"`
	Version    Version         `json:"version"`
	Type       string          `json:"type"`
	Schema     int16           `json:"schema"`
	RecordedAt time.Time       `json:"recorded_at"`
	Data       json.RawMessage `json:"data"`
	Metadata   json.RawMessage `json:"metadata"`
}

// ImportOptions tune an import; the zero value imports events without the keys of persons.
type ImportOptions struct {
	// Keys is what ExportKeys wrote of the same log. Without it, and for persons it does not know, personal data is
	// erased in the copy.
	Keys io.Reader
	// Each, when given, sees every event before it is stored. It must not keep Data or Metadata.
	Each func(Imported) error
	// Finish, when given, runs last in the import's transaction.
	Finish func(ctx context.Context, tx pgx.Tx) error
	// Progress, when given, hears now and then what was read so far.
	Progress func(Transfer)
}

// Import reads what Export wrote into an empty log: positions, versions, ids and times stay what they were, and the
// next position comes after the last. Everything is one transaction that ends when the last hash is right; so nothing
// remains of a file that is broken, and readers see all or nothing. It needs little memory. It refuses with
// ErrNotEmpty or *BadLine.
func (s *Store) Import(ctx context.Context, r io.Reader, o ImportOptions) (done Transfer, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		done = Transfer{}
		return s.importAll(ctx, tx, r, o, &done)
	})
	if err != nil {
		return done, fmt.Errorf("import events: %w", err)
	}
	// The planner knows nothing of so many rows yet.
	if _, err := s.pool.Exec(ctx, `ANALYZE eventstore.events, eventstore.streams, eventstore.person_keys`); err != nil {
		return done, fmt.Errorf("analyze what was imported: %w", err)
	}
	return done, nil
}

const (
	// Appenders wait for the table of streams, and writers of a person's key for the table of keys.
	lockLog = `LOCK TABLE eventstore.person_keys, eventstore.streams IN SHARE ROW EXCLUSIVE MODE`
	// A reader may have passed any position that was ever assigned, and would not read there again.
	isUntouched = `SELECT last_value = 1 AND NOT is_called AND NOT EXISTS (SELECT FROM eventstore.events)
			AND NOT EXISTS (SELECT FROM eventstore.streams) AND NOT EXISTS (SELECT FROM eventstore.person_keys)
		FROM eventstore.position`
	copyEvents = `COPY eventstore.events (position, id, stream, slice, version, type, schema, recorded_at, data, metadata)
		FROM STDIN (FORMAT binary)`
	eraseUnknown = `INSERT INTO eventstore.person_keys (person, key, created_at, erased_at)
		SELECT person, NULL, $2, $2 FROM unnest($1::uuid[]) AS u (person) ON CONFLICT (person) DO NOTHING`
	// Within a stream the order of versions is that of positions, without holes. A stream that breaks this is left out.
	rebuildStreams = `INSERT INTO eventstore.streams (name, slice, version)
		SELECT stream, min(slice), max(version)
		FROM (SELECT stream, slice, version, row_number() OVER (PARTITION BY stream ORDER BY position) AS nth FROM eventstore.events) e
		GROUP BY stream HAVING bool_and(version = nth)`
	disorderedStream = `SELECT stream FROM eventstore.events WHERE stream NOT IN (SELECT name FROM eventstore.streams) ORDER BY position LIMIT 1`
)

func (s *Store) importAll(ctx context.Context, tx pgx.Tx, r io.Reader, o ImportOptions, done *Transfer) error {
	if _, err := tx.Exec(ctx, lockLog); err != nil {
		return err
	}
	var untouched bool
	if err := tx.QueryRow(ctx, isUntouched).Scan(&untouched); err != nil {
		return err
	}
	if !untouched {
		return ErrNotEmpty
	}
	lines := hashchain.NewReader("events", r)
	head, err := headerOf(lines, formatEvents)
	if err != nil {
		return err
	}
	done.Log, done.Head = head.Store, head.Head
	if o.Keys != nil {
		if err := s.importKeys(ctx, tx, o.Keys, head.Store); err != nil {
			return err
		}
	}

	now := s.opts.Clock().UTC().Truncate(time.Microsecond)
	in := &importer{lines: lines, done: done, each: o.Each}
	for !in.ended {
		first := lines.Line() + 1
		in.begin()
		_, err := tx.Conn().PgConn().CopyFrom(ctx, in, copyEvents)
		switch {
		case in.err != nil:
			return in.err // the server only says that we gave up
		case err != nil:
			return fmt.Errorf("lines %d to %d: %w", first, lines.Line(), err)
		}
		if len(in.persons) > 0 {
			persons := make([][16]byte, 0, len(in.persons))
			for p := range in.persons {
				persons = append(persons, p)
			}
			if _, err := tx.Exec(ctx, eraseUnknown, persons, now); err != nil {
				return err
			}
		}
		if o.Progress != nil {
			o.Progress(*done)
		}
	}
	done.Hash = lines.Sum()

	if _, err := tx.Exec(ctx, rebuildStreams); err != nil {
		return err
	}
	var ordered int64
	if err := tx.QueryRow(ctx, `SELECT coalesce(sum(version), 0)::bigint FROM eventstore.streams`).Scan(&ordered); err != nil {
		return err
	}
	if ordered != done.Events {
		var stream string
		if err := tx.QueryRow(ctx, disorderedStream).Scan(&stream); err != nil {
			return err
		}
		return fmt.Errorf("the versions of stream %q are not 1, 2, 3 … in the order of positions", stream)
	}
	// Other than setval, RESTART is part of the transaction: no reader sees the new head before the events.
	if next := max(done.Head, done.Last) + 1; next > 1 {
		if _, err := tx.Exec(ctx, `ALTER SEQUENCE eventstore.position RESTART WITH `+strconv.FormatInt(int64(next), 10)); err != nil {
			return err
		}
	}
	if o.Finish != nil {
		return o.Finish(ctx, tx)
	}
	return nil
}

// keysAtOnce is how many keys one statement stores.
const keysAtOnce = 10_000

// importKeys stores the keys of a log's persons, wrapped as those of this shop.
func (s *Store) importKeys(ctx context.Context, tx pgx.Tx, r io.Reader, log uuid.UUID) error {
	lines := hashchain.NewReader("keys", r)
	head, err := headerOf(lines, formatKeys)
	if err != nil {
		return err
	}
	if head.Store != log {
		return lines.Bad("these are keys of another log")
	}
	var n int64
	rows := make([][]any, 0, keysAtOnce)
	for {
		line, err := lines.Next()
		if err != nil {
			return err
		}
		end, err := ends(lines, line, n, 0)
		if err != nil {
			return err
		}
		if !end {
			var k keyLine
			if err := json.Unmarshal(line, &k); err != nil {
				return lines.Bad(err.Error())
			}
			n++
			if k.Key != nil && len(k.Key) != keyring.Size {
				return lines.Bad(fmt.Sprintf("the key has %d bytes, want %d", len(k.Key), keyring.Size))
			}
			if k.Key != nil {
				var by keyring.ID
				k.Key, by = s.keys.ring.Wrap(useOf(k.Person), k.Key)
				if err := s.keys.note(ctx, by); err != nil {
					return err
				}
			}
			rows = append(rows, []any{[16]byte(k.Person), k.Key, k.CreatedAt, k.ErasedAt})
		}
		if end || len(rows) == keysAtOnce {
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{"eventstore", "person_keys"},
				[]string{"person", "key", "created_at", "erased_at"}, pgx.CopyFromRows(rows)); err != nil {
				return fmt.Errorf("keys up to line %d: %w", lines.Line(), err)
			}
			rows = rows[:0]
		}
		if end {
			return nil
		}
	}
}

// copyAtOnce is how many events one COPY takes.
const copyAtOnce = 50_000

// importer gives the lines to COPY as binary rows, copyAtOnce at a time.
type importer struct {
	lines *hashchain.Reader
	done  *Transfer
	each  func(Imported) error
	// persons are those of this COPY with sealed data.
	persons map[uuid.UUID]bool
	rows    int
	out     []byte
	// read is how much of out was read, last says that nothing is added to it any more.
	read int
	last bool
	// ended: the trailer was there. err is why Read failed.
	ended bool
	err   error
}

// begin starts another COPY.
func (i *importer) begin() {
	i.persons, i.rows, i.last = map[uuid.UUID]bool{}, 0, false
	i.out, i.read = append(i.out[:0], copyHead...), 0
}

func (i *importer) Read(p []byte) (int, error) {
	for i.read == len(i.out) || !i.last && len(i.out)-i.read < len(p) {
		if i.last {
			return 0, io.EOF
		}
		if i.read > 0 {
			i.out = append(i.out[:0], i.out[i.read:]...)
			i.read = 0
		}
		if i.err = i.add(); i.err != nil {
			return 0, i.err
		}
	}
	n := copy(p, i.out[i.read:])
	i.read += n
	return n, nil
}

// add puts the next line into out, or the end of this COPY.
func (i *importer) add() error {
	if i.rows == copyAtOnce {
		i.close()
		return nil
	}
	line, err := i.lines.Next()
	if err != nil {
		return err
	}
	if end, err := ends(i.lines, line, i.done.Events, i.done.Last); err != nil {
		return err
	} else if end {
		i.ended = true
		i.close()
		return nil
	}
	var e Imported
	if err := json.Unmarshal(line, &e); err != nil {
		return i.lines.Bad(err.Error())
	}
	switch {
	case e.Position <= i.done.Last:
		return i.lines.Bad(fmt.Sprintf("position %d comes after %d", e.Position, i.done.Last))
	case e.Position > i.done.Head:
		return i.lines.Bad(fmt.Sprintf("position %d is above the head %d", e.Position, i.done.Head))
	case e.Stream == "" || e.Type == "" || e.Version < 1 || e.ID == uuid.Nil || e.RecordedAt.IsZero() || e.Data == nil || e.Metadata == nil:
		return i.lines.Bad("an event needs id, stream, version, type, recorded_at, data and metadata")
	}
	seal, err := sealOf(e.Data)
	if err != nil {
		return i.lines.Bad(err.Error())
	}
	if seal != nil {
		i.persons[seal.Person] = true
	}
	if i.each != nil {
		if err := i.each(e); err != nil {
			return i.lines.Bad(err.Error())
		}
	}
	b := binary.BigEndian.AppendUint16(i.out, 10)
	b = appendInt8(b, int64(e.Position))
	b = appendCell(b, e.ID[:])
	b = appendCell(b, []byte(e.Stream))
	b = appendInt2(b, SliceOf(e.Stream))
	b = appendInt8(b, int64(e.Version))
	b = appendCell(b, []byte(e.Type))
	b = appendInt2(b, e.Schema)
	b = appendInt8(b, e.RecordedAt.UnixMicro()-epoch.UnixMicro())
	b = appendCell(b, e.Data)
	b = appendCell(b, e.Metadata)
	i.out = b
	i.rows++
	i.done.Events++
	i.done.Last = e.Position
	return nil
}

func (i *importer) close() {
	i.out, i.last = binary.BigEndian.AppendUint16(i.out, 0xffff), true
}

func appendCell(b, cell []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(cell))), cell...)
}

func appendInt8(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(n))
}

func appendInt2(b []byte, n int16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(b, 2), uint16(n))
}

// headerOf reads the first line.
func headerOf(l *hashchain.Reader, format string) (h header, err error) {
	line, err := l.Next()
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(line, &h); err != nil || h.Format != format {
		return h, l.Bad("is not the header of a " + format + " file")
	}
	if h.Version != formatVersion {
		return h, l.Bad(fmt.Sprintf("version %d of the format is not known", h.Version))
	}
	return h, nil
}

// ends says whether a line is the trailer; if so it must fit what was read and be the last.
func ends(l *hashchain.Reader, line []byte, n int64, last Position) (bool, error) {
	if !bytes.HasPrefix(line, []byte(`{"events":`)) {
		return false, nil
	}
	var t trailer
	if err := json.Unmarshal(line, &t); err != nil {
		return false, l.Bad(err.Error())
	}
	if t.Events != n || t.Last != last {
		return false, l.Bad(fmt.Sprintf("the trailer tells of %d lines up to %d, there are %d up to %d", t.Events, t.Last, n, last))
	}
	return true, l.End()
}
