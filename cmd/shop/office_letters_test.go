package main

import (
	"testing"

	"shop/domain/staff"
	reads "shop/readapi/staff"
)

// TestLettersThatCouldNotBeSent: staff see to whom, about what and why, and send one again once.
func TestLettersThatCouldNotBeSent(t *testing.T) {
	t.Parallel()
	d, anna, _ := customersDesk(t)
	const dead = "0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f01"
	if _, err := d.shop.Pool.Exec(t.Context(), `INSERT INTO mail_jobs (id, kind, person, stream, version, sealed, created_at, due_at, attempts, error, dead_at, skipped_at, skipped_by, reason) VALUES
		($1, 'welcome', NULL, $2, 1, NULL, now(), now(), 8, '550 no such mailbox', now(), NULL, NULL, NULL),
		(gen_random_uuid(), 'new-device', NULL, NULL, NULL, 'x', now(), now(), 8, 'the letter does not open', now() + interval '1 second', NULL, NULL, NULL),
		(gen_random_uuid(), 'welcome', NULL, $2, 2, NULL, now(), now(), 8, 'given up', now(), now(), 'cli:x', 'x'),
		(gen_random_uuid(), 'welcome', NULL, $2, 3, NULL, now(), now() + interval '1 hour', 1, 'later', NULL, NULL, NULL, NULL)`, dead, "customer-"+anna.String()); err != nil {
		t.Fatal(err)
	}
	support := d.worker(staff.Support)
	var found struct {
		Results []reads.DeadMail
		Count   int64
	}
	support.ask(200, "GET", "/api/staff/letters/dead/", "", &found)
	if found.Count != 2 || len(found.Results) != 2 {
		t.Fatalf("%+v", found)
	}
	if one := found.Results[0]; one.ID.String() != dead || one.Kind != "welcome" || one.Name != "Анна Ким" || one.Email != "anna.kim@example.kz" || one.Error != "550 no such mailbox" || one.Attempts != 8 || one.Number != nil || one.Since.IsZero() {
		t.Errorf("%+v", one)
	}
	if nobody := found.Results[1]; nobody.Name != "" || nobody.Email != "" {
		t.Errorf("a letter of nobody names %+v", nobody)
	}
	support.ask(204, "POST", "/api/staff/letters/"+dead+"/retry/", "{}", nil)
	support.ask(404, "POST", "/api/staff/letters/"+dead+"/retry/", "{}", nil)
	// The zero id would mean all of them.
	support.ask(404, "POST", "/api/staff/letters/00000000-0000-0000-0000-000000000000/retry/", "{}", nil)
	support.ask(404, "POST", "/api/staff/letters/x/retry/", "{}", nil)
	support.ask(200, "GET", "/api/staff/letters/dead/?limit=1", "", &found)
	if found.Count != 1 || found.Results[0].Kind != "new-device" {
		t.Errorf("after one went again: %+v", found)
	}
	support.ask(400, "GET", "/api/staff/letters/dead/?limit=0", "", nil)
	var actors []string
	if err := d.shop.Pool.QueryRow(t.Context(), "SELECT array_agg(actor) FROM eventstore.consumer_actions WHERE action = 'retry' AND consumer = 'mails'").Scan(&actors); err != nil || len(actors) != 1 || actors[0][:6] != "staff:" {
		t.Errorf("recorded: %v, %v", actors, err)
	}
}
