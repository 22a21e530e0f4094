package feed

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"shop/eventstore"
)

// meddling are Checkpoints beside which somebody acts after the letters to retry were read.
type meddling struct {
	Checkpoints
	act func()
}

func (m meddling) Retries(ctx context.Context, at Place, limit int) ([]eventstore.Position, error) {
	positions, err := m.Checkpoints.Retries(ctx, at, limit)
	if len(positions) > 0 {
		m.act()
	}
	return positions, err
}

// TestASkippedEventIsNotTriedAgain: an operator skips an event while the attempt that they asked for before begins.
func TestASkippedEventIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	c, broken := breakable(seen(t, s, "c"))
	f := New(s, Options{})
	var skipped atomic.Bool
	f.checkpoints = meddling{f.checkpoints, func() {
		if skipped.CompareAndSwap(false, true) {
			if err := ControlOf(s).Skip(ctx, "c", 1, "a mistake"); err != nil {
				t.Error(err)
			}
		}
	}}
	f.Add(c)
	runFeed(t, f)
	waitFor(t, f, "c", appendTo(t, s, "x", happened{}, happened{}))
	broken.Store(false)
	if _, err := ControlOf(s).Retry(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nothing is parked", func() bool {
		letters, err := ControlOf(s).DeadLetters(ctx, "c")
		return err == nil && len(letters) == 0
	})
	if got := versions(t, s, "c")["x"]; len(got) != 1 || got[0] != 2 {
		t.Errorf("handled versions %v, want the one that was not skipped", got)
	}
	var reason string
	if err := s.Pool().QueryRow(ctx, `SELECT reason FROM eventstore.dead_letters WHERE position = 1`).Scan(&reason); err != nil || reason != "a mistake" {
		t.Errorf("the record of the skip: %q, %v", reason, err)
	}
}

// TestAnErasureThatNobodyHeardIsForgottenOnReconnecting: the connection that hears of erasures was down.
func TestAnErasureThatNobodyHeardIsForgottenOnReconnecting(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	person := uuid.New()
	f, _ := run(t, s, Options{}, seen(t, s, "c"))
	waitFor(t, f, "c", appendTo(t, s, "p", named{Person: person, Name: "Anna"}))
	eventually(t, "listens", f.membership.listening.Load)
	// Another process erases the person, and no notification comes.
	if _, err := s.Pool().Exec(ctx, `UPDATE eventstore.person_keys SET key = NULL, erased_at = now() WHERE person = $1`, person); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool().Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`); err != nil {
		t.Fatal(err)
	}
	eventually(t, "forgotten", func() bool {
		for r := range eventstore.Ranges {
			if f.recent.holds(r) > 0 {
				return false
			}
		}
		events, err := s.Stream(ctx, "p", 0, 0)
		return err == nil && events[0].Erased
	})
}

// TestWhatIsNotThereYetIsNotReached: on a replica that has not replayed an event, nobody has handled it.
func TestWhatIsNotThereYetIsNotReached(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	f, _ := run(t, s, Options{}, seen(t, s, "c"))
	last := appendTo(t, s, "x", happened{})
	waitFor(t, f, "c", last)
	for p, want := range map[eventstore.Position]bool{0: true, last: true, last + 1: false} {
		if reached, _, err := f.checkpoints.Reached(t.Context(), "c", p); err != nil || reached != want {
			t.Errorf("position %d of %d is reached: %t, %v", p, last, reached, err)
		}
	}
}
