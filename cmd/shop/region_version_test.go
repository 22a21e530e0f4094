package main

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore/relay/natstest"
)

// TestRegionOfAnotherVersion: a region whose database a newer program has migrated is told so in one line, and changes nothing there.
func TestRegionOfAnotherVersion(t *testing.T) {
	t.Parallel()
	region := onDatabase(t).with("SHOP_NATS_URL=" + natstest.Start(t).URL()).regionOf(freeAddress(t))
	db, err := pgxpool.New(t.Context(), region.value("SHOP_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "UPDATE shop_migrations.version SET version = version + 1"); err != nil {
		t.Fatal(err)
	}
	r := region.run("serve", "--region", "almaty", "--roles", "web,projectors")
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	if last := lines[len(lines)-1]; r.status != 1 || !strings.HasPrefix(last, "shop: ") || !strings.Contains(last, "run the newer program") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	var copied int
	if err := db.QueryRow(t.Context(), "SELECT count(*) FROM eventstore.copied").Scan(&copied); err != nil || copied != 0 {
		t.Errorf("%d ranges of a copy were begun, %v", copied, err)
	}
}
