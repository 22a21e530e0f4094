package catalog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/spec"
)

var (
	noon     = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	id       = uuid.UUID{15: 1}
	brand    = uuid.UUID{15: 2}
	category = uuid.UUID{15: 3}
	vegan    = uuid.UUID{15: 4}
)

func put(change ...func(*catalog.PutProduct)) catalog.PutProduct {
	c := catalog.PutProduct{
		ID: id, Article: "SOAP-1", Link: "mylo-s-lavandoj", BrandID: brand, CategoryID: category,
		Text:  catalog.ProductText{Name: "Мыло с лавандой", Composition: "Sodium Olivate, Aqua"},
		Price: 2_500, DiscountedPrice: 2_000,
		Pictures: []catalog.Picture{{Src: "/media/soap.webp", Sources: []catalog.Source{{Type: "image/avif", Srcset: "a 1x"}}}},
		Marks:    []domain.ID{vegan},
		At:       noon,
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

// added is what put leads to on an empty stream.
var added = []catalog.ProductEvent{
	catalog.ProductAdded{ID: id, Article: "SOAP-1", Link: "mylo-s-lavandoj", BrandID: brand, CategoryID: category, At: noon},
	catalog.ProductDescribed{Text: put().Text, At: noon},
	catalog.ProductPriced{Price: 2_500, DiscountedPrice: 2_000, At: noon},
	catalog.ProductPictured{Pictures: put().Pictures, At: noon},
	catalog.ProductMarked{Marks: []domain.ID{vegan}, At: noon},
}

func TestPutProduct(t *testing.T) {
	t.Parallel()
	spec.For(t, catalog.ProductDecider).When(put()).Then(added...)
	bare := put(func(c *catalog.PutProduct) { c.Pictures, c.Marks, c.BrandID = nil, nil, domain.ID{} })
	spec.For(t, catalog.ProductDecider).When(bare).Then(
		catalog.ProductAdded{ID: id, Article: "SOAP-1", Link: "mylo-s-lavandoj", CategoryID: category, At: noon}, added[1], added[2],
	)

	known := spec.For(t, catalog.ProductDecider).Given(added...)
	known.When(put()).Nothing()
	known.When(put(func(c *catalog.PutProduct) { c.Link = "another" })).Nothing()
	known.When(put(func(c *catalog.PutProduct) { c.Pictures[0].Sources = []catalog.Source{}; c.Pictures = c.Pictures[:0] })).
		Then(catalog.ProductPictured{Pictures: []catalog.Picture{}, At: noon})
	for want, change := range map[catalog.ProductEvent]func(*catalog.PutProduct){
		catalog.ProductMoved{BrandID: brand, CategoryID: vegan, At: noon}:           func(c *catalog.PutProduct) { c.CategoryID = vegan },
		catalog.ProductPriced{Price: 2_600, DiscountedPrice: 2_600, At: noon}:       func(c *catalog.PutProduct) { c.Price, c.DiscountedPrice = 2_600, 2_600 },
		catalog.ProductDescribed{Text: catalog.ProductText{Name: "Мыло"}, At: noon}: func(c *catalog.PutProduct) { c.Text = catalog.ProductText{Name: "Мыло"} },
	} {
		known.When(put(change)).Then(want)
	}
	known.When(put(func(c *catalog.PutProduct) { c.Marks = nil })).Then(catalog.ProductMarked{At: noon})
}

func TestProductsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   error
		change func(*catalog.PutProduct)
	}{
		{catalog.ErrBadArticle, func(c *catalog.PutProduct) { c.Article = "" }},
		{catalog.ErrBadArticle, func(c *catalog.PutProduct) { c.Article = strings.Repeat("я", 101) }},
		{catalog.ErrTextBroken, func(c *catalog.PutProduct) { c.Article = "A\x00" }},
		{catalog.ErrBadLink, func(c *catalog.PutProduct) { c.Link = "" }},
		{catalog.ErrBadLink, func(c *catalog.PutProduct) { c.Link = "мыло" }},
		{catalog.ErrBadLink, func(c *catalog.PutProduct) { c.Link = "a/b" }},
		{catalog.ErrBadLink, func(c *catalog.PutProduct) { c.Link = strings.Repeat("a", 201) }},
		{catalog.ErrNoCategory, func(c *catalog.PutProduct) { c.CategoryID = domain.ID{} }},
		{catalog.ErrNoName, func(c *catalog.PutProduct) { c.Text.Name = " " }},
		{catalog.ErrNameTooLong, func(c *catalog.PutProduct) { c.Text.Name = strings.Repeat("я", 501) }},
		{catalog.ErrTextTooLong, func(c *catalog.PutProduct) { c.Text.Composition = strings.Repeat("я", 100_001) }},
		{catalog.ErrTextBroken, func(c *catalog.PutProduct) { c.Text.Description = "\xff" }},
		{catalog.ErrBadPrice, func(c *catalog.PutProduct) { c.Price = 0 }},
		{catalog.ErrBadPrice, func(c *catalog.PutProduct) { c.Price = -1 }},
		{catalog.ErrBadPrice, func(c *catalog.PutProduct) { c.Price = domain.MaxPrice + 1 }},
		{catalog.ErrBadDiscount, func(c *catalog.PutProduct) { c.DiscountedPrice = 0 }},
		{catalog.ErrBadDiscount, func(c *catalog.PutProduct) { c.DiscountedPrice = c.Price + 1 }},
	} {
		spec.For(t, catalog.ProductDecider).When(put(c.change)).Refused(c.want)
	}
	spec.For(t, catalog.ProductDecider).Given(added...).
		When(put(func(c *catalog.PutProduct) { c.Article = "SOAP-2" })).Refused(catalog.ErrArticleFixed)
}

func TestProductsAtTheirBounds(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*catalog.PutProduct){
		func(c *catalog.PutProduct) { c.Article = strings.Repeat("я", 100) },
		func(c *catalog.PutProduct) { c.Link = "az-09_" + strings.Repeat("a", 194) },
		func(c *catalog.PutProduct) { c.Text.Name = strings.Repeat("я", 500) },
		func(c *catalog.PutProduct) { c.Text.Composition = strings.Repeat("я", 100_000) },
		func(c *catalog.PutProduct) { c.Price, c.DiscountedPrice = 1, 1 },
		func(c *catalog.PutProduct) { c.Price, c.DiscountedPrice = domain.MaxPrice, 1 },
		func(c *catalog.PutProduct) { c.Price, c.DiscountedPrice = domain.MaxPrice, domain.MaxPrice },
	} {
		events, err := catalog.ProductDecider.Decide(put(change), catalog.ProductState{})
		if err != nil {
			t.Error(err)
		}
		if state := catalog.ProductDecider.Fold(catalog.ProductState{}, events...); !state.Sellable() {
			t.Errorf("not sellable: %.200v", state)
		}
	}
	if unpriced := catalog.ProductDecider.Fold(catalog.ProductState{}, added[0], added[1]); unpriced.Sellable() {
		t.Error("a product without a price is sellable")
	}
}

func TestEveryPartOfAPictureCounts(t *testing.T) {
	t.Parallel()
	known := spec.For(t, catalog.ProductDecider).Given(added...)
	for _, change := range []func(*catalog.Picture){
		func(p *catalog.Picture) { p.Src = "/media/other.webp" },
		func(p *catalog.Picture) { p.Width = 1 },
		func(p *catalog.Picture) { p.Height = 1 },
		func(p *catalog.Picture) { p.Sources = nil },
	} {
		c := put()
		change(&c.Pictures[0])
		known.When(c).Then(catalog.ProductPictured{Pictures: c.Pictures, At: noon})
	}
}

func TestPriceArchiveRestore(t *testing.T) {
	t.Parallel()
	archived, restored := catalog.ProductArchived{Reason: "снят", At: noon}, catalog.ProductRestored{At: noon}
	none := spec.For(t, catalog.ProductDecider)
	for _, c := range []catalog.ProductCommand{
		catalog.PriceProduct{Price: 1, DiscountedPrice: 1}, catalog.DiscountProduct{}, catalog.MarkProduct{}, catalog.UnmarkProduct{},
		catalog.MoveProduct{CategoryID: category}, catalog.ArchiveProduct{}, catalog.RestoreProduct{},
	} {
		none.When(c).Refused(catalog.ErrUnknown)
	}
	known := none.Given(added...)
	known.When(catalog.PriceProduct{Price: 2_500, DiscountedPrice: 2_000, At: noon}).Nothing()
	known.When(catalog.PriceProduct{Price: 2_500, DiscountedPrice: 1_000, At: noon}).
		Then(catalog.ProductPriced{Price: 2_500, DiscountedPrice: 1_000, At: noon})
	known.When(catalog.PriceProduct{Price: 2_500, DiscountedPrice: 2_501}).Refused(catalog.ErrBadDiscount)
	known.When(catalog.RestoreProduct{At: noon}).Nothing()
	known.When(catalog.ArchiveProduct(archived)).Then(archived)

	gone := known.Given(archived)
	gone.When(catalog.ArchiveProduct(archived)).Nothing()
	gone.When(put()).Nothing()
	gone.When(catalog.RestoreProduct{At: noon}).Then(restored)
	for subject, sellable := range map[string]bool{"none": none.State().Sellable(), "gone": gone.State().Sellable()} {
		if sellable {
			t.Errorf("%s is sellable", subject)
		}
	}
	if p := gone.Given(restored).State(); !p.Sellable() || p.MainPicture() != "/media/soap.webp" || p.Price != 2_500 {
		t.Errorf("%+v", p)
	}
}

func TestCategory(t *testing.T) {
	t.Parallel()
	face := catalog.Category{Link: "lico", Name: "Лицо", Picture: &catalog.Picture{Src: "/media/face.webp"}}
	same := face
	same.Picture = &catalog.Picture{Src: "/media/face.webp"}
	renamed, drawn, translated := face, face, face
	translated.Kazakh.Name = "Бет"
	renamed.Name = "Для лица"
	drawn.Picture = nil
	added := catalog.CategoryAdded{ID: id, Category: face, At: noon}
	archived := catalog.CategoryArchived{At: noon}

	none := spec.For(t, catalog.CategoryDecider)
	none.When(catalog.PutCategory(added)).Then(added)
	none.When(catalog.ArchiveCategory{}).Refused(catalog.ErrUnknown)
	for want, bad := range map[error]catalog.Category{
		catalog.ErrBadLink: {Name: "Лицо"}, catalog.ErrNoName: {Link: "lico"}, catalog.ErrOwnParent: {Link: "lico", Name: "Лицо", ParentID: id},
	} {
		none.When(catalog.PutCategory{ID: id, Category: bad}).Refused(want)
	}
	known := none.Given(added)
	known.When(catalog.PutCategory{ID: id, Category: same, At: noon}).Nothing()
	known.When(catalog.PutCategory{ID: id, Category: renamed, At: noon}).Then(catalog.CategoryChanged{Category: renamed, At: noon})
	known.When(catalog.PutCategory{ID: id, Category: translated, At: noon}).Then(catalog.CategoryChanged{Category: translated, At: noon})
	long := catalog.Wording{Name: strings.Repeat("ә", 501)}
	known.When(catalog.PutCategory{ID: id, Category: catalog.Category{Link: "lico", Name: "Лицо", Kazakh: long}}).Refused(catalog.ErrNameTooLong)
	known.When(catalog.PutCategory{ID: id, Category: drawn, At: noon}).Then(catalog.CategoryChanged{Category: drawn, At: noon})
	known.Given(catalog.CategoryChanged{Category: renamed}).When(catalog.PutCategory{ID: id, Category: renamed}).Nothing()
	known.When(catalog.ArchiveCategory(archived)).Then(archived)
	known.Given(archived).When(catalog.ArchiveCategory(archived)).Nothing()
	known.Given(archived).When(catalog.PutCategory(added)).Then(added)
}

func TestBrand(t *testing.T) {
	t.Parallel()
	maker := catalog.Brand{Link: "weleda", Name: "Weleda", Logo: &catalog.Picture{Src: "/media/weleda.svg"}}
	other := maker
	other.Description = "Швейцария"
	added := catalog.BrandAdded{ID: id, Brand: maker, At: noon}
	archived := catalog.BrandArchived{At: noon}

	none := spec.For(t, catalog.BrandDecider)
	none.When(catalog.PutBrand(added)).Then(added)
	none.When(catalog.ArchiveBrand{}).Refused(catalog.ErrUnknown)
	none.When(catalog.PutBrand{ID: id, Brand: catalog.Brand{Link: "weleda"}}).Refused(catalog.ErrNoName)
	none.When(catalog.PutBrand{ID: id, Brand: catalog.Brand{Name: "Weleda"}}).Refused(catalog.ErrBadLink)
	known := none.Given(added)
	known.When(catalog.PutBrand(added)).Nothing()
	known.When(catalog.PutBrand{ID: id, Brand: other, At: noon}).Then(catalog.BrandChanged{Brand: other, At: noon})
	known.Given(catalog.BrandChanged{Brand: other}).When(catalog.PutBrand{ID: id, Brand: other}).Nothing()
	known.When(catalog.ArchiveBrand(archived)).Then(archived)
	known.Given(archived).When(catalog.ArchiveBrand(archived)).Nothing()
	known.Given(archived).When(catalog.PutBrand(added)).Then(added)
}

func TestMark(t *testing.T) {
	t.Parallel()
	mark := catalog.Mark{Name: "Веган"}
	other := catalog.Mark{Name: "Веган", Picture: &catalog.Picture{Src: "/media/vegan.svg"}}
	added := catalog.MarkAdded{ID: id, Mark: mark, At: noon}
	archived := catalog.MarkArchived{At: noon}

	none := spec.For(t, catalog.MarkDecider)
	none.When(catalog.PutMark(added)).Then(added)
	none.When(catalog.ArchiveMark{}).Refused(catalog.ErrUnknown)
	none.When(catalog.PutMark{ID: id}).Refused(catalog.ErrNoName)
	known := none.Given(added)
	known.When(catalog.PutMark(added)).Nothing()
	known.When(catalog.PutMark{ID: id, Mark: other, At: noon}).Then(catalog.MarkChanged{Mark: other, At: noon})
	known.Given(catalog.MarkChanged{Mark: other}).When(catalog.PutMark{ID: id, Mark: other}).Nothing()
	known.When(catalog.ArchiveMark(archived)).Then(archived)
	known.Given(archived).When(catalog.ArchiveMark(archived)).Nothing()
	known.Given(archived).When(catalog.PutMark(added)).Then(added)
}

func TestDiscountMarkMove(t *testing.T) {
	t.Parallel()
	known := spec.For(t, catalog.ProductDecider).Given(added...)
	priced := func(discounted domain.Money) catalog.ProductEvent {
		return catalog.ProductPriced{Price: 2_500, DiscountedPrice: discounted, At: noon}
	}
	known.When(catalog.DiscountProduct{Percent: 20, At: noon}).Nothing()
	known.When(catalog.DiscountProduct{Percent: 99, At: noon}).Then(priced(25))
	known.When(catalog.DiscountProduct{At: noon}).Then(priced(2_500))
	known.Given(catalog.ProductPriced{Price: 4_695, DiscountedPrice: 4_695}).When(catalog.DiscountProduct{Percent: 10, At: noon}).
		Then(catalog.ProductPriced{Price: 4_695, DiscountedPrice: 4_225, At: noon})
	known.When(catalog.DiscountProduct{Percent: 100}).Refused(catalog.ErrBadPercent)
	known.When(catalog.DiscountProduct{Percent: -1}).Refused(catalog.ErrBadPercent)
	known.Given(catalog.ProductPriced{Price: 1, DiscountedPrice: 1}).When(catalog.DiscountProduct{Percent: 50}).Refused(catalog.ErrBadDiscount)

	organic := uuid.UUID{15: 5}
	known.When(catalog.MarkProduct{Mark: vegan, At: noon}).Nothing()
	known.When(catalog.MarkProduct{Mark: organic, At: noon}).Then(catalog.ProductMarked{Marks: []domain.ID{vegan, organic}, At: noon})
	known.When(catalog.UnmarkProduct{Mark: organic, At: noon}).Nothing()
	known.When(catalog.UnmarkProduct{Mark: vegan, At: noon}).Then(catalog.ProductMarked{Marks: []domain.ID{}, At: noon})

	known.When(catalog.MoveProduct{CategoryID: category, At: noon}).Nothing()
	known.When(catalog.MoveProduct{CategoryID: vegan, At: noon}).Then(catalog.ProductMoved{BrandID: brand, CategoryID: vegan, At: noon})
	known.When(catalog.MoveProduct{}).Refused(catalog.ErrNoCategory)
}
