package change_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/change"
	"shop/domain/spec"
)

var (
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	id   = domain.ID{15: 1}
	two  = []change.Item{item("1", "100", "80"), item("2", "50", "40")}
)

func item(id, was, now string) change.Item {
	return change.Item{Thing: "product", ID: id, Field: "price", Was: json.RawMessage(was), Now: json.RawMessage(now)}
}

func propose(with func(*change.Propose)) change.Propose {
	c := change.Propose{ID: id, Title: "Sale", By: "staff:a", Items: two, At: noon}
	with(&c)
	return c
}

func proposed(with func(*change.Proposed)) change.Proposed {
	e := change.Proposed{ID: id, Title: "Sale", By: "staff:a", Items: 2, At: noon}
	with(&e)
	return e
}

func asIs[T any](*T) {}

func waits(p *change.Proposed) { p.Needs = []string{"price-cut"} }
func later(p *change.Proposed) { p.StartsAt, p.EndsAt = noon.Add(time.Hour), noon.Add(2*time.Hour) }
func brief(p *change.Proposed) { p.EndsAt = noon.Add(2 * time.Hour) }

var listed = change.ItemsListed{Items: two, At: noon}

func results(outcomes ...change.Outcome) (all []change.Result) {
	for _, o := range outcomes {
		all = append(all, change.Result{Outcome: o})
	}
	return all
}

func TestPropose(t *testing.T) {
	t.Parallel()
	c := spec.For(t, change.Decider)
	c.When(propose(asIs)).Then(proposed(asIs), listed)
	c.Given(proposed(asIs), listed).When(propose(asIs)).Refused(change.ErrKnown)
	c.When(propose(func(c *change.Propose) { c.Items = nil })).Refused(change.ErrNoItems)
	c.When(propose(func(c *change.Propose) { c.Items = make([]change.Item, change.MaxItems+1) })).Refused(change.ErrNoItems)
	c.When(propose(func(c *change.Propose) { c.Title = strings.Repeat("я", 201) })).Refused(change.ErrText)
	c.When(propose(func(c *change.Propose) { c.Reason = "\x00" })).Refused(change.ErrText)
	c.When(propose(func(c *change.Propose) { c.StartsAt = noon })).Refused(change.ErrPast)
	c.When(propose(func(c *change.Propose) { c.StartsAt = noon.AddDate(3, 0, 0) })).Refused(change.ErrPast)
	c.When(propose(func(c *change.Propose) { c.EndsAt = noon })).Refused(change.ErrEnd)
	c.When(propose(func(c *change.Propose) { c.StartsAt, c.EndsAt = noon.Add(2), noon.Add(2) })).Refused(change.ErrEnd)

	many := make([]change.Item, 1_001)
	for i := range many {
		many[i] = two[0]
	}
	c.When(propose(func(c *change.Propose) { c.Items = many })).Then(
		proposed(func(p *change.Proposed) { p.Items = 1_001 }), change.ItemsListed{Items: many[:500], At: noon},
		change.ItemsListed{First: 500, Items: many[:500], At: noon}, change.ItemsListed{First: 1_000, Items: many[:1], At: noon},
	)
	c.When(change.Apply{At: noon}).Refused(change.ErrUnknown)
}

func TestASecondPersonApproves(t *testing.T) {
	t.Parallel()
	c := spec.For(t, change.Decider)
	waiting := c.Given(proposed(waits), listed)
	approved := change.Approved{By: "staff:b", At: noon}
	waiting.When(change.Apply{Results: results(change.Done, change.Done), At: noon}).Refused(change.ErrWaits)
	waiting.When(change.Approve{By: "staff:a", At: noon}).Refused(change.ErrOwn)
	waiting.When(change.Approve{By: "staff:a", Override: "nobody is here", At: noon}).Then(change.Approved{By: "staff:a", Override: "nobody is here", At: noon})
	waiting.When(change.Approve{By: "staff:b", At: noon}).Then(approved)
	waiting.When(change.Reject{By: "staff:b", At: noon}).Refused(change.ErrNoReason)
	waiting.When(change.Reject{By: "staff:b", Reason: "no", At: noon}).Then(change.Rejected{By: "staff:b", Reason: "no", At: noon})
	waiting.Given(approved).When(change.Approve{By: "staff:c", At: noon}).Refused(change.ErrSettled)
	waiting.Given(approved).When(change.Apply{Results: results(change.Done, change.Done), At: noon}).
		Then(change.ItemsApplied{Results: results(change.Done, change.Done), At: noon}, change.Applied{At: noon})
	c.Given(proposed(asIs), listed).When(change.Approve{By: "staff:b", At: noon}).Refused(change.ErrSettled)
	waiting.Given(change.Rejected{By: "staff:b", Reason: "no", At: noon}).When(change.Apply{At: noon}).Refused(change.ErrOver)
}

// TestADraftIsAppliedByWhoeverProposedIt: it waits for no second person, unless something else needs one.
func TestADraftIsAppliedByWhoeverProposedIt(t *testing.T) {
	t.Parallel()
	c := spec.For(t, change.Decider)
	needs := func(needs ...string) func(*change.Proposed) {
		return func(p *change.Proposed) { p.Needs = needs }
	}
	both := results(change.Done, change.Done)
	draft := c.Given(proposed(needs(change.Draft)), listed)
	draft.When(change.Apply{Results: both, At: noon}).Then(change.ItemsApplied{Results: both, At: noon}, change.Applied{At: noon})
	draft.When(change.Approve{By: "staff:b", At: noon}).Then(change.Approved{By: "staff:b", At: noon})
	draft.When(change.Cancel{By: "staff:a", At: noon}).Then(change.Cancelled{By: "staff:a", At: noon})
	draft.Given(change.Cancelled{By: "staff:a", At: noon}).When(change.Apply{Results: both, At: noon}).Refused(change.ErrOver)
	c.Given(proposed(needs(change.Draft, "price-cut")), listed).When(change.Apply{Results: both, At: noon}).Refused(change.ErrWaits)
	c.Given(proposed(needs("price-cut")), listed).When(change.Apply{Results: both, At: noon}).Refused(change.ErrWaits)
}

func TestApplyInBatches(t *testing.T) {
	t.Parallel()
	c := spec.For(t, change.Decider).Given(proposed(asIs), listed)
	c.When(change.Apply{Results: results(change.Done), At: noon}).Then(change.ItemsApplied{Results: results(change.Done), At: noon})
	begun := c.Given(change.ItemsApplied{Results: results(change.Done), At: noon})
	begun.When(change.Cancel{By: "staff:a", At: noon}).Refused(change.ErrBegun)
	begun.When(change.Apply{Results: results(change.Conflict, change.Done), At: noon}).Refused(change.ErrResults)
	begun.When(change.Apply{Results: results(change.Conflict), At: noon}).
		Then(change.ItemsApplied{First: 1, Results: results(change.Conflict), At: noon}, change.Applied{At: noon})
	applied := begun.Given(change.ItemsApplied{First: 1, Results: results(change.Conflict), At: noon}, change.Applied{At: noon})
	applied.When(change.Apply{At: noon}).Refused(change.ErrOver)
	applied.When(change.End{At: noon}).Refused(change.ErrOver)
	if s := applied.State(); !s.InForce(0) || s.InForce(1) || s.Status != change.StatusApplied {
		t.Errorf("in force: %v %v, %s", s.InForce(0), s.InForce(1), s.Status)
	}
}

func TestAtATimeAndForAWhile(t *testing.T) {
	t.Parallel()
	c := spec.For(t, change.Decider)
	both := results(change.Done, change.Done)
	planned := c.Given(proposed(later), listed)
	planned.When(change.Apply{Results: both, At: noon}).Refused(change.ErrTooEarly)
	planned.When(change.Cancel{By: "staff:a", At: noon}).Then(change.Cancelled{By: "staff:a", At: noon})
	at := noon.Add(time.Hour)
	planned.When(change.Apply{Results: both, At: at}).Then(change.ItemsApplied{Results: both, At: at}, change.Applied{At: at})

	running := c.Given(proposed(brief), listed, change.ItemsApplied{Results: both, At: noon}, change.Applied{At: noon})
	running.When(change.End{Results: both, At: at}).Refused(change.ErrTooEarly)
	end := noon.Add(2 * time.Hour)
	running.When(change.End{Results: results(change.Done, change.Conflict), At: end}).
		Then(change.ItemsEnded{Results: results(change.Done, change.Conflict), At: end}, change.Ended{At: end})
	ended := running.Given(change.ItemsEnded{Results: results(change.Done, change.Conflict), At: end}, change.Ended{At: end})
	ended.When(change.End{At: end}).Refused(change.ErrOver)
	if s := ended.State(); s.InForce(0) || !s.InForce(1) || s.Status != change.StatusEnded {
		t.Errorf("in force: %v %v, %s", s.InForce(0), s.InForce(1), s.Status)
	}
}

// TestUndoOfAnEndedChange: it takes back what the end left, once; where the end put back everything, there is nothing to undo.
func TestUndoOfAnEndedChange(t *testing.T) {
	t.Parallel()
	end := noon.Add(2 * time.Hour)
	both := results(change.Done, change.Done)
	running := spec.For(t, change.Decider).Given(proposed(brief), listed, change.ItemsApplied{Results: both, At: noon}, change.Applied{At: noon})
	ended := func(outcomes ...change.Outcome) spec.Subject[change.Command, change.Event, change.State] {
		return running.Given(change.ItemsEnded{Results: results(outcomes...), At: end}, change.Ended{At: end})
	}
	by := change.Undo{By: domain.ID{15: 2}, At: end}
	undone := change.Undone(by)
	ended(change.Done, change.Conflict).When(by).Then(undone)
	ended(change.Refused, change.Done).When(by).Then(undone)
	ended(change.Done, change.Done).When(by).Refused(change.ErrAllBack)
	ended(change.Done, change.Same).When(by).Refused(change.ErrAllBack)
	ended(change.Done, change.Conflict).Given(undone).When(by).Refused(change.ErrUndone)
	if s := ended(change.Refused, change.Conflict).State(); s.ChangedSince(0) || !s.ChangedSince(1) {
		t.Errorf("changed since: %v %v", s.ChangedSince(0), s.ChangedSince(1))
	}
	if s := ended(change.Done, change.Conflict).Given(undone).State(); s.Status != change.StatusUndone || s.UndoneBy != by.By {
		t.Errorf("%s by %v", s.Status, s.UndoneBy)
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	c := spec.For(t, change.Decider)
	by := change.Undo{By: domain.ID{15: 2}, At: noon}
	c.Given(proposed(asIs), listed).When(by).Refused(change.ErrNotApplied)
	applied := c.Given(proposed(asIs), listed, change.ItemsApplied{Results: results(change.Done, change.Done), At: noon}, change.Applied{At: noon})
	applied.When(by).Then(change.Undone{By: by.By, At: noon})
	undone := applied.Given(change.Undone{By: by.By, At: noon})
	undone.When(by).Refused(change.ErrUndone)
	undone.When(change.Apply{At: noon}).Refused(change.ErrOver)
}
