package preview

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"shop/projections/standin"
)

// Overlay is the database of a preview. Statements name tables as they do everywhere; those that the events touch are looked up among the
// views. It is not safe for concurrent use.
type Overlay struct {
	tx pgx.Tx
	// keys are those of the touched rows, by table, such as catalog.product.
	keys map[string][]string
	// covered are the names of these tables.
	covered standin.Names
}

// errOneTransaction: a preview is one transaction already.
var errOneTransaction = errors.New("a preview has no transactions of its own")

// Touched are the keys of the rows that the events touch, by table.
func (o *Overlay) Touched() map[string][]string { return maps.Clone(o.keys) }

// cover lets statements find a view in the place of a table.
func (o *Overlay) cover(table string, keys []string) {
	o.keys[table] = keys
	o.covered = standin.Of(slices.Collect(maps.Keys(o.keys)))
}

// Query asks the database as it would be.
func (o *Overlay) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return o.tx.Query(ctx, o.covered.Asked(sql), args...)
}

// QueryRow asks the database as it would be for one row.
func (o *Overlay) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return o.tx.QueryRow(ctx, o.covered.Asked(sql), args...)
}

// BeginTx refuses: a preview is one transaction.
func (o *Overlay) BeginTx(context.Context, pgx.TxOptions) (pgx.Tx, error) {
	return nil, errOneTransaction
}
