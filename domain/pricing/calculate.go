package pricing

import (
	"shop/domain"
	"shop/domain/promocode"
)

// maxAmount is the most pieces a line is priced for. Commands refuse far less; the cap keeps sums in int64 whatever comes.
const maxAmount = 10_000

// Reasons why no order can be created; those of stock are the command's to add.
const (
	ReasonEmpty           = "empty"
	ReasonBelowMinimum    = "below_minimum"
	ReasonCashUnavailable = "cash_unavailable"
	ReasonOutOfStock      = "out_of_stock"
	ReasonNotEnoughStock  = "not_enough_stock"
)

// Calculate prices a basket. Negative and absurd prices and amounts are brought into bounds, never into the sums.
//
// A missing payment method is priced as CARD, the shop's default. CASH is paid wholly on delivery, goods and courier.
// The bonus limit is rounded down, because it is a limit.
func Calculate(in Input) domain.Calculation {
	c := domain.Calculation{
		RulesVersion: in.RulesVersion,
		Lines:        make([]domain.PricedLine, 0, len(in.Lines)),
		Explanation:  make([]domain.Step, 0, 5),
	}
	step := func(s domain.Step) { c.Explanation = append(c.Explanation, s) }

	for _, line := range in.Lines {
		priced := priceLine(line)
		c.Lines = append(c.Lines, priced)
		c.ListSum += priced.Price * priced.Amount
		c.TotalSum += priced.Total
		if priced.InScope {
			c.ScopedSum += priced.Total
		}
	}
	step(domain.Step{Code: "list_prices", Label: "Товары по обычным ценам", Amount: c.ListSum})
	hand, steps := byHand(in.Lines, c.Lines)
	if off := c.ListSum - c.TotalSum - hand; off > 0 {
		step(domain.Step{Code: "product_discounts", Label: "Скидки на товары", Amount: -off})
	}
	c.Explanation = append(c.Explanation, steps...)

	city, served := in.Rules.DeliveryTo(in.City)
	sums := Sums{
		TotalSum: c.TotalSum, ScopedSum: c.ScopedSum, Empty: len(c.Lines) == 0, Code: in.usableCode(), City: city, Served: served,
		Pickup: in.DeliveryType == domain.Pickup, Cash: in.PaymentMethod == domain.Cash,
		BonusBalance: in.BonusBalance, SpendBonus: in.SpendBonus, ManualPercent: in.Manual.Percent,
	}
	t := Reckon(&in.Rules, &sums)

	best := tellDiscount(in, &c, &t)
	c.OrderDiscount, c.PromocodeApplied, c.PromocodeError = best.percent, best.code, best.codeError
	spreadDiscount(&c, &sums, &t)
	c.DiscountedSum = t.DiscountedSum
	if t.better() > 0 {
		step(best.step)
	}
	if t.ByHand > 0 {
		c.Manual = domain.Manual{Percent: clamp(in.Manual.Percent, 100), Reason: in.Manual.Reason, Amount: t.ByHand}
		step(byStaff(c.Manual))
	}

	if c.BonusSpent = t.BonusSpent; c.BonusSpent > 0 {
		note := ""
		if t.BonusLimited {
			note = "Бонусами можно оплатить не больше " + domain.Percent(in.Rules.BonusSpendPercent) + " стоимости товаров"
		}
		step(domain.Step{Code: "bonus", Label: "Оплата бонусами", Amount: -c.BonusSpent, Note: note})
	}

	c.IsDeliveryCalculated, c.DeliveryPrice = served, t.DeliveryPrice
	if len(c.Lines) > 0 {
		step(deliver(in, &sums, &t))
	}

	c.TotalPaid = t.TotalPaid
	if sums.Cash {
		c.PayableOnDelivery = c.TotalPaid
	} else {
		c.PayableNow = c.TotalPaid
	}

	c.MissingSum, c.Reason = t.MissingSum, t.Reason
	c.CanCreateOrder = c.Reason == ""
	c.Explanation = append(c.Explanation, allowed(in, &c)...)
	return c
}

// priceLine prices a line before the order's discount. The price to pay is the one that counts: a list price below
// it is raised to it.
func priceLine(line Line) domain.PricedLine {
	amount := clamp(line.Amount, maxAmount)
	discounted := clamp(line.DiscountedPrice, domain.MaxPrice)
	return domain.PricedLine{
		ProductID:       line.ProductID,
		Article:         line.Article,
		Name:            line.Name,
		Link:            line.Link,
		Picture:         line.Picture,
		Amount:          amount,
		Price:           max(clamp(line.Price, domain.MaxPrice), discounted),
		DiscountedPrice: discounted,
		Total:           discounted * amount,
		InScope:         line.InScope,
	}
}

func clamp(n, most int64) int64 { return min(max(n, 0), most) }

// usableCode are the terms of the promo code given; nil when there is none, or when it cannot be used.
func (in *Input) usableCode() *promocode.Terms {
	if in.Promocode == nil || in.Promocode.Problem != "" {
		return nil
	}
	return &in.Promocode.Terms
}

// deliver is the delivery step, with the price as its amount.
func deliver(in Input, s *Sums, t *Totals) domain.Step {
	step := domain.Step{Code: "delivery", Amount: t.DeliveryPrice}
	switch {
	case s.Pickup:
		step.Label = "Самовывоз"
	case in.City == "":
		step.Label = "Доставка"
		step.Note = "Укажите город, чтобы рассчитать доставку"
	case !s.Served:
		step.Label = "Доставка курьерской компанией"
		step.Note = "Рассчитывается отдельно и оплачивается курьеру"
	case t.DiscountedSum >= s.City.FreeFrom:
		step.Label = "Доставка, " + s.City.City
		step.Note = "Бесплатно"
		if s.City.FreeFrom > 0 {
			step.Note += " от " + domain.Tenge(s.City.FreeFrom)
		}
	default:
		step.Label = "Доставка, " + s.City.City
		step.Note = "Бесплатно от " + domain.Tenge(s.City.FreeFrom) + ", не хватает " + domain.Tenge(s.City.FreeFrom-t.DiscountedSum)
		if s.Cash {
			step.Note = "Оплачивается курьеру. " + step.Note
		}
	}
	return step
}
