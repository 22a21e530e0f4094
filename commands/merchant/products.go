package merchant

import (
	"context"
	"fmt"
	"slices"

	"shop/commands"
	"shop/commands/merchant/inci"
	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// Assortment is what the read side knows of all products.
type Assortment interface {
	// ProductTaken says whether products have an article and a link. Claims know it too, but for entries that are older than claims.
	ProductTaken(ctx context.Context, article, link string) (articleTaken, linkTaken bool, err error)
	// Borne are those of some names of ingredients that two products or more bear, but for one product.
	Borne(ctx context.Context, names []string, but domain.ID) (map[string]bool, error)
}

// Products are what the shop sells, as a merchant adds to it.
type Products struct {
	Handler    *commands.Handler
	Assortment Assortment
}

// mostDoubts is how many doubtful names of a composition are told.
const mostDoubts = 30

// Doubts are the names in a product's composition that are neither in the list of known ones nor borne by two other products; at most 30.
func (c *Products) Doubts(ctx context.Context, product domain.ID, composition string) ([]inci.Doubt, error) {
	doubts := inci.Doubts(composition)
	doubts = doubts[:min(mostDoubts, len(doubts))]
	names := make([]string, len(doubts))
	for i, d := range doubts {
		names[i] = d.Name
	}
	borne, err := c.Assortment.Borne(ctx, names, product)
	return slices.DeleteFunc(doubts, func(d inci.Doubt) bool { return borne[d.Name] }), err
}

// NewProduct is a product to be added: as given, or for what is not given as another product is.
type NewProduct struct {
	catalog.PutProduct
	// CopyOf is a product whose texts, pictures, marks, size and Kazakh texts the new one begins with; zero: none.
	CopyOf domain.ID
}

// Add adds a product whose article and link no other has.
func (c *Products) Add(ctx context.Context, p NewProduct) (domain.ID, eventstore.Position, error) {
	article, link, err := c.Assortment.ProductTaken(ctx, p.Article, p.Link)
	switch {
	case err != nil:
		return domain.ID{}, 0, err
	case article:
		return domain.ID{}, 0, catalog.ErrArticleTaken
	case link:
		return domain.ID{}, 0, catalog.ErrLinkTaken
	}
	p.ID = commands.ProductID(p.Article)
	product := commands.ProductStream(p.ID)
	refs := append(commands.ProductClaims(p.Article, p.Link), product, commands.CategoryStream(p.CategoryID))
	if p.BrandID != (domain.ID{}) {
		refs = append(refs, commands.BrandStream(p.BrandID))
	}
	if p.CopyOf != (domain.ID{}) {
		refs = append(refs, commands.ProductStream(p.CopyOf))
	}
	position, err := c.Handler.Do(ctx, false, func(u *commands.Unit) error {
		if err := u.Load(refs...); err != nil {
			return err
		}
		if product.Exists(u) {
			return catalog.ErrArticleTaken
		}
		if s := commands.CategoryStream(p.CategoryID).State(u); !s.Exists() || s.Archived {
			return catalog.ErrNoCategory
		}
		if p.BrandID != (domain.ID{}) {
			if s := commands.BrandStream(p.BrandID).State(u); !s.Exists() || s.Archived {
				return catalog.ErrUnknown
			}
		}
		if err := commands.ClaimProduct(u, p.ID, p.Article, p.Link); err != nil {
			return err
		}
		return p.add(u)
	})
	if err != nil {
		return domain.ID{}, 0, fmt.Errorf("add product %q: %w", p.Article, err)
	}
	return p.ID, position, nil
}

// add decides the product, and what it takes from the one it is a copy of.
func (p NewProduct) add(u *commands.Unit) error {
	product, put := commands.ProductStream(p.ID), p.PutProduct
	put.At = u.At()
	if p.CopyOf == (domain.ID{}) {
		return product.Do(u, put)
	}
	from := commands.ProductStream(p.CopyOf).State(u)
	if !from.Exists() {
		return catalog.ErrUnknown
	}
	name := put.Text.Name
	put.Text, put.Pictures, put.Marks = from.Text, from.Pictures, from.Marks
	put.Text.Name = name
	if err := product.Do(u, put); err != nil {
		return err
	}
	if err := product.Do(u, catalog.MeasureProduct{Measure: from.Measure, At: u.At()}); err != nil {
		return err
	}
	return product.Do(u, catalog.TranslateProduct{Kazakh: from.Kazakh, At: u.At()})
}
