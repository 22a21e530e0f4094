package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestShortHostileRun is the run of make hostile, short, with one seed. When all is proved it plants faults in the very
// database, and the same checks must find them.
func TestShortHostileRun(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "shop")
	if said, err := exec.Command("go", "build", "-o", program, "shop/cmd/shop").CombinedOutput(); err != nil {
		t.Fatalf("build the shop: %v: %s", err, said)
	}
	var out bytes.Buffer
	planted := false
	report, err := run(t.Context(), settings{period: 12 * time.Second, seed: 7, shop: program, afterwards: func(ctx context.Context, r *hostile) error {
		planted = true
		return plant(ctx, t, r)
	}}, &out)
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
	if n := report.faults(); n > 0 {
		t.Errorf("%d faults", n)
	}
	if !planted {
		t.Error("the run did not come to its end")
	}
	for _, what := range []string{"fault: kill -9 of a shop", "fault: backend terminated", "fault: kill -9 of PostgreSQL and its children",
		"fault: " + stopsAppend, "fault: " + cutsAppend, "fault: " + failsOver, "fault: " + deploys, "order: acknowledged", "append: acknowledged",
		"rival of a hot product: acknowledged"} {
		if report.counted(what) == 0 {
			t.Errorf("%s: it did not happen", what)
		}
	}
}

// plant does what must never happen, one thing after the other, and wants to be told of each.
func plant(ctx context.Context, t *testing.T, r *hostile) error {
	honest := r.report
	defer func() { r.report = honest }()
	for _, p := range []struct{ what, sql, want string }{
		{"a row of a read model is gone", `DELETE FROM orders.orders WHERE ctid = (SELECT min(ctid) FROM orders.orders)`, "read model equals a fresh fold: orders.orders: 1"},
		{"a number in a read model is wrong", `UPDATE stock.level SET on_hand = on_hand + 1 WHERE ctid = (SELECT min(ctid) FROM stock.level)`, "read model equals a fresh fold: stock.level: 1"},
		{"an event was delivered twice", `INSERT INTO hostile_witness (stream, version, position)
			SELECT stream, version, position FROM hostile_witness ORDER BY nth DESC LIMIT 1`, "every event is delivered once, in order: 1"},
		{"a letter is dead", `INSERT INTO eventstore.dead_letters (consumer, position, range, stream, error)
			SELECT 'stock', position, 0, stream, 'planted' FROM eventstore.events ORDER BY position LIMIT 1`, "no dead letters: 1"},
		{"two orders have one number", `UPDATE eventstore.events SET data = jsonb_set(data::jsonb, '{number}', (SELECT (data->'number')::jsonb FROM eventstore.events
				WHERE type = 'order.placed' ORDER BY position LIMIT 1))::json
			WHERE position = (SELECT max(position) FROM eventstore.events WHERE type = 'order.placed')`, "each order acknowledged is there, once, and no other: "},
		{"two events of a stream are swapped", `UPDATE eventstore.events SET version = -version WHERE stream = (SELECT min(stream) FROM eventstore.events WHERE version = 2) AND version <= 2;
			UPDATE eventstore.events SET version = 3 + version WHERE version < 0`, "versions have no gaps and ascend with positions: 1"},
		{"an acknowledged order is lost", `DELETE FROM eventstore.events WHERE position = (SELECT max(position) FROM eventstore.events WHERE type = 'order.placed')`,
			"each order acknowledged is there, once, and no other: "},
	} {
		if err := execute(ctx, r.url, p.sql); err != nil {
			return fmt.Errorf("plant %q: %w", p.what, err)
		}
		r.report = newReport(&bytes.Buffer{})
		if err := r.prove(ctx, r.database, "", r.server); err != nil {
			return fmt.Errorf("%s: %w", p.what, err)
		}
		var said []string
		for _, c := range r.report.checks {
			if len(c.faults) > 0 {
				said = append(said, fmt.Sprintf("%s: %d", c.what, len(c.faults)))
			}
		}
		if !strings.Contains(strings.Join(said, "\n"), p.want) {
			t.Errorf("%s: found %q, want %q", p.what, said, p.want)
		}
	}
	return nil
}
