package staff

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// linkOwners finds, for each kind of things, which have links.
var linkOwners = map[string]string{
	"category": "SELECT link, id FROM catalog.category WHERE link = ANY($1)",
	"brand":    "SELECT link, id FROM catalog.brand WHERE link = ANY($1)",
	"post":     "SELECT link, id FROM posts.post WHERE link = ANY($1)",
}

// LinksTaken are the owners of those of the links that a category, brand or post has.
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
	if err != nil {
		return nil, fmt.Errorf("look for links of a %s: %w", thing, err)
	}
	return owners, nil
}
