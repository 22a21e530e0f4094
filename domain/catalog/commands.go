package catalog

import (
	"time"

	"shop/domain"
)

// ProductCommand asks a product to change. What is already so adds nothing.
//
//sumtype:decl
type ProductCommand interface{ isProductCommand() }

// PutProduct makes a product be as given: it adds the product if it is new and records only what differs.
type PutProduct struct {
	ID              domain.ID
	Article         string
	Link            string
	BrandID         domain.ID
	CategoryID      domain.ID
	Text            ProductText
	Price           domain.Money
	DiscountedPrice domain.Money
	Pictures        []Picture
	Marks           []domain.ID
	At              time.Time
}

// PriceProduct sets both prices.
type PriceProduct struct {
	Price           domain.Money
	DiscountedPrice domain.Money
	At              time.Time
}

// DiscountProduct sets the price to pay to a percent, 0 to 99, below the list price; 0 ends the discount.
type DiscountProduct struct {
	Percent int64
	At      time.Time
}

// MarkProduct puts a mark on the product, UnmarkProduct takes one off.
type MarkProduct struct {
	Mark domain.ID
	At   time.Time
}
type UnmarkProduct struct {
	Mark domain.ID
	At   time.Time
}

// MoveProduct puts the product into another category; its brand stays.
type MoveProduct struct {
	CategoryID domain.ID
	At         time.Time
}

// ArchiveProduct takes the product out of sale; RestoreProduct puts it back.
type ArchiveProduct struct {
	Reason string
	At     time.Time
}
type RestoreProduct struct{ At time.Time }

func (PutProduct) isProductCommand()      {}
func (PriceProduct) isProductCommand()    {}
func (DiscountProduct) isProductCommand() {}
func (MarkProduct) isProductCommand()     {}
func (UnmarkProduct) isProductCommand()   {}
func (MoveProduct) isProductCommand()     {}
func (ArchiveProduct) isProductCommand()  {}
func (RestoreProduct) isProductCommand()  {}

// CategoryCommand, BrandCommand and MarkCommand ask their aggregates to change.
//
//sumtype:decl
type CategoryCommand interface{ isCategoryCommand() }

// PutCategory adds or changes a category to match its fields; without a change it appends nothing. PutBrand and PutMark do the same.
type PutCategory struct {
	ID       domain.ID
	Category Category
	At       time.Time
}
type ArchiveCategory struct{ At time.Time }

func (PutCategory) isCategoryCommand()     {}
func (ArchiveCategory) isCategoryCommand() {}

//sumtype:decl
type BrandCommand interface{ isBrandCommand() }

type PutBrand struct {
	ID    domain.ID
	Brand Brand
	At    time.Time
}
type ArchiveBrand struct{ At time.Time }

func (PutBrand) isBrandCommand()     {}
func (ArchiveBrand) isBrandCommand() {}

//sumtype:decl
type MarkCommand interface{ isMarkCommand() }

type PutMark struct {
	ID   domain.ID
	Mark Mark
	At   time.Time
}
type ArchiveMark struct{ At time.Time }

func (PutMark) isMarkCommand()     {}
func (ArchiveMark) isMarkCommand() {}
