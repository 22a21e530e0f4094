package pricing

import "shop/domain"

// byHand explains the prices that staff gave lines: one step for each, with the reason as its note.
func byHand(lines []Line, priced []domain.PricedLine) (off domain.Money, steps []domain.Step) {
	for i, l := range lines {
		if l.HandReason == "" {
			continue
		}
		p := priced[i]
		less := (p.Price - p.DiscountedPrice) * p.Amount
		off += less
		steps = append(steps, domain.Step{
			Code: "hand_price", Label: "Цена от магазина: " + l.Name, Amount: -less,
			Note: "Вместо " + domain.Tenge(l.HandWas) + " — " + domain.Tenge(p.DiscountedPrice) + " за штуку: " + l.HandReason,
		})
	}
	return off, steps
}

// allowed explains what the shop lets pass in an order that it changed itself: a promo code that brings nothing any more, and a sum
// below the minimum.
func allowed(in Input, c *domain.Calculation) (steps []domain.Step) {
	if !in.Edited {
		return nil
	}
	if c.PromocodeError != "" {
		steps = append(steps, domain.Step{Code: "promocode_lost", Label: "Промокод больше не даёт скидки", Note: c.PromocodeError})
	}
	if c.MissingSum > 0 {
		steps = append(steps, domain.Step{
			Code: "below_minimum", Label: "Меньше минимальной суммы заказа", Note: "Не хватает " + domain.Tenge(c.MissingSum) + ", магазин принял заказ",
		})
	}
	return steps
}
