package readapi_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/domain/catalog"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
)

// translated goes on after history with texts in Kazakh: of a product all but where it is made, and of two categories, a brand and a mark.
func translated() *log {
	l := afterHistory()
	l.add(catalog.ProductStream(product(1)), catalog.ProductTranslated{ID: product(1), At: today, Kazakh: catalog.Translation{
		Name: "Ниацинамид қосылған бет сарысуы", Description: "Күн сайынғы нәзік күтім.", Expires: "Ашқаннан кейін 12 ай",
		ApplyMethod: "Теріге жағыңыз", PackageSize: "50 мл шыны",
	}})
	l.add(catalog.BrandStream(brand(1)), catalog.BrandChanged{At: today, Brand: catalog.Brand{Link: "ostara", Name: "Ostara",
		Description: "Небольшая мастерская. Работает с 2009 года.", DescriptionKazakh: "Сабырлы күтім.", Logo: &catalog.Picture{Src: "/img/brands/ostara.svg"}}})
	face := catalog.Category{Link: "litso", Name: "Лицо", Description: "Всё для ухода", Placeholder: "dropper", Order: 1, Kazakh: catalog.Wording{Name: "Бет"}}
	care := catalog.Category{Link: "uhod-za-litsom", Name: "Уход за лицом", Description: "Всё для ухода", Placeholder: "jar", Order: 11, ParentID: category(1),
		Kazakh: catalog.Wording{Name: "Бет күтімі", Description: "Күтімге арналғанның бәрі"}}
	l.add(catalog.CategoryStream(category(1)), catalog.CategoryChanged{Category: face, At: today})
	l.add(catalog.CategoryStream(category(11)), catalog.CategoryChanged{Category: care, At: today})
	l.add(catalog.MarkStream(mark(1)), catalog.MarkChanged{At: today, Mark: catalog.Mark{Name: "Веган", Description: "В составе нет компонентов животного происхождения.",
		Kazakh: catalog.Wording{Description: "Құрамында жануартектес компоненттер жоқ."}}})
	return l
}

// TestKazakhAnswers: who asks in Kazakh reads it as far as there are texts in it, and is told which are not.
func TestKazakhAnswers(t *testing.T) {
	t.Parallel()
	db, shop := open(t, history())
	project(t, db, translated().events)
	c := newContract(t)
	ask := func(path, address string, into any) {
		t.Helper()
		w := get(t, shop, address)
		c.check(t, path, 200, w.Body.Bytes())
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	var page struct {
		Name        string
		Description string
		PackageSize string `json:"package_size"`
		Expires     string
		ApplyMethod string `json:"apply_method"`
		MadeIn      string `json:"made_in"`
		Russian     []string
		Category    struct {
			Name    string
			Parent  struct{ Name string }
			Russian []string
		}
		Marks []struct {
			Name, Description string
			Russian           []string
		}
	}
	ask("/api/products/{id}/", "/api/products/ostara-niacinamide-serum/?lang=kk", &page)
	if page.Name != "Ниацинамид қосылған бет сарысуы" || page.Description != "Күн сайынғы нәзік күтім." || page.PackageSize != "50 мл шыны" ||
		page.Expires != "Ашқаннан кейін 12 ай" || page.ApplyMethod != "Теріге жағыңыз" || page.MadeIn != "Латвия" || !slices.Equal(page.Russian, []string{"made_in"}) {
		t.Errorf("the product says %+v", page)
	}
	if page.Category.Name != "Бет күтімі" || page.Category.Parent.Name != "Бет" || len(page.Category.Russian) != 0 {
		t.Errorf("its category says %+v", page.Category)
	}
	if m := page.Marks[0]; m.Name != "Веган" || m.Description != "Құрамында жануартектес компоненттер жоқ." || !slices.Equal(m.Russian, []string{"name"}) {
		t.Errorf("its mark says %+v", m)
	}
	type card struct {
		Name    string
		Russian []string
	}
	var list struct{ Results []card }
	for _, address := range []string{"/api/products/?lang=kk", "/api/products/popular/?lang=kk", "/api/products/tilia-linden-cream/similar/?lang=kk"} {
		path := strings.Replace(strings.TrimSuffix(address, "?lang=kk"), "tilia-linden-cream", "{id}", 1)
		ask(path, address, &list)
		for _, want := range []card{{"Ниацинамид қосылған бет сарысуы", []string{}}, {"Тоник для лица «Дамасская роза»", []string{"name", "description", "package_size"}}} {
			if !slices.ContainsFunc(list.Results, func(c card) bool { return c.Name == want.Name && slices.Equal(c.Russian, want.Russian) }) {
				t.Errorf("%s lacks %v: %+v", address, want, list.Results)
			}
		}
	}
	var tree []struct {
		Name, Description string
		Russian           []string
		Children          []struct {
			Name   string
			Parent card
		} `json:"child_categories"`
	}
	ask("/api/categories/", "/api/categories/?lang=kk", &tree)
	if tree[0].Name != "Бет" || tree[0].Description != "Всё для ухода" || !slices.Equal(tree[0].Russian, []string{"description"}) || tree[0].Children[0].Parent.Name != "Бет" {
		t.Errorf("the categories are %+v", tree)
	}
	var category struct {
		Name     string
		Products []card
	}
	ask("/api/categories/{id}/", "/api/categories/litso/?lang=kk", &category)
	if category.Name != "Бет" || !slices.ContainsFunc(category.Products, func(c card) bool { return c.Name == page.Name }) {
		t.Errorf("the category is %+v", category)
	}
	ask("/api/brands/{id}/", "/api/brands/ostara/?lang=kk", &category)
	if !slices.ContainsFunc(category.Products, func(c card) bool { return c.Name == page.Name }) {
		t.Errorf("the brand is %+v", category)
	}
	type brandSaid struct {
		Name, Description string
		Russian           []string
	}
	for _, address := range []string{"/api/brands/?lang=kk", "/api/brands/?lang=kk&category_id=litso"} {
		var brands []brandSaid
		ask("/api/brands/", address, &brands)
		for _, want := range []brandSaid{{"Ostara", "Сабырлы күтім.", []string{}}, {"Tilia", "Небольшая мастерская. Работает с 2009 года.", []string{"description"}}} {
			if !slices.ContainsFunc(brands, func(b brandSaid) bool { return reflect.DeepEqual(b, want) }) {
				t.Errorf("%s lacks %+v: %+v", address, want, brands)
			}
		}
	}
	var maker brandSaid
	if ask("/api/brands/{id}/", "/api/brands/ostara/?lang=kk", &maker); maker.Description != "Сабырлы күтім." || len(maker.Russian) != 0 {
		t.Errorf("the brand says %+v", maker)
	}
	var suggested struct{ Results []readapi.Suggestion }
	ask("/api/products/suggest/", "/api/products/suggest/?lang=kk&q="+url.QueryEscape("сыворотка"), &suggested)
	if !slices.ContainsFunc(suggested.Results, func(s readapi.Suggestion) bool { return s.Text == page.Name && s.Lang == "kk" }) {
		t.Errorf("suggested is %+v", suggested.Results)
	}
	if body := get(t, shop, "/api/products/?lang=kk&limit=1").Body.String(); !strings.Contains(body, "lang=kk&limit=1&offset=1") {
		t.Errorf("the next page forgets the language: %s", body)
	}
}

// TestRussianAnswersStayAsTheyWere: texts in Kazakh change no byte of an answer in Russian, whatever else lang says.
func TestRussianAnswersStayAsTheyWere(t *testing.T) {
	t.Parallel()
	db, shop := open(t, history())
	addresses := []string{"/api/products/", "/api/products/ostara-niacinamide-serum/", "/api/categories/", "/api/categories/litso/", "/api/brands/ostara/",
		"/api/products/popular/", "/api/products/suggest/?q=" + url.QueryEscape("сыворотка")}
	before := map[string]string{}
	for _, address := range addresses {
		before[address] = get(t, shop, address).Body.String()
	}
	project(t, db, translated().events)
	for _, address := range addresses {
		if after := get(t, shop, address).Body.String(); after != before[address] {
			t.Errorf("%s was %s and is %s", address, before[address], after)
		}
	}
	if odd := get(t, shop, "/api/products/ostara-niacinamide-serum/?lang=en").Body.String(); odd != before["/api/products/ostara-niacinamide-serum/"] {
		t.Errorf("another language answers %s", odd)
	}
}

// TestKeptAnswersKnowTheirLanguage: an answer kept in one language is never the answer in the other.
func TestKeptAnswersKnowTheirLanguage(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	if _, err := rebuild.Prepare(t.Context(), db, projections.All()...); err != nil {
		t.Fatal(err)
	}
	project(t, db, history())
	project(t, db, translated().events)
	shop := routes(db, readapi.Fresh{Positions: standing(1 << 60)}, readapi.NewAnswers(1<<20, func() time.Time { return today }))
	const address = "/api/products/ostara-niacinamide-serum/"
	for range 2 {
		kazakh, russian := get(t, shop, address+"?lang=kk"), get(t, shop, address)
		if body := kazakh.Body.String(); !strings.Contains(body, `"name":"Ниацинамид қосылған бет сарысуы"`) {
			t.Errorf("Kazakh is %s", body)
		}
		if body := russian.Body.String(); !strings.Contains(body, `"name":"Сыворотка для лица с ниацинамидом 5 %"`) {
			t.Errorf("Russian is %s", body)
		}
		if kazakh.Header().Get("ETag") == russian.Header().Get("ETag") {
			t.Error("both have one ETag")
		}
		if w := get(t, shop, address, "If-None-Match", kazakh.Header().Get("ETag")); w.Code != 200 {
			t.Errorf("a copy in Kazakh answers Russian: %d", w.Code)
		}
	}
}

// TestSearchFindsKazakhTexts: goods are found by what they say in Kazakh, also when it is typed in Russian letters, and answer in either language.
func TestSearchFindsKazakhTexts(t *testing.T) {
	t.Parallel()
	db, shop := open(t, history())
	l := translated()
	l.add(catalog.ProductStream(product(6)), catalog.ProductTranslated{ID: product(6), Kazakh: catalog.Translation{Name: "Таңғажайып көгершін"}, At: today})
	project(t, db, l.events)
	for _, text := range []string{"таңғажайып", "тангажайып", "көгершін", "кoгершинди", "Таңғажайып көгершіннің"} {
		for language, name := range map[string]string{"": "Мыло твёрдое с лавандой, ручная варка", "&lang=kk": "Таңғажайып көгершін"} {
			var found struct{ Results []struct{ Name string } }
			body := get(t, shop, "/api/products/?search="+url.QueryEscape(text)+language).Body.Bytes()
			if err := json.Unmarshal(body, &found); err != nil {
				t.Fatal(err)
			}
			if len(found.Results) == 0 || found.Results[0].Name != name {
				t.Errorf("%s%s finds %s", text, language, body)
			}
		}
	}
}
