package projections

import (
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// Catalog is what the shop sells: products, categories, brands, marks, and the words to find them by.
func Catalog() Projection {
	return Projection{Name: "catalog", Version: 5, Tables: []AnyTable{products, categories, brands, marks, words}}
}

// Product is a row of catalog.product. Zero ids stand for no brand and no category.
type Product struct {
	ID          domain.ID `json:"id"`
	Article     string    `json:"article"`
	Link        string    `json:"link"`
	BrandID     domain.ID `json:"brand_id"`
	CategoryID  domain.ID `json:"category_id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Composition string    `json:"composition"`
	Expires     string    `json:"expires"`
	ApplyMethod string    `json:"apply_method"`
	PackageSize string    `json:"package_size"`
	MadeIn      string    `json:"made_in"`
	// Kazakh are the texts in Kazakh; shoppers are shown an empty one in Russian.
	Kazakh          catalog.Translation `json:"kazakh"`
	Price           domain.Money        `json:"price"`
	DiscountedPrice domain.Money        `json:"discounted_price"`
	// PriceEndsAt is when the prices are over; nil: they stay.
	PriceEndsAt *time.Time        `json:"price_ends_at"`
	Pictures    []catalog.Picture `json:"pictures"`
	Marks       []domain.ID       `json:"marks"`
	Archived    bool              `json:"archived"`
	AddedAt     time.Time         `json:"added_at"`
	UpdatedAt   time.Time         `json:"updated_at"`
	// Part is the range of the product's stream, Position that of its last event: within a part it only grows, so whoever keeps a copy
	// of the goods asks for what is beyond the last.
	Part     int   `json:"part"`
	Position int64 `json:"position"`
}

// called, code, title, inci, about and the table word are for processes of the former version, which search in them; the next version has
// no use for them. The cuts keep a vector below PostgreSQL's limit of 1 MB.
var products = Table[Product]{
	Name: "product", Key: "id", KeyType: "uuid",
	DDL: createTable[Product]("product", "id",
		`on_sale boolean GENERATED ALWAYS AS (NOT archived AND price > 0 AND name <> '') STORED`,
		`called text GENERATED ALWAYS AS (btrim(regexp_replace(`+plain("lower(left(name, 400))")+`, ' +', ' ', 'g'))) STORED`,
		`code text GENERATED ALWAYS AS (replace(`+plain("lower(left(article, 200))")+`, ' ', '')) STORED`,
		`title tsvector GENERATED ALWAYS AS (to_tsvector('russian', `+plain("left(name, 2000) || ' ' || left(package_size, 100)")+`)
			|| to_tsvector('simple', `+plain("left(article, 200)")+` || ' ' || replace(`+plain("left(article, 200)")+`, ' ', ''))) STORED`,
		`inci tsvector GENERATED ALWAYS AS (to_tsvector('russian', `+plain("left(composition, 40000)")+`)) STORED`,
		`about tsvector GENERATED ALWAYS AS (to_tsvector('russian', `+plain("left(description, 40000)")+`)) STORED`),
	Indexes: `
		CREATE INDEX product_by_link ON product (link);
		CREATE INDEX product_by_words ON product USING gin (lower(name || ' ' || article) gin_trgm_ops) WITH (gin_pending_list_limit = 64);
		CREATE INDEX product_by_position ON product (part, position);
		CREATE INDEX product_by_age ON product (added_at DESC, id) WHERE on_sale;
		CREATE INDEX product_by_price ON product (discounted_price, id) WHERE on_sale;
		CREATE INDEX product_by_category ON product (category_id, added_at DESC) WHERE on_sale;
		CREATE INDEX product_by_brand ON product (brand_id, added_at DESC) WHERE on_sale;
		CREATE INDEX product_by_title ON product USING gin (title) WITH (gin_pending_list_limit = 64) WHERE on_sale;
		CREATE INDEX product_by_inci ON product USING gin (inci) WITH (gin_pending_list_limit = 64) WHERE on_sale;
		CREATE INDEX product_by_about ON product USING gin (about) WITH (gin_pending_list_limit = 64) WHERE on_sale`,
	Events: []domain.Event{
		catalog.ProductAdded{}, catalog.ProductDescribed{}, catalog.ProductPriced{}, catalog.ProductPriceTimed{}, catalog.ProductPictured{},
		catalog.ProductMarked{}, catalog.ProductMoved{}, catalog.ProductArchived{}, catalog.ProductRestored{}, catalog.ProductTranslated{},
	},
	Keys: keyAfter("product-"), Stream: streamOf("product-"),
	Fold: foldProduct,
}

// plain is SQL for a text as searches read it: ё as е, letters without accents, marks as blanks.
func plain(text string) string {
	from := "ёЁàâäáãéèêëíìîïóòôöõúùûüçñÀÂÄÁÉÈÊËÍÎÏÓÔÖÚÛÜÇÑ"
	to := "еЕaaaaaeeeeiiiiooooouuuucnAAAAEEEEIIIOOOUUUCN"
	marks := `-–—/.,:;()[]*%«»"“”„+&@_#!?№'’`
	return "translate(" + text + ", '" + from + strings.ReplaceAll(marks, "'", "''") + "', '" + to + strings.Repeat(" ", utf8.RuneCountInString(marks)) + "')"
}

func foldProduct(_ string, p *Product, event eventstore.Event) bool {
	switch e := event.Data.(type) {
	case catalog.ProductAdded:
		p.ID, p.Article, p.Link, p.BrandID, p.CategoryID = e.ID, e.Article, e.Link, e.BrandID, e.CategoryID
		p.Pictures, p.Marks = []catalog.Picture{}, []domain.ID{}
		p.AddedAt, p.UpdatedAt = e.At, e.At
	case catalog.ProductDescribed:
		p.Name, p.Description, p.Composition = e.Text.Name, e.Text.Description, e.Text.Composition
		p.Expires, p.ApplyMethod = e.Text.Expires, e.Text.ApplyMethod
		p.PackageSize, p.MadeIn = e.Text.PackageSize, e.Text.MadeIn
		p.UpdatedAt = e.At
	case catalog.ProductTranslated:
		p.Kazakh, p.UpdatedAt = e.Kazakh, e.At
	case catalog.ProductPriced:
		p.Price, p.DiscountedPrice, p.PriceEndsAt, p.UpdatedAt = e.Price, e.DiscountedPrice, nil, e.At
	case catalog.ProductPriceTimed:
		p.PriceEndsAt, p.UpdatedAt = timeOrNil(e.EndsAt), e.At
	case catalog.ProductPictured:
		p.Pictures, p.UpdatedAt = append([]catalog.Picture{}, e.Pictures...), e.At
	case catalog.ProductMarked:
		p.Marks, p.UpdatedAt = append([]domain.ID{}, e.Marks...), e.At
	case catalog.ProductMoved:
		p.BrandID, p.CategoryID, p.UpdatedAt = e.BrandID, e.CategoryID, e.At
	case catalog.ProductArchived:
		p.Archived, p.UpdatedAt = true, e.At
	case catalog.ProductRestored:
		p.Archived, p.UpdatedAt = false, e.At
	}
	p.Part, p.Position = eventstore.RangeOf(event.Slice), int64(event.Position)
	return p.ID != domain.ID{}
}
