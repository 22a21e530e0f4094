package readapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/readapi"
)

type cards struct {
	Count          int64
	Next, Previous *string
	Results        []struct {
		Link   string
		Amount int64
	}
}

// links asks for a list and gives the short form of its products' links, in order.
func links(t testing.TB, shop http.Handler, address string) string {
	t.Helper()
	w := get(t, shop, address)
	if w.Code != 200 {
		t.Fatalf("%s: status %d: %s", address, w.Code, w.Body)
	}
	var list cards
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	short := map[string]string{}
	for _, g := range shelf {
		short[g.link] = g.link[strings.LastIndex(g.link, "-")+1:]
	}
	var found []string
	for _, r := range list.Results {
		found = append(found, short[r.Link])
	}
	return strings.Join(found, " ")
}

func TestLists(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for query, want := range map[string]string{
		// In stock first, then the newest; archived and unpriced goods are nowhere.
		"": "deo serum shampoo cream balm soap toner",
		"?search=&category_id=&brand_id=&ordering=&is_new=&limit=&offset=": "deo serum shampoo cream balm soap toner",
		"?ordering=price":                       "soap balm deo toner shampoo serum cream",
		"?ordering=-price":                      "cream serum shampoo toner deo balm soap",
		"?is_new=true":                          "deo serum shampoo toner",
		"?is_new=true&ordering=price":           "deo toner shampoo serum",
		"?is_new=false&limit=2":                 "deo serum",
		"?limit=2&offset=6":                     "toner",
		"?offset=7":                             "",
		"?offset=999999999":                     "",
		"?category_id=uhod-za-litsom":           "serum cream balm toner",
		"?category_id=litso":                    "serum cream balm toner",
		"?category_id=" + category(1).String():  "serum cream balm toner",
		"?category_id=nope":                     "",
		"?category_id=arhiv":                    "",
		"?brand_id=ostara":                      "serum toner",
		"?brand_id=ostara," + brand(4).String(): "serum soap toner",
		"?brand_id=%20kalm%20,,":                "soap",
		"?brand_id=nope":                        "",
		"?brand_id=,":                           "deo serum shampoo cream balm soap toner",
		"?brand_id=tilia,norden&category_id=litso&ordering=price": "balm cream",
		"?brand_id=ostara&search=" + url.QueryEscape("роза"):      "toner",
	} {
		if got := links(t, shop, "/api/products/"+query); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
	for address, want := range map[string]string{
		"/api/products/popular/":                                    "balm soap serum deo shampoo toner cream",
		"/api/products/popular?limit=1&offset=1":                    "soap",
		"/api/products/ostara-niacinamide-serum/similar/":           "cream balm toner",
		"/api/products/" + product(1).String() + "/similar?limit=1": "cream",
		"/api/products/norden-deo/similar":                          "soap shampoo",
	} {
		if got := links(t, shop, address); got != want {
			t.Errorf("%s\n got %s\nwant %s", address, got, want)
		}
	}
	if w := get(t, shop, "/api/products/nope/similar/"); w.Code != 404 {
		t.Errorf("similar to nothing answers %d", w.Code)
	}
}

// TestListsHoldMarksAndReviews: a product in a list has those of its page, unless the list is asked to be brief.
func TestListsHoldMarksAndReviews(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	type further struct {
		Link           string
		Marks, Reviews any
	}
	var serum, cream further
	read := func(address string, into any) {
		t.Helper()
		if err := json.Unmarshal(get(t, shop, address).Body.Bytes(), into); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
	}
	read("/api/products/ostara-niacinamide-serum/?lang=kk", &serum)
	read("/api/products/tilia-linden-cream/?lang=kk", &cream)
	if text := fmt.Sprint(serum); !strings.Contains(text, "Веган") || !strings.Contains(text, "Кожа стала ровнее.") {
		t.Fatalf("the serum has no mark or no review to look for: %s", text)
	}
	for _, c := range []struct {
		address string
		want    further
	}{
		{"/api/products/?lang=kk", serum},
		{"/api/products/?lang=kk&search=" + url.QueryEscape("ниацинамид"), serum},
		{"/api/products/popular/?lang=kk", serum},
		{"/api/products/tilia-linden-cream/similar/?lang=kk", serum},
		{"/api/categories/litso/?lang=kk", serum},
		{"/api/brands/tilia/?lang=kk", cream},
	} {
		for brief, want := range map[string]further{"&brief=false": c.want, "&brief=true": {Link: c.want.Link}} {
			var list struct{ Results, Products []further }
			read(c.address+brief, &list)
			all := append(list.Results, list.Products...)
			at := slices.IndexFunc(all, func(p further) bool { return p.Link == want.Link })
			if at < 0 || !reflect.DeepEqual(all[at], want) {
				t.Errorf("%s%s holds %+v, which lacks %+v", c.address, brief, all, want)
			}
		}
	}
}

func TestPagesLeadToEachOther(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	var seen []string
	pages := 0
	for address := "/api/products/?limit=3&ordering=price&brand_id=ostara%2Ctilia"; address != ""; pages++ {
		var list cards
		w := get(t, shop, address)
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		if list.Count != 4 {
			t.Errorf("count %d", list.Count)
		}
		for _, r := range list.Results {
			seen = append(seen, r.Link)
		}
		if (pages == 0) != (list.Previous == nil) {
			t.Errorf("page %d: previous is %v", pages, list.Previous)
		}
		address = ""
		if list.Next != nil {
			address = *list.Next
		}
	}
	if pages != 2 || len(seen) != 4 {
		t.Errorf("%d pages with %v", pages, seen)
	}
	var whole cards
	if err := json.Unmarshal(get(t, shop, "/api/products/?limit=7").Body.Bytes(), &whole); err != nil || whole.Next != nil || whole.Previous != nil {
		t.Errorf("a list that fits its page leads to %v and %v, %v", whole.Next, whole.Previous, err)
	}
}

func TestLimitsOfLists(t *testing.T) {
	t.Parallel()
	_, shop := open(t, nil)
	for _, query := range []string{"limit=0", "limit=101", "limit=-1", "limit=1.5", "limit=ten", "limit=99999999999999999999", "offset=-1", "offset=x", "offset=9999999999999999999999",
		"ordering=name", "is_new=2"} {
		for _, address := range []string{"/api/products/?", "/api/geonames/?"} {
			if strings.Contains(address, "geonames") && !strings.HasPrefix(query, "limit") && !strings.HasPrefix(query, "offset") {
				continue
			}
			w := get(t, shop, address+query)
			var fields map[string][]string
			if err := json.Unmarshal(w.Body.Bytes(), &fields); err != nil || w.Code != 400 {
				t.Errorf("%s%s: status %d, %s", address, query, w.Code, w.Body)
				continue
			}
			name, _, _ := strings.Cut(query, "=")
			if len(fields[name]) != 1 {
				t.Errorf("%s%s does not name the field: %s", address, query, w.Body)
			}
		}
	}
}

func TestAnEmptyShopAnswers(t *testing.T) {
	t.Parallel()
	_, shop := open(t, nil)
	c := newContract(t)
	for _, path := range []string{"/api/products/", "/api/products/popular/", "/api/categories/", "/api/brands/"} {
		w := get(t, shop, path)
		c.check(t, path, w.Code, w.Body.Bytes())
	}
	if w := get(t, shop, "/api/rules/"); w.Code != 404 {
		t.Errorf("rules of a shop without rules: %d", w.Code)
	}
}

func TestAmountIsBoundedByTheRules(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for link, want := range map[string]string{
		"norden-birch-shampoo":     `{"id" : "` + product(4).String() + `", "in_stock" : true, "amount" : 99}`,
		"ostara-niacinamide-serum": `{"id" : "` + product(1).String() + `", "in_stock" : true, "amount" : 10}`,
		"ostara-rose-toner":        `{"id" : "` + product(3).String() + `", "in_stock" : false, "amount" : 0}`,
		"staryj-krem":              `{"id" : "` + product(8).String() + `", "in_stock" : false, "amount" : 0}`,
	} {
		w := get(t, shop, "/api/products/"+link+"/stock/")
		if w.Body.String() != want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s, %v", link, w.Body, w.Header())
		}
	}
}

// A tiny discount is still one.
func TestDiscountIsNeverRoundedAway(t *testing.T) {
	t.Parallel()
	db, shop := open(t, history())
	l := afterHistory()
	l.add(catalog.ProductStream(product(6)), catalog.ProductPriced{Price: 1000, DiscountedPrice: 999, At: today})
	project(t, db, l.events)
	var p struct {
		TotalDiscount int `json:"total_discount"`
	}
	if err := json.Unmarshal(get(t, shop, "/api/products/kalm-lavender-soap").Body.Bytes(), &p); err != nil || p.TotalDiscount != 1 {
		t.Errorf("%d percent off, %v", p.TotalDiscount, err)
	}
}

func TestCopiesAreRevalidated(t *testing.T) {
	t.Parallel()
	db, shop := open(t, history())
	first := get(t, shop, "/api/products/?limit=1")
	tag := first.Header().Get("ETag")
	if tag == "" || first.Header().Get("Cache-Control") != "no-cache" {
		t.Fatalf("headers %v", first.Header())
	}
	for _, known := range []string{tag, `"other", ` + strings.TrimPrefix(tag, "W/"), "*"} {
		again := get(t, shop, "/api/products/?limit=1", "If-None-Match", known)
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 || again.Header().Get("ETag") != tag {
			t.Errorf("the copy %s: %d, %v", known, again.Code, again.Header())
		}
	}
	l := afterHistory()
	l.add(stock.Stream(product(7)), stock.Reserved{ProductID: product(7), Quantity: 1, OnHand: 8, Reserved: 1, At: today})
	project(t, db, l.events)
	if changed := get(t, shop, "/api/products/?limit=1", "If-None-Match", tag); changed.Code != 200 || changed.Header().Get("ETag") == tag {
		t.Errorf("a copy that is out of date: %d", changed.Code)
	}
}

func TestOddAddressesAreJustNotFound(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for _, id := range []string{"%00", "%ff%fe", "'", "%27%20OR%201=1--", strings.Repeat("a", 5000), "00000000-0000-0000-0000-000000000000", "%2e%2e%2fetc", "{}", "%D1%81%D1%8B%D1%80"} {
		for _, path := range []string{"/api/products/" + id, "/api/products/" + id + "/stock/", "/api/products/" + id + "/similar", "/api/categories/" + id, "/api/brands/" + id,
			"/api/content/find/" + id, "/api/content/pages/" + id, "/api/promocodes/" + id} {
			if w := get(t, shop, path); w.Code != 404 {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
		for _, query := range []string{"category_id=", "brand_id=", "search="} {
			if w := get(t, shop, "/api/products/?"+query+id); w.Code != 200 {
				t.Errorf("%s%s: %d %s", query, id, w.Code, w.Body)
			}
		}
	}
}

func TestPromocodesThatCannotBeUsedAreNotFound(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for code, want := range map[string]int{"WELCOME10": 200, "%20welcome10%20": 200, "fix500": 200, "OLD": 404, "SOON": 404, "USED": 404, "GONE": 404,
		"WELCOME10%00": 404, "%00WELCOME10": 404, "WELCOME10%07": 404, "WELCOME10%ff": 404, "WELCOME10" + strings.Repeat("%20", 70) + "X": 404} {
		if w := get(t, shop, "/api/promocodes/"+code+"/"); w.Code != want {
			t.Errorf("%s: %d", code, w.Code)
		}
	}
}

func TestReadYourOwnWrites(t *testing.T) {
	t.Parallel()
	db, _ := open(t, history())
	shop := routes(db, readapi.Fresh{Positions: standing(40), Wait: time.Millisecond}, nil)
	for _, position := range []string{"", "0", "-3", "x", "40"} {
		if w := get(t, shop, "/api/products/", "X-Min-Position", position); w.Code != 200 || w.Header().Get("X-Read-Model-Position") != "" {
			t.Errorf("%q: %d, %v", position, w.Code, w.Header())
		}
	}
	w := get(t, shop, "/api/products/", "X-Min-Position", "41")
	if w.Code != 200 || w.Header().Get("X-Read-Model-Position") != "40" {
		t.Errorf("a read model that is late: %d, %v", w.Code, w.Header())
	}
	// What was seen in another history waits for all there is now, which may be less than its number.
	shop = routes(db, readapi.Fresh{Positions: standing(40), Wait: time.Millisecond, Epoch: func(context.Context) string { return "00000001" }}, nil)
	for token, late := range map[string]bool{"5": false, "5.00000001": false, "5.00000002": true, "41.00000001": true} {
		if w := get(t, shop, "/api/products/", "X-Min-Position", token); (w.Header().Get("X-Read-Model-Position") != "") != late {
			t.Errorf("%s: %v", token, w.Header())
		}
	}
}

func TestCategoriesBelowAnArchivedOneAreGone(t *testing.T) {
	t.Parallel()
	db, shop := open(t, history())
	l := afterHistory()
	l.add(catalog.CategoryStream(category(1)), catalog.CategoryArchived{At: today})
	// Two that hang below each other are below no root.
	for _, pair := range [][2]byte{{30, 31}, {31, 30}} {
		l.add(catalog.CategoryStream(category(pair[0])), catalog.CategoryAdded{ID: category(pair[0]), Category: catalog.Category{Link: "ring", Name: "Кольцо", ParentID: category(pair[1])}})
	}
	project(t, db, l.events)
	body := get(t, shop, "/api/categories/").Body.String()
	for _, gone := range []string{"litso", "uhod-za-litsom", "ring"} {
		if strings.Contains(body, gone) {
			t.Errorf("%s is still listed", gone)
		}
		if w := get(t, shop, "/api/categories/"+gone); w.Code != 404 {
			t.Errorf("%s answers %d", gone, w.Code)
		}
	}
	if got := links(t, shop, "/api/products/?category_id=ring"); got != "" {
		t.Errorf("products in a ring: %s", got)
	}
}

func TestWhatHangsOnArchivedThingsStays(t *testing.T) {
	t.Parallel()
	db, shop := open(t, history())
	l := afterHistory()
	l.add(catalog.CategoryStream(category(11)), catalog.CategoryArchived{At: today})
	l.add(catalog.BrandStream(brand(1)), catalog.BrandArchived{At: today})
	l.add(catalog.MarkStream(mark(1)), catalog.MarkArchived{At: today})
	project(t, db, l.events)

	var p struct {
		Brand, Category *struct{ Link string }
		Marks           []any
	}
	w := get(t, shop, "/api/products/ostara-niacinamide-serum/")
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Brand != nil || p.Category != nil || len(p.Marks) != 0 {
		t.Errorf("product %s, %v", w.Body, err)
	}
	newContract(t).check(t, "/api/products/{id}/", w.Code, w.Body.Bytes())
	for query, want := range map[string]string{
		"":                   "deo serum shampoo cream balm soap toner",
		"?brand_id=ostara":   "",
		"?category_id=litso": "",
		"?search=ostara":     "",
		"?search=" + url.QueryEscape("сыворотка"): "serum",
	} {
		if got := links(t, shop, "/api/products/"+query); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if w := get(t, shop, "/api/brands/ostara"); w.Code != 404 {
		t.Errorf("the brand's page: %d", w.Code)
	}
	if body := get(t, shop, "/api/brands/").Body.String(); strings.Contains(body, "ostara") || !strings.Contains(body, "tilia") {
		t.Errorf("brands: %s", body)
	}
}

func TestALinkNamesTheProductWhosePageItLeadsTo(t *testing.T) {
	t.Parallel()
	l := log{events: history()}
	for _, n := range []byte{20, 21} { // the later one is archived
		l.add(catalog.ProductStream(product(n)), catalog.ProductAdded{ID: product(n), Article: fmt.Sprint("TW-", n), Link: "dvojnik", CategoryID: category(11), At: today.AddDate(0, 0, int(n)-30)},
			catalog.ProductDescribed{Text: catalog.ProductText{Name: "Двойник"}}, catalog.ProductPriced{Price: 900, DiscountedPrice: 900})
	}
	l.add(catalog.ProductStream(product(21)), catalog.ProductArchived{At: today})
	db, _ := open(t, l.events)

	found, err := readapi.Facts{DB: db}.ProductsByLink(t.Context(), []string{"dvojnik", "staryj-krem", "bez-ceny", "nothing", "krem\x00", "krem\xff"})
	want := map[string]uuid.UUID{"dvojnik": product(20), "staryj-krem": product(8)}
	if err != nil || !maps.Equal(found, want) {
		t.Errorf("got %v, want %v, %v", found, want, err)
	}
}
