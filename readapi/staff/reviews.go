package staff

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
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

// reviewColumns are those of a ReviewLine, of a review v of a product p.
const reviewColumns = `v.id, v.product_id, coalesce(p.article, '') AS article, coalesce(p.name, '') AS product,
			coalesce(nullif(v.author, ''), 'Покупатель') AS author, v.rating, v.content, cardinality(v.photo_ids) AS photos,
			v.reply, v.state, v.reason, v.created_at`

// Reviews lists reviews, newest first; an empty state means any.
func (s Shop) Reviews(ctx context.Context, state string, limit, offset int) ([]ReviewLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT `+reviewColumns+`
		FROM reviews.review v LEFT JOIN catalog.product p ON p.id = v.product_id
		WHERE $1 = '' OR v.state = $1 ORDER BY v.created_at DESC, v.id DESC LIMIT $2 OFFSET $3`, state, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list reviews: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[ReviewLine])
}
