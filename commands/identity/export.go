package identity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/securitylog"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/eventstore"
)

// Exported is all that the shop holds of a customer.
type Exported struct {
	Profile  Profile            `json:"profile"`
	Sessions []accounts.Session `json:"sessions"`
	// Events are the facts of the account, its bonuses, orders, reviews and subscriptions, in their order.
	Events []ExportedEvent `json:"events"`
}

// ExportedEvent is a fact about a person.
type ExportedEvent struct {
	Position eventstore.Position `json:"position"`
	Stream   string              `json:"stream"`
	Type     string              `json:"type"`
	At       time.Time           `json:"at"`
	Data     any                 `json:"data"`
}

// Export tells everything about a person.
func (a *Accounts) Export(ctx context.Context, id domain.ID) (Exported, error) {
	who, ledger := commands.CustomerStream(id), commands.BonusStream(id)
	var state customer.State
	var bonuses domain.Money
	_, err := a.Handler.Do(ctx, false, func(u *commands.Unit) error {
		if err := u.Load(who, ledger); err != nil {
			return err
		}
		state, bonuses = who.State(u), ledger.State(u).Spendable()
		return nil
	})
	if err != nil {
		return Exported{}, err
	}
	if !state.Open() {
		return Exported{}, commands.ErrSignedOut
	}
	note(ctx, securitylog.Entry{Kind: securitylog.Export, Outcome: securitylog.OK, How: "account", About: id}, nil)
	var all Exported
	if all.Profile, err = a.profileOf(ctx, state, bonuses); err != nil {
		return Exported{}, err
	}
	sessions, err := a.SignIns.Sessions(ctx, id, "")
	if err != nil {
		return Exported{}, err
	}
	all.Sessions = []accounts.Session{}
	for _, s := range sessions {
		all.Sessions = append(all.Sessions, s.Session)
	}
	orders, err := a.Orders.OrdersOf(ctx, id)
	if err != nil {
		return Exported{}, err
	}
	from := []eventstore.From{{Stream: who.Name}, {Stream: ledger.Name}}
	for orderID := range orders {
		from = append(from, eventstore.From{Stream: order.Stream(orderID)})
	}
	reviews, err := a.Of.ReviewsOf(ctx, id)
	if err != nil {
		return Exported{}, err
	}
	for _, written := range reviews {
		from = append(from, eventstore.From{Stream: review.Stream(written)})
	}
	waits, err := a.Of.WaitsOf(ctx, id)
	if err != nil {
		return Exported{}, err
	}
	for _, product := range waits {
		from = append(from, eventstore.From{Stream: restock.Stream(product)})
	}
	streams, err := a.Handler.Events(ctx, from...)
	if err != nil {
		return Exported{}, err
	}
	all.Events = []ExportedEvent{}
	for _, events := range streams {
		for _, e := range events {
			if ofAnother(e, id) {
				continue
			}
			all.Events = append(all.Events, ExportedEvent{e.Position, e.Stream, e.Type, e.RecordedAt, e.Data})
		}
	}
	slices.SortFunc(all.Events, func(a, b ExportedEvent) int { return cmp.Compare(a.Position, b.Position) })
	return all, nil
}

// ofAnother says whether an event of a waiting list, on which others are too, is not this customer's subscription.
func ofAnother(e eventstore.Event, id domain.ID) bool {
	waiting, is := e.Data.(restock.Event)
	if !is {
		return false
	}
	subscribed, is := waiting.(restock.Subscribed)
	return !is || subscribed.CustomerID != id
}
