package rebuild

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// beginner is a pool, a connection or a transaction.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// inAsyncTx commits without waiting for the disk. A crash may lose the transaction: then its events are folded again, or
// the old read model stays live.
func inAsyncTx(ctx context.Context, db beginner, work func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = off"); err != nil {
			return err
		}
		return work(tx)
	})
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
