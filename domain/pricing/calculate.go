package pricing

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/rules"
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
	}
	step(domain.Step{Code: "list_prices", Label: "Товары по обычным ценам", Amount: c.ListSum})
	if off := c.ListSum - c.TotalSum; off > 0 {
		step(domain.Step{Code: "product_discounts", Label: "Скидки на товары", Amount: -off})
	}

	best := bestDiscount(in, c.TotalSum)
	c.OrderDiscount, c.PromocodeApplied, c.PromocodeError = best.percent, best.code, best.codeError
	spread(c.Lines, best.amount, c.TotalSum)
	c.DiscountedSum = c.TotalSum - best.amount
	if best.amount > 0 {
		step(best.step)
	}

	spent, note := spendBonus(in, c.DiscountedSum)
	c.BonusSpent = spent
	if spent > 0 {
		step(domain.Step{Code: "bonus", Label: "Оплата бонусами", Amount: -spent, Note: note})
	}

	city, served := in.Rules.DeliveryTo(in.City)
	c.IsDeliveryCalculated = served
	if len(c.Lines) > 0 {
		delivery := deliver(in, city, served, c.DiscountedSum)
		c.DeliveryPrice = delivery.Amount
		step(delivery)
	}

	c.TotalPaid = c.DiscountedSum - c.BonusSpent + c.DeliveryPrice
	if in.PaymentMethod == domain.Cash {
		c.PayableOnDelivery = c.TotalPaid
	} else {
		c.PayableNow = c.TotalPaid
	}

	c.MissingSum = max(0, in.Rules.MinimumSum-c.TotalSum)
	switch {
	case len(c.Lines) == 0:
		c.Reason = ReasonEmpty
	case c.MissingSum > 0:
		c.Reason = ReasonBelowMinimum
	case in.PaymentMethod == domain.Cash && !served:
		c.Reason = ReasonCashUnavailable
	}
	c.CanCreateOrder = c.Reason == ""
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
	}
}

func clamp(n, most int64) int64 { return min(max(n, 0), most) }

// discount is what comes off the order, and how it is told.
type discount struct {
	amount    domain.Money
	percent   int64
	code      string
	codeError string
	step      domain.Step
}

// bestDiscount is the better for the customer of the tier and the promo code. At a tie the tier wins, and the
// customer keeps the code.
func bestDiscount(in Input, total domain.Money) discount {
	tier := in.Rules.TierFor(total)
	byTier := discount{amount: clamp(domain.PercentOf(total, tier.Percent), total), percent: tier.Percent}
	byTier.step = domain.Step{Code: "tier_discount", Label: tierLabel(tier), Amount: -byTier.amount}
	if in.Promocode == nil {
		return byTier
	}
	code, terms := promocode.Normal(in.Promocode.Code), in.Promocode.Terms
	if in.Promocode.Problem != "" {
		byTier.codeError = in.Promocode.Problem
		return byTier
	}
	if refusal := terms.BelowMinSum(total); refusal != nil {
		byTier.codeError = refusal.Message
		return byTier
	}

	byCode := discount{amount: clamp(terms.Discount(total), total), code: code}
	byCode.step = domain.Step{Code: "promocode", Label: "Промокод " + code, Amount: -byCode.amount}
	gives := domain.Tenge(-byCode.amount)
	if terms.Kind == promocode.Percent {
		byCode.percent = terms.Value
		byCode.step.Label += ", скидка " + domain.Percent(terms.Value)
		gives = domain.Percent(terms.Value) + " (" + gives + ")"
	}
	switch {
	case byCode.amount > byTier.amount && byTier.amount > 0:
		byCode.step.Note = "Скидка за сумму заказа дала бы " + domain.Percent(tier.Percent) +
			" (" + domain.Tenge(-byTier.amount) + "), промокод выгоднее"
		return byCode
	case byCode.amount > byTier.amount:
		return byCode
	case byCode.amount == byTier.amount:
		byTier.step.Note = "Промокод " + code + " дал бы столько же (" + domain.Tenge(-byCode.amount) +
			") и остаётся неиспользованным"
		return byTier
	default:
		byTier.step.Note = "Промокод " + code + " дал бы " + gives + ", скидка за сумму заказа выгоднее"
		return byTier
	}
}

func tierLabel(tier rules.Tier) string {
	return "Скидка " + domain.Percent(tier.Percent) + " за заказ от " + domain.Tenge(tier.From)
}

// spread gives each line its share of the order's discount by the largest remainder: every line its whole part, and
// the tenges left over one by one to the lines that lost most to rounding.
func spread(lines []domain.PricedLine, off, total domain.Money) {
	if off == 0 {
		return
	}
	type rest struct {
		line *domain.PricedLine
		lost uint64
	}
	rests := make([]rest, len(lines))
	left := off
	for i := range lines {
		// off × line ÷ total in 128 bits; the quotient is at most the line's total, because off is at most total.
		hi, lo := bits.Mul64(uint64(off), uint64(lines[i].Total))
		share, lost := bits.Div64(hi, lo, uint64(total))
		lines[i].OrderDiscount = int64(share)
		left -= int64(share)
		rests[i] = rest{&lines[i], lost}
	}
	// Ties go by facts of the line, never by its place: the order of lines must not matter.
	slices.SortStableFunc(rests, func(a, b rest) int {
		return cmp.Or(
			cmp.Compare(b.lost, a.lost),
			cmp.Compare(b.line.Total, a.line.Total),
			bytes.Compare(a.line.ProductID[:], b.line.ProductID[:]),
		)
	})
	for i := range left {
		rests[i].line.OrderDiscount++
	}
	for i := range lines {
		lines[i].Total -= lines[i].OrderDiscount
	}
}

// spendBonus is how many bonuses pay for goods worth sum, and a note when the shop's limit is why not more.
func spendBonus(in Input, sum domain.Money) (spent domain.Money, note string) {
	wanted := max(0, in.BonusBalance)
	if in.SpendBonus != -1 {
		wanted = min(wanted, max(0, in.SpendBonus))
	}
	// PercentOf rounds half up; a limit must not be passed by half a tenge.
	limit := sum/100*in.Rules.BonusSpendPercent + sum%100*in.Rules.BonusSpendPercent/100
	if wanted > limit {
		return limit, "Бонусами можно оплатить не больше " + domain.Percent(in.Rules.BonusSpendPercent) + " стоимости товаров"
	}
	return wanted, ""
}

// deliver is the delivery step, with the price as its amount.
func deliver(in Input, city rules.CityDelivery, served bool, sum domain.Money) domain.Step {
	step := domain.Step{Code: "delivery"}
	switch {
	case in.DeliveryType == domain.Pickup:
		step.Label = "Самовывоз"
	case in.City == "":
		step.Label = "Доставка"
		step.Note = "Укажите город, чтобы рассчитать доставку"
	case !served:
		step.Label = "Доставка курьерской компанией"
		step.Note = "Рассчитывается отдельно и оплачивается курьеру"
	case sum >= city.FreeFrom:
		step.Label = "Доставка, " + city.City
		step.Note = "Бесплатно"
		if city.FreeFrom > 0 {
			step.Note += " от " + domain.Tenge(city.FreeFrom)
		}
	default:
		step.Label = "Доставка, " + city.City
		step.Amount = city.Price
		step.Note = "Бесплатно от " + domain.Tenge(city.FreeFrom) + ", не хватает " + domain.Tenge(city.FreeFrom-sum)
		if in.PaymentMethod == domain.Cash {
			step.Note = "Оплачивается курьеру. " + step.Note
		}
	}
	return step
}
