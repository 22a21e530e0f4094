package commands

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"shop/commands/photos"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/review"
	"shop/eventstore"
)

const (
	reviewScope = "reviews"

	msgRating  = "Поставьте оценку от 1 до 5"
	msgPhotos  = "К отзыву можно добавить не больше 6 фотографий"
	msgProduct = "Такого товара нет"
)

var errNotForm = &Refused{http.StatusUnsupportedMediaType, "Ожидается форма (Content-Type: multipart/form-data)"}

// Reviews answers POST /api/products/review/ and lets staff answer, hide and show.
type Reviews struct {
	Handler *Handler
	Album   *photos.Album
	// Links lets a review name its product by link. Nil: by id only.
	Links links
}

// PostReview asks for a review. The fields mean what they mean in review.Post.
type PostReview struct {
	ProductID, CustomerID domain.ID
	Author                review.Author
	Rating                int64
	Content               string
	Photos                []io.ReadSeeker
	// Key makes the request unrepeatable, Request is its digest. An empty key: every request is a review of its own.
	Key     string
	Request []byte
}

// PostedReview is the answer to a PostReview.
type PostedReview struct {
	ID domain.ID `json:"id"`
	// IsShown: shoppers see it at once; else staff look first.
	IsShown bool `json:"is_shown"`
}

// Post is the endpoint.
func (s *Reviews) Post(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	f, files, done, err := readMultipart(w, r, "images")
	if err != nil {
		return err
	}
	defer done()
	p := PostReview{CustomerID: CustomerOf(r.Context()), Key: key}
	product := f.text("product", textRule{max: 200, required: true})
	p.Author = review.Author{
		Name:  f.name("name", maxWholeName, true),
		Email: f.text("email", textRule{max: 254, required: true}),
		Phone: f.text("phone", textRule{max: 32, required: true}),
	}
	p.Rating = f.stars("rating")
	p.Content = f.text("content", textRule{max: 5000, required: true, newlines: true})
	f.contactOf(&p.Author)
	if len(files) > review.MaxPhotos {
		f.refuse("images", msgPhotos)
	}
	if err := f.done(); err != nil {
		return err
	}
	named, err := s.Handler.identify(r.Context(), []line{{Product: product}}, s.Links)
	if err != nil {
		return err
	}
	p.ProductID = named[0].ProductID
	for _, file := range files {
		p.Photos = append(p.Photos, file)
	}
	if key != "" {
		if p.Request, err = p.digest(); err != nil {
			return err
		}
	}
	posted, position, err := s.Write(r.Context(), p)
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusCreated, posted)
}

// stars reads a number from a form, which has texts only.
func (f *form) stars(name string) int64 {
	text := f.text(name, textRule{max: 10, required: true})
	n, ok := whole(json.Number(text))
	if text != "" && (!ok || n < 1 || n > 5) {
		f.refuse(name, msgRating)
	}
	return n
}

func (f *form) contactOf(a *review.Author) {
	if a.Email != "" && !validEmail(a.Email) {
		f.refuse("email", msgEmail)
	}
	if a.Phone != "" {
		var ok bool
		if a.Phone, ok = phone(a.Phone); !ok {
			f.refuse("phone", msgPhone)
		}
	}
}

// readMultipart reads a form with files under one name. Files may wait on disk; done removes them.
func readMultipart(w http.ResponseWriter, r *http.Request, name string) (f *form, files []multipart.File, done func(), err error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || r.Header.Get("Content-Encoding") != "" {
		return nil, nil, nil, errNotForm
	}
	if r.ContentLength > photos.MaxRequest {
		return nil, nil, nil, errTooLarge
	}
	r.Body = http.MaxBytesReader(w, r.Body, photos.MaxRequest)
	err = r.ParseMultipartForm(maxBody)
	done = func() {
		for _, file := range files {
			_ = file.Close() // it was only read
		}
		if r.MultipartForm != nil {
			_ = r.MultipartForm.RemoveAll()
		}
	}
	if err != nil {
		done()
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) || errors.Is(err, multipart.ErrMessageTooLarge) {
			return nil, nil, nil, errTooLarge
		}
		return nil, nil, nil, &Refused{http.StatusBadRequest, "Запрос не дошёл целиком"}
	}
	o := object{values: map[string]any{}}
	for field, values := range r.MultipartForm.Value {
		if !utf8.ValidString(field) || !utf8.ValidString(strings.Join(values, "")) {
			done()
			return nil, nil, nil, errEncoding
		}
		if len(values) > 1 {
			o.twice = append(o.twice, field)
		}
		if field == name && strings.Join(values, "") == "" {
			continue // what a browser may send for no file
		}
		o.values[field] = values[0]
	}
	f = newForm(o)
	for field, sent := range r.MultipartForm.File {
		if field != name {
			f.refuse(field, msgUnknown)
			continue
		}
		for _, header := range sent {
			if header.Filename == "" && header.Size == 0 {
				continue
			}
			file, err := header.Open()
			if err != nil {
				done()
				return nil, nil, nil, fmt.Errorf("open uploaded file: %w", err)
			}
			files = append(files, file)
		}
	}
	return f, files, done, nil
}

// digest tells whether two requests ask the same.
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
func (s *Reviews) Write(ctx context.Context, p PostReview) (posted PostedReview, position eventstore.Position, err error) {
	ctx, end := begin(ctx, "post review")
	defer end(&err)
	if posted, position, ok, err := s.repeated(ctx, p); ok || err != nil {
		return posted, position, err
	}
	id := s.Handler.newID()
	person := p.CustomerID
	if person == uuid.Nil {
		person = s.Handler.newID()
	}
	if err := s.sells(ctx, p.ProductID); err != nil {
		return PostedReview{}, 0, err
	}
	ids, err := s.Album.Add(ctx, id, p.Photos...)
	if err != nil {
		var refusal *domain.Refusal
		if errors.As(err, &refusal) {
			return PostedReview{}, 0, invalid("images", refusal.Message)
		}
		return PostedReview{}, 0, err
	}
	position, err = s.Handler.Do(ctx, false, func(u *Unit) error {
		product, made := productStream(p.ProductID), reviewStream(id)
		if err := u.Load(rulesStream(), product); err != nil {
			return err
		}
		u.New(made)
		if !product.State(u).Sellable() {
			return invalid("product", msgProduct)
		}
		moderated := rulesStream().State(u).Rules.ReviewsModerated
		err := made.Do(u, review.Post{
			ID: id, ProductID: p.ProductID, CustomerID: p.CustomerID, PersonID: person, Author: p.Author,
			Rating: p.Rating, Content: p.Content, PhotoIDs: ids, Moderated: moderated, At: u.At(),
		})
		posted = PostedReview{ID: id, IsShown: !moderated}
		if err != nil || p.Key == "" {
			return err
		}
		response, err := json.Marshal(posted)
		if err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
		u.Key = &eventstore.Key{Scope: reviewScope, Key: p.Key, Request: p.Request, Response: response}
		return nil
	})
	if err == nil {
		return posted, position, nil
	}
	if errRemove := s.discard(ctx, id, ids); errRemove != nil {
		err = errors.Join(err, errRemove)
	}
	if posted, position, ok, errTwin := s.repeated(ctx, p); ok || errTwin != nil {
		return posted, position, errTwin
	}
	return PostedReview{}, 0, fmt.Errorf("post review: %w", err)
}

// discard takes back the photos of a review that was not posted, unless the log has it: an append may succeed and its
// answer be lost.
func (s *Reviews) discard(ctx context.Context, id domain.ID, ids []domain.ID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	state, err := see(ctx, s.Handler, reviewStream(id))
	if err != nil || state.Exists() {
		return err
	}
	return s.Album.Remove(ctx, id, ids...)
}

// sells refuses reviews of what is not on sale before their photos cost anything.
func (s *Reviews) sells(ctx context.Context, product domain.ID) error {
	if product == uuid.Nil {
		return invalid("product", msgProduct)
	}
	state, err := see(ctx, s.Handler, productStream(product))
	if err == nil && !state.Sellable() {
		err = invalid("product", msgProduct)
	}
	return err
}

// repeated looks for an earlier answer to the key.
func (s *Reviews) repeated(ctx context.Context, p PostReview) (posted PostedReview, position eventstore.Position, ok bool, err error) {
	if p.Key == "" {
		return PostedReview{}, 0, false, nil
	}
	key, ok, err := s.Handler.log.Recall(ctx, reviewScope, p.Key)
	if err != nil || !ok {
		return PostedReview{}, 0, false, err
	}
	if !bytes.Equal(key.Request, p.Request) {
		return PostedReview{}, 0, false, errKeyTaken
	}
	if err := json.Unmarshal(key.Response, &posted); err != nil {
		return PostedReview{}, 0, false, fmt.Errorf("read remembered answer: %w", err)
	}
	stream := review.Stream(posted.ID)
	events, err := s.Handler.log.Load(ctx, eventstore.From{Stream: stream})
	if err != nil {
		return PostedReview{}, 0, false, fmt.Errorf("find review %s: %w", posted.ID, err)
	}
	if len(events[stream]) > 0 {
		position = events[stream][0].Position
	}
	return posted, position, true, nil
}

// Answer sets the shop's reply; an empty one takes it away.
func (s *Reviews) Answer(ctx context.Context, id domain.ID, text string) (eventstore.Position, error) {
	return one(ctx, s.Handler, reviewStream(id), func(u *Unit) review.Command { return review.Answer{Text: text, At: u.At()} })
}

// Hide takes a review out of sight.
func (s *Reviews) Hide(ctx context.Context, id domain.ID, reason string) (eventstore.Position, error) {
	return one(ctx, s.Handler, reviewStream(id), func(u *Unit) review.Command { return review.Hide{Reason: reason, At: u.At()} })
}

// Show puts a hidden or waiting review in sight.
func (s *Reviews) Show(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return one(ctx, s.Handler, reviewStream(id), func(u *Unit) review.Command { return review.Show{At: u.At()} })
}

// RemovePhotos takes the photos out of a review and deletes their files.
func (s *Reviews) RemovePhotos(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	position, err := one(ctx, s.Handler, reviewStream(id), func(u *Unit) review.Command { return review.RemovePhotos{At: u.At()} })
	if err != nil {
		return 0, err
	}
	_, err = s.Album.RemoveAll(ctx, id)
	return position, err
}

// HoldsPhoto says whether the log holds a photo of an owner: a review, a customer, a product or a post.
func (s *Reviews) HoldsPhoto(ctx context.Context, owner, photo domain.ID) (bool, error) {
	held, _, err := s.photo(ctx, owner, photo)
	return held, err
}

// ShowsPhoto says whether anybody may see a photo of an owner: not while its review is hidden or waits for staff.
func (s *Reviews) ShowsPhoto(ctx context.Context, owner, photo domain.ID) (bool, error) {
	held, public, err := s.photo(ctx, owner, photo)
	return held && public, err
}

func (s *Reviews) photo(ctx context.Context, owner, photo domain.ID) (held, public bool, err error) {
	posted, goods, told := reviewStream(owner), productStream(owner), postStream(owner)
	account := Stream[customer.Command, customer.Event, customer.State]{Name: customer.Stream(owner), Decider: customer.Decider, Private: true}
	_, err = s.Handler.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(posted, account, goods, told); err != nil {
			return err
		}
		written, person, product, article := posted.State(u), account.State(u), goods.State(u), told.State(u)
		switch {
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
