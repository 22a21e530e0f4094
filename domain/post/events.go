package post

import (
	"time"

	"shop/domain"
)

// Stream names a post.
func Stream(id domain.ID) string { return "post-" + id.String() }

// Article is what a post says.
type Article struct {
	// Link is the post's place in a URL: a–z, 0–9, '-' and '_'.
	Link  string `json:"link"`
	Title string `json:"title"`
	// Excerpt is plain text for lists.
	Excerpt string `json:"excerpt"`
	// HTML is sanitised.
	HTML string `json:"html"`
	// Picture is its URL; empty without one. Alt describes it to those who do not see it.
	Picture string `json:"picture"`
	Alt     string `json:"alt"`
	// PublishedAt is the date shown; never after it was written.
	PublishedAt time.Time `json:"published_at"`
}

// Event is a fact about a post.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Published put a post in sight, for the first time or again; Changed replaced a published one.
type Published struct {
	ID      domain.ID `json:"id"`
	Article Article   `json:"article"`
	At      time.Time `json:"at"`
}
type Changed struct {
	ID      domain.ID `json:"id"`
	Article Article   `json:"article"`
	At      time.Time `json:"at"`
}

// Unpublished took a post out of sight.
type Unpublished struct {
	ID domain.ID `json:"id"`
	At time.Time `json:"at"`
}

func (Published) EventType() string   { return "post.published" }
func (Changed) EventType() string     { return "post.changed" }
func (Unpublished) EventType() string { return "post.unpublished" }
func (Published) isEvent()            {}
func (Changed) isEvent()              {}
func (Unpublished) isEvent()          {}
