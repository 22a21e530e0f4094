package pricing

import "shop/domain"

// manualReasons are why staff may take something off by hand, as the shopper reads it. It is a list and no text of one's own:
// a price stays in the log for ever, and shall name nobody.
var manualReasons = map[string]string{
	"regular":   "постоянному покупателю",
	"apology":   "извинение магазина",
	"packaging": "повреждена упаковка",
	"bulk":      "большой заказ",
	"agreed":    "по договорённости с менеджером",
}

// ManualReason says whether staff may name a reason for a discount by hand.
func ManualReason(code string) bool { return manualReasons[code] != "" }

// byStaff explains the discount by hand. It competes with no other: it is taken off what the better of them left.
func byStaff(m domain.Manual) domain.Step {
	return domain.Step{Code: "manual_discount", Label: "Скидка менеджера " + domain.Percent(m.Percent), Amount: -m.Amount, Note: manualReasons[m.Reason]}
}
