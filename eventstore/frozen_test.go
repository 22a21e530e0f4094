package eventstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations/pgproxy"
	"shop/migrations/pgtest"
)

// cuttable is a store on a connection that can be cut, and another one on the same database.
func cuttable(t *testing.T) (cut, other *Store, proxy *pgproxy.Proxy) {
	t.Helper()
	url := pgtest.URL(t)
	proxy, err := pgproxy.Start(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	through, err := proxy.URL(url)
	if err != nil {
		t.Fatal(err)
	}
	open := func(url string) *Store {
		pool, err := pgxpool.New(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		s := Open(pool, codec{}, Options{Logger: quiet})
		t.Cleanup(s.Close)
		return s
	}
	other, cut = open(url), open(through)
	t.Cleanup(proxy.Mend)
	return cut, other, proxy
}

// TestAnAppenderThatIsCutOffHoldsItsStreamsForTwoSeconds: the network of a process ends between the two batches of a judged
// append. Appends of others to its streams go on soon, and its own is written once when the network is back.
func TestAnAppenderThatIsCutOffHoldsItsStreamsForTwoSeconds(t *testing.T) {
	t.Parallel()
	frozen, other, proxy := cuttable(t)
	appendTo(t, other, "hot", happened{})
	var once sync.Once
	cut := make(chan struct{})
	proxy.OnIdle(func(int) {
		once.Do(func() {
			proxy.Cut()
			close(cut)
		})
	})
	a := to("hot", AnyVersion)
	a.Writes = append(a.Writes, to("other", 0).Writes...)
	p := group(t, frozen, a)[0]
	settled := make(chan error, 1)
	go func() {
		_, err := frozen.appendAlone(context.Background(), p, false)
		settled <- err
	}()
	<-cut
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	if _, err := other.Append(ctx, to("hot", 1)); err != nil {
		t.Fatalf("beside an appender that is cut off: %v, after %s", err, time.Since(began))
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the stream was held for %s", took)
	}
	proxy.Mend()
	if err := <-settled; err != nil {
		t.Errorf("the append that was cut off: %v", err)
	}
	for stream, want := range map[string]int{"hot": 3, "other": 1} {
		if events, err := other.Stream(t.Context(), stream, 0, 0); err != nil || len(events) != want {
			t.Errorf("%s has %d events, want %d: %v", stream, len(events), want, err)
		}
	}
}

// TestEveryWaitOfAnAppendEnds: a stream is held by somebody who never lets go, and callers have no deadline.
func TestEveryWaitOfAnAppendEnds(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	s.opts.Within = 3 * time.Second
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), `INSERT INTO eventstore.streams VALUES ('held', 0, 0)`); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var all sync.WaitGroup
	for range 8 { // more than may be on their way alone
		all.Go(func() {
			_, err := s.Append(context.WithoutCancel(t.Context()), to("held", 0))
			if !errors.Is(err, context.DeadlineExceeded) || !Transient(err) {
				t.Errorf("an append to a held stream: %v", err)
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(15 * time.Second):
		t.Fatal("appends wait without an end")
	}
	t.Logf("they ended after %s", time.Since(began))
	if _, err := s.Append(t.Context(), to("free", 0)); err != nil {
		t.Error(err)
	}
}

// TestAnAppendThatIsCutOffEnds: the server of an append goes silent, at the latest in its answer.
func TestAnAppendThatIsCutOffEnds(t *testing.T) {
	t.Parallel()
	frozen, other, proxy := cuttable(t)
	frozen.opts.Within = time.Second
	appendTo(t, frozen, "x", happened{})
	proxy.Cut()
	var all sync.WaitGroup
	for c := range 6 {
		all.Go(func() {
			if _, err := frozen.Append(context.WithoutCancel(t.Context()), to(fmt.Sprint("s-", c), 0)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("an append without a server: %v", err)
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(15 * time.Second):
		t.Fatal("appends wait without an end")
	}
	appendTo(t, other, "x", happened{})
	proxy.Mend()
	eventually(t, "appends again", func() bool {
		_, err := frozen.Append(t.Context(), to("again", AnyVersion))
		return err == nil
	})
}
