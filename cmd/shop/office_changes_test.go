package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/terminal"
	"shop/commands/policies"
	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/staff"
	"shop/readapi"
	reads "shop/readapi/staff"
)

// changesDesk is a shop whose desks are open.
func changesDesk(t *testing.T) *staffDesk {
	t.Helper()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.site.Desks = desksOf(d.shop, d.orders())
	d.http = d.site.Routes()
	return d
}

// projectChanges brings what lists of changes read up to the log.
func (d *staffDesk) projectChanges() {
	d.t.Helper()
	if err := d.shop.CatchUp(d.t.Context(), terminal.World{Stderr: &strings.Builder{}}, "changes", "catalog"); err != nil {
		d.t.Fatal(err)
	}
}

// changedThings is what the calls that make changes answer.
type changedThings struct {
	ID      uuid.UUID
	Status  string
	Needs   []string
	Results []struct{ Outcome, Code, Detail string }
}

// TestPricesAreChangedListedAndTakenBack: by who may change them; who may only propose needs a second person, and sees their own.
func TestPricesAreChangedListedAndTakenBack(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	cream := d.program().stocked("MK-1", 9_000, 30)
	manager, other, keeper := d.worker(staff.Manager), d.worker(staff.Admin), d.worker(staff.Catalog)
	price := func(was, now int) string {
		return fmt.Sprintf(`{"title":"Весна","reason":"sale","items":[{"thing":"product","id":%q,"field":"price","was":%d,"now":%d}]}`, cream, was, now)
	}
	var dry, made, proposed, undone changedThings
	manager.ask(200, "POST", "/api/staff/changes/dry-run/", price(9_000, 9_500), &dry)
	manager.ask(201, "POST", "/api/staff/changes/", price(9_000, 9_500), &made)
	if made.Status != "applied" || made.Results[0].Outcome != "done" || dry.Results[0].Outcome != "done" {
		t.Errorf("made %+v, tried %+v", made, dry)
	}
	manager.ask(409, "POST", "/api/staff/changes/", price(9_000, 9_600), nil)
	manager.ask(400, "POST", "/api/staff/changes/", `{"items":[]}`, nil)
	keeper.ask(201, "POST", "/api/staff/changes/", price(9_500, 9_900), &proposed)
	if proposed.Status != "waiting" || fmt.Sprint(proposed.Needs) != "[role]" {
		t.Errorf("proposed %+v", proposed)
	}
	keeper.ask(403, "POST", "/api/staff/changes/"+made.ID.String()+"/undo/", `{}`, nil)
	keeper.ask(403, "POST", "/api/staff/changes/"+proposed.ID.String()+"/approve/", `{}`, nil)
	other.ask(400, "POST", "/api/staff/changes/"+proposed.ID.String()+"/override/", `{}`, nil)
	other.ask(204, "POST", "/api/staff/changes/"+proposed.ID.String()+"/approve/", `{}`, nil)
	manager.ask(201, "POST", "/api/staff/changes/"+proposed.ID.String()+"/undo/", `{"reason":"a slip"}`, &undone)
	manager.ask(409, "POST", "/api/staff/changes/"+proposed.ID.String()+"/undo/", `{}`, nil)

	d.projectChanges()
	var all, own struct {
		Results []reads.ChangeRow
		Next    *uuid.UUID
	}
	manager.ask(200, "GET", "/api/staff/changes/", "", &all)
	keeper.ask(200, "GET", "/api/staff/changes/", "", &own)
	if len(all.Results) != 3 || len(own.Results) != 1 || own.Results[0].ID != proposed.ID {
		t.Fatalf("all %d, own %+v", len(all.Results), own.Results)
	}
	newest := all.Results[0]
	if newest.Undoes == nil || *newest.Undoes != proposed.ID || newest.ProposedName != "manager@shop.example" || newest.First == nil || newest.First.Article == "" || newest.Reason != "a slip" {
		t.Errorf("the newest is %+v", newest)
	}
	if p := all.Results[1]; p.Status != "undone" || *p.UndoneBy != undone.ID || p.DecidedName != "admin@shop.example" {
		t.Errorf("the undone one is %+v", p)
	}
	var page struct{ Results []reads.ChangeRow }
	manager.ask(200, "GET", "/api/staff/changes/?limit=1&before="+newest.ID.String(), "", &page)
	if len(page.Results) != 1 || page.Results[0].ID != proposed.ID {
		t.Errorf("the page after the newest is %+v", page.Results)
	}
	manager.ask(200, "GET", "/api/staff/changes/?thing=product&id="+cream.String()+"&status=undone&from=2020-01-01", "", &page)
	if len(page.Results) != 1 || page.Results[0].ID != proposed.ID {
		t.Errorf("filtered %+v", page.Results)
	}
	var named struct{ Named reads.ChangeSearchNamed }
	manager.ask(200, "GET", "/api/staff/changes/?id="+cream.String()+"&by="+newest.ProposedBy, "", &named)
	if named.Named.By != "manager@shop.example" || named.Named.Thing == "" {
		t.Errorf("the filters are called %+v", named.Named)
	}
	manager.ask(400, "GET", "/api/staff/changes/?month=2026-13", "", nil)
	var sheet reads.ChangeSheet
	manager.ask(200, "GET", "/api/staff/changes/"+made.ID.String()+"/", "", &sheet)
	if len(sheet.Page) != 1 || string(sheet.Page[0].Now) != `{"price": 9500, "discounted_price": 9500}` && string(sheet.Page[0].Now) != `{"price":9500,"discounted_price":9500}` {
		t.Errorf("the sheet is %+v %s", sheet, sheet.Page[0].Now)
	}
	keeper.ask(403, "GET", "/api/staff/changes/"+made.ID.String()+"/", "", nil)
	manager.ask(404, "GET", "/api/staff/changes/"+uuid.NewString()+"/", "", nil)
	manager.ask(400, "GET", "/api/staff/changes/?status=x", "", nil)
	p := d.program()
	if list := p.ok("changes", "list"); strings.Count(list, "\n") != 4 || !strings.Contains(list, proposed.ID.String()) {
		t.Errorf("the command line lists\n%s", list)
	}
	if dry := p.ok("changes", "undo", made.ID.String(), "--dry-run"); !strings.Contains(dry, "prices: done") {
		t.Errorf("the command line would undo\n%s", dry)
	}
	file := d.ask("GET", "/api/staff/changes/file/", "", "Cookie", manager.cookie)
	if lines := strings.Count(file.Body.String(), "\n"); file.Code != http.StatusOK || lines != 4 || !strings.HasPrefix(file.Body.String(), "\ufeff") {
		t.Errorf("the file: %d with %d lines", file.Code, lines)
	}
}

// TestWhoMayCallForChanges: each call with each role.
func TestWhoMayCallForChanges(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	d.projectChanges()
	one := "/api/staff/changes/" + uuid.NewString() + "/"
	calls := []guarded{
		{"GET", "/api/staff/changes/", "", staff.SeeChanges},
		{"GET", "/api/staff/changes/file/", "", staff.SeeChanges},
		{"GET", one, "", staff.SeeChanges},
		{"GET", "/api/staff/history/?part=prices&from=1", "", staff.SeeAudit},
		{"POST", "/api/staff/changes/", `{"items":[]}`, staff.ProposeChanges},
		{"POST", "/api/staff/changes/dry-run/", `{"items":[]}`, staff.ProposeChanges},
		{"GET", one + "effect/", "", staff.SeeReports},
		{"POST", one + "effect/", `{"days":30}`, staff.SeeReports},
		{"GET", one + "pages/", "", staff.SeeChanges},
		{"GET", one + "preview/?path=/", "", staff.SeeChanges},
		{"POST", one + "undo/", "{}", staff.ProposeChanges},
		{"POST", one + "undo/dry-run/", "{}", staff.ProposeChanges},
		{"POST", one + "approve/", "{}", staff.ApproveChanges},
		{"POST", one + "reject/", "{}", staff.ApproveChanges},
		{"POST", one + "override/", `{"reason":"x"}`, staff.OverrideChanges},
		{"POST", one + "cancel/", "{}", staff.ProposeChanges},
		{"POST", one + "apply/", "{}", staff.ProposeChanges},
	}
	for _, role := range staff.Roles {
		d.worker(role).mayCall(role, calls...)
	}
}

// TestCostsAreForThoseWhoMaySeeThem: who may see what others changed, and not what goods cost, sees that a cost was changed and no value.
func TestCostsAreForThoseWhoMaySeeThem(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	cream := d.program().stocked("MK-1", 9_000, 30)
	manager, analyst, keeper := d.worker(staff.Manager), d.worker(staff.Analyst), d.worker(staff.Catalog)
	cost := fmt.Sprintf(`{"title":"Закупка","items":[{"thing":"product","id":%q,"field":"cost","now":4321}]}`, cream)
	var made changedThings
	keeper.ask(403, "POST", "/api/staff/changes/", cost, nil)
	keeper.ask(200, "POST", "/api/staff/changes/dry-run/", cost, nil)
	manager.ask(201, "POST", "/api/staff/changes/", cost, &made)
	d.projectChanges()
	for _, path := range []string{"", made.ID.String() + "/", "file/"} {
		tells := func(w worker) string {
			return w.d.ask("GET", "/api/staff/changes/"+path, "", "Cookie", w.cookie).Body.String()
		}
		if told := tells(manager); !strings.Contains(told, "4321") {
			t.Errorf("%q tells the manager %s", path, told)
		}
		if told := tells(analyst); strings.Contains(told, "4321") || !strings.Contains(told, "Закупка") {
			t.Errorf("%q tells the analyst %s", path, told)
		}
	}
}

// TestAPlannedSaleIsDueInTime: lists say when somebody has to go on with it, and a sale over a price that is planned already is refused
// with the name of the other.
func TestAPlannedSaleIsDueInTime(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	cream := d.program().stocked("MK-1", 9_000, 30)
	manager := d.worker(staff.Manager)
	now := d.now
	hour := func(n int) time.Time { return now.Add(time.Duration(n) * time.Hour).UTC() }
	sale := func(from, until int) string {
		return fmt.Sprintf(`{"title":"Весна","items":[{"thing":"product","id":%q,"field":"discount","now":10}],"starts_at":%q,"ends_at":%q}`,
			cream, hour(from).Format(time.RFC3339), hour(until).Format(time.RFC3339))
	}
	d.projectChanges()
	var made changedThings
	manager.ask(201, "POST", "/api/staff/changes/", sale(1, 5), &made)
	d.projectChanges()
	due := func(at time.Time) []uuid.UUID {
		t.Helper()
		ids, err := readapi.Facts{DB: d.shop.Pool}.DueChanges(t.Context(), at, 10)
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	if early, late := due(hour(0)), due(hour(1)); len(early) != 0 || len(late) != 1 || late[0] != made.ID {
		t.Errorf("due before: %v, at its time: %v", early, late)
	}
	var refused struct {
		Results []struct{ Outcome, Code, Detail string }
	}
	manager.ask(409, "POST", "/api/staff/changes/", sale(4, 8), &refused)
	if len(refused.Results) != 1 || refused.Results[0].Code != "change/held" || !strings.Contains(refused.Results[0].Detail, "«Весна» ("+made.ID.String()+")") {
		t.Errorf("a second sale: %+v", refused)
	}
	manager.ask(201, "POST", "/api/staff/changes/", sale(5, 8), nil)
	d.projectChanges()
	month := func(at time.Time) int {
		t.Helper()
		var found struct{ Results []reads.ChangeRow }
		manager.ask(200, "GET", "/api/staff/changes/?month="+at.In(domain.Almaty).Format("2006-01"), "", &found)
		return len(found.Results)
	}
	if here, before, after := month(hour(3)), month(hour(1).AddDate(0, -2, 0)), month(hour(8).AddDate(0, 2, 0)); here != 2 || before+after != 0 {
		t.Errorf("the months have %d, %d, %d changes", before, here, after)
	}

	d.pass(time.Hour)
	policy := policies.ApplyChanges{Changes: d.shop.Changes, Due: readapi.Facts{DB: d.shop.Pool}, Clock: d.shop.Clock}
	if err := policy.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.projectChanges()
	if running := due(hour(4)); len(running) != 0 {
		t.Errorf("due while it runs: %v", running)
	}
	if over := due(hour(5)); len(over) != 2 || over[0] != made.ID {
		t.Errorf("due at its end: %v", over)
	}
	var ends *time.Time
	if err := d.shop.Pool.QueryRow(t.Context(), "SELECT price_ends_at FROM catalog.product WHERE id = $1", cream).Scan(&ends); err != nil || ends == nil || !ends.Equal(hour(5).Truncate(time.Second)) {
		t.Errorf("the price ends at %v, %v", ends, err)
	}
}

// TestTheCommandLineAsksASecondPerson: what commands of old change is a change too, which is taken back, and which the rules may keep
// from one person alone.
func TestTheCommandLineAsksASecondPerson(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.stocked("MK-1", 9_000, 30)
	price := func() string { t.Helper(); return p.ok("catalog", "list", "--article", "MK-1") }
	before := price()
	p.ok("catalog", "price", "MK-1", "8000", "--reason", "весна")
	if price() == before {
		t.Error("the price is as it was")
	}
	p.ok("catalog", "list") // lets read models catch up
	listed := p.changes()
	if listed[0].Title != "shop catalog: MK-1" {
		t.Errorf("%+v", listed)
	}
	p.ok("changes", "undo", listed[0].ID)
	if got := price(); got != before {
		t.Errorf("after the undo\n%s\nbefore\n%s", got, before)
	}

	p.says("rules: changed\n", "rules", "set", p.file("r.yml", "approval_rules: true\napproval_price_cut: 20\n"))
	said := p.ok("rules", "set", p.file("r.yml", "minimum_sum: 8000\n"))
	if !strings.Contains(said, "waits for a second person: shop changes approve ") {
		t.Fatalf("rules set said %q", said)
	}
	if now := p.ok("rules", "show", "--format", "json"); strings.Contains(now, `"minimum_sum": 8000`) {
		t.Error("one person changed the rules")
	}
	waits := strings.TrimSpace(said[strings.LastIndex(said, " "):])
	if r := p.run("changes", "approve", waits); r.status == 0 {
		t.Error("the proposer approved")
	}
	p.ok("changes", "approve", waits, "--override", "ночью никого нет")
	if now := p.ok("rules", "show", "--format", "json"); !strings.Contains(now, `"minimum_sum": 8000`) {
		t.Errorf("the rules are\n%s", now)
	}
	for _, command := range [][]string{
		{"catalog", "price", "MK-1", "5000"}, {"catalog", "discount", "MK-1", "60"},
		{"settings", "publish", p.file("s.yml", "phone: '+7 701'\n")},
	} {
		if said := p.ok(command...); !strings.Contains(said, "waits for a second person") {
			t.Errorf("%v said %q", command, said)
		}
	}
	if got := price(); got != before {
		t.Errorf("one person cut the price\n%s", got)
	}
}

// TestCodesInSeries: one change issues them, each is of its own, and an undo revokes them all.
func TestCodesInSeries(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	file := filepath.Join(t.TempDir(), "codes.csv")
	r := p.run("promocodes", "series", "--count", "40", "--prefix", "vesna-", "--percent", "25", "--until", "2030-01-01", "--out", file)
	if r.status != 0 || !strings.Contains(r.stderr, "40 codes: issued") {
		t.Fatalf("%d %s", r.status, r.stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(text))
	slices.Sort(lines[1:])
	if lines[0] != "code" || len(slices.Compact(lines)) != 41 {
		t.Fatalf("%q", lines)
	}
	for _, code := range lines[1:] {
		if !strings.HasPrefix(code, "VESNA-") || promocode.IsGuessable(strings.TrimPrefix(code, "VESNA-")) {
			t.Errorf("the code %s", code)
		}
	}
	if listed := p.ok("promocodes", "list"); strings.Count(listed, "VESNA-") != 40 || !strings.Contains(listed, lines[1]) {
		t.Errorf("lists\n%s", listed)
	}
	p.refuses("file exists", "promocodes", "series", "--count", "1", "--percent", "5", "--out", file)
	for _, wrong := range [][]string{{"--count", "0", "--percent", "5"}, {"--count", "10001", "--percent", "5"}, {"--count", "1"}, {"--count", "1", "--percent", "5", "--prefix", "a b"}} {
		if r := p.run(append([]string{"promocodes", "series"}, wrong...)...); r.status != 2 {
			t.Errorf("%v: %d %s", wrong, r.status, r.stderr)
		}
	}
	made := p.changes()
	if len(made) != 1 {
		t.Fatalf("%+v", made)
	}
	p.ok("changes", "undo", made[0].ID)
	for _, line := range strings.Split(p.ok("promocodes", "list"), "\n") {
		if strings.Contains(line, "VESNA-") && !strings.HasSuffix(strings.TrimSpace(line), "yes") {
			t.Errorf("not revoked: %s", line)
		}
	}
}

// TestTheCommandLineMakesChanges: tried before, at a time and for a while, and refused over what another holds.
func TestTheCommandLineMakesChanges(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9_000, 30).String()
	if dry := p.ok("changes", "make", "product", cream, "discount", "10", "--dry-run"); !strings.Contains(dry, "discount: done 0 → 10") {
		t.Errorf("would make\n%s", dry)
	}
	if made := p.ok("changes", "make", "product", cream, "shelf", "A-1", "--reason", "moved"); !strings.Contains(made, ": applied") {
		t.Errorf("makes\n%s", made)
	}
	day := time.Now().AddDate(0, 1, 0).Format(time.DateOnly)
	until := time.Now().AddDate(0, 2, 0).Format(time.DateOnly)
	sale := []string{"changes", "make", "product", cream, "discount", "10", "--title", "Spring", "--at", day, "--until", until}
	if made := p.ok(sale...); !strings.Contains(made, ": planned") {
		t.Errorf("plans\n%s", made)
	}
	if r := p.run(sale...); r.status == 0 || !strings.Contains(r.stdout, "«Spring»") {
		t.Errorf("a second sale: %d\n%s", r.status, r.stdout)
	}
	if listed := p.ok("changes", "list", "--coming"); !strings.Contains(listed, "Spring") {
		t.Errorf("lists\n%s", listed)
	}
	if r := p.run("changes", "list", "--status", "done"); r.status != 2 {
		t.Errorf("a status that there is not: %d %s", r.status, r.stderr)
	}
	if said := p.ok("catalog", "price", "MK-1", "9500", "--at", day, "--until", until, "--dry-run"); !strings.Contains(said, "would change") {
		t.Errorf("tries %q", said)
	}
	if said := p.ok("rules", "set", p.file("r.yml", "new_days: 14\n"), "--at", day, "--until", until); !strings.Contains(said, "is planned") {
		t.Errorf("plans %q", said)
	}
}

// TestAnUndoTakesBackWhatWasChangedSinceByChoice: else both values are listed, and stay.
func TestAnUndoTakesBackWhatWasChangedSinceByChoice(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9_000, 30).String()
	p.ok("changes", "make", "product", cream, "shelf", "A-1")
	p.ok("changes", "make", "product", cream, "shelf", "B-2")
	first := p.changes()[1].ID
	r := p.run("changes", "undo", first)
	if r.status != 1 || !strings.Contains(r.stdout, `conflict "A-1" → ""`) || !strings.Contains(r.stdout, `It is "B-2".`) {
		t.Errorf("%d\n%s%s", r.status, r.stdout, r.stderr)
	}
	if dry := p.ok("changes", "undo", first, "--force", "--dry-run"); !strings.Contains(dry, `done "B-2" → ""`) {
		t.Errorf("would take back\n%s", dry)
	}
	if said := p.ok("changes", "undo", first, "--force"); !strings.Contains(said, `done "B-2" → ""`) {
		t.Errorf("takes back\n%s", said)
	}
	table := p.ok("changes", "inverses")
	for _, want := range []string{"product.priced", "product: prices", "order.paid", "Money moved."} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

// TestWhoElseHasAThingOpenIsTold: to whoever may see the thing, and to nobody else.
func TestWhoElseHasAThingOpenIsTold(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	const path = "/api/staff/presence/"
	things := map[string]staff.Permission{
		"order": staff.SeeOrders, "product": staff.SeeCatalog, "category": staff.SeeCatalog, "brand": staff.SeeCatalog, "mark": staff.SeeCatalog,
		"content": staff.ChangeContent, "post": staff.ChangeContent, "document": staff.ChangeContent, "settings": staff.ChangeRules, "rules": staff.ChangeRules,
	}
	in := map[staff.Role]worker{}
	calls := []guarded{}
	for thing, needs := range things {
		calls = append(calls, guarded{"POST", path, fmt.Sprintf(`{"thing":%q,"id":"x","editing":true}`, thing), needs},
			guarded{"DELETE", path + "?thing=" + thing + "&id=x", "", needs})
	}
	for _, role := range staff.Roles {
		in[role] = d.worker(role)
		in[role].mayCall(role, calls...)
	}
	if got := d.ask("POST", path, `{"thing":"product","id":"x","editing":true}`); got.Code != http.StatusUnauthorized {
		t.Errorf("signed out: %d", got.Code)
	}
	manager, keeper := in[staff.Manager], in[staff.Catalog]
	var others struct {
		Results []struct {
			Email   string
			Editing bool
		}
	}
	manager.ask(200, "POST", path, `{"thing":"product","id":"one","editing":true}`, &others)
	if len(others.Results) != 0 {
		t.Errorf("nobody else is there: %+v", others)
	}
	keeper.ask(200, "POST", path, `{"thing":"product","id":"one","editing":false}`, &others)
	if len(others.Results) != 1 || !others.Results[0].Editing || others.Results[0].Email == "" {
		t.Errorf("the catalog's keeper is told %+v", others)
	}
	manager.ask(204, "DELETE", path+"?thing=product&id=one", "", nil)
	keeper.ask(200, "POST", path, `{"thing":"product","id":"one","editing":false}`, &others)
	if len(others.Results) != 0 {
		t.Errorf("who left is still there: %+v", others)
	}
	for field, body := range map[string]string{"thing": `{"thing":"moon","id":"one"}`, "id": `{"thing":"product","id":""}`, "editing": `{"thing":"product","id":"one","editing":7}`} {
		var told map[string][]string
		if manager.ask(400, "POST", path, body, &told); len(told[field]) == 0 {
			t.Errorf("%s: told %v", body, told)
		}
	}
}

// TestPromoCodesAreChangedByChanges: the command line issues and revokes codes as the office does, tried before and undone.
func TestPromoCodesAreChangedByChanges(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.says("SPRING10: would be issued\n", "promocodes", "issue", "spring10", "--percent", "10", "--dry-run")
	p.refuses("promocode/unknown", "promocodes", "revoke", "SPRING10")
	p.says("SPRING10: issued\n", "promocodes", "issue", "spring10", "--percent", "10", "--reason", "spring")
	p.says("SPRING10: has these terms already\n", "promocodes", "issue", "SPRING10", "--percent", "10")
	p.says("SPRING10: would be revoked\n", "promocodes", "revoke", "SPRING10", "--dry-run")
	p.says("SPRING10: revoked\n", "promocodes", "revoke", "spring10")
	p.says("SPRING10: is so already\n", "promocodes", "revoke", "SPRING10")
	made := p.changes()
	if len(made) != 2 || made[0].Title != "shop promocodes revoke: SPRING10" || made[1].Reason != "spring" {
		t.Fatalf("%+v", made)
	}
	p.ok("changes", "undo", made[0].ID)
	if listed := p.ok("promocodes", "list"); strings.Contains(listed, "yes") {
		t.Errorf("the undone revocation holds: %s", listed)
	}
}
