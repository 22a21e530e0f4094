package review

import (
	"time"

	"shop/domain"
)

// Stream names a review.
func Stream(id domain.ID) string { return "review-" + id.String() }

// Author is who wrote a review. Personal; only the name is public.
type Author struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	// Phone is +7XXXXXXXXXX.
	Phone string `json:"phone"`
}

// Event is a fact about a review.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Posted is a new review.
type Posted struct {
	ID        domain.ID `json:"id"`
	ProductID domain.ID `json:"product_id"`
	// CustomerID is zero for a guest; PersonID owns the key of author and content, and of nothing else. In schema 1 a
	// customer's review had the customer as its person.
	CustomerID domain.ID `json:"customer_id,omitzero"`
	PersonID   domain.ID `json:"person_id"`
	Author     Author    `json:"author"`
	// Rating is 1 to 5 stars.
	Rating int64 `json:"rating"`
	// Content is the text; personal since schema 2.
	Content string `json:"content"`
	// PhotoIDs name stored photos, in their order.
	PhotoIDs []domain.ID `json:"photo_ids"`
	// Pending: it is not shown before staff say so.
	Pending bool      `json:"pending"`
	At      time.Time `json:"at"`
}

// Personal seals author and text under the person's key.
func (p Posted) Personal() domain.Personal {
	return domain.Personal{Person: p.PersonID, Fields: []string{"author", "content"}, New: true}
}

// Answered is the shop's reply, in place of an earlier one; an empty text takes it away.
type Answered struct {
	ID        domain.ID `json:"id"`
	ProductID domain.ID `json:"product_id"`
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
}

// Hidden took a review out of sight, Shown put it there.
type Hidden struct {
	ID        domain.ID `json:"id"`
	ProductID domain.ID `json:"product_id"`
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
}
type Shown struct {
	ID        domain.ID `json:"id"`
	ProductID domain.ID `json:"product_id"`
	At        time.Time `json:"at"`
}

// PhotosRemoved took the photos out of a review; PhotoIDs are those it had, so that their files can be deleted.
type PhotosRemoved struct {
	ID        domain.ID   `json:"id"`
	ProductID domain.ID   `json:"product_id"`
	PhotoIDs  []domain.ID `json:"photo_ids"`
	At        time.Time   `json:"at"`
}

// Forgotten: it is forgotten who wrote the review. The key is deleted, so that author and text are erased for ever, in past states
// too. A text of schema 1 stays in the log in clear, and is shown nowhere.
type Forgotten struct {
	ID        domain.ID `json:"id"`
	ProductID domain.ID `json:"product_id"`
	At        time.Time `json:"at"`
}

func (Posted) EventType() string        { return "review.posted" }
func (Answered) EventType() string      { return "review.answered" }
func (Hidden) EventType() string        { return "review.hidden" }
func (Shown) EventType() string         { return "review.shown" }
func (PhotosRemoved) EventType() string { return "review.photos-removed" }
func (Forgotten) EventType() string     { return "review.forgotten" }
func (Posted) isEvent()                 {}
func (Answered) isEvent()               {}
func (Hidden) isEvent()                 {}
func (Shown) isEvent()                  {}
func (PhotosRemoved) isEvent()          {}
func (Forgotten) isEvent()              {}
