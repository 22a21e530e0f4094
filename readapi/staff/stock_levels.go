package staff

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// StockLine is the stock of a product in a list.
type StockLine struct {
	Article   string    `json:"article"`
	ProductID uuid.UUID `json:"product_id"`
	Name      string    `json:"name"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Available int64     `json:"available"`
	Archived  bool      `json:"archived"`
}

// StockFilter narrows a list of stock.
type StockFilter struct {
	// Article is an exact article; empty: all.
	Article string
	// AtMost keeps products with no more available pieces; nil: all.
	AtMost        *int64
	Limit, Offset int
}

// Stock lists products with their stock, by article.
func (s Shop) Stock(ctx context.Context, f StockFilter) ([]StockLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT p.article, p.id AS product_id, p.name, coalesce(s.on_hand, 0) AS on_hand,
			coalesce(s.reserved, 0) AS reserved, coalesce(s.available, 0) AS available, p.archived
		FROM catalog.product p LEFT JOIN stock.level s ON s.product_id = p.id
		WHERE (@article = '' OR p.article = @article) AND (@most::bigint IS NULL OR coalesce(s.available, 0) <= @most)
		ORDER BY p.article, p.id LIMIT @limit OFFSET @offset`,
		pgx.NamedArgs{"article": f.Article, "most": f.AtMost, "limit": f.Limit, "offset": f.Offset})
	if err != nil {
		return nil, fmt.Errorf("list stock: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[StockLine])
}
