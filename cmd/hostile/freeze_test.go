package main

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/wake"
	"shop/migrations/pgproxy"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
)

// TestAnAuditIsTakenForNoAppend: an audit of read models, too, waits inside a transaction after it has read the table of streams. Nothing
// ends that transaction while the shop is frozen, and it holds nothing: the check must freeze appends alone.
func TestAnAuditIsTakenForNoAppend(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	proxy, err := pgproxy.Start(url)
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	through, err := proxy.URL(url)
	if err != nil {
		t.Fatal(err)
	}
	referee, err := openPool(t.Context(), url, "referee")
	if err != nil {
		t.Fatal(err)
	}
	defer referee.Close()
	pool, err := openPool(t.Context(), through, "shop A")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	store := eventstore.Open(pool, events(), eventstore.Options{Logger: silent})
	defer store.Close()
	r := &hostile{referee: referee, report: newReport(io.Discard)}

	stream := stock.Stream(uuid.New())
	received := stock.Received{ProductID: uuid.New(), Quantity: 3, OnHand: 3, Cause: stock.Cause{Kind: "receipt"}, At: time.Now()}
	add := func() error {
		_, err := store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: stream, Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{{Data: received}}}}})
		return err
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	rival, err := referee.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rival.Exec(t.Context(), `SELECT FROM eventstore.streams WHERE name = $1 FOR UPDATE`, stream); err != nil {
		t.Fatal(err)
	}
	var appends atomic.Int64
	proxy.OnIdle(func(backend int) {
		if _, is := r.appends(context.WithoutCancel(t.Context()), backend); is {
			appends.Add(1)
		}
	})
	appended := make(chan error, 1)
	go func() { appended <- add() }()
	const judged = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO eventstore.streams AS s%')`
	for waits := false; !waits; wake.Pause(t.Context(), time.Millisecond) {
		if err := referee.QueryRow(t.Context(), judged).Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	if err := rival.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-appended; err != nil {
		t.Fatal(err)
	}
	proxy.OnIdle(nil)
	if appends.Load() == 0 {
		t.Error("an append between its two batches is not taken for one")
	}

	model := projections.Stock()
	if _, err := rebuild.Prepare(t.Context(), referee, model); err != nil {
		t.Fatal(err)
	}
	auditing, stop := context.WithCancel(t.Context())
	defer stop()
	audited := make(chan bool, 1)
	proxy.OnIdle(func(backend int) {
		for _, other := range idleAfterStreams(t, r) {
			if other != backend {
				continue
			}
			if _, is := r.appends(auditing, backend); is {
				t.Error("an audit is taken for an append")
			}
			select {
			case audited <- true:
			default:
			}
		}
	})
	defer proxy.OnIdle(nil)
	auditor := &rebuild.Auditor{DB: pool, Store: store, Projections: []projections.Projection{model}, Interval: time.Millisecond, Logger: slog.New(slog.DiscardHandler)}
	ended := make(chan struct{})
	go func() { defer close(ended); auditor.Run(auditing) }()
	select {
	case <-audited:
	case <-time.After(patience):
		t.Error("no audit waited after it had read the table of streams")
	}
	stop()
	<-ended
}

// idleAfterStreams are the backends that wait inside a transaction whose last statement read or locked streams.
func idleAfterStreams(t *testing.T, r *hostile) (backends []int) {
	t.Helper()
	rows, err := r.referee.Query(context.WithoutCancel(t.Context()), `SELECT pid FROM pg_stat_activity
		WHERE datname = current_database() AND state = 'idle in transaction' AND query ~ 'eventstore\.(streams|idempotency_keys)'`)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			t.Error(err)
		}
		backends = append(backends, pid)
	}
	return backends
}
