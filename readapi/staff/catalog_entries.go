package staff

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain/catalog"
)

// CatalogEntry is a category, brand or mark with all that staff may change of it. What its kind does not have is empty.
type CatalogEntry struct {
	ID          uuid.UUID `json:"id"`
	Link        string    `json:"link"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	// Kazakh are the texts in Kazakh; empty ones are shown in Russian.
	Kazakh      catalog.Wording `json:"kazakh"`
	ParentID    *uuid.UUID      `json:"parent_id"`
	Order       int             `json:"order"`
	Placeholder string          `json:"placeholder"`
	// Picture is that of a category, brand or mark, Logo a brand's.
	Picture  *catalog.Picture `json:"picture"`
	Logo     *catalog.Picture `json:"logo"`
	Archived bool             `json:"archived"`
	// Products are how many it has that are not archived.
	Products int64 `json:"products"`
}

// EntryKinds are what entries there are.
var EntryKinds = map[string]string{
	"category": `SELECT c.id, c.link, c.name, c.description, c.kazakh, nullif(c.parent_id, '00000000-0000-0000-0000-000000000000') AS parent_id, c.sort_order AS "order",
		c.placeholder, c.picture, NULL::jsonb AS logo, c.archived, (SELECT count(*) FROM catalog.product p WHERE p.category_id = c.id AND NOT p.archived) AS products
		FROM catalog.category c ORDER BY c.archived, c.sort_order, c.name, c.id`,
	"brand": `SELECT b.id, b.link, b.name, b.description, jsonb_build_object('name', '', 'description', b.description_kk) AS kazakh, NULL::uuid AS parent_id, 0 AS "order", '' AS placeholder, b.picture, b.logo, b.archived,
		(SELECT count(*) FROM catalog.product p WHERE p.brand_id = b.id AND NOT p.archived) AS products FROM catalog.brand b ORDER BY b.archived, b.name, b.id`,
	"mark": `SELECT m.id, '' AS link, m.name, m.description, m.kazakh, NULL::uuid AS parent_id, 0 AS "order", '' AS placeholder, m.picture, NULL::jsonb AS logo, m.archived,
		(SELECT count(*) FROM catalog.product p WHERE m.id = ANY (p.marks) AND NOT p.archived) AS products FROM catalog.mark m ORDER BY m.archived, m.name, m.id`,
}

// CatalogEntries lists the entries of one of [EntryKinds], archived ones last.
func (s Shop) CatalogEntries(ctx context.Context, kind string) ([]CatalogEntry, error) {
	rows, err := s.DB.Query(ctx, EntryKinds[kind])
	if err != nil {
		return nil, fmt.Errorf("list entries of the kind %s: %w", kind, err)
	}
	entries, err := pgx.CollectRows(rows, pgx.RowToStructByName[CatalogEntry])
	if err != nil {
		return nil, fmt.Errorf("list entries of the kind %s: %w", kind, err)
	}
	return orEmpty(entries), nil
}
