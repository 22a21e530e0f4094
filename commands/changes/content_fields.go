package changes

import (
	"encoding/json"
	"slices"
	"time"

	"shop/commands"
	"shop/commands/importer/markup"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/document"
	"shop/domain/post"
	"shop/domain/staff"
)

// ErrNoPage: only texts of pages are written in Markdown.
var ErrNoPage = domain.Refuse("content/no-page", "This block is no page.")

var block = kind[content.Command, content.Event, content.State]{
	thing: "content", writes: staff.ChangeContent,
	stream: func(name string) (commands.Stream[content.Command, content.Event, content.State], error) {
		if name == "" || !domain.TextFits(name, 100) {
			return commands.Stream[content.Command, content.Event, content.State]{}, ErrID
		}
		return commands.ContentStream(name), nil
	},
}

// blocks are the fields of blocks: the text, or what a page's text is made of, and slides.
func blocks() []Field {
	return []Field{
		field(block, "text", func(s content.State) string { return s.Text },
			func(u *commands.Unit, s content.State, to string, by setting) (content.Command, error) {
				if content.IsPage(by.id) {
					to = markup.Sanitise(to)
				}
				return content.Change{Name: by.id, Text: to, Slides: s.Slides, At: u.At()}, nil
			}, nil),
		field(block, "source", func(s content.State) string {
			if s.Source != "" {
				return s.Source
			}
			return s.Text
		}, func(u *commands.Unit, s content.State, to string, by setting) (content.Command, error) {
			if !content.IsPage(by.id) {
				return nil, ErrNoPage
			}
			html, err := Rendered(to)
			return content.Change{Name: by.id, Text: html, Slides: s.Slides, Source: to, At: u.At()}, err
		}, nil),
		field(block, "slides", func(s content.State) []content.Slide { return orEmpty(s.Slides) },
			func(u *commands.Unit, s content.State, to []content.Slide, by setting) (content.Command, error) {
				return content.Change{Name: by.id, Text: s.Text, Source: s.Source, Slides: to, At: u.At()}, nil
			}, nil),
	}
}

// Rendered is Markdown as HTML that is safe to show: pictures are addresses.
func Rendered(source string) (string, error) {
	return markup.HTML([]byte(source), func(string) (markup.Picture, bool) { return markup.Picture{}, false })
}

// Article is a post in sight as changes set it.
type Article struct {
	Link    string      `json:"link"`
	Title   string      `json:"title"`
	Excerpt string      `json:"excerpt"`
	Source  string      `json:"source"`
	HTML    string      `json:"html"`
	Picture string      `json:"picture"`
	Alt     string      `json:"alt"`
	Photo   *post.Photo `json:"photo"`
	// PublishedAt is the date that shoppers see; nil: it stays what it is, or becomes the moment at which the post is published.
	PublishedAt *time.Time `json:"published_at,omitempty"`
}

// ArticleOf is a post as a change has it; nil: it is out of sight.
func ArticleOf(s post.State) *Article {
	if !s.Published {
		return nil
	}
	return ArticleAs(s.Article)
}

// ArticleAs is an article as a change sets it.
func ArticleAs(a post.Article) *Article {
	to := &Article{Link: a.Link, Title: a.Title, Excerpt: a.Excerpt, Source: a.Source, HTML: a.HTML, Picture: a.Picture, Alt: a.Alt, Photo: a.Photo}
	if !a.PublishedAt.IsZero() {
		to.PublishedAt = &a.PublishedAt
	}
	return to
}

// articles is what a post says; null takes it out of sight.
func articles() []Field {
	k := kind[post.Command, post.Event, post.State]{thing: "post", writes: staff.ChangeContent, stream: byID(commands.PostStream)}
	article := field(k, "article", ArticleOf,
		func(u *commands.Unit, s post.State, to *Article, by setting) (post.Command, error) {
			if to == nil {
				return post.Unpublish{At: u.At()}, nil
			}
			id, err := idOf(by.id)
			if err != nil {
				return nil, err
			}
			if err := claim(u, catalog.PostLinkClaim, id, s.Article.Link, to.Link); err != nil {
				return nil, err
			}
			html := markup.Sanitise(to.HTML)
			if to.Source != "" {
				html, err = Rendered(to.Source)
			}
			said := post.Article{
				Link: to.Link, Title: to.Title, Excerpt: to.Excerpt, Source: to.Source, HTML: html, Picture: to.Picture, Alt: to.Alt, Photo: to.Photo,
			}
			if to.PublishedAt != nil {
				said.PublishedAt = *to.PublishedAt
			}
			return post.Publish{ID: id, Article: said, At: u.At()}, err
		}, nil)
	// An article that names no date is the present one when all else is the same.
	article.fill = func(value, present json.RawMessage) (json.RawMessage, error) {
		to, err := parse[*Article](value)
		if err != nil || to == nil || to.PublishedAt != nil {
			return value, err
		}
		now, err := parse[*Article](present)
		if err != nil || now == nil {
			return value, err
		}
		to.PublishedAt = now.PublishedAt
		return json.Marshal(to)
	}
	return []Field{article}
}

// Wording is a document as somebody writes it, in Russian and, unless its title is empty, in Kazakh.
type Wording struct {
	RU Written `json:"ru"`
	KK Written `json:"kk"`
}

// Written is a title and a text in Markdown.
type Written struct {
	Title  string `json:"title"`
	Source string `json:"source"`
}

// documents is the text of a document in force; null takes it out of force. Each setting is a version of its own, an undo too: what
// shoppers agreed to stays what it was.
func documents() []Field {
	k := kind[document.Command, document.Event, document.State]{
		thing: "document", writes: staff.ChangeContent,
		stream: func(name string) (commands.Stream[document.Command, document.Event, document.State], error) {
			if !slices.Contains(document.Names, name) {
				return commands.Stream[document.Command, document.Event, document.State]{}, ErrID.With(document.ErrUnknown.Message)
			}
			return commands.DocumentStream(name), nil
		},
	}
	return []Field{field(k, "text", WordingOf, func(u *commands.Unit, _ document.State, to *Wording, by setting) (document.Command, error) {
		if to == nil {
			return document.Withdraw{Name: by.id, At: u.At()}, nil
		}
		ru, err := rendered(to.RU)
		if err != nil {
			return nil, err
		}
		kk, err := rendered(to.KK)
		return document.Publish{Name: by.id, RU: ru, KK: kk, At: u.At()}, err
	}, nil)}
}

// WordingOf is what somebody wrote of the version in force; nil: there is none.
func WordingOf(s document.State) *Wording {
	if !s.InForce {
		return nil
	}
	return &Wording{Written{s.RU.Title, s.RU.Source}, Written{s.KK.Title, s.KK.Source}}
}

func rendered(w Written) (document.Text, error) {
	if w == (Written{}) {
		return document.Text{}, nil
	}
	html, err := Rendered(w.Source)
	return document.Text{Title: w.Title, Source: w.Source, HTML: html}, err
}
