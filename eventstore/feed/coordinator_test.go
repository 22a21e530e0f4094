package feed

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/migrations/pgtest"
)

// TestSavingLocksRangesInTheirOrder: a save that waits for a consumer's first range, which somebody holds, has locked none
// of the others, wherever they lie in the table.
func TestSavingLocksRangesInTheirOrder(t *testing.T) {
	t.Parallel()
	pool := pgtest.Open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := pool.Exec(ctx, "INSERT INTO eventstore.checkpoints (consumer, range) VALUES ('pair', 3), ('pair', 2), ('pair', 1), ('pair', 0)"); err != nil {
		t.Fatal(err)
	}
	holder, err := pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Rollback(ctx) }()
	if _, err := holder.Exec(ctx, "SELECT FROM eventstore.checkpoints WHERE range = 0 FOR UPDATE"); err != nil {
		t.Fatal(err)
	}

	saved := make(chan error, 1)
	go func() {
		names, zeros := []string{"pair", "pair", "pair", "pair"}, []int64{0, 0, 0, 0}
		_, err := pool.Exec(ctx, saveCheckpoints, names, []int32{3, 2, 1, 0}, zeros, zeros, []int64{7, 7, 7, 7}, []float32{0, 0, 0, 0})
		saved <- err
	}()
	for waits := false; !waits; {
		err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := holder.Exec(ctx, "SELECT FROM eventstore.checkpoints WHERE range > 0 FOR UPDATE NOWAIT"); err != nil {
		t.Errorf("a save that waits for the first range holds others: %v", err)
	}
	if err := holder.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-saved; err != nil {
		t.Fatal(err)
	}
	rows, _ := pool.Query(ctx, "SELECT position FROM eventstore.checkpoints ORDER BY range")
	positions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(positions) != 4 || positions[0] != 7 || positions[3] != 7 {
		t.Errorf("saved %v, %v", positions, err)
	}
}
