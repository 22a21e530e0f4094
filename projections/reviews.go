package projections

import (
	"time"

	"shop/domain"
	"shop/domain/review"
	"shop/eventstore"
)

// Reviews are the reviews of products, one row each. A product's rating is what its rows say when it is asked for: rows
// of several streams would share a sum.
func Reviews() Projection {
	return Projection{Name: "reviews", Version: 2, Tables: []AnyTable{reviews}}
}

// ReviewState is whether shoppers see a review.
type ReviewState string

// Pending waits for staff, hidden was taken out of sight.
const (
	ReviewShown   ReviewState = "shown"
	ReviewPending ReviewState = "pending"
	ReviewHidden  ReviewState = "hidden"
)

// Review is a row of reviews.review. An empty Author was erased, and the Content with it; e-mail and phone are not here, nobody reads them.
type Review struct {
	ID        domain.ID `json:"id"`
	ProductID domain.ID `json:"product_id"`
	// CustomerID is zero for a guest.
	CustomerID domain.ID   `json:"customer_id"`
	Author     string      `json:"author"`
	Rating     int64       `json:"rating"`
	Content    string      `json:"content"`
	PhotoIDs   []domain.ID `json:"photo_ids"`
	Reply      string      `json:"reply"`
	State      ReviewState `json:"state"`
	// Reason says why it is hidden; empty otherwise.
	Reason    string    `json:"reason"`
	CreatedAt time.Time `json:"created_at"`
}

var reviews = Table[Review]{
	Name: "review", Key: "id", KeyType: "uuid", Personal: []string{"author", "content"},
	DDL: `CREATE TABLE review (
		id         uuid        PRIMARY KEY,
		product_id uuid        NOT NULL,
		customer_id uuid       NOT NULL,
		author     text        NOT NULL,
		rating     smallint    NOT NULL,
		content    text        NOT NULL,
		photo_ids  uuid[]      NOT NULL,
		reply      text        NOT NULL,
		state      text        NOT NULL,
		reason     text        NOT NULL,
		created_at timestamptz NOT NULL
	)`,
	Indexes: `
		CREATE INDEX review_of_product ON review (product_id, created_at DESC, id DESC) INCLUDE (rating) WHERE state = 'shown';
		CREATE INDEX review_of_customer ON review (customer_id) WHERE customer_id <> '00000000-0000-0000-0000-000000000000';
		CREATE INDEX review_by_age ON review (created_at DESC, id DESC)`,
	Events: []domain.Event{review.Posted{}, review.Answered{}, review.Hidden{}, review.Shown{}, review.PhotosRemoved{}, review.Forgotten{}},
	Keys:   keyAfter("review-"), Stream: streamOf("review-"),
	Fold: func(_ string, r *Review, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case review.Posted:
			*r = Review{
				ID: e.ID, ProductID: e.ProductID, CustomerID: e.CustomerID, Author: e.Author.Name, Rating: e.Rating, Content: e.Content,
				PhotoIDs: append([]domain.ID{}, e.PhotoIDs...), State: ReviewShown, CreatedAt: e.At,
			}
			if e.Pending {
				r.State = ReviewPending
			}
		case review.Answered:
			r.Reply = e.Text
		case review.Hidden:
			r.State, r.Reason = ReviewHidden, e.Reason
		case review.Shown:
			r.State, r.Reason = ReviewShown, ""
		case review.PhotosRemoved:
			r.PhotoIDs = []domain.ID{}
		case review.Forgotten:
			r.Author, r.Content = "", ""
		}
		return r.ID != domain.ID{}
	},
}
