package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// plan is what is measured of each peer.
type plan struct {
	// Period is how long each number of clients appends.
	Period time.Duration `json:"period"`
	// Rate is how many events a second are appended while lag is measured, for Lag.
	Rate int           `json:"rate"`
	Lag  time.Duration `json:"lag"`
	// Patience is how long a follower that sees nothing new is waited for.
	Patience time.Duration `json:"patience"`
}

// figures are what was measured.
type figures struct {
	// Append is events a second with 1, 8 and 32 clients, P99 the slowest hundredth in milliseconds.
	Append [3]float64 `json:"append"`
	P99    [3]float64 `json:"p99"`
	// CatchUp is events a second of a follower that begins at the first event.
	CatchUp float64 `json:"catch_up"`
	// LagP50 and LagP99 are milliseconds from the answer of an append until the follower has the event.
	LagP50 float64 `json:"lag_p50"`
	LagP99 float64 `json:"lag_p99"`
	// Events are all that were appended, Lost those that the follower never got, Doubled those that it got again.
	Events  int `json:"events"`
	Lost    int `json:"lost"`
	Doubled int `json:"doubled"`
	// Follows: the peer has a reader of the whole log.
	Follows bool `json:"follows"`
}

// peer is a log to measure.
type peer struct {
	// append adds one event to a stream that has version events.
	append func(ctx context.Context, stream, id string, version int) error
	// follow calls seen with the id of each event, from the first of the log on, until ctx ends; nil: there is no such reader.
	follow func(ctx context.Context, seen func(id string)) error
}

// clients are the numbers of clients that append.
var clients = [3]int{1, 8, 32}

// followed is what a follower has got.
type followed struct {
	mu   sync.Mutex
	at   map[string]time.Time
	last time.Time
	// again counts events that came more than once.
	again int
}

func (f *followed) seen(id string) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = now
	if _, known := f.at[id]; known {
		f.again++
		return
	}
	f.at[id] = now
}

// await waits until n events are there, or nothing new comes any more.
func (f *followed) await(ctx context.Context, n int, patience time.Duration) {
	for ctx.Err() == nil {
		f.mu.Lock()
		there, last := len(f.at), f.last
		f.mu.Unlock()
		if there >= n || time.Since(last) > patience {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// appending is what was appended to a peer.
type appending struct {
	of     peer
	number atomic.Int64
	// answered are the moments at which events were acknowledged, by id.
	answered sync.Map
}

// write appends one event and answers its id.
func (a *appending) write(ctx context.Context, stream string, version int) (string, error) {
	id := fmt.Sprintf("%032x", a.number.Add(1))
	err := a.of.append(ctx, stream, id, version)
	if err == nil {
		a.answered.Store(id, time.Now())
	}
	return id, err
}

// storm appends with n clients for a while.
func (a *appending) storm(ctx context.Context, name string, n int, period time.Duration) (rate, p99 float64, err error) {
	var group sync.WaitGroup
	var mu sync.Mutex
	var took []time.Duration
	began := time.Now()
	for c := range n {
		group.Go(func() {
			var mine []time.Duration
			var failed error
			for i := 0; time.Since(began) < period && failed == nil; i++ {
				at := time.Now()
				_, failed = a.write(ctx, fmt.Sprintf("%s-%d-%d", name, c, i/10), i%10)
				mine = append(mine, time.Since(at))
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
			if err == nil {
				err = failed
			}
		})
	}
	group.Wait()
	if err != nil || len(took) == 0 {
		return 0, 0, err
	}
	return float64(len(took)) / time.Since(began).Seconds(), quantile(took, 0.99), nil
}

// measure appends with more and more clients, lets a follower catch up, appends while it follows, and measures its lag.
func measure(ctx context.Context, p plan, of peer) (f figures, err error) {
	a := &appending{of: of}
	for i, n := range clients {
		if f.Append[i], f.P99[i], err = a.storm(ctx, fmt.Sprintf("append%d", n), n, p.Period); err != nil {
			return f, err
		}
	}
	f.Events = int(a.number.Load())
	if f.Follows = of.follow != nil; !f.Follows {
		return f, nil
	}
	got := &followed{at: map[string]time.Time{}, last: time.Now()}
	following, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- of.follow(following, got.seen) }()
	before := f.Events
	got.await(ctx, before, p.Patience)
	got.mu.Lock()
	f.CatchUp = float64(len(got.at)) / got.last.Sub(began).Seconds()
	got.mu.Unlock()
	if _, _, err = a.storm(ctx, "beside", 8, p.Period); err != nil {
		stop()
		<-ended
		return f, err
	}
	got.await(ctx, int(a.number.Load()), p.Patience)
	ids, err := paced(ctx, p, a.write)
	if err == nil {
		got.await(ctx, int(a.number.Load()), p.Patience)
	}
	stop()
	if failed := <-ended; err == nil && failed != nil && !errors.Is(failed, context.Canceled) {
		err = failed
	}
	var lags []time.Duration
	for _, id := range ids {
		answered, _ := a.answered.Load(id)
		if at, there := got.at[id]; there {
			lags = append(lags, max(0, at.Sub(answered.(time.Time))))
		}
	}
	if len(lags) > 0 {
		f.LagP50, f.LagP99 = quantile(lags, 0.5), quantile(lags, 0.99)
	}
	f.Events, f.Doubled = 0, got.again
	a.answered.Range(func(id, _ any) bool {
		f.Events++
		if _, there := got.at[id.(string)]; !there {
			f.Lost++
		}
		return true
	})
	return f, err
}

// paced appends at the plan's rate, each event to a stream of its own, and answers their ids.
func paced(ctx context.Context, p plan, write func(ctx context.Context, stream string, version int) (string, error)) (ids []string, err error) {
	var group sync.WaitGroup
	var mu sync.Mutex
	began := time.Now()
	for n := range int(p.Lag.Seconds() * float64(p.Rate)) {
		time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(p.Rate))))
		group.Go(func() {
			id, failed := write(ctx, fmt.Sprintf("lag-%d", n), 0)
			mu.Lock()
			defer mu.Unlock()
			ids = append(ids, id)
			if err == nil {
				err = failed
			}
		})
	}
	group.Wait()
	return ids, err
}

// quantile is in milliseconds.
func quantile(of []time.Duration, q float64) float64 {
	slices.Sort(of)
	return float64(of[min(len(of)-1, int(q*float64(len(of))))].Microseconds()) / 1000
}

// payload is the body of an event, of some 420 bytes with what a log adds.
func payload(id string) []byte {
	text, err := json.Marshal(map[string]any{"id": id, "note": fmt.Sprintf("%0300d", 7)})
	if err != nil {
		panic(err) // a map of texts is JSON
	}
	return text
}
