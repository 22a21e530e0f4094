package commands

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Refund gives money of a completed order back: amount of it, or everything with 0. RefundID makes the request
// unrepeatable; empty: every request is a refund of its own. What an order is owed anyway needs no Refund.
func (o *Orders) Refund(ctx context.Context, id domain.ID, amount domain.Money, refundID string) (_ eventstore.Position, err error) {
	ctx, end := StartSpan(ctx, "refund order")
	defer end(&err)
	if refundID == "" {
		refundID = o.Handler.NewID().String()
	}
	refundID = id.String() + "/" + refundID
	known, err := o.Books.KnowsRefund(ctx, refundID)
	if err != nil {
		return 0, err
	}
	if known {
		return o.payDebts(ctx, id, true)
	}
	state, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see order %s: %w", id, err)
	}
	switch {
	case !state.Exists():
		return 0, order.ErrUnknown
	case state.Captured() == 0:
		return 0, order.ErrNotPaid
	case amount < 0:
		return 0, order.ErrBadAmount
	case amount > state.Captured():
		return 0, order.ErrRefundTooMuch
	case amount == 0:
		amount = state.Captured()
	}
	if amount > state.Captured()-byHand(state) {
		return 0, order.ErrByHand
	}
	var refunds []payments.Refund
	for _, p := range state.Payments {
		if order.TakenByHand(p.ID) {
			continue
		}
		part := min(amount, p.Amount-p.Refunded)
		if part == 0 {
			continue
		}
		r := payments.Refund{ID: refundID, PaymentID: p.ID, Receipt: p.Receipt, Amount: part}
		if len(refunds) > 0 {
			r.ID += "/" + strconv.Itoa(len(refunds)+1)
		}
		// The order says whether it may before the provider does it.
		if _, err := order.Decider.Decide(order.Refund{RefundID: r.ID, PaymentID: r.PaymentID, Receipt: r.Receipt, Amount: r.Amount, At: o.Handler.Now()}, state); err != nil {
			return 0, err
		}
		refunds, amount = append(refunds, r), amount-part
	}
	position, err := o.giveBack(ctx, id, state, true, refunds)
	if err != nil {
		return position, err
	}
	if known, err = o.Books.KnowsRefund(ctx, refundID); err != nil {
		return 0, err
	}
	if !known { // it did not fit beside those that are on their way
		return 0, order.ErrRefundTooMuch
	}
	return position, nil
}

// byHand is the money of an order that came without a provider.
func byHand(s order.State) (sum domain.Money) {
	for _, p := range s.Payments {
		if order.TakenByHand(p.ID) {
			sum += p.Amount - p.Refunded
		}
	}
	return sum
}

// GiveBack gives back what an order is owed. Repeating it goes on where the last one ended. What came without a provider waits
// for staff, who give it back and say so: Orders.RefundByHand.
func (o *Orders) GiveBack(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	state, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see what order %s is owed: %w", id, err)
	}
	var refunds []payments.Refund
	for _, p := range state.Owed() {
		if order.TakenByHand(p.ID) {
			continue
		}
		// The name follows from what stands in the log, so that a process that does not know of another's attempt makes
		// the same attempt and not a second.
		money, _ := state.Money(p.ID, p.Receipt)
		name := p.ID
		if p.Receipt != "" {
			name += "/" + p.Receipt
		}
		refunds = append(refunds, payments.Refund{ID: fmt.Sprintf("%s/%d+%d", name, money.Refunded, p.Amount), PaymentID: p.ID, Receipt: p.Receipt, Amount: p.Amount})
	}
	return o.giveBack(ctx, id, state, false, refunds)
}

// tryGiveBack is GiveBack at the end of a command that is done whether or not the provider can be reached: what fails
// now is gone on with by a policy.
func (o *Orders) tryGiveBack(ctx context.Context, id domain.ID) eventstore.Position {
	position, err := o.GiveBack(ctx, id)
	if err != nil {
		o.Logger().ErrorContext(ctx, "give money back", "order", id, "error", err)
	}
	return position
}

// giveBack writes refunds down, asks the provider for them and records them, in this order: what a crash leaves is
// found by payDebts, and a refund that is asked for again is not done again.
func (o *Orders) giveBack(ctx context.Context, id domain.ID, s order.State, byStaff bool, refunds []payments.Refund) (eventstore.Position, error) {
	room := map[payments.Captured]domain.Money{}
	for _, p := range s.Payments {
		room[payments.Captured{PaymentID: p.ID, Receipt: p.Receipt}] = p.Amount - p.Refunded
	}
	if len(refunds) > 0 {
		actor := OriginOf(ctx).Actor
		if actor == "" {
			actor = "system:payments"
		}
		if err := o.Books.Intend(ctx, id, actor, o.Handler.Now(), room, refunds...); err != nil {
			return 0, err
		}
	}
	return o.payDebts(ctx, id, byStaff)
}

func (o *Orders) payDebts(ctx context.Context, id domain.ID, byStaff bool) (eventstore.Position, error) {
	debts, err := o.Books.Debts(ctx, id)
	if err != nil {
		return 0, err
	}
	var position eventstore.Position
	for _, d := range debts {
		at, err := o.PayDebt(ctx, d)
		if errors.Is(err, payments.ErrRefused) && byStaff {
			return position, errors.Join(ErrRefundRefused, o.Books.Done(ctx, d.ID, o.Handler.Now()))
		}
		if err != nil {
			return position, err
		}
		position = max(position, at)
	}
	return position, nil
}

// PayDebt tries a refund that was written down, unless it was tried a moment ago. It is recorded as reported: once the
// provider has given the money back, no status of the order can undo that.
func (o *Orders) PayDebt(ctx context.Context, d payments.Debt) (eventstore.Position, error) {
	state, err := See(ctx, o.Handler, OrderStream(d.OrderID))
	if err != nil {
		return 0, err
	}
	// Before it is claimed, so that whoever sets the provider up again finds the refund waiting.
	provider, err := o.Providers.Named(state.ProviderOf(d.PaymentID))
	if err != nil {
		return 0, fmt.Errorf("refund payment %s: %w", d.PaymentID, err)
	}
	var tooMuch error
	if d.Tries == 0 {
		tooMuch = StillOwed(state, d)
	}
	mine, err := o.Books.Try(ctx, d, o.Handler.Now())
	if err != nil || !mine {
		return 0, err
	}
	if state.ClaimedDebt(d.ID) { // staff gave it back, as one of them says
		return 0, nil
	}
	if tooMuch != nil {
		return 0, errors.Join(tooMuch, o.Books.Done(ctx, d.ID, o.Handler.Now()))
	}
	refundID, err := o.refunded(ctx, provider, d)
	if err != nil {
		return 0, fmt.Errorf("refund payment %s: %w", d.PaymentID, err)
	}
	origin := OriginOf(ctx)
	origin.Causation, origin.Actor = d.ID, d.Actor
	position, err := Change(WithOrigin(ctx, origin), o.Handler, OrderStream(d.OrderID), func(u *Unit) order.Command {
		return order.Refund{RefundID: refundID, PaymentID: d.PaymentID, Receipt: d.Receipt, Amount: d.Amount, Reported: true, At: u.At()}
	})
	if err != nil {
		return 0, err
	}
	return position, o.Books.Done(ctx, d.ID, o.Handler.Now())
}

const (
	// statementPatience is how long reading a statement may take: it has many pages.
	statementPatience = 2 * time.Minute
	// clocksApart is how far the provider's clock may be from ours.
	clocksApart = 5 * time.Minute
)

// refunded asks the provider for a refund, and answers what the provider calls it. One that may have been made longer ago than
// the provider remembers requests is looked for in its statement first.
func (o *Orders) refunded(ctx context.Context, provider payments.Provider, d payments.Debt) (string, error) {
	if d.PaymentID == order.CashPaymentID { // a courier's money goes back by hand
		return d.ID, nil
	}
	if o.Handler.Now().Sub(d.CreatedAt) >= payments.Remembers {
		if made, err := o.madeBefore(ctx, provider, d); err != nil || made != "" {
			return made, err
		}
	}
	calling, cancel := context.WithTimeout(ctx, providerPatience)
	defer cancel()
	made, err := provider.Refund(calling, d.Refund)
	if err != nil {
		return "", err
	}
	return made, o.Books.Answered(ctx, d, made)
}

// madeBefore finds a refund that the provider has made already; empty: there is none.
func (o *Orders) madeBefore(ctx context.Context, provider payments.Provider, d payments.Debt) (string, error) {
	asking, cancel := context.WithTimeout(ctx, statementPatience)
	defer cancel()
	statement, err := provider.Statement(asking, d.CreatedAt.Add(-clocksApart), o.Handler.Now().Add(clocksApart))
	if err != nil {
		return "", fmt.Errorf("look whether it was made: %w", err)
	}
	var made []string
	for _, n := range statement {
		if n.Outcome == payments.Refunded && n.PaymentID == d.PaymentID && n.Amount == d.Amount && (n.Receipt == d.Receipt || d.Receipt == "") {
			made = append(made, n.RefundID)
		}
	}
	if len(made) == 0 {
		return "", nil
	}
	return o.Books.Claim(ctx, d, made...)
}

// StillOwed refuses a refund that was never asked for when the money has gone back since somebody looked at the order. One
// that was asked for may be that money itself.
func StillOwed(s order.State, d payments.Debt) error {
	for _, p := range s.Payments {
		if p.ID == d.PaymentID && (p.Receipt == d.Receipt || d.Receipt == "") && d.Amount <= p.Amount-p.Refunded {
			return nil
		}
	}
	return order.ErrRefundTooMuch
}

// settleRefunded records money that the provider says went back, whoever asked for it.
func (o *Orders) settleRefunded(ctx context.Context, id domain.ID, n payments.Notification) (eventstore.Position, error) {
	position, err := Change(ctx, o.Handler, OrderStream(id), func(u *Unit) order.Command {
		return order.Refund{RefundID: n.RefundID, PaymentID: n.PaymentID, Receipt: n.Receipt, Amount: n.Amount, Reported: true, At: u.At()}
	})
	if err != nil {
		return 0, err
	}
	return position, o.Books.Reported(ctx, id, n, o.Handler.Now())
}
