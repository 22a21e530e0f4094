package eventstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

var alice, bob = uuid.UUID{15: 1, 6: 0x40, 8: 0x80}, uuid.UUID{15: 2, 6: 0x40, 8: 0x80}

// written is a log with a bit of everything: personal data, of one erased too, strange texts, and a hole.
func written(t testing.TB) *Store {
	t.Helper()
	s, ctx := openStore(t), t.Context()
	put := func(stream string, events ...any) {
		t.Helper()
		w := Write{Stream: stream, Expected: AnyVersion}
		for _, e := range events {
			w.Events = append(w.Events, NewEvent{Data: e})
		}
		if _, err := s.Append(ctx, Append{Writes: []Write{w}, Metadata: Metadata{Actor: "staff:1"}}); err != nil {
			t.Fatal(err)
		}
	}
	put("a", happened{N: 1, Note: "до \x00 \u2028 \"свидания\"\n"}, happened{N: 2})
	put("поток \"b\"\\", named{Person: alice, Name: "Алия", Phones: []string{"+7"}})
	if _, err := s.pool.Exec(ctx, "SELECT nextval('eventstore.position')"); err != nil {
		t.Fatal(err)
	}
	put("a", named{Person: bob, Name: "Bob"}, happened{N: 3})
	if err := s.ErasePerson(ctx, bob); err != nil {
		t.Fatal(err)
	}
	// Written by other means: JSON may have line ends between its tokens.
	if _, err := s.pool.Exec(ctx, `UPDATE eventstore.events SET data = E'{\n"n":\r\n2}' WHERE version = 2`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.pool.Exec(ctx, "SELECT nextval('eventstore.position')"); err != nil {
		t.Fatal(err)
	}
	return s
}

func exported(t testing.TB, s *Store) (events, keys []byte, done Transfer) {
	t.Helper()
	var e, k bytes.Buffer
	done, err := s.Export(t.Context(), &e, ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ExportKeys(t.Context(), &k); err != nil {
		t.Fatal(err)
	}
	return e.Bytes(), k.Bytes(), done
}

// rowsOfLog are all rows of the log's tables, as text.
func rowsOfLog(t *testing.T, s *Store) []string {
	t.Helper()
	rows, err := s.pool.Query(t.Context(), `SELECT 'event ' || translate(e::text, E'\n', ' ') FROM eventstore.events e
		UNION ALL SELECT 'stream ' || r::text FROM eventstore.streams r
		UNION ALL SELECT 'key ' || k::text FROM eventstore.person_keys k
		UNION ALL SELECT 'next ' || CASE WHEN is_called THEN last_value + 1 ELSE last_value END FROM eventstore.position ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestImportMakesTheSameLog(t *testing.T) {
	t.Parallel()
	from, to := written(t), openStore(t)
	events, keys, out := exported(t, from)
	if out.Events != 5 || out.Last != 6 || out.Head != 6 || out.Log == uuid.Nil {
		t.Errorf("exported %+v", out)
	}
	if bytes.Contains(events, []byte("Алия")) {
		t.Error("an export shows personal data")
	}
	if lines := strings.Split(string(events), "\n"); len(lines) != 8 || !strings.Contains(lines[6], out.Hash) {
		t.Errorf("the file is\n%s", events)
	}
	var seen []string
	in, err := to.Import(t.Context(), bytes.NewReader(events), ImportOptions{
		Keys: bytes.NewReader(keys),
		Each: func(e Imported) error { seen = append(seen, e.Type); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if in != out || len(seen) != 5 {
		t.Errorf("imported %+v, saw %v; exported %+v", in, seen, out)
	}
	// The last position was taken and came to nothing: nobody has passed it, and the copy may give it out.
	want := rowsOfLog(t, from)
	want[slices.Index(want, "next 8")] = "next 7"
	if got := rowsOfLog(t, to); !slices.Equal(got, want) {
		t.Errorf("the copy is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	again, _, _ := exported(t, to)
	if _, body, _ := bytes.Cut(again, []byte("\n")); !bytes.Equal(unhashed(body), unhashed(after(events))) {
		t.Error("an export of the copy differs")
	}
	// The copy goes on where the log was.
	done, err := to.Append(t.Context(), Append{Writes: []Write{{Stream: "a", Expected: 4, Events: some(1)}}})
	if err != nil || done.Position != 7 {
		t.Errorf("appended %+v, %v", done, err)
	}
}

func after(file []byte) []byte {
	_, rest, _ := bytes.Cut(file, []byte("\n"))
	return rest
}

// hashMember begins the hash of a line.
const hashMember = `,"hash":"`

// unhashed leaves the hashes out, which tell of the moment of the export too.
func unhashed(file []byte) []byte {
	var out []byte
	for line := range bytes.Lines(file) {
		line, _, _ = bytes.Cut(line, []byte(hashMember))
		out = append(append(out, line...), '\n')
	}
	return out
}

func TestImportWithoutKeysErases(t *testing.T) {
	t.Parallel()
	from, to := written(t), openStore(t)
	events, _, _ := exported(t, from)
	if _, err := to.Import(t.Context(), bytes.NewReader(events), ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	// More of the same person does not spoil what was there.
	const stream = "поток \"b\"\\"
	w := Write{Stream: stream, Expected: 1, Events: []NewEvent{{Data: named{Person: alice, Name: "Алия", City: "Алматы"}}}}
	if _, err := to.Append(t.Context(), Append{Writes: []Write{w}}); err != nil {
		t.Fatal(err)
	}
	read, err := to.Stream(t.Context(), stream, 0, 0)
	if err != nil || len(read) != 2 {
		t.Fatalf("%d events, %v", len(read), err)
	}
	for _, e := range read {
		if e.Data.(named).Name != "" || !e.Erased {
			t.Errorf("read %+v", e)
		}
	}
}

// rehashed gives lines the hashes they need after a change.
func rehashed(lines []string) string {
	var last [sha256.Size]byte
	var out strings.Builder
	for _, line := range lines {
		line, _, _ = strings.Cut(line, hashMember)
		h := sha256.New()
		h.Write(last[:])
		io.WriteString(h, line)
		h.Sum(last[:0])
		fmt.Fprintf(&out, "%s%s%s\"}\n", line, hashMember, hex.EncodeToString(last[:]))
	}
	return out.String()
}

func TestImportRefusesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	from, to := written(t), openStore(t)
	events, keys, _ := exported(t, from)
	good := strings.Split(strings.TrimSuffix(string(events), "\n"), "\n")
	empty := rowsOfLog(t, to)
	change := func(n int, old, new string) string {
		lines := slices.Clone(good)
		lines[n-1] = strings.Replace(lines[n-1], old, new, 1)
		return strings.Join(lines, "\n") + "\n"
	}
	forged := func(n int, old, new string) string {
		return rehashed(strings.Split(strings.TrimSuffix(change(n, old, new), "\n"), "\n"))
	}
	swapped := slices.Clone(good)
	swapped[2], swapped[3] = swapped[3], swapped[2]
	for name, c := range map[string]struct {
		file string
		line int64
		says string
	}{
		"nothing":                {"", 1, "ends before"},
		"another file":           {"[]\n", 1, "no hash"},
		"an edited payload":      {change(3, `"n"`, `"m"`), 3, "does not match"},
		"an edited hash":         {change(4, hashMember, hashMember+"0"), 4, "no hash"},
		"an edited header":       {change(1, `"head":6`, `"head":9`), 1, "does not match"},
		"an edited trailer":      {change(7, `"events":5`, `"events":4`), 7, "does not match"},
		"a missing line":         {strings.Join(slices.Delete(slices.Clone(good), 2, 3), "\n") + "\n", 3, "does not match"},
		"swapped lines":          {strings.Join(swapped, "\n") + "\n", 3, "does not match"},
		"no trailer":             {strings.Join(good[:6], "\n") + "\n", 7, "ends before"},
		"a cut line":             {string(events[:len(events)-1]), 7, "ends before"},
		"more after the trailer": {string(events) + good[6] + "\n", 8, "after the trailer"},
		"an unknown version":     {forged(1, `"version":1`, `"version":2`), 1, "version 2"},
		"a wrong count":          {forged(7, `"events":5`, `"events":4`), 7, "there are 5"},
		"a position again":       {forged(3, `"position":2`, `"position":1`), 3, "comes after"},
		"a position too high":    {forged(6, `"position":6`, `"position":8`), 6, "above the head"},
		"no id":                  {forged(3, `"id"`, `"di"`), 3, "needs id"},
		"no JSON":                {forged(3, `"id"`, `id`), 3, "invalid character"},
	} {
		_, err := to.Import(t.Context(), strings.NewReader(c.file), ImportOptions{})
		var bad *BadLine
		if !errors.As(err, &bad) || bad.Line != c.line || !strings.Contains(bad.Reason, c.says) {
			t.Errorf("%s: %v, want line %d that %s", name, err, c.line, c.says)
		}
	}
	for name, file := range map[string]string{
		"a version twice": forged(3, `"version":2`, `"version":1`),
		"an id twice":     forged(3, strings.Split(good[2], `"`)[5], strings.Split(good[1], `"`)[5]),
	} {
		if _, err := to.Import(t.Context(), strings.NewReader(file), ImportOptions{}); err == nil || !strings.Contains(err.Error(), "lines 2 to 7") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := to.Import(t.Context(), strings.NewReader(forged(6, `"version":4`, `"version":5`)), ImportOptions{}); err == nil || !strings.Contains(err.Error(), `stream "a"`) {
		t.Errorf("a hole in a stream's versions: %v", err)
	}
	// Keys of another log, and broken ones.
	var bad *BadLine
	other := rehashed(strings.Split(strings.TrimSuffix(strings.Replace(string(keys), `"store":"0`, `"store":"f`, 1), "\n"), "\n"))
	for _, k := range []string{other, string(keys[:len(keys)/2])} {
		if _, err := to.Import(t.Context(), bytes.NewReader(events), ImportOptions{Keys: strings.NewReader(k)}); !errors.As(err, &bad) || bad.File != "keys" {
			t.Errorf("bad keys: %v", err)
		}
	}
	no := errors.New("no")
	if _, err := to.Import(t.Context(), bytes.NewReader(events), ImportOptions{Finish: func(context.Context, pgx.Tx) error { return no }}); !errors.Is(err, no) {
		t.Errorf("a finish that fails: %v", err)
	}
	if got := rowsOfLog(t, to); !slices.Equal(got, empty) {
		t.Errorf("what was refused left\n%s", strings.Join(got, "\n"))
	}
	if _, err := to.Import(t.Context(), bytes.NewReader(events), ImportOptions{}); err != nil {
		t.Errorf("the good file afterwards: %v", err)
	}
	if _, err := to.Import(t.Context(), bytes.NewReader(events), ImportOptions{}); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("a second time: %v", err)
	}
	// A position was given out, though nothing came of it: a reader may have passed it.
	used := openStore(t)
	if _, err := used.pool.Exec(t.Context(), "SELECT nextval('eventstore.position')"); err != nil {
		t.Fatal(err)
	}
	if _, err := used.Import(t.Context(), bytes.NewReader(events), ImportOptions{}); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("into a log that gave out a position: %v", err)
	}
}

func BenchmarkTransfer(b *testing.B) {
	s := openStore(b)
	const n = 200_000
	for range n / 10_000 {
		w := make([]Write, 100)
		for i := range w {
			w[i] = Write{Stream: "order-" + uuid.NewString(), Events: make([]NewEvent, 100)}
			for e := range w[i].Events {
				w[i].Events[e].Data = happened{N: e, Note: strings.Repeat("текст ", 40)}
			}
		}
		if _, err := s.Append(b.Context(), Append{Writes: w, Metadata: Metadata{Actor: "guest", CorrelationID: uuid.NewString()}}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			conn, err := s.pool.Acquire(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			_, err = conn.Conn().PgConn().CopyTo(b.Context(), io.Discard, "COPY eventstore.events TO STDOUT")
			conn.Release()
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "events/s")
	})
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Export(b.Context(), io.Discard, ExportOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "events/s")
	})
	var file bytes.Buffer
	if _, err := s.Export(b.Context(), &file, ExportOptions{}); err != nil {
		b.Fatal(err)
	}
	b.Run("import", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			to := openStore(b)
			b.StartTimer()
			if _, err := to.Import(b.Context(), bytes.NewReader(file.Bytes()), ImportOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "events/s")
	})
}
