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
	// HTML is sanitised. Source is the Markdown that it was made of; empty: it was written otherwise.
	HTML   string `json:"html"`
	Source string `json:"source,omitempty"`
	// Picture is its URL; empty without one. Alt describes it for readers who do not see it.
	Picture string `json:"picture"`
	Alt     string `json:"alt"`
	// Photo is nil when nothing but the picture's URL is known.
	Photo *Photo `json:"photo,omitempty"`
	// PublishedAt is the date shown; never after it was written.
	PublishedAt time.Time `json:"published_at"`
}

// Photo is what a page must know of a picture to keep its place, and the encodings that browsers choose from.
type Photo struct {
	// Width and Height are pixels.
	Width   int      `json:"width"`
	Height  int      `json:"height"`
	Sources []Source `json:"sources"`
}

// Source is one encoding of a picture in several widths, as an HTML srcset.
type Source struct {
	Type   string `json:"type"`
	Srcset string `json:"srcset"`
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
