package replay

import (
	"context"
	"time"

	"shop/domain"
	"shop/domain/change"
	"shop/domain/pricing"
	"shop/domain/promocode"
)

// codeAssumptions name what the effect of a promo code takes for granted; the pages say them.
var codeAssumptions = []string{"same-baskets", "present-rules", "code-by-all", "code-one", "code-today", "code-limits", "all-orders", "bonuses", "by-hand", "costs"}

// codeTrial is a promo code as if everybody who may use it had given it.
type codeTrial struct {
	terms promocode.Terms
	// inScope says of each product's row whether it is in the code's scope; nil: all are. member says it of customers by their
	// numbers; nil: everybody is.
	inScope, member []bool
	uses            int64
	usesOf          map[uint32]int64
}

// MeasureCode prices the orders placed in the days before a time without a code and with it. Goods and members are those that the code
// is for; nil: all.
func (e *Effects) MeasureCode(ctx context.Context, code promocode.Terms, goods, members map[domain.ID]bool, days int, at time.Time) (change.Effect, error) {
	return e.measure(ctx, days, func(h *History) (change.Effect, error) {
		return h.codeEffect(ctx, code, goods, members, at.AddDate(0, 0, -days), at)
	})
}

func (h *History) codeEffect(ctx context.Context, code promocode.Terms, goods, members map[domain.ID]bool, from, until time.Time) (change.Effect, error) {
	trial := codeTrial{terms: code, usesOf: map[uint32]int64{}}
	if !code.Everything() {
		trial.inScope = make([]bool, len(h.products))
		for row, id := range h.products {
			trial.inScope[row] = goods[id]
		}
	}
	if len(code.Groups) > 0 {
		trial.member = make([]bool, len(h.seen)+1)
		for id, number := range h.seen {
			trial.member[number] = members[id]
		}
	}
	present := h.side(&terms{rules: h.Rules})
	m := &measuring{h: h, was: present, would: present, from: seconds(from), until: seconds(until), touched: make([]bool, len(h.products))}
	inLots(ctx, 0, len(h.orders), func(from, to int) { m.measureCode(&trial, from, to) }, nil)
	if err := ctx.Err(); err != nil {
		return change.Effect{}, err
	}
	m.effect.From, m.effect.Until, m.effect.Position, m.effect.Assumptions = from, until, int64(h.Position), append([]string{}, codeAssumptions...)
	m.effect.Was.Close()
	m.effect.Would.Close()
	return m.effect, nil
}

// measureCode sums up the orders from one up to another, in the order in which they would have used the code up.
func (m *measuring) measureCode(trial *codeTrial, from, to int) {
	for row, lines := range m.counted(from, to) {
		m.totals = append(m.totals[:0], make([]domain.Money, len(lines))...)
		was := m.was.price(row, lines, m.touched, m.totals)
		would := trial.price(m.would, row, lines, m.totals, was)
		m.effect.Orders++
		m.add(&m.effect.Was, m.was, row, lines, &was)
		m.add(&m.effect.Would, m.would, row, lines, &would)
		if was.TotalPaid != would.TotalPaid || was.DiscountedSum != would.DiscountedSum {
			m.effect.Touched++
		}
	}
}

// price is an order with the code; as it was, if it had another, or whoever ordered may not use it, or it brings nothing.
func (t *codeTrial) price(s *side, row *priced, lines []pricedLine, totals []domain.Money, was sided) sided {
	spent := t.terms.Uses > 0 && t.uses >= t.terms.Uses ||
		row.customer > 0 && t.terms.UsesPerUser > 0 && t.usesOf[row.customer] >= t.terms.UsesPerUser
	if row.code != 0 || was.Reason != "" || spent || t.member != nil && !t.member[row.customer] {
		return was
	}
	sums := s.sums(row, &was)
	sums.Code, sums.ScopedSum = &t.terms, 0
	for i, l := range lines {
		if t.inScope != nil && t.inScope[l.product] {
			sums.ScopedSum += totals[i]
		}
	}
	with := was
	if with.Totals = pricing.Reckon(s.rules, &sums); !with.CodeWins() {
		return was
	}
	t.uses++
	t.usesOf[row.customer]++
	return with
}
