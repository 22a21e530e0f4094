package readapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Posts answers the blog.
type Posts struct{ DB replicas.DB }

// postsOnPage is how many posts the blog shows at a time.
const postsOnPage = 3

// postColumns shape a post p for lists.
const postColumns = `p.id, p.link, p.title, p.excerpt AS description, nullif(p.picture, '') AS image, p.alt,
	CASE WHEN p.photo IS NOT NULL THEN '{"sources": []}'::jsonb || jsonb_build_object('src', p.picture) || jsonb_strip_nulls(p.photo) END AS picture,
	p.published_at AS created_at`

// List is GET /api/blog/posts/: the newest first.
func (h Posts) List(r *http.Request) (*Reply, error) {
	bad := BadQuery{}
	p := readPageOf(r.URL.Query(), bad, postsOnPage)
	if len(bad) > 0 {
		return nil, bad
	}
	var (
		count   int64
		results json.RawMessage
	)
	err := h.DB.QueryRow(r.Context(), `SELECT (SELECT count(*) FROM posts.post WHERE published),
		(SELECT coalesce(json_agg(shown), '[]') FROM (SELECT `+postColumns+` FROM posts.post p WHERE p.published
			ORDER BY p.published_at DESC, p.id DESC LIMIT @limit OFFSET @offset) shown)`,
		pgx.NamedArgs{"limit": p.Limit, "offset": p.Offset}).Scan(&count, &results)
	if err != nil {
		return nil, fmt.Errorf("list posts: %w", err)
	}
	return replyWith(revalidate, envelope(r, p, count, results), Part{"posts", ""})
}

// Show is GET /api/blog/posts/{id}/.
func (h Posts) Show(r *http.Request) (*Reply, error) {
	id := refOf(param(r, "id"))
	var body json.RawMessage
	err := h.DB.QueryRow(r.Context(), `SELECT row_to_json(post) FROM (SELECT `+postColumns+`, p.html AS content
		FROM posts.post p WHERE (p.id = @id OR p.link = @link) AND p.published ORDER BY p.published_at DESC, p.id DESC LIMIT 1) post`, id.args()).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read post %s: %w", id.Link, err)
	}
	return reply(revalidate, body, Part{"posts", ""}), nil
}
