package rebuild

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// DropKept drops what is kept of a projection beside its live read model: the previous model, and those as of a position.
// Nothing folds into them any more, so they would go on to show persons who are to be erased. Afterwards there is no
// previous model to roll back to.
func (builder *Builder) DropKept(ctx context.Context, projection string) error {
	err := pgx.BeginFunc(ctx, builder.DB, func(tx pgx.Tx) error {
		if err := lockSchemas(ctx, tx); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, "DELETE FROM projections.models WHERE projection = $1 AND role <> 'live' RETURNING schema", projection)
		schemas, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, schema := range schemas {
			if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(schema)+" CASCADE"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("drop what is kept of %s: %w", projection, err)
	}
	return nil
}
