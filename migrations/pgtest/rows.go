package pgtest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// All is the one column that a query returns, row by row.
func All[R any](t testing.TB, db *pgxpool.Pool, sql string) []R {
	t.Helper()
	rows, err := db.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[R])
	if err != nil {
		t.Fatal(err)
	}
	return found
}
