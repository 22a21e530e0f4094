package commands

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/bonus"
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
		made := orderStream(id)
		if err := u.Load(made, rulesStream()); err != nil {
			return err
		}
		state := made.State(u)
		if !state.Exists() || state.CustomerID == uuid.Nil {
			return nil
		}
		ledger := bonusStream(state.CustomerID)
		if err := u.Load(ledger); err != nil {
			return err
		}
		return settleBonuses(u, ledger, id, state)
	})
	if err != nil {
		return 0, fmt.Errorf("book bonuses of order %s: %w", id, err)
	}
	return position, nil
}

func settleBonuses(u *Unit, ledger Stream[bonus.Command, bonus.Event, bonus.State], id domain.ID, state order.State) error {
	base, terms := state.BonusBase(), rulesStream().State(u)
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

// spendBonus reads how many bonuses to spend: −1 is as many as allowed. A guest has none.
func (f *form) spendBonus(customer domain.ID) int64 {
	n := f.bonuses("spend_bonus")
	if n != 0 && customer == uuid.Nil {
		f.refuse("spend_bonus", msgBonus)
		return 0
	}
	return n
}
