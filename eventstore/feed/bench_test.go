package feed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

var payload = happened{N: 1, Note: strings.Repeat("x", 400)}

// BenchmarkLag appends 500 events a second and tells how long after each answer the consumers had handled it.
func BenchmarkLag(b *testing.B) {
	s := openStore(b)
	consumers := make([]Consumer, 6)
	for i := range consumers {
		consumers[i] = seen(b, s, fmt.Sprint("c", i))
		if i > 1 {
			consumers[i].Types = []string{"test.named"} // wants nothing of this
		}
	}
	f, _ := run(b, s, Options{}, consumers...)
	var mu sync.Mutex
	var lags []time.Duration
	var group sync.WaitGroup
	begin := time.Now()
	b.ResetTimer()
	for n := range b.N {
		time.Sleep(time.Until(begin.Add(time.Duration(n) * 2 * time.Millisecond)))
		group.Go(func() {
			got, err := s.Append(b.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: fmt.Sprint("s-", n%500), Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{{Data: payload}}}}})
			if err != nil {
				b.Error(err)
				return
			}
			start := time.Now()
			waitFor(b, f, "c0", got.Position)
			mu.Lock()
			defer mu.Unlock()
			lags = append(lags, time.Since(start))
		})
	}
	group.Wait()
	slices.Sort(lags)
	b.ReportMetric(float64(lags[len(lags)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(lags[len(lags)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkCatchUp counts 200 000 events per stream, from the beginning of the log.
func BenchmarkCatchUp(b *testing.B) {
	s := openStore(b)
	const streams, each = 2000, 100
	for n := range streams / 20 {
		var a eventstore.Append
		for k := range 20 {
			events := make([]eventstore.NewEvent, each)
			for i := range events {
				events[i].Data = payload
			}
			a.Writes = append(a.Writes, eventstore.Write{Stream: fmt.Sprint("s-", n*20+k), Events: events})
		}
		mustAppend(b, s, a)
	}
	head, err := s.Head(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Pool().Exec(b.Context(), `CREATE TABLE counts (stream text PRIMARY KEY, n bigint NOT NULL)`); err != nil {
		b.Fatal(err)
	}
	count := Consumer{Name: "counts", Handle: func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		sums := map[string]int64{}
		for _, e := range events {
			sums[e.Stream]++
		}
		names := slices.Sorted(maps.Keys(sums))
		ns := make([]int64, len(names))
		for i, name := range names {
			ns[i] = sums[name]
		}
		_, err := tx.Exec(ctx, `INSERT INTO counts AS c SELECT * FROM unnest($1::text[], $2::bigint[])
			ON CONFLICT (stream) DO UPDATE SET n = c.n + excluded.n`, names, ns)
		return err
	}}
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		if err := pgx.BeginFunc(b.Context(), s.Pool(), func(tx pgx.Tx) error { return ControlOf(s).Reset(b.Context(), tx, "counts") }); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		f, stop := run(b, s, Options{}, count)
		waitFor(b, f, "counts", head)
		b.StopTimer()
		stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.N)*streams*each/b.Elapsed().Seconds(), "events/s")
}
