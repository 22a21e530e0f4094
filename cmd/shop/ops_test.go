package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/live"
	"shop/cmd/shop/ops"
	"shop/cmd/shop/shoptest"
	"shop/commands"
	"shop/domain/catalog"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/projections/rebuild"
	reads "shop/readapi/staff"
	"shop/readapi/staff/health"
)

// opsAnswers checks answers against openapi.yaml.
type opsAnswers struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	doc      map[string]any
	seen     map[string]bool
}

const opsContractURL = "http://shop/openapi.json"

func newOpsAnswers(t *testing.T) *opsAnswers {
	t.Helper()
	text, err := ops.Contract()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(opsContractURL, doc); err != nil {
		t.Fatal(err)
	}
	return &opsAnswers{t, c, doc.(map[string]any), map[string]bool{}}
}

// at follows a JSON pointer's parts, and a reference where one stands.
func (a *opsAnswers) at(parts ...string) (found map[string]any, pointer string) {
	node, pointer := any(a.doc), ""
	for _, part := range parts {
		object, ok := node.(map[string]any)
		if !ok {
			return nil, ""
		}
		node = object[part]
		pointer += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
		if object, ok := node.(map[string]any); ok {
			if ref, ok := object["$ref"].(string); ok {
				node, pointer = a.doc, strings.TrimPrefix(ref, "#")
				for part := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
					node = node.(map[string]any)[part]
				}
			}
		}
	}
	found, _ = node.(map[string]any)
	return found, pointer
}

// path is the document's name of what an address is answered by.
func (a *opsAnswers) path(method, address string) string {
	address, _, _ = strings.Cut(address, "?")
	address = strings.TrimSuffix(address, "/")
	best := ""
	for path, methods := range a.doc["paths"].(map[string]any) {
		if _, ok := methods.(map[string]any)[strings.ToLower(method)]; !ok {
			continue
		}
		pattern := regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(strings.TrimSuffix(path, "/")), `[^/]+`)
		if regexp.MustCompile("^"+pattern+"$").MatchString(address) && (best == "" || strings.Count(path, "{") < strings.Count(best, "{")) {
			best = path
		}
	}
	return best
}

// check holds an answer against what the document says of it.
func (a *opsAnswers) check(method, address string, w *httptest.ResponseRecorder) {
	a.t.Helper()
	path := a.path(method, address)
	response, pointer := a.at("paths", path, strings.ToLower(method), "responses", fmt.Sprint(w.Code))
	if response == nil {
		a.t.Errorf("%s %s (%q) may not answer %d %s", method, address, path, w.Code, w.Body)
		return
	}
	a.seen[method+" "+path] = a.seen[method+" "+path] || w.Code < 300
	if response["content"] == nil {
		if w.Body.Len() > 0 {
			a.t.Errorf("%s %s answers %d with %s", method, address, w.Code, w.Body)
		}
		return
	}
	schema, err := a.compiler.Compile(opsContractURL + "#" + pointer + "/content/application~1json/schema")
	if err != nil {
		a.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		a.t.Fatalf("%s %s: %v in %s", method, address, err, w.Body)
	}
	if err := schema.Validate(value); err != nil {
		a.t.Errorf("%s %s answers %d against the contract: %v\n%s", method, address, w.Code, err, w.Body)
	}
}

// opsDesk is a staffDesk whose operators' calls are checked against the contract.
type opsDesk struct {
	*staffDesk
	answers  *opsAnswers
	builds   *fakeBuilds
	sessions map[staff.Role]session
}

type session struct{ cookie, csrf, id string }

func openOpsDesk(t *testing.T) *opsDesk {
	t.Helper()
	d := &opsDesk{openStaffDesk(t, "SHOP_SIGNIN_RATE=0"), newOpsAnswers(t), &fakeBuilds{}, map[staff.Role]session{}}
	d.site.Ops = ops.NewOps(d.shop.Pool, d.shop.Store, d.builds, d.site.Staff, shoptest.Quiet)
	d.site.Live = &live.Hub{Log: d.shop.Store, Changes: reads.Shop{DB: d.shop.Pool}, Sessions: d.site.Staff, Logger: shoptest.Quiet}
	d.http = d.site.Routes()
	return d
}

// as is the session of somebody with a role.
func (d *opsDesk) as(role staff.Role) session {
	d.t.Helper()
	if s, ok := d.sessions[role]; ok {
		return s
	}
	email := string(role) + "@shop.example"
	d.add(email, role)
	cookie, view := d.signIn(email)
	d.sessions[role] = session{cookie, view.CSRF, view.ID.String()}
	return d.sessions[role]
}

// call asks as somebody with a role, and checks the answer.
func (d *opsDesk) call(role staff.Role, method, path, body string) *httptest.ResponseRecorder {
	d.t.Helper()
	in := d.as(role)
	headers := []string{"Cookie", in.cookie}
	if method != "GET" {
		headers = append(headers, edge.CsrfHeader, in.csrf)
	}
	w := d.ask(method, path, body, headers...)
	d.answers.check(method, path, w)
	return w
}

// got is call that must be answered with a status, and reads the answer.
func (d *opsDesk) got(role staff.Role, status int, method, path, body string, into any) {
	d.t.Helper()
	w := d.call(role, method, path, body)
	if w.Code != status {
		d.t.Fatalf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	if into != nil {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			d.t.Fatalf("%s %s: %v in %s", method, path, err, w.Body)
		}
	}
}

// project runs the projections until the test ends.
func (d *opsDesk) project() *app.Projecting {
	d.t.Helper()
	p, err := d.shop.StartProjections(context.Background(), app.EveryRole, make(chan error, 4))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(p.Stop)
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	if err := p.CatchUp(ctx); err != nil {
		d.t.Fatal(err)
	}
	return p
}

// plant writes an event past the store, and returns its position.
func (d *opsDesk) plant(stream, eventType, data string) int64 {
	d.t.Helper()
	var position int64
	err := d.shop.Pool.QueryRow(d.t.Context(), `WITH next AS (
			INSERT INTO eventstore.streams (name, slice, version) VALUES ($1, $4, 1) ON CONFLICT (name) DO UPDATE SET version = streams.version + 1 RETURNING *
		) INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
		SELECT nextval('eventstore.position'), slice, 1, version, gen_random_uuid(), now(), name, $2, $3::json, '{"actor":"guest"}' FROM next RETURNING position`,
		stream, eventType, data, eventstore.SliceOf(stream)).Scan(&position)
	if err != nil {
		d.t.Fatal(err)
	}
	return position
}

// category puts one into the catalog, as an actor.
func (d *opsDesk) category(actor, name string) uuid.UUID {
	d.t.Helper()
	id := uuid.Must(uuid.NewV7())
	ctx := commands.WithOrigin(d.t.Context(), commands.Origin{Actor: actor, Correlation: "request-" + name})
	if _, err := (&commands.Catalog{Handler: d.shop.Handler}).PutCategory(ctx, id, catalog.Category{Link: name, Name: name}); err != nil {
		d.t.Fatal(err)
	}
	return id
}

// fakeBuilds is a builder that builds nothing and remembers what it was asked.
type fakeBuilds struct {
	mu     sync.Mutex
	builds []rebuild.Build
	models []rebuild.Model
	asked  []string
}

func (f *fakeBuilds) Start(_ context.Context, name string, o rebuild.BuildOptions) (rebuild.Build, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.builds) > 0 && !f.builds[len(f.builds)-1].State.Final() {
		return rebuild.Build{}, &rebuild.Unfinished{Build: f.builds[len(f.builds)-1]}
	}
	b := rebuild.Build{
		ID: int64(len(f.builds) + 1), Projection: name, Kind: o.Kind, State: rebuild.Waiting, Phase: rebuild.Folding, Schema: name + "_new",
		AutoSwap: o.AutoSwap, Position: o.Position, Actor: o.Actor, StartedAt: time.Now(), UpdatedAt: time.Now(), ETA: -1, LockTime: -1,
	}
	f.builds = append(f.builds, b)
	return b, nil
}

func (f *fakeBuilds) Builds(_ context.Context, filter rebuild.Filter) ([]rebuild.Build, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []rebuild.Build
	for _, b := range slices.Backward(f.builds) {
		if (filter.Projection == "" || filter.Projection == b.Projection) && !(filter.Unfinished && b.State.Final()) {
			found = append(found, b)
		}
	}
	return found, nil
}

func (f *fakeBuilds) Find(_ context.Context, id int64) (rebuild.Build, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id < 1 || id > int64(len(f.builds)) {
		return rebuild.Build{}, rebuild.ErrNoBuild
	}
	return f.builds[id-1], nil
}

func (f *fakeBuilds) steer(what string, id int64, to rebuild.State) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.builds[id-1].State.Final() {
		return &rebuild.Refused{Build: f.builds[id-1], Asked: what}
	}
	f.asked = append(f.asked, what)
	f.builds[id-1].State = to
	return nil
}

func (f *fakeBuilds) Pause(_ context.Context, id int64) error {
	return f.steer("pause", id, rebuild.Paused)
}
func (f *fakeBuilds) Resume(_ context.Context, id int64) error {
	return f.steer("resume", id, rebuild.Waiting)
}
func (f *fakeBuilds) Swap(_ context.Context, id int64) error {
	return f.steer("swap", id, rebuild.Swapping)
}
func (f *fakeBuilds) Cancel(_ context.Context, id int64) error {
	return f.steer("cancel", id, rebuild.Cancelled)
}

func (f *fakeBuilds) Rollback(_ context.Context, name string) (rebuild.RolledBack, error) {
	if len(f.models) == 0 {
		return rebuild.RolledBack{}, rebuild.ErrNoPrevious
	}
	return rebuild.RolledBack{Projection: name, Version: 3, Took: 12 * time.Millisecond}, nil
}

func (f *fakeBuilds) Models(context.Context) ([]rebuild.Model, error) { return f.models, nil }

// everyOpsCall is each call, with a body that is understood, and the permission it takes.
var everyOpsCall = []struct {
	method, path, body string
	permission         staff.Permission
}{
	{"GET", "/api/ops/openapi.json", "", ""},
	{"GET", "/api/ops/projections/", "", staff.SeeProjections},
	{"GET", "/api/ops/rates/", "", staff.SeeProjections},
	{"POST", "/api/ops/projections/stock/pause/", "{}", staff.RunProjections},
	{"POST", "/api/ops/projections/stock/resume/", "{}", staff.RunProjections},
	{"POST", "/api/ops/projections/stock/builds/", `{"kind":"rebuild"}`, staff.RunProjections},
	{"POST", "/api/ops/projections/stock/rollback/", "{}", staff.RunProjections},
	{"GET", "/api/ops/builds/", "", staff.SeeProjections},
	{"GET", "/api/ops/builds/1/", "", staff.SeeProjections},
	{"POST", "/api/ops/builds/1/pause/", "{}", staff.RunProjections},
	{"POST", "/api/ops/builds/1/resume/", "{}", staff.RunProjections},
	{"POST", "/api/ops/builds/1/swap/", "{}", staff.RunProjections},
	{"POST", "/api/ops/builds/1/cancel/", "{}", staff.RunProjections},
	{"GET", "/api/ops/deadletters/", "", staff.SeeProjections},
	{"GET", "/api/ops/deadletters/history/", "", staff.SeeProjections},
	{"GET", "/api/ops/deadletters/stock/1/", "", staff.SeeProjections},
	{"POST", "/api/ops/deadletters/stock/dry-run/", "{}", staff.RunProjections},
	{"POST", "/api/ops/deadletters/stock/retry/", "{}", staff.RunProjections},
	{"POST", "/api/ops/deadletters/stock/1/skip/", `{"reason":"a test"}`, staff.RunProjections},
	{"GET", "/api/ops/actions/", "", staff.SeeProjections},
	{"GET", "/api/ops/events/", "", staff.SeeLog},
	{"GET", "/api/ops/health/", "", staff.SeeHealth},
	{"GET", "/api/ops/security/", "", staff.SeeSecurity},
	{"GET", "/api/ops/security/file/?kind=x", "", staff.SeeSecurity}, // refused for its filter, after the role
	{"GET", "/api/analytics/orders/100001/", "", staff.SeeReports},
	{"GET", "/api/analytics/products/01990000-0000-7000-8000-000000000001/stock/", "", staff.SeeReports},
	{"GET", "/api/analytics/products/01990000-0000-7000-8000-000000000001/prices/", "", staff.SeeReports},
	{"GET", "/api/analytics/baskets/01990000-0000-7000-8000-000000000001/", "", staff.SeeReports},
	{"GET", "/api/analytics/rules/", "", staff.SeeReports},
	{"POST", "/api/analytics/replays/", `{"rules":{"minimum_sum":9000}}`, staff.SeeReports},
	{"GET", "/api/analytics/replays/", "", staff.SeeReports},
	{"GET", "/api/analytics/replays/1-x/", "", staff.SeeReports},
	{"DELETE", "/api/analytics/replays/1-x/", "", staff.SeeReports},
	{"GET", "/api/analytics/datasets/", "", staff.SeeReports},
	{"GET", "/api/analytics/datasets/orders/?format=x", "", staff.SeeReports},                             // refused for its format, after the role
	{"GET", "/api/ops/live/?stream=" + strings.Repeat("x", ops.FilterLength+1), "", staff.SeeProjections}, // refused for its filter, after the role
}

func TestEveryRoleAndEveryCallOfOperators(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.project()
	for _, role := range staff.Roles {
		in := d.as(role)
		for _, c := range everyOpsCall {
			w := d.call(role, c.method, c.path, c.body)
			if allowed := c.permission == "" || role.May(c.permission); allowed == (w.Code == 403) {
				t.Errorf("%s %s as %s: %d %s", c.method, c.path, role, w.Code, w.Body)
			}
			if w.Code >= 500 {
				t.Errorf("%s %s as %s: %d %s", c.method, c.path, role, w.Code, w.Body)
			}
			if c.method == "GET" {
				continue
			}
			// Without the session's token nothing is done, whatever the role.
			forged := d.ask(c.method, c.path, c.body, "Cookie", in.cookie)
			d.wants(c.path+" without CSRF", forged, 403, edge.StaffCSRF)
			d.wants(c.path+" with another's CSRF", d.ask(c.method, c.path, c.body, "Cookie", in.cookie, edge.CsrfHeader, "x"), 403, edge.StaffCSRF)
		}
	}
	for _, c := range everyOpsCall {
		w := d.ask(c.method, c.path, c.body)
		d.answers.check(c.method, c.path, w)
		d.wants(c.path+" signed out", w, 401, edge.StaffSignedOut)
		if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", c.path, w.Header())
		}
	}
	// The list above is complete.
	named := map[string]bool{}
	for _, c := range everyOpsCall {
		named[c.method+" "+d.answers.path(c.method, c.path)] = true
	}
	for path, methods := range d.answers.doc["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			if call := strings.ToUpper(method) + " " + path; strings.HasPrefix(path, "/api/ops/") && !named[call] {
				t.Errorf("%s is not in the list", call)
			}
		}
	}
}

func TestOperatorsSteerProjections(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.project()
	find := func(name string) reads.Projection {
		t.Helper()
		var view reads.Projections
		d.got(staff.Operator, 200, "GET", "/api/ops/projections/", "", &view)
		for _, p := range view.Projections {
			if p.Name == name {
				return p
			}
		}
		t.Fatalf("%s is not among %+v", name, view)
		return reads.Projection{}
	}
	stock := find("stock")
	if stock.State != "live" || len(stock.Ranges) != eventstore.Ranges || stock.Build != nil || stock.Previous != nil || stock.Ranges[0].Holder == nil {
		t.Errorf("stock: %+v", stock)
	}
	d.got(staff.Operator, 204, "POST", "/api/ops/projections/stock/pause/", "{}", nil)
	if got := find("stock"); got.State != "paused" {
		t.Errorf("stock: %+v", got)
	}
	d.got(staff.Operator, 204, "POST", "/api/ops/projections/stock/resume/", "{}", nil)
	d.got(staff.Operator, 404, "POST", "/api/ops/projections/nothing/pause/", "{}", nil)

	// Builds.
	for body, field := range map[string]string{
		`{}`: "kind", `{"kind":"x"}`: "kind", `{"kind":7}`: "kind", `{"kind":"rebuild","position":1}`: "position", `{"kind":"as-of","position":0}`: "position",
		`{"kind":"as-of","position":1,"time":"2026-01-01T00:00:00Z"}`: "time", `{"kind":"verify","auto_swap":true}`: "auto_swap",
		`{"kind":"as-of","schema":"a; DROP"}`: "schema", `{"kind":"verify","schema":"x"}`: "schema", `{"kind":"rebuild","time":"2026-01-01T00:00:00Z"}`: "time",
	} {
		w := d.call(staff.Operator, "POST", "/api/ops/projections/stock/builds/", body)
		d.wants(body, w, 400, `{"`+field+`":["`)
	}
	d.got(staff.Operator, 404, "POST", "/api/ops/projections/nothing/builds/", `{"kind":"verify"}`, nil)
	var build reads.Build
	d.got(staff.Operator, 202, "POST", "/api/ops/projections/stock/builds/", `{"kind":"rebuild","auto_swap":true}`, &build)
	if build.Actor != "operator@shop.example" || build.State != "waiting" || build.ETASeconds != nil {
		t.Errorf("build: %+v", build)
	}
	d.wants("another at once", d.call(staff.Operator, "POST", "/api/ops/projections/stock/builds/", `{"kind":"rebuild"}`), 409, "not finished")
	if got := find("stock"); got.Build == nil || got.Build.ID != build.ID {
		t.Errorf("stock: %+v", got)
	}
	for _, step := range []string{"pause", "resume"} {
		d.got(staff.Operator, 204, "POST", "/api/ops/builds/1/"+step+"/", "{}", nil)
	}
	d.got(staff.Operator, 202, "POST", "/api/ops/builds/1/swap/", "{}", nil)
	d.got(staff.Operator, 204, "POST", "/api/ops/builds/1/cancel/", "{}", nil)
	d.wants("a second end", d.call(staff.Operator, "POST", "/api/ops/builds/1/cancel/", "{}"), 409, "it is cancelled")
	for _, id := range []string{"2", "x", "99999999999999999999"} {
		d.wants("no build", d.call(staff.Operator, "GET", "/api/ops/builds/"+id+"/", ""), 404, "no such build")
	}
	d.builds.builds[0].Report = &rebuild.Report{Compared: 10, Changed: 1, Sample: []rebuild.Difference{{
		Table: "stock", Key: "a", Kind: "changed", Columns: []rebuild.ColumnDifference{{Column: "n", Live: "1", Fresh: "2"}, {Column: "who", Live: `"Ana"`, Fresh: `"Eva"`, Personal: true}},
	}}}
	var list reads.Builds
	d.got(staff.Operator, 200, "GET", "/api/ops/builds/?projection=stock&limit=1", "", &list)
	if len(list.Builds) != 1 || list.Builds[0].Differences == nil || list.Builds[0].Differences.Sample != nil {
		t.Errorf("builds: %+v", list)
	}
	one := d.call(staff.Admin, "GET", "/api/ops/builds/1/", "")
	d.wants("differences", one, 200, `"columns":[{"column":"n","live":1,"fresh":2},{"column":"who","live":"•••","fresh":"•••"}]`)
	d.wants("the limit", d.call(staff.Operator, "GET", "/api/ops/builds/?limit=0", ""), 400, `{"limit":["Must be a number from 1 to 200."]}`)

	d.wants("nothing to go back to", d.call(staff.Operator, "POST", "/api/ops/projections/stock/rollback/", "{}"), 409, "No previous")
	d.builds.models = []rebuild.Model{{Projection: "stock", Role: "live", Version: 4}, {Projection: "stock", Role: "previous", Version: 3, ReplacedAt: time.Now()}}
	if got := find("stock"); got.Version != 4 || got.Previous == nil || got.Previous.Version != 3 {
		t.Errorf("stock: %+v", got)
	}
	d.wants("rolled back", d.call(staff.Operator, "POST", "/api/ops/projections/stock/rollback/", "{}"), 200, `{"projection":"stock","version":3,"took_seconds":0.012}`)

	// All of it is told, with who did it.
	var said struct{ Actions []reads.Action }
	d.got(staff.Analyst, 200, "GET", "/api/ops/actions/?projection=stock", "", &said)
	var did []string
	for _, a := range slices.Backward(said.Actions) {
		if a.Actor != "operator@shop.example" {
			t.Errorf("%s was done by %s", a.Action, a.Actor)
		}
		did = append(did, a.Action)
	}
	if want := []string{"pause", "resume", "build", "pause-build", "resume-build", "swap-build", "cancel-build", "rollback"}; !slices.Equal(did, want) {
		t.Errorf("done %v, want %v", did, want)
	}
	var lately struct{ Projections map[string][]float64 }
	now, err := reads.NewReader(d.shop.Pool, d.shop.Store, d.builds).Rates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * ops.RatesKept {
		d.site.Ops.Rates.Add(now)
	}
	d.got(staff.Analyst, 200, "GET", "/api/ops/rates/", "", &lately)
	if len(lately.Projections["stock"]) != ops.RatesKept {
		t.Errorf("%d rates of stock", len(lately.Projections["stock"]))
	}
}

// TestARealBuildFromThePage has the builder and a process that works beside the calls.
func TestARealBuildFromThePage(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.category("guest", "face")
	d.site.Ops = ops.NewOps(d.shop.Pool, d.shop.Store, d.shop.Builder, d.site.Staff, shoptest.Quiet)
	d.http = d.site.Routes()
	d.project()
	working := app.Background(t.Context(), d.shop.Builder.Work)
	t.Cleanup(working.Stop)
	var b reads.Build
	ended := func(id int64, state rebuild.State) {
		t.Helper()
		until(t, "the build is "+string(state), func() bool {
			d.got(staff.Operator, 200, "GET", fmt.Sprint("/api/ops/builds/", id), "", &b)
			if b.State != state && b.State.Final() {
				t.Fatalf("build: %+v", b)
			}
			return b.State == state
		})
	}
	d.got(staff.Operator, 202, "POST", "/api/ops/projections/catalog/builds/", `{"kind":"verify"}`, &b)
	ended(b.ID, rebuild.Done)
	if b.Differences == nil || b.Differences.Compared == 0 || b.Differences.Missing+b.Differences.Extra+b.Differences.Changed != 0 || b.Differences.Sample == nil {
		t.Errorf("verified: %+v", b.Differences)
	}
	d.wants("a position that is not there", d.call(staff.Operator, "POST", "/api/ops/projections/catalog/builds/", `{"kind":"as-of","position":99999}`), 400, `{"position":["`)
	d.wants("a time before all", d.call(staff.Operator, "POST", "/api/ops/projections/catalog/builds/", `{"kind":"as-of","time":"1999-01-01T00:00:00Z"}`), 400, `{"time":["`)
	d.wants("a schema that is taken", d.call(staff.Operator, "POST", "/api/ops/projections/catalog/builds/", `{"kind":"as-of","schema":"eventstore"}`), 400, `{"schema":["`)
	d.got(staff.Operator, 202, "POST", "/api/ops/projections/catalog/builds/", `{"kind":"rebuild"}`, &b)
	ended(b.ID, rebuild.Ready)
	d.got(staff.Operator, 202, "POST", fmt.Sprint("/api/ops/builds/", b.ID, "/swap"), "{}", nil)
	ended(b.ID, rebuild.Done)
	until(t, "it is told how long the swap held its lock", func() bool {
		d.got(staff.Operator, 200, "GET", fmt.Sprint("/api/ops/builds/", b.ID), "", &b)
		return b.SwapLockSeconds != nil
	})
	if b.Actor != "operator@shop.example" || b.FinishedAt == nil {
		t.Errorf("swapped: %+v", b)
	}
	d.got(staff.Operator, 200, "POST", "/api/ops/projections/catalog/rollback/", "{}", nil)
	var view reads.Projections
	d.got(staff.Operator, 200, "GET", "/api/ops/projections/", "", &view)
	for _, p := range view.Projections {
		if p.Name == "catalog" && (p.Previous == nil || p.Build != nil) {
			t.Errorf("catalog: %+v", p)
		}
	}
}

func TestRatesKeepTheLastMinutes(t *testing.T) {
	t.Parallel()
	m := ops.NewRates()
	for i := range 1000 {
		now := map[string]float64{"a": float64(i)}
		if i >= 990 {
			now["b"] = 1
		}
		m.Add(now)
	}
	m.Add(nil)
	got := m.Lately()
	if a, b := got["a"], got["b"]; len(a) != ops.RatesKept || a[ops.RatesKept-1] != 0 || a[ops.RatesKept-2] != 999 || a[0] != 701 || len(b) != 11 {
		t.Errorf("a %d from %v to %v, b %v", len(a), a[0], a[ops.RatesKept-2:], b)
	}
}

func TestTheLogIsMaskedByRole(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.as(staff.Manager) // their account is an event with a personal e-mail
	d.as(staff.Analyst)
	type page struct {
		Head   int64
		Events []reads.Event
		Next   *int64
	}
	added := func(role staff.Role, id string) string {
		t.Helper()
		var p page
		d.got(role, 200, "GET", "/api/ops/events/?type=staff.added&limit=200", "", &p)
		for _, e := range p.Events {
			if strings.Contains(string(e.Data), id) {
				return string(e.Data)
			}
		}
		t.Fatalf("%s is not among %+v", id, p)
		return ""
	}
	manager, analyst := d.as(staff.Manager).id, d.as(staff.Analyst).id
	if data := added(staff.Manager, analyst); !strings.Contains(data, `"email":"analyst@shop.example"`) {
		t.Errorf("who may see it sees %s", data)
	}
	if data := added(staff.Analyst, analyst); !strings.Contains(data, `"email":"•••"`) || strings.Contains(data, "analyst@") || strings.Contains(data, "$sealed") {
		t.Errorf("who may not sees %s", data)
	}
	if err := d.shop.Store.ErasePerson(t.Context(), uuid.MustParse(manager)); err != nil {
		t.Fatal(err)
	}
	for _, role := range []staff.Role{staff.Manager, staff.Analyst} {
		if data := added(role, manager); !strings.Contains(data, `"email":"erased"`) {
			t.Errorf("of the erased the %s sees %s", role, data)
		}
	}
	// An event from before its field was personal, and one that nobody can read.
	d.plant("staff-x", "staff.added", `{"id":"`+uuid.NewString()+`","email":"plain@shop.example","role":"admin"}`)
	d.plant("staff-x", "staff.added", `{"email":7}`)
	var p page
	d.got(staff.Analyst, 200, "GET", "/api/ops/events/?stream=staff-x", "", &p)
	if len(p.Events) != 2 || strings.Contains(string(p.Events[1].Data), "plain@") || p.Events[0].Error == "" || string(p.Events[0].Data) != `{"email":"•••"}` {
		t.Errorf("unsealed: %+v", p.Events)
	}

	// Filters and pages.
	for i := range 5 {
		d.category("staff:7", fmt.Sprint("face-", i))
	}
	var all []reads.Event
	address := "/api/ops/events/?stream=category-*&actor=staff:7&limit=2"
	for next := ""; ; {
		var p page
		d.got(staff.Analyst, 200, "GET", address+next, "", &p)
		all = append(all, p.Events...)
		if p.Next == nil {
			break
		}
		next = fmt.Sprint("&before=", *p.Next)
	}
	if len(all) != 5 || all[0].Correlation != "request-face-4" || all[4].Correlation != "request-face-0" {
		t.Errorf("%d events: %+v", len(all), all)
	}
	d.got(staff.Analyst, 200, "GET", "/api/ops/events/?trace=request-face-2", "", &p)
	if len(p.Events) != 1 || p.Events[0].ID != all[2].ID {
		t.Errorf("by correlation: %+v", p)
	}
	d.got(staff.Analyst, 200, "GET", fmt.Sprint("/api/ops/events/?after=", all[1].Position), "", &p)
	if len(p.Events) != 1 || p.Events[0].ID != all[0].ID || p.Next != nil {
		t.Errorf("after: %+v", p)
	}
	for query, field := range map[string]string{"before=0": "before", "after=-1": "after", "limit=201": "limit", "limit=x": "limit", "stream=%00": "stream", "actor=" + strings.Repeat("a", 301): "actor"} {
		d.wants(query, d.call(staff.Analyst, "GET", "/api/ops/events/?"+query, ""), 400, `{"`+field+`":["`)
	}
	d.got(staff.Analyst, 200, "GET", "/api/ops/events/?stream="+url.QueryEscape(`x' OR '1'='1`), "", &p)
	if len(p.Events) != 0 {
		t.Errorf("a quote finds %+v", p)
	}
}

func TestDeadLettersFromThePage(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	p := d.project()
	operator := d.as(staff.Operator)
	id := d.category("guest", "face")
	stream := "category-" + id.String()
	broken := d.plant(stream, "category.changed", `{"category":7}`)
	behind := d.plant(stream, "category.archived", `{}`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := p.Feed.WaitFor(ctx, "catalog", eventstore.Position(behind)); err != nil {
		t.Fatal(err)
	}
	var list struct{ Letters []reads.DeadLetter }
	d.got(staff.Analyst, 200, "GET", "/api/ops/deadletters/?projection=catalog", "", &list)
	if len(list.Letters) != 2 || int64(list.Letters[0].Position) != broken || list.Letters[0].Error == "" || list.Letters[1].Error != "" {
		t.Fatalf("letters: %+v", list)
	}
	at := fmt.Sprint("/api/ops/deadletters/catalog/", broken)
	d.wants("its payload", d.call(staff.Analyst, "GET", at, ""), 200, `"data":{"category":7}`)
	d.wants("another's", d.call(staff.Analyst, "GET", fmt.Sprint("/api/ops/deadletters/stock/", broken), ""), 404, "no such dead letter")
	d.wants("no position", d.call(staff.Analyst, "GET", "/api/ops/deadletters/stock/x", ""), 400, `{"position":["`)

	var tried struct {
		Results []reads.Trial
		More    bool
	}
	dry := func() {
		t.Helper()
		d.got(staff.Operator, 200, "POST", "/api/ops/deadletters/catalog/dry-run/", `{"streams":["`+stream+`"]}`, &tried)
	}
	dry()
	if len(tried.Results) != 2 || tried.Results[0].OK || tried.Results[0].Error == "" || tried.Results[1].OK || tried.More {
		t.Errorf("tried: %+v", tried)
	}
	d.wants("a dry run of nothing known", d.call(staff.Operator, "POST", "/api/ops/deadletters/nothing/dry-run/", "{}"), 404, "nothing")
	d.wants("a retry of nothing", d.call(staff.Operator, "POST", "/api/ops/deadletters/catalog/retry/", `{"streams":["x"]}`), 404, "no such dead letter")
	d.wants("without a reason", d.call(staff.Operator, "POST", at+"/skip/", `{"reason":" "}`), 400, `{"reason":["`)
	d.wants("too long a reason", d.call(staff.Operator, "POST", at+"/skip/", `{"reason":"`+strings.Repeat("я", 1001)+`"}`), 400, `{"reason":["`)
	d.wants("streams that are none", d.call(staff.Operator, "POST", "/api/ops/deadletters/catalog/retry/", `{"streams":"x"}`), 400, `{"streams":["`)
	huge := d.ask("POST", at+"/skip/", `{"reason":"`+strings.Repeat("a", edge.MaxBody)+`"}`, "Cookie", operator.cookie, edge.CsrfHeader, operator.csrf)
	d.wants("too large", huge, 413, edge.StaffTooLarge)

	// Mended by hand, as a new upcaster would, the attempt succeeds: first dry, then for good.
	if _, err := d.shop.Pool.Exec(ctx, `UPDATE eventstore.events SET data = '{"category":{"name":"Лицо","link":"face"}}' WHERE position = $1`, broken); err != nil {
		t.Fatal(err)
	}
	dry()
	if len(tried.Results) != 2 || !tried.Results[0].OK || !tried.Results[1].OK {
		t.Errorf("tried: %+v", tried)
	}
	d.got(staff.Analyst, 200, "GET", "/api/ops/deadletters/?projection=catalog", "", &list)
	if len(list.Letters) != 2 {
		t.Errorf("a dry run changed the letters: %+v", list)
	}
	d.wants("to be tried again", d.call(staff.Operator, "POST", "/api/ops/deadletters/catalog/retry/", `{"reason":"mended"}`), 202, `{"events":2}`)
	until(t, "nothing is parked", func() bool {
		d.got(staff.Analyst, 200, "GET", "/api/ops/deadletters/?projection=catalog", "", &list)
		return len(list.Letters) == 0
	})

	again := d.plant("stock-"+uuid.NewString(), "stock.received", `{"quantity":"x"}`)
	until(t, "it is parked", func() bool {
		d.got(staff.Analyst, 200, "GET", "/api/ops/deadletters/?projection=stock", "", &list)
		return len(list.Letters) == 1
	})
	d.got(staff.Operator, 204, "POST", fmt.Sprint("/api/ops/deadletters/stock/", again, "/skip/"), `{"reason":"planted"}`, nil)
	d.got(staff.Operator, 404, "POST", fmt.Sprint("/api/ops/deadletters/stock/", again, "/skip/"), `{"reason":"planted"}`, nil)
	var history struct{ Actions []reads.Action }
	d.got(staff.Analyst, 200, "GET", "/api/ops/deadletters/history/", "", &history)
	if len(history.Actions) != 2 || history.Actions[0].Action != "skip" || int64(*history.Actions[0].Position) != again || history.Actions[0].Reason != "planted" ||
		history.Actions[1].Action != "retry" || history.Actions[1].Reason != "mended" || history.Actions[1].Events != 2 || history.Actions[1].Actor != "operator@shop.example" {
		t.Errorf("history: %+v", history)
	}
	d.got(staff.Analyst, 200, "GET", "/api/ops/deadletters/history/?projection=stock&limit=5", "", &history)
	if len(history.Actions) != 1 {
		t.Errorf("history of stock: %+v", history)
	}
}

func TestHealthForOperators(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.project()
	var h health.Health
	d.got(staff.Operator, 200, "GET", "/api/ops/health/", "", &h)
	db := h.Database
	if db.SizeBytes < 1 || db.LogBytes < 1 || db.Events < 1 || db.Connections.Used < 1 || db.Connections.Max < db.Connections.Used || db.StartedAt.IsZero() || len(h.Processes) == 0 {
		t.Errorf("health: %+v", h)
	}
	if file := h.Keys.File; len(file) != 1 || file[0].ID == "" || !file[0].InUse || h.Keys.Bare {
		t.Errorf("keys: %+v", h.Keys)
	}
	// The servers of tests do not load it; what it says then is not an error.
	if h.Statements.Available || h.Statements.Reason == "" {
		t.Errorf("statements: %+v", h.Statements)
	}
}
