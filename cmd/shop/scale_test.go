package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"

	"shop/cmd/builds"
	"shop/eventstore/relay/natstest"
	"shop/migrations/pgstandby"
	"shop/migrations/pgtest"
)

// scale is a home region with two relays, other regions, and a cluster of NATS between them, in which things break.
type scale struct {
	t       *testing.T
	chance  *rand.Rand
	nats    []*natstest.Server
	home    program
	servers *pair // of PostgreSQL; nil: there is one without a standby
	// reader answers what shoppers read at home; nil: the primary does.
	reader   *pgstandby.Standby
	promoted bool
	atHome   *served
	twin     *served
	regions  []*scaleRegion
	// front leads to the home region's site, as a load balancer does.
	front   *wire
	product uuid.UUID
	// person has an account until it is erased.
	person *served
	bearer []string
	// newer is a build of a later version of the program; empty: it takes nobody's place.
	newer string

	mu sync.Mutex
	// placed are acknowledged orders by their idempotency key.
	placed map[string]acknowledged
	// reads are those that named what the shopper had seen; late are those of them that said that they are older.
	reads, late int
}

// acknowledged is an order that a shopper was told of, at a position of the log.
type acknowledged struct{ number, position int64 }

// scaleRegion is a region, and the network between it and the rest.
type scaleRegion struct {
	program
	name    string
	at      string
	served  *served
	network []*wire
	// homeDB is that of them that leads to the home region's database.
	homeDB *wire
}

// fault is something that breaks, and is there again when do returns.
type fault struct {
	name string
	do   func()
	// once: it cannot happen twice.
	once bool
}

// TestScale buys in a home region and in others while processes are killed, stopped and replaced, networks fail, NATS loses servers,
// folders and messages, a person is erased, and the primary dies. Afterwards each acknowledged order is in the log once, every region
// has what the home region has, row by row, nobody read anything older than what they had seen, and nobody has the person.
// SHOP_SCALE_SEED chooses the order of faults, SHOP_SCALE_FAULTS how many there are; with SHOP_SCALE_REGIONS=2 there are two regions
// and a standby of the log and a read replica (make scale).
func TestScale(t *testing.T) {
	seed, faults, regions := setting(t, "SHOP_SCALE_SEED", 1), setting(t, "SHOP_SCALE_FAULTS", 4), setting(t, "SHOP_SCALE_REGIONS", 1)
	s := &scale{t: t, chance: rand.New(rand.NewPCG(uint64(seed), 0)), placed: map[string]acknowledged{}}
	if regions > 1 {
		s.newer = filepath.Join(t.TempDir(), "shop-newer")
		if err := builds.Make(t.Context(), s.newer, builds.Newer); err != nil {
			t.Fatal(err)
		}
	}
	s.nats = natstest.Processes(t, 3)
	s.start(regions)
	ctx, stop := context.WithCancel(t.Context())
	var shoppers sync.WaitGroup
	for _, at := range s.sites() {
		shoppers.Go(func() { s.buy(ctx, at) })
	}
	broken := s.short()
	if regions > 1 {
		broken = s.all()
	}
	var told []string
	for i, order := 0, s.chance.Perm(len(broken)); i < faults; i++ {
		fault := broken[order[i%len(order)]]
		if fault.once && i >= len(order) {
			continue
		}
		before, began := s.orders(), time.Now()
		fault.do()
		lasted := time.Since(began)
		s.caughtUp()
		told = append(told, fmt.Sprintf("| %s | %s | %s | %d |", fault.name, lasted.Round(10*time.Millisecond), (time.Since(began)-lasted).Round(10*time.Millisecond), s.orders()-before))
		t.Log(told[len(told)-1])
	}
	s.erase()
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
	t.Logf("seed %d\n| fault | lasted | all is there again after | orders meanwhile |\n| --- | --- | --- | --- |\n%s", seed, strings.Join(told, "\n"))
	s.check()
}

// short are the faults of the test that runs with all others.
func (s *scale) short() []fault {
	return []fault{
		{name: "the region is killed", do: s.killRegion},
		{name: "all of NATS is gone", do: s.allNATS},
		{name: "the region's network is cut", do: s.cutNetwork},
		{name: "a person is erased", do: s.erase, once: true},
	}
}

// all are all of them.
func (s *scale) all() []fault {
	return append(s.short(), []fault{
		{name: "the home region is killed", do: func() { s.atHome.kill(); s.serveHome() }},
		{name: "the home region stands still", do: func() { s.freeze(s.atHome) }},
		{name: "the home region is replaced by another process", do: s.deploy},
		{name: "a newer build takes the place of all, one after the other", do: s.deployNewer, once: true},
		{name: "the primary stands still", do: s.freezePrimary},
		{name: "the synchronous standby stands still", do: func() { s.freezeStandby(s.servers.standby) }, once: true},
		{name: "the read replica stands still", do: func() { s.freezeStandby(s.reader) }},
		{name: "the read replica is killed", do: s.killReader},
		{name: "a server of NATS stands still", do: s.freezeNATS},
		{name: "a region stands still", do: func() { s.freeze(s.region().served) }},
		{name: "the second relay is killed", do: func() { s.twin.kill(); s.serveTwin() }},
		{name: "the network of a region drops connections", do: s.dropConnections},
		{name: "the network of a region is slow", do: s.slowNetwork},
		{name: "a server of NATS is gone", do: func() { n := s.one(); n.Stop(); s.pass(); n.Restart() }},
		{name: "a server of NATS loses its folder", do: func() { n := s.one(); n.Stop(); n.Forget(); n.Restart() }},
		{name: "all of NATS loses its folders", do: s.forgetNATS},
		{name: "the stream is purged", do: s.purge},
		{name: "the primary dies, and the standby is promoted", do: s.promote, once: true},
	}...)
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

func (s *scale) start(regions int) {
	s.home = onDatabase(s.t)
	if regions > 1 {
		s.servers = startPair(s.t)
		s.home = s.servers.program()
	}
	s.home = s.home.with("SHOP_NATS_URL="+s.natsAt(nil), "SHOP_ADDR="+freeAddress(s.t), "SHOP_TRUSTED_PROXIES=127.0.0.0/8")
	s.product = s.home.stocked("MK-1", 9000, scaleStock)
	if s.servers != nil {
		primary := s.servers.connect(s.servers.primaryURL)
		s.servers.exec(primary, "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)'")
		s.servers.exec(primary, "SELECT pg_reload_conf()")
		s.servers.until("the standby is synchronous", s.servers.primaryURL, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')")
	}
	if s.servers != nil {
		s.addReader()
	}
	s.front = newWire(s.t, "tcp", s.home.value("SHOP_ADDR"))
	s.serveHome()
	s.serveTwin()
	for n := range regions {
		s.regions = append(s.regions, s.newRegion([]string{"almaty", "astana"}[n]))
	}
	s.person = &served{t: s.t, url: s.sites()[1]}
	s.bearer = s.person.register(personEmail)
	placed := s.person.orderOf(s.product, s.bearer...)
	s.home.ok("orders", "cancel", number(placed.Number)) // who leaves has no open orders
}

// newRegion starts a region behind a network of its own.
func (s *scale) newRegion(name string) *scaleRegion {
	r := &scaleRegion{name: name, at: freeAddress(s.t)}
	at := s.home.value("SHOP_DATABASE_URL")
	if s.servers != nil {
		at = s.servers.primaryURL
	}
	through, database := databaseWire(s.t, at)
	site := newWire(s.t, "tcp", s.front.at())
	r.homeDB, r.network = database, []*wire{database, site}
	r.program = s.home.with("SHOP_DATABASE_URL="+pgtest.URL(s.t), "SHOP_DATA_DIR="+s.t.TempDir(), "SHOP_ADDR="+r.at,
		"SHOP_HOME_URL=http://"+site.at(), "SHOP_HOME_DATABASE_URL="+through, "SHOP_NATS_URL="+s.natsAt(&r.network), "SHOP_READ_URLS=")
	r.serve()
	return r
}

func (r *scaleRegion) serve() { r.served = r.program.serve("--region", r.name) }

// natsAt are the addresses of NATS, each by way of a wire of its own where network is given.
func (s *scale) natsAt(network *[]*wire) string {
	var at []string
	for _, n := range s.nats {
		url := n.URL()
		if network != nil {
			w := newWire(s.t, "tcp", strings.TrimPrefix(url, "nats://"))
			*network = append(*network, w)
			url = "nats://" + w.at()
		}
		at = append(at, url)
	}
	return strings.Join(at, ",")
}

// scaleStock is how many pieces there are to be bought.
const scaleStock = 1_000_000

// sites are where shoppers buy: the home region's first.
func (s *scale) sites() []string {
	sites := []string{"http://" + s.front.at()}
	for _, r := range s.regions {
		sites = append(sites, "http://"+r.at)
	}
	return sites
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

func (s *scale) serveHome() { s.atHome = s.home.serve("--roles", "web,projectors,policies,relay") }
func (s *scale) serveTwin() {
	s.twin = s.home.with("SHOP_ADDR=127.0.0.1:0").serve("--roles", "relay")
}

// region is one of them, by chance.
func (s *scale) region() *scaleRegion { return s.regions[s.chance.IntN(len(s.regions))] }

func (s *scale) killRegion() {
	r := s.region()
	r.served.kill()
	r.serve()
}

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
	js, err := jetstream.New(natstest.Connect(s.t, s.natsAt(nil)))
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
func (s *scale) buy(ctx context.Context, at string) {
	for ctx.Err() == nil {
		key := uuid.NewString()
		for ctx.Err() == nil {
			if placed, seen := s.order(ctx, at, key); placed.number > 0 {
				s.mu.Lock()
				s.placed[key] = placed
				s.mu.Unlock()
				s.read(ctx, at, placed.position, seen)
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

// order asks for a piece as somebody who never came before, and answers what they have seen then; 0: it was not acknowledged.
func (s *scale) order(ctx context.Context, at, key string) (placed acknowledged, seen string) {
	asked := fmt.Sprintf(`{"customer_first_name": "Айгерим", "customer_last_name": "Сатпаева", "customer_email": "%[1]s@example.com", "customer_phone": "+7701%07[2]d",
		"customer_city": "Алматы", "customer_street": "Абая", "customer_house": "10", "payment_method": "CASH", "delivery_type": "DELIVERY",
		"products": [{"product": "%[3]s", "amount": 1}]}`, key, crc32.ChecksumIEEE([]byte(key))%10_000_000, s.product)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at+"/api/orders/", strings.NewReader(asked))
	if err != nil {
		return placed, ""
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	of := crc32.ChecksumIEEE([]byte(key)) // each shopper has an address of their own: that many open orders are nobody's
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", of>>16&255, of>>8&255, of&255))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return placed, ""
	}
	defer answer.Body.Close()
	var told receipt
	if answer.StatusCode != http.StatusCreated || json.NewDecoder(answer.Body).Decode(&told) != nil {
		return placed, ""
	}
	position := answer.Header.Get("X-Event-Position")
	placed.number = told.Number
	placed.position, _ = strconv.ParseInt(position, 10, 64) // a repeated answer has none
	if epoch := answer.Header.Get("X-Event-Epoch"); epoch != "" {
		position += "." + epoch
	}
	return placed, position
}

// read looks at the stock as somebody who has seen a position: it is without the pieces that were ordered up to there, or the answer
// says that it is older.
func (s *scale) read(ctx context.Context, at string, position int64, seen string) {
	if position == 0 {
		return
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/api/products/mk-1/stock/", nil)
	if err != nil {
		return
	}
	request.Header.Set("X-Min-Position", seen)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	var stock struct{ Amount int }
	if answer.StatusCode != http.StatusOK || json.NewDecoder(answer.Body).Decode(&stock) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sold := 0
	for _, placed := range s.placed {
		if placed.position > 0 && placed.position <= position {
			sold++
		}
	}
	s.reads++
	switch {
	case answer.Header.Get("X-Read-Model-Position") != "":
		s.late++
	case stock.Amount > scaleStock-sold:
		s.t.Errorf("%s answers %d pieces to somebody who has seen %s, when %d of %d were ordered; region %q, age %q", at, stock.Amount, seen, sold, scaleStock,
			answer.Header.Get("X-Shop-Region"), answer.Header.Get("X-Shop-Age"))
	}
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
