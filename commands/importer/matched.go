package importer

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/importer/catalogfile"
)

// keptMatches is for how many sorts of files the columns are kept, the last ones.
const keptMatches = 200

// Matched keeps what columns of catalog files were taken for by hand, for the whole shop. It is safe for concurrent use.
type Matched struct{ DB *pgxpool.Pool }

// headersKey names files with the same headers.
func headersKey(headers []catalogfile.Header) []byte {
	theirs := make([]string, len(headers))
	for i, h := range headers {
		theirs[i] = h.Theirs
	}
	text, _ := json.Marshal(theirs) // strings
	sum := sha256.Sum256(text)
	return sum[:]
}

// of answers what columns of the last file with such headers were taken for; nil: nothing was matched by hand.
func (m Matched) of(ctx context.Context, headers []catalogfile.Header) (columns map[string]string, err error) {
	err = m.DB.QueryRow(ctx, `SELECT columns FROM import_columns WHERE headers = $1`, headersKey(headers)).Scan(&columns)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read how columns were matched: %w", err)
	}
	return columns, nil
}

// keep remembers what columns of files with such headers are taken for; none: only what their headers say.
func (m Matched) keep(ctx context.Context, headers []catalogfile.Header, columns map[string]string) error {
	key := headersKey(headers)
	var err error
	if len(columns) == 0 {
		_, err = m.DB.Exec(ctx, `DELETE FROM import_columns WHERE headers = $1`, key)
	} else {
		_, err = m.DB.Exec(ctx, `WITH old AS (DELETE FROM import_columns WHERE headers IN (
				SELECT headers FROM import_columns WHERE headers <> @key ORDER BY kept_at DESC OFFSET @kept))
			INSERT INTO import_columns (headers, columns, kept_at) VALUES (@key, @columns, now())
			ON CONFLICT (headers) DO UPDATE SET columns = excluded.columns, kept_at = excluded.kept_at`,
			pgx.NamedArgs{"key": key, "columns": columns, "kept": keptMatches - 1})
	}
	if err != nil {
		return fmt.Errorf("keep how columns are matched: %w", err)
	}
	return nil
}
