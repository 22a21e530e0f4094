package readapi_test

import (
	"strings"
	"testing"

	"shop/readapi"
)

// TestTouchedPages: rows lead to the pages that show them, those about what was touched first, and to none that shoppers cannot open.
func TestTouchedPages(t *testing.T) {
	t.Parallel()
	db, _ := open(t, history())
	pages := readapi.TouchedPages{DB: db}
	for _, c := range []struct {
		what string
		keys map[string][]string
		want string
	}{
		{"nothing", nil, ""},
		{"a product", map[string][]string{"catalog.product": {product(4).String()}},
			"product /product/norden-birch-shampoo, category /category/shampuni, brand /brands/norden, home /"},
		{"its pieces", map[string][]string{"stock.level": {product(4).String()}},
			"product /product/norden-birch-shampoo, category /category/shampuni, brand /brands/norden, home /"},
		{"one without a price", map[string][]string{"catalog.product": {product(9).String()}}, "home /"},
		{"a category with others in it", map[string][]string{"catalog.category": {category(1).String()}}, "category /categories/litso, home /"},
		{"an archived one", map[string][]string{"catalog.category": {category(4).String()}}, "home /"},
		{"a brand", map[string][]string{"catalog.brand": {brand(4).String()}}, "brand /brands/kalm, home /, brands /brands"},
		{"the slides", map[string][]string{"content.block": {"main-slider"}}, "home /"},
		{"texts of a page", map[string][]string{"content.block": {"about-kk"}}, "about /about"},
		{"the first screen", map[string][]string{"content.block": {"hero-kk"}}, "home /"},
		{"what the home page says of the shop", map[string][]string{"content.block": {"about-teaser"}}, "home /"},
		{"the points on the home page", map[string][]string{"content.block": {"advantages"}}, "home /"},
		{"rules", map[string][]string{"rules.current": {"rules"}}, "home /, delivery /dostavka-i-skidki"},
		{"a document", map[string][]string{"documents.current": {"privacy"}, "documents.version": {"privacy/2"}}, "document /documents/privacy"},
		{"settings", map[string][]string{"settings.current": {"settings"}},
			"home /, delivery /dostavka-i-skidki, document /documents/offer, document /documents/privacy"},
		{"a post and one out of sight", map[string][]string{"posts.post": {id(0xf7, 1).String(), id(0xf7, 4).String()}}, "post /news/kak-chitat-inci, news /news"},
	} {
		found, err := pages.List(t.Context(), c.keys)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		var got []string
		for _, page := range found {
			got = append(got, page.Kind+" "+page.Path)
		}
		if said := strings.Join(got, ", "); said != c.want {
			t.Errorf("%s leads to %s, want %s", c.what, said, c.want)
		}
	}
	marked, err := pages.List(t.Context(), map[string][]string{"catalog.mark": {mark(1).String()}, "catalog.product": {product(7).String()}})
	if err != nil || len(marked) < 8 || marked[0].Path != "/product/norden-deo" {
		t.Errorf("a mark and a product lead to %v, %v", marked, err)
	}
}
