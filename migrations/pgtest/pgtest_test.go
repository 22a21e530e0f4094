package pgtest_test

import (
	"context"
	"testing"
	"time"

	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestOpen(t *testing.T) {
	for range 3 {
		began := time.Now()
		db := pgtest.Open(t)
		var n int
		if err := db.QueryRow(context.Background(), "SELECT version FROM shop_migrations.version").Scan(&n); err != nil {
			t.Fatal(err)
		}
		t.Log(n, time.Since(began))
	}
}
