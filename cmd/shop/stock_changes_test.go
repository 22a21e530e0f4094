package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"shop/domain/change"
)

// madeChange is a change as the command line lists it.
type madeChange struct {
	ID, Title, Reason string
	Status            change.Status
}

// changes are all changes, the newest first.
func (p program) changes() (made []madeChange) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.ok("changes", "list", "--format", "json")), &made); err != nil {
		p.t.Fatal(err)
	}
	return made
}

// TestStockMovesByChangesAtTheCommandLine: a delivery and a count are one change each, with the paper as the reason that the ledger names too.
// They are tried without effect, undone, and may begin later.
func TestStockMovesByChangesAtTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.stocked("MK-1", 9_000, 30)
	moved := func(verb string, args ...string) []string {
		return append([]string{"stock", verb, "--article", "MK-1"}, args...)
	}
	p.says("MK-1: would have 35 on hand instead of 30\n", moved("receive", "--quantity", "5", "--dry-run")...)
	p.says("MK-1: 35 on hand, 0 reserved, 35 free\n", moved("receive", "--quantity", "5", "--ref", "invoice 7", "--reason", "привезли")...)
	p.says("MK-1: 33 on hand, 0 reserved, 33 free\n", moved("adjust", "--on-hand", "33", "--ref", "inventory")...)
	p.says("MK-1: 33 on hand, 0 reserved, 33 free\n", moved("adjust", "--on-hand", "33")...)
	p.refuses("The quantity must be between 1 and 1000000.", moved("receive", "--quantity", "2000000")...)
	ledger := p.ok("stock", "ledger", "--article", "MK-1")
	for _, want := range []string{"receipt invoice 7: привезли", "count inventory"} {
		if !strings.Contains(ledger, want) {
			t.Errorf("no %q in the ledger:\n%s", want, ledger)
		}
	}
	made := p.changes()
	if len(made) != 2 || made[0].Title != "shop stock adjust: MK-1" || made[1].Title != "shop stock receive: MK-1" || made[1].Reason != "invoice 7: привезли" {
		t.Fatalf("%+v", made)
	}
	p.ok("changes", "undo", made[0].ID)
	p.ok("changes", "undo", made[1].ID)
	if said := p.ok("stock", "list", "--article", "MK-1"); !strings.Contains(said, "30") {
		t.Error(said)
	}
	later := time.Now().AddDate(0, 1, 0).Format("2006-01-02T15:04")
	if said := p.ok(moved("receive", "--quantity", "5", "--at", later)...); !strings.HasPrefix(said, "MK-1: is planned: shop changes show ") {
		t.Error(said)
	}
	if last := p.changes()[0]; last.Status != change.Planned {
		t.Errorf("%+v", last)
	}
	// What was sold or received since does not stand in the way of an undo of a delivery; only what is gone does.
	p.ok(moved("receive", "--quantity", "5")...)
	last := p.changes()[0].ID
	p.ok(moved("adjust", "--on-hand", "4")...)
	if said := p.run("changes", "undo", last); said.status != 1 || !strings.Contains(said.stdout, "refused") || !strings.Contains(said.stdout, "Fewer pieces are free than would go.") {
		t.Errorf("%d %s", said.status, said.stdout)
	}
}
