package projections

import (
	"time"

	"shop/domain"
	"shop/domain/post"
	"shop/eventstore"
)

// Posts are the posts of the blog, also those out of sight, for staff.
func Posts() Projection { return Projection{Name: "posts", Tables: []AnyTable{posts}} }

// Post is a row of posts.post.
type Post struct {
	ID      domain.ID `json:"id"`
	Link    string    `json:"link"`
	Title   string    `json:"title"`
	Excerpt string    `json:"excerpt"`
	HTML    string    `json:"html"`
	Picture string    `json:"picture"`
	Alt     string    `json:"alt"`
	// Photo is null when the picture's size is not known.
	Photo *post.Photo `json:"photo"`
	// Published: shoppers see it.
	Published   bool      `json:"published"`
	PublishedAt time.Time `json:"published_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

var posts = Table[Post]{
	Name: "post", Key: "id", KeyType: "uuid",
	DDL: createTable[Post]("post", "id"),
	Indexes: `
		CREATE INDEX post_by_age ON post (published_at DESC, id DESC) WHERE published;
		CREATE INDEX post_link ON post (link)`,
	Events: []domain.Event{post.Published{}, post.Changed{}, post.Unpublished{}},
	Keys:   keyAfter("post-"), Stream: streamOf("post-"),
	Fold: func(_ string, p *Post, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case post.Published:
			p.ID, p.Published = e.ID, true
			p.say(e.Article, e.At)
		case post.Changed:
			p.say(e.Article, e.At)
		case post.Unpublished:
			p.Published, p.UpdatedAt = false, e.At
		}
		return p.ID != domain.ID{}
	},
}

func (p *Post) say(a post.Article, at time.Time) {
	p.Link, p.Title, p.Excerpt, p.HTML = a.Link, a.Title, a.Excerpt, a.HTML
	p.Picture, p.Alt, p.Photo = a.Picture, a.Alt, a.Photo
	p.PublishedAt, p.UpdatedAt = a.PublishedAt, at
}
