package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/commands"
	"shop/commands/changes"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/change"
	"shop/domain/staff"
)

// planned adds products, and a change of a field of each of them that begins soon.
func (p program) planned(products int, field, was, now string) (id domain.ID, last domain.ID) {
	p.t.Helper()
	ctx := commands.WithOrigin(context.Background(), commands.Origin{Actor: "staff:a"})
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(ctx)
	proposal := changes.Proposal{Title: "Spring", May: func(staff.Permission) bool { return true }}
	_, err = s.Handler.Do(ctx, false, func(u *commands.Unit) error {
		for i := range products {
			last = uuid.Must(uuid.NewV7())
			stream := commands.ProductStream(last)
			u.New(stream)
			put := catalog.PutProduct{
				ID: last, Article: fmt.Sprint("A-", i), Link: fmt.Sprint("krem-", i), CategoryID: domain.ID{15: 1},
				Text: catalog.ProductText{Name: "Крем", Description: was}, Price: 9_000, DiscountedPrice: 9_000, At: u.At(),
			}
			if err := stream.Do(u, put); err != nil {
				return err
			}
			proposal.Items = append(proposal.Items, changes.Asked{Thing: "product", ID: last.String(), Field: field, Now: json.RawMessage(now)})
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	proposal.StartsAt = time.Now().Add(15 * time.Second)
	made, err := s.Changes.Propose(ctx, proposal)
	if err != nil {
		p.t.Fatal(err)
	}
	return made.ID, last
}

// TestAKilledChangeIsDoneWhole: kill -9 while a change is applied. One that is a single append leaves nothing of it; one that goes in
// parts leaves whole parts and says that it is being applied. The next process does all of it, each item once.
func TestAKilledChangeIsDoneWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("т", 12_000)
	for _, c := range []struct {
		name, field, was, now, event string
		products, parts              int
	}{
		{"10 000 prices", "price", "", "9500", "product.priced", 10_000, 0},
		{"texts of more than 8 MB", "description", "а" + long, `"б` + long + `"`, "product.described", 300, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := onDatabase(t)
			if status := p.serve().stop(); status != 0 { // makes the read models
				t.Fatalf("serve ended with %d", status)
			}
			id, last := p.planned(c.products, c.field, c.was, c.now)
			conn, err := pgx.Connect(t.Context(), p.config().DatabaseURL)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.Background())
			watch, err := pgx.Connect(t.Context(), p.config().DatabaseURL)
			if err != nil {
				t.Fatal(err)
			}
			defer watch.Close(context.Background())
			number := func(sql string, arguments ...any) (n int) {
				t.Helper()
				if err := watch.QueryRow(t.Context(), sql, arguments...).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			done := func() int {
				return number("SELECT count(*) FROM eventstore.events WHERE type = $1 AND metadata->>'causation_id' = $2", c.event, "change:"+id.String())
			}
			holding, err := conn.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := holding.Exec(t.Context(), "SELECT FROM eventstore.streams WHERE name = $1 FOR UPDATE", "product-"+last.String()); err != nil {
				t.Fatal(err)
			}
			s := p.serve()
			const waiting = " FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
			until(t, "the change is in the middle of an append", func() bool { return number("SELECT count(*)"+waiting) > 0 })
			s.kill()
			// The server may have the COMMIT already, behind the lock: it is not to come to it.
			until(t, "the killed process's append has ended", func() bool {
				return number("SELECT count(pg_terminate_backend(pid))"+waiting) == 0
			})
			if err := holding.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := done(); got != c.parts {
				t.Errorf("%d items are done after the kill, want %d", got, c.parts)
			}
			want := change.Planned
			if c.parts > 0 {
				want = change.Applying
			}
			if told := p.statusOf(id); told != want {
				t.Errorf("after the kill it is %s, want %s", told, want)
			}
			p.serve()
			took := within(t, 2*time.Minute, "another process has done the change", func() bool {
				return number("SELECT count(*) FROM eventstore.events WHERE type = 'change.applied' AND stream = $1", change.Stream(id)) > 0
			})
			if told := p.statusOf(id); told != change.StatusApplied {
				t.Errorf("at the end it is %s", told)
			}
			if got := done(); got != c.products {
				t.Errorf("%d items are done, want %d", got, c.products)
			}
			t.Logf("%d of %d done when killed, all of them %s later", c.parts, c.products, took.Round(time.Second))
		})
	}
}

// statusOf is how a change stands by the log alone.
func (p program) statusOf(id domain.ID) change.Status {
	p.t.Helper()
	ctx := context.Background()
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(ctx)
	stands, err := s.Changes.Show(ctx, id)
	if err != nil {
		p.t.Fatal(err)
	}
	return stands.Status
}
