package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"shop/eventstore/wake"
)

const (
	stopsAppend = "shop stopped between the two batches of an append (SIGSTOP)"
	cutsAppend  = "shop cut off from the database between the two batches of an append"
)

// heldAtMost is how long a process that is stopped or cut off may hold a stream; the rest is for a machine under load.
const heldAtMost = 2*time.Second + 1500*time.Millisecond

func (r *hostile) stopAppend(ctx context.Context, chance *rand.Rand) (bool, error) {
	return r.freeze(ctx, chance, func(p *process) (thaw func(), ok bool) {
		p.mu.Lock()
		cmd := p.cmd
		p.mu.Unlock()
		if cmd == nil || cmd.Process.Signal(syscall.SIGSTOP) != nil {
			return nil, false
		}
		return func() { _ = cmd.Process.Signal(syscall.SIGCONT) }, true // it may have been killed since
	})
}

func (r *hostile) cutAppend(ctx context.Context, chance *rand.Rand) (bool, error) {
	return r.freeze(ctx, chance, func(p *process) (thaw func(), ok bool) {
		p.proxy.Cut()
		return p.proxy.Mend, true
	})
}

// freeze does what stops a shop at the moment in which an append of it has locked its streams and not written yet. Rivals
// write to all products meanwhile, so that there are such appends.
func (r *hostile) freeze(ctx context.Context, chance *rand.Rand, stop func(p *process) (thaw func(), ok bool)) (bool, error) {
	p := r.shops[chance.IntN(len(r.shops))]
	if p.address() == "" {
		return false, nil
	}
	length := time.Duration(3000+chance.IntN(2000)) * time.Millisecond
	searching, found := context.WithTimeout(ctx, 2*time.Second)
	defer found()
	var once sync.Mutex
	frozen := false
	p.proxy.OnIdle(func(backend int) {
		began, is := r.appends(ctx, backend)
		if !is {
			return
		}
		once.Lock()
		defer once.Unlock()
		if frozen || searching.Err() != nil {
			return
		}
		thaw, ok := stop(p)
		if !ok {
			return
		}
		frozen = true
		found()
		r.repair(func() error {
			r.watchHold(ctx, backend, began)
			time.Sleep(length)
			thaw()
			return nil
		})
	})
	defer p.proxy.OnIdle(nil)
	for n := 0; searching.Err() == nil; n++ {
		_, _ = r.stock.Receive(searching, r.products[n%len(r.products)], 1, "hostile") // a rival's failure is no matter
	}
	once.Lock()
	defer once.Unlock()
	return frozen, nil
}

// appends says whether a backend waits inside an append, and since when its transaction is open. The audit of read models reads
// the same tables in a transaction that locks nothing, and so has no number.
func (r *hostile) appends(ctx context.Context, backend int) (began time.Time, is bool) {
	err := r.referee.QueryRow(ctx, `SELECT xact_start, query ~ 'eventstore\.(streams|idempotency_keys)' FROM pg_stat_activity
		WHERE pid = $1 AND state = 'idle in transaction' AND backend_xid IS NOT NULL`, backend).Scan(&began, &is)
	return began, err == nil && is
}

// watchHold checks that the server takes a frozen append's streams back.
func (r *hostile) watchHold(ctx context.Context, backend int, began time.Time) {
	from := time.Now()
	for {
		var held bool
		err := r.referee.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND xact_start = $2)`, backend, began).Scan(&held)
		took := time.Since(from)
		var faults []string
		switch {
		case ctx.Err() != nil:
			return
		case err != nil || !held: // a server that is down holds nothing either
		case took < heldAtMost:
			wake.Pause(ctx, 20*time.Millisecond)
			continue
		default:
			faults = []string{fmt.Sprintf("a frozen append holds its streams after %s", took.Round(time.Millisecond))}
		}
		r.report.found("a frozen shop lets go of its streams", 1, faults)
		return
	}
}
