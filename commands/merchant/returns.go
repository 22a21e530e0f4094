package merchant

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/stock"
	"shop/eventstore"
)

// Return is goods that staff took back.
type Return struct {
	Version eventstore.Version `json:"version"`
	// ReturnID makes the request unrepeatable; zero: every request is a return of its own. RequestID is the customer's request that
	// is granted; zero: there was none.
	ReturnID  domain.ID        `json:"return_id"`
	RequestID domain.ID        `json:"request_id"`
	Lines     []order.BackLine `json:"lines"`
	Reason    string           `json:"reason"`
	// Late is why the goods are taken after the time that the rules give.
	Late string `json:"late"`
}

// TakeBack records goods that came back: into stock or written off. The money that they cost goes back by the way it came, the
// bonuses earned on them are taken back, and those spent on them return.
func (o *Orders) TakeBack(ctx context.Context, id domain.ID, r Return) (eventstore.Position, error) {
	if r.ReturnID == uuid.Nil {
		r.ReturnID = o.Orders.Handler.NewID()
	}
	owes := false
	position, err := o.change(ctx, id, r.Version, func(u *unit) error {
		decided := u.Decided()
		err := u.order.Do(u.Unit, order.ReturnGoods{
			ReturnID: r.ReturnID, RequestID: r.RequestID, Lines: r.Lines, Reason: r.Reason, Late: r.Late,
			Days: commands.RulesStream().State(u.Unit).Rules.ReturnDays, At: u.At(),
		})
		if err != nil || u.Decided() == decided {
			return err
		}
		for _, l := range r.Lines {
			if l.WrittenOff {
				continue
			}
			stocked := commands.StockStream(l.ProductID)
			if err := u.Load(stocked); err != nil {
				return err
			}
			back := stock.Receive{ProductID: l.ProductID, Quantity: l.Amount, Cause: stock.Cause{Kind: "return", Ref: id.String()}, At: u.At()}
			if err := stocked.Do(u.Unit, back); err != nil {
				return err
			}
		}
		now := u.order.State(u.Unit)
		owes = len(now.Owed()) > 0
		if now.CustomerID == uuid.Nil {
			return nil
		}
		ledger := commands.BonusStream(now.CustomerID)
		if err := u.Load(ledger); err != nil {
			return err
		}
		return commands.SettleBonuses(u.Unit, ledger, id, now)
	})
	if err == nil && owes {
		position = o.giveBack(ctx, id, position)
	}
	return position, err
}

// DeclineReturn is the shop's no to a customer's request.
func (o *Orders) DeclineReturn(ctx context.Context, id, request domain.ID, reason string) (eventstore.Position, error) {
	return o.change(ctx, id, 0, func(u *unit) error {
		return u.order.Do(u.Unit, order.DeclineReturn{RequestID: request, Reason: reason, At: u.At()})
	})
}

// RequestReturn is a customer's wish to bring goods back.
func (o *Orders) RequestReturn(ctx context.Context, id domain.ID, lines []order.AskedLine, reason string) (eventstore.Position, error) {
	request := o.Orders.Handler.NewID()
	return o.change(ctx, id, 0, func(u *unit) error {
		return u.order.Do(u.Unit, order.RequestReturn{
			RequestID: request, Lines: lines, Reason: reason, Days: commands.RulesStream().State(u.Unit).Rules.ReturnDays, At: u.At(),
		})
	})
}

// IsOvertaken is the changes that were faster; false when an error says something else.
func IsOvertaken(err error) (*Overtaken, bool) {
	var overtaken *Overtaken
	return overtaken, errors.As(err, &overtaken)
}
