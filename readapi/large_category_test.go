package readapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
)

// Pages of a category of 5 000 products hold each product once, the last one holds the rest, and what lies behind it is
// empty. All products are equal in what lists are ordered by: only their ids tell them apart.
func TestALargeCategoryToItsLastPage(t *testing.T) {
	t.Parallel()
	const products, limit = 5_000, 96
	var l log
	whole := domain.ID{0: 0xc1, 6: 0x40, 8: 0x80}
	l.add(catalog.CategoryStream(whole), catalog.CategoryAdded{ID: whole, Category: catalog.Category{Link: "whole", Name: "Всё"}, At: today})
	for i := range products {
		id := domain.ID{0: 0xa1, 6: 0x40, 8: 0x80, 14: byte(i >> 8), 15: byte(i)}
		l.add(catalog.ProductStream(id),
			catalog.ProductAdded{ID: id, Article: fmt.Sprintf("AB-%05d", i), Link: fmt.Sprintf("p%d", i), CategoryID: whole, At: today},
			catalog.ProductDescribed{At: today, Text: catalog.ProductText{Name: "Крем"}},
			catalog.ProductPriced{Price: 5000, DiscountedPrice: 5000, At: today})
		if i%2 == 0 {
			l.add(stock.Stream(id), stock.Received{ProductID: id, Quantity: 5, OnHand: 5, At: today})
		}
	}
	db, shop := open(t, nil)
	for events := range slices.Chunk(l.events, 5000) {
		project(t, db, events)
	}
	page := func(order string, offset int) (list cards) {
		w := get(t, shop, fmt.Sprintf("/api/products/?category_id=whole&limit=%d&offset=%d%s", limit, offset, order))
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != 200 {
			t.Fatalf("offset %d: status %d, %v: %.300s", offset, w.Code, err, w.Body)
		}
		if list.Count != products {
			t.Fatalf("offset %d: %d products", offset, list.Count)
		}
		return list
	}
	for _, order := range []string{"", "&ordering=price", "&ordering=-price"} {
		seen := map[string]bool{}
		offset := 0
		for more := true; more; offset += limit {
			list := page(order, offset)
			for _, r := range list.Results {
				seen[r.Link] = true
			}
			if more = list.Next != nil; !more && len(list.Results) != products%limit {
				t.Errorf("%s: the last page, at %d, has %d products", order, offset, len(list.Results))
			}
		}
		if len(seen) != products || offset != (products/limit+1)*limit {
			t.Errorf("%s: pages up to %d hold %d products", order, offset, len(seen))
		}
		if behind := page(order, offset); len(behind.Results) != 0 || behind.Next != nil || behind.Previous == nil {
			t.Errorf("%s: behind the last page are %d products, next is %v, previous %v", order, len(behind.Results), behind.Next, behind.Previous)
		}
	}
}
