package order

import (
	"slices"
	"time"

	"shop/domain"
)

// HandRefund says how staff gave money back outside the shop. The zero value: a provider gave it back, or it was recorded before
// schema 4.
type HandRefund struct {
	// Reference is the number of what went back in the books of the bank or the desk.
	Reference string `json:"reference"`
	// By is the actor who recorded it, ConfirmedBy the second person; empty where none was needed.
	By          string `json:"by"`
	ConfirmedBy string `json:"confirmed_by,omitempty"`
}

// HandRefundClaimed says that somebody of the staff gave money back, whose sum needs a second person. It is not back yet.
type HandRefundClaimed struct {
	Reference string `json:"reference"`
	PaymentID string `json:"payment_id"`
	Receipt   string `json:"receipt,omitempty"`
	// Debt is the refund that the provider was asked for in vain; empty for money that came without a provider.
	Debt   string       `json:"debt,omitempty"`
	Amount domain.Money `json:"amount"`
	// By is the actor who recorded it, as in the metadata of events.
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// HandRefundWithdrawn took a claim back before it was confirmed.
type HandRefundWithdrawn struct {
	Reference string    `json:"reference"`
	By        string    `json:"by"`
	At        time.Time `json:"at"`
}

func (c HandRefundClaimed) claimed() string { return c.Reference }

func (HandRefundClaimed) EventType() string   { return "order.hand-refund-claimed" }
func (HandRefundWithdrawn) EventType() string { return "order.hand-refund-withdrawn" }
func (HandRefundClaimed) isEvent()            {}
func (HandRefundWithdrawn) isEvent()          {}

func (c HandRefundClaimed) When() time.Time   { return c.At }
func (e HandRefundWithdrawn) When() time.Time { return e.At }

// RefundByHand records that staff gave money back outside the shop: what came without a provider, or, with a Debt, what the provider
// was asked for in vain. The reference tells such refunds of an order apart; a recorded one adds nothing. A sum above ConfirmAbove
// waits for a second person, together with what one person gave back before; 0: no sum waits.
type RefundByHand struct {
	PaymentID    string
	Receipt      string
	Debt         string
	Reference    string
	Amount       domain.Money
	By           string
	ConfirmAbove domain.Money
	At           time.Time
}

// ConfirmHandRefund is the second person's word for a claim: its money is back.
type ConfirmHandRefund struct {
	Reference string
	By        string
	At        time.Time
}

// WithdrawHandRefund takes a claim back.
type WithdrawHandRefund struct {
	Reference string
	By        string
	At        time.Time
}

func (RefundByHand) isCommand()       {}
func (ConfirmHandRefund) isCommand()  {}
func (WithdrawHandRefund) isCommand() {}

// RefundClaim finds what waits by its reference.
func (s State) RefundClaim(reference string) (HandRefundClaimed, bool) {
	return claimOf(s.RefundClaims, reference)
}

// ClaimedDebt says whether a refund that the provider was asked for waits for a second person, so that nobody asks for it again.
func (s State) ClaimedDebt(debt string) bool {
	return slices.ContainsFunc(s.RefundClaims, func(c HandRefundClaimed) bool { return c.Debt != "" && c.Debt == debt })
}

func decideHandRefund(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case RefundByHand:
		return decideRefundByHand(c, s)
	case ConfirmHandRefund:
		claim, waits := s.RefundClaim(c.Reference)
		switch {
		case !waits:
			return nil, ErrNoClaim
		case claim.By == c.By:
			return nil, ErrSamePerson
		}
		events, err := gaveBack(claim, HandRefund{Reference: claim.Reference, By: claim.By, ConfirmedBy: c.By}, c.At, s)
		if err == nil && len(events) == 0 {
			return nil, ErrBackAlready
		}
		return events, err
	case WithdrawHandRefund:
		claim, waits := s.RefundClaim(c.Reference)
		if !waits {
			return nil, ErrNoClaim
		}
		return []Event{HandRefundWithdrawn{Reference: claim.Reference, By: c.By, At: c.At}}, nil
	default:
		return nil, domain.UnknownCommand(command)
	}
}

func decideRefundByHand(c RefundByHand, s State) ([]Event, error) {
	if c.Debt == "" && !TakenByHand(c.PaymentID) && c.PaymentID != CashPaymentID {
		return nil, ErrNotByHand
	}
	reference, err := plainReference(c.Reference)
	if err != nil {
		return nil, err
	}
	claim := HandRefundClaimed{Reference: reference, PaymentID: c.PaymentID, Receipt: c.Receipt, Debt: c.Debt, Amount: c.Amount, By: c.By, At: c.At}
	if slices.Contains(s.refunds, claim.refundID()) {
		return nil, nil
	}
	events, err := gaveBack(claim, HandRefund{Reference: reference, By: c.By}, c.At, s)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, ErrBackAlready
	}
	if _, waits := s.RefundClaim(reference); waits || s.ClaimedDebt(c.Debt) {
		return nil, ErrReferenceUsed
	}
	if at := s.capture(c.PaymentID, c.Receipt, c.Amount); c.Amount > s.Payments[at].net()-s.claimedBack(c.PaymentID) {
		return nil, ErrRefundTooMuch
	}
	if c.ConfirmAbove > 0 && s.BackByOne+c.Amount > c.ConfirmAbove {
		return []Event{claim}, nil
	}
	return events, nil
}

// claimedBack is the money of a payment that went back as one person says.
func (s State) claimedBack(payment string) (sum domain.Money) {
	for _, c := range s.RefundClaims {
		if c.PaymentID == payment {
			sum += c.Amount
		}
	}
	return sum
}

// refundID names the refund that a claim becomes. One that the provider was asked for is named after that, so that the two are one.
func (c HandRefundClaimed) refundID() string {
	if c.Debt != "" {
		return handPrefix + c.Debt
	}
	return handPrefix + c.Reference
}

// gaveBack is the refund that a claim becomes; none when the money is back already.
func gaveBack(c HandRefundClaimed, how HandRefund, at time.Time, s State) ([]Event, error) {
	refund := Refund{RefundID: c.refundID(), PaymentID: c.PaymentID, Receipt: c.Receipt, Amount: c.Amount, Reported: c.Debt != "", At: at}
	events, err := decideRefund(refund, s)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	refunded, is := events[0].(Refunded)
	if !is {
		return nil, domain.UnknownCommand(refund)
	}
	refunded.ByHand = how
	return []Event{refunded}, nil
}

// evolveHandRefund folds what staff said of money that went back; a claim ends with its refund or with its withdrawal.
func evolveHandRefund(s State, event Event) State {
	var reference string
	switch e := event.(type) {
	case HandRefundClaimed:
		s.RefundClaims = append(slices.Clip(s.RefundClaims), e)
		return s
	case HandRefundWithdrawn:
		reference = e.Reference
	case Refunded:
		if e.ByHand.Reference == "" {
			return s
		}
		reference = e.ByHand.Reference
		if e.ByHand.ConfirmedBy == "" {
			s.BackByOne += e.Amount
		}
	default:
		return s
	}
	s.RefundClaims = endClaim(s.RefundClaims, reference)
	return s
}
