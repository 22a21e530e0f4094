package commands

import (
	"context"
	"fmt"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// HandPayment is money that staff took, or saw on the shop's account, without a provider.
type HandPayment struct {
	Method order.HandMethod
	// Reference is the payment's number in the books of the bank or the desk; an order takes each once.
	Reference string
	Amount    domain.Money
}

// PayByHand records money that came without a provider, in the name of the context's actor. A sum above the rules waits for a
// second person, see ConfirmByHand: waits says so. Money that came after the order's deadline takes its goods again.
func (o *Orders) PayByHand(ctx context.Context, id domain.ID, p HandPayment) (_ eventstore.Position, waits bool, err error) {
	position, err := o.takeByHand(ctx, id, func(u *Unit, made Stream[order.Command, order.Event, order.State]) error {
		before := len(made.State(u).HandClaims)
		err := made.Do(u, order.PayByHand{
			Reference: p.Reference, Method: p.Method, Amount: p.Amount, By: OriginOf(ctx).Actor,
			ConfirmAbove: RulesStream().State(u).Rules.HandConfirmAbove, At: u.At(),
		})
		waits = len(made.State(u).HandClaims) > before
		return err
	})
	return position, waits, err
}

// ConfirmByHand is the second person's word for a payment that waits for it.
func (o *Orders) ConfirmByHand(ctx context.Context, id domain.ID, reference string) (eventstore.Position, error) {
	return o.takeByHand(ctx, id, func(u *Unit, made Stream[order.Command, order.Event, order.State]) error {
		return made.Do(u, order.ConfirmHandPayment{Reference: reference, By: OriginOf(ctx).Actor, At: u.At()})
	})
}

// WithdrawByHand takes a payment back that waits for a second person.
func (o *Orders) WithdrawByHand(ctx context.Context, id domain.ID, reference string) (eventstore.Position, error) {
	return Change(ctx, o.Handler, OrderStream(id), func(u *Unit) order.Command {
		return order.WithdrawHandPayment{Reference: reference, By: OriginOf(ctx).Actor, At: u.At()}
	})
}

// takeByHand is settlePaid for money that no provider reports.
func (o *Orders) takeByHand(ctx context.Context, id domain.ID,
	take func(u *Unit, made Stream[order.Command, order.Event, order.State]) error,
) (_ eventstore.Position, err error) {
	owes := false
	position, err := o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		if err := u.Load(RulesStream()); err != nil {
			return err
		}
		if err := take(u, goods.order); err != nil {
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
	if err != nil {
		return 0, fmt.Errorf("take money of order %s by hand: %w", id, err)
	}
	if owes {
		position = max(position, o.tryGiveBack(ctx, id))
	}
	return position, nil
}
