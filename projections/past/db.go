package past

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// DB is the database as it was. It is not safe for concurrent use, and of the moment of the look that it was given to.
type DB struct {
	pasts  *Pasts
	moment *moment
}

// errNoTransactions: a look at the past reads one statement after the other; what it reads does not change between them.
var errNoTransactions = errors.New("a look at the past has no transactions")

// Query asks the database as it was.
func (d *DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := d.pasts.fold(ctx, d.moment, d.pasts.book.In(sql)); err != nil {
		return nil, err
	}
	return d.moment.conn.Query(ctx, d.pasts.book.Asked(sql), args...)
}

// QueryRow asks the database as it was for one row.
func (d *DB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := d.pasts.fold(ctx, d.moment, d.pasts.book.In(sql)); err != nil {
		return failed{err}
	}
	return d.moment.conn.QueryRow(ctx, d.pasts.book.Asked(sql), args...)
}

// BeginTx refuses.
func (d *DB) BeginTx(context.Context, pgx.TxOptions) (pgx.Tx, error) { return nil, errNoTransactions }

// failed is a row that could not be asked for.
type failed struct{ err error }

// Scan says why.
func (f failed) Scan(...any) error { return f.err }
