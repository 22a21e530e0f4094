package pricing

import (
	"strconv"
	"strings"

	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/rules"
)

// discount explains the discount of the order.
type discount struct {
	percent   int64
	code      string
	codeError string
	step      domain.Step
}

// tellDiscount says which of the two discounts won, and why the other lost.
func tellDiscount(in Input, c *domain.Calculation, t *Totals) discount {
	byTier := discount{percent: t.Tier.Percent}
	byTier.step = domain.Step{Code: "tier_discount", Label: tierLabel(t.Tier), Amount: -t.ByTier}
	if in.Promocode == nil {
		return byTier
	}
	code, terms := promocode.Normal(in.Promocode.Code), in.Promocode.Terms
	if in.Promocode.Problem != "" {
		byTier.codeError = in.Promocode.Problem
		return byTier
	}
	if refusal := terms.BelowMinSum(c.TotalSum); refusal != nil {
		byTier.codeError = refusal.Message
		return byTier
	}
	scoped := inScope(c.Lines)
	if !terms.Everything() && scoped == 0 && len(c.Lines) > 0 {
		byTier.codeError = promocode.ErrOtherGoods.Message
		return byTier
	}

	byCode, gives := tellCode(code, &terms, c, scoped, t.ByCode)
	switch {
	case t.CodeWins() && t.ByTier > 0:
		byCode.step.Note = strings.TrimPrefix(byCode.step.Note+". Скидка за сумму заказа дала бы "+domain.Percent(t.Tier.Percent)+
			" ("+domain.Tenge(-t.ByTier)+"), промокод выгоднее", ". ")
		return byCode
	case t.CodeWins():
		return byCode
	case t.ByCode == t.ByTier:
		byTier.step.Note = "Промокод " + code + " дал бы столько же (" + domain.Tenge(-t.ByCode) +
			") и остаётся неиспользованным"
		return byTier
	default:
		byTier.step.Note = "Промокод " + code + " дал бы " + gives + ", скидка за сумму заказа выгоднее"
		return byTier
	}
}

// tellCode is the discount of a code that may be used, and what it gives in the note of the one that it lost against. Off is what it
// takes off, scoped how many lines are in its scope.
func tellCode(code string, terms *promocode.Terms, c *domain.Calculation, scoped int, off domain.Money) (byCode discount, gives string) {
	byCode = discount{code: code, step: domain.Step{Code: "promocode", Label: "Промокод " + code, Amount: -off}}
	gives = domain.Tenge(-off)
	what, sum := "", c.TotalSum
	if terms.Kind == promocode.Percent {
		what, gives = domain.Percent(terms.Value), domain.Percent(terms.Value)+" ("+gives+")"
	}
	if terms.Everything() {
		if what != "" {
			byCode.percent = terms.Value
			byCode.step.Label += ", скидка " + what
		}
	} else {
		sum = c.ScopedSum
		byCode.step.Label += strings.TrimRight(": "+what, " ") + " на " + goods(scoped)
		gives += " на " + goods(scoped)
	}
	if terms.Capped(sum) {
		byCode.percent, byCode.step.Note = 0, "Не больше "+domain.Tenge(terms.MaxDiscount)+" по этому промокоду"
	}
	return byCode, gives
}

// inScope is how many lines are in the scope of the promo code.
func inScope(lines []domain.PricedLine) (n int) {
	for _, l := range lines {
		if l.InScope {
			n++
		}
	}
	return n
}

// goods counts products in Russian, in the accusative: "1 товар", "2 товара", "5 товаров".
func goods(n int) string {
	word := "товаров"
	switch last := n % 10; {
	case n%100 >= 11 && n%100 <= 14:
	case last == 1:
		word = "товар"
	case last >= 2 && last <= 4:
		word = "товара"
	}
	return strconv.Itoa(n) + "\u00a0" + word
}

func tierLabel(tier rules.Tier) string {
	return "Скидка " + domain.Percent(tier.Percent) + " за заказ от " + domain.Tenge(tier.From)
}

// spreadDiscount gives each line its share of what was taken off the order. A code with a scope lowers the lines in its scope
// alone, and what staff gave by hand is shared by what is left of each line.
func spreadDiscount(c *domain.Calculation, s *Sums, t *Totals) {
	if s.Code == nil || s.Code.Everything() || !t.CodeWins() {
		takeOff(c.Lines, t.Discount(), c.TotalSum, nil)
		return
	}
	takeOff(c.Lines, t.ByCode, s.inScope(), func(l *domain.PricedLine) bool { return l.InScope })
	takeOff(c.Lines, t.ByHand, c.TotalSum-t.ByCode, nil)
}

// takeOff gives each of the lines, nil: all, its share of a discount. They are worth total.
func takeOff(lines []domain.PricedLine, off, total domain.Money, of func(*domain.PricedLine) bool) {
	shares := make([]Share, 0, len(lines))
	for i := range lines {
		if l := &lines[i]; of == nil || of(l) {
			shares = append(shares, Share{ProductID: l.ProductID, Total: l.Total, Line: i})
		}
	}
	Spread(off, total, shares)
	for _, s := range shares {
		lines[s.Line].OrderDiscount += s.Off
		lines[s.Line].Total -= s.Off
	}
}
