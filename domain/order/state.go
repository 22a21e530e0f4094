package order

import (
	"slices"
	"time"

	"shop/domain"
)

// Payment is captured money, less what was given back.
type Payment struct {
	ID string
	// Receipt is the provider's name of the capture; empty where the log has none.
	Receipt string
	// Provider is whom the payment was opened at; empty: nobody, or the log does not say.
	Provider string
	Amount   domain.Money
	Refunded domain.Money
	// ByHand says how staff took the money; zero when a provider did.
	ByHand ByHand
}

func (p Payment) net() domain.Money { return p.Amount - p.Refunded }

// State is the present state of an order. The zero value was never placed.
type State struct {
	// Placed is the order as it was placed, with what was changed since: lines and prices, contact, address and promised day.
	Placed Placed
	// ByHand are the prices that staff gave lines, Code is the promo code that may bring a discount after the lines were changed;
	// Edited: they were.
	ByHand []HandPrice
	Code   *UsedCode
	Edited bool
	Status Status
	// CustomerID is zero while the order is a guest's.
	CustomerID domain.ID
	// Imported: the order is of another shop's past.
	Imported bool
	// Forgotten: the customer's name, contacts and address are erased.
	Forgotten bool
	// EndedAt is when the order was completed, cancelled or refunded, the last of them; zero before.
	EndedAt time.Time
	// PaymentID is the payment now awaited or last tried; empty when none was opened. Attempt counts from 1.
	PaymentID string
	Attempt   int
	// PayBefore is when the wait for money ends; zero when none is awaited.
	PayBefore time.Time
	// ConfirmBefore is when the wait for staff to confirm the order ends; zero when it has no end.
	ConfirmBefore time.Time
	// Payments is the money that came, in its order.
	Payments []Payment
	// HandClaims are payments by hand that wait for a second person, in their order.
	HandClaims []HandPaymentClaimed
	// RefundClaims are refunds by hand that wait for a second person; BackByOne is what single persons gave back by hand.
	RefundClaims []HandRefundClaimed
	BackByOne    domain.Money
	// Tags are the words by which staff find the order, sorted; AssignedTo is the account of staff that has it, zero: nobody's.
	Tags       []string
	AssignedTo domain.ID
	// Parcel is how far the goods are on their way.
	Parcel Parcel
	// DeliveryPhotos are photos of the hand-over, in their order; none once the customer is forgotten.
	DeliveryPhotos []domain.ID

	// CompletedAt is when the goods were handed over; zero before. ReturnAsked is the request to bring goods back that is open; nil:
	// none is.
	CompletedAt time.Time
	ReturnAsked *Return
	// Returned is what came back, in its order; GoodsBack is the money that it cost, which the order costs no more, and BonusesBack the
	// bonuses that paid for it besides.
	Returned    []ReturnedLine
	GoodsBack   domain.Money
	BonusesBack domain.Money
	// GivenBack is what went back of the price after the order was completed, without goods; money that comes later does not make up
	// for it.
	GivenBack domain.Money

	// priceBack is what went back of the price, at any time.
	priceBack domain.Money

	returns []domain.ID  // every return of goods
	tried   []attempt    // every payment opened, so that none is opened twice
	refunds []string     // every refund that had an id
	asked   domain.Money // what PaymentID asks for
}

// attempt is a payment that was opened at a provider.
type attempt struct{ payment, provider string }

// ProviderOf is whom a payment was opened at; empty: it was opened at nobody, or the log does not say.
func (s State) ProviderOf(payment string) string {
	for _, a := range s.tried {
		if a.payment == payment {
			return a.provider
		}
	}
	return ""
}

func (s State) opened(payment string) bool {
	return slices.ContainsFunc(s.tried, func(a attempt) bool { return a.payment == payment })
}

// Exists says whether the order was placed.
func (s State) Exists() bool { return s.Status != "" }

// Due is what the order costs the customer in all, without goods that came back.
func (s State) Due() domain.Money { return s.Placed.Calculation.TotalPaid - s.GoodsBack }

// Captured is the money that the shop holds for the order.
func (s State) Captured() domain.Money {
	var sum domain.Money
	for _, p := range s.Payments {
		sum += p.net()
	}
	return sum
}

// IsPaid follows the money, not the status: the shop holds what the order costs.
func (s State) IsPaid() bool { return s.Exists() && s.Captured() >= s.Due() }

// HoldsGoods says whether the order's goods should be reserved for it.
func (s State) HoldsGoods() bool {
	switch s.Status {
	case StatusReceived, StatusApproved, StatusProcessing:
		return true
	case StatusPaymentErr, StatusCompleted, StatusCancelled, StatusRefunded:
	}
	return false
}

// MoneyCameLate says that the payment arrived after its deadline. Reserve the goods again and Approve, or Cancel when they are
// sold out, and refund what is Owed.
func (s State) MoneyCameLate() bool { return s.Status == StatusPaymentErr && s.IsPaid() }

// Owed is the money to refund, by payment: everything of an ended order, and the overpayment of a live one. For an imported
// order it is nothing, because the shop never had its money.
func (s State) Owed() []Payment {
	if s.Imported {
		return nil
	}
	need := s.Due()
	switch s.Status {
	case StatusCancelled, StatusRefunded:
		need = 0
	case StatusCompleted:
		need = max(0, need-s.GivenBack)
	case StatusReceived, StatusPaymentErr, StatusApproved, StatusProcessing:
	}
	var owed []Payment
	for _, p := range s.Payments {
		kept := min(p.net(), need)
		need -= kept
		if back := p.net() - kept; back > 0 {
			owed = append(owed, Payment{ID: p.ID, Receipt: p.Receipt, Provider: p.Provider, Amount: back, ByHand: p.ByHand})
		}
	}
	return owed
}

// GoodsPaid is the money that the shop holds for the order's goods, without delivery; 0 before it is paid. What was
// given back was given back for goods first.
func (s State) GoodsPaid() domain.Money {
	missing := max(0, s.Due()-s.Captured())
	return max(0, s.goodsPrice()-missing)
}

// goodsPrice is what the goods cost in money, after discounts and bonuses, without those that came back.
func (s State) goodsPrice() domain.Money {
	return s.Placed.Calculation.DiscountedSum - s.Placed.Calculation.BonusSpent - s.GoodsBack
}

// BonusBase is the money that bonuses are earned of: the goods paid of a completed order, nothing of any other.
func (s State) BonusBase() domain.Money {
	if s.Status != StatusCompleted || s.Lacks() > 0 {
		return 0 // an order earns once, so it waits for all its money
	}
	return s.GoodsPaid()
}

// BonusHeld is how many bonuses should pay for the order now: all it was placed with while it lives, none when its
// goods are free again, and of a completed one the share of the goods that are still paid.
func (s State) BonusHeld() domain.Money {
	spent := s.Placed.Calculation.BonusSpent - s.BonusesBack
	switch s.Status {
	case StatusReceived, StatusApproved, StatusProcessing:
		return spent
	case StatusCompleted:
		if goods := s.goodsPrice(); goods > 0 {
			back := min(goods-s.GoodsPaid(), s.priceBack) // what was never paid gives nothing back
			return spent - domain.PartOf(spent, back, goods)
		}
		return spent
	case StatusPaymentErr, StatusCancelled, StatusRefunded:
	}
	return 0
}

// KnowsRefund says whether a refund of this name is recorded.
func (s State) KnowsRefund(id string) bool { return slices.Contains(s.refunds, id) }

func (s State) captured(payment string) bool {
	return slices.ContainsFunc(s.Payments, func(p Payment) bool { return p.ID == payment })
}

// knows says whether money is recorded. Where either side has no receipt, the payment alone tells.
func (s State) knows(payment, receipt string) bool {
	return slices.ContainsFunc(s.Payments, func(p Payment) bool {
		return p.ID == payment && (p.Receipt == receipt || p.Receipt == "" || receipt == "")
	})
}

// capture finds the money of a payment that a refund of amount is of; -1: there is none. A receipt that is not known is that
// of money recorded without one.
func (s State) capture(payment, receipt string, amount domain.Money) int {
	first := -1
	for i, p := range s.Payments {
		switch {
		case p.ID != payment:
		case p.Receipt == receipt:
			return i
		case receipt != "" && p.Receipt != "":
		case first < 0, s.Payments[first].net() < amount && p.net() >= amount:
			first = i
		}
	}
	return first
}

// Money is the captured money with a receipt of a payment, as refunds name it; false when there is none.
func (s State) Money(payment, receipt string) (Payment, bool) {
	at := s.capture(payment, receipt, 1)
	if at < 0 {
		return Payment{}, false
	}
	return s.Payments[at], true
}

// endsWithoutMoney says whether an order whose money went back is over; one that was never approved may be paid again.
func (s State) endsWithoutMoney() bool {
	return s.Status != StatusReceived && s.Status != StatusPaymentErr
}
