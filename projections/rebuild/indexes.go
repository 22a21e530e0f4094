package rebuild

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"shop/projections"
)

// indexConnections is how many indexes are made at once. Each reads the whole table, and on two processors two at a time take less than
// half of what one after the other takes with PostgreSQL's parallel workers, which are started anew for each.
const indexConnections = 2

// finishTables makes the indexes of tables that hold their rows, and statistics for the planner. What an attempt that was interrupted had made is
// made again. Every transaction asks mine first, which keeps it for whoever calls it: nil lets all pass.
func (builder *Builder) finishTables(ctx context.Context, p projections.Projection, schema string, mine func(context.Context, pgx.Tx) error) error {
	run := func(ctx context.Context, statements ...string) error {
		return inAsyncTx(ctx, builder.DB, func(tx pgx.Tx) error {
			if mine != nil {
				if err := mine(ctx, tx); err != nil {
					return err
				}
			}
			return projections.InSchema(ctx, tx, schema, statements)
		})
	}
	left, err := builder.indexesIn(ctx, schema)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		if err := run(ctx, "DROP INDEX "+strings.Join(left, ", ")); err != nil {
			return err
		}
	}
	indexes, after := p.IndexStatements()
	group, making := errgroup.WithContext(ctx)
	group.SetLimit(indexConnections)
	for _, statement := range indexes {
		group.Go(func() error { return run(making, "SET LOCAL max_parallel_maintenance_workers = 0", statement) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, t := range p.Tables {
		after = append(after, "ANALYZE "+quote(t.Definition().Name))
	}
	return run(ctx, after...)
}

// indexesIn are the indexes of a schema's tables, but for those of their keys, quoted.
func (builder *Builder) indexesIn(ctx context.Context, schema string) ([]string, error) {
	rows, _ := builder.DB.Query(ctx, `SELECT quote_ident(c.relname) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		JOIN pg_class t ON t.oid = i.indrelid AND t.relkind = 'r' WHERE t.relnamespace = $1::text::regnamespace AND NOT i.indisprimary`, quote(schema))
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for indexes of %s: %w", schema, err)
	}
	return names, nil
}
