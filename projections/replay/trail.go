package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/projections"
)

// Step is one event of a stream, and what it made of it.
type Step struct {
	Event eventstore.Event
	// State is what the stream comes to after the event, Changes how that differs from the step before.
	State   json.RawMessage
	Changes []Change
	// Effects are the other events of the same request.
	Effects []eventstore.Effect
}

// Trail follows a stream event by event: of an order, a product, its stock, a basket or the rules. Personal fields of
// states are masked unless they are asked for; an unknown stream has no steps.
func Trail(ctx context.Context, store *eventstore.Store, stream string, personal bool) ([]Step, error) {
	events, err := store.Stream(ctx, stream, 0, 0)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	states, err := statesOf(stream, events, personal)
	if err != nil {
		return nil, err
	}
	near, err := store.Related(ctx, events, beside(events)...)
	if err != nil {
		return nil, err
	}
	steps := make([]Step, len(events))
	before := json.RawMessage("{}")
	for i, e := range events {
		steps[i] = Step{Event: e, State: states[i]}
		if steps[i].Changes, err = Changes(before, states[i]); err != nil {
			return nil, err
		}
		before = states[i]
		for _, n := range near {
			if n.Correlation == e.Metadata.CorrelationID && n.ID != e.ID {
				steps[i].Effects = append(steps[i].Effects, n)
			}
		}
	}
	return steps, nil
}

// beside are the streams in which an order's policies write, whenever they come to it: the customer's bonuses and account, the
// basket. Stock and promo codes are written in the order's own appends.
func beside(events []eventstore.Event) []string {
	var streams []string
	of := func(id domain.ID) {
		if id != (domain.ID{}) {
			streams = append(streams, bonus.Stream(id), customer.Stream(id))
		}
	}
	for _, e := range events {
		switch data := e.Data.(type) {
		case order.Placed:
			of(data.CustomerID)
			if data.BasketID != (domain.ID{}) {
				streams = append(streams, basket.Stream(data.BasketID))
			}
		case order.Joined:
			of(data.CustomerID)
		}
	}
	return streams
}

// statesOf folds a stream as the read model of its kind does.
func statesOf(stream string, events []eventstore.Event, personal bool) ([]json.RawMessage, error) {
	switch kind, _, _ := strings.Cut(stream, "-"); kind {
	case "order":
		return projections.States("orders", "orders", events, personal)
	case "product":
		return projections.States("catalog", "product", events, personal)
	case "stock":
		return projections.States("stock", "level", events, personal)
	case "basket":
		return told(events, basket.Decider)
	case rules.Stream:
		return told(events, rules.Decider)
	}
	return nil, fmt.Errorf("stream %s: of no kind that can be followed", stream)
}

// told folds a stream that has no read model of its own.
func told[C any, E domain.Event, S any](events []eventstore.Event, d domain.Decider[C, E, S]) ([]json.RawMessage, error) {
	states := make([]json.RawMessage, len(events))
	state := d.Initial
	for i, e := range events {
		if data, ok := e.Data.(E); ok {
			state = d.Evolve(state, data)
		}
		var err error
		if states[i], err = json.Marshal(state); err != nil {
			return nil, fmt.Errorf("state after event %d: %w", e.Position, err)
		}
	}
	return states, nil
}

// Priced is an order's price, calculated again by the rules of its day.
type Priced struct {
	// Holds: totals, lines and steps are as recorded. Why says what is not, or what the log lacks.
	Holds   bool     `json:"holds"`
	Why     string   `json:"why"`
	Changes []Change `json:"changes"`
	// Explanation is the one calculated; as recorded when the log lacks what it takes.
	Explanation []domain.Step `json:"explanation"`
	// Rules are those of the version that the order names.
	RulesVersion int64       `json:"rules_version"`
	Rules        rules.Rules `json:"rules"`
}

// Reprice calculates the price of one order again, from its own event, the rules and the promo code.
func Reprice(ctx context.Context, store *eventstore.Store, placed *order.Placed, at eventstore.Position) (Priced, error) {
	return reprice(ctx, store, placed.Calculation, placed.Calculation.PromocodeApplied, at, func(d *day) (pricing.Input, string) { return d.input(placed) })
}

// RepriceChanged calculates the price of an order again whose lines were changed, from the event that changed them.
func RepriceChanged(ctx context.Context, store *eventstore.Store, e *order.LinesChanged, at eventstore.Position) (Priced, error) {
	code := ""
	if e.Promocode != nil {
		code = e.Promocode.Code
	}
	return reprice(ctx, store, e.Calculation, code, at, func(d *day) (pricing.Input, string) { return d.changed(e) })
}

func reprice(ctx context.Context, store *eventstore.Store, was domain.Calculation, code string, at eventstore.Position,
	input func(*day) (pricing.Input, string),
) (Priced, error) {
	p := Priced{RulesVersion: was.RulesVersion, Changes: []Change{}, Explanation: was.Explanation}
	if was.RulesVersion == 0 {
		p.Why = "another shop priced it; its rules are not in the log"
		return p, nil
	}
	day := newDay()
	learn := func(stream, typ string) error {
		events, err := store.StreamOf(ctx, stream, typ)
		for _, e := range events {
			if e.Position < at {
				day.learn(e.Data)
			}
		}
		return err
	}
	if err := learn(rules.Stream, rules.Changed{}.EventType()); err != nil {
		return p, err
	}
	if code != "" {
		// Its stream has all its uses as well: in a long past more than can be read while somebody waits.
		if err := learn(promocode.Stream(code), promocode.Issued{}.EventType()); err != nil {
			return p, err
		}
	}
	in, missing := input(day)
	p.Rules = in.Rules
	if missing != "" {
		p.Why = missing
		return p, nil
	}
	is := pricing.Calculate(in)
	p.Explanation = is.Explanation
	if p.Holds = same(was, is); p.Holds {
		return p, nil
	}
	p.Why = reason(was, is)
	var err error
	p.Changes, err = Changes(silent(was), silent(is))
	return p, err
}

// Movement is an entry of a product's stock ledger.
type Movement struct {
	Event eventstore.Event
	// Kind is received, adjusted, reserved, released or shipped; Cause is why.
	Kind  string
	Cause stock.Cause
	// OrderID is zero where no order is behind it.
	OrderID domain.ID
	// OnHand and Reserved are what the movement adds; the balances after it are the sums so far.
	OnHand, Reserved           int64
	OnHandAfter, ReservedAfter int64
}

// Ledger is every movement of a product's stock. Balances are the sums of movements; Gap counts the events that say
// another balance, 0 in a log that was not altered.
func Ledger(ctx context.Context, store *eventstore.Store, product domain.ID) (moves []Movement, gap int, err error) {
	events, err := store.Stream(ctx, stock.Stream(product), 0, 0)
	if err != nil {
		return nil, 0, err
	}
	var onHand, reserved int64
	for _, e := range events {
		m := Movement{Event: e}
		var says [2]int64
		switch d := e.Data.(type) {
		case stock.Received:
			m.Kind, m.Cause, m.OnHand, says = "received", d.Cause, d.Quantity, [2]int64{d.OnHand, d.Reserved}
		case stock.Adjusted:
			m.Kind, m.Cause, m.OnHand, says = "adjusted", d.Cause, d.Quantity, [2]int64{d.OnHand, d.Reserved}
		case stock.Reserved:
			m.Kind, m.Cause, m.OrderID, m.Reserved, says = "reserved", d.Cause, d.OrderID, d.Quantity, [2]int64{d.OnHand, d.Reserved}
		case stock.Released:
			m.Kind, m.Cause, m.OrderID, m.Reserved, says = "released", d.Cause, d.OrderID, -d.Quantity, [2]int64{d.OnHand, d.Reserved}
		case stock.Shipped:
			m.Kind, m.Cause, m.OrderID, says = "shipped", d.Cause, d.OrderID, [2]int64{d.OnHand, d.Reserved}
			m.OnHand, m.Reserved = -d.Quantity, -d.Quantity
		default:
			continue // Replenished and Depleted move nothing
		}
		onHand, reserved = onHand+m.OnHand, reserved+m.Reserved
		m.OnHandAfter, m.ReservedAfter = onHand, reserved
		if says != [2]int64{onHand, reserved} {
			gap++
		}
		moves = append(moves, m)
	}
	return moves, gap, nil
}

// PriceChange is a price that a product was given.
type PriceChange struct {
	Event                  eventstore.Event
	Price, DiscountedPrice domain.Money
}

// Prices are the prices a product had, oldest first.
func Prices(ctx context.Context, store *eventstore.Store, product domain.ID) ([]PriceChange, error) {
	events, err := store.Stream(ctx, catalog.ProductStream(product), 0, 0)
	if err != nil {
		return nil, err
	}
	var found []PriceChange
	for _, e := range events {
		if d, ok := e.Data.(catalog.ProductPriced); ok {
			found = append(found, PriceChange{e, d.Price, d.DiscountedPrice})
		}
	}
	return found, nil
}
