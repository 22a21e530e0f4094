package eventstore

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

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

// BenchmarkAppendStreams appends one event to each of many streams at once.
func BenchmarkAppendStreams(b *testing.B) {
	for _, streams := range []int{5, 64, 256, 1000} {
		b.Run(fmt.Sprint(streams), func(b *testing.B) {
			s := Open(pgtest.Open(b), codec{}, Options{})
			defer s.Close()
			for n := 0; b.Loop(); n++ {
				var a Append
				for i := range streams {
					a.Writes = append(a.Writes, Write{Stream: fmt.Sprint("stock-01a2b3c4-", i), Expected: Version(n), Events: []NewEvent{{Data: payload}}})
				}
				if _, err := s.Append(b.Context(), a); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*streams)/b.Elapsed().Seconds(), "events/s")
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
