package main

import (
	"strings"
	"testing"

	"shop/domain/staff"
)

// TestTheOfficeHearsWhatChanges: two people look at once, each hears of their own; who gets another role hears no more.
func TestTheOfficeHearsWhatChanges(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.project()
	a := d.air()
	// Signed in before: it is an event itself.
	d.as(staff.Support)
	d.as(staff.Catalog)
	open := func(role staff.Role) *listener {
		t.Helper()
		l, status := a.listenTo(role, "/api/staff/live/")
		if status != 200 {
			t.Fatalf("answered %d", status)
		}
		return l
	}
	support, keeper := open(staff.Support), open(staff.Catalog)
	until(t, "both listen", func() bool { return d.site.Live.Open() == 2 })

	// The hub looks from where the first client came, so what is planted is planted until it was heard.
	said := func(l *listener, topic string) {
		t.Helper()
		for {
			d.plant("review-x", "review.posted", `{}`)
			d.plant("stock-x", "stock.received", `{"quantity":1}`)
			select {
			case m, open := <-l.messages:
				if !open {
					t.Fatalf("the stream ended before %s", topic)
				}
				if m.kind != "changed" || !strings.Contains(m.data, topic) || !strings.Contains(m.data, `"position":`) {
					t.Errorf("%s %s", m.kind, m.data)
				}
				return
			default:
			}
		}
	}
	said(support, `"reviews"`)
	said(keeper, `"stock"`)
	if m := keeper.next("changed", nil); strings.Contains(m.data, "reviews") {
		t.Errorf("the catalog's keeper hears %s", m.data)
	}
	if err := d.team().ChangeRole(t.Context(), "support@shop.example", staff.Content); err != nil {
		t.Fatal(err)
	}
	support.over("getting another role")
	if w := d.ask("GET", "/api/staff/live/", ""); w.Code != 401 {
		t.Errorf("signed out: %d", w.Code)
	}
}
