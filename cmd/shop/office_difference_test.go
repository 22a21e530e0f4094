package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/domain/staff"
	reads "shop/readapi/staff"
)

// TestTwoMomentsAreCompared: prices, stock and texts, with the person and the change that made the difference; what went back is none.
func TestTwoMomentsAreCompared(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	p := d.program()
	cream, soap := p.stocked("MK-1", 9_000, 30), p.stocked("SO-77", 3_000, 30)
	manager, analyst := d.worker(staff.Manager), d.worker(staff.Analyst)
	set := func(field, was, now string, product any) changedThings {
		t.Helper()
		var made changedThings
		manager.ask(201, "POST", "/api/staff/changes/",
			fmt.Sprintf(`{"title":"x","items":[{"thing":"product","id":"%v","field":%q,"was":%s,"now":%s}]}`, product, field, was, now), &made)
		return made
	}
	var log struct{ Position int64 }
	if err := d.shop.Pool.QueryRow(t.Context(), "SELECT max(position) FROM eventstore.events").Scan(&log.Position); err != nil {
		t.Fatal(err)
	}
	before := log.Position
	compare := func(w worker, query string) (reads.Comparison, string) {
		t.Helper()
		var found reads.Comparison
		w.ask(200, "GET", "/api/staff/history/?"+query, "", &found)
		var told []string
		for _, one := range found.Products {
			for _, f := range one.Fields {
				told = append(told, fmt.Sprintf("%s %s %s→%s by %d", one.Article, f.Field, f.Was, f.Now, len(f.By)))
			}
		}
		return found, strings.Join(told, "; ")
	}
	first := set("price", "9000", "9500", cream)
	if err := d.shop.Pool.QueryRow(t.Context(), "SELECT max(position) FROM eventstore.events").Scan(&log.Position); err != nil {
		t.Fatal(err)
	}
	middle := log.Position
	second := set("price", "9500", "9900", cream)
	set("price", "3000", "3100", soap)
	set("price", "3100", "3000", soap) // as it was
	set("cost", "0", "5000", cream)
	set("shelf", `""`, `"A-01"`, soap)
	p.ok("stock", "adjust", "--article", "SO-77", "--on-hand", "28")

	found, told := compare(manager, fmt.Sprint("part=prices&from=", before))
	if told != `MK-1 prices {"discounted_price":9000,"price":9000}→{"discounted_price":9900,"price":9900} by 2; MK-1 cost 0→5000 by 1` || found.More {
		t.Fatalf("prices: %s %+v", told, found)
	}
	by := found.Products[0].Fields[0].By
	if *by[0].Change != first.ID || *by[1].Change != second.ID || by[1].Actor != "manager@shop.example" || by[0].Position >= by[1].Position {
		t.Errorf("who made them: %+v", by)
	}
	if _, told := compare(analyst, fmt.Sprint("part=prices&from=", before)); strings.Contains(told, "cost") {
		t.Errorf("the analyst sees costs: %s", told)
	}
	if _, told := compare(manager, fmt.Sprint("part=prices&from=", before, "&to=", middle)); !strings.Contains(told, `→{"discounted_price":9500,"price":9500} by 1`) {
		t.Errorf("up to the first change: %s", told)
	}
	if _, told := compare(manager, fmt.Sprint("part=catalog&from=", before)); told != `SO-77 shelf ""→"A-01" by 1` {
		t.Errorf("catalog: %s", told)
	}
	if _, told := compare(manager, fmt.Sprint("part=stock&from=", before)); told != "SO-77 on_hand 30→28 by 1" {
		t.Errorf("stock: %s", told)
	}
	now := d.shop.Clock().UTC()
	if _, told := compare(manager, "part=stock&from="+url.QueryEscape(now.AddDate(0, 0, -1).Format(time.RFC3339))); !strings.Contains(told, "SO-77 on_hand") {
		t.Errorf("stock since yesterday: %s", told)
	}
	for _, wrong := range []string{"part=x&from=1", "part=stock", "part=stock&from=x", "part=stock&from=-1", "part=stock&from=9&to=8"} {
		manager.ask(400, "GET", "/api/staff/history/?"+wrong, "", nil)
	}
	said := p.ok("changes", "diff", "prices", "--from", fmt.Sprint(before))
	if lines := strings.Split(strings.TrimSpace(said), "\n"); len(lines) != 3 || !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, second.ID.String()) }) {
		t.Errorf("the command line says\n%s", said)
	}
}
