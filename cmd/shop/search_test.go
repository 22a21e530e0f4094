package main

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"shop/cmd/shop/demo"
	"shop/cmd/shop/images"
	"shop/commands"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
	"shop/readapi/search"
)

// judged is a search with the goods that a reader of the catalog holds for good answers, by their articles. Which they are was decided by reading
// the catalog, not by searching it. Also are goods that may stand among them and need not. Nothing: no answer is a good one.
type judged struct {
	Class, Query string
	Good, Also   map[string]bool
	Nothing      bool
}

// judgedIn reads a file of searches over goods. Its lines that begin with @, and groups, name groups of goods.
func judgedIn(t *testing.T, goods judgedGoods, file, groups string) []judged {
	t.Helper()
	lines := func(file string) []string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return line == "" || line[0] == '#' })
	}
	named := map[string]string{}
	if groups != "" {
		for _, line := range lines(groups) {
			name, terms, _ := strings.Cut(line, "=")
			named[strings.TrimSpace(name)] = terms
		}
	}
	var queries []judged
	for _, line := range lines(file) {
		if name, terms, ok := strings.Cut(line, "="); ok && line[0] == '@' {
			named[strings.TrimSpace(name[1:])] = terms
			continue
		}
		parts := append(strings.Split(line, "|"), "", "")
		q := judged{Class: strings.TrimSpace(parts[0]), Query: strings.TrimSpace(parts[1]), Nothing: strings.TrimSpace(parts[2]) == "-"}
		if !q.Nothing {
			if q.Good, q.Also = goods.named(t, parts[2], named), goods.named(t, parts[3], named); len(q.Good) == 0 {
				t.Fatalf("%s: no good answer", line)
			}
		}
		queries = append(queries, q)
	}
	return queries
}

// judgedGood is one of the goods as their judge saw them, in lower case. Category is its number in YML, its name in other files.
type judgedGood struct {
	Article, Name, Brand, Category, Description string
	Composition, Marks                          []string
}

type judgedGoods []judgedGood

// demoGoods are the demo's goods, whose categories the sets name by their numbers in its file.
func demoGoods(t *testing.T) (goods judgedGoods) {
	t.Helper()
	var file struct {
		Goods []struct {
			Article     string `xml:"vendorCode"`
			Name        string `xml:"name"`
			Brand       string `xml:"vendor"`
			Category    string `xml:"categoryId"`
			Description string `xml:"description"`
			Params      []struct {
				Name string `xml:"name,attr"`
				Text string `xml:",chardata"`
			} `xml:"param"`
		} `xml:"shop>offers>offer"`
	}
	if err := xml.NewDecoder(demo.CatalogFile()).Decode(&file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Goods {
		good := judgedGood{Article: g.Article, Name: strings.ToLower(g.Name), Brand: strings.ToLower(g.Brand), Category: g.Category, Description: strings.ToLower(g.Description)}
		for _, p := range g.Params {
			switch p.Name {
			case "Состав":
				good.Composition = strings.Split(strings.ToLower(p.Text), ", ")
			case "Знаки":
				good.Marks = append(good.Marks, strings.ToLower(p.Text))
			}
		}
		goods = append(goods, good)
	}
	return goods
}

// named are the articles of the goods that terms name, see testdata/judged/groups.txt.
func (g judgedGoods) named(t *testing.T, terms string, groups map[string]string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for term := range strings.FieldsSeq(terms) {
		for i := range g {
			if !slices.ContainsFunc(strings.Split(term, "&"), func(fact string) bool { return !g[i].is(t, fact, groups) }) {
				found[g[i].Article] = true
			}
		}
	}
	return found
}

func (g judgedGood) is(t *testing.T, fact string, groups map[string]string) bool {
	t.Helper()
	fact, not := strings.CutPrefix(fact, "!")
	fact = strings.ReplaceAll(fact, "%", " ")
	is := false
	switch kind, value, ok := strings.Cut(fact, ":"); {
	case fact[0] == '@':
		terms, ok := groups[fact[1:]]
		if !ok {
			t.Fatalf("there is no group %s", fact)
		}
		is = len(judgedGoods{g}.named(t, terms, groups)) > 0
	case kind == "b":
		is = strings.HasPrefix(g.Brand, value)
	case kind == "n":
		is = strings.Contains(g.Name, value)
	case kind == "w":
		is = slices.Contains(strings.FieldsFunc(g.Name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }), value)
	case kind == "d":
		is = strings.Contains(g.Description, value)
	case kind == "i":
		is = slices.ContainsFunc(g.Composition, func(part string) bool { return strings.HasPrefix(part, value) })
	case kind == "m":
		is = slices.ContainsFunc(g.Marks, func(mark string) bool { return strings.HasPrefix(mark, value) })
	case kind == "c":
		is = g.Category == value
	case !ok && fact[0] == 'c':
		is = g.Category == fact[1:]
	default:
		is = strings.HasSuffix(g.Article, fact)
	}
	return is != not
}

// demoSearch is the products' endpoint over the demo catalog.
func demoSearch(t *testing.T) http.Handler {
	t.Helper()
	var o importer.Options
	var err error
	if o.Directory, err = demo.Directory(); err != nil {
		t.Fatal(err)
	}
	if o.Pictures, err = images.Pictures(); err != nil {
		t.Fatal(err)
	}
	return searchOver(t, demo.CatalogFile(), o)
}

// searchOver is the products' endpoint over a catalog file, imported and projected as everywhere.
func searchOver(t *testing.T, catalog io.Reader, o importer.Options) http.Handler {
	t.Helper()
	db := pgtest.Open(t)
	log := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(log.Close)
	file, err := catalogfile.Open(catalog, "catalog", catalogfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := importer.Catalog{Handler: commands.New(log, commands.Options{}), Log: log}
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
	products := readapi.Products{DB: db, Now: time.Now, Index: search.New(db)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := readapi.Endpoint(products.List).ServeJSON(w, r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

// quality is what a set of searches came to.
type quality struct{ Recall, NDCG, False float64 }

// measure asks each search and prints by class: recall@10 is the share of the good answers, of ten at most, among the first ten; NDCG@10
// weighs them by their places; false is the share of searches with answers where there should be none.
func measure(t *testing.T, search http.Handler, queries []judged, explain bool) (q quality) {
	t.Helper()
	type sum struct{ recall, ndcg, queries, wrong, nothing float64 }
	sums := map[string]*sum{"": {}}
	for _, j := range queries {
		if sums[j.Class] == nil {
			sums[j.Class] = &sum{}
		}
		found := j.ask(t, search)
		if explain {
			j.explain(found)
		}
		for _, s := range []*sum{sums[j.Class], sums[""]} {
			if j.Nothing {
				s.nothing++
				s.wrong += float64(min(1, len(found)))
				continue
			}
			recall, ndcg := j.score(found)
			s.recall, s.ndcg, s.queries = s.recall+recall, s.ndcg+ndcg, s.queries+1
		}
	}
	for _, class := range slices.Sorted(maps.Keys(sums)) {
		s := sums[class]
		fmt.Printf("%-15s %3.0f queries recall@10 %.3f NDCG@10 %.3f; false answers %2.0f of %2.0f\n", cmp.Or(class, "all"), s.queries,
			s.recall/max(1, s.queries), s.ndcg/max(1, s.queries), s.wrong, s.nothing)
	}
	all := sums[""]
	return quality{all.recall / all.queries, all.ndcg / all.queries, all.wrong / all.nothing}
}

// ask returns the first goods that a search finds, without those that need not be there.
func (j judged) ask(t *testing.T, search http.Handler) (found []string) {
	t.Helper()
	w := httptest.NewRecorder()
	search.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/products/?limit=100&search="+url.QueryEscape(j.Query), nil))
	var list struct{ Results []struct{ Article string } }
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatalf("%s: %d %s", j.Query, w.Code, w.Body)
	}
	for _, p := range list.Results {
		if j.Good[p.Article] || !j.Also[p.Article] {
			found = append(found, p.Article)
		}
	}
	return found[:min(10, len(found))]
}

// explain prints what a search lacks among its first goods and what stands in its place, if it lacks anything.
func (j judged) explain(found []string) {
	right := 0
	for _, article := range found {
		if j.Good[article] {
			right++
		}
	}
	if right == min(10, len(j.Good)) && !(j.Nothing && len(found) > 0) {
		return
	}
	missing := slices.DeleteFunc(slices.Sorted(maps.Keys(j.Good)), func(article string) bool { return slices.Contains(found, article) })
	wrong := slices.DeleteFunc(slices.Clone(found), func(article string) bool { return j.Good[article] })
	fmt.Printf("missed: %s | %s | lacks %v | found %v, of them wrong %v\n", j.Class, j.Query, missing, found, wrong)
}

func (j judged) score(found []string) (recall, ndcg float64) {
	good, gain, ideal := 0.0, 0.0, 0.0
	for i, article := range found {
		if j.Good[article] {
			good, gain = good+1, gain+1/math.Log2(float64(i+2))
		}
	}
	for i := range min(10, len(j.Good)) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	return good / float64(min(10, len(j.Good))), gain / ideal
}

// TestSearchFindsWhatReadersOfTheCatalogWould holds what was reached. The queries of all sets have been read while the search was changed; with -v each
// that misses goods is printed.
func TestSearchFindsWhatReadersOfTheCatalogWould(t *testing.T) {
	t.Parallel()
	asked, goods := demoSearch(t), demoGoods(t)
	all := 0
	for file, least := range map[string]quality{"tuned.txt": {0.985, 0.975, 0}, "words.txt": {0.99, 0.965, 0}, "strangers.txt": {0.985, 0.955, 0}, "aside.txt": {0.98, 0.97, 0},
		"everyday.txt": {0.985, 0.965, 0}, "judge.txt": {0.985, 0.975, 0}, "practice.txt": {0.975, 0.955, 0}, "assistant.txt": {0.985, 0.965, 0}, "third.txt": {0.975, 0.96, 0}, "fourth.txt": {0.985, 0.96, 0},
		"fifth.txt": {0.93, 0.90, 0}, "sixth.txt": {0.995, 0.99, 0}, "seventh.txt": {0.98, 0.97, 0}} {
		queries := judgedIn(t, goods, "testdata/judged/"+file, "testdata/judged/groups.txt")
		all += len(queries)
		fmt.Println(file)
		if got := measure(t, asked, queries, testing.Verbose()); got.Recall < least.Recall || got.NDCG < least.NDCG || got.False > least.False {
			t.Errorf("%s: %+v, want %+v", file, got, least)
		}
	}
	if all < 400 {
		t.Errorf("only %d queries are judged", all)
	}
}
