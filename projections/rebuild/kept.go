package rebuild

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// DropKept removes what is kept beside a projection's live read model: the previous one and those as of a position. Nothing
// folds into them, so that they would show for ever who is to be forgotten. There is no way back to the previous one then.
func (e *Engine) DropKept(ctx context.Context, projection string) error {
	err := pgx.BeginFunc(ctx, e.DB, func(tx pgx.Tx) error {
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
