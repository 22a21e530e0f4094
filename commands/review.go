package commands

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"shop/commands/photos"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/reply"
	"shop/domain/review"
	"shop/eventstore"
)

const (
	reviewScope = "reviews"

	msgProduct = "Такого товара нет"
)

// Reviews posts reviews, and lets staff answer, hide and show them.
type Reviews struct {
	Handler *Handler
	Album   *photos.Album
	// Links lets a review name its product by link. Nil: by id only.
	Links Links
}

// PostReview asks for a review. The fields mean what they mean in review.Post.
type PostReview struct {
	ProductID, CustomerID domain.ID
	Author                review.Author
	Rating                int64
	Content               string
	Photos                []io.ReadSeeker
	// Key makes the request unrepeatable. Empty: every request is a review of its own.
	Key string
}

// PostedReview is the answer to a PostReview.
type PostedReview struct {
	ID domain.ID `json:"id"`
	// IsShown: shoppers see it at once; else staff look first.
	IsShown bool `json:"is_shown"`
}

// digest is equal for requests that ask for the same review.
func (p PostReview) digest() ([]byte, error) {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(struct {
		Product, Customer domain.ID
		Author            review.Author
		Rating            int64
		Content           string
	}{p.ProductID, p.CustomerID, p.Author, p.Rating, p.Content}); err != nil {
		return nil, fmt.Errorf("digest request: %w", err)
	}
	for _, photo := range p.Photos {
		each := sha256.New()
		if _, err := photo.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("digest photo: %w", err)
		}
		if _, err := io.Copy(each, photo); err != nil {
			return nil, fmt.Errorf("digest photo: %w", err)
		}
		h.Write(each.Sum(nil))
	}
	return h.Sum(nil), nil
}

// Write stores the photos and posts the review; nothing of a refused one stays. A repeated key answers as the first time.
func (s *Reviews) Write(ctx context.Context, p PostReview) (_ PostedReview, _ eventstore.Position, err error) {
	ctx, end := StartSpan(ctx, "post review")
	defer end(&err)
	key := eventstore.Key{Scope: reviewScope, Key: p.Key}
	if p.Key != "" {
		if key.Request, err = p.digest(); err != nil {
			return PostedReview{}, 0, err
		}
	}
	// First, for the photos of a repeat would be stored for nothing.
	posted, repeated, err := Recall[PostedReview](ctx, s.Handler, key)
	if err != nil {
		return PostedReview{}, 0, err
	}
	var position eventstore.Position
	if !repeated {
		posted, position, repeated, err = Once(ctx, s.Handler, key, func() (PostedReview, eventstore.Position, error) { return s.write(ctx, p, key) })
	}
	if err == nil && repeated {
		position, err = s.postedAt(ctx, posted.ID)
	}
	return posted, position, err
}

func (s *Reviews) write(ctx context.Context, p PostReview, key eventstore.Key) (posted PostedReview, _ eventstore.Position, err error) {
	id := s.Handler.NewID()
	person := s.Handler.NewID() // a review has a key of its own, so that it can be forgotten alone
	if err := s.sells(ctx, p.ProductID); err != nil {
		return PostedReview{}, 0, err
	}
	ids, err := s.Album.Add(ctx, id, p.Photos...)
	if err != nil {
		var refusal *domain.Refusal
		if errors.As(err, &refusal) {
			return PostedReview{}, 0, WrongField("images", refusal.Message)
		}
		return PostedReview{}, 0, err
	}
	position, err := s.Handler.Do(ctx, false, func(u *Unit) error {
		product, made := ProductStream(p.ProductID), ReviewStream(id)
		if err := u.Load(RulesStream(), product); err != nil {
			return err
		}
		u.New(made)
		if !product.State(u).Sellable() {
			return WrongField("product", msgProduct)
		}
		if err := u.account(p.CustomerID); err != nil {
			return err
		}
		moderated := RulesStream().State(u).Rules.ReviewsModerated
		err := made.Do(u, review.Post{
			ID: id, ProductID: p.ProductID, CustomerID: p.CustomerID, PersonID: person, Author: p.Author,
			Rating: p.Rating, Content: p.Content, PhotoIDs: ids, Moderated: moderated, At: u.At(),
		})
		if err != nil {
			return err
		}
		posted = PostedReview{ID: id, IsShown: !moderated}
		return u.Remember(key, posted)
	})
	if err != nil {
		return PostedReview{}, 0, fmt.Errorf("post review: %w", errors.Join(err, s.discard(ctx, id, ids)))
	}
	return posted, position, nil
}

// postedAt is where the log has a review.
func (s *Reviews) postedAt(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	events, err := s.Handler.Events(ctx, eventstore.From{Stream: review.Stream(id)})
	if err != nil {
		return 0, fmt.Errorf("find review %s: %w", id, err)
	}
	if found := events[review.Stream(id)]; len(found) > 0 {
		return found[0].Position, nil
	}
	return 0, nil
}

// discard takes back the photos of a review that was not posted, unless the log has it: an append may succeed and its
// answer be lost.
func (s *Reviews) discard(ctx context.Context, id domain.ID, ids []domain.ID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	state, err := See(ctx, s.Handler, ReviewStream(id))
	if err != nil || state.Exists() {
		return err
	}
	return s.Album.Remove(ctx, id, ids...)
}

// sells refuses reviews of what is not on sale before their photos cost anything.
func (s *Reviews) sells(ctx context.Context, product domain.ID) error {
	if product == uuid.Nil {
		return WrongField("product", msgProduct)
	}
	state, err := See(ctx, s.Handler, ProductStream(product))
	if err == nil && !state.Sellable() {
		err = WrongField("product", msgProduct)
	}
	return err
}

// Answer sets the shop's reply; an empty one takes it away.
func (s *Reviews) Answer(ctx context.Context, id domain.ID, text string) (eventstore.Position, error) {
	return Change(ctx, s.Handler, ReviewStream(id), func(u *Unit) review.Command { return review.Answer{Text: text, At: u.At()} })
}

// Hide takes a review out of sight.
func (s *Reviews) Hide(ctx context.Context, id domain.ID, reason string) (eventstore.Position, error) {
	return Change(ctx, s.Handler, ReviewStream(id), func(u *Unit) review.Command { return review.Hide{Reason: reason, At: u.At()} })
}

// Show puts a hidden or waiting review in sight.
func (s *Reviews) Show(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return Change(ctx, s.Handler, ReviewStream(id), func(u *Unit) review.Command { return review.Show{At: u.At()} })
}

// RemovePhotos takes the photos out of a review and deletes their files.
func (s *Reviews) RemovePhotos(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	position, err := Change(ctx, s.Handler, ReviewStream(id), func(u *Unit) review.Command { return review.RemovePhotos{At: u.At()} })
	if err != nil {
		return 0, err
	}
	_, err = s.Album.RemoveAll(ctx, id)
	return position, err
}

// HoldsPhoto says whether the log holds a photo of an owner: a review, a customer, a product, a post or an order.
func (s *Reviews) HoldsPhoto(ctx context.Context, owner, photo domain.ID) (bool, error) {
	held, _, err := s.photo(ctx, owner, photo)
	return held, err
}

// ShowsPhoto says whether anybody may see a photo of an owner: not while its review is hidden or waits for staff, and never an order's.
func (s *Reviews) ShowsPhoto(ctx context.Context, owner, photo domain.ID) (bool, error) {
	held, public, err := s.photo(ctx, owner, photo)
	return held && public, err
}

// Templates are the texts that staff answer reviews with, by name.
func (s *Reviews) Templates(ctx context.Context) ([]reply.Template, error) {
	state, err := See(ctx, s.Handler, ReplyStream())
	return state.Templates, err
}

// KeepTemplates replaces the texts that staff answer reviews with.
func (s *Reviews) KeepTemplates(ctx context.Context, templates []reply.Template) (eventstore.Position, error) {
	return Change(ctx, s.Handler, ReplyStream(), func(u *Unit) reply.Command { return reply.Keep{Templates: templates, At: u.At()} })
}

func (s *Reviews) photo(ctx context.Context, owner, photo domain.ID) (held, public bool, err error) {
	posted, goods, told, placed := ReviewStream(owner), ProductStream(owner), PostStream(owner), OrderStream(owner)
	account := Stream[customer.Command, customer.Event, customer.State]{Name: customer.Stream(owner), Decider: customer.Decider, Private: true}
	_, err = s.Handler.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(posted, account, goods, told, placed); err != nil {
			return err
		}
		written, person, product, article := posted.State(u), account.State(u), goods.State(u), told.State(u)
		switch {
		case placed.State(u).Exists():
			held = slices.Contains(placed.State(u).DeliveryPhotos, photo)
		case written.Exists():
			held, public = slices.Contains(written.PhotoIDs, photo), written.Shown()
		case product.Exists():
			held, public = slices.ContainsFunc(product.Pictures, func(p catalog.Picture) bool { return photos.IsOf(p.Src, photo) }), true
		case article.Exists():
			held, public = photos.IsOf(article.Article.Picture, photo) || photos.IsIn(article.Article.HTML, photo), true
		default:
			held, public = person.Open() && person.PhotoID == photo, true
		}
		return nil
	})
	return held, public, err
}
