package staff

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// linkOwners finds, for each kind of things, which have links.
var linkOwners = map[string]string{
	"category": "SELECT link, id FROM catalog.category WHERE link = ANY($1)",
	"brand":    "SELECT link, id FROM catalog.brand WHERE link = ANY($1)",
	"post":     "SELECT link, id FROM posts.post WHERE link = ANY($1)",
}

// undefinedTable: before the program's first start there are no read models yet.
const undefinedTable = "42P01"

func noneYet(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == undefinedTable
}

// LinksTaken are the owners of those of the links that a category, brand or post has; none where there are no read models yet.
func (s Shop) LinksTaken(ctx context.Context, thing string, links []string) (map[string]uuid.UUID, error) {
	rows, _ := s.DB.Query(ctx, linkOwners[thing], links)
	owners := map[string]uuid.UUID{}
	var (
		link  string
		owner uuid.UUID
	)
	_, err := pgx.ForEachRow(rows, []any{&link, &owner}, func() error {
		owners[link] = owner
		return nil
	})
	if noneYet(err) {
		return owners, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for links of a %s: %w", thing, err)
	}
	return owners, nil
}

// CategoriesBelow are the categories in force that are right below those asked for; none where there are no read models yet.
func (s Shop) CategoriesBelow(ctx context.Context, categories []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	rows, _ := s.DB.Query(ctx, "SELECT parent_id, id FROM catalog.category WHERE parent_id = ANY($1) AND NOT archived", categories)
	below := map[uuid.UUID][]uuid.UUID{}
	var parent, id uuid.UUID
	_, err := pgx.ForEachRow(rows, []any{&parent, &id}, func() error {
		below[parent] = append(below[parent], id)
		return nil
	})
	if noneYet(err) {
		return below, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for categories below others: %w", err)
	}
	return below, nil
}
