package commands

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"shop/commands/accounts"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/eventstore"
)

// exported is all that the shop holds of a customer.
type exported struct {
	Profile  Profile            `json:"profile"`
	Sessions []accounts.Session `json:"sessions"`
	// Events are the facts of the account, its bonuses, orders, reviews and subscriptions, in their order.
	Events []exportedEvent `json:"events"`
}

type exportedEvent struct {
	Position eventstore.Position `json:"position"`
	Stream   string              `json:"stream"`
	Type     string              `json:"type"`
	At       time.Time           `json:"at"`
	Data     any                 `json:"data"`
}

// Export is GET /api/auth/profile/export/: everything about the person, as JSON.
func (a *Accounts) Export(w http.ResponseWriter, r *http.Request) error {
	all, err := a.export(r.Context(), CustomerOf(r.Context()))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="account.json"`)
	return answer(w, http.StatusOK, all)
}

func (a *Accounts) export(ctx context.Context, id domain.ID) (exported, error) {
	who, ledger := customerStream(id), bonusStream(id)
	var state customer.State
	var bonuses domain.Money
	_, err := a.Handler.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(who, ledger); err != nil {
			return err
		}
		state, bonuses = who.State(u), ledger.State(u).Spendable()
		return nil
	})
	if err != nil {
		return exported{}, err
	}
	if !state.Open() {
		return exported{}, ErrSignedOut
	}
	var all exported
	if all.Profile, err = a.profileOf(ctx, state, bonuses); err != nil {
		return exported{}, err
	}
	if all.Sessions, err = a.SignIns.Sessions(ctx, id); err != nil {
		return exported{}, err
	}
	orders, err := a.Orders.OrdersOf(ctx, id)
	if err != nil {
		return exported{}, err
	}
	from := []eventstore.From{{Stream: who.Name}, {Stream: ledger.Name}}
	for orderID := range orders {
		from = append(from, eventstore.From{Stream: order.Stream(orderID)})
	}
	reviews, err := a.Of.ReviewsOf(ctx, id)
	if err != nil {
		return exported{}, err
	}
	for _, written := range reviews {
		from = append(from, eventstore.From{Stream: review.Stream(written)})
	}
	waits, err := a.Of.WaitsOf(ctx, id)
	if err != nil {
		return exported{}, err
	}
	for _, product := range waits {
		from = append(from, eventstore.From{Stream: restock.Stream(product)})
	}
	streams, err := a.Handler.log.Load(ctx, from...)
	if err != nil {
		return exported{}, err
	}
	all.Events = []exportedEvent{}
	for _, events := range streams {
		for _, e := range events {
			if ofAnother(e, id) {
				continue
			}
			all.Events = append(all.Events, exportedEvent{e.Position, e.Stream, e.Type, e.RecordedAt, e.Data})
		}
	}
	slices.SortFunc(all.Events, func(a, b exportedEvent) int { return cmp.Compare(a.Position, b.Position) })
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
