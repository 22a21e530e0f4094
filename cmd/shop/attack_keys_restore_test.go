package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"shop/migrations/pgtest"
)

// A dump is restored without its keys, the shop is started too early and customers write; then the keys come. Nothing is lost and
// nothing was read as erased, in whatever order the steps of docs/backup.md are done.
func TestAttackKeysRestoredInAnyOrder(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"keys first": false, "the shop first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := onDatabase(t)
			cream := p.stocked("MK-1", 9_000, 50)
			s := p.serve()
			anna := s.register("anna@example.kz")
			old := s.orderOf(cream)
			s.stop()
			pool := p.pool()
			run := func(statements ...string) {
				t.Helper()
				for _, sql := range statements {
					if _, err := pool.Exec(t.Context(), sql); err != nil {
						t.Fatalf("%s: %v", sql, err)
					}
				}
			}
			// As pg_dump --exclude-table-data leaves them; the read models are to be folded anew.
			run(`CREATE TABLE keys_file AS TABLE eventstore.person_keys`, `CREATE TABLE secrets_file AS TABLE secrets`,
				`DELETE FROM eventstore.person_keys`, `DELETE FROM secrets`)
			if r := p.run("orders", "list"); r.status != 1 || !strings.Contains(r.stderr, "the table secrets is empty") {
				t.Errorf("without the secrets: status %d: %s", r.status, r.stderr)
			}
			run(`INSERT INTO secrets SELECT * FROM secrets_file`)
			load := `INSERT INTO eventstore.person_keys SELECT * FROM keys_file`
			if !early {
				run(load)
			}
			s = p.serve()
			fresh := s.orderOf(cream) // of a new person, with a key of their own
			change := func() int {
				status, _, _ := s.send("PATCH", "/api/auth/profile/", strings.NewReader(`{"first_name":"Жанна"}`), anna...)
				return status
			}
			if early {
				if status := change(); status < 500 {
					t.Errorf("a change by a person whose key is missing was answered with %d", status)
				}
				// No read model is made meanwhile of empty names.
				if r := p.run("projections", "rebuild", "orders"); r.status != 1 || !strings.Contains(r.stderr, "is missing, and the person is not erased: restore eventstore.person_keys") {
					t.Errorf("a rebuild without the keys: status %d: %s", r.status, r.stderr)
				}
				if n := pgtest.All[int64](t, pool, `SELECT count(*) FROM projections.builds WHERE finished_at IS NOT NULL AND projection = 'orders' AND started_at > now() - interval '1 minute' AND kind = 'rebuild' AND state <> 'failed'`); n[0] > 0 {
					t.Errorf("a read model was made of names that could not be opened")
				}
				run(load)
			}
			until(t, "the customer can write again", func() bool { return change() == http.StatusOK })
			if said := p.ok("projections", "rebuild", "orders"); !strings.Contains(said, "equal") {
				t.Errorf("rebuild: %s", said)
			}
			for _, order := range []receipt{old, fresh} {
				if shown := p.ok("orders", "show", fmt.Sprint(order.Number)); !strings.Contains(shown, personStreet) {
					t.Errorf("order %d: %s", order.Number, shown)
				}
			}
			if letters := pgtest.All[int64](t, pool, `SELECT count(*) FROM eventstore.dead_letters`); letters[0] > 0 {
				t.Errorf("%d dead letters", letters[0])
			}
			if erased := pgtest.All[int64](t, pool, `SELECT count(*) FROM eventstore.person_keys WHERE key IS NULL`); erased[0] > 0 {
				t.Errorf("%d persons are erased", erased[0])
			}
		})
	}
}
