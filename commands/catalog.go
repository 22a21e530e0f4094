package commands

import (
	"context"
	"errors"
	"fmt"

	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// Catalog changes what the shop sells. Like all commands that staff give, these answer position 0 when what they ask
// for is so already, and a *domain.Refusal when a rule forbids it. The command's At is filled in.
type Catalog struct {
	Handler *Handler
	// DryRun decides changes of products and writes none of them.
	DryRun bool
	// Changed is told what a change of a product changes, for people to read: "price 4690 → 3990", "description"; nothing
	// when it is so already. Nil: nobody is.
	Changed func(what []string)
}

// PutProduct makes a product be as given.
func (c *Catalog) PutProduct(ctx context.Context, p catalog.PutProduct) (eventstore.Position, error) {
	return c.change(ctx, p.ID, func(u *Unit) (catalog.ProductCommand, error) {
		p.At = u.At()
		return p, nil
	})
}

// PriceProduct sets a product's list price and price to pay.
func (c *Catalog) PriceProduct(ctx context.Context, id domain.ID, price, discounted domain.Money) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		return catalog.PriceProduct{Price: price, DiscountedPrice: discounted, At: u.At()}, nil
	})
}

// DiscountProduct sets a product's price to pay to a percent below its list price; 0 ends the discount.
func (c *Catalog) DiscountProduct(ctx context.Context, id domain.ID, percent int64) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		return catalog.DiscountProduct{Percent: percent, At: u.At()}, nil
	})
}

// DescribeProduct changes what a product says of itself, and its brand: a brand that the shop has, the zero id for none, nil
// for the one it has.
func (c *Catalog) DescribeProduct(ctx context.Context, id domain.ID, brand *domain.ID, change func(*catalog.ProductText)) (eventstore.Position, error) {
	var others []Ref
	if brand != nil && *brand != (domain.ID{}) {
		others = append(others, brandStream(*brand))
	}
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		p := productStream(id).State(u)
		if !p.Exists() {
			return nil, catalog.ErrUnknown
		}
		put := catalog.PutProduct{
			ID: id, Article: p.Article, Link: p.Link, BrandID: p.BrandID, CategoryID: p.CategoryID, Text: p.Text,
			Price: p.Price, DiscountedPrice: p.DiscountedPrice, Pictures: p.Pictures, Marks: p.Marks, At: u.At(),
		}
		change(&put.Text)
		if brand != nil {
			put.BrandID = *brand
		}
		if len(others) > 0 {
			if s := brandStream(*brand).State(u); !s.Exists() || s.Archived {
				return nil, catalog.ErrUnknown
			}
		}
		return put, nil
	}, others...)
}

// MarkProduct puts a mark that the shop has on a product.
func (c *Catalog) MarkProduct(ctx context.Context, id, mark domain.ID) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		if s := markStream(mark).State(u); !s.Exists() || s.Archived {
			return nil, catalog.ErrUnknown
		}
		return catalog.MarkProduct{Mark: mark, At: u.At()}, nil
	}, markStream(mark))
}

// UnmarkProduct takes a mark off a product.
func (c *Catalog) UnmarkProduct(ctx context.Context, id, mark domain.ID) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		return catalog.UnmarkProduct{Mark: mark, At: u.At()}, nil
	})
}

// MoveProduct puts a product into another category that the shop has.
func (c *Catalog) MoveProduct(ctx context.Context, id, category domain.ID) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		if s := categoryStream(category).State(u); !s.Exists() || s.Archived {
			return nil, catalog.ErrUnknown
		}
		return catalog.MoveProduct{CategoryID: category, At: u.At()}, nil
	}, categoryStream(category))
}

// ArchiveProduct takes a product out of sale.
func (c *Catalog) ArchiveProduct(ctx context.Context, id domain.ID, reason string) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		return catalog.ArchiveProduct{Reason: reason, At: u.At()}, nil
	})
}

// RestoreProduct puts an archived product back.
func (c *Catalog) RestoreProduct(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		return catalog.RestoreProduct{At: u.At()}, nil
	})
}

// change changes a product by a command that may look at other streams too. It may ask for the command several times.
func (c *Catalog) change(ctx context.Context, id domain.ID, command func(u *Unit) (catalog.ProductCommand, error), others ...Ref) (eventstore.Position, error) {
	product := productStream(id)
	var what []string
	position, err := c.Handler.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(append(others, product)...); err != nil {
			return err
		}
		asked, err := command(u)
		if err != nil {
			return err
		}
		before := product.State(u)
		if err := product.Do(u, asked); err != nil {
			return err
		}
		what = differences(before, product.State(u))
		if c.DryRun {
			return errDryRun
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDryRun) {
		return 0, fmt.Errorf("change %s: %w", product.Name, err)
	}
	if c.Changed != nil {
		c.Changed(what)
	}
	return position, nil
}

// PutCategory makes a category be as given.
func (c *Catalog) PutCategory(ctx context.Context, id domain.ID, category catalog.Category) (eventstore.Position, error) {
	return one(ctx, c.Handler, categoryStream(id), func(u *Unit) catalog.CategoryCommand {
		return catalog.PutCategory{ID: id, Category: category, At: u.At()}
	})
}
