package commands

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

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
		others = append(others, BrandStream(*brand))
	}
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		p := ProductStream(id).State(u)
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
			if s := BrandStream(*brand).State(u); !s.Exists() || s.Archived {
				return nil, catalog.ErrUnknown
			}
		}
		return put, nil
	}, others...)
}

// MarkProduct puts a mark that the shop has on a product.
func (c *Catalog) MarkProduct(ctx context.Context, id, mark domain.ID) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		if s := MarkStream(mark).State(u); !s.Exists() || s.Archived {
			return nil, catalog.ErrUnknown
		}
		return catalog.MarkProduct{Mark: mark, At: u.At()}, nil
	}, MarkStream(mark))
}

// UnmarkProduct takes a mark off a product.
func (c *Catalog) UnmarkProduct(ctx context.Context, id, mark domain.ID) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		return catalog.UnmarkProduct{Mark: mark, At: u.At()}, nil
	})
}

// Shelve says where in the warehouse a product is.
func (c *Catalog) Shelve(ctx context.Context, id domain.ID, shelf string) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		return catalog.ShelveProduct{Shelf: shelf, At: u.At()}, nil
	})
}

// MoveProduct puts a product into another category that the shop has.
func (c *Catalog) MoveProduct(ctx context.Context, id, category domain.ID) (eventstore.Position, error) {
	return c.change(ctx, id, func(u *Unit) (catalog.ProductCommand, error) {
		if s := CategoryStream(category).State(u); !s.Exists() || s.Archived {
			return nil, catalog.ErrUnknown
		}
		return catalog.MoveProduct{CategoryID: category, At: u.At()}, nil
	}, CategoryStream(category))
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
	product := ProductStream(id)
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
		what = Differences(before, product.State(u))
		if c.DryRun {
			return ErrDryRun
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrDryRun) {
		return 0, fmt.Errorf("change %s: %w", product.Name, err)
	}
	if c.Changed != nil {
		c.Changed(what)
	}
	return position, nil
}

// PutCategory makes a category be as given.
func (c *Catalog) PutCategory(ctx context.Context, id domain.ID, category catalog.Category) (eventstore.Position, error) {
	return Change(ctx, c.Handler, CategoryStream(id), func(u *Unit) catalog.CategoryCommand {
		return catalog.PutCategory{ID: id, Category: category, At: u.At()}
	})
}

// ErrDryRun ends a command after it was decided and before it is written.
var ErrDryRun = errors.New("dry run")

// Differences says what changed in a product, for people to read.
func Differences(before, after catalog.ProductState) (what []string) {
	if !before.Exists() && !after.Exists() {
		return nil
	}
	say := func(differ bool, format string, args ...any) {
		if differ {
			what = append(what, fmt.Sprintf(format, args...))
		}
	}
	was, is := before.Text, after.Text
	say(was.Name != is.Name, "name %q", is.Name)
	say(before.BrandID != after.BrandID, "brand")
	say(before.CategoryID != after.CategoryID, "category")
	if !before.Exists() {
		say(true, "price %d", after.DiscountedPrice)
	} else {
		say(before.DiscountedPrice != after.DiscountedPrice, "price %d → %d", before.DiscountedPrice, after.DiscountedPrice)
		say(before.Price != after.Price, "list price %d → %d", before.Price, after.Price)
	}
	say(was.Description != is.Description, "description")
	say(was.Composition != is.Composition, "composition")
	say(was.Expires != is.Expires, "expires")
	say(was.ApplyMethod != is.ApplyMethod, "apply method")
	say(was.PackageSize != is.PackageSize, "package size %q", is.PackageSize)
	say(was.MadeIn != is.MadeIn, "made in %q", is.MadeIn)
	say(!slices.EqualFunc(before.Pictures, after.Pictures, func(a, b catalog.Picture) bool { return reflect.DeepEqual(a, b) }), "pictures")
	say(!slices.Equal(before.Marks, after.Marks), "marks")
	say(before.GTIN != after.GTIN, "barcode %q", after.GTIN)
	say(before.Kazakh != after.Kazakh, "texts in Kazakh")
	say(!before.Archived && after.Archived, "archived")
	say(before.Archived && !after.Archived, "restored")
	return what
}
