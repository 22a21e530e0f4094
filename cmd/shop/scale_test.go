package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"

	"shop/eventstore/relay/natstest"
	"shop/migrations/pgtest"
	"shop/projections"
)

// scale is a home region with two relays, a region, and a cluster of NATS between them, in which things break.
type scale struct {
	t             *testing.T
	chance        *rand.Rand
	nats          []*natstest.Server
	servers       string
	home, region  program
	atHome, twin  *served
	atRegion      *served
	homeAt, there string
	product       uuid.UUID

	mu sync.Mutex
	// placed are the numbers of acknowledged orders by their idempotency key.
	placed map[string]int64
	urls   []string
}

// TestScale buys in a home region and in another one while processes are killed and stopped, NATS loses servers, folders and
// messages. Afterwards each acknowledged order is in the log once, and the region has what the home region has, row by row.
// SHOP_SCALE_SEED chooses the faults, SHOP_SCALE_FAULTS how many there are (make scale).
func TestScale(t *testing.T) {
	seed, faults := setting(t, "SHOP_SCALE_SEED", 1), setting(t, "SHOP_SCALE_FAULTS", 4)
	s := &scale{t: t, chance: rand.New(rand.NewPCG(uint64(seed), 0)), placed: map[string]int64{}}
	s.nats = natstest.Cluster(t, 3)
	var at []string
	for _, n := range s.nats {
		at = append(at, n.URL())
	}
	s.servers = strings.Join(at, ",")
	s.start()
	ctx, stop := context.WithCancel(t.Context())
	var shoppers sync.WaitGroup
	for n := range 2 {
		shoppers.Go(func() { s.buy(ctx, n) })
	}
	broken := []struct {
		name string
		do   func()
	}{
		{"the home region is killed", func() { s.atHome.kill(); s.atHome = s.serveHome() }},
		{"the home region stands still", func() { s.freeze(s.atHome) }},
		{"the region is killed", func() { s.atRegion.kill(); s.serveRegion() }},
		{"the region stands still", func() { s.freeze(s.atRegion) }},
		{"the second relay is killed", func() { s.twin.kill(); s.twin = s.serveTwin() }},
		{"a server of NATS is gone", func() { n := s.one(); n.Stop(); s.pass(); n.Restart() }},
		{"a server of NATS loses its folder", func() { n := s.one(); n.Stop(); n.Forget(); n.Restart() }},
		{"all of NATS is gone", s.allNATS},
		{"the stream is purged", s.purge},
	}
	order := s.chance.Perm(len(broken))
	for i := range faults {
		fault := broken[order[i%len(order)]]
		began := time.Now()
		fault.do()
		s.caughtUp()
		t.Logf("%s: everything is there again after %s, %d orders so far", fault.name, time.Since(began).Round(10*time.Millisecond), s.orders())
	}
	stop()
	shoppers.Wait()
	for before := int64(-1); ; { // policies may still have something to say
		end, err := scalar[int64](s, s.home, `SELECT max(position) FROM eventstore.events`)
		if err != nil {
			t.Fatal(err)
		}
		if s.caughtUp(); end == before {
			break
		}
		before = end
	}
	s.check()
}

func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func (s *scale) start() {
	s.homeAt, s.there = freeAddress(s.t), freeAddress(s.t)
	s.home = onDatabase(s.t).with("SHOP_NATS_URL="+s.servers, "SHOP_ADDR="+s.homeAt, "SHOP_TRUSTED_PROXIES=127.0.0.0/8")
	s.product = s.home.stocked("MK-1", 9000, 1_000_000)
	s.atHome, s.twin = s.serveHome(), s.serveTwin()
	s.region = s.home.with("SHOP_DATABASE_URL="+pgtest.URL(s.t), "SHOP_DATA_DIR="+s.t.TempDir(), "SHOP_ADDR="+s.there,
		"SHOP_HOME_URL=http://"+s.homeAt, "SHOP_HOME_DATABASE_URL="+s.home.value("SHOP_DATABASE_URL"))
	s.serveRegion()
	s.urls = []string{"http://" + s.homeAt, "http://" + s.there}
}

// value is that of a variable in the program's environment.
func (p program) value(name string) string {
	for _, pair := range p.env {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			return value
		}
	}
	return ""
}

func (s *scale) serveHome() *served { return s.home.serve("--roles", "web,projectors,policies,relay") }
func (s *scale) serveTwin() *served {
	return s.home.with("SHOP_ADDR=127.0.0.1:0").serve("--roles", "relay")
}
func (s *scale) serveRegion() { s.atRegion = s.region.serve("--region", "almaty") }

// one is a server of NATS, by chance.
func (s *scale) one() *natstest.Server { return s.nats[s.chance.IntN(len(s.nats))] }

// pass lets shoppers place some orders.
func (s *scale) pass() {
	before := s.orders()
	for until := time.Now().Add(3 * time.Second); s.orders() < before+5 && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
}

// freeze stops a process for longer than its leases last.
func (s *scale) freeze(p *served) {
	_ = p.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(2 * time.Second)
	_ = p.cmd.Process.Signal(syscall.SIGCONT)
}

func (s *scale) allNATS() {
	for _, n := range s.nats {
		n.Stop()
	}
	s.pass()
	natstest.Restart(s.nats)
}

// purge waits for a leader, as it may come after another fault.
func (s *scale) purge() {
	js, err := jetstream.New(natstest.Connect(s.t, s.servers))
	if err != nil {
		s.t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		stream, err := js.Stream(s.t.Context(), "SHOP_LOG")
		if err == nil {
			err = stream.Purge(s.t.Context())
		}
		if err == nil {
			return
		}
		if time.Now().After(until) {
			s.t.Fatal(err)
		}
	}
}

// buy places orders until ctx ends, each with a key of its own, until it is acknowledged.
func (s *scale) buy(ctx context.Context, n int) {
	for ctx.Err() == nil {
		key := uuid.NewString()
		for ctx.Err() == nil {
			if number := s.order(ctx, s.urls[n%len(s.urls)], key); number > 0 {
				s.mu.Lock()
				s.placed[key] = number
				s.mu.Unlock()
				break
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// order asks for a piece as somebody who never came before; 0: it was not acknowledged.
func (s *scale) order(ctx context.Context, at, key string) (number int64) {
	asked := fmt.Sprintf(`{"customer_first_name": "Айгерим", "customer_last_name": "Сатпаева", "customer_email": "%[1]s@example.com", "customer_phone": "+7701%07[2]d",
		"customer_city": "Алматы", "customer_street": "Абая", "customer_house": "10", "payment_method": "CASH", "delivery_type": "DELIVERY",
		"products": [{"product": "%[3]s", "amount": 1}]}`, key, crc32.ChecksumIEEE([]byte(key))%10_000_000, s.product)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at+"/api/orders/", strings.NewReader(asked))
	if err != nil {
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	of := crc32.ChecksumIEEE([]byte(key)) // each shopper has an address of their own: that many open orders are nobody's
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", of>>16&255, of>>8&255, of&255))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	var placed receipt
	if answer.StatusCode != http.StatusCreated || json.NewDecoder(answer.Body).Decode(&placed) != nil {
		return 0
	}
	return placed.Number
}

func (s *scale) orders() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.placed)
}

// scalar asks a database for one value.
func scalar[V any](s *scale, of program, sql string, args ...any) (v V, err error) {
	conn, err := pgx.Connect(s.t.Context(), of.value("SHOP_DATABASE_URL"))
	if err != nil {
		return v, err
	}
	defer conn.Close(context.WithoutCancel(s.t.Context()))
	err = conn.QueryRow(s.t.Context(), sql, args...).Scan(&v)
	return v, err
}

// caughtUp returns when the region has folded what is in the log now.
func (s *scale) caughtUp() {
	s.t.Helper()
	end, err := scalar[int64](s, s.home, `SELECT max(position) FROM eventstore.events`)
	if err != nil {
		s.t.Fatal(err)
	}
	const least = `SELECT coalesce(min(position), 0) FROM eventstore.checkpoints WHERE consumer = ANY ($1)`
	var names []string
	for _, p := range projections.All() {
		names = append(names, p.Name)
	}
	for until := time.Now().Add(90 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		here, err := scalar[int64](s, s.region, least, names)
		there, failed := scalar[int64](s, s.home, least, names)
		if err == nil && failed == nil && here >= end && there >= end {
			return
		}
		if time.Now().After(until) {
			s.t.Fatalf("the region is at %d, the home region at %d of %d: %v; the region says\n%s\nthe home region\n%s", here, there, end, err, s.atRegion.stderr, s.atHome.stderr)
		}
	}
}

// check compares the two regions with each other and with what was acknowledged.
func (s *scale) check() {
	const log = `SELECT count(*) || ' ' || md5(string_agg(position || id::text || stream || version || type || schema || recorded_at || data::text || metadata::text, '' ORDER BY position)) FROM eventstore.events`
	s.same("the log", log)
	const tables = `SELECT coalesce(string_agg(table_schema || '.' || table_name, ' ' ORDER BY 1), '') FROM information_schema.tables WHERE table_schema = ANY ($1)`
	var names []string
	for _, p := range projections.All() {
		names = append(names, p.Name)
	}
	found, err := scalar[string](s, s.home, tables, names)
	if err != nil || len(strings.Fields(found)) < 10 {
		s.t.Fatalf("tables %q, %v", found, err)
	}
	for table := range strings.FieldsSeq(found) {
		s.same(table, fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, '' ORDER BY t::text)), '') FROM %s t`, table))
	}
	numbers := map[int64]string{}
	for key, number := range s.placed {
		if other := numbers[number]; other != "" {
			s.t.Errorf("order %d was answered to %s and to %s", number, key, other)
		}
		numbers[number] = key
	}
	all := slices.Collect(maps.Keys(numbers))
	const wrong = `SELECT coalesce(string_agg(n || ' is there ' || times || ' times', ', '), '') FROM (
		SELECT a.n, count(e.position) AS times FROM unnest($1::bigint[]) AS a (n)
		LEFT JOIN eventstore.events e ON e.type = 'order.placed' AND (e.data ->> 'number')::bigint = a.n GROUP BY a.n) t WHERE times <> 1`
	if told, err := scalar[string](s, s.region, wrong, all); err != nil || told != "" {
		s.t.Errorf("acknowledged orders in the region's log: %s, %v", told, err)
	}
	if len(numbers) < 20 {
		s.t.Errorf("%d orders only", len(numbers))
	}
	s.t.Logf("%d acknowledged orders, %d tables compared", len(numbers), len(strings.Fields(found)))
}

func (s *scale) same(what, sql string) {
	s.t.Helper()
	home, err := scalar[string](s, s.home, sql)
	region, failed := scalar[string](s, s.region, sql)
	if err != nil || failed != nil || home != region {
		s.t.Errorf("%s: %s at home, %s in the region, %v, %v", what, home, region, err, failed)
	}
}
