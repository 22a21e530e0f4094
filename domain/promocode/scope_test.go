package promocode_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/spec"
)

func TestScopeAndGroupsHaveOneSpelling(t *testing.T) {
	t.Parallel()
	a, b := uuid.UUID{15: 1}, uuid.UUID{15: 2}
	typed := promocode.Terms{Kind: promocode.Percent, Value: 10, MaxDiscount: 500, Groups: []string{"опт", "VIP", "опт"}, Scope: domain.Scope{Brands: []domain.ID{b, a, b}}}
	plain := typed
	plain.Groups, plain.Brands = []string{"VIP", "опт"}, []domain.ID{a, b}
	code := spec.For(t, promocode.Decider)
	code.When(promocode.Issue{Code: "A", Terms: typed, At: noon}).Then(promocode.Issued{Code: "A", Terms: plain, At: noon})
	code.Given(promocode.Issued{Code: "A", Terms: plain, At: noon}).When(promocode.Issue{Code: "A", Terms: typed, At: noon}).Nothing()
	for _, other := range []func(*promocode.Terms){
		func(t *promocode.Terms) { t.MaxDiscount = 400 },
		func(t *promocode.Terms) { t.Groups = []string{"VIP"} },
		func(t *promocode.Terms) { t.Brands = nil },
		func(t *promocode.Terms) { t.Products = []domain.ID{a} },
		func(t *promocode.Terms) { t.Categories = []domain.ID{a} },
	} {
		changed := plain
		other(&changed)
		code.Given(promocode.Issued{Code: "A", Terms: plain, At: noon}).When(promocode.Issue{Code: "A", Terms: changed, At: noon}).
			Then(promocode.Issued{Code: "A", Terms: changed, At: noon})
	}
}

func TestScopesAndGroupsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]struct {
		field  string
		change func(*promocode.Terms)
	}{
		"an id of nothing":  {"products", func(t *promocode.Terms) { t.Products = []domain.ID{{}} }},
		"too many":          {"products", func(t *promocode.Terms) { t.Brands = slices.Repeat([]domain.ID{{15: 1}}, 501) }},
		"too many groups":   {"groups", func(t *promocode.Terms) { t.Groups = strings.Split(strings.Repeat("a,", 20)+"a", ",") }},
		"no name":           {"groups", func(t *promocode.Terms) { t.Groups = []string{""} }},
		"a name with signs": {"groups", func(t *promocode.Terms) { t.Groups = []string{"a;b"} }},
		"a long name":       {"groups", func(t *promocode.Terms) { t.Groups = []string{strings.Repeat("ж", 41)} }},
	} {
		bad := promocode.Terms{Kind: promocode.Percent, Value: 10}
		wrong.change(&bad)
		t.Log(name)
		refusedAt(t, bad, promocode.ErrBadScope, wrong.field)
	}
}

func TestACodeOfAGroupIsForItsMembers(t *testing.T) {
	t.Parallel()
	terms := promocode.Terms{Kind: promocode.Percent, Value: 10, Groups: []string{"VIP", "опт"}}
	code := spec.For(t, promocode.Decider).Given(promocode.Issued{Code: "WELCOME10", Terms: terms, At: noon})
	as := func(who promocode.Standing) promocode.Redeem {
		r := redeem(1, "anna")
		r.Who = who
		return r
	}
	code.When(as(promocode.Standing{})).Refused(promocode.ErrNotProved)
	code.When(as(promocode.Standing{Groups: []string{"VIP"}})).Refused(promocode.ErrNotProved)
	code.When(as(promocode.Standing{Proved: true})).Refused(promocode.ErrOtherGroup)
	code.When(as(promocode.Standing{Proved: true, Groups: []string{"vip"}})).Refused(promocode.ErrOtherGroup)
	code.When(as(promocode.Standing{Proved: true, Groups: []string{"сотрудники", "опт"}})).Then(redeemed(1, "anna"))
}

func TestTheGreatestDiscountCutsAPercent(t *testing.T) {
	t.Parallel()
	terms := promocode.Terms{Kind: promocode.Percent, Value: 10, MaxDiscount: 1_000}
	for sum, want := range map[domain.Money]domain.Money{9_000: 900, 10_000: 1_000, 10_010: 1_000, 90_000: 1_000} {
		if got := terms.Discount(sum); got != want || terms.Capped(sum) != (sum > 10_004) {
			t.Errorf("%d: %d, capped %v", sum, got, terms.Capped(sum))
		}
	}
}
