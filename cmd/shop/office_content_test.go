package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/importer/markup"
	"shop/domain/content"
	"shop/domain/staff"
	"shop/readapi"
)

func contentDesk(t *testing.T) *staffDesk {
	t.Helper()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.desks(d.orders())
	d.catchUp("content", "posts", "rules", "changes")
	return d
}

// changed proposes a change of one item as a worker, and answers its id.
func (w worker) changed(status int, thing, id, field string, now any) (made changedThings) {
	w.d.t.Helper()
	value, err := json.Marshal(now)
	if err != nil {
		w.d.t.Fatal(err)
	}
	w.ask(status, "POST", "/api/staff/changes/", fmt.Sprintf(`{"title":"Тексты","items":[{"thing":%q,"id":%q,"field":%q,"now":%s}]}`, thing, id, field, value), &made)
	return made
}

// TestStaffWriteThePagesOfTheShop: what they write is shown without what is not safe, and an undo brings the shop's own text back.
func TestStaffWriteThePagesOfTheShop(t *testing.T) {
	t.Parallel()
	d := contentDesk(t)
	editor := d.worker(staff.Content)
	page := func(name string) (p readapi.PageText) {
		t.Helper()
		d.catchUp("content")
		r := chi.NewRouter()
		r.Get("/{name}", func(w http.ResponseWriter, r *http.Request) {
			if err := (readapi.Endpoint)(readapi.Pages{DB: d.shop.Pool}.Show).ServeJSON(w, r); err != nil {
				w.WriteHeader(http.StatusNotFound)
			}
		})
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", "/"+name, nil))
		if w.Code == http.StatusOK {
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	before := page("about")
	if len(before.Text) != 2 || !strings.HasPrefix(before.Text[1], "<h2>Как всё началось</h2>") || len(before.TextKK) != 2 {
		t.Errorf("%q", before)
	}
	made := editor.changed(201, "content", "about", "source", "# О нас\n\nМы <script>alert(1)</script>**новые**. [Яд](javascript:alert(1))\n\n## Дальше\n\nЕщё")
	after := page("about")
	if want := []string{"<h2>О нас</h2>\n<p>Мы <strong>новые</strong>. Яд</p>", "<h2>Дальше</h2>\n<p>Ещё</p>"}; !slices.Equal(after.Text, want) || len(after.TextKK) != 0 {
		t.Errorf("%q", after)
	}
	var blocks struct {
		Results []struct{ Name, Kind, Text, Default string }
	}
	editor.ask(200, "GET", "/api/staff/content/", "", &blocks)
	at := slices.IndexFunc(blocks.Results, func(b struct{ Name, Kind, Text, Default string }) bool { return b.Name == "about" })
	if b := blocks.Results[at]; b.Kind != "page" || !strings.HasPrefix(b.Text, "# О нас") || b.Default != readapi.DefaultText("about") {
		t.Errorf("%+v", b)
	}
	editor.changed(409, "content", "discount-text", "source", "**5**")
	editor.changed(201, "content", "about-kk", "text", `<p onclick="x()">Біз</p>`)
	if got := page("about").TextKK; !slices.Equal(got, []string{"<p>Біз</p>"}) {
		t.Errorf("%q", got)
	}
	d.projectChanges()
	editor.ask(201, "POST", "/api/staff/changes/"+made.ID.String()+"/undo/", `{"reason":"рано"}`, nil)
	if got := page("about"); !slices.Equal(got.Text, before.Text) {
		t.Errorf("%q", got)
	}
	editor.changed(409, "content", "privacy", "source", "Мы бережём данные.") // it is a document
	// Photographs are larger than other bodies may be.
	editor.ask(422, "POST", "/api/staff/content/pictures/", strings.Repeat("x", 1<<20), nil)
	var shown struct{ HTML string }
	editor.ask(200, "POST", "/api/staff/content/preview/", `{"source":"*да* <iframe src=/x></iframe>"}`, &shown)
	if shown.HTML != "<p><em>да</em> </p>\n" {
		t.Errorf("%q", shown.HTML)
	}
}

// TestStaffWriteTheHomePage: its texts come in one answer, the shop's own until somebody writes others and again after an undo. A Russian
// text without a Kazakh one is shown in both languages.
func TestStaffWriteTheHomePage(t *testing.T) {
	t.Parallel()
	d := contentDesk(t)
	editor := d.worker(staff.Content)
	home := func() (texts readapi.HomeTexts) {
		t.Helper()
		d.catchUp("content")
		w := httptest.NewRecorder()
		if err := (readapi.Endpoint)(readapi.Pages{DB: d.shop.Pool}.Home).ServeJSON(w, httptest.NewRequest("GET", "/", nil)); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(w.Body.Bytes(), &texts); err != nil {
			t.Fatal(err)
		}
		return texts
	}
	before := home()
	if before.Hero.Text.Title != "Состав, который можно прочитать вслух" || before.About.TextKK == nil || len(before.Advantages.Text) != 4 {
		t.Errorf("%+v", before)
	}
	made := editor.changed(201, "content", "hero", "source", "Над\n\n# Мы\n\nРаз <script>x</script>\n\n[Да](/news)")
	editor.changed(201, "content", "about-teaser-kk", "source", "# Біз")
	after := home()
	want := readapi.Teaser{Before: "Над", Title: "Мы", Text: []string{"Раз"}, Link: &readapi.TeaserLink{URL: "/news", Text: "Да"}}
	if !reflect.DeepEqual(after.Hero, readapi.TeaserText{Text: want}) || after.About.TextKK.Title != "Біз" || !reflect.DeepEqual(after.About.Text, before.About.Text) {
		t.Errorf("%+v", after)
	}
	d.projectChanges()
	editor.ask(201, "POST", "/api/staff/changes/"+made.ID.String()+"/undo/", `{"reason":"рано"}`, nil)
	if got := home(); !reflect.DeepEqual(got.Hero, before.Hero) {
		t.Errorf("%+v", got.Hero)
	}
}

// TestDefaultTextsAreSafe: the shop's own texts are as the sanitiser leaves them.
func TestDefaultTextsAreSafe(t *testing.T) {
	t.Parallel()
	for _, page := range content.Pages {
		for _, name := range []string{page, content.Kazakh(page)} {
			if text := readapi.DefaultText(name); markup.Sanitise(text) != text {
				t.Errorf("%s: %s", name, markup.Sanitise(text))
			}
		}
	}
}

// TestTheBlogIsWrittenInTheBrowser: a post is published, changed, hidden and shown again by changes; no two have one link.
func TestTheBlogIsWrittenInTheBrowser(t *testing.T) {
	t.Parallel()
	d := contentDesk(t)
	editor := d.worker(staff.Content)
	article := func(link, source string) map[string]any {
		return map[string]any{"link": link, "title": "Как читать состав", "excerpt": "", "source": source, "html": "", "picture": "", "alt": "", "photo": nil}
	}
	first, second := uuid.NewString(), uuid.NewString()
	editor.changed(201, "post", first, "article", article("inci", "Первый <script>x</script>"))
	if made := editor.changed(409, "post", second, "article", article("inci", "Второй")); made.Results[0].Code != "catalog/link-taken" {
		t.Errorf("%+v", made)
	}
	editor.changed(409, "post", second, "article", article("Плохой адрес", "Второй"))
	// A post from a file has no claim: the read side knows its link.
	d.program().ok("posts", "publish", d.program().file("spf.md", "---\ntitle: SPF\n---\nТекст"))
	d.catchUp("posts")
	editor.changed(409, "post", second, "article", article("spf", "Второй"))

	type shownPost struct {
		Published bool
		Article   map[string]any
	}
	var found shownPost
	editor.ask(200, "GET", "/api/staff/posts/"+first+"/", "", &found)
	if !found.Published || found.Article["html"] != "<p>Первый </p>\n" || found.Article["source"] != "Первый <script>x</script>" {
		t.Errorf("%+v", found)
	}
	hidden := editor.changed(201, "post", first, "article", nil)
	editor.ask(200, "GET", "/api/staff/posts/"+first+"/", "", &found)
	if found.Published || found.Article["link"] != "inci" {
		t.Errorf("%+v", found)
	}
	d.projectChanges()
	editor.ask(201, "POST", "/api/staff/changes/"+hidden.ID.String()+"/undo/", `{"reason":"рано"}`, nil)
	var list struct {
		Results []struct {
			Link      string
			Published bool
		}
	}
	d.catchUp("posts")
	editor.ask(200, "GET", "/api/staff/posts/", "", &list)
	if len(list.Results) != 2 || !list.Results[0].Published || !list.Results[1].Published {
		t.Errorf("%+v", list)
	}
	editor.ask(404, "GET", "/api/staff/posts/"+uuid.NewString()+"/", "", nil)
	// Another link frees the first one.
	editor.changed(201, "post", first, "article", article("sostav", "Первый"))
	d.catchUp("posts")
	editor.changed(201, "post", second, "article", article("inci", "Второй"))
}

// TestLinksOfCategoriesAndBrandsAreKeptApart: also those that were there before claims.
func TestLinksOfCategoriesAndBrandsAreKeptApart(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Catalog)
	first, second := uuid.NewString(), uuid.NewString()
	var entries struct {
		Results []struct {
			ID   uuid.UUID
			Link string
		}
	}
	keeper.ask(200, "GET", "/api/staff/catalog/brand/", "", &entries)
	old := entries.Results[0]
	plain := func(link string) map[string]any {
		return map[string]any{"name": "Луг", "link": link, "description": ""}
	}
	if made := keeper.changed(409, "brand", first, "whole", plain(old.Link)); made.Results[0].Code != "catalog/link-taken" {
		t.Errorf("%+v", made)
	}
	keeper.changed(201, "brand", first, "whole", plain("lug"))
	keeper.changed(409, "brand", second, "whole", plain("lug"))
	keeper.changed(201, "brand", first, "link", "lugovoy")
	keeper.changed(201, "brand", second, "whole", plain("lug"))
	keeper.changed(409, "brand", second, "link", "lugovoy")
}

// TestEveryRoleAndEveryCallOfContent: what a role may not do is refused.
func TestEveryRoleAndEveryCallOfContent(t *testing.T) {
	t.Parallel()
	d := contentDesk(t)
	for _, role := range staff.Roles {
		d.worker(role).mayCall(role,
			guarded{"GET", "/api/staff/content/", "", staff.ChangeContent},
			guarded{"POST", "/api/staff/content/preview/", `{"source":"a"}`, staff.ChangeContent},
			guarded{"POST", "/api/staff/content/pictures/", "x", staff.ChangeContent},
			guarded{"GET", "/api/staff/letters/texts/", "", staff.ChangeContent},
			guarded{"GET", "/api/staff/letters/texts/sheet/", "", staff.ChangeContent},
			guarded{"POST", "/api/staff/letters/texts/sample/", `{"kind":"welcome","language":"ru","text":"","texts":{}}`, staff.ChangeContent},
			guarded{"GET", "/api/staff/posts/", "", staff.ChangeContent},
			guarded{"GET", "/api/staff/posts/" + uuid.NewString() + "/", "", staff.ChangeContent})
	}
}
