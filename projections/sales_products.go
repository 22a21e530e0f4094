package projections

import (
	"slices"

	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// SoldProduct is a row of sales.product.
type SoldProduct struct {
	ID      domain.ID `json:"id"`
	Article string    `json:"article"`
	Name    string    `json:"name"`
	// Places are where it was in the catalog, in their order.
	Places []Place `json:"places"`
}

// Place is a brand and a category, since a month (its first day).
type Place struct {
	Month      string    `json:"month"`
	BrandID    domain.ID `json:"brand_id"`
	CategoryID domain.ID `json:"category_id"`
}

var soldProducts = Table[SoldProduct]{
	Name: "product", Key: "id", KeyType: "uuid",
	DDL:    createTable[SoldProduct]("product", "id"),
	Events: []domain.Event{catalog.ProductAdded{}, catalog.ProductDescribed{}, catalog.ProductMoved{}},
	Keys:   keyAfter("product-"), Stream: streamOf("product-"),
	Fold: func(_ string, p *SoldProduct, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case catalog.ProductAdded:
			*p = SoldProduct{ID: e.ID, Article: e.Article, Name: e.Article, Places: []Place{{monthOf(e.At), e.BrandID, e.CategoryID}}}
		case catalog.ProductDescribed:
			p.Name = e.Text.Name
		case catalog.ProductMoved:
			p.Places = append(slices.Clip(p.Places), Place{monthOf(e.At), e.BrandID, e.CategoryID})
		}
		return p.ID != domain.ID{}
	},
}

// SoldCategory is a row of sales.category; a zero ParentID is the top.
type SoldCategory struct {
	ID       domain.ID `json:"id"`
	ParentID domain.ID `json:"parent_id"`
	Name     string    `json:"name"`
}

var soldCategories = Table[SoldCategory]{
	Name: "category", Key: "id", KeyType: "uuid",
	DDL:    createTable[SoldCategory]("category", "id"),
	Events: []domain.Event{catalog.CategoryAdded{}, catalog.CategoryChanged{}},
	Keys:   keyAfter("category-"), Stream: streamOf("category-"),
	Fold: func(_ string, c *SoldCategory, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case catalog.CategoryAdded:
			*c = SoldCategory{e.ID, e.Category.ParentID, e.Category.Name}
		case catalog.CategoryChanged:
			c.ParentID, c.Name = e.Category.ParentID, e.Category.Name
		}
		return c.ID != domain.ID{}
	},
}

// SoldBrand is a row of sales.brand.
type SoldBrand struct {
	ID   domain.ID `json:"id"`
	Name string    `json:"name"`
}

var soldBrands = Table[SoldBrand]{
	Name: "brand", Key: "id", KeyType: "uuid",
	DDL:    createTable[SoldBrand]("brand", "id"),
	Events: []domain.Event{catalog.BrandAdded{}, catalog.BrandChanged{}},
	Keys:   keyAfter("brand-"), Stream: streamOf("brand-"),
	Fold: func(_ string, b *SoldBrand, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case catalog.BrandAdded:
			*b = SoldBrand{e.ID, e.Brand.Name}
		case catalog.BrandChanged:
			b.Name = e.Brand.Name
		}
		return b.ID != domain.ID{}
	},
}
