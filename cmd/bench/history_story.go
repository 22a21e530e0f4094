package main

import (
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	shopsettings "shop/domain/settings"
	"shop/domain/stock"
)

// story is one that begins now. Each call tells one more step; false: that was the last.
func (h *history) story() func() bool {
	if h.random.IntN(5) == 0 {
		return h.registration()
	}
	return h.purchase()
}

func (s *story) inCash() bool { return s.question.PaymentMethod == domain.Cash }

// calculate prices the first n goods as things are now.
func (s *story) calculate(n int) domain.Calculation {
	in := pricing.Input{
		Lines: make([]pricing.Line, n), Rules: s.rules, RulesVersion: s.version, City: s.question.City, DeliveryType: s.question.DeliveryType,
		PaymentMethod: s.question.PaymentMethod, At: s.now,
	}
	for i := range n {
		in.Lines[i] = s.goods[i].line
		in.Lines[i].Amount = s.amounts[i]
	}
	if s.code != nil {
		in.Promocode = &s.code.Code
	}
	if s.spends {
		in.BonusBalance, in.SpendBonus = s.who.balance, -1
	}
	return pricing.Calculate(in)
}

func (h *history) price(g *good) {
	g.line.Price = domain.Money(900 + 100*h.random.IntN(120))
	g.line.DiscountedPrice = g.line.Price * int64(8+h.random.IntN(3)) / 10
	h.add(g.product, catalog.ProductPriced{Price: g.line.Price, DiscountedPrice: g.line.DiscountedPrice, At: h.now})
}

// each tells of the stock of all goods.
func (s *story) each(tell func(g *good, amount int64) domain.Event) {
	for i, g := range s.goods {
		s.add(g.stock, tell(g, s.amounts[i]))
	}
}

// place makes the order, if one can be made. A code that cannot be used is taken away before.
func (s *story) place() bool {
	s.who = s.buyer()
	s.customer = s.who.account
	s.spends = s.customer != domain.ID{} && s.random.IntN(2) == 0
	if s.placed = s.calculate(len(s.goods)); s.placed.PromocodeError != "" {
		s.code = nil
		s.placed = s.calculate(len(s.goods))
	}
	if !s.placed.CanCreateOrder {
		return false
	}
	s.orders++
	person := s.customer
	if person == (domain.ID{}) {
		person = s.history.id()
		s.who.asGuest = append(s.who.asGuest, s)
	}
	payBefore := s.rules.PayBefore(s.question.PaymentMethod, s.now)
	s.payment = s.history.id().String()
	s.add(s.order, order.Placed{
		ID: s.id, Number: firstOrder + s.orders, BasketID: s.basketID, BasketSince: s.since, CustomerID: s.customer, PersonID: person, City: s.question.City,
		Contact:      s.who.contact,
		Address:      order.Address{City: s.question.City, Street: "проспект Абая", House: "10", Floor: "3", Apartment: "15", Entrance: "2"},
		DeliveryType: s.question.DeliveryType, PaymentMethod: s.question.PaymentMethod, Calculation: s.placed,
		DeliveryDate: shopsettings.Default().DeliveryDate(s.now, s.rules.SameDayUntil), PayBefore: payBefore, At: s.now,
	})
	s.add(s.basket, basket.CheckedOut{BasketID: s.basketID, OrderID: s.id, At: s.now})
	s.each(func(g *good, amount int64) domain.Event {
		g.reserved += amount
		return stock.Reserved{ProductID: g.line.ProductID, OrderID: s.id, Quantity: amount, OnHand: g.onHand, Reserved: g.reserved, Cause: s.cause("order"), At: s.now}
	})
	if s.placed.PromocodeApplied != "" {
		s.add(s.code.stream, promocode.Redeemed{Code: s.placed.PromocodeApplied, OrderID: s.id, Customer: person.String(), Discount: s.placed.TotalSum - s.placed.DiscountedSum, At: s.now})
	}
	if amount := s.placed.BonusSpent; amount > 0 {
		s.who.balance -= amount
		s.add(s.who.bonuses, bonus.Spent{CustomerID: s.customer, OrderID: s.id, Amount: amount, Balance: s.who.balance, At: s.now})
	}
	if s.inCash() {
		return true
	}
	s.add(s.order, order.PaymentRequested{PaymentID: s.payment, Provider: "sandbox", Attempt: 1, Amount: s.placed.PayableNow, PayBefore: payBefore, At: s.now})
	return true
}

func (s *story) cause(kind string) stock.Cause { return stock.Cause{Kind: kind, Ref: s.id.String()} }

func (s *story) release(kind string) {
	s.each(func(g *good, amount int64) domain.Event {
		g.reserved -= amount
		return stock.Released{ProductID: g.line.ProductID, OrderID: s.id, Quantity: amount, OnHand: g.onHand, Reserved: g.reserved, Cause: s.cause(kind), At: s.now}
	})
	if amount := s.placed.BonusSpent; amount > 0 {
		s.who.balance += amount
		s.add(s.who.bonuses, bonus.Returned{CustomerID: s.customer, OrderID: s.id, Amount: amount, Balance: s.who.balance, At: s.now})
	}
}

func (s *story) pay() bool {
	if !s.inCash() {
		s.add(s.order, order.Paid{PaymentID: s.payment, Amount: s.placed.PayableNow, At: s.now})
	}
	s.add(s.order, order.Approved{At: s.now})
	return true
}

func (s *story) process() bool {
	s.add(s.order, order.ProcessingStarted{At: s.now})
	return true
}

func (s *story) complete() bool {
	if s.inCash() {
		s.add(s.order, order.Paid{PaymentID: order.CashPaymentID, Amount: s.placed.TotalPaid, At: s.now})
	}
	s.add(s.order, order.Completed{At: s.now})
	s.each(func(g *good, amount int64) domain.Event {
		g.onHand, g.reserved = g.onHand-amount, g.reserved-amount
		return stock.Shipped{ProductID: g.line.ProductID, OrderID: s.id, Quantity: amount, OnHand: g.onHand, Reserved: g.reserved, Cause: s.cause("shipment"), At: s.now}
	})
	s.completed = true
	s.earn()
	for _, g := range s.goods {
		if g.onHand < 1000 {
			s.receive(g)
		}
	}
	return true
}

// join gives a guest's order to the account that they opened since.
func (s *story) join() {
	s.customer = s.who.account
	s.add(s.order, order.Joined{CustomerID: s.customer, At: s.now})
	s.earn()
}

// earn books the bonuses for an order that is completed and has a customer.
func (s *story) earn() {
	if !s.completed || s.customer == (domain.ID{}) {
		return
	}
	base := s.placed.DiscountedSum - s.placed.BonusSpent
	amount := domain.PercentOf(base, s.rules.BonusEarnPercent)
	s.who.balance += amount
	s.add(s.who.bonuses, bonus.Earned{
		CustomerID: s.customer, OrderID: s.id, Base: base, Percent: s.rules.BonusEarnPercent, RulesVersion: s.version, Amount: amount, Balance: s.who.balance, At: s.now,
	})
}

// inTurn takes steps until there is none or one ends the story.
func inTurn(steps []func() bool) func() bool {
	return func() bool {
		on := steps[0]()
		steps = steps[1:]
		return on && len(steps) > 0
	}
}
