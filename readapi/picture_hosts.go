package readapi

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// PictureHosts are the foreign hosts whose pictures the shop's pages show.
type PictureHosts struct{ DB replicas.DB }

// MostPictureHosts bounds the list: it goes into a header of every page.
const MostPictureHosts = 20

// picturesAt are all addresses of pictures. Other widths of a picture lie where it does, and texts have theirs in src attributes.
const picturesAt = `
	SELECT picture->>'src' AS src FROM catalog.product, jsonb_array_elements(pictures) picture
	UNION ALL SELECT picture->>'src' FROM catalog.category WHERE picture IS NOT NULL
	UNION ALL SELECT unnest(ARRAY[picture->>'src', logo->>'src']) FROM catalog.brand
	UNION ALL SELECT picture->>'src' FROM catalog.mark WHERE picture IS NOT NULL
	UNION ALL SELECT slide->>'file' FROM content.block, jsonb_array_elements(slides) slide
	UNION ALL SELECT (regexp_matches(text, '\msrc="(https://[^"]+)"', 'g'))[1] FROM content.block WHERE text LIKE '%src="https://%'
	UNION ALL SELECT picture FROM posts.post
	UNION ALL SELECT (regexp_matches(html, '\msrc="(https://[^"]+)"', 'g'))[1] FROM posts.post WHERE html LIKE '%src="https://%'`

// List is the hosts, with their ports if they have one, the most used first, at most MostPictureHosts; more says that there were others. A
// host stands in a policy, so anything but letters, digits, dots and hyphens is left out.
func (h PictureHosts) List(ctx context.Context) (hosts []string, more bool, err error) {
	rows, err := h.DB.Query(ctx, `SELECT host FROM (SELECT lower(substring(src FROM '^https://([^/?#]+)')) AS host FROM (`+picturesAt+`) named) n
		WHERE host ~ '^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:[0-9]{1,5})?$' GROUP BY host ORDER BY count(*) DESC, host LIMIT $1`, MostPictureHosts+1)
	if err != nil {
		return nil, false, fmt.Errorf("list the hosts of pictures: %w", err)
	}
	hosts, err = pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, false, fmt.Errorf("list the hosts of pictures: %w", err)
	}
	return hosts[:min(len(hosts), MostPictureHosts)], len(hosts) > MostPictureHosts, nil
}

// ShowPictures says that what is made depends on the addresses of all pictures.
func (g *Gathered) ShowPictures() {
	g.parts = append(g.parts, Part{"catalog", "product"}, Part{"catalog", "category"}, Part{"catalog", "brand"}, Part{"catalog", "mark"}, Part{"content", ""}, Part{"posts", ""})
}
