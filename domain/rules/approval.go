package rules

import "shop/domain"

// mostProducts is the widest bound on the products of a change.
const mostProducts = 20_000

// ErrApproval refuses a bound that no change can pass.
var ErrApproval = domain.Refuse("rules/approval", "A second person is asked above 0 (never) to 20000 products.")

// FarCut says whether a price to pay falls by more than one person may do alone.
func (r Rules) FarCut(from, to domain.Money) bool {
	return r.ApprovalPriceCut > 0 && to < from && (from-to)*100 > from*domain.Money(r.ApprovalPriceCut)
}

func (r Rules) checkApproval() error {
	switch {
	case badPercent(r.ApprovalPriceCut):
		return about("approval_price_cut", ErrPercent)
	case r.ApprovalProducts < 0 || r.ApprovalProducts > mostProducts:
		return about("approval_products", ErrApproval)
	}
	return nil
}
