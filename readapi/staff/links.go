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
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == undefinedTable {
		return owners, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for links of a %s: %w", thing, err)
	}
	return owners, nil
}
