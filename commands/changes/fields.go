package changes

import (
	"encoding/json"
	"slices"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/staff"
)

// All are the fields that changes may set. To add one: a line in its noun's function here, and a line for its events in inverses.go.
func All() Registry {
	return NewRegistry(products(), stocks(), categories(), brands(), marks(), blocks(), articles(), documents(), promocodes(), shopRules(), shopSettings(), replies())
}

// byID makes a stream of an id that is written as text.
func byID[C any, E domain.Event, S any](stream func(domain.ID) commands.Stream[C, E, S]) func(string) (commands.Stream[C, E, S], error) {
	return func(text string) (commands.Stream[C, E, S], error) {
		id, err := idOf(text)
		if err != nil {
			return commands.Stream[C, E, S]{}, err
		}
		return stream(id), nil
	}
}

// orNone is nil for the zero id, or the id that nil stands for.
func orNone(id domain.ID) *domain.ID {
	if id == (domain.ID{}) {
		return nil
	}
	return &id
}

func noneOr(id *domain.ID) domain.ID {
	if id == nil {
		return domain.ID{}
	}
	return *id
}

func unknown(exists bool) error {
	if !exists {
		return catalog.ErrUnknown
	}
	return nil
}

var product = kind[catalog.ProductCommand, catalog.ProductEvent, catalog.ProductState]{
	thing: "product", writes: staff.ChangeCatalog, stream: byID(commands.ProductStream),
	missing: func(p catalog.ProductState) error { return unknown(p.Exists()) },
}

// Prices are a product's list price and its price to pay, which are decided together.
type Prices struct {
	Price           domain.Money `json:"price"`
	DiscountedPrice domain.Money `json:"discounted_price"`
}

// products are the fields of products.
func products() []Field {
	return slices.Concat(productPrices(), productPlace(), productCare(), productFacts(), productTexts(), []Field{addedField()})
}

func productPrices() []Field {
	priced := product
	priced.writes, priced.proposes = staff.ChangePrices, staff.ChangeCatalog
	prices := field(priced, "prices",
		func(p catalog.ProductState) Prices { return Prices{p.Price, p.DiscountedPrice} },
		func(u *commands.Unit, _ catalog.ProductState, to Prices, by setting) (catalog.ProductCommand, error) {
			if !by.until.IsZero() {
				return catalog.TimePrice{Price: to.Price, DiscountedPrice: to.DiscountedPrice, Change: by.change, EndsAt: by.until, At: u.At()}, nil
			}
			return catalog.PriceProduct{Price: to.Price, DiscountedPrice: to.DiscountedPrice, At: u.At()}, nil
		}, nil)
	prices.later = func(u *commands.Unit, id string, at time.Time) (json.RawMessage, error) {
		stream, err := priced.stream(id)
		if err != nil {
			return nil, err
		}
		price, discounted, err := stream.State(u).PricesAt(at)
		if err != nil {
			return nil, err
		}
		return json.Marshal(Prices{price, discounted})
	}
	prices.holder = func(u *commands.Unit, id string) domain.ID {
		stream, err := priced.stream(id)
		if err != nil {
			return domain.ID{}
		}
		return stream.State(u).Timed.Change
	}
	return []Field{
		prices,
		// Without a discount both prices move together; with one the price to pay stays.
		partOf(prices, "price", func(p Prices) domain.Money { return p.Price }, func(p Prices, to domain.Money) (Prices, error) {
			if p.DiscountedPrice == p.Price {
				p.DiscountedPrice = to
			}
			p.Price = to
			return p, nil
		}),
		partOf(prices, "discounted_price", func(p Prices) domain.Money { return p.DiscountedPrice }, func(p Prices, to domain.Money) (Prices, error) {
			p.DiscountedPrice = to
			return p, nil
		}),
		partOf(prices, "discount", func(p Prices) int64 { return discountOf(p) }, func(p Prices, percent int64) (Prices, error) {
			if percent < 0 || percent > 99 {
				return p, catalog.ErrBadPercent
			}
			p.DiscountedPrice = p.Price - domain.PercentOf(p.Price, percent)
			return p, nil
		}),
	}
}

// productPlace are the category and the brand.
func productPlace() []Field {
	return []Field{
		field(product, "category_id",
			func(p catalog.ProductState) domain.ID { return p.CategoryID },
			func(u *commands.Unit, _ catalog.ProductState, to domain.ID, _ setting) (catalog.ProductCommand, error) {
				if s := commands.CategoryStream(to).State(u); !s.Exists() || s.Archived {
					return nil, catalog.ErrUnknown.With("There is no such category.")
				}
				return catalog.MoveProduct{CategoryID: to, At: u.At()}, nil
			},
			func(to domain.ID) []commands.Ref { return []commands.Ref{commands.CategoryStream(to)} }),
		field(product, "brand_id",
			func(p catalog.ProductState) *domain.ID { return orNone(p.BrandID) },
			func(u *commands.Unit, p catalog.ProductState, to *domain.ID, _ setting) (catalog.ProductCommand, error) {
				if to != nil {
					if s := commands.BrandStream(*to).State(u); !s.Exists() || s.Archived {
						return nil, catalog.ErrUnknown.With("There is no such brand.")
					}
				}
				put := asItIs(u, p)
				put.BrandID = noneOr(to)
				return put, nil
			},
			func(to *domain.ID) []commands.Ref {
				if to == nil {
					return nil
				}
				return []commands.Ref{commands.BrandStream(*to)}
			}),
	}
}

// productCare are marks, pictures, whether it is sold, its shelf and its low line.
func productCare() []Field {
	return []Field{
		field(product, "marks",
			func(p catalog.ProductState) []domain.ID { return orEmpty(p.Marks) },
			func(u *commands.Unit, p catalog.ProductState, to []domain.ID, _ setting) (catalog.ProductCommand, error) {
				for i, mark := range to {
					if s := commands.MarkStream(mark).State(u); !s.Exists() || s.Archived && !slices.Contains(p.Marks, mark) || slices.Contains(to[:i], mark) {
						return nil, catalog.ErrUnknown.With("There is no such mark.")
					}
				}
				put := asItIs(u, p)
				put.Marks = to
				return put, nil
			},
			func(to []domain.ID) (refs []commands.Ref) {
				for _, mark := range to {
					refs = append(refs, commands.MarkStream(mark))
				}
				return refs
			}),
		field(product, "pictures",
			func(p catalog.ProductState) []catalog.Picture { return orEmpty(p.Pictures) },
			func(u *commands.Unit, p catalog.ProductState, to []catalog.Picture, _ setting) (catalog.ProductCommand, error) {
				put := asItIs(u, p)
				put.Pictures = to
				return put, nil
			}, nil),
		field(product, "archived",
			func(p catalog.ProductState) bool { return p.Archived },
			func(u *commands.Unit, _ catalog.ProductState, to bool, by setting) (catalog.ProductCommand, error) {
				if to {
					return catalog.ArchiveProduct{Reason: by.reason, At: u.At()}, nil
				}
				return catalog.RestoreProduct{At: u.At()}, nil
			}, nil),
		field(product, "shelf",
			func(p catalog.ProductState) string { return p.Shelf },
			func(u *commands.Unit, _ catalog.ProductState, to string, _ setting) (catalog.ProductCommand, error) {
				return catalog.ShelveProduct{Shelf: to, At: u.At()}, nil
			}, nil),
		field(product, "low_line",
			func(p catalog.ProductState) *int64 { return p.LowLine },
			func(u *commands.Unit, _ catalog.ProductState, to *int64, _ setting) (catalog.ProductCommand, error) {
				return catalog.SetLowLine{LowLine: to, At: u.At()}, nil
			}, nil),
	}
}

func productTexts() (all []Field) {
	for name, of := range map[string]func(*catalog.ProductText) *string{
		"name":         func(t *catalog.ProductText) *string { return &t.Name },
		"description":  func(t *catalog.ProductText) *string { return &t.Description },
		"composition":  func(t *catalog.ProductText) *string { return &t.Composition },
		"expires":      func(t *catalog.ProductText) *string { return &t.Expires },
		"apply_method": func(t *catalog.ProductText) *string { return &t.ApplyMethod },
		"package_size": func(t *catalog.ProductText) *string { return &t.PackageSize },
		"made_in":      func(t *catalog.ProductText) *string { return &t.MadeIn },
	} {
		all = append(all, field(product, name,
			func(p catalog.ProductState) string { return *of(&p.Text) },
			func(u *commands.Unit, p catalog.ProductState, to string, _ setting) (catalog.ProductCommand, error) {
				put := asItIs(u, p)
				*of(&put.Text) = to
				return put, nil
			}, nil))
	}
	return all
}

// discountOf is the percent that a product costs less, rounded down.
func discountOf(p Prices) int64 {
	if p.Price <= 0 {
		return 0
	}
	return int64((p.Price - p.DiscountedPrice) * 100 / p.Price)
}

// asItIs is the command that leaves a product as it is.
func asItIs(u *commands.Unit, p catalog.ProductState) catalog.PutProduct {
	return catalog.PutProduct{
		ID: p.ID, Article: p.Article, Link: p.Link, BrandID: p.BrandID, CategoryID: p.CategoryID, Text: p.Text,
		Price: p.Price, DiscountedPrice: p.DiscountedPrice, Pictures: p.Pictures, Marks: p.Marks, At: u.At(),
	}
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
