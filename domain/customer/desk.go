package customer

import (
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
)

// maxNote is how long a note or a reason may be, in characters.
const maxNote = 2000

// Refusals of what staff do about an account.
var (
	ErrEmptyNote = domain.Refuse("customer/empty-note", "Напишите текст, не длиннее 2000 знаков")
	// ErrNotProposed: nobody proposed the erasure.
	ErrNotProposed = domain.Refuse("customer/erasure-not-proposed", "Сначала удаление должен предложить другой сотрудник")
	ErrProposed    = domain.Refuse("customer/erasure-proposed", "Удаление уже предложено и ждёт второго сотрудника")
	// ErrSamePerson: who proposed an erasure may not confirm it.
	ErrSamePerson = domain.Refuse("customer/erasure-same-person", "Удаление подтверждает другой сотрудник, не тот, кто его предложил")
	ErrNobody     = domain.Refuse("customer/erasure-by-nobody", "An erasure is proposed and confirmed by accounts of staff.")
)

// Note writes something about the customer that staff alone read.
type Note struct {
	Text string
	At   time.Time
}

// ProposeErasure asks for a second account of staff that confirms the erasure.
type ProposeErasure struct {
	// By is the account of staff.
	By     domain.ID
	Reason string
	At     time.Time
}

// WithdrawErasure takes a proposed erasure back; without one it adds nothing.
type WithdrawErasure struct {
	By domain.ID
	At time.Time
}

// ConfirmErasure shuts the account to be forgotten, as RequestErasure does. Only somebody else than who proposed it may.
type ConfirmErasure struct {
	By domain.ID
	// OpenOrders counts the customer's orders that are not completed, cancelled or refunded.
	OpenOrders int64
	At         time.Time
}

func (Note) isCommand()            {}
func (ProposeErasure) isCommand()  {}
func (WithdrawErasure) isCommand() {}
func (ConfirmErasure) isCommand()  {}

// Noted is what staff wrote about the customer, for staff alone; the event's metadata names the author.
type Noted struct {
	ID   domain.ID `json:"id"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// ErasureProposed: an account of staff asked for the erasure. A second one has to confirm it.
type ErasureProposed struct {
	ID     domain.ID `json:"id"`
	By     domain.ID `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// ErasureWithdrawn took a proposed erasure back.
type ErasureWithdrawn struct {
	ID domain.ID `json:"id"`
	By domain.ID `json:"by"`
	At time.Time `json:"at"`
}

// ErasureConfirmed: a second account of staff agreed. ErasureRequested follows it.
type ErasureConfirmed struct {
	ID         domain.ID `json:"id"`
	ProposedBy domain.ID `json:"proposed_by"`
	By         domain.ID `json:"by"`
	At         time.Time `json:"at"`
}

// Personal seals the text under the customer's key.
func (n Noted) Personal() domain.Personal {
	return domain.Personal{Person: n.ID, Fields: []string{"text"}}
}

// Personal seals the reason under the customer's key.
func (p ErasureProposed) Personal() domain.Personal {
	return domain.Personal{Person: p.ID, Fields: []string{"reason"}}
}

func (Noted) EventType() string            { return "customer.noted" }
func (ErasureProposed) EventType() string  { return "customer.erasure-proposed" }
func (ErasureWithdrawn) EventType() string { return "customer.erasure-withdrawn" }
func (ErasureConfirmed) EventType() string { return "customer.erasure-confirmed" }

func (Noted) isEvent()            {}
func (ErasureProposed) isEvent()  {}
func (ErasureWithdrawn) isEvent() {}
func (ErasureConfirmed) isEvent() {}

// decideDesk decides what staff do about an account that is open.
func decideDesk(command Command, s State) ([]Event, error) {
	fits := func(text string) bool { return text != "" && utf8.RuneCountInString(text) <= maxNote }
	switch c := command.(type) {
	case Note:
		text := strings.TrimSpace(c.Text)
		if !fits(text) {
			return nil, ErrEmptyNote
		}
		return []Event{Noted{ID: s.ID, Text: text, At: c.At}}, nil
	case ProposeErasure:
		reason := strings.TrimSpace(c.Reason)
		switch {
		case c.By == domain.ID{}:
			return nil, ErrNobody
		case !fits(reason):
			return nil, ErrEmptyNote
		case s.ProposedBy != domain.ID{}:
			return nil, ErrProposed
		}
		return []Event{ErasureProposed{ID: s.ID, By: c.By, Reason: reason, At: c.At}}, nil
	case WithdrawErasure:
		if s.ProposedBy == (domain.ID{}) {
			return nil, nil
		}
		return []Event{ErasureWithdrawn{ID: s.ID, By: c.By, At: c.At}}, nil
	case ConfirmErasure:
		switch {
		case c.By == domain.ID{}:
			return nil, ErrNobody
		case s.ProposedBy == domain.ID{}:
			return nil, ErrNotProposed
		case s.ProposedBy == c.By:
			return nil, ErrSamePerson
		}
		leave, err := decideErasure(RequestErasure{By: "staff", OpenOrders: c.OpenOrders, At: c.At}, s)
		if err != nil {
			return nil, err
		}
		return append([]Event{ErasureConfirmed{ID: s.ID, ProposedBy: s.ProposedBy, By: c.By, At: c.At}}, leave...), nil
	default:
		return nil, domain.UnknownCommand(command)
	}
}
