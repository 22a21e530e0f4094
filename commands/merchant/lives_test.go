package merchant_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"shop/commands"
	"shop/commands/merchant"
	"shop/commands/payments"
	"shop/commands/refunds"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/promocode"
)

const onHand = 12

// life is an order of a customer with bonuses and a promo code, and what the log says of it counted by itself.
type life struct {
	*rapid.T
	s        *testshop.Shop
	edit     merchant.Orders
	id       domain.ID
	customer domain.ID
	code     string
	products []domain.ID
	hands    int
	did      map[string]int
}

// TestLivesAddUp: whatever happens to an order, stock, money, bonuses and the promo code add up to the last tenge and piece.
func TestLivesAddUp(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	lives, did := 0, map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		lives++
		l := &life{T: r, s: s, edit: merchant.Orders{Orders: s.Orders}, customer: s.Customer(), code: fmt.Sprintf("LIFE%d", lives), did: did}
		s.Credit(l.customer, 3_000)
		kind := rapid.SampledFrom([]promocode.Terms{
			{Kind: promocode.Percent, Value: 17, MinSum: 9_000, Uses: 1}, {Kind: promocode.Fixed, Value: 2_501, Uses: 1},
		}).Draw(r, "promo code")
		s.Promocode(l.code, kind)
		for _, price := range []domain.Money{3_333, 5_001, 7_919} {
			l.products = append(l.products, s.Product(price, price-rapid.Int64Range(0, 500).Draw(r, "off"), onHand))
		}
		l.place()
		l.addUp("placed")
		for range 12 {
			l.addUp(l.step())
		}
	})
	t.Log(lives, did)
	for _, what := range []string{"edit", "move", "pay", "by hand", "complete", "cancel", "return"} {
		if did[what] == 0 {
			t.Errorf("in %d lives nobody did: %s", lives, what)
		}
	}
}

func (l *life) place() {
	var lines []commands.Line
	for _, p := range l.products[:2] {
		lines = append(lines, commands.Line{ProductID: p, Amount: rapid.Int64Range(1, 4).Draw(l.T, "ordered")})
	}
	receipt, _, err := l.s.Orders.Checkout(l.s.T.Context(), commands.Checkout{
		CustomerID: l.customer, Lines: lines, Contact: order.Contact{FirstName: "Анна", Phone: "+77011112233", Email: "anna@example.kz"},
		Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, SpendBonus: -1,
		PaymentMethod: rapid.SampledFrom([]domain.PaymentMethod{domain.Card, domain.Cash}).Draw(l.T, "method"),
		Promocode:     rapid.SampledFrom([]string{"", l.code}).Draw(l.T, "code"),
	})
	var invalid *commands.Invalid
	if err != nil && (errors.As(err, &invalid) || errors.Is(err, commands.ErrBelowMinimum)) {
		l.Skip("no order can be made of it")
	}
	l.must(err)
	l.id = receipt.ID
}

// must fails on what is no answer of the shop's rules.
func (l *life) must(err error) {
	if err != nil && !commands.IsAnswer(err) {
		l.Fatalf("%+v", err)
	}
}

func (l *life) step() string {
	ctx := commands.WithOrigin(l.s.T.Context(), commands.Origin{Actor: "staff:dana"})
	other := commands.WithOrigin(l.s.T.Context(), commands.Origin{Actor: "staff:murat"})
	state := l.s.OrderOf(l.id)
	var err error
	what := rapid.SampledFrom([]string{"edit", "edit", "edit", "move", "pay", "pay", "by hand", "confirm", "approve", "process", "complete", "complete", "complete", "cancel", "return", "return", "return", "return", "refund", "refund by hand", "confirm refund"}).Draw(l.T, "what")
	switch what {
	case "edit":
		_, err = l.edit.ChangeLines(ctx, l.id, l.lines())
	case "move":
		city := rapid.SampledFrom([]string{"Алматы", "Астана"}).Draw(l.T, "city")
		_, err = l.edit.ChangeAddress(ctx, l.id, merchant.Address{Contact: state.Placed.Contact, Address: order.Address{City: city, Street: "Абая", House: "2"}})
	case "pay":
		if state.PaymentID == "" || state.Lacks() == 0 {
			return what
		}
		_, err = l.s.Orders.Settle(ctx, payments.Notification{PaymentID: state.PaymentID, Receipt: fmt.Sprint(state.Attempt), Outcome: payments.Paid, Amount: state.Lacks()})
	case "by hand":
		l.hands++
		amount := rapid.Int64Range(1, max(1, state.Lacks())).Draw(l.T, "by hand")
		_, _, err = l.s.Orders.PayByHand(ctx, l.id, commands.HandPayment{Method: order.KaspiQR, Reference: fmt.Sprint(l.hands), Amount: amount})
	case "confirm":
		if len(state.HandClaims) > 0 {
			_, err = l.s.Orders.ConfirmByHand(other, l.id, state.HandClaims[0].Reference)
		}
	case "confirm refund":
		if len(state.RefundClaims) > 0 {
			_, err = (refunds.Desk{Orders: l.s.Orders}).ConfirmHandRefund(other, l.id, state.RefundClaims[0].Reference)
		}
	case "approve":
		_, err = l.s.Orders.Approve(ctx, l.id)
	case "process":
		_, err = l.s.Orders.Process(ctx, l.id)
	case "complete":
		_, err = l.s.Orders.Approve(ctx, l.id)
		l.must(err)
		_, err = l.s.Orders.Process(ctx, l.id)
		l.must(err)
		_, err = l.s.Orders.Complete(ctx, l.id)
	case "cancel":
		_, err = l.s.Orders.Cancel(ctx, l.id, "staff", "x")
	case "return":
		_, err = l.edit.TakeBack(ctx, l.id, l.back(state))
	case "refund":
		_, err = l.s.Orders.Refund(ctx, l.id, rapid.Int64Range(1, 3_000).Draw(l.T, "refund"), "")
	case "refund by hand":
		for _, owed := range state.Owed() {
			if order.TakenByHand(owed.ID) {
				l.hands++
				_, _, err = (refunds.Desk{Orders: l.s.Orders}).RefundByHand(ctx, l.id, owed.ID, fmt.Sprint(l.hands), owed.Amount)
			}
		}
	}
	l.must(err)
	if err == nil {
		l.did[what]++
	}
	_, err = (&commands.Bonuses{Handler: l.s.Handler}).Follow(ctx, l.id)
	l.must(err)
	return what
}

func (l *life) lines() merchant.Lines {
	c := merchant.Lines{Reason: "по телефону"}
	for _, p := range l.products {
		amount := rapid.SampledFrom([]int64{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, onHand, 1, 2, 3, 4, -1, onHand + 1}).Draw(l.T, "amount")
		if amount == 0 {
			continue
		}
		line := merchant.Line{ProductID: p, Amount: amount}
		if rapid.IntRange(0, 3).Draw(l.T, "by hand") == 0 {
			price := rapid.SampledFrom([]domain.Money{-1, 0, 1, 777, 2_499, 3_000, 4_111, 5_555, 9_999}).Draw(l.T, "price")
			line.Price, line.Reason = &price, "мятая коробка"
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

func (l *life) back(s order.State) merchant.Return {
	r := merchant.Return{Reason: "не подошло"}
	for _, line := range s.Placed.Calculation.Lines {
		left := s.Left(line.ProductID)
		// One more than there is, now and then.
		if n := rapid.SampledFrom([]int64{0, 1, 1, 1, left / 2, left - 1, left, left + 1}).Draw(l.T, "back"); n > 0 {
			r.Lines = append(r.Lines, order.BackLine{ProductID: line.ProductID, Amount: n, WrittenOff: rapid.Bool().Draw(l.T, "written off")})
		}
	}
	return r
}

// addUp counts everything once more from the order's events and states.
func (l *life) addUp(after string) {
	s := l.s.OrderOf(l.id)
	c := s.Placed.Calculation
	bad := func(what string, got, want any) {
		if got != want {
			l.Fatalf("after %s, %s: %s is %v, want %v", after, s.Status, what, got, want)
		}
	}
	var totals, steps domain.Money
	for _, line := range c.Lines {
		totals += line.Total
	}
	for _, step := range c.Explanation {
		steps += step.Amount
	}
	bad("the sum of the lines", totals, c.DiscountedSum)
	bad("the sum of the steps", steps, c.TotalPaid)
	bad("the total", c.DiscountedSum-c.BonusSpent+c.DeliveryPrice, c.TotalPaid)

	// Stock, piece by piece.
	ordered, stocked, came := map[domain.ID]int64{}, map[domain.ID]int64{}, map[domain.ID]int64{}
	for _, line := range c.Lines {
		ordered[line.ProductID] += line.Amount
	}
	var goodsBack, bonusesBack, in, out, excess domain.Money
	shipped := false
	events, err := l.s.Log.Stream(l.s.T.Context(), order.Stream(l.id), 0, 0)
	l.must(err)
	for _, e := range events {
		switch e := e.Data.(type) {
		case order.Paid:
			in += e.Amount
		case order.Refunded:
			if out += e.Amount; e.Excess {
				excess += e.Amount
			}
		case order.Completed:
			shipped = true
		case order.GoodsReturned:
			for _, back := range e.Lines {
				if came[back.ProductID] += back.Amount; !back.WrittenOff {
					stocked[back.ProductID] += back.Amount
				}
				goodsBack, bonusesBack = goodsBack+back.Money, bonusesBack+back.Bonuses
			}
		}
	}
	pieces := int64(0)
	for _, p := range l.products {
		level, held, gone := l.s.StockOf(p), int64(0), int64(0)
		if s.HoldsGoods() {
			held = ordered[p]
		}
		if shipped {
			gone = ordered[p]
		}
		bad("held", level.Held(l.id), held)
		bad("reserved", level.Reserved, held)
		bad("on hand", level.OnHand, onHand-gone+stocked[p])
		if came[p] > ordered[p] {
			l.Fatalf("%d of %d came back", came[p], ordered[p])
		}
		pieces += ordered[p] - came[p]
	}
	if shipped && pieces == 0 {
		bad("all goods back", goodsBack, c.DiscountedSum-c.BonusSpent)
		bad("all bonuses back", bonusesBack, c.BonusSpent)
	}

	// Money, to the tenge: what is held is what the order costs, and the rest is owed, or lacks.
	costs := c.TotalPaid
	switch s.Status {
	case order.StatusCancelled, order.StatusRefunded:
		costs = 0
	case order.StatusCompleted:
		costs = max(0, c.TotalPaid-goodsBack-(out-excess))
	case order.StatusReceived, order.StatusApproved, order.StatusProcessing, order.StatusPaymentErr:
	}
	bad("captured", s.Captured(), in-out)
	owed := domain.Money(0)
	for _, p := range s.Owed() {
		owed += p.Amount
		if !order.TakenByHand(p.ID) {
			l.Fatalf("after %s: %d of %s was not given back", after, p.Amount, p.ID)
		}
	}
	bad("owed", owed, max(0, in-out-costs))
	bad("lacking", s.Lacks(), max(0, costs-(in-out)))

	// Bonuses and the promo code.
	ledger := l.s.LedgerOf(l.customer)
	keeps := domain.Money(0)
	switch {
	case s.HoldsGoods():
		keeps = c.BonusSpent
	case s.Status == order.StatusCompleted && out == excess:
		keeps = c.BonusSpent - bonusesBack
	case s.Status == order.StatusCompleted:
		keeps = s.BonusHeld()
	}
	bad("bonuses held", ledger.Held(l.id), keeps)
	bad("balance", ledger.Balance, 3_000-ledger.Held(l.id)+ledger.EarnedBy(l.id))
	if s.Status == order.StatusCompleted && s.Lacks() == 0 && out == excess {
		// An order earns once, of what was paid then; never more than its goods give now.
		if most := domain.PercentOf(c.DiscountedSum-c.BonusSpent-goodsBack, 3); ledger.EarnedBy(l.id) > most {
			bad("earned", ledger.EarnedBy(l.id), most)
		}
	}
	uses := int64(0)
	if c.PromocodeApplied != "" && (s.HoldsGoods() || shipped) {
		uses = 1
	}
	bad("uses of the code", l.s.CodeOf(l.code).Uses, uses)
}
