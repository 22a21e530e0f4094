package main

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"shop/cmd/shop/demo"
	"shop/commands/importer/catalogfile"
	"shop/readapi/words"
)

// spokenOn are the texts of a page that are not marked as Russian, with what tells where each is.
func spokenOn(t *testing.T, page string) map[string]string {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	spoken := map[string]string{}
	say := func(where, text string) {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			spoken[text] = where
		}
	}
	var walk func(n *html.Node, kazakh bool)
	walk = func(n *html.Node, kazakh bool) {
		if n.Type == html.TextNode && kazakh {
			say("<"+n.Parent.Data+">", n.Data)
		}
		if n.Type == html.ElementNode {
			if slices.Contains([]string{"script", "style"}, n.Data) {
				return
			}
			at := map[string]string{}
			for _, a := range n.Attr {
				at[a.Key] = a.Val
			}
			if language, said := at["lang"]; said {
				kazakh = language == "kk"
			}
			for _, name := range []string{"aria-label", "aria-description", "aria-valuetext", "placeholder", "title", "alt"} {
				if kazakh {
					say(n.Data+"["+name+"]", at[name])
				}
			}
			if n.Data == "meta" && kazakh && (at["name"] == "description" || at["property"] == "og:title" || at["property"] == "og:description") {
				say("meta", at["content"])
			}
		}
		for child := range n.ChildNodes() {
			walk(child, kazakh)
		}
	}
	walk(root, false)
	return spoken
}

// russianIn are the words of a text that are Russian and not Kazakh. Kazakh letters make a word Kazakh; a word without one is Russian when the
// dictionary knows it as a form and it is none of those that both languages have.
func russianIn(text string, alike map[string]bool) []string {
	var russian []string
	for _, token := range words.Tokens(words.Plain(text)) {
		w := token.Text
		if words.IsCyrillic(w) && !words.IsKazakh(w) && words.Dictionary().Known(w) && !alike[w] {
			russian = append(russian, w)
		}
	}
	return russian
}

// bothHave are the words of a file, a line each or several.
func bothHave(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/kazakh-words.txt")
	if err != nil {
		t.Fatal(err)
	}
	alike := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range strings.Fields(line) {
				alike[words.Plain(w)] = true
			}
		}
	}
	return alike
}

// kazakhPage is a page as those get it who chose Kazakh; a page comes without what it shows while it is rendered for the first time. Pages of a
// person's own show their frame alone.
func (s *served) kazakhPage(path string, shows bool) string {
	s.t.Helper()
	mark := "<footer"
	if shows {
		mark = "<h1"
	}
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if _, _, page := s.send("GET", path, nil, "Cookie", "lang=kk", "Accept", "text/html"); strings.Contains(page, mark) {
			return page
		}
		if time.Now().After(until) {
			s.t.Fatalf("%s is not rendered", path)
		}
	}
}

// TestNoRussianIsLeftOnKazakhPages: the demo's pages for those who chose Kazakh. What is Russian by intent, such as posts and reviews, is
// marked as Russian; heads may also name a post or a brand as they are written.
func TestNoRussianIsLeftOnKazakhPages(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.ok("demo", "--orders", "20")
	s := p.serve()
	alike := bothHave(t)
	for path, head := range map[string]bool{
		"/": true, "/categories": true, "/categories/litso": true, "/categories/detyam": true, "/category/syvorotki": true, "/category/stirka": true,
		"/category/zubnye-pasty": true, "/product/ostara-niacinamide-serum": true, "/product/kalm-lavender-soap": true, "/product/tilia-lip-balm": true,
		"/brands": true, "/brands/ostara": false, "/about": true, "/dostavka-i-skidki": true, "/news": true, "/news/kak-chitat-inci": false,
		"/documents/offer": true, "/documents/privacy": true, "/no-such-page": true,
		"/basket": true, "/checkout": true, "/login": true, "/registration": true, "/reset-password": true,
		"/verify-email": true, "/new-password": true, "/account/info": true, "/account/orders": true, "/account/waiting": true,
		"/account/bonuses": true, "/account/security": true, "/order/x": true, "/account/order/x": true,
	} {
		own := strings.HasPrefix(path, "/account") || strings.HasPrefix(path, "/order") || strings.HasSuffix(path, "-email") || path == "/new-password"
		page := s.kazakhPage(path, !own)
		if !strings.Contains(page, `<html lang="kk"`) {
			t.Errorf("%s is not in Kazakh", path)
		}
		spoken := spokenOn(t, page)
		if len(spoken) < 30 {
			t.Errorf("%s says only %d things", path, len(spoken))
		}
		for text, where := range spoken {
			if !head && (where == "meta" || where == "<title>") {
				continue
			}
			if left := russianIn(text, alike); len(left) > 0 {
				t.Errorf("%s, %s: %q has %q", path, where, text, left)
			}
		}
	}
}

// TestNoRussianIsLeftInTheDemosKazakh: the texts of all goods, categories and marks, of which the pages above show some.
func TestNoRussianIsLeftInTheDemosKazakh(t *testing.T) {
	t.Parallel()
	alike := bothHave(t)
	directory, err := demo.Directory()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, m := range directory.Marks {
		texts[m.Name] = m.Kazakh.Name + "\n" + m.Kazakh.Description
	}
	for _, c := range directory.Categories {
		texts[c.Category.Link] = c.Category.Kazakh.Name + "\n" + c.Category.Kazakh.Description
	}
	file, err := catalogfile.Open(demo.CatalogFile(), "catalog.xml", catalogfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for row, err := file.Next(); !errors.Is(err, io.EOF); row, err = file.Next() {
		if err != nil {
			t.Fatal(err)
		}
		texts[row.Article] = strings.Join(slices.Collect(maps.Values(row.Kazakh)), "\n")
	}
	for of, text := range texts {
		if left := russianIn(text, alike); len(left) > 0 {
			t.Errorf("%s has %q", of, left)
		}
	}
	if len(texts) < 220+43+9 {
		t.Errorf("only %d are described", len(texts))
	}
}

// TestTheShopAnswersInKazakh: what was done, and what no endpoint is asked for, in the language of the request; without a cookie all is Russian.
func TestTheShopAnswersInKazakh(t *testing.T) {
	t.Parallel()
	s := onDatabase(t).serve()
	for _, c := range []struct {
		method, path, body, kind string
		status                   int
		russian, kazakh          string
	}{
		{"POST", "/api/auth/profile/password-reset/request/", `{"email":"nobody@example.kz"}`, "application/json", 200,
			"Если аккаунт с таким e-mail есть, мы отправили на него код", "Мұндай e-mail-мен аккаунт болса, оған код жібердік"},
		{"PUT", "/api/shop/", "", "application/json", 405, "Этот метод здесь не поддерживается", "Бұл әдіс мұнда қолданылмайды"},
		{"POST", "/api/orders/", "a=b", "text/plain", 415, "Ожидается JSON (Content-Type: application/json)", "JSON күтіледі (Content-Type: application/json)"},
		{"POST", "/api/orders/", `{"comment":"` + strings.Repeat("a", 2<<20) + `"}`, "application/json", 413, "Слишком большой запрос", "Сұрау тым үлкен"},
		{"GET", "/api/nowhere/", "", "application/json", 404, "Не найдено", "Табылған жоқ"},
	} {
		for cookie, want := range map[string]string{"": c.russian, "lang=ru": c.russian, "lang=kk": c.kazakh} {
			status, _, body := s.send(c.method, c.path, strings.NewReader(c.body), "Content-Type", c.kind, "Cookie", cookie)
			if status != c.status || !strings.Contains(body, `"detail":"`+want+`"`) {
				t.Errorf("%s %s with %q: %d %s, want %d %s", c.method, c.path, cookie, status, body, c.status, want)
			}
		}
	}
}

// TestAPriceSpeaksTheLanguageOfTheRequest: what it says of a promo code, and why nothing can be ordered; an order is refused in it too.
func TestAPriceSpeaksTheLanguageOfTheRequest(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 3_000, 30)
	p.ok("promocodes", "issue", "BIG", "--percent", "10", "--min-sum", "50000")
	s := p.serve()
	for _, c := range []struct {
		path            string
		asked           map[string]any
		status          int
		russian, kazakh []string
	}{
		{calculatePrice, map[string]any{"products": []any{pieces(soap, 1)}, "promocode": "BIG"}, 200, []string{"Промокод действует при заказе от 50", "Минимальная сумма заказа 7"}, []string{"сомасынан басталатын тапсырысқа жарамды", "Ең төменгі тапсырыс сомасы 7"}},
		{"/api/orders/", buyer(map[string]any{"promocode": "BIG"}, pieces(soap, 3)), 400, []string{"Промокод действует при заказе от 50"}, []string{"сомасынан басталатын тапсырысқа жарамды"}},
	} {
		for cookie, want := range map[string][2][]string{"lang=ru": {c.russian, c.kazakh}, "lang=kk": {c.kazakh, c.russian}} {
			status, body := s.call(http.MethodPost, c.path, c.asked, "Cookie", cookie)
			if status != c.status {
				t.Fatalf("%s: %d %s", c.path, status, body)
			}
			for i := range want[0] {
				if !strings.Contains(body, want[0][i]) || strings.Contains(body, want[1][i]) {
					t.Errorf("%s with %s lacks %q, or has %q: %s", c.path, cookie, want[0][i], want[1][i], body)
				}
			}
		}
	}
}
