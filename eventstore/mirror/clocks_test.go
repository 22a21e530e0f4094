package mirror_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/eventstore"
	"shop/eventstore/mirror"
)

// shifted is a clock that is wrong.
func shifted(by time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(by) }
}

// TestClocksApart: the clocks of the home region and of a region are wrong by a minute, and the new copy gets everything by the stream:
// with such patience it would read nothing at home. By an hour it gets everything, too, by either way.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		home, region time.Duration
		patience     time.Duration
	}{
		{"the region is a minute ahead", 0, time.Minute, time.Hour},
		{"the region is a minute behind", 0, -time.Minute, time.Hour},
		{"the home region is a minute ahead", time.Minute, 0, time.Hour},
		{"the home region is a minute behind", -time.Minute, 0, time.Hour},
		{"the region is an hour ahead", 0, time.Hour, 100 * time.Millisecond},
		{"the region is an hour behind", 0, -time.Hour, 100 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorldAt(t, shifted(c.home))
			w.fill(c.region, c.patience)
			w.await(w.put(3))
			w.equal()
		})
	}
}

// fill feeds a new copy by a wrong clock, and returns when it was filled.
func (w *world) fill(by, patience time.Duration) {
	w.t.Helper()
	last := w.put(2)
	w.relayed(last)
	m := &mirror.Mirror{
		Pool: w.region.Pool(), Home: mirror.Home{Pool: w.home.Pool()}, Conn: w.nats.Connect(), Log: slog.New(w.hears), Patience: patience, Clock: shifted(by),
	}
	w.background(m.Run)
	w.await(last)
}

// TestErasureAfterAPromotionToASlowClock: the former primary's clock was ahead, so that the next person seems to be erased before the last.
func TestErasureAfterAPromotionToASlowClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mirror()
	var persons []uuid.UUID
	for range 2 {
		person := uuid.New()
		persons = append(persons, person)
		done, err := w.home.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{
			Stream: "customer-" + person.String(), Events: []eventstore.NewEvent{{Data: named{Person: person, Name: "Сауле"}}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		w.await(done.Position)
	}
	for i, ahead := range []time.Duration{3 * time.Minute, 0} {
		_, err := w.home.Pool().Exec(t.Context(), `UPDATE eventstore.person_keys SET key = NULL, erased_at = now() + $2 WHERE person = $1`, persons[i], ahead)
		if err != nil {
			t.Fatal(err)
		}
		w.forgets(persons[i])
	}
}

// forgets returns when the region has no key of a person.
func (w *world) forgets(person uuid.UUID) {
	w.t.Helper()
	for deadline := time.After(30 * time.Second); ; {
		var keys int
		if err := w.region.Pool().QueryRow(w.t.Context(), `SELECT count(*) FROM eventstore.person_keys WHERE person = $1 AND key IS NOT NULL`, person).Scan(&keys); err != nil {
			w.t.Fatal(err)
		}
		if keys == 0 {
			return
		}
		select {
		case <-deadline:
			w.t.Fatalf("the region still has the key of %s: %q", person, w.hears.lines)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
