package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/pages"
	"shop/cmd/shop/shoptest"
	"shop/commands"
	"shop/commands/changes"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/rules"
	"shop/domain/settings"
	"shop/domain/staff"
	"shop/projections"
	"shop/readapi"
	"shop/web"
)

// previewed is a shop with its projectors and the storefront that is built into the program.
type previewed struct {
	*staffDesk
	projecting *app.Projecting
	preview    *edge.Preview
}

func openPreviewed(t *testing.T) *previewed {
	t.Helper()
	s := &previewed{staffDesk: openStaffDesk(t, "SHOP_SIGNIN_RATE=0")}
	var err error
	if s.projecting, err = s.shop.StartProjections(t.Context(), app.EveryRole, make(chan error, 1)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.projecting.Stop)
	if s.site, err = newSite(s.shop, s.projecting); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.site.Pages.Engines.Stop)
	s.site.Https = true
	s.http = s.site.Routes()
	s.preview = s.site.Desks.Changes.Storefront.(*edge.Preview)
	return s
}

// id is an id that a name stands for.
func id(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)) }

func item(thing string, id any, field string, now any) changes.Asked {
	value, err := json.Marshal(now)
	if err != nil {
		panic(err)
	}
	return changes.Asked{Thing: thing, ID: fmt.Sprint(id), Field: field, Now: value}
}

// propose proposes a change that begins after some time; 0: at once.
func (s *previewed) propose(after, lasts time.Duration, items ...changes.Asked) changes.Answer {
	s.t.Helper()
	p := changes.Proposal{Title: "Весна", Items: items, May: func(staff.Permission) bool { return true }}
	if after > 0 {
		p.StartsAt = s.shop.Handler.Now().Add(after)
	}
	if lasts > 0 {
		p.EndsAt = s.shop.Handler.Now().Add(after + lasts)
	}
	a, err := s.shop.Changes.Propose(commands.WithOrigin(s.t.Context(), commands.Origin{Actor: "staff:" + id("manager").String()}), p)
	if err != nil {
		s.t.Fatalf("propose: %v %+v", err, a)
	}
	s.folded()
	return a
}

// folded returns when the read models of the storefront show the whole log.
func (s *previewed) folded() {
	s.t.Helper()
	if err := s.projecting.CatchUp(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func soap(article string, category, brand string) changes.AddedProduct {
	of := id(brand)
	return changes.AddedProduct{
		Article: article, Link: strings.ToLower(article), CategoryID: id(category), BrandID: &of, Price: 9_000, DiscountedPrice: 9_000, OnHand: 10,
		Text:     catalog.ProductText{Name: "Крем " + article, Description: "Мягкий крем", Composition: "Aqua, Glycerin", PackageSize: "50 мл", MadeIn: "Казахстан"},
		Pictures: []catalog.Picture{{Src: "/img/" + article + ".webp", Width: 800, Height: 800}},
	}
}

// fill puts goods, texts and settings into the shop.
func (s *previewed) fill() {
	s.t.Helper()
	var items []changes.Asked
	for i, name := range []string{"face", "body"} {
		items = append(items, item("category", id(name), "whole", catalog.Category{Link: name, Name: "Уход " + name, Order: i}))
	}
	for _, name := range []string{"altyn", "kumis"} {
		items = append(items, item("brand", id(name), "whole", catalog.Brand{Link: name, Name: "Марка " + name}))
	}
	said := settings.Default()
	said.Email, said.LegalName, said.Phone = "hello@example.kz", "ТОО «Дала»", "+7 701 111 22 33"
	said.Address = settings.Text{RU: "Алматы, Абая 1", KK: "Алматы, Абай 1"}
	items = append(items, item("mark", id("eco"), "whole", catalog.Mark{Name: "Эко", Description: "Без лишнего"}), item("settings", settings.Stream, "whole", said),
		item("content", "main-slider", "slides", []content.Slide{{URL: "/category/face", File: "/img/old.webp", Alt: "Зима"}}),
		item("post", id("post"), "article", changes.Article{Link: "zima", Title: "Зимний уход", Excerpt: "Коротко", Source: "Как беречь кожу"}),
		item("rules", rules.Stream, "minimum_sum", 7_000))
	s.propose(0, 0, items...)
	items = nil
	for i := range 4 {
		article := fmt.Sprint("MK-", i)
		items = append(items, item("product", commands.ProductID(article), "added", soap(article, []string{"face", "body"}[i%2], []string{"altyn", "kumis"}[i/2])))
	}
	s.propose(0, 0, items...)
	s.propose(0, 0, item("product", commands.ProductID("MK-1"), "marks", []uuid.UUID{id("eco")}))
}

// shownPages are pages of every kind.
var shownPages = []string{
	"/", "/categories", "/category/face", "/category/body", "/category/hands", "/brands", "/brands/altyn", "/product/mk-0", "/product/mk-1", "/product/mk-9", "/about",
	"/dostavka-i-skidki", "/news", "/news/zima", "/news/vesna", "/documents/offer", "/documents/privacy", "/basket", "/nowhere",
}

// linksOf are links within the shop.
var linksOf = regexp.MustCompile(`<a [^>]*href="(/[^"]*)"`)

// position is what a page says of how new it is.
var position = regexp.MustCompile(`"position":"\d+"`)

func plain(html []byte) string { return position.ReplaceAllString(string(html), "") }

// fresh are the pages as shoppers get them now, by pages that kept nothing before.
func (s *previewed) fresh(language string, paths []string) map[string]string {
	s.t.Helper()
	c := s.shop.Config
	p, err := pages.LoadPages(web.Dist(), c.Contact.Name, c.PublicURL, shoptest.Quiet)
	if err != nil {
		s.t.Fatal(err)
	}
	if c.Payments == "sandbox" {
		p.TellTestBank(c.Published())
	}
	p.Engines, p.Reads = s.site.Pages.Engines, s.site.PageReads()
	r := chi.NewRouter()
	for _, page := range p.List {
		for _, route := range page.Routes() {
			r.Get(route, p.Show(page))
		}
	}
	r.NotFound(p.NotFound)
	all := map[string]string{}
	for _, path := range paths {
		for len(all[path]) == 0 {
			request := httptest.NewRequest("GET", path, nil)
			request.Header.Set("Cookie", "lang="+language)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, request)
			if body := plain(w.Body.Bytes()); !strings.Contains(body, `<div id="root"></div>`) { // else it is still being drawn
				all[path] = fmt.Sprint(w.Code, "\n", body)
			}
		}
	}
	return all
}

// drawn are the pages as a preview of a change shows them.
func (s *previewed) drawn(change uuid.UUID, language string, paths []string) map[string]string {
	s.t.Helper()
	pending, err := s.shop.Changes.Pending(s.t.Context(), change)
	if err != nil {
		s.t.Fatal(err)
	}
	if pending.Left > 0 {
		s.t.Errorf("%d items are left out", pending.Left)
	}
	all := map[string]string{}
	for _, path := range paths {
		got, _, err := s.preview.Draw(s.t.Context(), pending.Events, language, path)
		if err != nil {
			s.t.Fatalf("%s: %v", path, err)
		}
		if got.Moved != "" {
			s.t.Errorf("%s moved to %s", path, got.Moved)
		}
		all[path] = fmt.Sprint(got.Status, "\n", plain(got.HTML))
	}
	return all
}

// everything is what is written of the shop: its log, all rows of its read models, which tables there are, and the pages that are kept.
func (s *previewed) everything() string {
	s.t.Helper()
	var b strings.Builder
	tell := func(name, sql string) {
		var told string
		if err := s.shop.Pool.QueryRow(s.t.Context(), sql).Scan(&told); err != nil {
			s.t.Fatalf("%s: %v", name, err)
		}
		fmt.Fprintln(&b, name, told)
	}
	tell("log", "SELECT count(*)::text || ' ' || max(position) FROM eventstore.events")
	tell("tables", "SELECT md5(string_agg(n.nspname || '.' || c.relname, ',' ORDER BY n.nspname, c.relname)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace")
	until(s.t, "no transaction is open", func() (none bool) { // those of projectors end by themselves
		err := s.shop.Pool.QueryRow(s.t.Context(), "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'").Scan(&none)
		return err == nil && none
	})
	for _, p := range projections.All() {
		if p.Rest > 0 {
			continue // folded later
		}
		for _, table := range p.Tables {
			d := table.Definition()
			tell(p.Name+"."+d.Name, "SELECT count(*)::text || ' ' || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM "+d.In(p.Name)+" t")
		}
	}
	for _, path := range shownPages {
		fmt.Fprintln(&b, "kept", path, s.site.Pages.Look("ru "+path), s.site.Pages.Look("kk "+path))
	}
	return b.String()
}

// kinds are changes of every kind. Each finds the shop as those before it left it.
func kinds() []struct {
	what  string
	lasts time.Duration
	// touches are pages that the change must make different.
	touches []string
	items   []changes.Asked
} {
	first, second := commands.ProductID("MK-0"), commands.ProductID("MK-1")
	var many []changes.Asked
	for i := range 12 {
		article := fmt.Sprint("NEW-", i)
		many = append(many, item("product", commands.ProductID(article), "added", soap(article, "face", "altyn")))
	}
	page := func(text string) string { return "# " + text + "\n\nТекст\n\n## Ещё\n\n{minimum_sum}" }
	said := settings.Default()
	said.Email, said.LegalName, said.Phone = "shop@example.kz", "ТОО «Весна»", "+7 702 000 00 00"
	said.Address, said.SocialName, said.SocialURL = settings.Text{RU: "Астана, Мира 2"}, "Instagram", "https://example.kz/dala"
	return []struct {
		what    string
		lasts   time.Duration
		touches []string
		items   []changes.Asked
	}{
		{"a price", 0, []string{"/product/mk-0", "/category/face", "/brands/altyn", "/"}, []changes.Asked{item("product", first, "price", 9_900)}},
		{"a discount", 0, []string{"/product/mk-1"}, []changes.Asked{item("product", second, "discount", 20)}},
		{"a discount for a while", time.Hour, []string{"/product/mk-0"}, []changes.Asked{item("product", first, "discount", 30)}},
		{"texts", 0, []string{"/product/mk-1"}, []changes.Asked{
			item("product", second, "name", "Крем «Алма» & <b>"), item("product", second, "description", "Новый текст"), item("product", second, "composition", "Aqua"),
			item("product", second, "package_size", "75 мл"), item("product", second, "kazakh", catalog.Translation{Name: "Алма кремі"}),
		}},
		{"pictures", 0, []string{"/product/mk-1"}, []changes.Asked{item("product", second, "pictures", []catalog.Picture{{Src: "https://pictures.example/1.webp", Width: 10, Height: 10, Alt: "Баночка"}})}},
		{"marks", 0, []string{"/product/mk-0"}, []changes.Asked{item("product", first, "marks", []uuid.UUID{id("eco")})}},
		{"a mark", 0, []string{"/product/mk-0"}, []changes.Asked{item("mark", id("eco"), "description", "Иначе")}},
		{"a category to be in", 0, []string{"/category/face", "/category/body"}, []changes.Asked{item("product", second, "category_id", id("face"))}},
		{"a brand to be of", 0, []string{"/product/mk-1", "/brands"}, []changes.Asked{item("product", second, "brand_id", id("kumis"))}},
		{"no pieces", 0, []string{"/product/mk-0"}, []changes.Asked{item("stock", first, "on_hand", 0)}},
		{"a new category with a new product", 0, []string{"/", "/category/hands", "/product/mk-9"}, []changes.Asked{
			item("category", id("hands"), "whole", catalog.Category{Link: "hands", Name: "Уход за руками"}), item("product", commands.ProductID("MK-9"), "added", soap("MK-9", "face", "kumis")),
		}},
		{"many new products", 0, []string{"/category/face", "/"}, many},
		{"a category's text", 0, []string{"/category/face"}, []changes.Asked{item("category", id("face"), "name", "Лицо"), item("category", id("face"), "description", "О коже лица")}},
		{"the order of categories", 0, []string{"/categories"}, []changes.Asked{item("category", id("face"), "order", 7), item("category", id("body"), "order", 3)}},
		{"a category's link", 0, []string{"/category/hands"}, []changes.Asked{item("category", id("hands"), "link", "ruki")}},
		{"a category that leaves", 0, []string{"/category/body", "/categories"}, []changes.Asked{item("category", id("body"), "archived", true)}},
		{"a brand", 0, []string{"/brands", "/brands/altyn"}, []changes.Asked{item("brand", id("altyn"), "whole", catalog.Brand{Link: "altyn", Name: "Алтын", Description: "О марке"})}},
		{"a product that leaves", 0, []string{"/product/mk-0", "/category/face"}, []changes.Asked{item("product", first, "archived", true)}},
		{"slides", 0, []string{"/"}, []changes.Asked{item("content", "main-slider", "slides", []content.Slide{{URL: "/news", File: "/img/new.webp", Alt: "Весна"}})}},
		{"the page about us", 0, []string{"/about"}, []changes.Asked{item("content", "about", "source", page("О нас"))}},
		{"the page of delivery", 0, []string{"/dostavka-i-skidki"}, []changes.Asked{item("content", "delivery", "source", page("Доставка"))}},
		{"a new post", 0, []string{"/news", "/news/vesna"}, []changes.Asked{item("post", id("spring"), "article", changes.Article{Link: "vesna", Title: "Весна", Excerpt: "Пора", Source: "## Солнце\n\nИ крем"})}},
		{"a post", 0, []string{"/news/zima"}, []changes.Asked{item("post", id("post"), "article", changes.Article{Link: "zima", Title: "Зима прошла", Excerpt: "Всё", Source: "Конец"})}},
		{"a post out of sight", 0, []string{"/news", "/news/zima"}, []changes.Asked{item("post", id("post"), "article", nil)}},
		{"a document", 0, []string{"/documents/offer"}, []changes.Asked{item("document", "offer", "text", changes.Wording{RU: changes.Written{Title: "Оферта", Source: "Мы продаём"}})}},
		{"a document out of force", 0, []string{"/documents/offer"}, []changes.Asked{item("document", "offer", "text", nil)}},
		{"a contact", 0, []string{"/", "/about", "/product/mk-1"}, []changes.Asked{item("settings", settings.Stream, "phone", "+7 700 000 00 01")}},
		{"all settings", 0, []string{"/", "/documents/privacy"}, []changes.Asked{item("settings", settings.Stream, "whole", said)}},
		{"a rule", 0, []string{"/dostavka-i-skidki"}, []changes.Asked{item("rules", rules.Stream, "minimum_sum", 8_000)}},
		{"prices of delivery", 0, []string{"/dostavka-i-skidki"}, []changes.Asked{item("rules", rules.Stream, "delivery", []rules.CityDelivery{{City: "Астана", Price: 2_500, FreeFrom: 30_000}})}},
	}
}

// TestAPreviewIsThePageThatFollows: for each kind of change, the pages that its preview shows before it is applied are byte for byte those
// that shoppers get afterwards, but for the position of the log; before that, nothing of the shop is different for it.
func TestAPreviewIsThePageThatFollows(t *testing.T) {
	t.Parallel()
	s := openPreviewed(t)
	s.fill()
	for i, kind := range kinds() {
		language := []string{"ru", "ru", "kk"}[i%3]
		paths := slices.Compact(slices.Sorted(slices.Values(append(kind.touches, shownPages[i%len(shownPages)], shownPages[(i+7)%len(shownPages)]))))
		live := s.fresh(language, paths)
		change := s.propose(time.Minute, kind.lasts, kind.items...)
		before := s.everything()
		foretold := s.drawn(change.ID, language, paths)
		if after := s.everything(); after != before {
			t.Errorf("%s: the preview left something:\n%s\nwas\n%s", kind.what, after, before)
		}
		s.pass(time.Minute)
		if _, err := s.shop.Changes.Apply(t.Context(), change.ID); err != nil {
			t.Fatalf("%s: %v", kind.what, err)
		}
		s.folded()
		follows := s.fresh(language, paths)
		for _, path := range paths {
			if foretold[path] != follows[path] {
				t.Errorf("%s: the preview of %s is not the page that follows: %s", kind.what, path, apart(foretold[path], follows[path]))
			}
			if live[path] == follows[path] && slices.Contains(kind.touches, path) {
				t.Errorf("%s changes nothing of %s", kind.what, path)
			}
		}
	}
}

// apart is where two texts begin to differ.
func apart(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	around := func(text string) string { return text[max(0, at-100):min(len(text), at+100)] }
	return fmt.Sprintf("\n%q\n%q", around(a), around(b))
}

// TestPreviewsAreForStaff: a preview is for whoever may see the change, as a page that does nothing, stays nowhere and leads on in itself;
// shoppers see what they saw.
func TestPreviewsAreForStaff(t *testing.T) {
	t.Parallel()
	s := openPreviewed(t)
	s.fill()
	keeper, manager, writer, courier := s.worker(staff.Catalog), s.worker(staff.Manager), s.worker(staff.Content), s.worker(staff.Courier)
	var made changedThings
	keeper.ask(201, "POST", "/api/staff/changes/", fmt.Sprintf(`{"title":"Весна","items":[{"thing":"product","id":%q,"field":"price","now":7777}]}`, commands.ProductID("MK-0")), &made)
	if made.Status != "waiting" {
		t.Fatalf("%+v", made)
	}
	s.folded()
	at := "/api/staff/changes/" + made.ID.String() + "/preview/"
	look := func(w worker, query string) *httptest.ResponseRecorder {
		return s.ask("GET", at+query, "", "Cookie", w.cookie)
	}
	for _, w := range []worker{keeper, manager} {
		got := look(w, "?path=/product/mk-0")
		s.wants("a preview", got, 200, "7\u00a0777")
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "X-Frame-Options": "SAMEORIGIN", "Content-Type": "text/html", "Etag": "", "Surrogate-Key": "",
		} {
			if said := got.Header().Get(name); !strings.HasPrefix(said, want) || want == "" && said != "" {
				t.Errorf("%s is %q, want %q", name, said, want)
			}
		}
		for _, want := range []string{"script-src 'none'", "form-action 'none'", "frame-ancestors 'self'", "sandbox allow-same-origin", "default-src 'none'"} {
			if policy := got.Header().Get("Content-Security-Policy"); !strings.Contains(policy, want) {
				t.Errorf("the policy %q lacks %s", policy, want)
			}
		}
		body := got.Body.String()
		for _, never := range []string{"<script", "<noscript"} {
			if strings.Contains(body, never) {
				t.Errorf("the preview has %s", never)
			}
		}
		for _, link := range linksOf.FindAllStringSubmatch(body, -1) {
			if !strings.HasPrefix(link[1], at) && !strings.HasSuffix(link[1], ".pdf") {
				t.Errorf("a link leads to %s", link[1])
			}
		}
		if next := `href="` + at + "?language=ru&amp;path=%2Fcategory%2Fface"; !strings.Contains(body, next) {
			t.Errorf("no link leads on to %s", next)
		}
	}
	s.wants("in Kazakh", look(keeper, "?language=kk&path=/category/face"), 200, `lang="kk"`)
	s.wants("the office itself", s.ask("GET", "/admin", ""), 200, "")
	if policy := s.ask("GET", "/admin", "").Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src 'self'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the office's policy is %q", policy)
	}

	s.wants("somebody else's change", look(writer, "?path=/"), 403, "")
	s.wants("a role that sees no changes", look(courier, "?path=/"), 403, "")
	s.wants("nobody", s.ask("GET", at+"?path=/", ""), 401, "")
	s.wants("no such change", s.ask("GET", strings.Replace(at, made.ID.String(), uuid.NewString(), 1)+"?path=/", "", "Cookie", manager.cookie), 404, "change/unknown")
	s.wants("no such page", look(keeper, "?path=/nowhere"), 404, "</html>")
	s.wants("no such product", look(keeper, "?path=/product/nothing"), 404, "</html>")
	s.wants("no such language", look(keeper, "?path=/&language=de"), 400, `"language"`)
	for _, outside := range []string{"", "evil", "//evil.example/", "https://evil.example/", "/\\evil", "/admin", "/admin/orders", "/API/shop", "/api/staff/me/", "/ops", "/analytics/", "/pay/sandbox/1", "/media/x.webp", "javascript:alert(1)"} {
		s.wants(outside, look(keeper, "?path="+url.QueryEscape(outside)), 400, `{"path":["`)
	}
	moved := look(keeper, "?path=/product/mk-0/")
	if to := at + "?language=ru&path=%2Fproduct%2Fmk-0"; moved.Code != 302 || moved.Header().Get("Location") != to {
		t.Errorf("another spelling: %d %s, want %s", moved.Code, moved.Header().Get("Location"), to)
	}

	var touched struct {
		Results []readapi.TouchedPage
		Left    int
	}
	keeper.ask(200, "GET", strings.Replace(at, "preview", "pages", 1), "", &touched)
	want := "[{product /product/mk-0 Крем MK-0} {category /category/face Уход face} {brand /brands/altyn Марка altyn} {home / }]"
	if fmt.Sprint(touched.Results) != want || touched.Left != 0 {
		t.Errorf("touched %v", touched)
	}
	if page := s.ask("GET", "/product/mk-0", "").Body.String(); strings.Contains(page, "7\u00a0777") || !strings.Contains(page, "9\u00a0000") {
		t.Error("shoppers see the price that is only proposed")
	}

	s.draft(manager, s.worker(staff.Admin), commands.ProductID("MK-1"))
	manager.ask(204, "POST", "/api/staff/changes/"+made.ID.String()+"/reject/", `{"reason":"no"}`, nil)
	s.wants("a rejected change", look(keeper, "?path=/"), 409, "change/no-preview")
	keeper.ask(409, "GET", strings.Replace(at, "preview", "pages", 1), "", nil)
	manager.ask(201, "POST", "/api/staff/changes/", fmt.Sprintf(`{"items":[{"thing":"product","id":%q,"field":"price","now":7778}]}`, commands.ProductID("MK-0")), &made)
	s.wants("an applied change", s.ask("GET", "/api/staff/changes/"+made.ID.String()+"/preview/?path=/", "", "Cookie", manager.cookie), 409, "change/no-preview")
}

// draft checks that a draft waits for the one who made it.
func (s *previewed) draft(manager, other worker, product uuid.UUID) {
	s.t.Helper()
	var made changedThings
	manager.ask(201, "POST", "/api/staff/changes/", fmt.Sprintf(`{"draft":true,"items":[{"thing":"product","id":%q,"field":"price","now":5555}]}`, product), &made)
	if made.Status != "waiting" || fmt.Sprint(made.Needs) != "[draft]" {
		s.t.Errorf("a draft is %+v", made)
	}
	at := "/api/staff/changes/" + made.ID.String()
	s.wants("a draft", s.ask("GET", at+"/preview/?path=/product/mk-1", "", "Cookie", manager.cookie), 200, "5\u00a0555")
	other.ask(403, "POST", at+"/apply/", "{}", nil)
	manager.ask(204, "POST", at+"/apply/", "{}", nil)
	s.folded()
	s.wants("the page then", s.ask("GET", "/api/products/mk-1/", ""), 200, `"discounted_price":5555`)
}
