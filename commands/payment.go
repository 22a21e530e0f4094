package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// providerPatience is how long a call to the provider may take.
const providerPatience = 15 * time.Second

// Take does what a provider said, and tells what to answer: once it stands in the log; until then the provider repeats itself.
// Of a payment that was opened at another provider it hears nothing.
func (o *Orders) Take(ctx context.Context, provider string, n payments.Notification) (payments.Reply, error) {
	if id, ok := payments.OrderOf(n.PaymentID); ok {
		state, err := See(ctx, o.Handler, OrderStream(id))
		if err != nil {
			return 0, fmt.Errorf("see order %s: %w", id, err)
		}
		if opened := state.ProviderOf(n.PaymentID); opened != "" && opened != provider {
			return 0, ErrNoPayment
		}
	}
	if n.Outcome == payments.Asked {
		return o.mayTake(ctx, n)
	}
	_, err := o.Settle(ctx, n)
	return payments.Taken, err
}

// mayTake says whether the shop wants the money that the provider is about to take.
func (o *Orders) mayTake(ctx context.Context, n payments.Notification) (payments.Reply, error) {
	id, ok := payments.OrderOf(n.PaymentID)
	if !ok {
		return payments.WrongPayment, nil
	}
	state, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see order %s: %w", id, err)
	}
	switch {
	case !state.Exists():
		return payments.WrongPayment, nil
	case state.Status == order.StatusPaymentErr && state.PaymentID == n.PaymentID:
		return payments.TooLate, nil
	case state.PaymentID != n.PaymentID || !state.AwaitsPayment():
		return payments.NotAcceptable, nil
	case n.Amount != state.Lacks():
		return payments.WrongAmount, nil
	case !state.PayBefore.IsZero() && !o.Handler.Now().Before(state.PayBefore):
		return payments.TooLate, nil
	}
	return payments.Taken, nil
}

// Settle does what the provider said of a payment. Money that came approves the order; a refusal frees its goods.
// Repeated it adds nothing. Money that came too late takes the goods again or, when they are gone, goes back.
func (o *Orders) Settle(ctx context.Context, n payments.Notification) (_ eventstore.Position, err error) {
	ctx, end := StartSpan(ctx, "settle payment")
	defer end(&err)
	id, ok := payments.OrderOf(n.PaymentID)
	if !ok {
		return 0, ErrNoPayment
	}
	origin := OriginOf(ctx)
	origin.Causation, origin.Actor = n.PaymentID, "system:payments"
	ctx = WithOrigin(ctx, origin)
	switch n.Outcome {
	case payments.Paid:
		return o.settlePaid(ctx, id, n)
	case payments.Refused:
		return o.change(ctx, id, func(u *Unit, goods orderGoods) error {
			before := goods.order.State(u).Status
			if err := goods.order.Do(u, order.FailPayment{PaymentID: n.PaymentID, Reason: n.Reason, At: u.At()}); err != nil {
				return err
			}
			if goods.order.State(u).Status == before {
				return nil
			}
			return goods.release(u, "payment_failed")
		})
	case payments.Refunded:
		return o.settleRefunded(ctx, id, n)
	case payments.Pending, payments.Asked:
	}
	return 0, nil
}

func (o *Orders) settlePaid(ctx context.Context, id domain.ID, n payments.Notification) (eventstore.Position, error) {
	owes := false
	position, err := o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		if err := goods.order.Do(u, order.ConfirmPayment{PaymentID: n.PaymentID, Receipt: n.Receipt, Amount: n.Amount, At: u.At()}); err != nil {
			return err
		}
		if goods.order.State(u).MoneyCameLate() {
			if err := goods.revive(u); err != nil {
				return err
			}
		}
		owes = len(goods.order.State(u).Owed()) > 0
		return nil
	})
	if err != nil || !owes {
		return position, err
	}
	return max(position, o.tryGiveBack(ctx, id)), nil
}

// Ask asks the provider for the state of a payment and settles it.
func (o *Orders) Ask(ctx context.Context, paymentID string) (eventstore.Position, error) {
	id, ok := payments.OrderOf(paymentID)
	if !ok {
		return 0, ErrNoPayment
	}
	state, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see order %s: %w", id, err)
	}
	known, err := o.standing(ctx, state, paymentID)
	if err != nil {
		return 0, err
	}
	return o.Settle(ctx, known)
}

// standing asks the provider of a payment for its state.
func (o *Orders) standing(ctx context.Context, s order.State, paymentID string) (payments.Notification, error) {
	provider, err := o.Providers.Named(s.ProviderOf(paymentID))
	if err != nil {
		return payments.Notification{}, fmt.Errorf("ask for payment %s: %w", paymentID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, providerPatience)
	defer cancel()
	known, err := provider.State(ctx, paymentID)
	if err != nil {
		return payments.Notification{}, fmt.Errorf("ask for payment %s: %w", paymentID, err)
	}
	known.PaymentID = paymentID
	return known, nil
}

// Pay opens a payment for an order that awaits its money, or, after one that was refused or came too late, another
// one: the goods and the promo code are taken again in the same append. While an attempt is open it stays the one,
// so that asking again holds no goods for longer.
func (o *Orders) Pay(ctx context.Context, id domain.ID) (_ Receipt, _ eventstore.Position, err error) {
	ctx, end := StartSpan(ctx, "pay order")
	defer end(&err)
	var position eventstore.Position
	state, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return Receipt{}, 0, fmt.Errorf("see order %s: %w", id, err)
	}
	if state.PaymentID != "" && !state.IsPaid() && !o.Handler.Now().Before(state.PayBefore) && state.Status == order.StatusReceived {
		if position, err = o.ExpirePayment(ctx, id); err != nil {
			return Receipt{}, 0, err
		}
	} else if state.PaymentID != "" && !state.IsPaid() && (state.Status == order.StatusReceived || state.Status == order.StatusPaymentErr) {
		// The word that it was paid or refused may have been lost. A provider that is silent is asked again later.
		if position, err = o.Ask(ctx, state.PaymentID); err != nil {
			o.Logger().WarnContext(ctx, "ask for a payment before another", "payment", state.PaymentID, "error", err)
		}
	}
	next, err := o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		if err := u.Load(RulesStream()); err != nil {
			return err
		}
		state = goods.order.State(u)
		if state.AwaitsPayment() {
			return nil
		}
		var before time.Time
		if state.Status == order.StatusReceived || state.Status == order.StatusPaymentErr {
			before = RulesStream().State(u).Rules.PayBefore(state.Placed.PaymentMethod, u.At())
		}
		err := goods.order.Do(u, order.RequestPayment{
			PaymentID: payments.ID(id, state.Attempt+1), Provider: o.Providers.Current.Name(),
			PayBefore: before, At: u.At(),
		})
		if err != nil {
			return err
		}
		state = goods.order.State(u)
		if !state.Unconfirmed() {
			return nil // a bill for a difference: the goods are held
		}
		u.claims = o.openOrders(u.ctx, RulesStream().State(u).Rules, state)
		return goods.hold(u)
	})
	if err != nil {
		return Receipt{}, 0, tooManyOpen(err, id)
	}
	receipt := receiptOf(state)
	if receipt.PaymentURL, err = o.open(ctx, state); err != nil {
		return Receipt{}, 0, err
	}
	return receipt, max(position, next), nil
}

// awaited is the payment that an order waits for; false when it waits for none.
func awaited(s order.State) (payments.Payment, bool) {
	if !s.AwaitsPayment() {
		return payments.Payment{}, false
	}
	return payments.Payment{
		ID: s.PaymentID, OrderNumber: s.Placed.Number, Amount: s.Lacks(), Method: s.Placed.PaymentMethod,
		Email: s.Placed.Contact.Email, Phone: s.Placed.Contact.Phone, PayBefore: s.PayBefore,
	}, true
}

// open opens the awaited payment at the provider. That is done after the order stands in the log, in nobody's
// transaction, and repeated whenever the address is asked for.
func (o *Orders) open(ctx context.Context, s order.State) (url string, err error) {
	p, ok := awaited(s)
	if !ok {
		return "", nil
	}
	provider, err := o.Providers.Named(s.ProviderOf(p.ID))
	if err != nil {
		return "", fmt.Errorf("create payment %s: %w", p.ID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, providerPatience)
	defer cancel()
	if url, err = provider.Create(ctx, p); err != nil {
		return "", fmt.Errorf("create payment %s: %w", p.ID, err)
	}
	return url, nil
}

// addressOf is where the awaited payment is paid: at the provider, or, when that cannot be reached now, at a page of
// the shop's own that tries again.
func (o *Orders) addressOf(ctx context.Context, s order.State) string {
	url, err := o.open(ctx, s)
	if err != nil {
		o.Logger().ErrorContext(ctx, "open payment", "payment", s.PaymentID, "error", err)
		return strings.TrimSuffix(o.PublicURL, "/") + "/pay/" + s.PaymentID
	}
	return url
}

// WhereToPay is the address at which a payment is paid; empty when there is nothing to pay, or the provider cannot be reached
// now. paid: the order has its money.
func (o *Orders) WhereToPay(ctx context.Context, paymentID string) (url string, paid bool, err error) {
	id, ok := payments.OrderOf(paymentID)
	if !ok {
		return "", false, ErrNoPayment
	}
	state, err := See(ctx, o.Handler, OrderStream(id))
	switch {
	case err != nil:
		return "", false, fmt.Errorf("see order %s: %w", id, err)
	case !state.Exists():
		return "", false, ErrNoPayment
	case state.IsPaid():
		return "", true, nil
	case state.PaymentID != paymentID:
		return "", false, nil
	}
	if url, err = o.open(ctx, state); err != nil {
		o.Logger().ErrorContext(ctx, "open payment", "payment", state.PaymentID, "error", err)
		return "", false, nil
	}
	return url, false, nil
}

// revive goes on with an order whose money came after the wait for it, or cancels it when its goods are gone.
func (g orderGoods) revive(u *Unit) error {
	for _, l := range g.lines {
		held := StockStream(l.ProductID).State(u)
		if held.Held(g.id) == 0 && held.Free() < l.Amount {
			return g.order.Do(u, order.Cancel{By: "system", Reason: "goods_gone", At: u.At()})
		}
	}
	if g.customer != uuid.Nil {
		ledger := BonusStream(g.customer).State(u)
		if need := g.order.State(u).Placed.Calculation.BonusSpent; ledger.Held(g.id) < need && ledger.Spendable() < need {
			return g.order.Do(u, order.Cancel{By: "system", Reason: "bonuses_gone", At: u.At()})
		}
	}
	// The customer paid the price that the promo code made; that its use was given back and perhaps went to somebody
	// else does not change that.
	if err := g.reserve(u); err != nil {
		return err
	}
	var refusal *domain.Refusal
	if err := g.redeem(u); err != nil && !errors.As(err, &refusal) {
		return err
	}
	return g.order.Do(u, order.Approve{At: u.At()})
}

// Bill is what the sandbox's page shows of a payment; false when nobody was asked for it.
func (o *Orders) Bill(ctx context.Context, paymentID string) (payments.Bill, bool, error) {
	id, ok := payments.OrderOf(paymentID)
	if !ok {
		return payments.Bill{}, false, nil
	}
	state, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return payments.Bill{}, false, fmt.Errorf("see order %s: %w", id, err)
	}
	if !state.Exists() || state.Attempt == 0 {
		return payments.Bill{}, false, nil
	}
	bill := payments.Bill{OrderNumber: state.Placed.Number, Amount: state.Due(), Outcome: payments.Refused}
	switch {
	case state.IsPaid():
		bill.Outcome = payments.Paid
	case state.PaymentID == paymentID && state.AwaitsPayment():
		bill.Outcome, bill.Amount, bill.Method, bill.PayBefore = payments.Pending, state.Lacks(), state.Placed.PaymentMethod, state.PayBefore
	}
	return bill, true, nil
}
