package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/cmd/shop/demo"
	"shop/commands"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
)

// judged is a search with the articles that a reader of the catalog holds for good answers. Which they are was decided
// by reading testdata's catalog, not by searching it.
type judged struct {
	Class    string
	Query    string
	Relevant []string
}

func queriesIn(t *testing.T, file string) []judged {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var queries []judged
	if err := json.Unmarshal(text, &queries); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return queries
}

// demoSearch is the products' endpoint over the demo catalog, imported and projected as everywhere.
func demoSearch(t *testing.T) http.Handler {
	t.Helper()
	db := pgtest.Open(t)
	log := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(log.Close)
	handler := commands.New(log, commands.Options{})
	run := importer.Catalog{Handler: handler, Log: log}
	file, err := catalogfile.Open(demo.CatalogFile(), "catalog.xml", catalogfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var o importer.Options
	if o.Directory, err = demo.Directory(); err != nil {
		t.Fatal(err)
	}
	if o.Pictures, err = demo.Pictures(); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Import(t.Context(), file, o); err != nil {
		t.Fatal(err)
	}
	if _, err := rebuild.Prepare(t.Context(), db, projections.All()...); err != nil {
		t.Fatal(err)
	}
	events, err := log.Read(t.Context(), eventstore.Query{Range: -1, Limit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range projections.All() {
		if err := pgx.BeginFunc(context.Background(), db, func(tx pgx.Tx) error { return p.Apply(t.Context(), tx, events) }); err != nil {
			t.Fatal(err)
		}
	}
	products := readapi.Products{DB: db, Now: time.Now}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := readapi.Endpoint(products.List).ServeJSON(w, r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

// recall is the share of a query's good answers, of five at most, among the first five found.
func (j judged) recall(t *testing.T, search http.Handler) float64 {
	t.Helper()
	w := httptest.NewRecorder()
	search.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/products/?limit=5&search="+url.QueryEscape(j.Query), nil))
	var found struct {
		Results   []struct{ Article, Name string }
		Corrected string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil {
		t.Fatalf("%s: %d %s", j.Query, w.Code, w.Body)
	}
	good, names := 0, ""
	for _, p := range found.Results {
		mark := "-"
		if slices.Contains(j.Relevant, p.Article) {
			good, mark = good+1, "+"
		}
		names += fmt.Sprintf("\n  %s %s %s", mark, p.Article, p.Name)
	}
	share := float64(good) / float64(min(5, len(j.Relevant)))
	if share < 1 {
		t.Logf("%s: %q found %.2f (as %q):%s", j.Class, j.Query, share, found.Corrected, names)
	}
	return share
}

// recallOf is the mean recall of queries, as text by class and in total.
func recallOf(t *testing.T, search http.Handler, queries []judged) (total float64) {
	t.Helper()
	sums, counts := map[string]float64{}, map[string]int{}
	var classes []string
	for _, q := range queries {
		if counts[q.Class] == 0 {
			classes = append(classes, q.Class)
		}
		share := q.recall(t, search)
		sums[q.Class], counts[q.Class], total = sums[q.Class]+share, counts[q.Class]+1, total+share
	}
	for _, c := range classes {
		fmt.Printf("recall@5 %.2f %s (%d queries)\n", sums[c]/float64(counts[c]), c, counts[c])
	}
	return total / float64(len(queries))
}

func TestSearchFindsWhatReadersOfTheCatalogWould(t *testing.T) {
	t.Parallel()
	search := demoSearch(t)
	queries := queriesIn(t, "testdata/queries.json")
	total := recallOf(t, search, queries)
	fmt.Printf("recall@5 %.2f (%d queries)\n", total, len(queries))
	if len(queries) < 60 || total < 0.95 {
		t.Errorf("recall@5 is %.3f of %d queries", total, len(queries))
	}
	kept := queriesIn(t, "testdata/queries-kept.json")
	fmt.Printf("recall@5 %.2f (%d queries that nothing was tuned on)\n", recallOf(t, search, kept), len(kept))
}
