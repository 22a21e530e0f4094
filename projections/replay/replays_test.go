package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/rules"
	"shop/eventstore"
	"shop/projections/replay"
)

// run lets replays be worked on until the returned function is called, or the test ends.
func run(t *testing.T, r *replay.Replays) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

func (p *past) replays() *replay.Replays {
	return replay.NewReplays(p.pool, p.store, slog.New(slog.DiscardHandler))
}

// asked puts a question about a least sum, up to a position; 0: the head.
func (p *past) asked(r *replay.Replays, least domain.Money, upTo eventstore.Position) (found replay.Replay, fresh bool, err error) {
	p.t.Helper()
	tried, at, err := r.RulesAt(p.t.Context(), upTo)
	if err != nil {
		p.t.Fatal(err)
	}
	tried.MinimumSum = least
	overrides, err := json.Marshal(map[string]domain.Money{"minimum_sum": least})
	if err != nil {
		p.t.Fatal(err)
	}
	return r.Ask(p.t.Context(), replay.Question{Rules: tried, Overrides: overrides, Position: at, Actor: "staff:1"})
}

func (p *past) ask(r *replay.Replays, least domain.Money) replay.Replay {
	p.t.Helper()
	found, _, err := p.asked(r, least, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// becomes waits for a replay to come to a state.
func (p *past) becomes(r *replay.Replays, id string, state replay.State) replay.Replay {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		found, err := r.Show(p.t.Context(), id)
		if err != nil {
			p.t.Fatal(err)
		}
		if found.State == state {
			return found
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%s is %s, not %s: %s", id, found.State, state, found.Error)
		}
	}
}

func (p *past) exec(sql string, args ...any) {
	p.t.Helper()
	if _, err := p.pool.Exec(p.t.Context(), sql, args...); err != nil {
		p.t.Fatal(err)
	}
}

func TestReplaysAnswerAsTryDoes(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	p.placed(card(line(1, 1, 8_000)))
	middle, err := p.store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.placed(card(line(1, 1, 30_000)))
	r := p.replays()
	run(t, r)

	tried := rules.Default()
	tried.MinimumSum = 9_000
	// Back in the log, at its head, and on behind what is kept in memory.
	for _, upTo := range []eventstore.Position{0, middle, 0} {
		found, _, err := p.asked(r, 9_000, upTo)
		if err != nil {
			t.Fatal(err)
		}
		h, err := replay.Read(t.Context(), p.store, upTo, unseen)
		if err != nil {
			t.Fatal(err)
		}
		report, err := h.Try(t.Context(), tried, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		got := p.becomes(r, found.ID, replay.Done)
		if string(got.Report) != string(want) || got.ID != report.ID || got.Done != got.Of || got.FinishedAt.IsZero() || string(got.Overrides) != `{"minimum_sum":9000}` {
			t.Errorf("up to %d: %+v\nwant %s", upTo, got, want)
		}
		p.placed(card(line(2, 1, 40_000)))
	}
	all, err := r.List(t.Context(), 2)
	if err != nil || len(all) != 2 || all[0].CreatedAt.Before(all[1].CreatedAt) || all[0].Report != nil {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestAReplayIsAskedOnce(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	p.placed(card(line(1, 1, 8_000)))
	r := p.replays()
	first, fresh, err := p.asked(r, 9_000, 0)
	if err != nil || !fresh || first.State != replay.Queued {
		t.Fatalf("%+v, %v, %v", first, fresh, err)
	}
	if again, fresh, err := p.asked(r, 9_000, 0); err != nil || fresh || again.ID != first.ID {
		t.Errorf("while it waits: %+v, %v, %v", again, fresh, err)
	}
	if err := r.Cancel(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	if err := r.Cancel(t.Context(), first.ID); err != nil {
		t.Errorf("cancelled twice: %v", err)
	}
	if again, fresh, err := p.asked(r, 9_000, 0); err != nil || !fresh || again.State != replay.Queued {
		t.Errorf("after it was cancelled: %+v, %v, %v", again, fresh, err)
	}
	run(t, r)
	done := p.becomes(r, first.ID, replay.Done)
	if _, fresh, err := p.asked(r, 9_000, 0); err != nil || fresh {
		t.Errorf("when it is done: %v, %v", fresh, err)
	}
	if err := r.Cancel(t.Context(), first.ID); !errors.Is(err, replay.ErrFinished) {
		t.Errorf("cancelled when done: %v", err)
	}
	for _, call := range []func() error{
		func() error { _, err := r.Show(t.Context(), "1-x"); return err }, func() error { return r.Cancel(t.Context(), "1-x") },
	} {
		if err := call(); !errors.Is(err, replay.ErrNoReplay) {
			t.Errorf("got %v", err)
		}
	}
	// A report that made room is computed again, and is the same.
	p.exec("UPDATE projections.replays SET report = NULL")
	if again := p.becomes(r, first.ID, replay.Done); string(again.Report) != string(done.Report) {
		t.Errorf("got %s\nwant %s", again.Report, done.Report)
	}
}

func TestTheQueueOfReplaysIsBounded(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	r := p.replays()
	for least := range domain.Money(16) {
		if _, _, err := p.asked(r, least, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := p.asked(r, 16, 0); !errors.Is(err, replay.ErrQueueFull) {
		t.Errorf("got %v", err)
	}
	if _, fresh, err := p.asked(r, 15, 0); err != nil || fresh {
		t.Errorf("one that waits: %v, %v", fresh, err)
	}
}

// blocked keeps the log from being read until the returned function is called.
func (p *past) blocked() (open func()) {
	p.t.Helper()
	tx, err := p.pool.Begin(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := tx.Exec(p.t.Context(), "LOCK TABLE eventstore.events"); err != nil {
		p.t.Fatal(err)
	}
	open = func() { _ = tx.Rollback(context.Background()) }
	p.t.Cleanup(open)
	return open
}

// reading says whether somebody waits for the log.
func (p *past) reading() (waits bool) {
	p.t.Helper()
	err := p.pool.QueryRow(p.t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
		AND (query LIKE 'COPY (%' OR query LIKE '%FROM eventstore.heads()%'))`).Scan(&waits)
	if err != nil {
		p.t.Fatal(err)
	}
	return waits
}

func (p *past) waitReading(want bool) time.Duration {
	p.t.Helper()
	began := time.Now()
	for p.reading() != want {
		if time.Since(began) > 20*time.Second {
			p.t.Fatalf("somebody reads the log: not %v", want)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began)
}

func TestCancelStopsTheWork(t *testing.T) {
	t.Parallel()
	for name, elsewhere := range map[string]bool{"here": false, "from another process": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openMarch(t)
			worker := p.replays()
			by := worker
			if elsewhere {
				by = p.replays()
			}
			asked := p.ask(worker, 9_000)
			open := p.blocked()
			run(t, worker)
			p.waitReading(true)
			if err := by.Cancel(t.Context(), asked.ID); err != nil {
				t.Fatal(err)
			}
			t.Logf("stopped within %s", p.waitReading(false))
			open()
			// It is free for the next.
			p.becomes(worker, p.ask(worker, 10_000).ID, replay.Done)
			if found, err := worker.Show(t.Context(), asked.ID); err != nil || found.State != replay.Cancelled {
				t.Errorf("%+v, %v", found, err)
			}
		})
	}
}

func TestWhatAProcessLeavesIsTakenUp(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	p.placed(card(line(1, 1, 8_000)))
	first := p.replays()
	asked := p.ask(first, 9_000)
	open := p.blocked()
	stop := run(t, first)
	p.waitReading(true)
	stop()
	if found := p.becomes(first, asked.ID, replay.Queued); found.State != replay.Queued {
		t.Fatalf("after an orderly end: %+v", found)
	}
	open()
	// One that was killed says nothing any more.
	p.exec("UPDATE projections.replays SET state = 'running', holder = gen_random_uuid(), alive_at = now()")
	second := p.replays()
	run(t, second)
	time.Sleep(100 * time.Millisecond)
	if found := p.becomes(second, asked.ID, replay.Running); found.Report != nil {
		t.Fatalf("taken from one that lives: %+v", found)
	}
	p.exec("UPDATE projections.replays SET alive_at = now() - interval '6 s'")
	p.becomes(second, asked.ID, replay.Done)
}

func TestAReplayThatFails(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	p.placed(card(line(1, 1, 8_000)))
	p.exec(`UPDATE eventstore.events SET data = '{"calculation": 7}' WHERE type = 'order.placed'`)
	r := p.replays()
	run(t, r)
	found := p.becomes(r, p.ask(r, 9_000).ID, replay.Failed)
	if found.Error == "" || found.Report != nil {
		t.Errorf("got %+v", found)
	}
}
