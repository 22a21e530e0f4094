package staff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi"
)

// ProductSearch narrows the grid of products. Every zero field narrows nothing.
type ProductSearch struct {
	// Query are words of an article, a name or a brand; all must be found.
	Query string
	// Code is what a scanner read: an article or a barcode, whole.
	Code string
	// Category keeps its products and those of the categories under it.
	Category, Brand, Mark uuid.UUID
	// State is active or archived; empty: both.
	State string
	// Stock is some, low or none, by what may be ordered; low is at most the product's low line.
	Stock string
	// Lacks keeps products without a picture, a brand, marks, a shelf, a price, a description or a composition: one of [ProductLacks].
	Lacks string
	// Discounted narrows to products with a discount, or without.
	Discounted *bool
	// Sort is one of [ProductSorts], after a minus the greatest first; empty: by article.
	Sort          string
	Limit, Offset int
	// Since is the day from which pieces count as ordered lately.
	Since time.Time
}

// productSorts are columns of the grid in SQL.
var productSorts = map[string]string{
	"article": "p.article", "name": "p.name", "price": "p.price", "discounted_price": "p.discounted_price", "brand": "coalesce(b.name, '')",
	"category": "concat_ws(' > ', cp.name, c.name)", "on_hand": "coalesce(s.on_hand, 0)", "available": "coalesce(s.available, 0)",
	"shelf": "coalesce(w.shelf, '')", "low_line": "n.low_line", "waiting": waitingFor, "updated": "p.updated_at",
}

// waitingFor is how many customers wait for a product, in SQL.
const waitingFor = "(SELECT count(*) FROM restock.waiting r WHERE r.product_id = p.id)"

// orderedLately is how many pieces of a product were ordered since a day, in SQL; unknown stands for a number that the past does not know.
const (
	orderedLately = "coalesce((SELECT sum(u.units) FROM popularity.units u WHERE u.product_id = p.id AND u.day > @since::text::date), 0)::bigint"
	unknown       = "0::bigint"
)

// productLacks are conditions in SQL.
var productLacks = map[string]string{
	"": "true", "picture": "p.pictures = '[]'", "brand": "b.id IS NULL", "marks": "p.marks = '{}'", "shelf": "w.shelf IS NULL",
	"price": "p.price = 0", "description": "p.description = ''", "composition": "p.composition = ''",
}

// productStocks are conditions in SQL.
var productStocks = map[string]string{
	"": "true", "some": "coalesce(s.available, 0) > 0", "none": "coalesce(s.available, 0) <= 0",
	"low": "coalesce(s.available, 0) BETWEEN 1 AND " + lowLine,
}

// productStates are conditions in SQL.
var productStates = map[string]string{"": "true", "active": "NOT p.archived", "archived": "p.archived"}

// Check names the fields that are none of their values.
func (f ProductSearch) Check() []string {
	var wrong []string
	for field, known := range map[string]bool{
		"sort": f.Sort == "" || productSorts[strings.TrimPrefix(f.Sort, "-")] != "", "lacks": productLacks[f.Lacks] != "",
		"stock": productStocks[f.Stock] != "", "state": productStates[f.State] != "",
	} {
		if !known {
			wrong = append(wrong, field)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// ProductRow is a product in the grid.
type ProductRow struct {
	ID              uuid.UUID   `json:"id"`
	Article         string      `json:"article"`
	Link            string      `json:"link"`
	Name            string      `json:"name"`
	BrandID         *uuid.UUID  `json:"brand_id"`
	Brand           string      `json:"brand"`
	CategoryID      *uuid.UUID  `json:"category_id"`
	Category        string      `json:"category"`
	Marks           []uuid.UUID `json:"marks"`
	Price           int64       `json:"price"`
	DiscountedPrice int64       `json:"discounted_price"`
	Archived        bool        `json:"archived"`
	// Picture is the address of the first one; empty without one.
	Picture   string `json:"picture"`
	Shelf     string `json:"shelf"`
	GTIN      string `json:"gtin"`
	OnHand    int64  `json:"on_hand"`
	Reserved  int64  `json:"reserved"`
	Available int64  `json:"available"`
	// LowLine is how many pieces are few; null: the rules say. Low: no more are left, and some are.
	LowLine *int64 `json:"low_line"`
	Low     bool   `json:"low"`
	// Waiting is how many customers wait for it, Ordered how many pieces were ordered in the last 30 days; 0 of the past.
	Waiting   int64     `json:"waiting"`
	Ordered   int64     `json:"ordered"`
	UpdatedAt time.Time `json:"updated_at"`
}

// FoundProducts is a page of the grid; Count is how many products the search finds in all.
type FoundProducts struct {
	Count   int64        `json:"count"`
	Results []ProductRow `json:"results"`
}

// productTables are what the grid is sorted and narrowed by.
const productTables = ` catalog.product p
	LEFT JOIN catalog.brand b ON b.id = p.brand_id
	LEFT JOIN catalog.category c ON c.id = p.category_id LEFT JOIN catalog.category cp ON cp.id = c.parent_id
	LEFT JOIN stock.level s ON s.product_id = p.id LEFT JOIN packing.shelf w ON w.product_id = p.id
	LEFT JOIN packing.low_line n ON n.product_id = p.id `

// Products finds products for the grid.
func (s Shop) Products(ctx context.Context, f ProductSearch) (FoundProducts, error) {
	order, direction := productSorts[strings.TrimPrefix(f.Sort, "-")], "ASC"
	if order == "" {
		order = "p.article"
	}
	if strings.HasPrefix(f.Sort, "-") {
		direction = "DESC"
	}
	waiting, lately := waitingFor, orderedLately
	if s.Then != nil {
		waiting, lately = unknown, unknown
		order = strings.Replace(order, waitingFor, unknown, 1)
	}
	// The page is cut before pictures are read: they are most of a row.
	sql := `WITH RECURSIVE below AS (SELECT @category::uuid AS id UNION SELECT c.id FROM catalog.category c JOIN below ON c.parent_id = below.id),
		hit AS MATERIALIZED (SELECT p.id, ` + order + ` AS by, count(*) OVER () AS found FROM ` + productTables + ` WHERE
			NOT EXISTS (SELECT FROM unnest(@words::text[]) word WHERE position(word IN ` + spelled("p.article || ' ' || p.name || ' ' || coalesce(b.name, '')") + `) = 0)
			AND (@code = '' OR lower(p.article) = lower(@code) OR p.id IN (SELECT product_id FROM packing.barcode WHERE gtin IN (@code, ltrim(@code, '0'))))
			AND (@category = @zero OR p.category_id IN (SELECT id FROM below))
			AND (@brand = @zero OR p.brand_id = @brand) AND (@mark = @zero OR p.marks @> ARRAY[@mark::uuid])
			AND (@discounted::boolean IS NULL OR (p.discounted_price < p.price) = @discounted)
			AND ` + productStates[f.State] + ` AND ` + productStocks[f.Stock] + ` AND ` + productLacks[f.Lacks] + `
			ORDER BY ` + order + ` ` + direction + `, p.article, p.id LIMIT @limit OFFSET @offset)
		SELECT hit.found, p.id, p.article, p.link, p.name, b.id AS brand_id, coalesce(b.name, '') AS brand, c.id AS category_id, ` + categoryPath + ` AS category,
			p.marks, p.price, p.discounted_price, p.archived, coalesce(p.pictures->0->>'src', '') AS picture, coalesce(w.shelf, '') AS shelf, coalesce(g.gtin, '') AS gtin,
			coalesce(s.on_hand, 0)::bigint AS on_hand, coalesce(s.reserved, 0)::bigint AS reserved, coalesce(s.available, 0)::bigint AS available,
			n.low_line, coalesce(s.available, 0) BETWEEN 1 AND ` + lowLine + ` AS low, ` + waiting + ` AS waiting,
			` + lately + ` AS ordered, p.updated_at
		FROM hit JOIN (` + productTables + ` LEFT JOIN packing.barcode g ON g.product_id = p.id) ON p.id = hit.id ORDER BY hit.by ` + direction + `, p.article, p.id`
	rows, err := s.DB.Query(ctx, sql, pgx.NamedArgs{
		"words": wordsOf(f.Query), "code": readapi.Clean(f.Code, 100), "category": f.Category, "brand": f.Brand, "mark": f.Mark, "zero": uuid.Nil, "discounted": f.Discounted, "since": f.Since.Format(time.DateOnly),
		"limit": f.Limit, "offset": f.Offset,
	})
	if err != nil {
		return FoundProducts{}, fmt.Errorf("find products: %w", err)
	}
	type hit struct {
		Found int64 `db:"found"`
		ProductRow
	}
	hits, err := pgx.CollectRows(rows, pgx.RowToStructByName[hit])
	if err != nil {
		return FoundProducts{}, fmt.Errorf("find products: %w", err)
	}
	found := FoundProducts{Results: make([]ProductRow, len(hits)), Count: int64(min(f.Offset, len(hits)))}
	for i, h := range hits {
		found.Count, found.Results[i] = h.Found, h.ProductRow
	}
	return found, nil
}

// wordsOf are the words of a query as [spelled] writes names.
func wordsOf(query string) []string {
	return strings.Fields(strings.ReplaceAll(strings.ToLower(readapi.Clean(query, maxQuery)), "ё", "е"))
}

// ProductGroup is a category, brand or mark that a product may be put into.
type ProductGroup struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Archived bool      `json:"archived"`
	// Products are how many it has that are not archived; of a category without those of the categories under it.
	Products int64 `json:"products"`
}

// ProductGroups are all there are, archived ones too.
type ProductGroups struct {
	Categories []ProductGroup `json:"categories"`
	Brands     []ProductGroup `json:"brands"`
	Marks      []ProductGroup `json:"marks"`
}

// ProductGroups lists what the grid narrows by: categories by their path, the others by name.
func (s Shop) ProductGroups(ctx context.Context) (groups ProductGroups, err error) {
	for into, sql := range map[*[]ProductGroup]string{
		&groups.Categories: `SELECT c.id, ` + categoryPath + ` AS name, c.archived, coalesce(n.products, 0) AS products
			FROM catalog.category c LEFT JOIN catalog.category cp ON cp.id = c.parent_id
			LEFT JOIN (SELECT category_id, count(*) AS products FROM catalog.product WHERE NOT archived GROUP BY category_id) n ON n.category_id = c.id
			ORDER BY coalesce(cp.sort_order, c.sort_order), coalesce(cp.name, c.name), cp.id IS NOT NULL, c.sort_order, c.name`,
		&groups.Brands: `SELECT b.id, b.name, b.archived, coalesce(n.products, 0) AS products FROM catalog.brand b
			LEFT JOIN (SELECT brand_id, count(*) AS products FROM catalog.product WHERE NOT archived GROUP BY brand_id) n ON n.brand_id = b.id ORDER BY b.name, b.id`,
		&groups.Marks: `SELECT m.id, m.name, m.archived, coalesce(n.products, 0) AS products FROM catalog.mark m
			LEFT JOIN (SELECT mark, count(*) AS products FROM catalog.product, unnest(marks) mark WHERE NOT archived GROUP BY mark) n ON n.mark = m.id ORDER BY m.name, m.id`,
	} {
		rows, err := s.DB.Query(ctx, sql)
		if err != nil {
			return groups, fmt.Errorf("list groups of products: %w", err)
		}
		if *into, err = pgx.CollectRows(rows, pgx.RowToStructByName[ProductGroup]); err != nil {
			return groups, fmt.Errorf("list groups of products: %w", err)
		}
		*into = orEmpty(*into)
	}
	return groups, nil
}

// ProductID finds a product by its article, one that is sold before one that is archived.
func (s Shop) ProductID(ctx context.Context, article string) (id uuid.UUID, found bool, err error) {
	return find[uuid.UUID](ctx, s, "find a product by its article", `SELECT id FROM catalog.product WHERE article = $1 ORDER BY archived, added_at, id LIMIT 1`, readapi.Clean(article, 200))
}

// ProductTaken says whether products have an article and a link.
func (s Shop) ProductTaken(ctx context.Context, article, link string) (articleTaken, linkTaken bool, err error) {
	err = s.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM catalog.product WHERE article = $1), EXISTS (SELECT FROM catalog.product WHERE link = $2)`,
		readapi.Clean(article, 200), readapi.Clean(link, 300)).Scan(&articleTaken, &linkTaken)
	if err != nil {
		return false, false, fmt.Errorf("look for products with an article or a link: %w", err)
	}
	return articleTaken, linkTaken, nil
}
