package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/cmd/shop/terminal"
	"shop/domain/change"
	"shop/domain/staff"
)

// TestEffectOfAPromoCode: it lowers the goods in its scope alone, as often as it may be used, and asks the days that effects have.
func TestEffectOfAPromoCode(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	p, orders := d.program(), d.orders()
	cream, soap := p.stocked("PE-1", 9_000, 30), p.stocked("PE-2", 8_000, 30)
	d.placeOne(orders, cream)
	d.placeOne(orders, soap)
	d.placeOne(orders, cream)
	d.projectChanges()
	manager := d.worker(staff.Manager)
	const path = "/api/staff/promocodes/effect/"
	effectOf := func(terms string) (effect change.Effect) {
		manager.ask(200, "POST", path, `{"days":30,"terms":`+terms+`}`, &effect)
		return effect
	}
	scope := fmt.Sprintf(`"products":[%q]`, cream)
	for name, c := range map[string]struct {
		terms          string
		touched        int64
		discounts, was int64
	}{
		"of all goods":      {`{"kind":"percent","value":50}`, 3, 13_000, 0},
		"of one product":    {`{"kind":"percent","value":50,` + scope + `}`, 2, 9_000, 0},
		"a greatest one":    {`{"kind":"percent","value":50,"max_discount":1000,` + scope + `}`, 2, 2_000, 0},
		"used once":         {`{"kind":"percent","value":50,"uses":1,` + scope + `}`, 1, 4_500, 0},
		"for a group":       {`{"kind":"percent","value":50,"groups":["VIP"]}`, 0, 0, 0},
		"above what is due": {`{"kind":"percent","value":50,"min_sum":8500}`, 2, 9_000, 0},
	} {
		got := effectOf(c.terms)
		if got.Orders != 3 || got.Touched != c.touched || got.Would.Discounts != c.discounts || got.Was.Discounts != c.was {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for body, wrong := range map[string]struct {
		status int
		says   string
	}{
		`{"days":31,"terms":{"kind":"percent","value":50}}`:                                         {400, "days"},
		`{"days":30,"terms":{"kind":"percent","value":101}}`:                                        {400, "terms.value:[A percent"},
		`{"days":30,"terms":{"kind":"percent","value":5,"groups":["a-b"]}}`:                         {400, "terms.groups:["},
		`{"days":30,"terms":{"kind":"percent","value":5,"products":["` + uuid.Nil.String() + `"]}}`: {400, "terms.products:["},
	} {
		var said map[string]any
		manager.ask(wrong.status, "POST", path, body, &said)
		if !strings.Contains(fmt.Sprint(said), wrong.says) {
			t.Errorf("%s: %v", body, said)
		}
	}
}

// TestAPromoCodeIsListedWithWhatItBrought: by state and by its beginning, day by day beside orders without a code.
func TestAPromoCodeIsListedWithWhatItBrought(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	manager := d.worker(staff.Manager)
	manager.ask(201, "POST", "/api/staff/changes/", `{"items":[
		{"thing":"promocode","id":"SPRING-A","field":"terms","now":{"kind":"percent","value":10,"max_discount":500}},
		{"thing":"promocode","id":"SPRING_B","field":"terms","now":{"kind":"fixed","value":700,"uses":2}}]}`, nil)
	if err := d.shop.CatchUp(t.Context(), terminal.World{Stderr: &strings.Builder{}}, "promocode", "sales", "catalog"); err != nil {
		t.Fatal(err)
	}
	var found struct {
		Count   int64
		Results []struct {
			Code, State string
			MaxDiscount int64 `json:"max_discount"`
		}
	}
	for query, count := range map[string]int64{"": 2, "spring": 2, "spring-": 1, "SPRING_": 1, "%25": 0, "x": 0} {
		manager.ask(200, "GET", "/api/staff/promocodes/?state=active&query="+query, "", &found)
		if found.Count != count || int64(len(found.Results)) != count {
			t.Errorf("%q: %+v", query, found)
		}
	}
	manager.ask(200, "GET", "/api/staff/promocodes/?state=revoked", "", &found)
	if found.Count != 0 {
		t.Errorf("revoked: %+v", found)
	}
	manager.ask(400, "GET", "/api/staff/promocodes/?state=lost", "", nil)
	manager.ask(404, "GET", "/api/staff/promocodes/NOPE/", "", nil)
	var sheet struct {
		Code string
		Days []struct{}
	}
	manager.ask(200, "GET", "/api/staff/promocodes/spring-a/", "", &sheet)
	if sheet.Code != "SPRING-A" || len(sheet.Days) != 0 {
		t.Errorf("%+v", sheet)
	}
	var series struct{ Codes []string }
	manager.ask(200, "POST", "/api/staff/promocodes/series/", `{"prefix":"sale-","count":3}`, &series)
	if len(series.Codes) != 3 || !strings.HasPrefix(series.Codes[0], "SALE-") || series.Codes[0] == series.Codes[1] {
		t.Errorf("%+v", series)
	}
	for _, body := range []string{`{"prefix":"a b","count":3}`, `{"prefix":"A","count":0}`, `{"prefix":"A","count":10001}`} {
		manager.ask(409, "POST", "/api/staff/promocodes/series/", body, nil)
	}
}

// TestEveryRoleAndEveryCallOfPromoCodes: and of groups of customers, which promo codes are for.
func TestEveryRoleAndEveryCallOfPromoCodes(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	for _, role := range staff.Roles {
		d.worker(role).mayCall(role,
			guarded{"GET", "/api/staff/promocodes/", "", staff.ChangeRules},
			guarded{"GET", "/api/staff/promocodes/NOPE/", "", staff.ChangeRules},
			guarded{"POST", "/api/staff/promocodes/series/", `{"prefix":"A","count":1}`, staff.ChangeRules},
			guarded{"POST", "/api/staff/promocodes/effect/", `{"days":30,"terms":{"kind":"percent","value":5}}`, staff.ChangeRules},
			guarded{"GET", "/api/staff/customers/groups/", "", staff.SeeCustomers},
			guarded{"POST", "/api/staff/customers/" + uuid.NewString() + "/groups/", `{"group":"VIP","in":true}`, staff.ChangeCustomers},
		)
	}
}
