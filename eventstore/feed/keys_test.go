package feed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/migrations/pgtest"
)

// A consumer waits for a key that is missing: it neither folds an empty name nor parks the event, and goes on when the key comes.
func TestAConsumerWaitsForAMissingKey(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	last := appendTo(t, s, "p", named{Person: uuid.New(), Name: "Anna"})
	for _, sql := range []string{`CREATE TABLE aside AS TABLE eventstore.person_keys`, `DELETE FROM eventstore.person_keys`} {
		if _, err := s.Pool().Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	s.ReadKeysAnew()
	var mu sync.Mutex
	var names []string
	f, stop := run(t, s, Options{}, Consumer{Name: "c", Handle: func(_ context.Context, _ pgx.Tx, events []eventstore.Event) error {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range events {
			if d, ok := e.Data.(named); ok {
				names = append(names, d.Name)
			}
		}
		return nil
	}})
	defer stop()
	// While it runs, too: what is recent is read once for all consumers.
	last = max(last, appendTo(t, s, "q", named{Person: uuid.New(), Name: "Boris"}))
	waiting, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := f.WaitFor(waiting, "c", last); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it went on without the key: %v", err)
	}
	if _, err := s.Pool().Exec(t.Context(), `INSERT INTO eventstore.person_keys SELECT * FROM aside`); err != nil {
		t.Fatal(err)
	}
	waitFor(t, f, "c", last)
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(names)
	if !slices.Equal(names, []string{"Anna", "Boris"}) {
		t.Errorf("names %q", names)
	}
	if n := pgtest.All[int64](t, s.Pool(), `SELECT count(*) FROM eventstore.dead_letters`); n[0] != 0 {
		t.Errorf("%d dead letters", n[0])
	}
}
