package feed

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// A feed that runs while a log is imported misses nothing of it, over several COPYs.
func TestFeedSeesAnImport(t *testing.T) {
	t.Parallel()
	from, to := openStore(t), openStore(t)
	const n = 10_010
	writes := make([]eventstore.Write, 10)
	for i := range writes {
		writes[i] = eventstore.Write{Stream: fmt.Sprint("s", i), Events: some(n / len(writes))}
	}
	if _, err := from.Append(t.Context(), eventstore.Append{Writes: writes}); err != nil {
		t.Fatal(err)
	}
	feed := New(to, Options{})
	if _, err := to.Pool().Exec(t.Context(), "CREATE TABLE counted (n bigint)"); err != nil {
		t.Fatal(err)
	}
	feed.Add(Consumer{Name: "count", Types: []string{"test.happened"}, Handle: func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		_, err := tx.Exec(ctx, "INSERT INTO counted VALUES ($1)", len(events))
		return err
	}})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- feed.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-feed.Running()
	file, pipe := io.Pipe()
	go func() {
		_, err := from.Export(context.WithoutCancel(t.Context()), pipe, eventstore.ExportOptions{})
		pipe.CloseWithError(err)
	}()
	done, err := to.Import(t.Context(), file, eventstore.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := feed.WaitFor(waiting, "count", done.Last); err != nil {
		t.Fatal(err)
	}
	var counted int64
	if err := to.Pool().QueryRow(t.Context(), "SELECT sum(n) FROM counted").Scan(&counted); err != nil || counted != n || done.Events != n {
		t.Errorf("the feed saw %d of %d events, %v", counted, done.Events, err)
	}
}

// TestCheckpointPastAHoleGoesOn: earlier versions let consumers pass the holes at the end of the log.
func TestCheckpointPastAHoleGoesOn(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	c := seen(t, s, "c")
	last := appendTo(t, s, "a", happened{}, happened{})
	f, stop := run(t, s, Options{}, c)
	waitFor(t, f, "c", last)
	stop()
	for _, sql := range []string{
		"SELECT nextval('eventstore.position') FROM generate_series(1, 5)",
		"UPDATE eventstore.checkpoints SET position = (SELECT eventstore.present())",
	} {
		if _, err := s.Pool().Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	s2 := eventstore.Open(s.Pool(), codec{}, eventstore.Options{Logger: quiet}) // a new process of the new version
	t.Cleanup(s2.Close)
	f, _ = run(t, s2, Options{}, c)
	waitFor(t, f, "c", last)
	last = appendTo(t, s2, "a", happened{})
	appendTo(t, s2, "b", happened{})
	waitFor(t, f, "c", last)
	eventually(t, "handled all", func() bool { return len(versions(t, s, "c")["b"]) == 1 })
	if got := versions(t, s, "c"); !slices.Equal(got["a"], []int64{1, 2, 3}) {
		t.Errorf("handled %v", got)
	}
}
