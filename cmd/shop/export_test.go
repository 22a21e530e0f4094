package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/projections"
)

// readModels are all rows of all read models, brought up to date, by table.
func (p program) readModels() map[string][]string {
	p.t.Helper()
	ctx := context.Background()
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(ctx)
	var names []string
	for _, model := range projections.All() {
		names = append(names, model.Name)
	}
	var said strings.Builder
	if err := s.CatchUp(ctx, terminal.World{Stderr: &said}, names...); err != nil {
		p.t.Fatal(err)
	}
	query := func(sql string, args ...any) []string {
		rows, err := s.Pool.Query(ctx, sql, args...)
		if err != nil {
			p.t.Fatal(err)
		}
		texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			p.t.Fatal(err)
		}
		return texts
	}
	models := map[string][]string{}
	for _, table := range query("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = ANY ($1)", names) {
		models[table] = query("SELECT t::text FROM " + table + " t")
		slices.Sort(models[table])
	}
	return models
}

func TestAMovedShopIsTheSameShop(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.ok("demo", "--orders", "300")
	folder := t.TempDir()
	file, plain, keys := filepath.Join(folder, "shop.jsonl.gz"), filepath.Join(folder, "shop.jsonl"), filepath.Join(folder, "shop.keys")
	if said := p.ok("events", "export", "--out", file, "--with-keys", keys); !strings.Contains(said, "with both files everything can be read") {
		t.Errorf("export said %s", said)
	}
	if said := p.ok("events", "export", "--out", plain); !strings.Contains(said, "personal data is erased") {
		t.Errorf("export without keys said %s", said)
	}
	if piped := p.ok("events", "export"); strings.Count(piped, "\n") < 5_000 || strings.Contains(piped, "@example") {
		t.Errorf("export to a pipe: %d lines, or personal data", strings.Count(piped, "\n"))
	}
	if info, err := os.Stat(keys); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the keys' file: %v, %v", info.Mode(), err)
	}

	copied := onDatabase(t)
	if said := copied.ok("events", "import", file, "--keys", keys); !strings.Contains(said, "events up to position") {
		t.Errorf("import said %s", said)
	}
	want, got := p.readModels(), copied.readModels()
	rows, personal := 0, 0
	for table := range want {
		rows += len(want[table])
		personal += strings.Count(strings.Join(want[table], ""), "@example")
		if !slices.Equal(got[table], want[table]) {
			t.Errorf("%s differs: %d rows, want %d", table, len(got[table]), len(want[table]))
		}
	}
	if rows < 5_000 || personal < 200 || len(got) != len(want) {
		t.Errorf("%d rows, %d of them personal, in %d tables, %d in the copy", rows, personal, len(want), len(got))
	}
	// The copy takes the next order where the shop would have.
	next := func(p program) (number int64) {
		s, err := app.OpenShop(t.Context(), p.config(), shoptest.Quiet, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(t.Context())
		orders, err := s.Orders()
		if err != nil {
			t.Fatal(err)
		}
		if number, err = orders.Numbers.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		return number
	}
	if a, b := next(p), next(copied); b < 100_300 || b > a {
		t.Errorf("the next order is %d, in the copy %d", a, b)
	}

	// Without keys everything is there but the persons.
	erased := onDatabase(t)
	if said := erased.ok("events", "import", plain); !strings.Contains(said, "is erased in this copy") {
		t.Errorf("import without keys said %s", said)
	}
	for table, rows := range erased.readModels() {
		if strings.Contains(strings.Join(rows, ""), "@example") || len(rows) != len(want[table]) {
			t.Errorf("%s has %d rows or persons", table, len(rows))
		}
	}

	// A second import, and a file that was cut.
	if again := erased.run("events", "import", plain); again.status != terminal.Failed || !strings.Contains(again.stderr, "the log is not empty") {
		t.Errorf("a second import: %+v", again)
	}
	whole, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plain, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	empty := onDatabase(t)
	line := strings.Count(string(whole[:len(whole)/2]), "\n") + 1
	if cut := empty.run("events", "import", plain); cut.status != terminal.Failed || !strings.Contains(cut.stderr, fmt.Sprintf("line %d: the file ends before its trailer", line)) {
		t.Errorf("a cut file: %+v", cut)
	}
	if said := empty.ok("events", "import", file, "--keys", keys); !strings.Contains(said, "events up to position") {
		t.Errorf("the whole file afterwards: %s", said)
	}
}
