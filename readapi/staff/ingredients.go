package staff

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Borne are those of some names of ingredients that the compositions of two products or more hold, but for those of one product.
func (s Shop) Borne(ctx context.Context, names []string, but uuid.UUID) (map[string]bool, error) {
	rows, _ := s.DB.Query(ctx, `SELECT ingredient FROM unnest($1::text[]) AS asked (ingredient) WHERE (SELECT count(*) FROM (
		SELECT FROM catalog.product p WHERE strpos(lower(p.composition), lower(asked.ingredient)) > 0 AND p.id <> $2 LIMIT 2) AS found) = 2`, names, but)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for ingredients of products: %w", err)
	}
	borne := map[string]bool{}
	for _, name := range found {
		borne[name] = true
	}
	return borne, nil
}
