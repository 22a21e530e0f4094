package commands

import (
	"context"

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
