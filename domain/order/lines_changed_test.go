package order_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
)

var (
	cream = uuid.UUID{15: 41}
	soap  = uuid.UUID{15: 42}
	balm  = uuid.UUID{15: 43}
)

// line is some pieces of a product, at a price of one piece after all discounts.
func line(product domain.ID, pieces int64, price domain.Money) domain.PricedLine {
	return domain.PricedLine{ProductID: product, Amount: pieces, Price: price, DiscountedPrice: price, Total: pieces * price}
}

// costs is what lines cost without delivery, after bonuses.
func costs(bonuses domain.Money, lines ...domain.PricedLine) domain.Calculation {
	c := domain.Calculation{Lines: lines, BonusSpent: bonuses, CanCreateOrder: true, RulesVersion: 1}
	for _, l := range lines {
		c.DiscountedSum += l.Total
	}
	c.TotalPaid = c.DiscountedSum - bonuses
	return c
}

// priced is an order that costs a calculation.
func priced(method domain.PaymentMethod, c domain.Calculation) order.Placed {
	return placedBy(method, func(p *order.Placed) { p.Calculation = c })
}

var (
	twoCreams = costs(0, line(cream, 2, 3_000))
	oneCream  = costs(0, line(cream, 1, 3_000))
	creamSoap = costs(0, line(cream, 2, 3_000), line(soap, 1, 1_500))
)

func change(c domain.Calculation) order.ChangeLines {
	return order.ChangeLines{Calculation: c, City: "Алматы", Reason: " по телефону ", At: noon}
}

// changed is the event of change, for an order that had other lines.
func changed(p order.Placed, to domain.Calculation) order.LinesChanged {
	return order.LinesChanged{
		Number: p.Number, City: "Алматы", DeliveryType: p.DeliveryType, PaymentMethod: p.PaymentMethod, Calculation: to,
		Reason: "по телефону", Before: p.Calculation.Lines, PlacedAt: p.At, At: noon,
	}
}

func TestLinesChangeWhileTheShopHasTheGoods(t *testing.T) {
	t.Parallel()
	p := priced(domain.Cash, twoCreams)
	to := changed(p, creamSoap)
	for _, history := range [][]order.Event{{p}, {p, approved}, {p, approved, processing}, {p, approved, processing, packed}, {p, approved, processing, packed, toAzat, notAtHome}} {
		s := given(t, history...)
		s.When(change(creamSoap)).Then(to)
		if after := s.Given(to).State(); after.Due() != 7_500 || after.Lacks() != 7_500 || !after.Edited || after.Status != s.State().Status {
			t.Errorf("after the change the order is %s, costs %d, lacks %d", after.Status, after.Due(), after.Lacks())
		}
	}
	s := given(t, p)
	s.When(change(twoCreams)).Nothing()
	s.When(change(domain.Calculation{})).Refused(order.ErrLastLine)
	for _, reason := range []string{"", "  ", strings.Repeat("ж", order.MaxReason+1)} {
		c := change(creamSoap)
		c.Reason = reason
		s.When(c).Refused(order.ErrUnexplained)
	}
	// A price by hand and a promo code stay with the order, and are replaced with the next change.
	byHand := change(oneCream)
	byHand.ByHand = []order.HandPrice{{ProductID: cream, Price: 3_000, List: 4_000, Was: 3_500, Reason: "мятая коробка"}}
	byHand.Promocode = &order.UsedCode{Code: "SPRING", Kind: "percent", Value: 10}
	edited := changed(p, oneCream)
	edited.ByHand, edited.Promocode = byHand.ByHand, byHand.Promocode
	s.When(byHand).Then(edited)
	state := s.Given(edited).State()
	if price, ok := state.HandPriceOf(cream); !ok || price.Was != 3_500 || state.Code.Code != "SPRING" {
		t.Errorf("by hand %+v, code %+v", price, state.Code)
	}
	next := changed(p, creamSoap)
	if state = s.Given(edited, next).State(); state.Code != nil || len(state.ByHand) != 0 {
		t.Errorf("the next change left %+v, %+v", state.ByHand, state.Code)
	}
}

func TestLinesStayOnceTheGoodsAreGone(t *testing.T) {
	t.Parallel()
	p := priced(domain.Cash, twoCreams)
	away := []order.Event{p, approved, processing, packed, toAzat}
	taken := order.Paid{PaymentID: order.CashPaymentID, Amount: 6_000, At: noon}
	pickup := placedBy(domain.Cash, func(p *order.Placed) { p.DeliveryType, p.Calculation = domain.Pickup, twoCreams })
	for name, history := range map[string][]order.Event{
		"handed over": away, "delivered": append(away[:5:5], delivered), "fetched and unpaid": {pickup, approved, processing, packed, delivered},
		"completed": append(away[:5:5], delivered, taken, completed), "cancelled": {p, cancelled},
		"not paid": {priced(domain.Card, twoCreams), first, failed("p1")}, "imported": {p, order.Imported{Source: "a", Number: "1"}},
		"forgotten": {p, order.Forgotten{At: noon}},
	} {
		want := error(order.ErrNotEditable)
		if name == "imported" {
			want = order.ErrImported
		}
		t.Log(name)
		given(t, history...).When(change(creamSoap)).Refused(want)
		given(t, history...).When(moveTo("Абая", "2")).Refused(want)
	}
}

func TestMoneyThatIsEnoughForFewerGoodsApproves(t *testing.T) {
	t.Parallel()
	p := priced(domain.Card, twoCreams)
	part := order.Paid{PaymentID: "p1", Amount: 3_000, At: noon}
	given(t, p, first, part).When(change(oneCream)).Then(changed(p, oneCream), approved)
	given(t, p, first, part).When(change(creamSoap)).Then(changed(p, creamSoap))
	paidAll := order.Paid{PaymentID: "p1", Amount: 6_000, At: noon}
	s := given(t, p, first, paidAll, approved)
	s.When(change(oneCream)).Then(changed(p, oneCream))
	if owed := s.Given(changed(p, oneCream)).State().Owed(); len(owed) != 1 || owed[0].ID != "p1" || owed[0].Amount != 3_000 {
		t.Errorf("owed: %+v", owed)
	}
	more := s.Given(changed(p, creamSoap))
	if state := more.State(); state.IsPaid() || state.Lacks() != 1_500 || !state.MayAskForMoney() || state.AwaitsPayment() || state.Status != order.StatusApproved {
		t.Errorf("lacks %d as %s", state.Lacks(), state.Status)
	}
	asked := order.PaymentRequested{PaymentID: "p2", Provider: "sandbox", Attempt: 2, Amount: 1_500, At: noon}
	more.When(order.RequestPayment{PaymentID: "p2", Provider: "sandbox", At: noon}).Then(asked)
	if state := more.Given(asked).State(); !state.AwaitsPayment() || state.Status != order.StatusApproved {
		t.Errorf("the bill for the difference: %s", state.Status)
	}
}

func TestChangedGoodsAreCheckedAgain(t *testing.T) {
	t.Parallel()
	p := priced(domain.Cash, twoCreams)
	planned := order.CourierAssigned{Courier: azat, Day: tomorrow, At: noon}
	ready := given(t, p, approved, processing, packed, planned)
	for _, other := range []domain.Calculation{oneCream, creamSoap, costs(0, line(soap, 2, 3_000))} {
		again := ready.Given(changed(p, other))
		if parcel := again.State().Parcel; parcel.Packed() || parcel.Courier != azat || parcel.Day != tomorrow {
			t.Errorf("other goods leave the parcel %+v", parcel)
		}
		again.When(giveAzat).Refused(order.ErrNotPacked)
		again.When(pack).Then(packed)
	}
	// The same pieces at another price are in the parcel already.
	cheaper := ready.Given(changed(p, costs(0, line(cream, 2, 2_500))))
	if !cheaper.State().Parcel.Packed() {
		t.Error("another price unpacked the parcel")
	}
	cheaper.When(pack).Nothing()
	// A parcel that came back is packed until its goods change.
	back := given(t, p, approved, processing, packed, toAzat, notAtHome)
	if back.Given(changed(p, oneCream)).State().Parcel.Packed() || !back.State().Parcel.Packed() {
		t.Error("a parcel that came back keeps what is in it")
	}
}

// moveTo is a change of street and house alone.
func moveTo(street, house string) order.ChangeAddress {
	p := cash
	return order.ChangeAddress{
		Contact: p.Contact, Address: order.Address{City: "Алматы", Street: street, House: house}, City: p.City, DeliveryDate: p.DeliveryDate, Reason: " переехал ", At: noon,
	}
}

func TestAddressAndContactChange(t *testing.T) {
	t.Parallel()
	to := moveTo("Абая", "2")
	to.DeliveryDate = tomorrow
	to.Contact.Phone = "+77017654321"
	moved := order.AddressChanged{
		PersonID: cash.PersonID, Contact: to.Contact, Address: to.Address, City: to.City, DeliveryDate: tomorrow, Reason: "переехал", At: noon,
	}
	s := given(t, cash, approved, processing, packed)
	s.When(to).Then(moved)
	after := s.Given(moved)
	after.When(to).Nothing()
	if p := after.State(); p.Placed.Contact.Phone != "+77017654321" || p.Placed.Address.House != "2" || p.Placed.DeliveryDate != tomorrow || !p.Parcel.Packed() || p.Due() != total {
		t.Errorf("after the change: %+v", p.Placed)
	}
	for want, c := range map[error]order.ChangeAddress{order.ErrNoCity: moveTo("Абая", "2"), order.ErrNoStreet: moveTo(" ", "2")} {
		if errors.Is(want, order.ErrNoCity) {
			c.Address.City = " "
		}
		s.When(c).Refused(want)
	}
	s.When(moveTo("Абая", "")).Refused(order.ErrNoStreet)
	for _, day := range []string{past, "завтра", "2026-13-01"} {
		to.DeliveryDate = day
		s.When(to).Refused(order.ErrBadDate)
	}
	// A promised day that has passed may stay.
	old := placedBy(domain.Cash, func(p *order.Placed) { p.DeliveryDate = past })
	kept := moveTo("Абая", "2")
	kept.DeliveryDate = past
	kept.At = noon.Add(24 * time.Hour)
	given(t, old).When(kept).Then(order.AddressChanged{
		PersonID: old.PersonID, Contact: kept.Contact, Address: kept.Address, City: kept.City, DeliveryDate: past, Reason: "переехал", At: kept.At,
	})
	// Whoever fetches the goods needs no street.
	pickup := placedBy(domain.Cash, func(p *order.Placed) { p.DeliveryType = domain.Pickup })
	given(t, pickup).When(order.ChangeAddress{Contact: to.Contact, City: "Алматы", At: noon}).Then(order.AddressChanged{
		PersonID: pickup.PersonID, Contact: to.Contact, City: "Алматы", At: noon,
	})
}
