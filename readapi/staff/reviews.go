package staff

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/staff/persons"
)

// ReviewStates are what a list may be narrowed to.
var ReviewStates = []string{"shown", "pending", "hidden"}

// ReviewLine is a review as staff see it.
type ReviewLine struct {
	ID        uuid.UUID `json:"id"`
	ProductID uuid.UUID `json:"product_id"`
	Article   string    `json:"article"`
	Product   string    `json:"product"`
	Author    string    `json:"author"`
	Rating    int64     `json:"rating"`
	Content   string    `json:"content"`
	Photos    int64     `json:"photos"`
	Reply     string    `json:"reply"`
	// State is shown, pending or hidden; Reason says why it is hidden.
	State     string    `json:"state"`
	Reason    string    `json:"reason"`
	CreatedAt time.Time `json:"created_at"`
}

// nobody is what an author is called whose name is erased.
const nobody = "Покупатель"

// reviewColumns are those of a ReviewLine, of a review v of a product p. Of the past they leave out who wrote what: see [Shop.nameReviews].
func (s Shop) reviewColumns() string {
	written := "coalesce(nullif(v.author, ''), '" + nobody + "') AS author, v.content"
	if s.Then != nil {
		written = "'' AS author, '' AS content"
	}
	return `v.id, v.product_id, coalesce(p.article, '') AS article, coalesce(p.name, '') AS product, ` + written + `, v.rating,
			cardinality(v.photo_ids) AS photos, v.reply, v.state, v.reason, v.created_at`
}

// nameReviews adds who wrote reviews of the past, and what, as the log has it.
func (s Shop) nameReviews(ctx context.Context, page ...*ReviewLine) error {
	if s.Then == nil {
		return nil
	}
	ids := make([]uuid.UUID, len(page))
	for i, line := range page {
		ids[i] = line.ID
	}
	were, err := persons.Reviews(ctx, s.Then.Log(), ids)
	if err != nil {
		return err
	}
	for _, line := range page {
		line.Author, line.Content = cmp.Or(were[line.ID].Author, nobody), were[line.ID].Content
	}
	return nil
}

// Reviews lists reviews, newest first; an empty state means any.
func (s Shop) Reviews(ctx context.Context, state string, limit, offset int) ([]ReviewLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT `+s.reviewColumns()+`
		FROM reviews.review v LEFT JOIN catalog.product p ON p.id = v.product_id
		WHERE $1 = '' OR v.state = $1 ORDER BY v.created_at DESC, v.id DESC LIMIT $2 OFFSET $3`, state, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list reviews: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[ReviewLine])
}

// ReviewSearch narrows the queue of reviews. Every zero field narrows nothing.
type ReviewSearch struct {
	// State is one of [ReviewStates]; Stars are 1 to 5.
	State string
	Stars int
	// Photo narrows to reviews with photos, Unanswered to those without a reply.
	Photo, Unanswered bool
	// Product is an article, or words of a product's name.
	Product       string
	Limit, Offset int
}

// ReviewRow is a review in the queue.
type ReviewRow struct {
	ReviewLine
	// Link leads to the product's page; empty when it is not there.
	Link string `json:"link"`
	// Pictures are the names of its photos, to be asked for under /api/staff/reviews/photos/.
	Pictures []string `json:"pictures"`
	// CustomerID is null for a guest; Number is that of the customer's newest order with the product, 0 without one.
	CustomerID *uuid.UUID `json:"customer_id"`
	Number     int64      `json:"number"`
}

// FoundReviews are a page of the queue; Count is how many there are, as far as 2 000.
type FoundReviews struct {
	Count   int64       `json:"count"`
	Results []ReviewRow `json:"results"`
}

// SearchReviews lists reviews, newest first. orders says whether the reader may know of orders.
func (s Shop) SearchReviews(ctx context.Context, f ReviewSearch, orders bool) (FoundReviews, error) {
	where := `WHERE (@state = '' OR v.state = @state) AND (@stars = 0 OR v.rating = @stars) AND (NOT @photo OR v.photo_ids <> '{}')
		AND (NOT @unanswered OR v.reply = '') AND (@product = '' OR lower(p.article) = lower(@product) OR p.name ILIKE '%' || @words || '%')`
	args := pgx.NamedArgs{
		"state": f.State, "stars": f.Stars, "photo": f.Photo, "unanswered": f.Unanswered, "product": f.Product, "words": escaped(f.Product),
		"limit": f.Limit, "offset": f.Offset, "orders": orders, "most": maxFound,
	}
	const from = ` FROM reviews.review v LEFT JOIN catalog.product p ON p.id = v.product_id `
	found := FoundReviews{Results: []ReviewRow{}}
	if err := s.DB.QueryRow(ctx, "SELECT count(*) FROM (SELECT"+from+where+" LIMIT @most) c", args).Scan(&found.Count); err != nil {
		return FoundReviews{}, fmt.Errorf("count reviews: %w", err)
	}
	rows, err := s.DB.Query(ctx, `SELECT `+s.reviewColumns()+`, CASE WHEN p.archived THEN '' ELSE coalesce(p.link, '') END AS link,
			ARRAY(SELECT replace(o.id::text, '-', '') || '-' || o.width || '.jpg' FROM unnest(v.photo_ids) WITH ORDINALITY i(id, place)
				JOIN public.photos o ON o.id = i.id ORDER BY i.place) AS pictures,
			nullif(v.customer_id, '00000000-0000-0000-0000-000000000000') AS customer_id,
			CASE WHEN @orders THEN coalesce((SELECT o.number FROM orders.orders o WHERE o.customer_id = v.customer_id
				AND o.customer_id <> '00000000-0000-0000-0000-000000000000' AND o.lines @> jsonb_build_array(jsonb_build_object('product_id', v.product_id))
				ORDER BY o.created_at DESC LIMIT 1), 0) ELSE 0 END AS number`+from+where+` ORDER BY v.created_at DESC, v.id DESC LIMIT @limit OFFSET @offset`, args)
	if err != nil {
		return FoundReviews{}, fmt.Errorf("list reviews: %w", err)
	}
	results, err := pgx.CollectRows(rows, pgx.RowToStructByName[ReviewRow])
	if err != nil {
		return FoundReviews{}, fmt.Errorf("list reviews: %w", err)
	}
	found.Results = append(found.Results, results...)
	page := make([]*ReviewLine, len(results))
	for i := range found.Results {
		page[i] = &found.Results[i].ReviewLine
	}
	return found, s.nameReviews(ctx, page...)
}
