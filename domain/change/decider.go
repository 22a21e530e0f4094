package change

import (
	"iter"
	"slices"
	"time"

	"shop/domain"
)

// Bounds of a change.
const (
	// MaxItems is how many items a change may have.
	MaxItems = 20_000
	// listed is how many items are in one event.
	listed    = 500
	maxTitle  = 200
	maxReason = 1_000
	// farthest is how far ahead a change may be planned.
	farthest = 2 * 366 * 24 * time.Hour
)

// Refusals of a change. Staff meet them, not shoppers.
var (
	ErrUnknown = domain.Refuse("change/unknown", "There is no such change.")
	ErrKnown   = domain.Refuse("change/known", "The change is known already.")
	ErrNoItems = domain.Refuse("change/no-items", "A change has 1 to 20000 items.")
	ErrText    = domain.Refuse("change/text", "A title may have 200 characters, a reason 1000.")
	ErrPast    = domain.Refuse("change/past", "A change begins in the future, at most two years ahead.")
	ErrEnd     = domain.Refuse("change/end", "A change ends in the future and after it begins, at most two years ahead.")
	// ErrWaits: it cannot be applied before somebody approved it.
	ErrWaits = domain.Refuse("change/waits", "The change waits for a second person.")
	// ErrOwn: who proposed a change is not the second person.
	ErrOwn      = domain.Refuse("change/own", "Somebody else has to approve the change.")
	ErrNoReason = domain.Refuse("change/no-reason", "Say why.")
	// ErrSettled: nobody has to approve or can reject it any more.
	ErrSettled = domain.Refuse("change/settled", "The change does not wait for approval.")
	// ErrBegun: it is too late to cancel.
	ErrBegun    = domain.Refuse("change/begun", "The change was applied already, or is over: undo it.")
	ErrTooEarly = domain.Refuse("change/too-early", "The time of the change has not come.")
	ErrOver     = domain.Refuse("change/over", "The change is over.")
	// ErrNoPreview: nothing of it is still to come.
	ErrNoPreview  = domain.Refuse("change/no-preview", "The change was applied already, or is over: there is nothing to preview.")
	ErrNotApplied = domain.Refuse("change/not-applied", "The change was not applied.")
	ErrUndone     = domain.Refuse("change/undone", "The change was undone already.")
	// ErrAllBack: its end put back everything, so nothing is left to undo.
	ErrAllBack = domain.Refuse("change/all-back", "The change has ended, and all that it set is back as it was.")
	ErrResults = domain.Refuse("change/results", "There are more results than items.")
)

// Status is where a change stands.
type Status string

const (
	// Waiting for a second person; Planned: it may be applied, when its time comes.
	Waiting Status = "waiting"
	Planned Status = "planned"
	// Applying: some items have their results, not all.
	Applying Status = "applying"
	// StatusApplied: it stays so. Running: it stays so until it ends.
	StatusApplied Status = "applied"
	Running       Status = "running"
	// Ending: some items are back as they were, not all.
	Ending          Status = "ending"
	StatusEnded     Status = "ended"
	StatusUndone    Status = "undone"
	StatusRejected  Status = "rejected"
	StatusCancelled Status = "cancelled"
)

// Draft as the one need of a change: nobody has to approve it, and it is applied when whoever proposed it has looked at it.
const Draft = "draft"

// Statuses are all there are.
var Statuses = []Status{Waiting, Planned, Applying, StatusApplied, Running, Ending, StatusEnded, StatusUndone, StatusRejected, StatusCancelled}

// State is a change as it stands. The zero value was never proposed.
type State struct {
	Proposed
	// List are its items; Applied and Ended the results that they have so far, in their order.
	List    []Item
	Applied []Result
	Ended   []Result
	Status  Status
	// AppliedAt is when the last of the items got its result; zero: none has one.
	AppliedAt time.Time
	UndoneBy  domain.ID
	// Effects are the last ones that somebody was shown before it was decided, one for each span of days; Measured counts all.
	Effects  []EffectMeasured
	Measured int
}

// Exists says whether the change was ever proposed.
func (s State) Exists() bool { return s.ID != domain.ID{} }

// ToApply are the next items to apply, at most n; ToEnd those to put back.
func (s State) ToApply(n int) []Item { return next(s.List, len(s.Applied), n) }
func (s State) ToEnd(n int) []Item   { return next(s.List, len(s.Ended), n) }

func next(items []Item, from, n int) []Item {
	return items[min(from, len(items)):min(from+n, len(items))]
}

// IsDraft says whether the change waits for nobody but whoever proposed it.
func (s State) IsDraft() bool { return s.Status == Waiting && len(s.Needs) == 1 && s.Needs[0] == Draft }

// IsPending says whether some of the change may still be applied.
func (s State) IsPending() bool {
	return s.Status == Waiting || s.Status == Planned || s.Status == Applying
}

// InForce says whether item n is not back as it was before the change, as far as the change knows: its end did not put it back, or has
// not come.
func (s State) InForce(n int) bool {
	return n < len(s.Applied) && s.Applied[n].Outcome == Done && (n >= len(s.Ended) || s.leftByEnd(n))
}

// leftByEnd says whether the end of the change left item n as it found it. What was so already is back too.
func (s State) leftByEnd(n int) bool {
	return s.Ended[n].Outcome == Conflict || s.Ended[n].Outcome == Refused
}

// ChangedSince says whether the end of the change found item n changed by somebody, and left it.
func (s State) ChangedSince(n int) bool { return n < len(s.Ended) && s.Ended[n].Outcome == Conflict }

// Decider is a change.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	if c, isPropose := command.(Propose); isPropose {
		return c.decide(s)
	}
	if !s.Exists() {
		return nil, ErrUnknown
	}
	switch c := command.(type) {
	case Approve:
		switch {
		case s.Status != Waiting:
			return nil, ErrSettled
		case c.Override == "" && c.By == s.By:
			return nil, ErrOwn
		case !domain.TextFits(c.Override, maxReason):
			return nil, ErrText
		}
		return []Event{Approved(c)}, nil

	case Reject:
		switch {
		case s.Status != Waiting:
			return nil, ErrSettled
		case c.Reason == "":
			return nil, ErrNoReason
		case !domain.TextFits(c.Reason, maxReason):
			return nil, ErrText
		}
		return []Event{Rejected(c)}, nil

	case Cancel:
		switch {
		case s.Status == StatusCancelled:
			return nil, nil
		case s.Status != Waiting && s.Status != Planned:
			return nil, ErrBegun
		case !domain.TextFits(c.Reason, maxReason):
			return nil, ErrText
		}
		return []Event{Cancelled(c)}, nil

	case Apply:
		return c.decide(s)

	case End:
		return c.decide(s)

	case Measure:
		return c.decide(s)

	case Undo:
		return c.decide(s)

	default:
		return nil, domain.UnknownCommand(command)
	}
}

func (c Propose) decide(s State) ([]Event, error) {
	switch {
	case s.Exists():
		return nil, ErrKnown
	case len(c.Items) == 0 || len(c.Items) > MaxItems:
		return nil, ErrNoItems
	case !domain.TextFits(c.Title, maxTitle) || !domain.TextFits(c.Reason, maxReason):
		return nil, ErrText
	case !c.StartsAt.IsZero() && (!c.StartsAt.After(c.At) || c.StartsAt.After(c.At.Add(farthest))):
		return nil, ErrPast
	case !c.EndsAt.IsZero() && (!c.EndsAt.After(c.At) || !c.EndsAt.After(c.StartsAt) || c.EndsAt.After(c.At.Add(farthest))):
		return nil, ErrEnd
	}
	events := []Event{Proposed{
		ID: c.ID, Title: c.Title, Reason: c.Reason, By: c.By, Items: len(c.Items), Needs: c.Needs, Because: c.Because, StartsAt: c.StartsAt, EndsAt: c.EndsAt,
		Undoes: c.Undoes, Report: c.Report, At: c.At,
	}}
	first := 0
	for items := range slices.Chunk(c.Items, listed) {
		events = append(events, ItemsListed{First: first, Items: items, At: c.At})
		first += len(items)
	}
	return events, nil
}

func (c Apply) decide(s State) ([]Event, error) {
	switch s.Status {
	case Waiting:
		if !s.IsDraft() {
			return nil, ErrWaits
		}
	case Planned:
		if s.StartsAt.After(c.At) {
			return nil, ErrTooEarly
		}
	case Applying:
	default:
		return nil, ErrOver
	}
	return s.recorded(len(s.Applied), c.Results, func(first int, results []Result) Event {
		return ItemsApplied{First: first, Results: results, At: c.At}
	}, Applied{At: c.At})
}

func (c End) decide(s State) ([]Event, error) {
	switch {
	case s.Status != Running && s.Status != Ending:
		return nil, ErrOver
	case s.EndsAt.After(c.At):
		return nil, ErrTooEarly
	}
	return s.recorded(len(s.Ended), c.Results, func(first int, results []Result) Event {
		return ItemsEnded{First: first, Results: results, At: c.At}
	}, Ended{At: c.At})
}

func (c Undo) decide(s State) ([]Event, error) {
	switch s.Status {
	case StatusUndone:
		return nil, ErrUndone
	case Applying, StatusApplied, Running, Ending:
		return []Event{Undone(c)}, nil
	case StatusEnded:
		for n := range s.List {
			if s.InForce(n) {
				return []Event{Undone(c)}, nil
			}
		}
		return nil, ErrAllBack
	default:
		return nil, ErrNotApplied
	}
}

// recorded lists results of the items that follow the first known ones, and ends with whole once every item has one.
func (s State) recorded(known int, results []Result, listed func(first int, results []Result) Event, whole Event) ([]Event, error) {
	left := len(s.List) - known
	if len(results) > left {
		return nil, ErrResults
	}
	var events []Event
	for first, part := range parts(known, results) {
		events = append(events, listed(first, part))
	}
	if len(results) == left {
		events = append(events, whole)
	}
	return events, nil
}

// parts are results as events list them, each with the number of its first item.
func parts(first int, results []Result) iter.Seq2[int, []Result] {
	return func(yield func(int, []Result) bool) {
		for part := range slices.Chunk(results, listed) {
			if !yield(first, part) {
				return
			}
			first += len(part)
		}
	}
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Proposed:
		s = State{Proposed: e, Status: Planned}
		if len(e.Needs) > 0 {
			s.Status = Waiting
		}
	case ItemsListed:
		s.List = slices.Concat(s.List, e.Items) // a new list: states share nothing that changes
	case Approved:
		s.Status = Planned
	case Rejected:
		s.Status = StatusRejected
	case Cancelled:
		s.Status = StatusCancelled
	case ItemsApplied:
		s.Status, s.Applied, s.AppliedAt = Applying, slices.Concat(s.Applied, e.Results), e.At
	case Applied:
		s.Status = StatusApplied
		if !s.EndsAt.IsZero() {
			s.Status = Running
		}
	case ItemsEnded:
		s.Status, s.Ended = Ending, slices.Concat(s.Ended, e.Results)
	case Ended:
		s.Status = StatusEnded
	case Undone:
		s.Status, s.UndoneBy = StatusUndone, e.By
	case EffectMeasured:
		s = s.measured(e)
	default: // State is none, it only holds one
	}
	return s
}
