package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/domain/staff"
	"shop/readapi/reports"
	reads "shop/readapi/staff"
)

func TestAnalystsReadReports(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.project()
	p := d.program()
	receipt := p.ordered(p.stocked("MK-1", 8_000, 10), 2)
	p.ok("reports", "sales") // waits for the read model

	var list []reads.Report
	d.got(staff.Analyst, 200, "GET", "/api/analytics/reports/", "", &list)
	if len(list) != len(reports.All()) || list[0].Name != "sales" || list[0].Position == 0 {
		t.Errorf("got %+v", list)
	}
	var sales reports.Answer
	d.got(staff.Analyst, 200, "GET", "/api/analytics/reports/sales/?by=day", "", &sales)
	if sales.Count != 1 || sales.Rows[0]["orders"] != 1. || sales.Rows[0]["revenue"] != float64(receipt.TotalPaid) || sales.Position == 0 || sales.AsOf == nil ||
		*sales.By != "day" || sales.Columns[0].Key != "day" || sales.Total["revenue"] != float64(receipt.TotalPaid) {
		t.Errorf("got %+v", sales)
	}
	// Every report keeps to its contract, with rows and without.
	for _, r := range list {
		d.got(staff.Analyst, 200, "GET", "/api/analytics/reports/"+r.Name+"/", "", nil)
		d.got(staff.Analyst, 200, "GET", "/api/analytics/reports/"+r.Name+"/?to=1999-12-31", "", nil)
	}
	d.got(staff.Analyst, 200, "GET", "/api/analytics/reports/products/?from=1990-01-01&to=1999-12-31", "", &sales)
	if sales.Count != 0 || sales.Rows == nil || sales.Total["sales"] != 0. {
		t.Errorf("a period without orders: %+v", sales)
	}
	csv := d.ask("GET", "/api/analytics/reports/products/?from=2020-01-01&format=csv", "", "Cookie", d.as(staff.Analyst).cookie)
	want := fmt.Sprintf(`attachment; filename=products-2020-01-01-at-%d.csv`, sales.Position)
	if got := csv.Header().Get("Content-Disposition"); csv.Code != http.StatusOK || got != want || !strings.HasPrefix(csv.Body.String(), "\ufeffProduct,Article,Order lines,Pieces,") {
		t.Errorf("%d %q, want %q: %.60q", csv.Code, got, want, csv.Body)
	}
	for path, field := range map[string]string{
		"sales/?from=yesterday": "from", "sales/?from=2026-02-02&to=2026-02-01": "to", "sales/?by=year": "by", "cities/?by=day": "by", "sales/?sort=-name": "sort",
		"sales/?limit=-1": "limit", "products/?category=soap": "category", "sales/?brand=" + staffless: "brand", "sales/?format=xlsx": "format", "sales/?city=%FF": "city",
	} {
		said := d.call(staff.Analyst, "GET", "/api/analytics/reports/"+path, "")
		var fields map[string][]string
		if err := json.Unmarshal(said.Body.Bytes(), &fields); err != nil || said.Code != http.StatusBadRequest || len(fields) != 1 || len(fields[field]) != 1 {
			t.Errorf("%s: %d %s", path, said.Code, said.Body)
		}
	}
	d.got(staff.Analyst, 404, "GET", "/api/analytics/reports/profits/", "", nil)
	d.got(staff.Support, 403, "GET", "/api/analytics/reports/sales/", "", nil)
}

// staffless is an id of nothing.
const staffless = "00000000-0000-4000-8000-000000000009"

// A number told once can be had again, whatever comes after it; and the live numbers are those of their position.
func TestReportsAsTheyWere(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 8_000, 10)
	number := p.ordered(soap, 1).Number
	live := map[string]string{}
	for _, name := range []string{"sales", "products", "cohorts"} {
		live[name] = p.ok("reports", name, "--format", "json")
	}
	var told reports.Answer
	if err := json.Unmarshal([]byte(live["sales"]), &told); err != nil || told.Position == 0 || told.Total["orders"] != 1. {
		t.Fatalf("%v, %+v", err, told)
	}
	moment := time.Now().UTC().Format(time.RFC3339Nano)

	p.ordered(soap, 3)
	p.ok("orders", "cancel", fmt.Sprint(number))

	for name, was := range live {
		if again := p.ok("reports", name, "--format", "json", "--at", fmt.Sprint(told.Position)); again != was {
			t.Errorf("%s was %s, is %s", name, was, again)
		}
	}
	if again := p.ok("reports", "sales", "--format", "json", "--at", moment); again != live["sales"] {
		t.Errorf("at %s it was %s", moment, again)
	}
	now := p.ok("reports", "sales", "--format", "json")
	if err := json.Unmarshal([]byte(now), &told); err != nil || told.Total["orders"] != 1. || told.Total["lost_orders"] != 1. {
		t.Errorf("%v, now %s", err, now)
	}
	if as := p.ok("reports", "sales", "--format", "json", "--at", fmt.Sprint(told.Position)); as != now {
		t.Errorf("live %s, folded afresh %s", now, as)
	}
	s, err := app.OpenShop(t.Context(), p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.WithoutCancel(t.Context()))
	if left := texts(t, s.Pool, "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'report%'"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if table := p.ok("reports", "sales"); !strings.HasPrefix(table, "MONTH") || !strings.Contains(table, "\ntotal") || !strings.Contains(table, " at position ") {
		t.Errorf("said %s", table)
	}
}

func TestReportsRefuseWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	p := program{t, nil}
	for want, line := range map[string]string{
		`want one of the reports sales, `:         "reports",
		`there is no report "profits"`:            "reports profits",
		`--format: "xlsx" is not known`:           "reports sales --format xlsx",
		`--at: want a time such as`:               "reports sales --at yesterday",
		`--at: positions begin at 1`:              "reports sales --at 0",
		`--from: Must be a day`:                   "reports sales --from x",
		`--by: There are no periods`:              "reports cities --by day",
		`--category: This report has no such fil`: "reports sales --category " + staffless,
	} {
		if got := p.run(strings.Fields(line)...); got.status != terminal.Misuse || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v, want %q", line, got, want)
		}
	}
}
