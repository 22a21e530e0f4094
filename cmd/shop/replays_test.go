package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/parquet-go/parquet-go"

	"shop/cmd/shop/app"
	"shop/cmd/shop/ops"
	"shop/domain"
	"shop/domain/staff"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/projections/dataset"
	"shop/projections/replay"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// openReplayDesk is an opsDesk of a shop with two orders, where replays are worked on.
func openReplayDesk(t *testing.T) *opsDesk {
	t.Helper()
	d := openOpsDesk(t)
	p := d.program()
	cream := p.stocked("MK-1", 8_000, 100)
	p.ordered(cream, 1)
	p.ordered(cream, 4)
	replaying := app.Background(t.Context(), d.site.Ops.Replays.Run)
	t.Cleanup(replaying.Stop)
	return d
}

type shownReplay struct {
	reads.Replay
	Report *replay.Report
}

// replayed waits for a replay's report.
func (d *opsDesk) replayed(id string) (shown shownReplay) {
	d.t.Helper()
	until(d.t, "the replay is done", func() bool {
		d.got(staff.Analyst, 200, "GET", "/api/analytics/replays/"+id+"/", "", &shown)
		return shown.State == replay.Done
	})
	return shown
}

func TestAnalystsTryOtherRules(t *testing.T) {
	t.Parallel()
	d := openReplayDesk(t)
	const question = `{"rules":{"minimum_sum":9000,"tiers":[{"from":30000,"percent":10}]}}`
	d.as(staff.Manager) // whose account is in the log before anything is asked
	var asked, again shownReplay
	d.got(staff.Analyst, 202, "POST", "/api/analytics/replays/", question, &asked)
	if asked.CreatedBy != "analyst@shop.example" || asked.Position == 0 || !json.Valid(asked.Rules) {
		t.Errorf("got %+v", asked)
	}
	done := d.replayed(asked.ID)
	// As shop replay pricing reckons: 8 000 + 1 900 are lost, 32 000 get 10 % off.
	if r := done.Report.Total; r.Was.Revenue != 9_900+30_400 || r.Would.Revenue != 28_800 || r.Lost != 9_900 || done.Report.ID != asked.ID {
		t.Errorf("got %+v", done.Report)
	}
	d.got(staff.Manager, 200, "POST", "/api/analytics/replays/", question, &again)
	if again.ID != asked.ID || again.Report == nil {
		t.Errorf("got %+v", again)
	}
	d.got(staff.Analyst, 202, "POST", "/api/analytics/replays/", fmt.Sprintf(`{"rules":{"minimum_sum":9000},"until":%d}`, asked.Position-1), &again)
	if again.Position != asked.Position-1 {
		t.Errorf("got %+v", again)
	}
	var all []map[string]any
	d.got(staff.Analyst, 200, "GET", "/api/analytics/replays/", "", &all)
	if len(all) != 2 || all[0]["id"] != again.ID {
		t.Errorf("got %v", all)
	}
	if _, has := all[1]["report"]; has {
		t.Errorf("a list has reports: %v", all[1])
	}
	d.wants("cancel what is done", d.call(staff.Analyst, "DELETE", "/api/analytics/replays/"+asked.ID+"/", ""), 409, "finished")

	for body, want := range map[string]string{
		`{}`: `{"rules":["Must be an object`, `{"rules":null}`: `{"rules":["Must be an object`, `{"rules":[1]}`: `{"rules":["Must be an object`,
		`{"rules":{"minimum":1}}`:                                         `{"rules":["minimum: there is no such rule"]}`,
		`{"rules":{"minimum_sum":-5}}`:                                    `{"rules":["minimum_sum: A sum must be`,
		`{"rules":{"minimum_sum":null}}`:                                  `{"rules":["minimum_sum: there is no value"]}`,
		`{"rules":{"tiers":[{"from":1,"off":2}]}}`:                        `{"rules":["tiers: `,
		`{"rules":{},"until":0}`:                                          `{"until":["Must be a number from 1."]}`,
		`{"rules":{},"until":99999}`:                                      `{"until":["The log has come to position `,
		`{"rules":{},"until":"x"}`:                                        `{"until":["Must not be a string."]}`,
		`{"rules":{"x":"` + strings.Repeat("y", ops.MaxOverrides) + `"}}`: `{"rules":["Must be at most 16 KiB."]}`,
	} {
		d.wants(body[:min(len(body), 60)], d.call(staff.Analyst, "POST", "/api/analytics/replays/", body), 400, want)
	}
}

func TestReplaysWaitInABoundedQueue(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	var asked shownReplay
	ask := func(least int) *httptest.ResponseRecorder {
		return d.call(staff.Analyst, "POST", "/api/analytics/replays/", fmt.Sprintf(`{"rules":{"minimum_sum":%d}}`, least))
	}
	for least := range 16 {
		w := ask(least)
		d.wants("a question", w, 202, `"state":"queued"`)
		if err := json.Unmarshal(w.Body.Bytes(), &asked); err != nil {
			t.Fatal(err)
		}
	}
	w := ask(16)
	if d.wants("one more", w, 429, "Try again"); w.Header().Get("Retry-After") == "" {
		t.Errorf("headers %v", w.Header())
	}
	d.got(staff.Analyst, 204, "DELETE", "/api/analytics/replays/"+asked.ID+"/", "", nil)
	d.wants("after one was cancelled", ask(16), 202, "")
}

// take asks for a data set as somebody with a role.
func (d *opsDesk) take(role staff.Role, path string) *httptest.ResponseRecorder {
	d.t.Helper()
	return d.ask("GET", "/api/analytics/datasets/"+path, "", "Cookie", d.as(role).cookie)
}

func TestAnalystsTakeDataAway(t *testing.T) {
	t.Parallel()
	d := openReplayDesk(t)
	var all []dataset.Description
	d.got(staff.Analyst, 200, "GET", "/api/analytics/datasets/", "", &all)
	if len(all) != len(dataset.Names()) {
		t.Errorf("got %+v", all)
	}
	for _, set := range all {
		for _, c := range set.Columns {
			if c.About == "" {
				t.Errorf("nothing is said about %s.%s", set.Name, c.Name)
			}
		}
	}

	w := d.take(staff.Analyst, "orders/")
	position := w.Header().Get("X-Log-Position")
	if w.Code != 200 || w.Header().Get("Content-Disposition") != `attachment; filename="orders-at-`+position+`.parquet"` {
		t.Fatalf("%d, %v", w.Code, w.Header())
	}
	read, err := parquet.Read[dataset.Order](bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != 2 || read[0].TotalPaid != 9_900 || read[1].TotalPaid != 30_400 || read[0].FirstName != "" || read[0].City != "Алматы" {
		t.Errorf("got %+v", read)
	}

	w = d.take(staff.Analyst, "orders/?format=csv")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.Body.String(), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][0] != "position" || strings.Contains(w.Body.String(), "Алия") {
		t.Errorf("%v, %v", rows, err)
	}
	month := time.Now().In(time.FixedZone("Asia/Almaty", 5*60*60)).Format("2006-01")
	for path, lines := range map[string]int{
		"order-lines/?format=csv&month=" + month: 3, "order-lines/?format=csv&month=2001-01": 1,
		"order-lines/?format=csv&from_position=" + position: 1, "stock-movements/?format=csv": 4, "baskets/?format=csv": 1,
	} {
		if w := d.take(staff.Analyst, path); w.Code != 200 || strings.Count(w.Body.String(), "\n") != lines {
			t.Errorf("%s: %d\n%s", path, w.Code, w.Body)
		}
	}
	if w := d.take(staff.Manager, "orders/?format=csv&unmasked=1"); w.Code != 200 || !strings.Contains(w.Body.String(), "Алия") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	d.wants("unmasked", d.call(staff.Analyst, "GET", "/api/analytics/datasets/orders/?unmasked=1", ""), 403, endpoint.StaffForbidden)
	for path, want := range map[string]string{
		"orders/?format=xlsx": "format", "orders/?month=2026-13": "month", "orders/?from_position=0": "from_position", "orders/?unmasked=yes": "unmasked",
	} {
		d.wants(path, d.call(staff.Analyst, "GET", "/api/analytics/datasets/"+path, ""), 400, `{"`+want+`":["`)
	}
	d.wants("unknown", d.call(staff.Analyst, "GET", "/api/analytics/datasets/people/", ""), 404, "no such data set")

	// Who took what is known.
	var actions struct{ Actions []reads.Action }
	d.got(staff.Analyst, 200, "GET", "/api/ops/actions/?projection=orders&limit=1", "", &actions)
	if a := actions.Actions; len(a) != 1 || a[0].Action != "take-dataset" || a[0].Actor != "manager@shop.example" || a[0].Reason != "csv, with personal data" {
		t.Errorf("got %+v", a)
	}
}

func TestDataSetsLeaveTwoAtATimeAndEndWithTheirClient(t *testing.T) {
	t.Parallel()
	d := openReplayDesk(t)
	server := httptest.NewServer(d.http)
	defer server.Close()
	in := d.as(staff.Analyst)
	connectAll(t, d.shop.Pool) // a new connection looks at the log, which is locked below
	tx, err := d.shop.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(t.Context()))
	if _, err := tx.Exec(t.Context(), "LOCK TABLE eventstore.events"); err != nil { // so that none comes to its end
		t.Fatal(err)
	}
	leaving := func() int { return len(d.site.Ops.Takeaways.Slots) }
	ask := func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/analytics/datasets/orders/", nil)
		if err != nil {
			return err
		}
		request.Header.Set("Cookie", in.cookie)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	going, stop := context.WithCancel(t.Context())
	defer stop()
	ends := make(chan error, 2)
	for range 2 {
		go func() { ends <- ask(going) }()
	}
	until(t, "two leave", func() bool { return leaving() == 2 })
	w := d.take(staff.Analyst, "orders/")
	if d.wants("a third", w, 429, "Try again"); w.Header().Get("Retry-After") == "" {
		t.Errorf("headers %v", w.Header())
	}
	stop()
	for range 2 {
		if err := <-ends; err == nil {
			t.Error("a request that was given up was answered")
		}
	}
	until(t, "nothing leaves", func() bool { return leaving() == 0 })

	// The shop stops: a file does not come to its end as if it were whole.
	go func() { ends <- ask(t.Context()) }()
	until(t, "one leaves", func() bool { return leaving() == 1 })
	d.site.Ops.Close()
	<-ends
	until(t, "nothing leaves", func() bool { return leaving() == 0 })
}

// connectAll opens all connections that a pool may have.
func connectAll(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for range pool.Config().MaxConns {
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
	}
}

// TestADataSetThatIsCutOff gives back what it took when its client goes in the middle, and is nothing that a client takes
// for whole when the shop goes.
func TestADataSetThatIsCutOff(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	// More than the sockets between them hold.
	product := domain.ID{7}
	received := make([]eventstore.NewEvent, 6_000)
	for n := range received {
		received[n].Data = stock.Received{ProductID: product, Quantity: 1, OnHand: int64(n + 1), Cause: stock.Cause{Kind: "receipt", Ref: strings.Repeat("long way ", 300)}}
	}
	if _, err := d.shop.Store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: stock.Stream(product), Events: received}}}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d.http)
	defer server.Close()
	in := d.as(staff.Analyst)
	leaving := func() int { return len(d.site.Ops.Takeaways.Slots) }
	// begin reads the head and the first bytes of a file; body is the rest.
	begin := func() (conn net.Conn, body io.Reader) {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /api/analytics/datasets/events/?format=csv HTTP/1.1\r\nHost: shop\r\nCookie: %s\r\n\r\n", in.cookie)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		if response.StatusCode != 200 {
			t.Fatal(response.Status)
		}
		if _, err := io.ReadFull(response.Body, make([]byte, 10_000)); err != nil || leaving() != 1 {
			t.Fatalf("%v, %d leave", err, leaving())
		}
		return conn, response.Body
	}
	reading := func() (reads bool) {
		err := d.shop.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'COPY (%')`).Scan(&reads)
		if err != nil {
			t.Fatal(err)
		}
		return reads
	}

	conn, _ := begin()
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "its place is free", func() bool { return leaving() == 0 })
	until(t, "nobody reads the log", func() bool { return !reading() })

	conn, body := begin()
	defer conn.Close()
	d.site.Ops.Close()
	if rest, err := io.ReadAll(body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes more, and then %v", len(rest), err)
	}
	until(t, "its place is free again", func() bool { return leaving() == 0 })
}

func TestAnyAnalystOpensAPermalink(t *testing.T) {
	t.Parallel()
	d := openReplayDesk(t)
	var asked, seen shownReplay
	d.got(staff.Analyst, 202, "POST", "/api/analytics/replays/", `{"rules":{"minimum_sum":9000}}`, &asked)
	report := d.replayed(asked.ID).Report

	d.got(staff.Manager, 200, "GET", "/api/analytics/replays/"+asked.ID+"/", "", &seen)

	if seen.CreatedBy != "analyst@shop.example" || seen.Report == nil || seen.Report.Total != report.Total {
		t.Errorf("got %+v", seen)
	}
	d.wants("for an operator", d.call(staff.Operator, "GET", "/api/analytics/replays/"+asked.ID+"/", ""), 403, endpoint.StaffForbidden)
	d.wants("for nobody", d.ask("GET", "/api/analytics/replays/"+asked.ID+"/", ""), 401, "")
}
