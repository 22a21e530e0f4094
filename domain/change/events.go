package change

import (
	"encoding/json"
	"time"

	"shop/domain"
)

// Stream names the stream of a change.
func Stream(id domain.ID) string { return "change-" + id.String() }

// Item is one field of one thing, such as the price of a product: what it was and what it is to be, as JSON. null is what is not
// there.
type Item struct {
	Thing string          `json:"thing"`
	ID    string          `json:"id"`
	Field string          `json:"field"`
	Was   json.RawMessage `json:"was"`
	Now   json.RawMessage `json:"now"`
}

// Outcome is what became of an item.
type Outcome string

const (
	// Done: it is as wanted, by this change. Same: it was so already.
	Done Outcome = "done"
	Same Outcome = "same"
	// Conflict: somebody changed it since, so it was left. Refused: a rule of the shop forbids it.
	Conflict Outcome = "conflict"
	Refused  Outcome = "refused"
)

// Result is an item's outcome. Found is the value that was in the way of a conflict; Code and Detail are the refusal.
type Result struct {
	Outcome Outcome         `json:"outcome"`
	Found   json.RawMessage `json:"found,omitempty"`
	Code    string          `json:"code,omitempty"`
	Detail  string          `json:"detail,omitempty"`
}

// Event is a fact about a change.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Proposed says who wants to change something, why and when; its items are listed after it.
type Proposed struct {
	ID     domain.ID `json:"id"`
	Title  string    `json:"title"`
	Reason string    `json:"reason"`
	// By is the actor, such as staff:<id>.
	By string `json:"by"`
	// Items is how many there are.
	Items int `json:"items"`
	// Needs are why a second person has to approve it; none: nobody has to.
	Needs []string `json:"needs,omitempty"`
	// Because says of those needs that are a rule how far the change goes beyond it.
	Because []Need `json:"because,omitempty"`
	// StartsAt is when it is to be applied, zero: at once. EndsAt is when what was before comes back, zero: it stays.
	StartsAt time.Time `json:"starts_at,omitzero"`
	EndsAt   time.Time `json:"ends_at,omitzero"`
	// Undoes is the change that this one takes back; zero: none.
	Undoes domain.ID `json:"undoes,omitzero"`
	// Report is the what-if run that speaks for it; zero: none.
	Report domain.ID `json:"report,omitzero"`
	At     time.Time `json:"at"`
}

// Need is a rule that asks for a second person, as it was when the change was proposed.
type Need struct {
	// Rule is one of the change's needs.
	Rule string `json:"rule"`
	// Found is what the change does, Bound what one person may do: percents of a price, or products. Found is a price in tenge where that is
	// below cost, and Bound zero: a cost is for few to see.
	Found int64 `json:"found"`
	Bound int64 `json:"bound"`
	// Thing and ID are the one that goes furthest; empty: it is all of them.
	Thing string `json:"thing,omitempty"`
	ID    string `json:"id,omitempty"`
}

// ItemsListed are items of the change from the First on, counted from 0.
type ItemsListed struct {
	First int       `json:"first"`
	Items []Item    `json:"items"`
	At    time.Time `json:"at"`
}

// Approved let it be applied. Override is why the proposer, or an administrator alone, did that.
type Approved struct {
	By       string    `json:"by"`
	Override string    `json:"override,omitempty"`
	At       time.Time `json:"at"`
}

// Rejected ended it: a second person said no. Cancelled ended it: it is not wanted any more.
type Rejected struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}
type Cancelled struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// ItemsApplied is what became of items from the First on. Events of the things themselves are in the same append.
type ItemsApplied struct {
	First   int       `json:"first"`
	Results []Result  `json:"results"`
	At      time.Time `json:"at"`
}

// Applied is the end of applying: every item has its result.
type Applied struct {
	At time.Time `json:"at"`
}

// ItemsEnded is what became of items from the First on when the change's time was over: done is back as it was.
type ItemsEnded struct {
	First   int       `json:"first"`
	Results []Result  `json:"results"`
	At      time.Time `json:"at"`
}

// Ended is the end of a change that was for a while.
type Ended struct {
	At time.Time `json:"at"`
}

// Undone says which later change took it back, as far as nobody had changed it since.
type Undone struct {
	By domain.ID `json:"by"`
	At time.Time `json:"at"`
}

func (Proposed) EventType() string     { return "change.proposed" }
func (ItemsListed) EventType() string  { return "change.items-listed" }
func (Approved) EventType() string     { return "change.approved" }
func (Rejected) EventType() string     { return "change.rejected" }
func (Cancelled) EventType() string    { return "change.cancelled" }
func (ItemsApplied) EventType() string { return "change.items-applied" }
func (Applied) EventType() string      { return "change.applied" }
func (ItemsEnded) EventType() string   { return "change.items-ended" }
func (Ended) EventType() string        { return "change.ended" }
func (Undone) EventType() string       { return "change.undone" }

func (Proposed) isEvent()     {}
func (ItemsListed) isEvent()  {}
func (Approved) isEvent()     {}
func (Rejected) isEvent()     {}
func (Cancelled) isEvent()    {}
func (ItemsApplied) isEvent() {}
func (Applied) isEvent()      {}
func (ItemsEnded) isEvent()   {}
func (Ended) isEvent()        {}
func (Undone) isEvent()       {}
