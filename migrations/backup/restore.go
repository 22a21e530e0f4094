package backup

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"

	"shop/migrations"
)

// ErrNotEmpty: a backup is restored into a new database.
var ErrNotEmpty = errors.New("the database is not new: restore into one that no shop was ever started on")

// errForeign: a file is not what Write wrote.
var errForeign = errors.New("not a backup of a shop")

// Restore fills a new database with a backup and leaves it migrated as far as it was. Everything is one transaction that ends with the
// last line of the file, so nothing remains of one that is broken but empty tables. The address is of the owner of the tables. The
// next start of the shop migrates further and builds the read models.
func Restore(ctx context.Context, databaseURL string, from io.Reader) (done Report, err error) {
	unpacked, err := gzip.NewReader(from)
	if err != nil {
		return done, fmt.Errorf("%w: %w", errForeign, err)
	}
	r := &reader{in: bufio.NewReaderSize(unpacked, 256<<10)}
	var head header
	if err := r.line(&head); err != nil {
		return done, err
	}
	if head.Format != format {
		return done, errForeign
	}
	if head.Version != version {
		return done, fmt.Errorf("the backup is of format %d, and this program knows %d: restore it with the program that wrote it", head.Version, version)
	}
	done = Report{TakenAt: head.TakenAt, Migration: head.Migration}
	switch at, err := migrations.Version(ctx, databaseURL); {
	case err != nil:
		return done, err
	case at > 0:
		return done, ErrNotEmpty
	}
	if err := migrations.UpTo(ctx, databaseURL, head.Migration); err != nil {
		return done, err
	}
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return done, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return r.fill(ctx, tx, &done) })
	if err != nil {
		return done, fmt.Errorf("restore the backup: %w; the tables are empty, make a new database before the next attempt", err)
	}
	// The planner knows nothing of so many rows yet.
	_, err = conn.Exec(ctx, "ANALYZE")
	return done, err
}

// fill reads the parts into their tables.
func (r *reader) fill(ctx context.Context, tx pgx.Tx, done *Report) error {
	// A migration may have put rows where the backup has its own.
	for _, t := range slices.Backward(kept) {
		if _, err := tx.Exec(ctx, "DELETE FROM "+t.name); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	for {
		var p part
		if err := r.line(&p); err != nil {
			return err
		}
		if p.Table == "" {
			if p.Rows != done.Rows {
				return fmt.Errorf("the backup says that it has %d rows, and %d were in it", p.Rows, done.Rows)
			}
			for name, value := range p.Sequences {
				if _, err := tx.Exec(ctx, "SELECT setval($1::text::regclass, $2)", name, value); err != nil {
					return fmt.Errorf("sequence %s: %w", name, err)
				}
			}
			return nil
		}
		// A table's name goes into a statement, so it is one of ours and nothing else.
		if !slices.Contains(Kept(), p.Table) {
			return fmt.Errorf("the backup has a table %q, which this program does not know", p.Table)
		}
		rows := &rowsOf{in: r.in}
		tag, err := tx.Conn().PgConn().CopyFrom(ctx, rows, "COPY "+p.Table+" ("+quoted(p.Columns)+") FROM STDIN")
		if err = errors.Join(rows.err, err); err != nil {
			return fmt.Errorf("table %s: %w", p.Table, err)
		}
		done.Tables++
		done.Rows += tag.RowsAffected()
	}
}

// reader reads the lines between the rows.
type reader struct{ in *bufio.Reader }

func (r *reader) line(into any) error {
	text, err := r.in.ReadBytes('\n')
	if err == io.EOF {
		return fmt.Errorf("the backup ends too early: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(text, into) != nil {
		return errForeign
	}
	return nil
}

// rowsOf reads the rows of a table, and ends before the line that ends them.
type rowsOf struct {
	in *bufio.Reader
	// inside: the last piece ended within a line.
	inside bool
	rest   []byte
	ended  bool
	err    error
}

func (r *rowsOf) Read(into []byte) (n int, err error) {
	for len(r.rest) == 0 {
		if r.ended {
			return 0, cmp.Or(r.err, io.EOF)
		}
		piece, err := r.in.ReadSlice('\n')
		whole := err == nil
		switch {
		case err == io.EOF:
			r.err, r.ended = io.ErrUnexpectedEOF, true
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			r.err, r.ended = err, true
		case whole && !r.inside && bytes.Equal(piece, []byte("\\.\n")):
			r.ended = true
		default:
			r.rest, r.inside = piece, !whole
		}
	}
	n = copy(into, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
