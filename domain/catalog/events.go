package catalog

import (
	"time"

	"shop/domain"
)

// ProductStream names the stream of a product; CategoryStream, BrandStream and MarkStream likewise.
func ProductStream(id domain.ID) string  { return "product-" + id.String() }
func CategoryStream(id domain.ID) string { return "category-" + id.String() }
func BrandStream(id domain.ID) string    { return "brand-" + id.String() }
func MarkStream(id domain.ID) string     { return "mark-" + id.String() }

// ProductEvent is a fact about a product.
//
//sumtype:decl
type ProductEvent interface {
	domain.Event
	isProductEvent()
}

// ProductAdded put a product into the catalog. Link is its slug, unique in the shop; Article its unique article: [ClaimStream].
type ProductAdded struct {
	ID         domain.ID `json:"id"`
	Article    string    `json:"article"`
	Link       string    `json:"link"`
	BrandID    domain.ID `json:"brand_id"`
	CategoryID domain.ID `json:"category_id"`
	At         time.Time `json:"at"`
}

// ProductText is all that is written on a product.
type ProductText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Composition is the INCI list.
	Composition string `json:"composition"`
	// Expires are the storage terms.
	Expires     string `json:"expires"`
	ApplyMethod string `json:"apply_method"`
	PackageSize string `json:"package_size"`
	MadeIn      string `json:"made_in"`
}

// ProductDescribed replaced a product's texts.
type ProductDescribed struct {
	Text ProductText `json:"text"`
	At   time.Time   `json:"at"`
}

// ProductPriced set the list price and the price to pay; they are equal without a discount.
type ProductPriced struct {
	Price           domain.Money `json:"price"`
	DiscountedPrice domain.Money `json:"discounted_price"`
	At              time.Time    `json:"at"`
}

// Picture is one photograph. Src works alone; Sources are smaller or better encoded variants of it.
type Picture struct {
	Src     string   `json:"src"`
	Width   int      `json:"width,omitempty"`
	Height  int      `json:"height,omitempty"`
	Sources []Source `json:"sources,omitempty"`
	// Alt says what is to be seen, for those who do not see it; empty: the product's name does. AltKazakh says it in Kazakh.
	Alt       string `json:"alt,omitempty"`
	AltKazakh string `json:"alt_kk,omitempty"`
}

// Source is one encoding of a picture in several widths, as an HTML srcset.
type Source struct {
	Type   string `json:"type"`
	Srcset string `json:"srcset"`
}

// ProductPictured replaced a product's pictures; the first is the main one.
type ProductPictured struct {
	Pictures []Picture `json:"pictures"`
	At       time.Time `json:"at"`
}

// ProductMarked replaced a product's marks.
type ProductMarked struct {
	Marks []domain.ID `json:"marks"`
	At    time.Time   `json:"at"`
}

// ProductMoved changed a product's category or brand.
type ProductMoved struct {
	BrandID    domain.ID `json:"brand_id"`
	CategoryID domain.ID `json:"category_id"`
	At         time.Time `json:"at"`
}

// ProductArchived took a product out of sale; ProductRestored put it back.
type ProductArchived struct {
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}
type ProductRestored struct {
	At time.Time `json:"at"`
}

func (ProductAdded) EventType() string     { return "product.added" }
func (ProductDescribed) EventType() string { return "product.described" }
func (ProductPriced) EventType() string    { return "product.priced" }
func (ProductPictured) EventType() string  { return "product.pictured" }
func (ProductMarked) EventType() string    { return "product.marked" }
func (ProductMoved) EventType() string     { return "product.moved" }
func (ProductArchived) EventType() string  { return "product.archived" }
func (ProductRestored) EventType() string  { return "product.restored" }

func (ProductAdded) isProductEvent()     {}
func (ProductDescribed) isProductEvent() {}
func (ProductPriced) isProductEvent()    {}
func (ProductPictured) isProductEvent()  {}
func (ProductMarked) isProductEvent()    {}
func (ProductMoved) isProductEvent()     {}
func (ProductArchived) isProductEvent()  {}
func (ProductRestored) isProductEvent()  {}

// Wording is the texts of a category or mark in Kazakh; an empty one is shown in Russian.
type Wording struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Category is a place in the two-level tree. ParentID is zero at the top.
type Category struct {
	Link        string    `json:"link"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Kazakh      Wording   `json:"kazakh,omitzero"`
	ParentID    domain.ID `json:"parent_id"`
	// Picture may be empty; Placeholder names the drawing for products without a picture.
	Picture     *Picture `json:"picture,omitempty"`
	Placeholder string   `json:"placeholder,omitempty"`
	// Order sorts siblings, ascending.
	Order int `json:"order"`
}

// CategoryEvent is a fact about a category.
//
//sumtype:decl
type CategoryEvent interface {
	domain.Event
	isCategoryEvent()
}

// CategoryAdded, CategoryChanged and CategoryArchived tell a category's life; changes carry the whole category.
type CategoryAdded struct {
	ID       domain.ID `json:"id"`
	Category Category  `json:"category"`
	At       time.Time `json:"at"`
}
type CategoryChanged struct {
	Category Category  `json:"category"`
	At       time.Time `json:"at"`
}
type CategoryArchived struct {
	At time.Time `json:"at"`
}

func (CategoryAdded) EventType() string    { return "category.added" }
func (CategoryChanged) EventType() string  { return "category.changed" }
func (CategoryArchived) EventType() string { return "category.archived" }
func (CategoryAdded) isCategoryEvent()     {}
func (CategoryChanged) isCategoryEvent()   {}
func (CategoryArchived) isCategoryEvent()  {}

// Brand is a maker. Its name is the same in all languages; an empty description in Kazakh is shown in Russian.
type Brand struct {
	Link              string `json:"link"`
	Name              string `json:"name"`
	Description       string `json:"description"`
	DescriptionKazakh string `json:"description_kk,omitempty"`
	// Logo and Picture may be empty.
	Logo    *Picture `json:"logo,omitempty"`
	Picture *Picture `json:"picture,omitempty"`
}

// BrandEvent is a fact about a brand.
//
//sumtype:decl
type BrandEvent interface {
	domain.Event
	isBrandEvent()
}

// BrandAdded, BrandChanged and BrandArchived tell a brand's life; changes carry the whole brand.
type BrandAdded struct {
	ID    domain.ID `json:"id"`
	Brand Brand     `json:"brand"`
	At    time.Time `json:"at"`
}
type BrandChanged struct {
	Brand Brand     `json:"brand"`
	At    time.Time `json:"at"`
}
type BrandArchived struct {
	At time.Time `json:"at"`
}

func (BrandAdded) EventType() string    { return "brand.added" }
func (BrandChanged) EventType() string  { return "brand.changed" }
func (BrandArchived) EventType() string { return "brand.archived" }
func (BrandAdded) isBrandEvent()        {}
func (BrandChanged) isBrandEvent()      {}
func (BrandArchived) isBrandEvent()     {}

// Mark is a property worth a badge, such as vegan or a certificate.
type Mark struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Kazakh      Wording  `json:"kazakh,omitzero"`
	Picture     *Picture `json:"picture,omitempty"`
}

// MarkEvent is a fact about a mark.
//
//sumtype:decl
type MarkEvent interface {
	domain.Event
	isMarkEvent()
}

// MarkAdded, MarkChanged and MarkArchived tell a mark's life; changes carry the whole mark.
type MarkAdded struct {
	ID   domain.ID `json:"id"`
	Mark Mark      `json:"mark"`
	At   time.Time `json:"at"`
}
type MarkChanged struct {
	Mark Mark      `json:"mark"`
	At   time.Time `json:"at"`
}
type MarkArchived struct {
	At time.Time `json:"at"`
}

func (MarkAdded) EventType() string    { return "mark.added" }
func (MarkChanged) EventType() string  { return "mark.changed" }
func (MarkArchived) EventType() string { return "mark.archived" }
func (MarkAdded) isMarkEvent()         {}
func (MarkChanged) isMarkEvent()       {}
func (MarkArchived) isMarkEvent()      {}
