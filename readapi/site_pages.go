package readapi

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Sitemap lists what search engines may find.
type Sitemap struct{ DB replicas.DB }

// SitePage is a public page of the storefront.
type SitePage struct {
	Path string
	// Changed is when it last did; nil: unknown.
	Changed *time.Time
	// Pictures are addresses of what it shows of its subject.
	Pictures []string
}

const sitePages = `
	SELECT '/product/' || link AS path, updated_at AS changed,
		ARRAY(SELECT picture->>'src' FROM jsonb_array_elements(pictures) picture WHERE picture->>'src' <> '') AS pictures, 1 AS kind, id
	FROM catalog.product WHERE on_sale
	UNION ALL SELECT CASE WHEN EXISTS (SELECT FROM catalog.category b WHERE b.parent_id = c.id AND NOT b.archived) THEN '/categories/' ELSE '/category/' END || c.link,
		NULL, array_remove(ARRAY[c.picture->>'src'], NULL), 2, c.id FROM catalog.category c WHERE NOT c.archived
	UNION ALL SELECT '/brands/' || link, NULL, array_remove(ARRAY[coalesce(picture->>'src', logo->>'src')], NULL), 3, id FROM catalog.brand WHERE NOT archived
	UNION ALL SELECT '/news/' || link, updated_at, array_remove(ARRAY[nullif(picture, '')], NULL), 4, id FROM posts.post WHERE published`

// Pages lists every product, category, brand and post that is shown, in an order that stays.
func (h Sitemap) Pages(ctx context.Context) ([]SitePage, error) {
	rows, err := h.DB.Query(ctx, `SELECT path, changed, pictures FROM (`+sitePages+`) page ORDER BY kind, id`)
	if err != nil {
		return nil, fmt.Errorf("list the site's pages: %w", err)
	}
	pages, err := pgx.CollectRows(rows, pgx.RowToStructByName[SitePage])
	if err != nil {
		return nil, fmt.Errorf("list the site's pages: %w", err)
	}
	return pages, nil
}
