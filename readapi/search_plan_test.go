package readapi_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/readapi"
)

// watched remembers the statements of a pool with their arguments.
type watched struct {
	mu         sync.Mutex
	statements []pgx.TraceQueryStartData
}

func (w *watched) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.statements = append(w.statements, q)
	return ctx
}

func (w *watched) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// plan is a node of what EXPLAIN tells.
type plan struct {
	Node     string `json:"Node Type"`
	Schema   string `json:"Schema"`
	Relation string `json:"Relation Name"`
	Index    string `json:"Index Name"`
	Plans    []plan
}

func (p plan) each(visit func(plan)) {
	visit(p)
	for _, below := range p.Plans {
		below.each(visit)
	}
}

// In a shop of 10 000 products no search reads all of them: it asks by an index what has changed, and reads the products of its page.
func TestSearchReadsIndexes(t *testing.T) {
	t.Parallel()
	db := largeShop(t, 10_000)
	c := db.Config()
	traced := &watched{}
	c.ConnConfig.Tracer = traced
	pool, err := pgxpool.NewWithConfig(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	shop := routes(pool, readapi.Fresh{Positions: standing(1 << 60)}, nil)
	get(t, shop, "/api/products/?search=крем") // reads all products once
	used := map[string]bool{}
	for _, text := range []string{"мыло с лавандой", "ромашк", "дизодорант", "ifvgeym", "krem dlya ruk", "AB-00123", "niacinamide", "ванилести"} {
		for _, path := range []string{"/api/products/?search=", "/api/products/suggest/?q="} {
			traced.statements = nil
			if w := get(t, shop, path+url.QueryEscape(text)); w.Code != 200 {
				t.Fatalf("%s%s: %d %s", path, text, w.Code, w.Body)
			}
			for _, statement := range traced.statements {
				if !strings.Contains(statement.SQL, "catalog.") {
					continue // the beginning and the end of a transaction
				}
				var told string
				if err := db.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+statement.SQL, statement.Args...).Scan(&told); err != nil {
					t.Fatalf("explain %s: %v", statement.SQL, err)
				}
				var explained []struct{ Plan plan }
				if err := json.Unmarshal([]byte(told), &explained); err != nil {
					t.Fatal(err)
				}
				explained[0].Plan.each(func(node plan) {
					used[node.Index] = true
					if node.Node == "Seq Scan" && node.Relation == "product" {
						t.Errorf("%s%s reads every row of %s:\n%s", path, text, node.Relation, statement.SQL)
					}
				})
			}
		}
	}
	if !used["product_by_position"] {
		t.Errorf("no search asks by index what has changed, but reads %v", used)
	}
}
