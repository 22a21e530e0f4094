package rebuild

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/review"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/migrations/pgtest"
	"shop/projections"
)

// planted is a text that stands in personal fields of events and nowhere else.
const planted = "Жибектолеген"

// personalModels are the read models with personal columns: at least those of accounts, orders and reviews.
func personalModels(t *testing.T) []projections.Projection {
	t.Helper()
	models := slices.DeleteFunc(projections.All(), func(p projections.Projection) bool { return !p.Personal() })
	if len(models) < 3 {
		t.Fatalf("%d read models have personal columns", len(models))
	}
	return models
}

func TestEveryPersonalColumnHasNoStatistics(t *testing.T) {
	t.Parallel()
	r := follow(t, personalModels(t)...)
	for _, p := range personalModels(t) {
		for _, table := range p.Tables {
			d := table.Definition()
			for _, column := range d.Personal {
				var target *int
				err := r.db.QueryRow(t.Context(), "SELECT attstattarget FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2",
					d.In(p.Name), column).Scan(&target)
				if err != nil || target == nil || *target != 0 {
					t.Errorf("%s.%s.%s is sampled: %v, %v", p.Name, d.Name, column, target, err)
				}
			}
		}
	}
}

// person is somebody with an account, an order and a review.
type person struct {
	running
	account, order, review domain.ID
}

func (r running) person(t *testing.T) (person, eventstore.Position) {
	t.Helper()
	p := person{r, id(81), id(82), id(83)}
	profile := customer.Profile{FirstName: planted, LastName: planted, Phone: planted, City: planted, Street: planted}
	r.put(t, customer.Stream(p.account), customer.Registered{ID: p.account, Email: planted, Profile: profile, At: noon})
	r.put(t, order.Stream(p.order), order.Placed{
		ID: p.order, CustomerID: p.account, PersonID: p.account, At: noon,
		Contact: order.Contact{FirstName: planted, LastName: planted, Email: planted, Phone: planted}, Address: order.Address{Street: planted},
	})
	return p, r.put(t, review.Stream(p.review), review.Posted{
		ID: p.review, CustomerID: p.account, PersonID: p.account, Author: review.Author{Name: planted}, Rating: 5, Content: "Хорошо", At: noon,
	})
}

// settled waits until every range of a read model has come to a position: ranges in which nothing happened take a while.
func (r running) settled(t *testing.T, name string, last eventstore.Position) {
	t.Helper()
	r.wait(t, name, last)
	eventually(t, "all ranges are there", func() bool {
		var least int64
		return r.db.QueryRow(t.Context(), "SELECT min(position) FROM eventstore.checkpoints WHERE consumer = $1", name).Scan(&least) == nil && least >= int64(last)
	})
}

// erase forgets the person as commands.Accounts does.
func (p person) erase(t *testing.T, e *Builder) eventstore.Position {
	t.Helper()
	if err := p.store.ErasePerson(t.Context(), p.account); err != nil {
		t.Fatal(err)
	}
	p.put(t, order.Stream(p.order), order.Forgotten{At: noon})
	p.put(t, review.Stream(p.review), review.Forgotten{At: noon})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := e.Forget(ctx, Ending{Stream: customer.Stream(p.account), Type: customer.Erased{}.EventType()}); err != nil {
		t.Fatal(err)
	}
	return p.put(t, customer.Stream(p.account), customer.Erased{ID: p.account, At: noon})
}

// shownIn are the tables, of any schema, that show the text.
func shownIn(t *testing.T, db *pgxpool.Pool) (found []string) {
	t.Helper()
	for _, table := range pgtest.All[string](t, db, `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema') OR tablename = 'pg_statistic' ORDER BY 1`) {
		var there bool
		err := db.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM "+table+" r WHERE r::text LIKE $1)", "%"+planted+"%").Scan(&there)
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "42P01" {
			continue // dropped meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		if there {
			found = append(found, table)
		}
	}
	return found
}

func schemas(t *testing.T, db *pgxpool.Pool, p projections.Projection) []string {
	t.Helper()
	return pgtest.All[string](t, db, "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, '"+p.Name+"') OR nspname IN ('then_"+p.Name+"') ORDER BY 1")
}

// Of every read model with personal columns nothing kept remembers who is erased: not the previous one, none as of a
// position, none that waits to be dropped, none that a build which ended left behind.
func TestNothingKeptRemembersWhoIsErased(t *testing.T) {
	t.Parallel()
	models := personalModels(t)
	r := follow(t, models...)
	who, last := r.person(t)
	for _, p := range models {
		r.wait(t, p.Name, last)
		if _, err := r.rebuild(t, p); err != nil {
			t.Fatal(err)
		}
		if _, err := r.run(t, p, BuildOptions{Kind: AsOf}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.run(t, p, BuildOptions{Kind: AsOf, Schema: "then_" + p.Name}); err != nil {
			t.Fatal(err)
		}
		for _, aside := range []string{"_gone_1", "_check"} {
			if err := pgx.BeginFunc(t.Context(), r.db, func(tx pgx.Tx) error { return p.CreateTables(t.Context(), tx, p.Name+aside) }); err != nil {
				t.Fatal(err)
			}
		}
		if got := schemas(t, r.db, p); len(got) != 6 {
			t.Fatalf("schemas of %s: %q", p.Name, got)
		}
	}
	if found := shownIn(t, r.db); len(found) < 4*len(models) {
		t.Fatalf("the search does not find who is there: %q", found)
	}
	last = who.erase(t, r.builder(models...))
	for _, p := range models {
		r.wait(t, p.Name, last)
		if got := schemas(t, r.db, p); len(got) != 1 || got[0] != p.Name {
			t.Errorf("schemas of %s: %q", p.Name, got)
		}
	}
	if found := shownIn(t, r.db); len(found) > 0 {
		t.Errorf("found in %q", found)
	}
	// Nothing of it stands in the way of what comes later.
	for _, p := range models {
		r.settled(t, p.Name, last)
		if b, err := r.rebuild(t, p); err != nil || b.State != Done {
			t.Errorf("%+v, %v", b, err)
		}
		if _, err := r.builder(models...).Rollback(t.Context(), p.Name); err != nil {
			t.Errorf("roll back %s: %v", p.Name, err)
		}
	}
	if found := shownIn(t, r.db); len(found) > 0 {
		t.Errorf("later found in %q", found)
	}
}

// stalled has the fold of a projection's first table wait until it is let through.
func stalled(p projections.Projection) (held projections.Projection, arrived, letThrough chan struct{}) {
	arrived, letThrough = make(chan struct{}, 1000), make(chan struct{})
	stop := func() {
		select {
		case arrived <- struct{}{}:
		default:
		}
		<-letThrough
	}
	p.Tables = slices.Clone(p.Tables)
	switch t := p.Tables[0].(type) {
	case projections.Table[projections.Account]:
		p.Tables[0] = slowed(t, stop)
	case projections.Table[projections.Order]:
		p.Tables[0] = slowed(t, stop)
	case projections.Table[projections.Review]:
		p.Tables[0] = slowed(t, stop)
	default:
		panic(fmt.Sprintf("add %T, which has personal columns", t))
	}
	return p, arrived, letThrough
}

func slowed[R any](t projections.Table[R], wait func()) projections.Table[R] {
	whole := t.Fold
	t.Fold = func(key string, r *R, e eventstore.Event) bool {
		keep := whole(key, r, e)
		wait()
		return keep
	}
	return t
}

// A build in whose memory somebody stands while they are erased begins anew, and ends without them.
func TestABuildUnderWayForgetsWhoIsErasedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]BuildOptions{
		"as of": {Kind: AsOf}, "rebuild": {AutoSwap: true, AcceptDifferences: true}, "shadow": {}, "verify": {Kind: Verify},
	} {
		for _, p := range personalModels(t) {
			t.Run(name+" "+p.Name, func(t *testing.T) {
				t.Parallel()
				r := follow(t, p)
				who, last := r.person(t)
				r.settled(t, p.Name, last) // so that the build folds them before it compares
				held, arrived, letThrough := stalled(p)
				e := r.builder(held)
				b, err := e.Start(t.Context(), p.Name, options)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				ended := make(chan error, 1)
				go func() { _, err := e.Run(ctx, b.ID, nil); ended <- err }()
				<-arrived
				last = who.erase(t, r.builder(p))
				close(letThrough)
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				r.wait(t, p.Name, last)
				if found := shownIn(t, r.db); len(found) > 0 {
					t.Errorf("found in %q", found)
				}
				if b, err = e.Find(t.Context(), b.ID); err != nil || b.State != Done && b.State != Ready {
					t.Errorf("%+v, %v", b, err)
				}
			})
		}
	}
}

// A build that waits for its swap, or is paused, is made anew as well.
func TestABuildAtRestForgetsWhoIsErased(t *testing.T) {
	t.Parallel()
	p := projections.Orders()
	r := follow(t, p)
	who, last := r.person(t)
	r.wait(t, p.Name, last)
	ready, err := r.run(t, p, BuildOptions{})
	if err != nil || ready.State != Ready {
		t.Fatalf("%+v, %v", ready, err)
	}
	last = who.erase(t, r.builder(p))
	r.wait(t, p.Name, last)
	if found := shownIn(t, r.db); len(found) > 0 {
		t.Errorf("found in %q", found)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if again, err := r.builder(p).Run(ctx, ready.ID, nil); err != nil || again.State != Ready {
		t.Errorf("%+v, %v", again, err)
	}
	if found := shownIn(t, r.db); len(found) > 0 {
		t.Errorf("later found in %q", found)
	}
}

// A live read model that a swap replaces before it has folded the erasure is not kept.
func TestASwapKeepsNoReadModelThatShowsWhoIsErased(t *testing.T) {
	t.Parallel()
	for _, p := range personalModels(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			r := follow(t, p)
			who, last := r.person(t)
			r.wait(t, p.Name, last)
			if err := feed.ControlOf(r.store).Pause(t.Context(), p.Name); err != nil {
				t.Fatal(err)
			}
			who.erase(t, r.builder(p))
			if b, err := r.rebuild(t, p); err != nil || b.State != Done {
				t.Fatalf("%+v, %v", b, err)
			}
			if got := schemas(t, r.db, p); !slices.Equal(got, []string{p.Name}) {
				t.Errorf("schemas: %q", got)
			}
			if found := shownIn(t, r.db); len(found) > 0 {
				t.Errorf("found in %q", found)
			}
			// The next one keeps what it replaces again: the live read model knows.
			if _, err := r.rebuild(t, p); err != nil {
				t.Fatal(err)
			}
			if got := schemas(t, r.db, p); !slices.Equal(got, []string{p.Name, p.Name + "_old"}) {
				t.Errorf("schemas after the next: %q", got)
			}
		})
	}
}

// Forget leaves the schemas of others alone, also those with names that a build once had.
func TestForgetLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	p := projections.Orders()
	r := follow(t, p, projections.Stock())
	who, last := r.person(t)
	r.wait(t, p.Name, last)
	for _, schema := range []string{"march", "mine"} {
		if _, err := r.run(t, p, BuildOptions{Kind: AsOf, Schema: schema}); err != nil {
			t.Fatal(err)
		}
		if err := r.builder(p).Drop(t.Context(), schema); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.run(t, projections.Stock(), BuildOptions{Kind: AsOf, Schema: "march"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.db.Exec(t.Context(), "CREATE SCHEMA mine"); err != nil {
		t.Fatal(err)
	}
	who.erase(t, r.builder(p, projections.Stock()))
	there := map[string]bool{}
	for _, schema := range pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace") {
		there[schema] = true
	}
	if !there["march"] || !there["mine"] || !there["stock"] {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(there)))
	}
}
