package securitylog

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// desk is a log with a clock that tests move.
type desk struct {
	*Log
	t    *testing.T
	mu   sync.Mutex
	time time.Time
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, time: time.Now().UTC().Truncate(time.Second)}
	d.Log = New(pgtest.Open(t), Options{Secret: bytes.Repeat([]byte{7}, 32), Clock: func() time.Time { d.mu.Lock(); defer d.mu.Unlock(); return d.time }})
	return d
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.time = d.time.Add(by)
}

// at is the context of a request.
func (d *desk) at(network string) context.Context {
	return Into(d.t.Context(), d.Log, Request{Network: network, ID: uuid.NewString(), Route: func() string { return "/api/token" }})
}

type kept struct {
	Kind, Outcome, Party string
	Who                  *[16]byte
	About                *[16]byte
	Network, Email       []byte
	Request              *[16]byte
	Times                int64
}

func rowsOf(t *testing.T, pool *pgxpool.Pool) []kept {
	t.Helper()
	rows, _ := pool.Query(t.Context(), "SELECT kind, outcome, party, who, about, network, email, request, times FROM security.records ORDER BY id")
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[kept])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (d *desk) flushed() []kept {
	d.t.Helper()
	if err := d.Flush(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	return rowsOf(d.t, d.pool)
}

func TestRepeatsShareARow(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	wrong := Entry{Kind: SignIn, Outcome: Wrong, How: ByPassword, Who: Who{Party: Customer}, Email: " Aigerim@Example.com "}
	for range 5 {
		Note(d.at("198.51.100.1"), wrong)
	}
	Note(d.at("198.51.100.2"), wrong)
	d.pass(2 * time.Minute)
	wrong.Email = "aigerim@example.com"
	Note(d.at("198.51.100.1"), wrong)
	all := d.flushed()
	var times []int64
	for _, r := range all {
		times = append(times, r.Times)
		if r.Kind != "sign-in" || r.Outcome != "wrong" || r.Party != "customer" || !bytes.Equal(r.Email, all[0].Email) || len(r.Network) != 16 {
			t.Errorf("%+v", r)
		}
	}
	if fmt.Sprint(times) != "[1 1 4 1]" {
		t.Errorf("rows stand for %v", times)
	}
	if all[0].Request == nil || all[2].Request != nil || all[3].Request == nil {
		t.Error("a row names its request, and one that stands for several none")
	}
}

// TestFloodIsSummedUp: guests who fail a hundred thousand times with as many e-mails take their own budget, and staff's rows stand.
func TestFloodIsSummedUp(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	boss := Who{Party: Staff, ID: uuid.Must(uuid.NewV7()), Role: "admin"}
	for i := range 100_000 {
		Note(d.at(fmt.Sprintf("2001:db8::%x", i)), Entry{Kind: SignIn, Outcome: Wrong, Who: Who{Party: Customer}, Email: fmt.Sprintf("u%d@example.com", i)})
		if i%1000 == 0 {
			Note(As(d.at("203.0.113.1"), boss), Entry{Kind: Look, Outcome: OK, About: uuid.Must(uuid.NewV7())})
		}
	}
	var looks, wrong, times int64
	for _, r := range d.flushed() {
		switch r.Kind {
		case "look":
			looks++
		case "sign-in":
			wrong, times = wrong+1, times+r.Times
		}
	}
	if looks != 100 || times != 100_000 || wrong > int64(allowances[OfGuests].burst)+1 {
		t.Errorf("%d looks, %d rows that stand for %d guesses", looks, wrong, times)
	}
	// Strangers who fail as staff do not displace staff either.
	for i := range 5000 {
		Note(d.at("198.51.100.1"), Entry{Kind: SignIn, Outcome: Wrong, Who: Who{Party: Staff, ID: boss.ID}, Email: fmt.Sprintf("s%d@shop.example", i)})
	}
	before := len(d.flushed())
	Note(As(d.at("203.0.113.1"), boss), Entry{Kind: StaffRole, Outcome: Changed, How: "admin"})
	if after := len(d.flushed()); after != before+1 {
		t.Errorf("%d rows became %d", before, after)
	}
}

// TestDatabaseAway: while nothing can be written, callers do not wait, and what fits is written later.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	if _, err := d.pool.Exec(t.Context(), "ALTER TABLE security.records RENAME TO hidden"); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		Note(d.at("198.51.100.1"), Entry{Kind: Reset, Outcome: Asked, How: fmt.Sprint(i)})
	}
	if err := d.Flush(t.Context()); err == nil {
		t.Error("no error")
	}
	if _, err := d.pool.Exec(t.Context(), "ALTER TABLE security.hidden RENAME TO records"); err != nil {
		t.Fatal(err)
	}
	if all := d.flushed(); len(all) != 3 {
		t.Errorf("%d rows", len(all))
	}
}

func TestForgottenPersonsAndOldRecords(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	gone, other, boss := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	Note(d.at("198.51.100.1"), Entry{Kind: SignIn, Outcome: OK, Who: Who{Party: Customer, ID: gone}, Email: "gone@example.com"})
	Note(d.at("198.51.100.2"), Entry{Kind: Reset, Outcome: Asked, Email: "gone@example.com"})
	Note(As(d.at("203.0.113.1"), Who{Party: Staff, ID: boss}), Entry{Kind: SessionEnd, Outcome: OK, About: gone})
	Note(d.at("198.51.100.3"), Entry{Kind: SignIn, Outcome: OK, Who: Who{Party: Customer, ID: other}, Email: "other@example.com"})
	if err := d.Forget(t.Context(), []uuid.UUID{gone}, "Gone@example.com"); err != nil {
		t.Fatal(err)
	}
	all := rowsOf(t, d.pool)
	if len(all) != 4 {
		t.Fatalf("%d rows", len(all))
	}
	var named int
	for _, r := range all {
		switch {
		case r.Who != nil && *r.Who == other:
			named++
			if r.Email == nil || r.Network == nil || r.Request == nil {
				t.Errorf("another's row was taken apart: %+v", r)
			}
		case r.Who != nil && *r.Who == boss:
			named++
			if r.About != nil || r.Network == nil {
				t.Errorf("the row of staff: %+v", r)
			}
		case r.Who != nil || r.About != nil || r.Email != nil || r.Network != nil || r.Request != nil:
			t.Errorf("the person is still there: %+v", r)
		}
	}
	if named != 2 {
		t.Errorf("%d rows name somebody", named)
	}

	const age = "UPDATE security.records SET at = now() - make_interval(days => $1) WHERE party = 'staff'"
	for _, c := range []struct{ age, days, want int }{{20, 1, 0}, {100, 180, 0}, {100, 90, 1}} {
		if _, err := d.pool.Exec(t.Context(), age, c.age); err != nil {
			t.Fatal(err)
		}
		if n, err := d.Sweep(t.Context(), c.days); err != nil || n != int64(c.want) {
			t.Errorf("%d days old, kept for %d: %d swept, %v", c.age, c.days, n, err)
		}
	}
}

func TestRunWritesByItself(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { d.Run(ctx); close(ended) }()
	Note(d.at("198.51.100.1"), Entry{Kind: CSRF, Outcome: Refused})
	for began := time.Now(); len(rowsOf(t, d.pool)) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("nothing is written")
		}
	}
	Note(d.at("198.51.100.1"), Entry{Kind: CSRF, Outcome: Refused})
	stop()
	<-ended
	if all := rowsOf(t, d.pool); len(all) != 2 {
		t.Errorf("%d rows after the end", len(all))
	}
	Note(t.Context(), Entry{Kind: CSRF, Outcome: Refused}) // nobody keeps it, and nobody minds
}
