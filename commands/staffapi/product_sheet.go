package staffapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/merchant"
	"shop/commands/photos"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// productSheet is a product with all that its editor shows.
type productSheet struct {
	ID      uuid.UUID `json:"id"`
	Article string    `json:"article"`
	Link    string    `json:"link"`
	// Version is how many events it has.
	Version    eventstore.Version `json:"version"`
	BrandID    *uuid.UUID         `json:"brand_id"`
	CategoryID *uuid.UUID         `json:"category_id"`
	catalog.ProductText
	Kazakh          catalog.Translation `json:"kazakh"`
	Price           domain.Money        `json:"price"`
	DiscountedPrice domain.Money        `json:"discounted_price"`
	Pictures        []catalog.Picture   `json:"pictures"`
	Marks           []uuid.UUID         `json:"marks"`
	Archived        bool                `json:"archived"`
	Shelf           string              `json:"shelf"`
	// LowLine is how many pieces are few; null: the rules say.
	LowLine *int64          `json:"low_line"`
	GTIN    string          `json:"gtin"`
	Measure catalog.Measure `json:"measure"`
	// Cost is null without the permission to see costs.
	Cost      *domain.Money `json:"cost"`
	OnHand    int64         `json:"on_hand"`
	Reserved  int64         `json:"reserved"`
	Available int64         `json:"available"`
}

// sheet is GET /api/staff/products/{article}/?at=: a product as the log has it now, or at a moment, named by its article or its id.
func (s *Products) sheet(w http.ResponseWriter, r *http.Request) error {
	id, err := s.named(r.Context(), r.PathValue("article"))
	if err != nil {
		return err
	}
	then, err := thenOrNow(r, s.Past, func(ctx context.Context, at *reads.Then) (reads.ProductThen, error) {
		return at.Product(ctx, id)
	}, func(ctx context.Context) (reads.ProductThen, error) { return s.now(ctx, id) })
	if errors.Is(err, reads.ErrNoProduct) {
		return catalog.ErrUnknown
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	endpoint.WriteJSON(w, http.StatusOK, sheetOf(then, may(r.Context(), staff.SeeCosts)))
	return nil
}

// now is a product as it is.
func (s *Products) now(ctx context.Context, id uuid.UUID) (now reads.ProductThen, err error) {
	product, goods := commands.ProductStream(id), commands.StockStream(id)
	_, err = s.Products.Handler.Do(ctx, false, func(u *commands.Unit) error {
		if err := u.Load(product, goods); err != nil {
			return err
		}
		level := goods.State(u)
		now = reads.ProductThen{ProductState: product.State(u), Version: product.Version(u), OnHand: level.OnHand, Reserved: level.Reserved}
		if !now.Exists() {
			return catalog.ErrUnknown
		}
		return nil
	})
	return now, err
}

func sheetOf(p reads.ProductThen, costs bool) productSheet {
	sheet := productSheet{
		ID: p.ID, Article: p.Article, Link: p.Link, Version: p.Version, BrandID: idOrNull(p.BrandID), CategoryID: idOrNull(p.CategoryID),
		ProductText: p.Text, Kazakh: p.Kazakh, Price: p.Price, DiscountedPrice: p.DiscountedPrice,
		Pictures: append([]catalog.Picture{}, p.Pictures...), Marks: append([]uuid.UUID{}, p.Marks...), Archived: p.Archived,
		Shelf: p.Shelf, LowLine: p.LowLine, GTIN: p.GTIN, Measure: p.Measure, OnHand: p.OnHand, Reserved: p.Reserved, Available: max(p.OnHand-p.Reserved, 0),
	}
	if costs {
		sheet.Cost = &p.Cost
	}
	return sheet
}

func idOrNull(id domain.ID) *uuid.UUID {
	if id == (domain.ID{}) {
		return nil
	}
	return &id
}

// named is the id of a product that is named by its article or its id.
func (s *Products) named(ctx context.Context, name string) (uuid.UUID, error) {
	id, found, err := s.Shop.ProductID(ctx, name)
	if err != nil || found {
		return id, err
	}
	if id, err = uuid.Parse(name); err != nil {
		return commands.ProductID(name), nil // it may be newer than the read model
	}
	return id, nil
}

// newProduct is what a product begins with; the rest is changed in its editor.
type newProduct struct {
	Article string `json:"article"`
	// Link is its address; empty: it is made of the name.
	Link            string       `json:"link"`
	Name            string       `json:"name"`
	CategoryID      uuid.UUID    `json:"category_id"`
	BrandID         *uuid.UUID   `json:"brand_id"`
	Price           domain.Money `json:"price"`
	DiscountedPrice domain.Money `json:"discounted_price"`
	// CopyOf is a product whose texts, pictures, marks and size it begins with.
	CopyOf *uuid.UUID `json:"copy_of"`
}

// add is POST /api/staff/products/.
func (s *Products) add(w http.ResponseWriter, r *http.Request) error {
	var asked newProduct
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	p := merchant.NewProduct{PutProduct: catalog.PutProduct{
		Article: asked.Article, Link: cmp.Or(asked.Link, s.Slug(asked.Name)), CategoryID: asked.CategoryID,
		Text: catalog.ProductText{Name: asked.Name}, Price: asked.Price, DiscountedPrice: cmp.Or(asked.DiscountedPrice, asked.Price),
	}}
	if asked.BrandID != nil {
		p.BrandID = *asked.BrandID
	}
	if asked.CopyOf != nil {
		p.CopyOf = *asked.CopyOf
	}
	id, position, err := s.Products.Add(r.Context(), p)
	if err != nil {
		return besideField(err)
	}
	tellPosition(w, position)
	endpoint.WriteJSON(w, http.StatusCreated, map[string]any{"id": id, "article": asked.Article})
	return nil
}

// addPicture is POST /api/staff/products/{article}/pictures/ with an image as its body: the picture in the shop's sizes, which the
// product has once a change gives it to it.
func (s *Products) addPicture(w http.ResponseWriter, r *http.Request) error {
	id, err := s.named(r.Context(), r.PathValue("article"))
	if err != nil {
		return err
	}
	return takePicture(w, r, func(ctx context.Context, image io.ReadSeeker) (catalog.Picture, error) {
		return s.Picture(ctx, id, image)
	})
}

// readImage reads the image that is a request's body.
func readImage(w http.ResponseWriter, r *http.Request) (io.ReadSeeker, error) {
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, photos.MaxBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, endpoint.Refuse(http.StatusRequestEntityTooLarge, photos.ErrTooLarge.Message)
	}
	if err != nil {
		return nil, endpoint.Refuse(http.StatusBadRequest, "Фотография не дошла целиком")
	}
	return bytes.NewReader(content), nil
}

// takePicture keeps the image that is a request's body, and answers it in the shop's sizes.
func takePicture(w http.ResponseWriter, r *http.Request, keep func(ctx context.Context, image io.ReadSeeker) (catalog.Picture, error)) error {
	image, err := readImage(w, r)
	if err != nil {
		return err
	}
	picture, err := keep(r.Context(), image)
	switch {
	case errors.Is(err, photos.ErrKind), errors.Is(err, photos.ErrPixels), errors.Is(err, photos.ErrTooLarge):
		return endpoint.Refuse(http.StatusUnprocessableEntity, "Это не фотография в PNG или JPEG, или она слишком велика")
	case err != nil:
		return err
	}
	endpoint.WriteJSON(w, http.StatusCreated, picture)
	return nil
}
