package commands

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/eventstore"
)

// Bonuses keeps customers' ledgers in step with their orders.
type Bonuses struct{ Handler *Handler }

// Follow books what an order means for its customer's bonuses as it stands now: what it earned, what is to be taken
// back of that, and what it no longer holds. It may be asked for after every change of an order and any number of
// times; a guest's order adds nothing.
func (b *Bonuses) Follow(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	position, err := b.Handler.Do(ctx, false, func(u *Unit) error {
		made := OrderStream(id)
		if err := u.Load(made, RulesStream()); err != nil {
			return err
		}
		state := made.State(u)
		if !state.Exists() || state.CustomerID == uuid.Nil {
			return nil
		}
		u.Assert(made) // a refund that comes meanwhile is booked by who sees it
		ledger := BonusStream(state.CustomerID)
		if err := u.Load(ledger); err != nil {
			return err
		}
		return SettleBonuses(u, ledger, id, state)
	})
	if err != nil {
		return 0, fmt.Errorf("book bonuses of order %s: %w", id, err)
	}
	return position, nil
}

// SettleBonuses is Follow within a command of somebody else, who has loaded the rules and the customer's ledger.
func SettleBonuses(u *Unit, ledger Stream[bonus.Command, bonus.Event, bonus.State], id domain.ID, state order.State) error {
	base, terms := state.BonusBase(), RulesStream().State(u)
	var commands []bonus.Command
	if base > 0 {
		commands = append(commands, bonus.Earn{
			CustomerID: state.CustomerID, OrderID: id, Base: base,
			Percent: terms.Rules.BonusEarnPercent, RulesVersion: terms.Version, At: u.At(),
		})
	}
	commands = append(commands,
		bonus.Revoke{OrderID: id, Base: base, At: u.At()},
		bonus.Return{OrderID: id, Keep: state.BonusHeld(), At: u.At()})
	for _, c := range commands {
		if err := ledger.Do(u, c); err != nil {
			return err
		}
	}
	return nil
}

// Adjust adds bonuses to a customer's ledger by hand, or takes some with an amount below 0. The same adjustment again adds nothing.
func (b *Bonuses) Adjust(ctx context.Context, customerID, id domain.ID, amount domain.Money, reason string) (eventstore.Position, error) {
	position, err := b.Handler.Do(ctx, false, func(u *Unit) error {
		who, ledger := CustomerStream(customerID), BonusStream(customerID)
		if err := u.Load(who, ledger); err != nil {
			return err
		}
		switch state := who.State(u); {
		case !state.Exists():
			return customer.ErrUnknown
		case !state.Open():
			return customer.ErrErased
		}
		u.Assert(who)
		return ledger.Do(u, bonus.Adjust{CustomerID: customerID, ID: id, Amount: amount, Reason: reason, At: u.At()})
	})
	if err != nil {
		return 0, fmt.Errorf("adjust bonuses of %s: %w", customerID, err)
	}
	return position, nil
}
