package projections

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"shop/migrations/pgtest"
)

// The definitions are written with: go test ./projections -run TestDefinitions -write-definitions.
var writeDefinitions = flag.Bool("write-definitions", false, "write what the read models' tables are made of")

// TestDefinitionsAreThoseOfLiveReadModels: every shop builds a read model anew whose fingerprint changed, and the fingerprint takes
// the statements letter by letter. So whoever changes one does it on purpose, in testdata/definitions.txt too.
func TestDefinitionsAreThoseOfLiveReadModels(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, p := range All() {
		fmt.Fprintf(&b, "== %s %s\n", p.Name, p.Fingerprint())
		for _, table := range p.Tables {
			d := table.Definition()
			fmt.Fprintf(&b, "-- %s, key %s %s\n%s\n%s\n", d.Name, d.Key, d.KeyType, d.DDL, d.Indexes)
		}
	}
	const golden = "testdata/definitions.txt"
	if *writeDefinitions {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wants := strings.Split(string(want), "\n")
	for i, line := range strings.Split(b.String(), "\n") {
		if i >= len(wants) || line != wants[i] {
			t.Fatalf("%s:%d is no more what the read models are made of, which is\n%s\nEvery shop would build them anew; where that is meant, "+
				"write the file with -write-definitions", golden, i+1, line)
		}
	}
	if b.String() != string(want) {
		t.Errorf("%s has more than the read models", golden)
	}
}

// A rebuild makes indexes one by one.
func TestIndexStatements(t *testing.T) {
	t.Parallel()
	for _, p := range All() {
		indexes, after := p.IndexStatements()
		want := 0
		for _, table := range p.Tables {
			want += strings.Count(table.Definition().Indexes, "CREATE ")
		}
		if len(indexes) != want {
			t.Errorf("%s: %d indexes, want %d: %q", p.Name, len(indexes), want, indexes)
		}
		for _, statement := range indexes {
			if !strings.HasPrefix(statement, "CREATE INDEX ") {
				t.Errorf("%s: %s", p.Name, statement)
			}
		}
		for _, statement := range after {
			if !strings.HasPrefix(statement, "ALTER INDEX ") {
				t.Errorf("%s: %s", p.Name, statement)
			}
		}
	}
}

// The planner keeps no samples of documents, but of those that an index asks about it does.
func TestDocumentsAreNotSampled(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	p, _ := Named("orders")
	if err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error { return p.CreateTables(t.Context(), tx, p.Name) }); err != nil {
		t.Fatal(err)
	}
	const left = `SELECT attname::text FROM pg_attribute WHERE attrelid = 'orders.orders'::regclass AND attstattarget = 0 AND atttypid = 'jsonb'::regtype ORDER BY 1`
	if got := pgtest.All[string](t, db, left); !slices.Equal(got, []string{"by_hand", "edits", "explanation", "history", "lines", "returns"}) {
		t.Errorf("%q", got)
	}
}
