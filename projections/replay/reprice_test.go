package replay

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"shop/domain/promocode"
	"shop/migrations/pgtest"
)

// TestTermsAreFoundAmongManyUses: what a much used code was issued with is not searched for among its uses.
func TestTermsAreFoundAmongManyUses(t *testing.T) {
	t.Parallel()
	pool := pgtest.Open(t)
	ctx := t.Context()
	if _, err := pool.Exec(ctx, `INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
		SELECT n, 0, 1, n, gen_random_uuid(), now(), 'promocode-MUCH', CASE n WHEN 1 THEN 'promocode.issued' ELSE 'promocode.redeemed' END, '{}', '{}'
		FROM generate_series(1, 5000) n`); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, "ANALYZE eventstore.events"); err != nil {
		t.Fatal(err)
	}
	rows, _ := pool.Query(ctx, "EXPLAIN SELECT data FROM eventstore.events WHERE stream = $1 AND type = $2 ORDER BY version",
		pgx.QueryExecModeCacheDescribe, promocode.Stream("MUCH"), promocode.Issued{}.EventType())
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || !strings.Contains(strings.Join(plan, "\n"), "promocodes_issued") {
		t.Errorf("the plan is %q, %v", plan, err)
	}
}
