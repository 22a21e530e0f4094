package eventstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations/pgtest"
)

// guarded is a pool whose connections v checks.
func guarded(t *testing.T, v *Server, url string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	v.Guard(config)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func mustHaveChanged(t *testing.T, err error, v *Server, lost bool, says ...string) {
	t.Helper()
	var changed *ServerChanged
	if !errors.As(err, &changed) || changed.Lost != lost {
		t.Fatalf("err = %v, want a changed server with lost %t", err, lost)
	}
	for _, part := range says {
		if !strings.Contains(changed.Error(), part) {
			t.Errorf("%q is not in: %v", part, changed)
		}
	}
	if strings.Contains(changed.Error(), "\n") {
		t.Errorf("more than a line: %v", changed)
	}
	select {
	case <-v.Changed():
	default:
		t.Error("nobody was told")
	}
}

// TestLogThatWentBack: a backup was restored under a running process.
func TestLogThatWentBack(t *testing.T) {
	t.Parallel()
	v := NewServer()
	s := Open(guarded(t, v, pgtest.URL(t)), codec{}, Options{Logger: quiet, Server: v})
	t.Cleanup(s.Close)
	appendTo(t, s, "x", happened{}, happened{})
	if _, err := s.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.pool.Exec(t.Context(), "DELETE FROM eventstore.events WHERE version = 2"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Head(t.Context())
	mustHaveChanged(t, err, v, true, "went back", "ACKNOWLEDGED EVENTS ARE LOST", "up to position 2", "ends at 1")
	if _, err := s.Head(t.Context()); err == nil {
		t.Error("the process went on")
	}
}

// TestAcknowledgedAndGone: what was acknowledged counts before any reader has seen it.
func TestAcknowledgedAndGone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	appendTo(t, s, "x", happened{})
	if _, err := s.pool.Exec(t.Context(), "DELETE FROM eventstore.events"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Head(t.Context())
	mustHaveChanged(t, err, s.server, true, "up to position 1", "ends at 0")
}

// TestPositionGivenOutAgain: the log is as long as before, with another event at the place of a known one.
func TestPositionGivenOutAgain(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	appendTo(t, s, "x", happened{})
	if _, err := s.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.pool.Exec(t.Context(), "UPDATE eventstore.events SET id = gen_random_uuid()"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Head(t.Context())
	mustHaveChanged(t, err, s.server, true)
}

// TestConnectionToAnotherLog: a new connection is checked before anybody uses it.
func TestConnectionToAnotherLog(t *testing.T) {
	t.Parallel()
	v := NewServer()
	s := Open(guarded(t, v, pgtest.URL(t)), codec{}, Options{Logger: quiet, Server: v})
	t.Cleanup(s.Close)
	appendTo(t, s, "x", happened{})
	if _, err := s.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	url := pgtest.URL(t)
	other := Open(pgtest.Open(t), codec{}, Options{Logger: quiet})
	t.Cleanup(other.Close)
	appendTo(t, other, "y", happened{}, happened{}, happened{}) // a longer log, too
	for _, elsewhere := range []*pgxpool.Pool{guarded(t, v, url), guarded(t, v, other.pool.Config().ConnString())} {
		_, err := elsewhere.Exec(t.Context(), "CREATE TABLE written_from_memory ()")
		mustHaveChanged(t, err, v, true)
	}
}

// TestAnotherTimeline: a promoted server that has all events still ends the process, which may know more than it has seen.
func TestAnotherTimeline(t *testing.T) {
	t.Parallel()
	v := NewServer()
	pool := guarded(t, v, pgtest.URL(t))
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.is.timeline--
	s := Open(pool, codec{}, Options{Logger: quiet, Server: v})
	t.Cleanup(s.Close)
	_, err := s.Head(t.Context())
	mustHaveChanged(t, err, v, false, "promoted or restored: timeline 1, before 0", "up to position 0, is there")
}

// TestSameServer: nothing changes while a log grows under several readers at once.
func TestSameServer(t *testing.T) {
	t.Parallel()
	v := NewServer()
	s := Open(guarded(t, v, pgtest.URL(t)), codec{}, Options{Logger: quiet, Server: v})
	t.Cleanup(s.Close)
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			for range 50 {
				if _, err := s.Append(t.Context(), Append{Writes: []Write{{Stream: "x", Expected: AnyVersion, Events: some(1)}}}); err != nil {
					done <- err
					return
				}
				if _, err := s.Head(t.Context()); err != nil {
					done <- err
					return
				}
				s.pool.Reset() // new connections, checked against what the others know by now
			}
			done <- nil
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
