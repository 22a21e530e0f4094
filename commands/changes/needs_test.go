package changes_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"shop/commands"
	"shop/commands/changes"
	"shop/domain/change"
	"shop/domain/rules"
)

// TestWhichChangesNeedASecondPerson: by the rules as they were before the change; the proposer is none, an administrator's reason stays.
func TestWhichChangesNeedASecondPerson(t *testing.T) {
	t.Parallel()
	d := open(t)
	cream, soap := d.Product(10_000, 10_000, 10), d.Product(5_000, 5_000, 10)
	d.must(proposal(asked("product", cream, "cost", "", "6000")))
	terms := rules.Default()
	terms.ApprovalPriceCut, terms.ApprovalProducts, terms.ApprovalBelowCost, terms.ApprovalRules = 50, 1, true, true
	if _, err := (&commands.Rules{Handler: d.Shop.Handler}).Change(t.Context(), terms, 0); err != nil {
		t.Fatal(err)
	}
	price := func(id any, to string) changes.Asked { return asked("product", id, "discounted_price", "", to) }
	for _, test := range []struct {
		name, want string
		items      []changes.Asked
	}{
		{"a cut of the half", "[]", []changes.Asked{price(soap, "2500")}},
		{"a cut of more", "[price-cut]", []changes.Asked{price(soap, "2499")}},
		{"to the cost", "[]", []changes.Asked{price(cream, "6000")}},
		{"below cost", "[below-cost]", []changes.Asked{price(cream, "5999")}},
		{"below cost, whose cost the change lowers", "[]", []changes.Asked{price(cream, "5999"), asked("product", cream, "cost", "", "5000")}},
		{"two products", "[many]", []changes.Asked{asked("product", cream, "shelf", "", `"A"`), asked("stock", soap, "on_hand", "", "3")}},
		{"two fields of one", "[]", []changes.Asked{asked("product", cream, "shelf", "", `"A"`), asked("stock", cream, "on_hand", "", "3")}},
		{"rules", "[rules]", []changes.Asked{asked("rules", rules.Stream, "new_days", "", "9")}},
		{"the rule itself", "[rules]", []changes.Asked{asked("rules", rules.Stream, "approval_rules", "", "false")}},
		{"all of it", "[price-cut many below-cost rules]", []changes.Asked{price(cream, "10"), price(soap, "4999"), asked("rules", rules.Stream, "new_days", "", "9")}},
	} {
		dry, err := d.DryRun(as(t, "staff:a"), proposal(test.items...))
		if got := fmt.Sprint(dry.Needs); err != nil || got != test.want {
			t.Errorf("%s: needs %s, want %s (%v)", test.name, got, test.want, err)
		}
	}
	dry, err := d.DryRun(as(t, "staff:a"), proposal(price(cream, "4990"), price(soap, "1700")))
	want := fmt.Sprintf("[{price-cut 66 50 product %s} {many 2 1  } {below-cost 4990 0 product %s}]", soap, cream)
	if got := fmt.Sprint(dry.Because); err != nil || got != want {
		t.Errorf("it is because %s, want %s (%v)", got, want, err)
	}
	made := d.must(proposal(price(soap, "2000")))
	if s, err := d.Show(t.Context(), made.ID); err != nil || fmt.Sprint(s.Because) != fmt.Sprintf("[{price-cut 60 50 product %s}]", soap) {
		t.Errorf("the change keeps %v (%v)", s.Because, err)
	}
	d.wants(soap, "5000/5000")
	if _, err := d.Approve(as(t, "staff:a"), made.ID, ""); !errors.Is(err, change.ErrOwn) {
		t.Errorf("the proposer approves: %v", err)
	}
	if _, err := d.Approve(as(t, "staff:a"), made.ID, "the season ends"); err != nil {
		t.Fatal(err)
	}
	d.wants(soap, "5000/2000")
	events, err := d.Log.Stream(t.Context(), change.Stream(made.ID), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, e := range events {
		if a, ok := e.Data.(change.Approved); ok {
			said = append(said, a.By+" "+a.Override)
		}
	}
	if strings.Join(said, ",") != "staff:a the season ends" {
		t.Errorf("the history says %q", said)
	}
}
