package changes

import (
	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/staff"
)

// productFacts are barcode, measure, cost price and Kazakh texts.
func productFacts() []Field {
	costed := product
	costed.sees = staff.SeeCosts
	return []Field{
		field(product, "gtin", func(p catalog.ProductState) string { return p.GTIN },
			func(u *commands.Unit, _ catalog.ProductState, to string, _ setting) (catalog.ProductCommand, error) {
				return catalog.CodeProduct{GTIN: to, At: u.At()}, nil
			}, nil),
		field(product, "measure", func(p catalog.ProductState) catalog.Measure { return p.Measure },
			func(u *commands.Unit, _ catalog.ProductState, to catalog.Measure, _ setting) (catalog.ProductCommand, error) {
				return catalog.MeasureProduct{Measure: to, At: u.At()}, nil
			}, nil),
		field(costed, "cost", func(p catalog.ProductState) domain.Money { return p.Cost },
			func(u *commands.Unit, _ catalog.ProductState, to domain.Money, _ setting) (catalog.ProductCommand, error) {
				return catalog.CostProduct{Cost: to, At: u.At()}, nil
			}, nil),
		field(product, "kazakh", func(p catalog.ProductState) catalog.Translation { return p.Kazakh },
			func(u *commands.Unit, _ catalog.ProductState, to catalog.Translation, _ setting) (catalog.ProductCommand, error) {
				return catalog.TranslateProduct{Kazakh: to, At: u.At()}, nil
			}, nil),
	}
}
