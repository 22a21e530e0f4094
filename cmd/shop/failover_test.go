package main

import (
	"context"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/shoptest"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/embeddedpg"
	"shop/migrations/pgstandby"
	"shop/migrations/pgtest"
	"shop/projections"
)

// pair is a PostgreSQL with a standby that streams from it.
type pair struct {
	t       *testing.T
	primary *embeddedpg.Server
	standby *pgstandby.Standby
	// at are the addresses of the two, and of both.
	primaryURL, standbyURL, url string
}

// startPair starts a primary, copies it while it runs, and starts the copy as its standby.
func startPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{t: t, primary: pgtest.Server(t, pgstandby.Settings)}
	p.primaryURL = p.primary.URL()
	standby, err := pgstandby.Start(t.Context(), p.primary, pgstandby.Settings, "standby")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Close(); err != nil {
			t.Error(err)
		}
	})
	p.standby, p.standbyURL = standby, standby.URL
	both, err := url.Parse(p.primaryURL)
	if err != nil {
		t.Fatal(err)
	}
	other, err := url.Parse(p.standbyURL)
	if err != nil {
		t.Fatal(err)
	}
	query := both.Query()
	query.Set("host", query.Get("host")+","+other.Query().Get("host"))
	query.Set("port", query.Get("port")+","+query.Get("port"))
	query.Set("target_session_attrs", "read-write")
	both.RawQuery = query.Encode()
	p.url = both.String()
	return p
}

func (p *pair) connect(at string) *pgx.Conn {
	p.t.Helper()
	conn, err := pgx.Connect(p.t.Context(), at)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func (p *pair) exec(conn *pgx.Conn, sql string) {
	p.t.Helper()
	if _, err := conn.Exec(p.t.Context(), sql); err != nil {
		p.t.Fatalf("%s: %v", sql, err)
	}
}

// until waits for a server to say true.
func (p *pair) until(what, at, sql string) {
	p.t.Helper()
	var last error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		conn, err := pgx.Connect(p.t.Context(), at)
		if last = err; err != nil {
			continue
		}
		var yes bool
		last = conn.QueryRow(p.t.Context(), sql).Scan(&yes)
		conn.Close(p.t.Context())
		if yes {
			return
		}
	}
	p.t.Fatalf("never: %s (%v)", what, last)
}

// levels waits until the standby has all that the primary has.
func (p *pair) levels() {
	p.t.Helper()
	p.until("the standby has everything", p.primaryURL, "SELECT bool_and(replay_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication")
}

// failOver kills the primary with all its processes and promotes the standby.
func (p *pair) failOver() {
	p.t.Helper()
	rows, err := p.connect(p.primaryURL).Query(p.t.Context(), "SELECT pid FROM pg_stat_activity")
	if err != nil {
		p.t.Fatal(err)
	}
	processes, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		p.t.Fatal(err)
	}
	for _, pid := range append([]int{p.primary.PID()}, processes...) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // some end with the postmaster
	}
	if err := p.standby.Promote(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// program is the program on both servers.
func (p *pair) program() program {
	program := onDatabase(p.t)
	program.env[0] = "SHOP_DATABASE_URL=" + p.url
	return program
}

// ends returns the program's last words when it ends by itself, with a status of failure.
func (s *served) ends() string {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		s.t.Fatalf("shop serve goes on a minute after its database is another: %s", s.stderr)
	}
	if status := s.cmd.ProcessState.ExitCode(); status == 0 {
		s.t.Errorf("status %d", status)
	}
	return s.stderr.String()
}

// equalFold holds every read model against a fold of the log.
func (p program) equalFold() {
	p.t.Helper()
	for _, model := range projections.All() {
		if said := p.ok("projections", "verify", model.Name); !strings.HasPrefix(said, model.Name+": equal") {
			p.t.Error(said)
		}
	}
}

// TestStandbyIsRefused: a standby answers questions, and what it shows is not what is safe to read.
func TestStandbyIsRefused(t *testing.T) {
	t.Parallel()
	servers := startPair(t)
	servers.levels()
	p := servers.program()
	p.env[0] = "SHOP_DATABASE_URL=" + servers.standbyURL
	if r := p.run("serve"); r.status == 0 || !strings.Contains(r.stderr, "the server is a standby (in recovery)") || !strings.Contains(r.stderr, "target_session_attrs=read-write") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	// Neither do heads come from there, nor a checked connection.
	pool, err := pgxpool.New(t.Context(), servers.standbyURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	store := eventstore.Open(pool, registry.New(), eventstore.Options{Logger: shoptest.Quiet})
	defer store.Close()
	if head, err := store.Head(t.Context()); err == nil || !strings.Contains(err.Error(), "the server is a standby") {
		t.Errorf("head %d, %v", head, err)
	}
	config, err := pgxpool.ParseConfig(servers.standbyURL)
	if err != nil {
		t.Fatal(err)
	}
	v := eventstore.NewServer()
	v.Guard(config)
	checked, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer checked.Close()
	if err := checked.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "the server is a standby") || v.Err() != nil {
		t.Errorf("a connection to a standby: %v, and the server: %v", err, v.Err())
	}
}

// TestFailoverThatLosesTheTail: the standby lacks the last orders that were acknowledged. The shop says so, and its read
// models show what the new log holds, and nothing of the lost orders.
func TestFailoverThatLosesTheTail(t *testing.T) {
	t.Parallel()
	servers := startPair(t)
	p := servers.program()
	cream := p.stocked("MK-1", 9000, 1000)
	p.unbounded()
	s := p.serve()
	var kept, lost []receipt
	for range 3 {
		kept = append(kept, s.placed(cream, 1, "CASH"))
	}
	servers.levels()
	// From here on nothing reaches the standby.
	standby := servers.connect(servers.standbyURL)
	servers.exec(standby, "ALTER SYSTEM SET primary_conninfo = 'host=/nowhere'")
	servers.exec(standby, "SELECT pg_reload_conf()")
	servers.until("replication ends", servers.primaryURL, "SELECT count(*) = 0 FROM pg_stat_replication")
	for range 20 {
		lost = append(lost, s.placed(cream, 1, "CASH"))
	}
	servers.failOver()
	said := s.ends()
	for _, part := range []string{"promoted or restored: timeline 2, before 1", "ACKNOWLEDGED EVENTS ARE LOST", "start it again"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not among its last words: %s", part, said)
		}
	}

	again := p.serve()
	kept = append(kept, again.placed(cream, 1, "CASH"))
	known := p.numbersOf()
	if len(known) != len(kept) {
		t.Errorf("%d orders, want %d", len(known), len(kept))
	}
	for _, r := range kept {
		if known[r.Number].ID != r.ID {
			t.Errorf("order %d is not there", r.Number)
		}
	}
	for _, r := range lost {
		if known[r.Number].ID == r.ID {
			t.Errorf("order %d is not in the log and is shown", r.Number)
		}
	}
	p.equalFold()
	p.audit()
	if status := again.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, again.stderr)
	}
}

// TestFailoverToASynchronousStandby: whatever was acknowledged is in the log of the promoted server.
func TestFailoverToASynchronousStandby(t *testing.T) {
	t.Parallel()
	servers := startPair(t)
	p := servers.program()
	cream := p.stocked("MK-1", 9000, 1_000_000)
	p.unbounded()
	primary := servers.connect(servers.primaryURL)
	servers.exec(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	servers.exec(primary, "SELECT pg_reload_conf()")
	servers.until("the standby is synchronous", servers.primaryURL, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
	s := p.serve()
	c := s.customers(8, cream)
	c.wait(t, 100)
	servers.failOver()
	said := s.ends()
	c.leave()
	if !strings.Contains(said, "promoted or restored: timeline 2, before 1") || !strings.Contains(said, "all that this process knew") || strings.Contains(said, "LOST") {
		t.Errorf("its last words: %s", said)
	}
	again := p.serve()
	known := p.numbersOf()
	for _, r := range c.acked {
		if known[r.Number].ID != r.ID {
			t.Errorf("order %d was acknowledged and is not there", r.Number)
		}
	}
	if r := again.placed(cream, 1, "CASH"); known[r.Number].Number != 0 {
		t.Errorf("number %d was given twice", r.Number)
	}
	p.equalFold()
	p.audit()
	if status := again.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, again.stderr)
	}
}
