package bonus

import (
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
)

// Bounds of an adjustment.
const (
	// MaxAdjustment is the most that one adjustment moves, whoever makes it; MaxReason is in characters.
	MaxAdjustment domain.Money = 1_000_000
	MaxReason     int          = 500
)

// Refusals of adjustments; staff meet them.
var (
	ErrBadAdjustment = domain.Refuse("bonus/bad-adjustment", "Сумма — от 1 до 1 000 000 бонусов, со знаком")
	ErrNoReason      = domain.Refuse("bonus/no-reason", "Напишите причину, не длиннее 500 знаков")
)

// Adjust adds bonuses by hand, or takes some when Amount is below 0: never more than may be spent. The same ID again adds nothing.
type Adjust struct {
	CustomerID domain.ID
	ID         domain.ID
	Amount     domain.Money
	Reason     string
	At         time.Time
}

func (Adjust) isCommand() {}

// Adjusted: staff added bonuses, or took some. The event's metadata names who. The reason is personal.
type Adjusted struct {
	CustomerID domain.ID    `json:"customer_id"`
	ID         domain.ID    `json:"id"`
	Amount     domain.Money `json:"amount"`
	Reason     string       `json:"reason"`
	Balance    domain.Money `json:"balance"`
	At         time.Time    `json:"at"`
}

// Personal seals the reason under the customer's key.
func (a Adjusted) Personal() domain.Personal {
	return domain.Personal{Person: a.CustomerID, Fields: []string{"reason"}}
}

func (Adjusted) EventType() string { return "bonus.adjusted" }
func (Adjusted) isEvent()          {}

func decideAdjust(c Adjust, s State) ([]Event, error) {
	reason := strings.TrimSpace(c.Reason)
	if _, made := s.adjusted.Get(c.ID.String()); made {
		return nil, nil
	}
	switch {
	case c.Amount == 0 || c.Amount > MaxAdjustment || c.Amount < -MaxAdjustment:
		return nil, ErrBadAdjustment
	case reason == "" || utf8.RuneCountInString(reason) > MaxReason:
		return nil, ErrNoReason
	case c.Amount < 0 && -c.Amount > s.Spendable():
		return nil, ErrNotEnough.With("Бонусов не хватает: на счету " + domain.Tenge(s.Spendable()))
	}
	return []Event{Adjusted{CustomerID: c.CustomerID, ID: c.ID, Amount: c.Amount, Reason: reason, Balance: s.Balance + c.Amount, At: c.At}}, nil
}
