package shopapi

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/domain/review"
)

const (
	msgRating = "Поставьте оценку от 1 до 5"
	msgPhotos = "К отзыву можно добавить не больше 6 фотографий"
)

// Reviews answers POST /api/products/review/.
type Reviews struct{ Reviews *commands.Reviews }

// Routes adds its call.
func (a Reviews) Routes(r chi.Router, by Guards) {
	r.Method("POST", "/api/products/review", by.Reviews(by.Known(a.Post)))
}

// Post is POST /api/products/review/: a form with files.
func (a Reviews) Post(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	f, files, done, err := readMultipart(w, r, "images")
	if err != nil {
		return err
	}
	defer done()
	p := commands.PostReview{CustomerID: commands.CustomerOf(r.Context()), Key: key}
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
	named, err := a.Reviews.Handler.Identify(r.Context(), []commands.NamedLine{{Product: product}}, a.Reviews.Links)
	if err != nil {
		return err
	}
	p.ProductID = named[0].ProductID
	for _, file := range files {
		p.Photos = append(p.Photos, file)
	}
	posted, position, err := a.Reviews.Write(r.Context(), p)
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
