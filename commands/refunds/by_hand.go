package refunds

import (
	"context"
	"errors"
	"fmt"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Desk is where staff give money back. It is safe for concurrent use.
type Desk struct{ Orders *commands.Orders }

// errOnlyTried ends a command that is to write nothing.
var errOnlyTried = errors.New("only tried")

// RefundByHand records that staff gave money back that came without a provider, in the name of the context's actor. A sum above the
// rules waits for a second person, see ConfirmHandRefund: waits says so.
func (d Desk) RefundByHand(ctx context.Context, id domain.ID, paymentID, reference string, amount domain.Money) (_ eventstore.Position, waits bool, err error) {
	return d.record(ctx, id, func(u *commands.Unit, _ order.State) ([]order.Command, error) {
		return []order.Command{order.RefundByHand{
			PaymentID: paymentID, Reference: reference, Amount: amount, By: commands.OriginOf(ctx).Actor,
			ConfirmAbove: commands.RulesStream().State(u).Rules.HandConfirmAbove, At: u.At(),
		}}, nil
	})
}

// SettleRefund records that the money of a refund that waits went back outside the shop. The provider is not asked for it any more,
// also while a second person's word is awaited. The reason is kept with the payment.
func (d Desk) SettleRefund(ctx context.Context, refundID, reference, reason string) (_ eventstore.Position, waits bool, err error) {
	debt, err := d.Orders.WaitingRefund(ctx, refundID)
	if err != nil {
		return 0, false, err
	}
	settle := func(u *commands.Unit, s order.State) ([]order.Command, error) {
		if s.ClaimedDebt(debt.ID) {
			return nil, order.ErrReferenceUsed.With("Этот возврат уже ждёт второго сотрудника")
		}
		if err := commands.StillOwed(s, debt); err != nil {
			return nil, err
		}
		return []order.Command{
			order.MarkPayment{PaymentID: debt.PaymentID, Reason: reason, At: u.At()},
			order.RefundByHand{
				PaymentID: debt.PaymentID, Receipt: debt.Receipt, Debt: debt.ID, Reference: reference, Amount: debt.Amount, By: commands.OriginOf(ctx).Actor,
				ConfirmAbove: commands.RulesStream().State(u).Rules.HandConfirmAbove, At: u.At(),
			},
		}, nil
	}
	// What the order refuses is told before the refund is taken from the provider.
	if err := d.would(ctx, debt.OrderID, settle); err != nil {
		return 0, false, err
	}
	mine, err := d.Orders.Books.Try(ctx, debt, d.Orders.Handler.Now())
	if err != nil {
		return 0, false, err
	}
	if !mine {
		return 0, false, commands.ErrRefundUnderWay
	}
	position, waits, err := d.record(ctx, debt.OrderID, settle)
	if err != nil || waits {
		return position, waits, err
	}
	return position, false, d.Orders.Books.Done(ctx, debt.ID, d.Orders.Handler.Now())
}

// ConfirmHandRefund is the second person's word for money that went back outside the shop.
func (d Desk) ConfirmHandRefund(ctx context.Context, id domain.ID, reference string) (eventstore.Position, error) {
	state, err := commands.See(ctx, d.Orders.Handler, commands.OrderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see order %s: %w", id, err)
	}
	claim, waits := state.RefundClaim(reference)
	if !waits {
		return 0, order.ErrNoClaim
	}
	if claim.Debt != "" {
		// Nobody asks the provider for it meanwhile. A refund that the provider made after all is in the log by now: order.ErrBackAlready.
		if _, err := d.Orders.WaitingRefund(ctx, claim.Debt); err != nil && !errors.Is(err, commands.ErrNoRefund) {
			return 0, err
		}
	}
	position, _, err := d.record(ctx, id, func(u *commands.Unit, _ order.State) ([]order.Command, error) {
		return []order.Command{order.ConfirmHandRefund{Reference: reference, By: commands.OriginOf(ctx).Actor, At: u.At()}}, nil
	})
	if err != nil || claim.Debt == "" {
		return position, err
	}
	return position, d.Orders.Books.Done(ctx, claim.Debt, d.Orders.Handler.Now())
}

// WithdrawHandRefund takes a refund by hand back that waits for a second person; the provider is asked for it again.
func (d Desk) WithdrawHandRefund(ctx context.Context, id domain.ID, reference string) (eventstore.Position, error) {
	return commands.Change(ctx, d.Orders.Handler, commands.OrderStream(id), func(u *commands.Unit) order.Command {
		return order.WithdrawHandRefund{Reference: reference, By: commands.OriginOf(ctx).Actor, At: u.At()}
	})
}

// refundCommands are what an order is told about money that went back.
type refundCommands func(u *commands.Unit, s order.State) ([]order.Command, error)

// record gives an order commands in one append; waits says that a second person's word is awaited then and was not before.
func (d Desk) record(ctx context.Context, id domain.ID, say refundCommands) (_ eventstore.Position, waits bool, err error) {
	position, err := d.Orders.Handler.Do(ctx, false, func(u *commands.Unit) error {
		waits, err = tellRefund(u, id, say)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("give money of order %s back by hand: %w", id, err)
	}
	return position, waits, nil
}

func (d Desk) would(ctx context.Context, id domain.ID, say refundCommands) error {
	_, err := d.Orders.Handler.Do(ctx, false, func(u *commands.Unit) error {
		if _, err := tellRefund(u, id, say); err != nil {
			return err
		}
		return errOnlyTried
	})
	if errors.Is(err, errOnlyTried) {
		return nil
	}
	return err
}

func tellRefund(u *commands.Unit, id domain.ID, say refundCommands) (waits bool, err error) {
	stream := commands.OrderStream(id)
	if err := u.Load(stream, commands.RulesStream()); err != nil {
		return false, err
	}
	before := len(stream.State(u).RefundClaims)
	given, err := say(u, stream.State(u))
	if err != nil {
		return false, err
	}
	for _, command := range given {
		if err := stream.Do(u, command); err != nil {
			return false, err
		}
	}
	return len(stream.State(u).RefundClaims) > before, nil
}
