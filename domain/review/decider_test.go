package review_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/review"
	"shop/domain/spec"
)

var (
	noon    = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	id      = uuid.UUID{15: 1}
	soap    = uuid.UUID{15: 2}
	person  = uuid.UUID{15: 3}
	photos  = []domain.ID{{15: 11}, {15: 12}}
	author  = review.Author{Name: "Анна", Email: "anna@example.kz", Phone: "+77011234567"}
	posted  = review.Posted{ID: id, ProductID: soap, PersonID: person, Author: author, Rating: 5, Content: "Хорошее мыло", PhotoIDs: photos, At: noon}
	pending = func() review.Posted { p := posted; p.Pending = true; return p }()
	hidden  = review.Hidden{ID: id, ProductID: soap, Reason: "реклама", At: noon}
	shown   = review.Shown{ID: id, ProductID: soap, At: noon}

	hide = review.Hide{Reason: "реклама", At: noon}
	show = review.Show{At: noon}
)

// given is a review with this history.
func given(t testing.TB, events ...review.Event) spec.Subject[review.Command, review.Event, review.State] {
	return spec.For(t, review.Decider).Given(events...)
}

func post(change ...func(*review.Post)) review.Post {
	c := review.Post{ID: id, ProductID: soap, PersonID: person, Author: author, Rating: 5, Content: "Хорошее мыло", PhotoIDs: photos, At: noon}
	for _, f := range change {
		f(&c)
	}
	return c
}

func TestPost(t *testing.T) {
	t.Parallel()
	given(t).When(post()).Then(posted)
	given(t).When(post(func(c *review.Post) { c.Moderated = true })).Then(pending)
	given(t, posted).When(post()).Refused(review.ErrExists)

	mine := posted
	mine.CustomerID, mine.Rating, mine.PhotoIDs = person, 1, nil
	given(t).When(post(func(c *review.Post) { c.CustomerID, c.Rating, c.PhotoIDs = person, 1, nil })).Then(mine)
}

func TestReviewsThatAreRefused(t *testing.T) {
	t.Parallel()
	many := make([]domain.ID, 7)
	for i := range many {
		many[i] = uuid.UUID{15: byte(i + 1)}
	}
	for _, c := range []struct {
		want   error
		change func(*review.Post)
	}{
		{review.ErrNoName, func(c *review.Post) { c.Author.Name = " " }},
		{review.ErrNoName, func(c *review.Post) { c.Author.Name = strings.Repeat("я", 61) }},
		{review.ErrNoContact, func(c *review.Post) { c.Author.Email = "" }},
		{review.ErrNoContact, func(c *review.Post) { c.Author.Phone = "" }},
		{review.ErrNoContact, func(c *review.Post) { c.Author.Phone = strings.Repeat("1", 255) }},
		{review.ErrBadRating, func(c *review.Post) { c.Rating = 0 }},
		{review.ErrBadRating, func(c *review.Post) { c.Rating = 6 }},
		{review.ErrNoContent, func(c *review.Post) { c.Content = "\n\u00a0" }},
		{review.ErrNoContent, func(c *review.Post) { c.Content = strings.Repeat("я", 5_001) }},
		{review.ErrNoContent, func(c *review.Post) { c.Content = "мыло\x00" }},
		{review.ErrManyPhotos, func(c *review.Post) { c.PhotoIDs = many }},
		{review.ErrSamePhoto, func(c *review.Post) { c.PhotoIDs = []domain.ID{photos[0], photos[0]} }},
		{review.ErrSamePhoto, func(c *review.Post) { c.PhotoIDs = []domain.ID{{}} }},
	} {
		given(t).When(post(c.change)).Refused(c.want)
	}
	// And at their bounds.
	full := posted
	full.Author.Name, full.Content, full.PhotoIDs = strings.Repeat("я", 60), strings.Repeat("я", 5_000), many[:6]
	given(t).When(post(func(c *review.Post) {
		c.Author.Name, c.Content, c.PhotoIDs = full.Author.Name, full.Content, full.PhotoIDs
	})).Then(full)
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	thanks := review.Answered{ID: id, ProductID: soap, Text: "Спасибо!", At: noon}
	given(t, posted).When(review.Answer{Text: " Спасибо!\n", At: noon}).Then(thanks)
	given(t, posted).When(review.Answer{Text: " ", At: noon}).Nothing()
	given(t, posted).When(review.Answer{Text: strings.Repeat("я", 5_001)}).Refused(review.ErrBadReply)
	given(t, posted).When(review.Answer{Text: "\xff"}).Refused(review.ErrBadReply)
	answered := given(t, posted, thanks)
	answered.When(review.Answer{Text: "Спасибо!", At: noon}).Nothing()
	answered.When(review.Answer{Text: "Благодарим", At: noon}).Then(review.Answered{ID: id, ProductID: soap, Text: "Благодарим", At: noon})
	answered.When(review.Answer{At: noon}).Then(review.Answered{ID: id, ProductID: soap, At: noon})
	given(t, posted, thanks, review.Answered{ID: id}).When(review.Answer{}).Nothing()
	// A reply may be ready before the review is shown, and stays when it is hidden.
	given(t, pending).When(review.Answer{Text: "Спасибо!", At: noon}).Then(thanks)
	if s := given(t, posted, thanks, hidden, shown).State(); s.Reply != "Спасибо!" {
		t.Errorf("%+v", s)
	}
}

func TestHideAndShow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		history    []review.Event
		hide, show []review.Event
		seen       bool
	}{
		{"shown at once", []review.Event{posted}, []review.Event{hidden}, nil, true},
		{"waiting", []review.Event{pending}, []review.Event{hidden}, []review.Event{shown}, false},
		{"let in", []review.Event{pending, shown}, []review.Event{hidden}, nil, true},
		{"not let in", []review.Event{pending, hidden}, nil, []review.Event{shown}, false},
		{"hidden", []review.Event{posted, hidden}, nil, []review.Event{shown}, false},
		{"back", []review.Event{posted, hidden, shown}, []review.Event{hidden}, nil, true},
	} {
		subject := given(t, c.history...)
		subject.When(hide).Then(c.hide...)
		subject.When(show).Then(c.show...)
		subject.When(review.Hide{Reason: " "}).Refused(review.ErrNoReason)
		subject.When(review.Hide{Reason: strings.Repeat("я", 5_001)}).Refused(review.ErrNoReason)
		if s := subject.State(); s.Shown() != c.seen || s.Pending && s.Hidden {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	if (review.State{}).Shown() {
		t.Error("a review nobody wrote is shown")
	}
}

func TestRemovePhotos(t *testing.T) {
	t.Parallel()
	removed := review.PhotosRemoved{ID: id, ProductID: soap, PhotoIDs: photos, At: noon}
	given(t, posted).When(review.RemovePhotos{At: noon}).Then(removed)
	given(t, posted, removed).When(review.RemovePhotos{At: noon}).Nothing()
}

func TestForget(t *testing.T) {
	t.Parallel()
	forgotten := review.Forgotten{ID: id, ProductID: soap, At: noon}
	given(t, posted).When(review.Forget{At: noon}).Then(forgotten)
	given(t, posted, forgotten).When(review.Forget{At: noon}).Nothing()
	if s := given(t, posted, forgotten).State(); !s.Shown() || s.Rating != 5 {
		t.Errorf("the opinion went with the name: %+v", s)
	}
}

func TestNothingHappensToAnUnknownReview(t *testing.T) {
	t.Parallel()
	for _, c := range []review.Command{review.Answer{Text: "Спасибо!"}, hide, show, review.RemovePhotos{}, review.Forget{}} {
		given(t).When(c).Refused(review.ErrUnknown)
	}
}

func TestAuthorAndTextAreSealedUnderThePersonsKey(t *testing.T) {
	t.Parallel()
	if p := posted.Personal(); p.Person != person || !slices.Equal(p.Fields, []string{"author", "content"}) {
		t.Errorf("%+v", p)
	}
}
