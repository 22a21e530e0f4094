package commands

import (
	"context"
	"fmt"

	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// Catalog changes what the shop sells. Like all commands that staff give, these answer position 0 when what they ask
// for is so already, and a *domain.Refusal when a rule forbids it. The command's At is filled in.
type Catalog struct{ Handler *Handler }

// PutProduct makes a product be as given.
func (c *Catalog) PutProduct(ctx context.Context, p catalog.PutProduct) (eventstore.Position, error) {
	return one(ctx, c.Handler, productStream(p.ID), func(u *Unit) catalog.ProductCommand {
		p.At = u.At()
		return p
	})
}

// PriceProduct sets a product's list price and price to pay.
func (c *Catalog) PriceProduct(ctx context.Context, id domain.ID, price, discounted domain.Money) (eventstore.Position, error) {
	return one(ctx, c.Handler, productStream(id), func(u *Unit) catalog.ProductCommand {
		return catalog.PriceProduct{Price: price, DiscountedPrice: discounted, At: u.At()}
	})
}

// DiscountProduct sets a product's price to pay to a percent below its list price; 0 ends the discount.
func (c *Catalog) DiscountProduct(ctx context.Context, id domain.ID, percent int64) (eventstore.Position, error) {
	return one(ctx, c.Handler, productStream(id), func(u *Unit) catalog.ProductCommand {
		return catalog.DiscountProduct{Percent: percent, At: u.At()}
	})
}

// MarkProduct puts a mark that the shop has on a product.
func (c *Catalog) MarkProduct(ctx context.Context, id, mark domain.ID) (eventstore.Position, error) {
	return changeProduct(ctx, c.Handler, id, markStream(mark), func(u *Unit) (catalog.ProductCommand, bool) {
		s := markStream(mark).State(u)
		return catalog.MarkProduct{Mark: mark, At: u.At()}, s.Exists() && !s.Archived
	})
}

// UnmarkProduct takes a mark off a product.
func (c *Catalog) UnmarkProduct(ctx context.Context, id, mark domain.ID) (eventstore.Position, error) {
	return one(ctx, c.Handler, productStream(id), func(u *Unit) catalog.ProductCommand {
		return catalog.UnmarkProduct{Mark: mark, At: u.At()}
	})
}

// MoveProduct puts a product into another category that the shop has.
func (c *Catalog) MoveProduct(ctx context.Context, id, category domain.ID) (eventstore.Position, error) {
	return changeProduct(ctx, c.Handler, id, categoryStream(category), func(u *Unit) (catalog.ProductCommand, bool) {
		s := categoryStream(category).State(u)
		return catalog.MoveProduct{CategoryID: category, At: u.At()}, s.Exists() && !s.Archived
	})
}

// changeProduct changes a product by something else of the catalog; what is not there is catalog.ErrUnknown.
func changeProduct(ctx context.Context, h *Handler, id domain.ID, other Ref, command func(u *Unit) (c catalog.ProductCommand, known bool)) (eventstore.Position, error) {
	product := productStream(id)
	position, err := h.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(product, other); err != nil {
			return err
		}
		change, known := command(u)
		if !known {
			return catalog.ErrUnknown
		}
		return product.Do(u, change)
	})
	if err != nil {
		return 0, fmt.Errorf("change %s: %w", product.Name, err)
	}
	return position, nil
}

// ArchiveProduct takes a product out of sale.
func (c *Catalog) ArchiveProduct(ctx context.Context, id domain.ID, reason string) (eventstore.Position, error) {
	return one(ctx, c.Handler, productStream(id), func(u *Unit) catalog.ProductCommand {
		return catalog.ArchiveProduct{Reason: reason, At: u.At()}
	})
}

// RestoreProduct puts an archived product back.
func (c *Catalog) RestoreProduct(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return one(ctx, c.Handler, productStream(id), func(u *Unit) catalog.ProductCommand {
		return catalog.RestoreProduct{At: u.At()}
	})
}

// PutCategory makes a category be as given.
func (c *Catalog) PutCategory(ctx context.Context, id domain.ID, category catalog.Category) (eventstore.Position, error) {
	return one(ctx, c.Handler, categoryStream(id), func(u *Unit) catalog.CategoryCommand {
		return catalog.PutCategory{ID: id, Category: category, At: u.At()}
	})
}

// PutBrand makes a brand be as given.
func (c *Catalog) PutBrand(ctx context.Context, id domain.ID, brand catalog.Brand) (eventstore.Position, error) {
	return one(ctx, c.Handler, brandStream(id), func(u *Unit) catalog.BrandCommand {
		return catalog.PutBrand{ID: id, Brand: brand, At: u.At()}
	})
}

// PutMark makes a mark be as given.
func (c *Catalog) PutMark(ctx context.Context, id domain.ID, mark catalog.Mark) (eventstore.Position, error) {
	return one(ctx, c.Handler, markStream(id), func(u *Unit) catalog.MarkCommand {
		return catalog.PutMark{ID: id, Mark: mark, At: u.At()}
	})
}
