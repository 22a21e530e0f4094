package catalog

import (
	"slices"
	"time"

	"shop/domain"
)

// maxArticle is how many characters an article may have.
const maxArticle = 100

// Refusals of product commands.
var (
	ErrBadArticle = domain.Refuse("catalog/bad-article", "An article must have 1 to 100 characters.")
	// ErrArticleFixed: an article identifies the product in files and on paper; another article is another product.
	ErrArticleFixed = domain.Refuse("catalog/article-fixed", "A product's article cannot change.")
	ErrBadPrice     = domain.Refuse("catalog/bad-price", "A price must be between 1 and 1000000000 tenge.")
	// ErrBadDiscount: the price to pay is not between 1 and the list price.
	ErrBadDiscount = domain.Refuse("catalog/bad-discount", "A discounted price must be between 1 tenge and the list price.")
	// ErrBadPercent: a discount takes off a part of the price, not all of it.
	ErrBadPercent = domain.Refuse("catalog/bad-percent", "A discount must be between 0 and 99 percent.")
	ErrNoCategory = domain.Refuse("catalog/no-category", "A product needs a category.")
)

// ProductState is the present state of a product. The zero value was never added.
type ProductState struct {
	ID      domain.ID
	Article string
	Link    string
	// BrandID is zero for a product without a brand.
	BrandID         domain.ID
	CategoryID      domain.ID
	Text            ProductText
	Price           domain.Money
	DiscountedPrice domain.Money
	// Timed says until when the prices are so.
	Timed    TimedPrice
	Pictures []Picture
	Marks    []domain.ID
	Archived bool
	// Shelf is where it is in the warehouse; empty when nobody said.
	Shelf string
	// LowLine is the most pieces that are few; nil: the rules say.
	LowLine *int64
	// GTIN is the barcode; empty without one.
	GTIN    string
	Measure Measure
	// Cost is what a piece costs the shop; 0: nobody said.
	Cost   domain.Money
	Kazakh Translation
}

// Exists says whether the product was ever added.
func (p ProductState) Exists() bool { return p.ID != domain.ID{} }

// Sellable says whether the product is in the catalog with a price. Whether pieces are free, stock knows.
func (p ProductState) Sellable() bool { return p.Exists() && !p.Archived && p.DiscountedPrice > 0 }

// MainPicture is the URL of the first picture; empty without one.
func (p ProductState) MainPicture() string {
	if len(p.Pictures) == 0 {
		return ""
	}
	return p.Pictures[0].Src
}

// ProductDecider is a product.
//
// PutProduct keeps the link of a known product: its address must not break when its name is corrected. It leaves an
// archived product archived; only RestoreProduct puts it back.
var ProductDecider = domain.Decider[ProductCommand, ProductEvent, ProductState]{Decide: decideProduct, Evolve: evolveProduct}

func decideProduct(command ProductCommand, p ProductState) ([]ProductEvent, error) {
	if _, isPut := command.(PutProduct); !isPut && !p.Exists() {
		return nil, ErrUnknown
	}
	if events, err, is := decideFact(command, p); is {
		return events, err
	}
	switch c := command.(type) {
	case PutProduct:
		if err := c.check(p); err != nil {
			return nil, err
		}
		return c.changes(p), nil

	case PriceProduct:
		if err := checkPrices(c.Price, c.DiscountedPrice); err != nil {
			return nil, err
		}
		return pricing(p, c.Price, c.DiscountedPrice, c.At), nil

	case DiscountProduct:
		if c.Percent < 0 || c.Percent > 99 {
			return nil, ErrBadPercent
		}
		discounted := p.Price - domain.PercentOf(p.Price, c.Percent)
		if err := checkPrices(p.Price, discounted); err != nil {
			return nil, err
		}
		return pricing(p, p.Price, discounted, c.At), nil

	case MarkProduct:
		if slices.Contains(p.Marks, c.Mark) {
			return nil, nil
		}
		return []ProductEvent{ProductMarked{Marks: append(slices.Clone(p.Marks), c.Mark), At: c.At}}, nil

	case UnmarkProduct:
		if !slices.Contains(p.Marks, c.Mark) {
			return nil, nil
		}
		rest := slices.DeleteFunc(slices.Clone(p.Marks), func(m domain.ID) bool { return m == c.Mark })
		return []ProductEvent{ProductMarked{Marks: rest, At: c.At}}, nil

	case MoveProduct:
		if c.CategoryID == (domain.ID{}) {
			return nil, ErrNoCategory
		}
		if p.CategoryID == c.CategoryID {
			return nil, nil
		}
		return []ProductEvent{ProductMoved{BrandID: p.BrandID, CategoryID: c.CategoryID, At: c.At}}, nil

	case ArchiveProduct:
		if p.Archived {
			return nil, nil
		}
		return []ProductEvent{ProductArchived(c)}, nil

	case RestoreProduct:
		if !p.Archived {
			return nil, nil
		}
		return []ProductEvent{ProductRestored(c)}, nil

	default:
		return nil, domain.UnknownCommand(command)
	}
}

func (c PutProduct) check(p ProductState) error {
	if p.Exists() && p.Article != c.Article {
		return ErrArticleFixed
	}
	if c.Article == "" || len([]rune(c.Article)) > maxArticle {
		return ErrBadArticle
	}
	if c.CategoryID == (domain.ID{}) {
		return ErrNoCategory
	}
	return firstError(
		checkTexts(c.Article),
		checkLink(c.Link),
		checkName(c.Text.Name),
		checkTexts(c.Text.Description, c.Text.Composition, c.Text.Expires, c.Text.ApplyMethod, c.Text.PackageSize, c.Text.MadeIn),
		checkPrices(c.Price, c.DiscountedPrice),
	)
}

// changes are the events that make p as the command says, only what differs.
func (c PutProduct) changes(p ProductState) []ProductEvent {
	var events []ProductEvent
	switch {
	case !p.Exists():
		events = append(events, ProductAdded{
			ID: c.ID, Article: c.Article, Link: c.Link, BrandID: c.BrandID, CategoryID: c.CategoryID, At: c.At,
		})
	case p.BrandID != c.BrandID || p.CategoryID != c.CategoryID:
		events = append(events, ProductMoved{BrandID: c.BrandID, CategoryID: c.CategoryID, At: c.At})
	}
	if p.Text != c.Text {
		events = append(events, ProductDescribed{Text: c.Text, At: c.At})
	}
	events = append(events, pricing(p, c.Price, c.DiscountedPrice, c.At)...)
	if !slices.EqualFunc(p.Pictures, c.Pictures, Picture.equal) {
		events = append(events, ProductPictured{Pictures: c.Pictures, At: c.At})
	}
	if !slices.Equal(p.Marks, c.Marks) {
		events = append(events, ProductMarked{Marks: c.Marks, At: c.At})
	}
	return events
}

func pricing(p ProductState, price, discounted domain.Money, at time.Time) []ProductEvent {
	if p.Price == price && p.DiscountedPrice == discounted {
		return nil
	}
	return []ProductEvent{ProductPriced{Price: price, DiscountedPrice: discounted, At: at}}
}

func checkPrices(price, discounted domain.Money) error {
	if price < 1 || price > domain.MaxPrice {
		return ErrBadPrice
	}
	if discounted < 1 || discounted > price {
		return ErrBadDiscount
	}
	return nil
}

func (p Picture) equal(other Picture) bool {
	return p.Src == other.Src && p.Width == other.Width && p.Height == other.Height && p.Alt == other.Alt && p.AltKazakh == other.AltKazakh &&
		slices.Equal(p.Sources, other.Sources)
}

// samePicture compares pictures that may be missing.
func samePicture(a, b *Picture) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.equal(*b)
}

func evolveProduct(p ProductState, event ProductEvent) ProductState {
	switch e := event.(type) {
	case ProductAdded:
		p.ID, p.Article, p.Link, p.BrandID, p.CategoryID = e.ID, e.Article, e.Link, e.BrandID, e.CategoryID
	case ProductDescribed:
		p.Text = e.Text
	case ProductPriced:
		p.Price, p.DiscountedPrice, p.Timed = e.Price, e.DiscountedPrice, TimedPrice{}
	case ProductPriceTimed:
		p.Timed = e.TimedPrice
	case ProductPictured:
		p.Pictures = e.Pictures
	case ProductMarked:
		p.Marks = e.Marks
	case ProductMoved:
		p.BrandID, p.CategoryID = e.BrandID, e.CategoryID
	case ProductShelved:
		p.Shelf = e.Shelf
	case ProductLowLineSet:
		p.LowLine = e.LowLine
	case ProductCoded:
		p.GTIN = e.GTIN
	case ProductMeasured:
		p.Measure = e.Measure
	case ProductCosted:
		p.Cost = e.Cost
	case ProductTranslated:
		p.Kazakh = e.Kazakh
	case ProductArchived:
		p.Archived = true
	case ProductRestored:
		p.Archived = false
	}
	return p
}
