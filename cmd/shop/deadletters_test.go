package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/cmd/shop/terminal"
	"shop/readapi/staff"
)

// plant writes an event past the store, as a faulty program or a careless hand would.
func (p program) plant(stream, eventType, data string) {
	p.t.Helper()
	ctx := p.t.Context()
	db, err := pgx.Connect(ctx, p.config().DatabaseURL)
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close(ctx)
	_, err = db.Exec(ctx, `WITH next AS (UPDATE eventstore.streams SET version = version + 1 WHERE name = $1 RETURNING *)
		INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
		SELECT nextval('eventstore.position'), slice, 1, version, gen_random_uuid(), now(), name, $2, $3::json, '{}' FROM next`, stream, eventType, data)
	if err != nil {
		p.t.Fatal(err)
	}
}

func TestEventThatCannotBeReadStopsNobodyElse(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream, soap := p.stocked("MK-1", 9000, 10), p.stocked("MK-2", 8000, 10)
	s := p.serve()
	p.plant("product-"+cream.String(), "product.priced", `{"price":"a lot"}`)
	broken := p.head()
	p.ok("stock", "receive", "--article", "MK-2", "--quantity", "1") // waits until the catalog has come past it

	// What shoppers see of it stays as it was, and the rest goes on.
	if status, _, body := s.send("GET", "/api/products/mk-1/", nil, "X-Min-Position", number(p.head())); status != 200 || !strings.Contains(body, `"price":9000`) {
		t.Errorf("the product: %d %s", status, body)
	}
	s.placed(soap, 1, "CASH")

	// Operators find it, and see what is stored.
	var letters []staff.DeadLetterLine
	if err := json.Unmarshal([]byte(p.ok("deadletters", "list", "--format", "json")), &letters); err != nil || len(letters) != 1 ||
		int64(letters[0].Position) != broken || letters[0].ParkedAt.After(time.Now()) || !strings.Contains(letters[0].Error, `"/price"`) {
		t.Fatalf("dead letters: %+v, %v", letters, err)
	}
	for _, args := range [][]string{{"events", "tail", "-f=false"}, {"events", "stream", "product-" + cream.String()}} {
		if table := p.ok(args...); !strings.Contains(table, `{"price":"a lot"}  UNREADABLE: event 4 of product-`) {
			t.Errorf("%v:\n%s", args, table)
		}
	}
	var stream []staff.EventLine
	if err := json.Unmarshal([]byte(p.ok("events", "stream", "product-"+cream.String(), "--format", "json")), &stream); err != nil || len(stream) != 4 ||
		stream[3].Error == "" || stream[2].Error != "" {
		t.Errorf("as JSON: %+v, %v", stream, err)
	}

	if shown := p.ok("deadletters", "show", "catalog", number(broken)); !strings.Contains(shown, `"price": "a lot"`) || !strings.Contains(shown, "error: event 4 of product-") {
		t.Errorf("shown:\n%s", shown)
	}
	if dry := p.run("deadletters", "dry-run", "catalog"); dry.status != terminal.Failed || !strings.Contains(dry.stdout, "fail: event 4 of product-") || !strings.Contains(dry.stderr, "1 of 1 would not be handled") {
		t.Errorf("dry run: %+v", dry)
	}
	if said := p.ok("deadletters", "retry", "catalog", "--reason", "to see"); said != "catalog: 1 to be tried again\n" {
		t.Errorf("said %q", said)
	}

	if said := p.ok("deadletters", "skip", "catalog", number(broken), "--reason", "planted"); !strings.Contains(said, "goes on without the event at "+number(broken)) {
		t.Errorf("said %q", said)
	}
	if table := p.ok("deadletters", "list"); strings.Count(table, "\n") != 1 {
		t.Errorf("after skipping:\n%s", table)
	}
	var done []staff.Action
	if err := json.Unmarshal([]byte(p.ok("deadletters", "history", "--format", "json")), &done); err != nil || len(done) != 2 || done[0].Action != "skip" ||
		done[0].Reason != "planted" || done[1].Reason != "to see" || !strings.HasPrefix(done[1].Actor, "cli:") {
		t.Errorf("history: %+v, %v", done, err)
	}
}

func TestPoliciesHaveDeadLettersToo(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9000, 10)
	p.serve()
	p.plant("product-"+cream.String(), "order.completed", `{"at":"soon"}`)
	broken := number(p.head())
	until(t, "the policy parks it", func() bool { return strings.Contains(p.ok("deadletters", "list", "follow-bonuses"), broken) })

	if shown := p.ok("deadletters", "show", "follow-bonuses", broken); !strings.Contains(shown, `"at": "soon"`) {
		t.Errorf("shown:\n%s", shown)
	}
	if said := p.ok("deadletters", "retry", "follow-bonuses"); said != "follow-bonuses: 1 to be tried again\n" {
		t.Errorf("said %q", said)
	}
	if said := p.ok("deadletters", "skip", "follow-bonuses", broken, "--reason", "planted"); !strings.Contains(said, "goes on without the event at "+broken) {
		t.Errorf("said %q", said)
	}
	if said := p.ok("projections", "pause", "follow-bonuses"); said != "follow-bonuses: paused\n" {
		t.Errorf("said %q", said)
	}
	for _, line := range []string{"deadletters retry nothing", "projections pause nothing"} {
		r := p.run(strings.Fields(line)...)
		if r.status != terminal.Misuse || !strings.Contains(r.stderr, `there is no projection "nothing"; want one of`) || !strings.Contains(r.stderr, "follow-bonuses") {
			t.Errorf("shop %s: %+v", line, r)
		}
	}
}
