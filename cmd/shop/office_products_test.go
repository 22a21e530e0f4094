package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/uuid"

	"shop/cmd/shop/edge"
	"shop/domain/staff"
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

// TestEveryRoleAndEveryCallOfProducts: what a role may not do is refused.
func TestEveryRoleAndEveryCallOfProducts(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	calls := []struct {
		method, path, body string
		needs              staff.Permission
	}{
		{"GET", "/api/staff/products/", "", staff.SeeCatalog},
		{"GET", "/api/staff/products/groups/", "", staff.SeeCatalog},
	}
	for _, role := range staff.Roles {
		w := d.worker(role)
		for _, c := range calls {
			got := d.ask(c.method, c.path, c.body, "Cookie", w.cookie, edge.CsrfHeader, w.csrf)
			if may := role.May(c.needs); may == (got.Code == http.StatusForbidden) || got.Code >= 500 {
				t.Errorf("%s %s as %s: %d %s", c.method, c.path, role, got.Code, got.Body)
			}
			if c.method != "GET" && d.ask(c.method, c.path, c.body, "Cookie", w.cookie).Code != http.StatusForbidden {
				t.Errorf("%s %s as %s needs no token of the session", c.method, c.path, role)
			}
		}
	}
}
