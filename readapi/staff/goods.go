package staff

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi"
)

// GoodsLine is a product in a list for staff.
type GoodsLine struct {
	Article         string    `json:"article"`
	ProductID       uuid.UUID `json:"product_id"`
	Name            string    `json:"name"`
	Brand           string    `json:"brand"`
	Category        string    `json:"category"`
	Price           int64     `json:"price"`
	DiscountedPrice int64     `json:"discounted_price"`
	Marks           []string  `json:"marks"`
	Archived        bool      `json:"archived"`
}

// GoodsFilter narrows a list of goods.
type GoodsFilter struct {
	// Article is an exact article; empty: all.
	Article       string
	Limit, Offset int
}

// categoryPath is a category's names from the top, as catalog files write them.
const categoryPath = "concat_ws(' > ', cp.name, c.name)"

// Goods lists products, by article.
func (s Shop) Goods(ctx context.Context, f GoodsFilter) ([]GoodsLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT p.article, p.id AS product_id, p.name, coalesce(b.name, '') AS brand, `+categoryPath+` AS category,
			p.price, p.discounted_price, p.archived,
			ARRAY(SELECT m.name FROM unnest(p.marks) WITH ORDINALITY i(mark, place) JOIN catalog.mark m ON m.id = i.mark ORDER BY i.place) AS marks
		FROM catalog.product p LEFT JOIN catalog.brand b ON b.id = p.brand_id
			LEFT JOIN catalog.category c ON c.id = p.category_id LEFT JOIN catalog.category cp ON cp.id = c.parent_id
		WHERE @article = '' OR p.article = @article
		ORDER BY p.article, p.id LIMIT @limit OFFSET @offset`,
		pgx.NamedArgs{"article": f.Article, "limit": f.Limit, "offset": f.Offset})
	if err != nil {
		return nil, fmt.Errorf("list goods: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[GoodsLine])
}

// spelled makes names equal that differ by case or ё alone.
func spelled(text string) string { return "replace(lower(" + text + "), 'ё', 'е')" }

// MarkID finds a mark by its name; case and ё do not matter.
func (s Shop) MarkID(ctx context.Context, name string) (id uuid.UUID, found bool, err error) {
	return s.named(ctx, `SELECT id FROM catalog.mark WHERE NOT archived AND `+spelled("name")+` = `+spelled("$1")+` ORDER BY id LIMIT 1`, name)
}

// BrandID finds a brand by its name; case and ё do not matter.
func (s Shop) BrandID(ctx context.Context, name string) (id uuid.UUID, found bool, err error) {
	return s.named(ctx, `SELECT id FROM catalog.brand WHERE NOT archived AND `+spelled("name")+` = `+spelled("$1")+` ORDER BY id LIMIT 1`, name)
}

// CategoryID finds a category by its link, or its path of names as in catalog files: "Лицо > Кремы".
func (s Shop) CategoryID(ctx context.Context, name string) (id uuid.UUID, found bool, err error) {
	return s.named(ctx, `SELECT c.id FROM catalog.category c LEFT JOIN catalog.category cp ON cp.id = c.parent_id
		WHERE NOT c.archived AND (c.link = $1 OR `+spelled(categoryPath)+` = `+spelled("$1")+`) ORDER BY c.link = $1 DESC, c.id LIMIT 1`, name)
}

func (s Shop) named(ctx context.Context, sql, name string) (id uuid.UUID, found bool, err error) {
	return find[uuid.UUID](ctx, s, fmt.Sprintf("find %q in the catalog", name), sql, readapi.Clean(name, 500))
}
