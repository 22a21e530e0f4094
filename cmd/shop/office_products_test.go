package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"shop/cmd/shop/edge"
	"shop/commands"
	"shop/domain/rules"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// productsDesk is a staff desk over a small catalog.
func productsDesk(t *testing.T) *staffDesk {
	t.Helper()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.desks(d.orders())
	file := filepath.Join(t.TempDir(), "goods.csv")
	const goods = "Артикул,Название,Бренд,Категория,Цена,Цена со скидкой,Остаток,Знаки,Описание\n" +
		"MK-1,Крем для рук,Зелёный луг,Тело > Руки,4690,3990,7,Веган,Мягкий\n" +
		"MK-2,Крем для ног,Зелёный луг,Тело > Ноги,3000,,2,,\n" +
		"SH-1,Шампунь,Ойла,Волосы,2500,2500,0,Веган; Эко,Пенный\n"
	if err := os.WriteFile(file, []byte(goods), 0o600); err != nil {
		t.Fatal(err)
	}
	d.program().ok("catalog", "import", file)
	d.catchUp("catalog", "stock", "packing")
	return d
}

// TestTheGridOfProducts: what narrows and sorts it, and what it shows.
func TestTheGridOfProducts(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	d.program().ok("catalog", "archive", "MK-2", "--reason", "снят")
	d.catchUp("catalog")
	keeper := d.worker(staff.Catalog)
	var groups reads.ProductGroups
	keeper.ask(200, "GET", "/api/staff/products/groups/", "", &groups)
	id := func(among []reads.ProductGroup, name string) string {
		t.Helper()
		at := slices.IndexFunc(among, func(g reads.ProductGroup) bool { return g.Name == name })
		if at < 0 {
			t.Fatalf("no %q in %+v", name, among)
		}
		return among[at].ID.String()
	}
	for query, want := range map[string][]string{
		"":                           {"MK-1", "MK-2", "SH-1"},
		"query=зеленый+крем":         {"MK-1", "MK-2"},
		"query=mk-1":                 {"MK-1"},
		"query=%25":                  {},
		"query='%3B+DROP+TABLE+x":    {},
		"state=archived":             {"MK-2"},
		"state=active":               {"MK-1", "SH-1"},
		"stock=none":                 {"SH-1"},
		"stock=low":                  {"MK-2"},
		"stock=some":                 {"MK-1", "MK-2"},
		"lacks=marks":                {"MK-2"},
		"lacks=picture&state=active": {"MK-1", "SH-1"},
		"discounted=true":            {"MK-1"},
		"discounted=false":           {"MK-2", "SH-1"},
		"sort=price":                 {"SH-1", "MK-2", "MK-1"},
		"sort=-discounted_price":     {"MK-1", "MK-2", "SH-1"},
		"limit=1&offset=1":           {"MK-2"},
		"offset=5":                   {},
		"category=" + id(groups.Categories, "Тело"):                            {"MK-1", "MK-2"},
		"category=" + id(groups.Categories, "Тело > Ноги"):                     {"MK-2"},
		"brand=" + id(groups.Brands, "Ойла"):                                   {"SH-1"},
		"mark=" + id(groups.Marks, "Веган"):                                    {"MK-1", "SH-1"},
		"mark=" + id(groups.Marks, "Эко") + "&query=крем":                      {},
		"category=" + uuid.NewString():                                         {},
		"query=" + "%D0%BA%D1%80%D0%B5%D0%BC+%D1%80%D1%83%D0%BA&sort=-article": {"MK-1"},
	} {
		var found reads.FoundProducts
		keeper.ask(200, "GET", "/api/staff/products/?"+query, "", &found)
		got := []string{}
		for _, row := range found.Results {
			got = append(got, row.Article)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	var page reads.FoundProducts
	keeper.ask(200, "GET", "/api/staff/products/?limit=1", "", &page)
	if page.Count != 3 || len(page.Results) != 1 {
		t.Errorf("a page of one: %+v", page)
	}
	if one := page.Results[0]; one.Brand != "Зелёный луг" || one.Category != "Тело > Руки" || one.OnHand != 7 || one.Available != 7 || one.DiscountedPrice != 3990 || len(one.Marks) != 1 {
		t.Errorf("%+v", one)
	}
	for _, bad := range []string{"sort=x", "sort=p.id", "stock=x", "lacks=x", "state=x", "brand=x", "discounted=x", "limit=0", "limit=1001", "offset=-1"} {
		keeper.ask(400, "GET", "/api/staff/products/?"+bad, "", nil)
	}
}

// TestALowLineOfAProduct: a file says it, and the grid, Today and the notices go by it; without one the rules do.
func TestALowLineOfAProduct(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Catalog)
	low := func() (articles []string, today int64, told []string) {
		t.Helper()
		d.catchUp("catalog", "stock", "packing", "rules")
		var found reads.FoundProducts
		keeper.ask(200, "GET", "/api/staff/products/?stock=low", "", &found)
		for _, row := range found.Results {
			articles = append(articles, row.Article)
			if !row.Low {
				t.Errorf("%s is not low", row.Article)
			}
		}
		counted, err := reads.Shop{DB: d.shop.Pool}.Today(t.Context(), d.shop.Clock(), "2026-01-01")
		if err != nil {
			t.Fatal(err)
		}
		today = counted.GoodsLow
		troubles, err := reads.Shop{DB: d.shop.Pool}.Troubles(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range troubles {
			if one.Cause == "stock_low" {
				told = append(told, one.Article)
			}
		}
		slices.Sort(told)
		return articles, today, told
	}
	want := func(when string, articles, told []string) {
		t.Helper()
		if got, today, heard := low(); !slices.Equal(got, articles) || today != int64(len(articles)) || !slices.Equal(heard, told) {
			t.Errorf("%s: listed %v, counted %d, told %v; want %v and %v", when, got, today, heard, articles, told)
		}
	}
	want("by the rules", []string{"MK-2"}, []string{"MK-2"})
	file := filepath.Join(t.TempDir(), "lines.csv")
	if err := os.WriteFile(file, []byte("Артикул,Порог остатка,Полка\nMK-1,7,A-03\nMK-2,1,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.program().ok("catalog", "import", file)
	want("by the lines", []string{"MK-1"}, []string{"MK-1"})
	export := d.program().ok("catalog", "export")
	if !strings.Contains(export, ";A-03;7") || !strings.Contains(export, ";;1") {
		t.Errorf("the export lacks shelves or lines:\n%s", export)
	}
	if _, err := (&commands.Rules{Handler: d.shop.Handler}).Change(t.Context(), changedRules(func(r *rules.Rules) { r.LowStock = 1 }), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("Артикул,Порог остатка\nMK-1,\nMK-2,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.program().ok("catalog", "import", file)
	want("by other rules", []string{"MK-2"}, []string{"MK-2"})
}

// TestEveryRoleAndEveryCallOfProducts: what a role may not do is refused.
func TestEveryRoleAndEveryCallOfProducts(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	calls := []guarded{
		{"GET", "/api/staff/products/", "", staff.SeeCatalog},
		{"GET", "/api/staff/products/groups/", "", staff.SeeCatalog},
		{"GET", "/api/staff/products/MK-1/", "", staff.SeeCatalog},
		{"GET", "/api/staff/catalog/brand/", "", staff.SeeCatalog},
		{"POST", "/api/staff/products/", "{}", staff.ChangeCatalog},
		{"POST", "/api/staff/products/MK-1/pictures/", "x", staff.ChangeCatalog},
		{"POST", "/api/staff/products/composition/", `{"composition":"Aqua"}`, staff.SeeCatalog},
		{"POST", "/api/staff/stock/receipts/", "{}", staff.ChangeStock},
		{"GET", "/api/staff/stock/" + uuid.NewString() + "/ledger/", "", staff.SeeCatalog},
	}
	for _, role := range staff.Roles {
		d.worker(role).mayCall(role, calls...)
	}
}

// TestAddingProducts: no two take one article or link, also when they are added at once; a copy begins as its original is.
func TestAddingProducts(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Catalog)
	var groups reads.ProductGroups
	keeper.ask(200, "GET", "/api/staff/products/groups/", "", &groups)
	category := groups.Categories[0].ID
	body := func(article, link, more string) string {
		return fmt.Sprintf(`{"article":%q,"link":%q,"name":"Скраб «Соль»","category_id":%q,"price":1500%s}`, article, link, category, more)
	}
	var made struct{ ID uuid.UUID }
	keeper.ask(201, "POST", "/api/staff/products/", body("SK-1", "", ""), &made)
	var sheet struct {
		ID                       uuid.UUID
		Article, Link, Name      string
		Price, DiscountedPrice   int64
		Description, Composition string
		Cost                     *int64
		Marks                    []uuid.UUID
	}
	keeper.ask(200, "GET", "/api/staff/products/SK-1/", "", &sheet)
	if sheet.ID != made.ID || sheet.Link != "skrab-sol" || sheet.Price != 1500 || sheet.Cost != nil {
		t.Errorf("%+v", sheet)
	}
	for body, field := range map[string]string{
		body("SK-1", "other", ""):                           "article",
		body("MK-1", "other", ""):                           "article",
		body("SK-2", "skrab-sol", ""):                       "link",
		body("SK-2", "Соль", ""):                            "link",
		body("", "sk-2", ""):                                "article",
		body("SK-2", "sk-2", `,"discounted_price":1501`):    "discounted_price",
		strings.Replace(body("S", "s", ""), "1500", "0", 1): "price",
		`{"article":"S","name":"S","price":1,"link":"s"}`:   "category_id",
	} {
		var wrong endpoint.FieldErrors
		keeper.ask(400, "POST", "/api/staff/products/", body, &wrong)
		if len(wrong[field]) == 0 {
			t.Errorf("%s: %v", body, wrong)
		}
	}
	manager := d.worker(staff.Manager)
	var first struct{ ID uuid.UUID }
	keeper.ask(200, "GET", "/api/staff/products/SH-1/", "", &first)
	keeper.ask(201, "POST", "/api/staff/products/", body("SH-2", "sh-2", fmt.Sprintf(`,"copy_of":%q`, first.ID)), nil)
	manager.ask(200, "GET", "/api/staff/products/SH-2/", "", &sheet)
	if sheet.Description != "Пенный" || len(sheet.Marks) != 2 || sheet.Name != "Скраб «Соль»" || sheet.Cost == nil {
		t.Errorf("a copy: %+v", sheet)
	}

	var all sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		all.Go(func() {
			got := d.ask("POST", "/api/staff/products/", body(fmt.Sprintf("RACE-%d", i), "race", ""), "Cookie", keeper.cookie, edge.CsrfHeader, keeper.csrf)
			statuses[i] = got.Code
		})
	}
	all.Wait()
	slices.Sort(statuses)
	if !slices.Equal(statuses, []int{201, 400, 400, 400, 400, 400, 400, 400}) {
		t.Errorf("eight at once with one link: %v", statuses)
	}
	keeper.ask(404, "GET", "/api/staff/products/NONE/", "", nil)
	keeper.ask(422, "POST", "/api/staff/products/SK-1/pictures/", "{}", nil)
}

// TestReceivingADelivery: all of it or nothing, once for its id; the ledger tells it.
func TestReceivingADelivery(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	packer := d.worker(staff.Warehouse)
	ids := map[string]uuid.UUID{}
	var found reads.FoundProducts
	packer.ask(200, "GET", "/api/staff/products/", "", &found)
	for _, row := range found.Results {
		ids[row.Article] = row.ID
	}
	key := uuid.NewString()
	delivery := fmt.Sprintf(`{"id":%q,"note":"Накладная 12","lines":[{"product":%q,"quantity":5},{"product":%q,"quantity":2}]}`, key, ids["MK-1"], ids["SH-1"])
	var made changedThings
	packer.ask(201, "POST", "/api/staff/stock/receipts/", delivery, &made)
	packer.ask(201, "POST", "/api/staff/stock/receipts/", delivery, &made)
	if made.ID.String() != key {
		t.Errorf("a repeat answers the change %s, want %s", made.ID, key)
	}
	packer.ask(409, "POST", "/api/staff/stock/receipts/", strings.Replace(delivery, ":5", ":6", 1), nil)
	packer.ask(409, "POST", "/api/staff/stock/receipts/", fmt.Sprintf(`{"id":%q,"lines":[{"product":%q,"quantity":5},{"product":%q,"quantity":2}]}`, uuid.NewString(), ids["MK-1"], uuid.NewString()), nil)
	for _, lines := range []string{``, fmt.Sprintf(`{"product":%q,"quantity":0}`, ids["MK-1"]), fmt.Sprintf(`{"product":%[1]q,"quantity":1},{"product":%[1]q,"quantity":1}`, ids["MK-1"])} {
		var wrong endpoint.FieldErrors
		packer.ask(400, "POST", "/api/staff/stock/receipts/", fmt.Sprintf(`{"id":%q,"lines":[%s]}`, uuid.NewString(), lines), &wrong)
		if len(wrong["lines"]) == 0 {
			t.Errorf("%s: %v", lines, wrong)
		}
	}
	d.catchUp("stock")
	packer.ask(200, "GET", "/api/staff/products/?code=mk-1", "", &found)
	if len(found.Results) != 1 || found.Results[0].OnHand != 12 {
		t.Errorf("%+v", found)
	}
	var ledger reads.Ledger
	packer.ask(200, "GET", "/api/staff/stock/"+ids["MK-1"].String()+"/ledger/", "", &ledger)
	if ledger.OnHand != 12 || ledger.Movements != 2 || ledger.Entries[0].Cause.Ref != "Накладная 12" {
		t.Errorf("%+v", ledger)
	}
	packer.ask(404, "GET", "/api/staff/stock/"+uuid.NewString()+"/ledger/", "", nil)

	// It is a change: the list has it, and an undo takes the pieces away, whatever moved since.
	packer.ask(201, "POST", "/api/staff/stock/receipts/", fmt.Sprintf(`{"id":%q,"lines":[{"product":%q,"quantity":3}]}`, uuid.NewString(), ids["MK-1"]), nil)
	d.projectChanges()
	manager := d.worker(staff.Manager)
	var shown reads.ChangeSheet
	manager.ask(200, "GET", "/api/staff/changes/"+key+"/", "", &shown)
	if shown.Reason != "Накладная 12" || len(shown.Page) != 2 || string(shown.Page[0].Was)+" "+string(shown.Page[0].Now) != "7 12" {
		t.Errorf("%+v", shown)
	}
	manager.ask(201, "POST", "/api/staff/changes/"+key+"/undo/", `{"reason":"не наша"}`, nil)
	d.catchUp("stock")
	packer.ask(200, "GET", "/api/staff/products/?code=mk-1", "", &found)
	if len(found.Results) != 1 || found.Results[0].OnHand != 10 {
		t.Errorf("after the undo: %+v", found)
	}
}

// TestEntriesOfTheCatalog: categories, brands and marks with all that is changed of them.
func TestEntriesOfTheCatalog(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Catalog)
	for kind, want := range map[string]map[string]int64{
		"category": {"Тело": 0, "Руки": 1, "Ноги": 1, "Волосы": 1}, "brand": {"Зелёный луг": 2, "Ойла": 1}, "mark": {"Веган": 2, "Эко": 1},
	} {
		var found struct{ Results []reads.CatalogEntry }
		keeper.ask(200, "GET", "/api/staff/catalog/"+kind+"/", "", &found)
		if len(found.Results) != len(want) {
			t.Errorf("%s: %+v", kind, found.Results)
		}
		for _, one := range found.Results {
			if products, known := want[one.Name]; !known || one.Products != products || (one.Link == "") != (kind == "mark") || (one.ParentID != nil) != (one.Name == "Руки" || one.Name == "Ноги") {
				t.Errorf("%s: %+v", kind, one)
			}
		}
	}
	keeper.ask(404, "GET", "/api/staff/catalog/pg_user/", "", nil)
}

// head is the last position of the log.
func (d *staffDesk) head() eventstore.Position {
	d.t.Helper()
	head, err := d.shop.Store.Head(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return head
}

// TestAProductAsItWas: its facts and its stock at a position and at a time; before it was there it is unknown.
func TestAProductAsItWas(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	p := d.program()
	cream := p.stocked("MK-1", 9_000, 30)
	manager, keeper := d.worker(staff.Manager), d.worker(staff.Catalog)
	before := d.head()
	p.ok("catalog", "price", "MK-1", "9500")
	p.ok("stock", "receive", "--article", "MK-1", "--quantity", "5")
	type sheet struct {
		Price  int64
		OnHand int64 `json:"on_hand"`
		Cost   *int64
	}
	show := func(w worker, at string) (s sheet) {
		t.Helper()
		w.ask(200, "GET", "/api/staff/products/"+cream.String()+"/?at="+at, "", &s)
		return s
	}
	if now := show(manager, ""); now.Price != 9_500 || now.OnHand != 35 {
		t.Errorf("now: %+v", now)
	}
	if was := show(manager, fmt.Sprint(before)); was.Price != 9_000 || was.OnHand != 30 || was.Cost == nil {
		t.Errorf("before: %+v", was)
	}
	if was := show(keeper, fmt.Sprint(before)); was.Cost != nil {
		t.Errorf("whoever sees no costs sees %+v", was)
	}
	manager.ask(404, "GET", "/api/staff/products/"+cream.String()+"/?at=1", "", nil)
	for _, at := range []string{"yesterday", "2126-01-01T00:00:00Z", "1999-01-01T00:00:00Z", "999999999"} {
		manager.refused(400, "GET", "/api/staff/products/"+cream.String()+"/?at="+at, "", "at")
		manager.refused(400, "GET", "/api/staff/products/?at="+at, "", "at")
	}
}

// TestTheGridAsItWas: prices, names, categories, marks, what was archived and how much there was, at the moment before they changed; the groups
// then too.
func TestTheGridAsItWas(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	p, keeper := d.program(), d.worker(staff.Catalog)
	at := fmt.Sprintf("at=%d", d.head())
	for _, args := range [][]string{
		{"catalog", "price", "MK-1", "9500"}, {"catalog", "describe", "MK-1", "--name", "Крем новый"}, {"catalog", "move", "MK-2", "Волосы"},
		{"catalog", "archive", "SH-1", "--reason", "снят"}, {"stock", "receive", "--article", "MK-2", "--quantity", "5"},
	} {
		p.ok(args...)
	}
	said := func(query string) (rows []string) {
		t.Helper()
		var found reads.FoundProducts
		keeper.ask(200, "GET", "/api/staff/products/?"+query, "", &found)
		for _, r := range found.Results {
			rows = append(rows, fmt.Sprintf("%s %s %d/%d %s %d %v", r.Article, r.Name, r.DiscountedPrice, r.Price, r.Category, r.Available, r.Archived))
		}
		return rows
	}
	now := []string{"MK-1 Крем новый 9500/9500 Тело > Руки 7 false", "MK-2 Крем для ног 3000/3000 Волосы 7 false", "SH-1 Шампунь 2500/2500 Волосы 0 true"}
	then := []string{"MK-1 Крем для рук 3990/4690 Тело > Руки 7 false", "MK-2 Крем для ног 3000/3000 Тело > Ноги 2 false", "SH-1 Шампунь 2500/2500 Волосы 0 false"}
	d.catchUp("catalog", "stock", "packing")
	for query, want := range map[string][]string{
		"": now, at: then, at + "&query=рук": then[:1], "query=рук": nil, at + "&sort=-waiting&discounted=true": then[:1], at + "&state=archived": nil, at + "&stock=low": then[1:2],
	} {
		if got := said(query); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	counts := func(query string) string {
		t.Helper()
		var groups reads.ProductGroups
		keeper.ask(200, "GET", "/api/staff/products/groups/?"+query, "", &groups)
		var entries struct{ Results []reads.CatalogEntry }
		keeper.ask(200, "GET", "/api/staff/catalog/category/?"+query, "", &entries)
		all := ""
		for _, g := range groups.Categories {
			all += fmt.Sprintf("%s %d, ", g.Name, g.Products)
		}
		for _, e := range entries.Results {
			all += fmt.Sprintf("%s %d; ", e.Name, e.Products)
		}
		return all
	}
	if got, want := counts(at), "Тело 0, Тело > Руки 1, Тело > Ноги 1, Волосы 1, Руки 1; Тело 0; Волосы 1; Ноги 1; "; got != want {
		t.Errorf("groups then: %s, want %s", got, want)
	}
	if got, want := counts(""), "Тело 0, Тело > Руки 1, Тело > Ноги 0, Волосы 1, Руки 1; Тело 0; Волосы 1; Ноги 0; "; got != want {
		t.Errorf("groups now: %s, want %s", got, want)
	}
}

// TestNamesOfIngredientsAreChecked: against the list, and against what other products bear.
func TestNamesOfIngredientsAreChecked(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	p := d.program()
	keeper := d.worker(staff.Catalog)
	var found struct {
		Results []struct {
			Name string
			Near []string
		}
	}
	doubts := func(product string) string {
		t.Helper()
		keeper.ask(200, "POST", "/api/staff/products/composition/", fmt.Sprintf(`{"composition":"Aqua, Glycerinn, Pyrus Communis Bud Extract.","product":%q}`, product), &found)
		return fmt.Sprint(found.Results)
	}
	const both = "[{Glycerinn [Glycerin]} {Pyrus Communis Bud Extract []}]"
	if got := doubts(uuid.Nil.String()); got != both {
		t.Errorf("doubted %s", got)
	}
	ids := map[string]uuid.UUID{}
	for _, article := range []string{"MK-1", "MK-2"} {
		ids[article] = p.stocked(article, 9_000, 3)
		p.ok("catalog", "describe", article, "--composition", "Aqua, pyrus communis bud extract")
	}
	d.projectChanges()
	if got := doubts(uuid.Nil.String()); got != "[{Glycerinn [Glycerin]}]" {
		t.Errorf("borne by two products, doubted %s", got)
	}
	if got := doubts(ids["MK-1"].String()); got != both {
		t.Errorf("borne by one product beside itself, doubted %s", got)
	}
	keeper.refused(400, "POST", "/api/staff/products/composition/", fmt.Sprintf(`{"composition":%q}`, strings.Repeat("x", 20_001)), "composition")
}
