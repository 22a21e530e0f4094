package replicas_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations/embeddedpg"
	"shop/migrations/pgstandby"
	"shop/migrations/pgtest"
	"shop/readapi/replicas"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// shop is a primary with a table, a standby, and reads of it.
type shop struct {
	t       *testing.T
	server  *embeddedpg.Server
	primary *pgxpool.Pool
	standby *pgstandby.Standby
	set     *replicas.Set
	db      replicas.DB
	// ahead is added to the time.
	ahead atomic.Int64
}

func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, server: pgtest.Server(t, pgstandby.Settings)}
	var err error
	if s.primary, err = pgxpool.New(t.Context(), s.server.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.primary.Close)
	s.exec("CREATE TABLE counted (n bigint); INSERT INTO counted VALUES (0)")
	if s.standby, err = pgstandby.Start(t.Context(), s.server, pgstandby.Settings, "replica"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.standby.Close(); err != nil {
			t.Error(err)
		}
	})
	s.db = replicas.Of(s.primary)
	s.set = s.run(s.standby.URL)
	return s
}

// run looks after replicas until the test ends.
func (s *shop) run(url string) *replicas.Set {
	s.t.Helper()
	set, err := replicas.Open(s.t.Context(), s.primary, []string{url}, replicas.Options{
		Lag: 300 * time.Millisecond, Clock: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) },
	}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); set.Run(ctx) }()
	s.t.Cleanup(func() { cancel(); <-ended; set.Close() })
	return set
}

func (s *shop) exec(sql string) {
	s.t.Helper()
	if _, err := s.primary.Exec(s.t.Context(), sql); err != nil {
		s.t.Fatal(err)
	}
}

// read counts, and says whether a replica did.
func (s *shop) read(patience time.Duration) (n int64, replica bool) {
	s.t.Helper()
	err := s.set.Read(s.t.Context(), patience, func(ctx context.Context) error {
		return s.db.QueryRow(ctx, "SELECT n, pg_is_in_recovery() FROM counted").Scan(&n, &replica)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n, replica
}

// write changes what reads show, as a read model does: without waiting for the disk.
func (s *shop) write(n int64) {
	s.t.Helper()
	if _, err := s.primary.Exec(s.t.Context(), "WITH off AS (SELECT set_config('synchronous_commit', 'off', true)) UPDATE counted SET n = $1 FROM off", n); err != nil {
		s.t.Fatal(err)
	}
	s.set.Changed()
}

func (s *shop) status() replicas.Status { return s.set.Statuses()[0] }

// until waits for the replica to be in or out, reading all the while.
func (s *shop) until(what string, in bool, why string) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if now := s.status(); now.In == in && now.Why == why {
			return
		}
		s.read(time.Millisecond)
	}
	s.t.Fatalf("never: %s; it is %+v", what, s.status())
}

// TestReplica takes one replica through all that can happen to it. No read fails, and none is older than what was announced.
func TestReplica(t *testing.T) {
	t.Parallel()
	s := open(t)
	n := int64(0)
	s.until("it is in", true, "")

	for at := 0; at < 200; {
		s.until("it is in", true, "") // a machine at its limits may freeze it
		n++
		s.write(n)
		got, replica := s.read(time.Second)
		if got != n {
			t.Fatalf("read %d (at a replica: %t) after %d was announced", got, replica, n)
		}
		if replica {
			at++
		}
	}

	t.Log("a report asks for the head, and then for a replica that has it")
	for leveled := false; !leveled; {
		s.until("it is in", true, "")
		err := s.set.Read(t.Context(), time.Second, func(ctx context.Context) error {
			n++
			s.write(n)
			if err := replicas.Level(ctx); err != nil {
				return err
			}
			var got int64
			if err := s.db.QueryRow(ctx, "SELECT n, pg_is_in_recovery() FROM counted").Scan(&got, &leveled); err != nil {
				return err
			}
			if got != n {
				t.Errorf("read %d (at a replica: %t) after %d was committed", got, leveled, n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	t.Log("it lags")
	replica, err := pgxpool.New(t.Context(), s.standby.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer replica.Close()
	if _, err := replica.Exec(t.Context(), "SELECT pg_wal_replay_pause()"); err != nil {
		t.Fatal(err)
	}
	n++
	s.write(n)
	if got, replica := s.read(20 * time.Millisecond); got != n || replica {
		t.Errorf("read %d at a replica: %t, after %d was announced and replay stopped", got, replica, n)
	}
	s.until("it is out because it lags", false, "lags")
	if status := s.status(); status.Behind < 300*time.Millisecond || status.BehindBytes <= 0 {
		t.Errorf("%+v", status)
	}
	if _, err := replica.Exec(t.Context(), "SELECT pg_wal_replay_resume()"); err != nil {
		t.Fatal(err)
	}
	s.until("it is in once more", true, "")

	t.Log("it freezes under a read")
	if err := s.standby.Freeze(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if got, replica := s.read(time.Second); got != n || replica {
		t.Errorf("read %d at a replica: %t, which was frozen", got, replica)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a read at a frozen replica took %s", took)
	}
	s.until("it is out because it is frozen", false, "does not answer")
	if err := s.standby.Thaw(); err != nil {
		t.Fatal(err)
	}
	s.until("it is in after the thaw", true, "")

	t.Log("a read fails at it alone")
	err = s.set.Read(t.Context(), time.Second, func(ctx context.Context) error {
		var replica bool
		if err := s.db.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&replica); err != nil || !replica {
			return err
		}
		return errors.New("canceling statement due to conflict with recovery")
	})
	if err != nil {
		t.Error(err)
	}

	t.Log("it crashes")
	if err := s.standby.Kill(); err != nil {
		t.Fatal(err)
	}
	s.until("it is out because it crashed", false, "does not answer")
	n++
	s.write(n)
	if got, replica := s.read(time.Second); got != n || replica {
		t.Errorf("read %d at a replica: %t, which is dead", got, replica)
	}
	s.standby.Again()
	s.until("it is in after its crash", true, "")
	if got, _ := s.read(time.Second); got != n {
		t.Errorf("read %d, want %d", got, n)
	}

	t.Log("it is promoted")
	if err := s.standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, replica := s.read(time.Second); got != n || replica {
		t.Errorf("read %d at a replica: %t, which was promoted", got, replica)
	}
	s.until("it is out for good", false, "is no standby")
}

// TestReplicaOfAnotherHistory: a standby of a server that has other events than the primary is never asked.
func TestReplicaOfAnotherHistory(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.until("it is in", true, "")
	other, err := pgxpool.New(t.Context(), pgtest.Server(t, pgstandby.Settings).URL())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	s.exec(`INSERT INTO eventstore.events (position, id, stream, version, slice, type, schema, data, metadata, recorded_at)
		VALUES (nextval('eventstore.position'), gen_random_uuid(), 'x', 1, 0, 'x.made', 1, '{}', '{}', now())`)
	s.write(1)
	if n, replica := s.read(time.Minute); n != 1 || !replica {
		t.Fatalf("read %d at a replica: %t, before the histories part", n, replica)
	}
	s.primary, s.db = other, replicas.Of(other)
	if _, err := other.Exec(t.Context(), "CREATE TABLE counted (n bigint); INSERT INTO counted VALUES (7)"); err != nil {
		t.Fatal(err)
	}
	s.set = s.run(s.standby.URL)
	s.until("it is doubted", false, "is being compared with the primary")
	s.ahead.Add(int64(time.Minute))
	s.until("it is out", false, "has events that the primary lacks")
	if n, replica := s.read(time.Second); n != 7 || replica {
		t.Errorf("read %d at a replica: %t", n, replica)
	}
}
