package commands_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/promocode"
)

// A code for a category is for the goods of the categories below it too; the log keeps which lines those were.
func TestACodeForACategoryLowersItsGoodsAlone(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	top, below := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	cream, soap := s.Product(9_000, 9_000, 5), s.Product(5_000, 5_000, 5)
	entries := &commands.Catalog{Handler: s.Handler}
	for id, parent := range map[domain.ID]domain.ID{top: {}, below: top} {
		if _, err := entries.PutCategory(t.Context(), id, catalog.Category{Name: "Уход", Link: "uhod-" + id.String(), ParentID: parent}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := commands.Change(t.Context(), s.Handler, commands.ProductStream(cream), func(u *commands.Unit) catalog.ProductCommand {
		return catalog.MoveProduct{CategoryID: below, At: u.At()}
	}); err != nil {
		t.Fatal(err)
	}
	s.Promocode("UHOD", promocode.Terms{Kind: promocode.Percent, Value: 10, Scope: domain.Scope{Categories: []domain.ID{top}}})

	ask := testshop.Checkout(testshop.Line(cream, 1), testshop.Line(soap, 1))
	ask["promocode"] = "uhod"
	placed := testshop.Read[commands.Receipt](s.Place(ask))
	c := s.OrderOf(placed.ID).Placed.Calculation
	if c.ScopedSum != 9_000 || c.PromocodeApplied != "UHOD" || !c.Lines[0].InScope || c.Lines[0].OrderDiscount != 900 || c.Lines[1].InScope || c.Lines[1].OrderDiscount != 0 {
		t.Errorf("%+v", c)
	}
	other := testshop.Checkout(testshop.Line(soap, 1))
	other["promocode"] = "uhod"
	s.Place(other).Wants(400, `{"promocode":["Промокод действует на другие товары"]}`)
}

// member is a customer with a proved e-mail, in these groups.
func member(t *testing.T, s *testshop.Shop, groups ...string) domain.ID {
	t.Helper()
	id := s.Customer()
	who := commands.CustomerStream(id)
	state, err := commands.See(t.Context(), s.Handler, who)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := commands.Change(t.Context(), s.Handler, who, func(u *commands.Unit) customer.Command {
		return customer.VerifyEmail{Email: state.Email, At: u.At()}
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range groups {
		if _, err := commands.Change(t.Context(), s.Handler, who, func(u *commands.Unit) customer.Command {
			return customer.JoinGroup{Group: name, At: u.At()}
		}); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

func TestACodeForAGroupAsksWhoOrders(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 9)
	s.Promocode("VIPONLY", promocode.Terms{Kind: promocode.Percent, Value: 10, Groups: []string{"VIP"}})
	ask := testshop.Checkout(testshop.Line(cream, 1))
	ask["promocode"] = "VIPONLY"
	const prove = `{"promocode":["Этот промокод для покупателей с аккаунтом: войдите и подтвердите e-mail"]}`
	s.Place(ask).Wants(400, prove)
	s.Place(ask, testshop.By(s.Customer())).Wants(400, prove)
	s.Place(ask, testshop.By(member(t, s, "опт"))).Wants(400, `{"promocode":["Этот промокод для другой группы покупателей"]}`)
	placed := testshop.Read[commands.Receipt](s.Place(ask, testshop.By(member(t, s, "опт", "VIP"))))
	testshop.Equal(t, "discounted", s.OrderOf(placed.ID).Placed.Calculation.DiscountedSum, 8_100)
}

// Whoever is taken out of a group while an order is being decided does not get the price of the group.
func TestNobodyUsesTheCodeOfAGroupThatIsLeftMeanwhile(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 9)
	s.Promocode("VIPONLY", promocode.Terms{Kind: promocode.Percent, Value: 10, Groups: []string{"VIP"}})
	anna := member(t, s, "VIP")
	overtaken(t, s, func(elsewhere *commands.Handler) error {
		_, err := commands.Change(t.Context(), elsewhere, commands.CustomerStream(anna), func(u *commands.Unit) customer.Command {
			return customer.LeaveGroup{Group: "VIP", At: u.At()}
		})
		return err
	})
	ask := testshop.Checkout(testshop.Line(cream, 1))
	ask["promocode"] = "VIPONLY"
	answer := s.Place(ask, testshop.By(anna))
	if answer.Code != 400 || !strings.Contains(answer.Text(), "для другой группы") {
		t.Errorf("%d %s", answer.Code, answer.Text())
	}
	testshop.Equal(t, "uses", s.CodeOf("VIPONLY").Uses, 0)
	testshop.Equal(t, "reserved", s.StockOf(cream).Reserved, 0)
}
