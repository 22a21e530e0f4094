package post

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"shop/domain"
)

// Limits of a post, in characters.
const (
	maxLink    = 200
	maxTitle   = 300
	maxExcerpt = 2_000
	maxHTML    = 200_000
	maxPicture = 1_000
	maxSources = 10
	maxSrcset  = 4_000
)

// Refusals of post commands. Only staff meet them.
var (
	ErrUnknown      = domain.Refuse("post/unknown", "There is no such post.")
	ErrNotPublished = domain.Refuse("post/not-published", "The post is not published.")
	// ErrBadLink: a link is 1 to 200 of a–z, 0–9, '-' and '_', so that a URL needs no escapes for it.
	ErrBadLink    = domain.Refuse("post/bad-link", "A link may have 1 to 200 of a-z, 0-9, '-' and '_'.")
	ErrLinkTaken  = domain.Refuse("post/link-taken", "Another post has this link.")
	ErrBadTitle   = domain.Refuse("post/bad-title", "A title is needed and may have 300 characters.")
	ErrBadExcerpt = domain.Refuse("post/bad-excerpt", "An excerpt may have 2000 characters.")
	ErrBadHTML    = domain.Refuse("post/bad-html", "A text is needed and may have 200000 characters.")
	// ErrBadPicture also refuses a size or encodings that no picture has.
	ErrBadPicture = domain.Refuse("post/bad-picture", "A picture needs a path of the shop's own or an https address; that and its description may have 1000 characters each.")
	ErrFuture     = domain.Refuse("post/future", "A post cannot be dated in the future.")
)

// State is the present state of a post. The zero value was never published.
type State struct {
	ID domain.ID
	// Article is the last one, also while the post is out of sight.
	Article   Article
	Published bool
}

// Exists says whether the post was ever published.
func (s State) Exists() bool { return s.ID != domain.ID{} }

// Decider is a post.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Publish:
		article, err := s.dated(c.Article, c.LinkTaken, c.At)
		switch {
		case err != nil:
			return nil, err
		case !s.Published:
			return []Event{Published{ID: c.ID, Article: article, At: c.At}}, nil
		case article.equal(s.Article):
			return nil, nil
		}
		return []Event{Changed{ID: s.ID, Article: article, At: c.At}}, nil

	case Change:
		switch {
		case !s.Exists():
			return nil, ErrUnknown
		case !s.Published:
			return nil, ErrNotPublished
		}
		article, err := s.dated(c.Article, c.LinkTaken, c.At)
		switch {
		case err != nil:
			return nil, err
		case article.equal(s.Article):
			return nil, nil
		}
		return []Event{Changed{ID: s.ID, Article: article, At: c.At}}, nil

	case Unpublish:
		switch {
		case !s.Exists():
			return nil, ErrUnknown
		case !s.Published:
			return nil, nil
		}
		return []Event{Unpublished{ID: s.ID, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

// dated is the article with its date, if the post may say it.
func (s State) dated(a Article, linkTaken bool, at time.Time) (Article, error) {
	if a.PublishedAt.IsZero() {
		if a.PublishedAt = s.Article.PublishedAt; !s.Exists() {
			a.PublishedAt = at
		}
	}
	switch {
	case !validLink(a.Link):
		return a, ErrBadLink
	case linkTaken:
		return a, ErrLinkTaken
	case domain.Blank(a.Title) || !domain.TextFits(a.Title, maxTitle):
		return a, ErrBadTitle
	case !domain.TextFits(a.Excerpt, maxExcerpt):
		return a, ErrBadExcerpt
	case domain.Blank(a.HTML) || !domain.TextFits(a.HTML, maxHTML), !domain.TextFits(a.Source, maxHTML):
		return a, ErrBadHTML
	case !domain.TextFits(a.Picture, maxPicture) || !domain.TextFits(a.Alt, maxPicture),
		a.Picture != "" && !domain.PublicAddress(a.Picture),
		a.Photo != nil && (a.Picture == "" || a.Photo.bad()):
		return a, ErrBadPicture
	case a.PublishedAt.After(at):
		return a, ErrFuture
	}
	return a, nil
}

func (a Article) equal(other Article) bool {
	sameDate := a.PublishedAt.Equal(other.PublishedAt)
	a.PublishedAt = other.PublishedAt
	return sameDate && reflect.DeepEqual(a, other)
}

func (p *Photo) bad() bool {
	return p.Width < 1 || p.Height < 1 || len(p.Sources) > maxSources || slices.ContainsFunc(p.Sources, func(s Source) bool {
		return s.Type == "" || s.Srcset == "" || !domain.TextFits(s.Type, maxPicture) || !domain.TextFits(s.Srcset, maxSrcset)
	})
}

func validLink(link string) bool {
	return link != "" && len(link) <= maxLink && !strings.ContainsFunc(link, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_'
	})
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Published:
		s = State{ID: e.ID, Article: e.Article, Published: true}
	case Changed:
		s.Article = e.Article
	case Unpublished:
		s.Published = false
	}
	return s
}
