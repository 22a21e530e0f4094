package readapi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// TouchedPages finds the pages of the storefront that show rows of the read models.
type TouchedPages struct{ DB replicas.DB }

// TouchedPage is a page that shows something that was touched.
type TouchedPage struct {
	// Kind is what the page is about: home, product, category, brand, brands, news, post, document, about or delivery.
	Kind string `json:"kind"`
	Path string `json:"path"`
	// Name is that of what the page is about; empty for a page that there is once.
	Name string `json:"name"`
}

// MostTouchedPages bounds the pages of each kind.
const MostTouchedPages = 50

// touchedSubjects are pages about things. Products come with the marks they bear and the pieces there are of them, categories and brands
// with the products in them.
const touchedSubjects = `WITH products AS MATERIALIZED (
		SELECT p.id, p.link, p.name, p.category_id, p.brand_id, row_number() OVER (ORDER BY p.id = ANY(@products::text[]::uuid[]) DESC, lower(p.name), p.id) AS place FROM catalog.product p
		WHERE (p.id = ANY(@products::text[]::uuid[] || @levels::text[]::uuid[]) OR p.marks && @marks::text[]::uuid[]) AND (p.on_sale OR p.archived)
	), categories AS (
		SELECT c.id, c.link, c.name, c.id = ANY(@categories::text[]::uuid[]) AS itself FROM catalog.category c
		WHERE (c.id = ANY(@categories::text[]::uuid[]) OR c.id IN (SELECT category_id FROM products)) AND NOT c.archived
	), brands AS (
		SELECT b.id, b.link, b.name, b.id = ANY(@brands::text[]::uuid[]) AS itself FROM catalog.brand b
		WHERE (b.id = ANY(@brands::text[]::uuid[]) OR b.id IN (SELECT brand_id FROM products)) AND NOT b.archived
	)
	SELECT kind, path, name FROM (
		SELECT 'product' AS kind, '/product/' || link AS path, name, 1 AS sort, place FROM products
		UNION ALL SELECT 'category', CASE WHEN EXISTS (SELECT FROM catalog.category b WHERE b.parent_id = c.id AND NOT b.archived) THEN '/categories/' ELSE '/category/' END || link,
			name, 2, row_number() OVER (ORDER BY itself DESC, lower(name), id) FROM categories c
		UNION ALL SELECT 'brand', '/brands/' || link, name, 3, row_number() OVER (ORDER BY itself DESC, lower(name), id) FROM brands
		UNION ALL SELECT 'post', '/news/' || link, title, 4, row_number() OVER (ORDER BY published_at DESC, id) FROM posts.post
			WHERE id = ANY(@posts::text[]::uuid[]) AND published
	) page WHERE place <= @most ORDER BY sort, place`

// fixedPages are the pages that there are once, by the tables whose rows they show.
var fixedPages = []struct {
	TouchedPage
	tables []string
}{
	{TouchedPage{Kind: "home", Path: "/"}, []string{"catalog.product", "catalog.category", "catalog.brand", "stock.level", "content.block", "rules.current", "settings.current"}},
	{TouchedPage{Kind: "brands", Path: "/brands"}, []string{"catalog.brand"}},
	{TouchedPage{Kind: "news", Path: "/news"}, []string{"posts.post"}},
	{TouchedPage{Kind: "about", Path: "/about"}, []string{"content.block"}},
	{TouchedPage{Kind: "delivery", Path: "/dostavka-i-skidki"}, []string{"content.block", "rules.current", "settings.current"}},
	{TouchedPage{Kind: "document", Path: "/documents/offer", Name: "offer"}, []string{"documents.current", "settings.current"}},
	{TouchedPage{Kind: "document", Path: "/documents/privacy", Name: "privacy"}, []string{"documents.current", "settings.current"}},
}

// List are the pages that show rows with these keys, by table, such as catalog.product: those about them first.
func (h TouchedPages) List(ctx context.Context, keys map[string][]string) ([]TouchedPage, error) {
	rows, err := h.DB.Query(ctx, touchedSubjects, pgx.NamedArgs{
		"products": orNone(keys["catalog.product"]), "levels": orNone(keys["stock.level"]), "marks": orNone(keys["catalog.mark"]), "categories": orNone(keys["catalog.category"]),
		"brands": orNone(keys["catalog.brand"]), "posts": orNone(keys["posts.post"]), "most": MostTouchedPages,
	})
	if err != nil {
		return nil, fmt.Errorf("find touched pages: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[TouchedPage])
	if err != nil {
		return nil, fmt.Errorf("find touched pages: %w", err)
	}
	for _, page := range fixedPages {
		if slices.ContainsFunc(page.tables, func(table string) bool { return len(keys[table]) > 0 && onPage(page.TouchedPage, table, keys[table]) }) {
			found = append(found, page.TouchedPage)
		}
	}
	return found, nil
}

// onPage says whether a page that there is once shows any of a table's rows.
func onPage(page TouchedPage, table string, keys []string) bool {
	switch table {
	case "content.block":
		return slices.ContainsFunc(keys, func(name string) bool { return blockPage(name) == page.Kind })
	case "documents.current":
		return slices.Contains(keys, page.Name)
	}
	return true
}

// blockPage is the kind of page that shows a block: the home page shows what is no text of another.
func blockPage(name string) string {
	return cmp.Or(pageNames[strings.TrimSuffix(name, inKazakh)], "home")
}

func orNone(keys []string) []string {
	if keys == nil {
		return []string{}
	}
	return keys
}
