package order_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
)

const days = 14

var (
	request1 = uuid.UUID{15: 51}
	return1  = uuid.UUID{15: 61}
	return2  = uuid.UUID{15: 62}
	return3  = uuid.UUID{15: 63}

	inTime  = noon.AddDate(0, 0, days)
	tooLate = inTime.Add(1)

	// Three creams after a discount that no three pieces share evenly, and a soap, of which 1 001 are paid with bonuses:
	// 856 of the creams (1001 × 8500 / 9940 = 855.98) and 145 of the soap.
	bought = priced(domain.Cash, costs(1_001,
		domain.PricedLine{ProductID: cream, Amount: 3, Price: 3_333, DiscountedPrice: 3_333, OrderDiscount: 1_499, Total: 8_500},
		domain.PricedLine{ProductID: soap, Amount: 1, Price: 1_440, DiscountedPrice: 1_440, Total: 1_440}))
	taken = order.Paid{PaymentID: order.CashPaymentID, Amount: 8_939, At: noon}
	home  = []order.Event{bought, approved, processing, packed, toAzat, delivered, taken, completed}
)

func back(id domain.ID, lines ...order.BackLine) order.ReturnGoods {
	return order.ReturnGoods{ReturnID: id, Lines: lines, Reason: " не подошло ", Days: days, At: inTime}
}

func came(id domain.ID, lines ...order.ReturnedLine) order.GoodsReturned {
	e := order.GoodsReturned{ReturnID: id, Lines: lines, Reason: "не подошло", At: inTime}
	for _, l := range lines {
		e.Money += l.Money
		e.Bonuses += l.Bonuses
	}
	return e
}

func TestOnePieceOfThreeComesBack(t *testing.T) {
	t.Parallel()
	s := given(t, home...)
	// (8500 − 856) / 3 = 2548, and 856 / 3 = 285.33.
	one := came(return1, order.ReturnedLine{ProductID: cream, Amount: 1, Money: 2_548, Bonuses: 285})
	s.When(back(return1, order.BackLine{ProductID: cream, Amount: 1})).Then(one)
	after := s.Given(one).State()
	if after.Status != order.StatusCompleted || after.Due() != 8_939-2_548 || after.Left(cream) != 2 || after.Back(cream) != 1 {
		t.Errorf("%s, costs %d, %d left", after.Status, after.Due(), after.Left(cream))
	}
	if owed := after.Owed(); len(owed) != 1 || owed[0].Amount != 2_548 {
		t.Errorf("owed %+v", owed)
	}
	if after.BonusHeld() != 1_001-285 {
		t.Errorf("%d bonuses pay for what is left", after.BonusHeld())
	}
	went := order.Refunded{RefundID: "r1", PaymentID: order.CashPaymentID, Amount: 2_548, Excess: true, At: inTime}
	s.Given(one).When(order.Refund{RefundID: "r1", PaymentID: order.CashPaymentID, Amount: 2_548, At: inTime}).Then(went)
	// Bonuses are earned of the goods that are left, and those that were spent on them stay.
	if after = s.Given(one, went).State(); after.BonusBase() != 8_939-2_548 || after.BonusHeld() != 716 || len(after.Owed()) != 0 || after.Lacks() != 0 {
		t.Errorf("after the money went back: base %d, held %d, owed %+v", after.BonusBase(), after.BonusHeld(), after.Owed())
	}
	s.Given(one).When(back(return1, order.BackLine{ProductID: cream, Amount: 1})).Nothing()
}

// TestRepeatedReturnsAddUp: what comes back piece by piece is worth what was paid, to the last tenge and the last bonus.
func TestRepeatedReturnsAddUp(t *testing.T) {
	t.Parallel()
	s := given(t, home...)
	first := came(return1, order.ReturnedLine{ProductID: cream, Amount: 1, Money: 2_548, Bonuses: 285})
	second := came(return2, order.ReturnedLine{ProductID: cream, Amount: 1, WrittenOff: true, Money: 2_548, Bonuses: 286})
	rest := came(return3, order.ReturnedLine{ProductID: soap, Amount: 1, Money: 1_295, Bonuses: 145}, order.ReturnedLine{ProductID: cream, Amount: 1, Money: 2_548, Bonuses: 285})
	s.When(back(return1, order.BackLine{ProductID: cream, Amount: 1})).Then(first)
	s.Given(first).When(back(return2, order.BackLine{ProductID: cream, Amount: 1, WrittenOff: true})).Then(second)
	s.Given(first, second).When(back(return3, order.BackLine{ProductID: soap, Amount: 1}, order.BackLine{ProductID: cream, Amount: 1})).Then(rest)
	all := s.Given(first, second, rest)
	if state := all.State(); state.Due() != 0 || state.GoodsBack != 8_939 || state.BonusesBack != 1_001 || state.BonusHeld() != 0 || state.Returnable() {
		t.Errorf("all is back, and the order costs %d, %d came back, with %d bonuses", state.Due(), state.GoodsBack, state.BonusesBack)
	}
	all.When(back(uuid.UUID{15: 64}, order.BackLine{ProductID: cream, Amount: 1})).Refused(order.ErrNotReturnable)
	// One line twice in one return is worth what two returns are.
	both := came(return1, order.ReturnedLine{ProductID: cream, Amount: 1, Money: 2_548, Bonuses: 285}, order.ReturnedLine{ProductID: cream, Amount: 1, WrittenOff: true, Money: 2_548, Bonuses: 286})
	lines := []order.BackLine{{ProductID: cream, Amount: 1}, {ProductID: cream, Amount: 1, WrittenOff: true}}
	s.When(back(return1, lines...)).Then(both)
	if worth := s.State().Worth(lines); worth != both.Money {
		t.Errorf("foretold %d, came %d", worth, both.Money)
	}
	// A line that no number of pieces divides: 10 000 / 3.
	odd := given(t, priced(domain.Cash, costs(0, domain.PricedLine{ProductID: balm, Amount: 3, Total: 10_000})), approved, processing, order.Paid{PaymentID: order.CashPaymentID, Amount: 10_000}, completed)
	var sum domain.Money
	for i, want := range []domain.Money{3_333, 3_334, 3_333} {
		e := came(uuid.UUID{15: byte(71 + i)}, order.ReturnedLine{ProductID: balm, Amount: 1, Money: want})
		odd.When(back(e.ReturnID, order.BackLine{ProductID: balm, Amount: 1})).Then(e)
		odd, sum = odd.Given(e), sum+want
	}
	if sum != 10_000 || odd.State().Due() != 0 {
		t.Errorf("the pieces are worth %d", sum)
	}
}

func TestGoodsThatCannotComeBack(t *testing.T) {
	t.Parallel()
	one := order.BackLine{ProductID: cream, Amount: 1}
	for _, history := range [][]order.Event{{bought}, {bought, approved, processing, packed, toAzat}, {bought, approved, processing, packed, toAzat, delivered}, {bought, cancelled}} {
		given(t, history...).When(back(return1, one)).Refused(order.ErrNotReturnable)
	}
	s := given(t, home...)
	s.When(back(return1)).Refused(order.ErrNothingBack)
	s.When(back(return1, order.BackLine{ProductID: cream})).Refused(order.ErrNothingBack)
	s.When(back(return1, order.BackLine{ProductID: cream, Amount: -1})).Refused(order.ErrNothingBack)
	s.When(back(return1, order.BackLine{ProductID: cream, Amount: 4})).Refused(order.ErrReturnTooMany)
	s.When(back(return1, order.BackLine{ProductID: cream, Amount: 2}, order.BackLine{ProductID: cream, Amount: 2})).Refused(order.ErrReturnTooMany)
	s.When(back(return1, order.BackLine{ProductID: balm, Amount: 1})).Refused(order.ErrReturnTooMany)
	s.Given(came(return1, order.ReturnedLine{ProductID: cream, Amount: 2})).When(back(return2, order.BackLine{ProductID: cream, Amount: 2})).Refused(order.ErrReturnTooMany)
	for _, reason := range []string{"", strings.Repeat("ж", order.MaxReason+1)} {
		c := back(return1, one)
		c.Reason = reason
		s.When(c).Refused(order.ErrUnexplained)
	}
	// After the time of the rules staff say why; in time they need not, and it is not kept.
	late := back(return1, one)
	late.At = tooLate
	s.When(late).Refused(order.ErrReturnTooLate)
	late.Late = " брак "
	kept := came(return1, order.ReturnedLine{ProductID: cream, Amount: 1, Money: 2_548, Bonuses: 285})
	kept.Late, kept.At = "брак", tooLate
	s.When(late).Then(kept)
	late.Days = 0
	kept.Late = ""
	s.When(late).Then(kept)
}

func TestACustomerAsksToBringGoodsBack(t *testing.T) {
	t.Parallel()
	ask := order.RequestReturn{RequestID: request1, Lines: []order.AskedLine{{ProductID: cream, Amount: 2}}, Reason: " не тот запах ", Days: days, At: inTime}
	asked := order.ReturnRequested{RequestID: request1, Lines: ask.Lines, PersonID: bought.PersonID, Reason: "не тот запах", At: inTime}
	s := given(t, home...)
	s.When(ask).Then(asked)
	for want, change := range map[error]func(*order.RequestReturn){
		order.ErrReturnsOff:    func(c *order.RequestReturn) { c.Days = 0 },
		order.ErrReturnTooLate: func(c *order.RequestReturn) { c.At = tooLate },
		order.ErrUnexplained:   func(c *order.RequestReturn) { c.Reason = " " },
		order.ErrNothingBack:   func(c *order.RequestReturn) { c.Lines = nil },
		order.ErrReturnTooMany: func(c *order.RequestReturn) { c.Lines = []order.AskedLine{{ProductID: cream, Amount: 4}} },
	} {
		c := ask
		change(&c)
		s.When(c).Refused(want)
	}
	given(t, bought, approved).When(ask).Refused(order.ErrNotReturnable)
	s.Given(order.Forgotten{At: noon}).When(ask).Refused(order.ErrNotReturnable)

	open := s.Given(asked)
	open.When(ask).Refused(order.ErrReturnAsked)
	grant := func(lines ...order.BackLine) order.ReturnGoods {
		c := back(return1, lines...)
		c.RequestID = request1
		return c
	}
	granted := came(return1, order.ReturnedLine{ProductID: cream, Amount: 1, Money: 2_548, Bonuses: 285})
	granted.RequestID = request1
	open.When(grant(order.BackLine{ProductID: cream, Amount: 1})).Then(granted)
	open.When(grant(order.BackLine{ProductID: cream, Amount: 3})).Refused(order.ErrMoreThanAsked)
	open.When(grant(order.BackLine{ProductID: soap, Amount: 1})).Refused(order.ErrMoreThanAsked)
	s.When(grant(order.BackLine{ProductID: cream, Amount: 1})).Refused(order.ErrNoReturnAsked)
	if open.Given(granted).State().ReturnAsked != nil {
		t.Error("a request that was granted is still open")
	}

	no := order.DeclineReturn{RequestID: request1, Reason: " упаковка вскрыта ", At: inTime}
	declined := order.ReturnDeclined{RequestID: request1, Reason: "упаковка вскрыта", At: inTime}
	open.When(no).Then(declined)
	s.When(no).Refused(order.ErrNoReturnAsked)
	open.When(order.DeclineReturn{RequestID: return1, Reason: "нет"}).Refused(order.ErrNoReturnAsked)
	open.When(order.DeclineReturn{RequestID: request1}).Refused(order.ErrUnexplained)
	open.Given(declined).When(no).Refused(order.ErrNoReturnAsked)
	if after := open.Given(declined).State(); after.ReturnAsked != nil || after.Left(cream) != 3 {
		t.Error("what was declined changed more than the request")
	}
	open.Given(declined).When(ask).Then(asked)
}
