package order_test

import (
	"strings"
	"testing"

	"shop/domain"
	"shop/domain/order"
)

const (
	dana  = "staff:dana"
	murat = "staff:murat"
)

func byHand(reference string, amount domain.Money) order.PayByHand {
	return order.PayByHand{Reference: reference, Method: order.Transfer, Amount: amount, By: dana, ConfirmAbove: 10_000, At: noon}
}

func paidByHand(reference string, amount domain.Money) order.Paid {
	return order.Paid{PaymentID: "hand:" + reference, Amount: amount, ByHand: order.ByHand{Method: order.Transfer, By: dana}, At: noon}
}

func TestMoneyIsTakenByHand(t *testing.T) {
	t.Parallel()
	placed := given(t, card, first)
	placed.When(byHand(" 77 ", 10_000)).Then(paidByHand("77", 10_000))
	partly := placed.Given(paidByHand("77", 10_000))
	partly.When(byHand("78", 1_901)).Refused(order.ErrHandTooMuch)
	partly.When(byHand("77", 1_000)).Refused(order.ErrReferenceUsed)
	// Together with what one person took before it is above the rule.
	claimed := order.HandPaymentClaimed{Reference: "78", Method: order.Transfer, Amount: 1_900, By: dana, At: noon}
	partly.When(byHand("78", 1_900)).Then(claimed)

	whole := byHand("79", total)
	whole.ConfirmAbove = 0
	placed.When(whole).Then(paidByHand("79", total), approved)
	given(t, cash).When(whole).Then(paidByHand("79", total), approved)
	given(t, card, first, expired).When(whole).Then(paidByHand("79", total))
	given(t, card, first, expired, paidByHand("79", total)).When(approve).Then(approved)
	given(t, cash, approved, processing, completed).When(whole).Then(paidByHand("79", total))
	given(t, card, first, paid("p1"), approved).When(whole).Refused(order.ErrAlreadyPaid)
	given(t, card, cancelled).When(whole).Refused(order.ErrNotPayable)
	given(t).When(whole).Refused(order.ErrUnknown)

	for want, command := range map[error]order.PayByHand{
		order.ErrBadReference:  byHand(" ", 1),
		order.ErrBadAmount:     byHand("1", -1),
		order.ErrBadHandMethod: {Reference: "1", Method: "CHEQUE", Amount: 1},
	} {
		placed.When(command).Refused(want)
	}
	placed.When(byHand(strings.Repeat("ж", order.MaxReference+1), 1)).Refused(order.ErrBadReference)
	placed.When(byHand("1\n2", 1)).Refused(order.ErrBadReference)
}

func TestALargeSumNeedsTwoPersons(t *testing.T) {
	t.Parallel()
	claimed := order.HandPaymentClaimed{Reference: "77", Method: order.KaspiQR, Amount: total, By: dana, At: noon}
	waits := given(t, card, first, claimed)
	confirm := order.ConfirmHandPayment{Reference: "77", By: murat, At: noon}
	confirmed := order.Paid{PaymentID: "hand:77", Amount: total, ByHand: order.ByHand{Method: order.KaspiQR, By: dana, ConfirmedBy: murat}, At: noon}

	given(t, card, first).When(order.PayByHand{Reference: "77", Method: order.KaspiQR, Amount: total, By: dana, ConfirmAbove: 11_899, At: noon}).Then(claimed)
	if s := waits.State(); s.IsPaid() || s.Captured() != 0 || s.Lacks() != total {
		t.Errorf("a claim is money: %+v", s)
	}
	waits.When(order.ConfirmHandPayment{Reference: "77", By: dana, At: noon}).Refused(order.ErrSamePerson)
	waits.When(order.ConfirmHandPayment{Reference: "78", By: murat, At: noon}).Refused(order.ErrNoClaim)
	waits.When(byHand("77", 1)).Refused(order.ErrReferenceUsed)
	waits.When(byHand("78", 1)).Refused(order.ErrHandTooMuch)
	waits.When(expire).Nothing()
	waits.When(confirm).Then(confirmed, approved)

	paid := waits.Given(confirmed, approved)
	paid.When(confirm).Refused(order.ErrNoClaim)
	if s := paid.State(); !s.IsPaid() || len(s.HandClaims) != 0 {
		t.Errorf("%+v", s)
	}
	// A sum that two persons saw does not count as one person's.
	withdrawn := order.HandPaymentWithdrawn{Reference: "77", By: dana, At: noon}
	waits.When(order.WithdrawHandPayment{Reference: "77", By: dana, At: noon}).Then(withdrawn)
	free := waits.Given(withdrawn)
	free.When(confirm).Refused(order.ErrNoClaim)
	free.When(order.WithdrawHandPayment{Reference: "77"}).Refused(order.ErrNoClaim)
	free.When(byHand("77", 10)).Then(paidByHand("77", 10))
	free.When(expire).Then(expired)
	// The courier takes only what nobody claims to have.
	given(t, cash, approved, processing, claimed).When(complete).Then(completed)
}

func TestMoneyTakenByHandGoesBackByHand(t *testing.T) {
	t.Parallel()
	back := order.RefundByHand{PaymentID: "hand:77", Reference: "r1", Amount: 4_000, At: noon}
	ended := given(t, card, first, paidByHand("77", total), approved, cancelled)
	gone := order.Refunded{RefundID: "hand:r1", PaymentID: "hand:77", Amount: 4_000, ByHand: order.HandRefund{Reference: "r1"}, At: noon}
	ended.When(back).Then(gone)
	ended.Given(gone).When(back).Nothing()
	whole := order.Refunded{RefundID: "hand:r0", PaymentID: "hand:77", Amount: total, ByHand: order.HandRefund{Reference: "r0"}, At: noon}
	ended.Given(whole).When(back).Refused(order.ErrBackAlready)
	back.Amount = total + 1
	ended.When(back).Refused(order.ErrRefundTooMuch)
	back.Amount, back.Reference = 1, ""
	ended.When(back).Refused(order.ErrBadReference)
	given(t, card, first, paid("p1"), approved, cancelled).When(order.RefundByHand{PaymentID: "p1", Reference: "r1", Amount: 1}).Refused(order.ErrNotByHand)
	given(t, card, first, paidByHand("77", total), approved).When(order.RefundByHand{PaymentID: "hand:77", Reference: "r1", Amount: 1}).Refused(order.ErrNothingToReturn)
}

func TestALargeRefundByHandNeedsTwoPersons(t *testing.T) {
	t.Parallel()
	ended := given(t, card, first, paidByHand("77", total), approved, cancelled)
	back := order.RefundByHand{PaymentID: "hand:77", Reference: " r1 ", Amount: 4_000, By: dana, ConfirmAbove: 5_000, At: noon}
	gone := order.Refunded{RefundID: "hand:r1", PaymentID: "hand:77", Amount: 4_000, ByHand: order.HandRefund{Reference: "r1", By: dana}, At: noon}
	ended.When(back).Then(gone)
	// A large sum cannot be split.
	claim := order.HandRefundClaimed{Reference: "r2", PaymentID: "hand:77", Amount: 1_001, By: dana, At: noon}
	second := back
	second.Reference, second.Amount = "r2", 1_001
	ended.Given(gone).When(second).Then(claim)
	waits := ended.Given(gone, claim)
	waits.When(second).Refused(order.ErrReferenceUsed)
	third := back
	third.Reference, third.Amount = "r3", total-4_000-1_000
	waits.When(third).Refused(order.ErrRefundTooMuch)
	waits.When(order.ConfirmHandRefund{Reference: "r2", By: dana, At: noon}).Refused(order.ErrSamePerson)
	waits.When(order.ConfirmHandRefund{Reference: "r9", By: murat, At: noon}).Refused(order.ErrNoClaim)
	if owed := waits.State().Owed(); len(owed) != 1 || owed[0].Amount != total-4_000 {
		t.Errorf("a claim is money: %+v", owed)
	}
	confirmed := order.Refunded{RefundID: "hand:r2", PaymentID: "hand:77", Amount: 1_001, ByHand: order.HandRefund{Reference: "r2", By: dana, ConfirmedBy: murat}, At: noon}
	waits.When(order.ConfirmHandRefund{Reference: "r2", By: murat, At: noon}).Then(confirmed)
	if s := waits.Given(confirmed).State(); len(s.RefundClaims) != 0 || s.BackByOne != 4_000 {
		t.Errorf("%+v", s)
	}
	withdrawn := order.HandRefundWithdrawn{Reference: "r2", By: murat, At: noon}
	waits.When(order.WithdrawHandRefund{Reference: "r2", By: murat, At: noon}).Then(withdrawn)
	waits.Given(withdrawn).When(order.ConfirmHandRefund{Reference: "r2", By: murat}).Refused(order.ErrNoClaim)

	// What a provider was asked for in vain goes back by hand under the name of that refund; without one the provider is asked.
	captured := given(t, card, first, paid("p1"), approved, cancelled)
	stuck := order.RefundByHand{PaymentID: "p1", Debt: "p1/0+5", Reference: "b1", Amount: total, By: dana, At: noon}
	captured.When(stuck).Then(order.Refunded{RefundID: "hand:p1/0+5", PaymentID: "p1", Amount: total, ByHand: order.HandRefund{Reference: "b1", By: dana}, At: noon})
	stuck.ConfirmAbove = 1
	debt := order.HandRefundClaimed{Reference: "b1", PaymentID: "p1", Debt: "p1/0+5", Amount: total, By: dana, At: noon}
	captured.When(stuck).Then(debt)
	if !captured.Given(debt).State().ClaimedDebt("p1/0+5") || captured.Given(debt).State().ClaimedDebt("") {
		t.Error("the debt is not known to wait")
	}
	// The provider was faster than the second person: the claim is withdrawn, and no other takes its place.
	late := captured.Given(debt, order.Refunded{RefundID: "x", PaymentID: "p1", Amount: total, At: noon})
	late.When(order.ConfirmHandRefund{Reference: "b1", By: murat}).Refused(order.ErrBackAlready)
	late.When(order.WithdrawHandRefund{Reference: "b1", By: murat, At: noon}).Then(order.HandRefundWithdrawn{Reference: "b1", By: murat, At: noon})
	stuck.Reference = "b2"
	late.When(stuck).Refused(order.ErrBackAlready)
}
