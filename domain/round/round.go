package round

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
)

// maxNote is in characters, maxStops counts the orders of a round.
const (
	maxNote  = 500
	maxStops = 300
)

// Refusals of what is done with a round.
var (
	ErrBadStops  = domain.Refuse("round/bad-stops", "Список остановок повторяется или слишком длинный")
	ErrBadSum    = domain.Refuse("round/bad-sum", "Сумма не может быть меньше нуля")
	ErrNeedsNote = domain.Refuse("round/needs-note", "Сумма не сходится: напишите почему")
	ErrLongNote  = domain.Refuse("round/long-note", "Заметка длиннее 500 знаков")
	ErrBadDay    = domain.Refuse("round/bad-day", "День в виде ГГГГ-ММ-ДД")
	// ErrNothingShort: the cash of the day is all there, or nobody counted it yet.
	ErrNothingShort = domain.Refuse("round/nothing-short", "За этот день всё сдано или ещё ничего не считали")
	// ErrNeedsReason: what is short is let go with a reason only.
	ErrNeedsReason = domain.Refuse("round/needs-reason", "Напишите, почему недостача закрыта")
)

// Stream names the round of a courier and a day, YYYY-MM-DD in Almaty.
func Stream(courier domain.ID, day string) string { return "round-" + courier.String() + "/" + day }

// Event is a fact about a round.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Sorted set the order of the stops. Orders that it does not name come last.
type Sorted struct {
	Courier domain.ID   `json:"courier"`
	Day     string      `json:"day"`
	Orders  []domain.ID `json:"orders"`
	At      time.Time   `json:"at"`
}

// Settled says what cash a courier handed in; a later one replaces it.
type Settled struct {
	Courier domain.ID `json:"courier"`
	Day     string    `json:"day"`
	// Expected is the cash of the delivered orders at that moment, HandedIn what was counted.
	Expected domain.Money `json:"expected"`
	HandedIn domain.Money `json:"handed_in"`
	Note     string       `json:"note,omitempty"`
	At       time.Time    `json:"at"`
}

// ShortClosed says that what was short of a day is not waited for any more. Cash that is handed in later opens the day again.
type ShortClosed struct {
	Courier domain.ID    `json:"courier"`
	Day     string       `json:"day"`
	Short   domain.Money `json:"short"`
	Reason  string       `json:"reason"`
	At      time.Time    `json:"at"`
}

func (Sorted) EventType() string      { return "round.sorted" }
func (Settled) EventType() string     { return "round.settled" }
func (ShortClosed) EventType() string { return "round.short-closed" }
func (Sorted) isEvent()               {}
func (Settled) isEvent()              {}
func (ShortClosed) isEvent()          {}

// Command asks a round to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Sort sets the order of the stops. Repeating it adds nothing.
type Sort struct {
	Courier domain.ID
	Day     string
	Orders  []domain.ID
	At      time.Time
}

// Settle records the cash handed in. A difference needs a note. Repeating it adds nothing.
type Settle struct {
	Courier            domain.ID
	Day                string
	Expected, HandedIn domain.Money
	Note               string
	At                 time.Time
}

// CloseShort lets go what is short of a day, with a reason. Expected is the cash of the day at this moment. Repeating it adds nothing.
type CloseShort struct {
	Courier  domain.ID
	Day      string
	Expected domain.Money
	Reason   string
	At       time.Time
}

func (Sort) isCommand()       {}
func (Settle) isCommand()     {}
func (CloseShort) isCommand() {}

// State is the present state of a round. The zero value is neither sorted nor settled.
type State struct {
	Orders  []domain.ID
	Settled Settled
	// Closed is zero unless what was short is waited for no more.
	Closed ShortClosed
}

// Decider is a round.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Sort:
		sorted := slices.SortedFunc(slices.Values(c.Orders), func(a, b domain.ID) int { return strings.Compare(a.String(), b.String()) })
		switch {
		case !isDay(c.Day):
			return nil, ErrBadDay
		case len(c.Orders) > maxStops, len(slices.Compact(sorted)) != len(c.Orders):
			return nil, ErrBadStops
		case slices.Equal(c.Orders, s.Orders):
			return nil, nil
		}
		return []Event{Sorted(c)}, nil
	case Settle:
		c.Note = strings.TrimSpace(c.Note)
		last := s.Settled
		switch {
		case !isDay(c.Day):
			return nil, ErrBadDay
		case c.HandedIn < 0 || c.Expected < 0:
			return nil, ErrBadSum
		case utf8.RuneCountInString(c.Note) > maxNote:
			return nil, ErrLongNote
		case c.HandedIn != c.Expected && c.Note == "":
			return nil, ErrNeedsNote
		case !last.At.IsZero() && last.Expected == c.Expected && last.HandedIn == c.HandedIn && last.Note == c.Note:
			return nil, nil
		}
		return []Event{Settled(c)}, nil
	case CloseShort:
		return closeShort(c, s)
	}
	return nil, domain.UnknownCommand(command)
}

func closeShort(c CloseShort, s State) ([]Event, error) {
	c.Reason = strings.TrimSpace(c.Reason)
	short := c.Expected - s.Settled.HandedIn
	switch {
	case !isDay(c.Day):
		return nil, ErrBadDay
	case s.Settled.At.IsZero() || short <= 0:
		return nil, ErrNothingShort
	case c.Reason == "":
		return nil, ErrNeedsReason
	case utf8.RuneCountInString(c.Reason) > maxNote:
		return nil, ErrLongNote
	case s.Closed.Short == short:
		return nil, nil
	}
	return []Event{ShortClosed{Courier: c.Courier, Day: c.Day, Short: short, Reason: c.Reason, At: c.At}}, nil
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Sorted:
		s.Orders = e.Orders
	case Settled:
		s.Settled, s.Closed = e, ShortClosed{}
	case ShortClosed:
		s.Closed = e
	}
	return s
}

func isDay(day string) bool {
	_, err := time.Parse(time.DateOnly, day)
	return err == nil
}
