package readapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Brands answers about brands.
type Brands struct {
	DB  replicas.DB
	Now func() time.Time
	// Customer is for whom the answers are.
	Customer Viewer
}

// brandColumns are those of a brand in a language. Its name is the same in both.
func brandColumns(l language) string {
	description := "b.description"
	if l == kazakh {
		description = "coalesce(nullif(b.description_kk, ''), b.description) AS description, CASE WHEN b.description_kk = '' THEN '[\"description\"]' ELSE '[]' END::jsonb AS russian"
	}
	return `b.id, b.link, b.name, b.logo->>'src' AS image, b.picture->>'src' AS main_image, ` + pictureOf("b.picture") + ` AS picture, ` + description
}

// popularBrand counts from 1 by the pieces ordered lately, soldBrands tells them.
const (
	popularBrand = `row_number() OVER (ORDER BY coalesce(sold.units, 0) DESC, lower(b.name), b.id)`
	soldBrands   = `LEFT JOIN (SELECT p.brand_id, sum(u.units) AS units FROM popularity.units u JOIN catalog.product p ON p.id = u.product_id
			WHERE ` + wholeDays + ` GROUP BY p.brand_id) sold ON sold.brand_id = b.id`
)

var (
	allBrands = inBothLanguages(func(l language) string {
		return `SELECT coalesce(json_agg(brand), '[]') FROM (SELECT ` + brandColumns(l) + `, coalesce(n.count, 0) AS products_count, ` + popularBrand + ` AS popular_place
		FROM catalog.brand b LEFT JOIN (SELECT brand_id, count(*) FROM catalog.product WHERE on_sale GROUP BY brand_id) n ON n.brand_id = b.id
		` + soldBrands + `
		WHERE NOT b.archived ORDER BY lower(b.name), b.id) brand`
	})
	brandsInCategory = inBothLanguages(func(l language) string {
		return `SELECT coalesce(json_agg(brand), '[]') FROM (SELECT ` + brandColumns(l) + `, n.count AS products_count, ` + popularBrand + ` AS popular_place
		FROM catalog.brand b JOIN (SELECT brand_id, count(*) FROM catalog.product
			WHERE on_sale AND category_id = ANY(ARRAY(` + below + `)) GROUP BY brand_id) n ON n.brand_id = b.id
		` + soldBrands + `
		WHERE NOT b.archived ORDER BY lower(b.name), b.id) brand`
	})
	oneBrand = inBothLanguages(func(l language) string {
		return `SELECT b.id::text, row_to_json(brand) FROM catalog.brand b,
		LATERAL (SELECT ` + brandColumns(l) + `, (SELECT count(*) FROM catalog.product WHERE on_sale AND brand_id = b.id) AS products_count) brand
		WHERE (b.id = @id OR b.link = @link) AND NOT b.archived ORDER BY b.id = @id DESC LIMIT 1`
	})
)

// List is GET /api/brands/.
func (h Brands) List(r *http.Request) (*Reply, error) {
	l := languageOf(r)
	sql, args := allBrands[l], lately(h.Now())
	if category := Clean(r.URL.Query().Get("category_id"), 300); category != "" {
		c := refOf(category)
		sql, args["category"], args["category_link"] = brandsInCategory[l], c.ID, c.Link
	}
	var body []byte
	if err := h.DB.QueryRow(r.Context(), sql, args).Scan(&body); err != nil {
		return nil, fmt.Errorf("list brands: %w", err)
	}
	answer := reply(revalidate, body, Part{"catalog", ""})
	answer.until = midnight(h.Now())
	return answer, nil
}

// Show is GET /api/brands/{id}/.
func (h Brands) Show(r *http.Request) (*Reply, error) {
	bad := BadQuery{}
	s := everythingFor(r, h.Customer, bad)
	if len(bad) > 0 {
		return nil, bad
	}
	var (
		id    string
		brand map[string]json.RawMessage
	)
	l := languageOf(r)
	err := h.DB.QueryRow(r.Context(), oneBrand[l], refOf(param(r, "id")).args()).Scan(&id, &brand)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read brand: %w", err)
	}
	s.ofBrands(id)
	_, products, parts, err := cards(r.Context(), h.DB, s, page{Limit: defaultLimit})
	if err != nil {
		return nil, err
	}
	brand["products"] = products
	return replyWith(cacheFor(s.customer), brand, parts...)
}
