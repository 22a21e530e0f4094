package bonus

import "shop/domain"

// Refusals of bonus commands; shoppers meet ErrNotEnough.
var (
	ErrNotEnough = domain.Refuse("bonus/not-enough", "Бонусов не хватает")
	// ErrOtherAmount: the order holds another sum already.
	ErrOtherAmount = domain.Refuse("bonus/other-amount", "The order holds another sum of bonuses.")
	ErrBadAmount   = domain.Refuse("bonus/bad-amount", "Bonuses to spend must be 1 or more.")
	ErrBadBase     = domain.Refuse("bonus/bad-base", "Bonuses are earned of 0 tenge or more, at 0 to 100 percent.")
)

// State is a customer's ledger. The zero value is an empty one.
type State struct {
	CustomerID domain.ID
	// Balance is the sum of all entries; below 0 when bonuses were taken back that had been spent.
	Balance domain.Money

	orders domain.Map[entry]
	// adjusted are the adjustments that were made, by their ids.
	adjusted domain.Map[struct{}]
}

// entry is what the ledger has of one order.
type entry struct {
	// held is what the order spends now, earned what it brought less what was taken back, at percent.
	held    domain.Money
	earned  domain.Money
	percent int64
	// credited: the order earned, and never does again.
	credited bool
}

// Spendable are the bonuses that may be spent, never below 0.
func (s State) Spendable() domain.Money { return max(0, s.Balance) }

// Held is what an order spends now, EarnedBy what it brought less what was taken back.
func (s State) Held(order domain.ID) domain.Money     { return s.of(order).held }
func (s State) EarnedBy(order domain.ID) domain.Money { return s.of(order).earned }

func (s State) of(order domain.ID) entry {
	e, _ := s.orders.Get(order.String())
	return e
}

// Decider is a customer's ledger.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Earn:
		if c.Base < 0 || c.Percent < 0 || c.Percent > 100 {
			return nil, ErrBadBase
		}
		amount := domain.PercentOf(c.Base, c.Percent)
		if amount == 0 || s.of(c.OrderID).credited {
			return nil, nil
		}
		return []Event{Earned{
			CustomerID: c.CustomerID, OrderID: c.OrderID, Base: c.Base, Percent: c.Percent, RulesVersion: c.RulesVersion,
			Amount: amount, Balance: s.Balance + amount, At: c.At,
		}}, nil

	case Spend:
		if c.Amount < 1 {
			return nil, ErrBadAmount
		}
		switch held := s.Held(c.OrderID); {
		case held == c.Amount:
			return nil, nil
		case held > 0:
			return nil, ErrOtherAmount
		case c.Amount > s.Spendable():
			return nil, ErrNotEnough.With("Бонусов не хватает: на счету " + domain.Tenge(s.Spendable()))
		}
		return []Event{Spent{
			CustomerID: c.CustomerID, OrderID: c.OrderID, Amount: c.Amount, Balance: s.Balance - c.Amount, At: c.At,
		}}, nil

	case Return:
		back := s.Held(c.OrderID) - max(0, c.Keep)
		if back <= 0 {
			return nil, nil
		}
		return []Event{Returned{
			CustomerID: s.CustomerID, OrderID: c.OrderID, Amount: back, Balance: s.Balance + back, At: c.At,
		}}, nil

	case Adjust:
		return decideAdjust(c, s)

	case Revoke:
		earned := s.of(c.OrderID)
		back := earned.earned - domain.PercentOf(max(0, c.Base), earned.percent)
		if back <= 0 {
			return nil, nil
		}
		return []Event{Revoked{
			CustomerID: s.CustomerID, OrderID: c.OrderID, Amount: back, Balance: s.Balance - back, At: c.At,
		}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Earned:
		order := s.of(e.OrderID)
		order.earned, order.percent, order.credited = e.Amount, e.Percent, true
		s.CustomerID, s.Balance = e.CustomerID, e.Balance
		s.orders = s.orders.With(e.OrderID.String(), order)
	case Spent:
		order := s.of(e.OrderID)
		order.held += e.Amount
		s.CustomerID, s.Balance = e.CustomerID, e.Balance
		s.orders = s.orders.With(e.OrderID.String(), order)
	case Returned:
		order := s.of(e.OrderID)
		order.held -= e.Amount
		s.Balance = e.Balance
		s.orders = s.orders.With(e.OrderID.String(), order)
	case Adjusted:
		s.CustomerID, s.Balance = e.CustomerID, e.Balance
		s.adjusted = s.adjusted.With(e.ID.String(), struct{}{})
	case Revoked:
		order := s.of(e.OrderID)
		order.earned -= e.Amount
		s.Balance = e.Balance
		s.orders = s.orders.With(e.OrderID.String(), order)
	}
	return s
}
