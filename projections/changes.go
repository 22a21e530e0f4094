package projections

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"shop/domain"
	"shop/domain/change"
	"shop/eventstore"
)

// Changes is what staff changed of the shop, plan to change, and took back.
func Changes() Projection {
	return Projection{Name: "changes", Version: 1, Tables: []AnyTable{changes, changeItems}}
}

// Change is a row of changes.change.
type Change struct {
	ID         domain.ID     `json:"id"`
	Title      string        `json:"title"`
	Reason     string        `json:"reason"`
	ProposedBy string        `json:"proposed_by"`
	ProposedAt time.Time     `json:"proposed_at"`
	Items      int           `json:"items" sql:"int"`
	Status     change.Status `json:"status"`
	// Needs are why it needs a second person, Things the sorts of things that it is about.
	Needs    []string   `json:"needs"`
	Things   []string   `json:"things"`
	StartsAt *time.Time `json:"starts_at"`
	EndsAt   *time.Time `json:"ends_at"`
	Undoes   domain.ID  `json:"undoes"`
	UndoneBy domain.ID  `json:"undone_by"`
	Report   domain.ID  `json:"report"`
	// DecidedBy approved, rejected or cancelled it; Override: alone.
	DecidedBy      string     `json:"decided_by"`
	DecidedAt      *time.Time `json:"decided_at"`
	DecisionReason string     `json:"decision_reason"`
	Override       bool       `json:"override"`
	// Done, Conflicts and Refused count items by what became of them, PutBack and Kept those of a change that ended.
	Done      int        `json:"done" sql:"int"`
	Conflicts int        `json:"conflicts" sql:"int"`
	Refused   int        `json:"refused" sql:"int"`
	PutBack   int        `json:"put_back" sql:"int"`
	Kept      int        `json:"kept" sql:"int"`
	AppliedAt *time.Time `json:"applied_at"`
	EndedAt   *time.Time `json:"ended_at"`
	// DueAt is when somebody has to go on with it.
	DueAt *time.Time `json:"due_at"`
}

// resume is how long whoever applies a change is left alone with it.
const resume = 30 * time.Second

var changes = Table[Change]{
	Name: "change", Key: "id", KeyType: "uuid",
	DDL: createTable[Change]("change", "id"),
	Indexes: `CREATE INDEX change_by_person ON change (proposed_by, id);
		CREATE INDEX change_by_status ON change (status, id);
		CREATE INDEX change_due ON change (due_at) WHERE due_at IS NOT NULL`,
	Events: changeEvents,
	Keys:   keyAfter("change-"), Stream: streamOf("change-"),
	Fold: func(_ string, c *Change, event eventstore.Event) bool {
		c.fold(event)
		return c.ID != domain.ID{}
	},
}

var changeEvents = []domain.Event{
	change.Proposed{}, change.ItemsListed{}, change.Approved{}, change.Rejected{}, change.Cancelled{}, change.ItemsApplied{}, change.Applied{},
	change.ItemsEnded{}, change.Ended{}, change.Undone{},
}

func (c *Change) fold(event eventstore.Event) {
	switch e := event.Data.(type) {
	case change.Proposed:
		*c = Change{
			ID: e.ID, Title: e.Title, Reason: e.Reason, ProposedBy: e.By, ProposedAt: e.At, Items: e.Items, Status: change.Planned,
			Needs: append([]string{}, e.Needs...), Things: []string{}, StartsAt: timeOrNil(e.StartsAt), EndsAt: timeOrNil(e.EndsAt),
			Undoes: e.Undoes, Report: e.Report,
		}
		if len(e.Needs) > 0 {
			c.Status = change.Waiting
		} else {
			c.plan(e.At)
		}
	case change.ItemsListed:
		things := slices.Clone(c.Things)
		for _, item := range e.Items {
			if !slices.Contains(things, item.Thing) {
				things = append(things, item.Thing)
			}
		}
		slices.Sort(things)
		c.Things = things
	case change.Approved:
		c.decided(change.Planned, e.By, e.Override, e.At)
		c.Override = e.Override != ""
		c.plan(e.At)
	case change.Rejected:
		c.decided(change.StatusRejected, e.By, e.Reason, e.At)
	case change.Cancelled:
		c.decided(change.StatusCancelled, e.By, e.Reason, e.At)
	case change.ItemsApplied:
		c.Status, c.DueAt = change.Applying, timeOrNil(e.At.Add(resume))
		c.Done += count(e.Results, change.Done)
		c.Conflicts += count(e.Results, change.Conflict)
		c.Refused += count(e.Results, change.Refused)
	case change.Applied:
		c.Status, c.AppliedAt, c.DueAt = change.StatusApplied, timeOrNil(e.At), nil
		if c.EndsAt != nil {
			c.Status, c.DueAt = change.Running, c.EndsAt
		}
	case change.ItemsEnded:
		c.Status, c.DueAt = change.Ending, timeOrNil(e.At.Add(resume))
		c.PutBack += count(e.Results, change.Done)
		c.Kept += count(e.Results, change.Conflict) + count(e.Results, change.Refused)
	case change.Ended:
		c.Status, c.EndedAt, c.DueAt = change.StatusEnded, timeOrNil(e.At), nil
	case change.Undone:
		c.Status, c.UndoneBy, c.DueAt = change.StatusUndone, e.By, nil
	}
}

// plan says when somebody has to apply it: whoever proposed or approved it does that at once where it has no time.
func (c *Change) plan(at time.Time) {
	if c.DueAt = c.StartsAt; c.DueAt == nil || c.DueAt.Before(at) {
		c.DueAt = timeOrNil(at.Add(resume))
	}
}

func (c *Change) decided(to change.Status, by, reason string, at time.Time) {
	c.Status, c.DecidedBy, c.DecisionReason, c.DecidedAt, c.DueAt = to, by, reason, timeOrNil(at), nil
}

func count(results []change.Result, outcome change.Outcome) (n int) {
	for _, r := range results {
		if r.Outcome == outcome {
			n++
		}
	}
	return n
}

// ChangeItem is a row of changes.item: what a change did to one field of one thing.
type ChangeItem struct {
	// ID is the change and N.
	ID     string          `json:"id"`
	Change domain.ID       `json:"change"`
	N      int             `json:"n"`
	Thing  string          `json:"thing"`
	Of     string          `json:"thing_id"`
	Field  string          `json:"field"`
	Was    json.RawMessage `json:"was"`
	Now    json.RawMessage `json:"now"`
	// Outcome is empty before it was applied, Ended before the change ended; Found is the value that was in the way.
	Outcome change.Outcome  `json:"outcome"`
	Ended   change.Outcome  `json:"ended"`
	Found   json.RawMessage `json:"found"`
	Code    string          `json:"code"`
	Detail  string          `json:"detail"`
}

var changeItems = Table[ChangeItem]{
	Name: "item", Key: "id", KeyType: "text",
	DDL: `CREATE TABLE item (
		id       text  PRIMARY KEY,
		change   uuid  NOT NULL,
		n        int   NOT NULL,
		thing    text  NOT NULL,
		thing_id text  NOT NULL,
		field    text  NOT NULL,
		was      jsonb,
		now      jsonb,
		outcome  text  NOT NULL,
		ended    text  NOT NULL,
		found    jsonb,
		code     text  NOT NULL,
		detail   text  NOT NULL
	)`,
	Indexes: `CREATE INDEX item_by_change ON item (change, n);
		CREATE INDEX item_by_thing ON item (thing_id, thing, change)`,
	Events: []domain.Event{change.ItemsListed{}, change.ItemsApplied{}, change.ItemsEnded{}},
	Keys: func(event eventstore.Event) []string {
		id := strings.TrimPrefix(event.Stream, "change-")
		first, n := spanOf(event.Data)
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("%s/%d", id, first+i)
		}
		return keys
	},
	Stream: func(key string) string {
		id, _, _ := strings.Cut(key, "/")
		return "change-" + id
	},
	Fold: func(key string, r *ChangeItem, event eventstore.Event) bool {
		id, number, _ := strings.Cut(key, "/")
		n, _ := strconv.Atoi(number)
		switch e := event.Data.(type) {
		case change.ItemsListed:
			item := e.Items[n-e.First]
			r.ID, r.N, r.Thing, r.Of, r.Field, r.Was, r.Now = key, n, item.Thing, item.ID, item.Field, item.Was, item.Now
			_ = r.Change.UnmarshalText([]byte(id)) // the stream's name was made of it
		case change.ItemsApplied:
			result := e.Results[n-e.First]
			r.Outcome, r.Found, r.Code, r.Detail = result.Outcome, result.Found, result.Code, result.Detail
		case change.ItemsEnded:
			result := e.Results[n-e.First]
			r.Ended = result.Outcome
			if result.Outcome == change.Conflict || result.Outcome == change.Refused {
				r.Found, r.Code, r.Detail = result.Found, result.Code, result.Detail
			}
		}
		return r.ID != ""
	},
}

// spanOf are the items that an event is about.
func spanOf(event any) (first, n int) {
	switch e := event.(type) {
	case change.ItemsListed:
		return e.First, len(e.Items)
	case change.ItemsApplied:
		return e.First, len(e.Results)
	case change.ItemsEnded:
		return e.First, len(e.Results)
	}
	return 0, 0
}
