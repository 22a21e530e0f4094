package readapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Reviews answers about reviews.
type Reviews struct{ DB replicas.DB }

// ratingTable joins what the shown reviews say of a product p.
const ratingTable = `
	LEFT JOIN LATERAL (SELECT round(avg(v.rating), 1) AS rating, count(*) AS reviews_count
		FROM reviews.review v WHERE v.product_id = p.id AND v.state = 'shown') rated ON true`

// reviewColumns shape a shown review v. Its photos come in the sizes that are served, see commands/photos.
const reviewColumns = `v.id, coalesce(nullif(v.author, ''), 'Покупатель') AS author, v.rating, v.created_at, v.content,
	(SELECT coalesce(json_agg(json_build_object(
			'image', '/media/' || f.file || '-' || least(f.width, 800) || '.jpg',
			'picture', json_build_object('src', '/media/' || f.file || '-' || least(f.width, 800) || '.jpg', 'width', f.width, 'height', f.height,
				'sources', (SELECT json_agg(json_build_object('type', kind.type, 'srcset',
						(SELECT string_agg('/media/' || f.file || '-' || w || kind.ending || ' ' || w || 'w', ', ' ORDER BY w)
							FROM unnest(ARRAY[320, 800, f.width]) w WHERE w < f.width OR w = f.width)) ORDER BY kind.place)
					FROM (VALUES (1, 'image/webp', '.webp', f.webp), (2, 'image/jpeg', '.jpg', true)) kind(place, type, ending, kept) WHERE kind.kept)))
			ORDER BY f.place), '[]')
		FROM (SELECT replace(o.id::text, '-', '') AS file, o.width, o.height, o.webp, i.place
			FROM unnest(v.photo_ids) WITH ORDINALITY i(id, place) JOIN public.photos o ON o.id = i.id) f) AS images,
	nullif(v.reply, '') AS admin_reply`

// withProduct is how many reviews come with a product; the others are a page of OfProduct away.
const withProduct = "24"

// OfProduct is GET /api/products/{id}/reviews/: the newest first, or those with photos first.
func (h Reviews) OfProduct(r *http.Request) (*Reply, error) {
	q, bad := r.URL.Query(), BadQuery{}
	p := readPage(q, bad)
	order := "v.created_at DESC, v.id DESC"
	switch q.Get("ordering") {
	case "", "new":
	case "with_photo":
		order = "(v.photo_ids <> '{}') DESC, " + order
	default:
		bad["ordering"] = []string{"Выберите new или with_photo"}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	id := refOf(param(r, "id"))
	args := id.args()
	args["limit"], args["offset"] = p.Limit, p.Offset
	var (
		product uuid.UUID
		count   int64
		results json.RawMessage
	)
	err := h.DB.QueryRow(r.Context(), `WITH product AS (SELECT id FROM catalog.product p WHERE `+thisProduct+`)
		SELECT product.id, (SELECT count(*) FROM reviews.review v WHERE v.product_id = product.id AND v.state = 'shown'),
			(SELECT coalesce(json_agg(shown), '[]') FROM (SELECT `+reviewColumns+`
				FROM reviews.review v WHERE v.product_id = product.id AND v.state = 'shown' ORDER BY `+order+` LIMIT @limit OFFSET @offset) shown)
		FROM product`, args).Scan(&product, &count, &results)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("list reviews of %s: %w", id.Link, err)
	}
	return replyWith(revalidate, envelope(r, p, count, results), Part{"reviews", ""}, Part{"catalog", "product"})
}
