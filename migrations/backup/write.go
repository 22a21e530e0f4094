package backup

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	format  = "shop-backup"
	version = 1
)

// header is the first line.
type header struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	TakenAt time.Time `json:"taken_at"`
	// Migration is how far the database was migrated.
	Migration int `json:"migration"`
}

// part begins the rows of a table, which follow as PostgreSQL's COPY writes them as text, up to a line `\.`. The last part has no table.
type part struct {
	Table   string   `json:"table,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// Sequences are the present values, by name; of the last part alone.
	Sequences map[string]int64 `json:"sequences,omitempty"`
	// Rows is how many rows there were in all; of the last part alone.
	Rows int64 `json:"rows,omitempty"`
}

// Report is what was written or read.
type Report struct {
	Tables  int
	Rows    int64
	TakenAt time.Time
	// Migration is how far the database was migrated.
	Migration int
}

// Options of a backup.
type Options struct {
	// ReadModels are the names of the read models, which are also those of their schemas and consumers.
	ReadModels []string
	Now        time.Time
	// Progress, when given, hears of each table before it is written.
	Progress func(table string)
}

// Write writes the backup of a database as it is at one moment, while the shop is open.
func Write(ctx context.Context, db *pgxpool.Pool, to io.Writer, o Options) (done Report, err error) {
	done = Report{TakenAt: o.Now.UTC()}
	packed, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return done, err
	}
	w := bufio.NewWriterSize(packed, 256<<10)
	lines := json.NewEncoder(w)
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, db, snapshot, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, "SELECT version FROM shop_migrations.version").Scan(&done.Migration); err != nil {
			return err
		}
		if err := lines.Encode(header{format, version, done.TakenAt, done.Migration}); err != nil {
			return err
		}
		for _, t := range kept {
			if o.Progress != nil {
				o.Progress(t.name)
			}
			columns, err := columnsOf(ctx, tx, t.name)
			if err != nil {
				return err
			}
			if err := lines.Encode(part{Table: t.name, Columns: columns}); err != nil {
				return err
			}
			tag, err := tx.Conn().PgConn().CopyTo(ctx, w, t.copyTo(columns, o.ReadModels))
			if err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
			if _, err := w.WriteString("\\.\n"); err != nil {
				return err
			}
			done.Tables++
			done.Rows += tag.RowsAffected()
		}
		// After the rows: a value is never below one that a row has.
		sequences, err := sequencesOf(ctx, tx, o.ReadModels)
		if err != nil {
			return err
		}
		return lines.Encode(part{Sequences: sequences, Rows: done.Rows})
	})
	if err != nil {
		return done, fmt.Errorf("back up the database: %w", err)
	}
	if err := w.Flush(); err != nil {
		return done, err
	}
	return done, packed.Close()
}

// copyTo is the statement that writes the table's rows. All names in it are constants or the catalog's.
func (t table) copyTo(columns, readModels []string) string {
	sql := "SELECT " + quoted(columns) + " FROM " + t.name
	if t.where != "" {
		names := make([]string, len(readModels))
		for i, name := range readModels {
			names[i] = "'" + strings.ReplaceAll(name, "'", "''") + "'"
		}
		sql += " WHERE " + strings.ReplaceAll(t.where, "$readmodels", "ARRAY["+strings.Join(names, ", ")+"]::text[]")
	}
	return "COPY (" + sql + ") TO STDOUT"
}

func quoted(columns []string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = pgx.Identifier{c}.Sanitize()
	}
	return strings.Join(names, ", ")
}

func columnsOf(ctx context.Context, tx pgx.Tx, table string) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`, table)
	if err != nil {
		return nil, fmt.Errorf("columns of %s: %w", table, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// sequencesOf are the values of the sequences that no read model has.
func sequencesOf(ctx context.Context, tx pgx.Tx, readModels []string) (map[string]int64, error) {
	rows, err := tx.Query(ctx, `SELECT format('%I.%I', schemaname, sequencename), last_value FROM pg_sequences
		WHERE last_value IS NOT NULL AND schemaname IN ('public', 'eventstore', 'security') AND schemaname <> ALL ($1)`, readModels)
	if err != nil {
		return nil, fmt.Errorf("sequences: %w", err)
	}
	values := map[string]int64{}
	var name string
	var value int64
	_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		values[name] = value
		return nil
	})
	return values, err
}
