package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/projections/rebuild"
	"shop/readapi/staff"
)

// movements puts events of stock into the log, of so many products each.
func (p program) movements(products, each int) {
	p.t.Helper()
	ctx := context.Background()
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(ctx)
	for range products {
		id := uuid.New()
		var events []eventstore.NewEvent
		for n := range each {
			events = append(events, eventstore.NewEvent{Data: stock.Received{ProductID: id, Quantity: 1, OnHand: int64(n + 1), At: time.Now()}})
		}
		if _, err := s.Store.Append(ctx, eventstore.Append{Writes: []eventstore.Write{{Stream: stock.Stream(id), Expected: eventstore.AnyVersion, Events: events}}}); err != nil {
			p.t.Fatal(err)
		}
	}
}

// sql runs a statement on the program's database.
func (p program) sql(statement string) {
	p.t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, p.config().DatabaseURL)
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		p.t.Fatal(err)
	}
}

func (p program) builds() (rows []staff.BuildLine) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.ok("projections", "builds", "--format", "json")), &rows); err != nil {
		p.t.Fatal(err)
	}
	return rows
}

func TestReadModelsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.stocked("MK-1", 9000, 10)
	s := p.serve()
	if said := p.ok("projections", "verify", "stock"); !strings.HasPrefix(said, "stock: equal, 1 rows at position ") {
		t.Errorf("said %q", said)
	}
	p.sql("UPDATE stock.level SET on_hand = 4711")
	r := p.run("projections", "verify", "stock")
	if r.status != terminal.Failed || !strings.Contains(r.stdout, "different, 1 of 1 rows") || !strings.Contains(r.stdout, "on_hand: 4711 > 10") {
		t.Errorf("said %+v", r)
	}
	var report rebuild.Report
	if r = p.run("projections", "verify", "stock", "--format", "json"); r.status != terminal.Failed || json.Unmarshal([]byte(r.stdout), &report) != nil || report.Changed != 1 {
		t.Errorf("said %+v", r)
	}
	if said := p.ok("projections", "rebuild", "stock", "--if-equal"); !strings.Contains(said, "waits: shop projections swap") || !strings.Contains(said, "on_hand: 4711 > 10") {
		t.Errorf("said %q", said)
	}
	if r = p.run("projections", "rebuild", "stock"); r.status != terminal.Failed || !strings.Contains(r.stderr, "not finished (ready)") {
		t.Errorf("a second rebuild: %+v", r)
	}
	if said := p.ok("projections", "swap", "stock"); !strings.HasPrefix(said, "stock: swapped in ") {
		t.Errorf("said %q", said)
	}
	if said := p.ok("projections", "verify", "stock"); !strings.HasPrefix(said, "stock: equal") {
		t.Errorf("said %q", said)
	}
	if said := p.ok("projections", "rollback", "stock"); !strings.HasPrefix(said, "stock: version 0 is live again, after ") {
		t.Errorf("said %q", said)
	}
	if r = p.run("projections", "verify", "stock"); r.status != terminal.Failed || !strings.Contains(r.stdout, "4711") {
		t.Errorf("after the rollback: %+v", r)
	}
	p.ok("projections", "rollback", "stock")
	if said := p.ok("projections", "build", "stock", "--at", time.Now().Format(time.RFC3339Nano), "--schema", "yesterday"); !strings.Contains(said, "in schema yesterday") {
		t.Errorf("said %q", said)
	}
	if said := p.ok("projections", "builds", "--schemas", "stock"); strings.Count(said, "\n") != 4 || !strings.Contains(said, "previous") || !strings.Contains(said, "as-of") {
		t.Errorf("said %q", said)
	}
	if said := p.ok("projections", "drop", "yesterday"); said != "yesterday: dropped\n" {
		t.Errorf("said %q", said)
	}
	if r = p.run("projections", "drop", "stock"); r.status != terminal.Failed {
		t.Errorf("the live one was dropped: %+v", r)
	}
	if r = p.run("projections", "cancel", "stock"); r.status != terminal.Failed || !strings.Contains(r.stderr, "no build of stock is unfinished") {
		t.Errorf("cancelled nothing: %+v", r)
	}
	rows := p.builds()
	if len(rows) != 7 || rows[0].Kind != "as-of" || rows[0].State != "done" || !strings.HasPrefix(rows[0].Actor, "cli:") {
		t.Errorf("%d builds: %+v", len(rows), rows)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
}

// kill -9 of the process that builds: the shop takes over within seconds and goes on from what was saved.
func TestAKilledBuildGoesOnInTheShop(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.movements(60, 1000)
	// The shop is closed until the builder is killed, or it might take the build up first.
	if status := p.serve().stop(); status != 0 {
		t.Fatalf("serve ended with %d", status)
	}

	ctx := t.Context()
	conn, err := pgx.Connect(ctx, p.config().DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	number := func(sql string) (n int64) {
		if err := conn.QueryRow(ctx, sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	// The comparison wants the live consumer for a moment; while it cannot have it, the build is certainly not done.
	holding, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holding.Exec(ctx, "SELECT FROM eventstore.checkpoints WHERE consumer = 'stock' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	builder := p.command("projections", "rebuild", "stock")
	if err := builder.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "something is saved", func() bool {
		return number("SELECT coalesce(sum(events), 0)::bigint FROM projections.build_ranges") > 0
	})
	killed := time.Now()
	builder.Process.Kill()
	builder.Wait()
	if err := holding.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	s := p.serve()
	var at staff.BuildLine
	until(t, "the shop has built it", func() bool { at = p.builds()[0]; return at.State == "done" })
	if terms := number("SELECT term FROM projections.builds"); terms < 2 {
		t.Errorf("%d processes had the build, want the killed one and the shop", terms)
	}
	t.Logf("killed at work, done %s later by the shop: %+v", time.Since(killed), at)
	if at.Report == nil || at.Report.Missing+at.Report.Extra+at.Report.Changed != 0 || at.Report.Compared != 60 {
		t.Errorf("report %+v", at.Report)
	}
	if at.Events != 60*1000 {
		t.Errorf("%d events are counted as folded, want each once", at.Events)
	}
	if said := p.ok("projections", "verify", "stock"); !strings.HasPrefix(said, "stock: equal, 60 rows") {
		t.Errorf("said %q", said)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
}
