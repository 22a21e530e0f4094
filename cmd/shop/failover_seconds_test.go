package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/migrations/pgstandby"
)

// failoverWithin is how long orders may wait for a failover on a machine that does nothing else; slowFactor is what a busy one may add.
const (
	failoverWithin = 10 * time.Second
	slowFactor     = 6
)

// supervised keeps the program running at one address, as systemd or Kubernetes does, until the test ends.
func (p program) supervised() (s *served, starts func() int) {
	p.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	p.env = append(slices.Clone(p.env), "SHOP_ADDR="+at)
	var mu sync.Mutex
	var running *exec.Cmd
	started, stopped := 0, false
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			mu.Lock()
			if stopped {
				mu.Unlock()
				return
			}
			running = p.command("serve")
			err := running.Start()
			started++
			cmd := running
			mu.Unlock()
			if err != nil {
				p.t.Error(err)
				return
			}
			_ = cmd.Wait()                     // it ends when its database is another
			time.Sleep(100 * time.Millisecond) // as RestartSec does
		}
	}()
	p.t.Cleanup(func() {
		mu.Lock()
		stopped = true
		_ = running.Process.Signal(syscall.SIGTERM)
		mu.Unlock()
		<-ended
	})
	s = &served{t: p.t, url: "http://" + at}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if response, err := http.Get(s.url + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) {
			p.t.Fatal("the program is not ready after a minute")
		}
	}
	return s, func() int { mu.Lock(); defer mu.Unlock(); return started }
}

// shopper orders on and on, each order with one key until it is acknowledged.
func (s *served) shopper(ctx context.Context, product uuid.UUID, acked func(receipt)) {
	for ctx.Err() == nil {
		for key := uuid.NewString(); ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
			if status, r, _, err := s.order(product, 1, "CASH", key); err == nil && (status == http.StatusCreated || status == http.StatusOK) {
				acked(r)
				break
			}
		}
	}
}

// TestFailoverBySecond: the primary dies, its synchronous standby is promoted, and nobody touches the program. Orders wait, none that was
// acknowledged is lost, none is doubled, and the old primary acknowledges nothing when it comes back.
func TestFailoverBySecond(t *testing.T) {
	t.Parallel()
	servers := startPair(t)
	p := servers.program()
	cream := p.stocked("MK-1", 9000, 1_000_000)
	p.unbounded()
	primary := servers.connect(servers.primaryURL)
	servers.exec(primary, "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)'")
	servers.exec(primary, "SELECT pg_reload_conf()")
	servers.until("the standby is synchronous", servers.primaryURL, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')")
	s, starts := p.supervised()

	var mu sync.Mutex
	all := map[uuid.UUID]int64{}
	var times []time.Time
	ctx, stop := context.WithCancel(t.Context())
	var shoppers sync.WaitGroup
	for range 4 {
		shoppers.Go(func() {
			s.shopper(ctx, cream, func(r receipt) {
				mu.Lock()
				defer mu.Unlock()
				all[r.ID] = r.Number
				times = append(times, time.Now())
			})
		})
	}
	acked := func(n int) {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
			mu.Lock()
			now := len(times)
			mu.Unlock()
			if now >= n {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d orders, want %d", now, n)
			}
		}
	}
	acked(100)
	mu.Lock()
	before := len(times)
	mu.Unlock()
	died := time.Now()
	servers.failOver()
	promoted := time.Since(died)
	acked(before + 200)
	stop()
	shoppers.Wait()

	gap := longestGap(times)
	t.Logf("primary killed; promoted after %s; %d starts of the program; orders waited %s; by second: %s",
		promoted.Round(time.Millisecond), starts(), gap.Round(time.Millisecond), bySecond(times, died))
	if gap > slowFactor*failoverWithin {
		t.Errorf("orders waited %s", gap)
	}
	known := p.numbersOf()
	numbers := map[int64]bool{}
	for id, number := range all {
		if known[number].ID != id {
			t.Errorf("order %d was acknowledged and is not there", number)
		}
		if numbers[number] {
			t.Errorf("number %d was given twice", number)
		}
		numbers[number] = true
	}
	p.equalFold()
	servers.oldPrimaryIsFenced()
}

// oldPrimaryIsFenced starts the old primary: without its standby it may acknowledge nothing.
func (p *pair) oldPrimaryIsFenced() {
	p.t.Helper()
	old, err := embeddedpg.Start(p.t.Context(), migrations.Embedded(embeddedpg.Options{DataDir: p.primary.DataDir(), Settings: pgstandby.Settings, DieWithProcess: true}))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		stopping, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = old.Stop(stopping)
	})
	conn, err := pgx.Connect(p.t.Context(), old.URL())
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Second)
	defer cancel()
	if _, err := conn.Exec(ctx, "CREATE TABLE fenced (n int)"); err == nil {
		p.t.Error("the old primary acknowledged a write")
	}
}

// longestGap is the longest time between two of them.
func longestGap(times []time.Time) (gap time.Duration) {
	slices.SortFunc(times, time.Time.Compare)
	for i := 1; i < len(times); i++ {
		gap = max(gap, times[i].Sub(times[i-1]))
	}
	return gap
}

// bySecond counts them in the seconds around a moment.
func bySecond(times []time.Time, around time.Time) string {
	counts := map[int]int{}
	least, most := 0, 0
	for _, at := range times {
		second := int(at.Sub(around) / time.Second)
		if at.Before(around) {
			second--
		}
		counts[second]++
		least, most = min(least, second), max(most, second)
	}
	var b strings.Builder
	for second := max(least, -3); second <= most; second++ {
		fmt.Fprintf(&b, "%+d:%d ", second, counts[second])
	}
	return b.String()
}
