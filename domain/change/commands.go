package change

import (
	"time"

	"shop/domain"
)

// Command asks a change to go on.
//
//sumtype:decl
type Command interface{ isCommand() }

// Propose makes a change. Its fields are those of [Proposed].
type Propose struct {
	ID               domain.ID
	Title, Reason    string
	By               string
	Items            []Item
	Needs            []string
	Because          []Need
	StartsAt, EndsAt time.Time
	Undoes, Report   domain.ID
	At               time.Time
}

// Approve lets a change be applied that waits for a second person. Override is an administrator's reason to do without.
type Approve struct {
	By       string
	Override string
	At       time.Time
}

// Reject says no to a change that waits for a second person.
type Reject struct {
	By, Reason string
	At         time.Time
}

// Cancel ends a change that was not applied yet.
type Cancel struct {
	By, Reason string
	At         time.Time
}

// Apply records what became of the next items; the last of them end the applying.
type Apply struct {
	Results []Result
	At      time.Time
}

// End records what became of the next items once the change's time is over.
type End struct {
	Results []Result
	At      time.Time
}

// Undo records that another change took it back.
type Undo struct {
	By domain.ID
	At time.Time
}

func (Propose) isCommand() {}
func (Approve) isCommand() {}
func (Reject) isCommand()  {}
func (Cancel) isCommand()  {}
func (Apply) isCommand()   {}
func (End) isCommand()     {}
func (Undo) isCommand()    {}
