package catalog

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"shop/domain"
)

// MaxShelf is how many characters the name of a shelf may have.
const MaxShelf = 20

// ErrBadShelf refuses what is no name of a shelf.
var ErrBadShelf = domain.Refuse("catalog/bad-shelf", "Полка — не больше 20 знаков в одну строку")

// ProductShelved says where in the warehouse a product is.
type ProductShelved struct {
	ID domain.ID `json:"id"`
	// Shelf sorts as text, such as A-03-2; empty: nobody said.
	Shelf string    `json:"shelf"`
	At    time.Time `json:"at"`
}

func (ProductShelved) EventType() string { return "product.shelved" }
func (ProductShelved) isProductEvent()   {}

// ShelveProduct says where the product is; the same shelf adds nothing.
type ShelveProduct struct {
	Shelf string
	At    time.Time
}

func (ShelveProduct) isProductCommand() {}

func decideShelve(c ShelveProduct, p ProductState) ([]ProductEvent, error) {
	shelf := strings.TrimSpace(c.Shelf)
	switch {
	case utf8.RuneCountInString(shelf) > MaxShelf, !utf8.ValidString(shelf), strings.ContainsFunc(shelf, unicode.IsControl):
		return nil, ErrBadShelf
	case shelf == p.Shelf:
		return nil, nil
	}
	return []ProductEvent{ProductShelved{ID: p.ID, Shelf: shelf, At: c.At}}, nil
}
