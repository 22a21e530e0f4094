package policies_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/policies"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/staff"
)

// someChanges are due whatever the time: a list may be wrong.
type someChanges []domain.ID

func (s someChanges) DueChanges(context.Context, time.Time, int) ([]domain.ID, error) { return s, nil }

// TestASaleBeginsAndEndsByItself: not before its times, and a list that is behind harms nothing.
func TestASaleBeginsAndEndsByItself(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	c := &changes.Changes{Handler: s.Handler, Fields: changes.All()}
	made, err := c.Propose(commands.WithOrigin(t.Context(), commands.Origin{Actor: "staff:a"}), changes.Proposal{
		Items:    []changes.Asked{{Thing: "product", ID: cream.String(), Field: "discount", Now: json.RawMessage("10")}},
		StartsAt: testshop.Noon.Add(time.Hour), EndsAt: testshop.Noon.Add(2 * time.Hour), May: func(staff.Permission) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	policy := policies.ApplyChanges{Changes: c, Due: someChanges{{15: 1}, made.ID, made.ID}}
	for hour, want := range []string{"planned 9000", "running 8100", "ended 9000", "ended 9000"} {
		if err := policy.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		p, err := commands.See(t.Context(), s.Handler, commands.ProductStream(cream))
		if err != nil {
			t.Fatal(err)
		}
		state, err := c.Show(t.Context(), made.ID)
		if got := fmt.Sprintf("%s %d", state.Status, p.DiscountedPrice); err != nil || got != want {
			t.Errorf("after %d hours: %s, want %s (%v)", hour, got, want, err)
		}
		s.Clock.Advance(time.Hour)
	}
	if state, _ := c.Show(t.Context(), made.ID); state.Status != change.StatusEnded {
		t.Errorf("the sale is %s", state.Status)
	}
}
