package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/uuid"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// errForged answers a notification that the provider did not sign.
var errForged = &Refused{http.StatusForbidden, "Подпись уведомления неверна"}

// Notify is the endpoint where the provider says how a payment went (POST /api/payments/{provider}/). The answer
// is sent once what it says stands in the log; until then the provider repeats itself.
func (o *Orders) Notify(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("provider") != o.Provider.Name() {
		return &Refused{http.StatusNotFound, "Не найдено"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return errTooLarge
	}
	if err := o.Receive(r.Context(), r.Header, body); err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]int{"code": 0})
}

// Receive verifies a notification and does what it says.
func (o *Orders) Receive(ctx context.Context, header http.Header, body []byte) error {
	n, err := o.Provider.Verify(header, body)
	if errors.Is(err, payments.ErrForged) {
		return errForged
	}
	if err != nil {
		return fmt.Errorf("verify notification: %w", err)
	}
	_, err = o.Settle(ctx, n)
	return err
}

// Settle does what the provider said of a payment. Money that came approves the order; a refusal frees its goods.
// Repeated it adds nothing. Money that came too late takes the goods again or, when they are gone, goes back.
func (o *Orders) Settle(ctx context.Context, n payments.Notification) (_ eventstore.Position, err error) {
	ctx, end := begin(ctx, "settle payment")
	defer end(&err)
	id, ok := payments.OrderOf(n.PaymentID)
	if !ok {
		return 0, &Refused{http.StatusNotFound, "Платёж не найден"}
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
	case payments.Pending:
	}
	return 0, nil
}

func (o *Orders) settlePaid(ctx context.Context, id domain.ID, n payments.Notification) (eventstore.Position, error) {
	owes := false
	position, err := o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		if err := goods.order.Do(u, order.ConfirmPayment{PaymentID: n.PaymentID, Amount: n.Amount, At: u.At()}); err != nil {
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
	refunded, err := o.GiveBack(ctx, id)
	return max(position, refunded), err
}

// revive goes on with an order whose money came after the wait for it, or cancels it when its goods are gone.
func (g orderGoods) revive(u *Unit) error {
	for _, l := range g.lines {
		held := stockStream(l.ProductID).State(u)
		if held.Held(g.id) == 0 && held.Free() < l.Amount {
			return g.order.Do(u, order.Cancel{By: "system", Reason: "goods_gone", At: u.At()})
		}
	}
	if g.customer != uuid.Nil {
		ledger := bonusStream(g.customer).State(u)
		if need := g.order.State(u).Placed.Calculation.BonusSpent; ledger.Held(g.id) < need && ledger.Spendable() < need {
			return g.order.Do(u, order.Cancel{By: "system", Reason: "bonuses_gone", At: u.At()})
		}
	}
	if err := g.reserve(u); err != nil {
		return err
	}
	// The customer paid the price that the promo code made; that its use was given back and perhaps went to
	// somebody else does not change that.
	return g.order.Do(u, order.Approve{At: u.At()})
}

// Bill is what the sandbox's page shows of a payment; false when nobody was asked for it.
func (o *Orders) Bill(ctx context.Context, paymentID string) (payments.Bill, bool, error) {
	id, ok := payments.OrderOf(paymentID)
	if !ok {
		return payments.Bill{}, false, nil
	}
	state, err := see(ctx, o.Handler, orderStream(id))
	if err != nil {
		return payments.Bill{}, false, fmt.Errorf("see order %s: %w", id, err)
	}
	if !state.Exists() || state.Attempt == 0 {
		return payments.Bill{}, false, nil
	}
	bill := payments.Bill{OrderNumber: state.Placed.Number, Amount: state.Placed.Calculation.PayableNow, Outcome: payments.Refused}
	switch {
	case state.IsPaid():
		bill.Outcome = payments.Paid
	case state.Status == order.StatusReceived && state.PaymentID == paymentID:
		bill.Outcome = payments.Pending
	}
	return bill, true, nil
}
