package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestATemplateIsPreparedOnceForAllItsCopies(t *testing.T) {
	t.Parallel()
	works := 0
	prepared := Template{Prepare: func(ctx context.Context, url string) error {
		works++
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, "CREATE TABLE prepared AS SELECT 7 AS n")
		return err
	}}
	one, other := prepared.URL(t), prepared.URL(t)
	if works != 1 {
		t.Errorf("it was prepared %d times", works)
	}
	if n := scan[int](t, one, "WITH gone AS (DELETE FROM prepared RETURNING n) SELECT n FROM gone"); n != 7 {
		t.Errorf("prepared: %d", n)
	}
	if left := scan[int](t, other, "SELECT count(*) FROM prepared"); left != 1 {
		t.Errorf("of the prepared row the other copy has %d", left)
	}
	if plain := scan[bool](t, URL(t), "SELECT to_regclass('prepared') IS NULL"); !plain {
		t.Error("a database of another kind was prepared, too")
	}
}
