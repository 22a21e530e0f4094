package post_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain/post"
	"shop/domain/spec"
)

var (
	noon    = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	before  = noon.Add(-time.Hour)
	id      = uuid.UUID{15: 1}
	article = post.Article{
		Link: "spf_az-09", Title: "SPF в городе", Excerpt: "Нужен ли он?", HTML: "<p>Нужен.</p>",
		Picture: "/media/spf.webp", Alt: "Тюбик", PublishedAt: before,
	}
	published   = post.Published{ID: id, Article: article, At: noon}
	unpublished = post.Unpublished{ID: id, At: noon}
)

// given is a post with this history.
func given(t testing.TB, events ...post.Event) spec.Subject[post.Command, post.Event, post.State] {
	return spec.For(t, post.Decider).Given(events...)
}

// with is the article with a change.
func with(change func(*post.Article)) post.Article {
	a := article
	change(&a)
	return a
}

// photo is a picture of a known size, anew each time.
func photo() *post.Photo {
	return &post.Photo{Width: 800, Height: 600, Sources: []post.Source{{Type: "image/avif", Srcset: "/img/spf-400.avif 400w, /img/spf-800.avif 800w"}}}
}

func publish(a post.Article) post.Publish { return post.Publish{ID: id, Article: a, At: noon} }

func TestPublish(t *testing.T) {
	t.Parallel()
	other := with(func(a *post.Article) { a.HTML = "<p>Да.</p>" })
	given(t).When(publish(article)).Then(published)
	given(t, published).When(publish(article)).Nothing()
	given(t, published).When(publish(other)).Then(post.Changed{ID: id, Article: other, At: noon})
	given(t, published, unpublished).When(publish(article)).Then(published)
	given(t).When(post.Publish{ID: id, Article: article, LinkTaken: true}).Refused(post.ErrLinkTaken)
	if s := given(t, published, post.Changed{ID: id, Article: other}).State(); !reflect.DeepEqual(s.Article, other) || !s.Published || s.ID != id {
		t.Errorf("%+v", s)
	}
}

func TestAPictureInOtherSizesIsAChange(t *testing.T) {
	t.Parallel()
	sized := with(func(a *post.Article) { a.Photo = photo() })
	given(t, published).When(publish(sized)).Then(post.Changed{ID: id, Article: sized, At: noon})
	given(t, post.Published{ID: id, Article: sized, At: noon}).When(publish(with(func(a *post.Article) { a.Photo = photo() }))).Nothing()
	wider := with(func(a *post.Article) { a.Photo = photo(); a.Photo.Sources[0].Srcset += ", /img/spf-1200.avif 1200w" })
	given(t, post.Published{ID: id, Article: sized, At: noon}).When(publish(wider)).Then(post.Changed{ID: id, Article: wider, At: noon})
}

func TestChange(t *testing.T) {
	t.Parallel()
	other := with(func(a *post.Article) { a.Title = "Другое" })
	change := post.Change{Article: other, At: noon}
	given(t, published).When(change).Then(post.Changed{ID: id, Article: other, At: noon})
	given(t, published, post.Changed{ID: id, Article: other}).When(change).Nothing()
	given(t, published).When(post.Change{Article: article, At: noon}).Nothing()
	given(t, published).When(post.Change{Article: other, LinkTaken: true, At: noon}).Refused(post.ErrLinkTaken)
	given(t, published).When(post.Change{At: noon}).Refused(post.ErrBadLink)
	given(t, published, unpublished).When(change).Refused(post.ErrNotPublished)
	given(t).When(change).Refused(post.ErrUnknown)
}

func TestUnpublish(t *testing.T) {
	t.Parallel()
	given(t).When(post.Unpublish{}).Refused(post.ErrUnknown)
	given(t, published).When(post.Unpublish{At: noon}).Then(unpublished)
	given(t, published, unpublished).When(post.Unpublish{At: noon}).Nothing()
	if s := given(t, published, unpublished).State(); s.Published || !reflect.DeepEqual(s.Article, article) {
		t.Errorf("%+v", s)
	}
}

func TestTheDateStaysWhenNoneIsGiven(t *testing.T) {
	t.Parallel()
	undated := with(func(a *post.Article) { a.PublishedAt = time.Time{} })
	now := with(func(a *post.Article) { a.PublishedAt = noon })
	given(t).When(publish(undated)).Then(post.Published{ID: id, Article: now, At: noon})
	given(t).When(publish(now)).Then(post.Published{ID: id, Article: now, At: noon})
	given(t, published).When(publish(undated)).Nothing()
	given(t, published).When(post.Change{Article: undated, At: noon}).Nothing()
	given(t, published, unpublished).When(publish(undated)).Then(published)
	given(t).When(publish(with(func(a *post.Article) { a.PublishedAt = noon.Add(1) }))).Refused(post.ErrFuture)
	// The same moment in another time zone is the same date.
	almaty := with(func(a *post.Article) { a.PublishedAt = before.In(time.FixedZone("", 5*60*60)) })
	given(t, published).When(publish(almaty)).Nothing()
}

func TestPostsThatAreRefused(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("я", n) }
	for _, c := range []struct {
		want   error
		change func(*post.Article)
	}{
		{post.ErrBadLink, func(a *post.Article) { a.Link = "" }},
		{post.ErrBadLink, func(a *post.Article) { a.Link = "SPF" }},
		{post.ErrBadLink, func(a *post.Article) { a.Link = "a/b" }},
		{post.ErrBadLink, func(a *post.Article) { a.Link = "спф" }},
		{post.ErrBadLink, func(a *post.Article) { a.Link = strings.Repeat("a", 201) }},
		{post.ErrBadTitle, func(a *post.Article) { a.Title = "\u00a0" }},
		{post.ErrBadTitle, func(a *post.Article) { a.Title = long(301) }},
		{post.ErrBadExcerpt, func(a *post.Article) { a.Excerpt = long(2_001) }},
		{post.ErrBadHTML, func(a *post.Article) { a.HTML = " \n" }},
		{post.ErrBadHTML, func(a *post.Article) { a.HTML = long(200_001) }},
		{post.ErrBadHTML, func(a *post.Article) { a.HTML = "<p>\x00</p>" }},
		{post.ErrBadPicture, func(a *post.Article) { a.Picture = "/" + long(1_000) }},
		{post.ErrBadPicture, func(a *post.Article) { a.Alt = "\xff" }},
		{post.ErrBadPicture, func(a *post.Article) { a.Picture = "javascript:alert(1)" }},
		{post.ErrBadPicture, func(a *post.Article) { a.Picture, a.Photo = "", photo() }},
		{post.ErrBadPicture, func(a *post.Article) { a.Photo = photo(); a.Photo.Width = 0 }},
		{post.ErrBadPicture, func(a *post.Article) { a.Photo = photo(); a.Photo.Height = -1 }},
		{post.ErrBadPicture, func(a *post.Article) { a.Photo = photo(); a.Photo.Sources[0].Type = "" }},
		{post.ErrBadPicture, func(a *post.Article) { a.Photo = photo(); a.Photo.Sources[0].Srcset = long(4_001) }},
		{post.ErrBadPicture, func(a *post.Article) { a.Photo = photo(); a.Photo.Sources = make([]post.Source, 11) }},
	} {
		given(t).When(publish(with(c.change))).Refused(c.want)
		given(t, published).When(post.Change{Article: with(c.change), At: noon}).Refused(c.want)
	}
	full := post.Article{
		Link: strings.Repeat("z", 200), Title: long(300), Excerpt: long(2_000), HTML: long(200_000),
		Picture: "/" + long(999), Alt: long(1_000), PublishedAt: noon,
	}
	given(t).When(publish(full)).Then(post.Published{ID: id, Article: full, At: noon})
}
