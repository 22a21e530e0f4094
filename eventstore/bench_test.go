package eventstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/migrations/pgtest"
)

// Compare within one run, on a server that syncs: SHOP_TEST_FSYNC=on go test -bench 'Raw|Append' ./eventstore

var payload = happened{N: 1, Note: strings.Repeat("x", 400)}

func eachClient(b *testing.B, clients int, work func(client, n int) error) {
	b.Helper()
	b.ResetTimer()
	var group sync.WaitGroup
	var next atomic.Int64
	for c := range clients {
		group.Go(func() {
			for n := 0; next.Add(1) <= int64(b.N); n++ {
				if err := work(c, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkRawInsert(b *testing.B) {
	for _, clients := range []int{1, 8, 32} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			s := openStore(b)
			if _, err := s.pool.Exec(b.Context(), `CREATE TABLE raw (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
				stream text NOT NULL, version bigint NOT NULL, id uuid UNIQUE NOT NULL, recorded_at timestamptz NOT NULL DEFAULT now(),
				type text NOT NULL, data json NOT NULL, metadata json NOT NULL, UNIQUE (stream, version))`); err != nil {
				b.Fatal(err)
			}
			data, err := codec{}.Encode(payload)
			if err != nil {
				b.Fatal(err)
			}
			eachClient(b, clients, func(c, n int) error {
				_, err := s.pool.Exec(b.Context(), `INSERT INTO raw (stream, version, id, type, data, metadata) VALUES ($1, $2, $3, $4, $5, $6)`,
					fmt.Sprint("s-", c), n, uuid.Must(uuid.NewV7()), data.Type, data.Payload, []byte("{}"))
				return err
			})
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, clients := range []int{1, 8, 32} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			s := openStore(b)
			eachClient(b, clients, func(c, n int) error {
				_, err := s.Append(b.Context(), Append{Writes: []Write{{Stream: fmt.Sprint("s-", c), Expected: Version(n), Events: []NewEvent{{Data: payload}}}}})
				return err
			})
		})
	}
}

func BenchmarkAppendManyAtOnce(b *testing.B) {
	s := Open(pgtest.Open(b), codec{}, Options{})
	defer s.Close()
	const many = 5000
	events := make([]NewEvent, many)
	for i := range events {
		events[i].Data = payload
	}
	for n := 0; b.Loop(); n++ {
		if _, err := s.Append(b.Context(), Append{Writes: []Write{{Stream: "s", Expected: Version(n * many), Events: events}}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*many)/b.Elapsed().Seconds(), "events/s")
}

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
	f, _ := run(b, s, FeedOptions{}, consumers...)
	var mu sync.Mutex
	var lags []time.Duration
	var group sync.WaitGroup
	begin := time.Now()
	b.ResetTimer()
	for n := range b.N {
		time.Sleep(time.Until(begin.Add(time.Duration(n) * 2 * time.Millisecond)))
		group.Go(func() {
			got, err := s.Append(b.Context(), Append{Writes: []Write{{Stream: fmt.Sprint("s-", n%500), Expected: AnyVersion, Events: []NewEvent{{Data: payload}}}}})
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
		var a Append
		for k := range 20 {
			events := make([]NewEvent, each)
			for i := range events {
				events[i].Data = payload
			}
			a.Writes = append(a.Writes, Write{Stream: fmt.Sprint("s-", n*20+k), Events: events})
		}
		mustAppend(b, s, a)
	}
	head, err := s.Head(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.pool.Exec(b.Context(), `CREATE TABLE counts (stream text PRIMARY KEY, n bigint NOT NULL)`); err != nil {
		b.Fatal(err)
	}
	count := Consumer{Name: "counts", Handle: func(ctx context.Context, tx pgx.Tx, events []Event) error {
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
		if err := pgx.BeginFunc(b.Context(), s.pool, func(tx pgx.Tx) error { return s.ResetConsumer(b.Context(), tx, "counts") }); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		f, stop := run(b, s, FeedOptions{}, count)
		waitFor(b, f, "counts", head)
		b.StopTimer()
		stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.N)*streams*each/b.Elapsed().Seconds(), "events/s")
}
