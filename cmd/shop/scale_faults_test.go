package main

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore/relay/natstest"
	"shop/migrations/pgstandby"
)

// wire forwards connections, as a network that can be slow, lose connections, or carry nothing any more.
type wire struct {
	listener net.Listener

	mu              sync.Mutex
	network, target string
	delay           time.Duration
	conns           map[net.Conn]bool
	// refusing: new connections end at once. open is closed while bytes pass.
	refusing bool
	open     chan struct{}
}

func newWire(t *testing.T, network, target string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, network: network, target: target, conns: map[net.Conn]bool{}, open: make(chan struct{})}
	close(w.open)
	go w.accept()
	t.Cleanup(func() {
		l.Close()
		w.mend()
		w.lose()
	})
	return w
}

// databaseWire is a wire to a PostgreSQL, and the URL that leads through it.
func databaseWire(t *testing.T, of string) (through string, w *wire) {
	t.Helper()
	w = newWire(t, "", "")
	w.leadTo(t, of)
	u, err := url.Parse(of)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = w.at(), query.Encode()
	return u.String(), w
}

// leadTo has new connections go to another PostgreSQL.
func (w *wire) leadTo(t *testing.T, database string) {
	t.Helper()
	config, err := pgconn.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.network, w.target = pgconn.NetworkAddress(config.Host, config.Port)
}

func (w *wire) at() string { return w.listener.Addr().String() }

func (w *wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.carry(client)
	}
}

func (w *wire) carry(client net.Conn) {
	defer client.Close()
	w.mu.Lock()
	network, target, refusing := w.network, w.target, w.refusing
	w.mu.Unlock()
	if refusing {
		return
	}
	server, err := net.Dial(network, target)
	if err != nil {
		return
	}
	defer server.Close()
	w.mu.Lock()
	w.conns[client], w.conns[server] = true, true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.conns, client)
		delete(w.conns, server)
	}()
	var both sync.WaitGroup
	both.Go(func() { w.pass(server, client); server.Close() })
	both.Go(func() { w.pass(client, server); client.Close() })
	both.Wait()
}

func (w *wire) pass(to io.Writer, from io.Reader) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			w.mu.Lock()
			open, delay := w.open, w.delay
			w.mu.Unlock()
			<-open
			time.Sleep(delay)
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut carries nothing any more, and tells nobody.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = make(chan struct{})
}

// mend is the end of everything that is wrong.
func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay, w.refusing = 0, false
	select {
	case <-w.open:
	default:
		close(w.open)
	}
}

// lose ends the connections that there are.
func (w *wire) lose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for conn := range w.conns {
		conn.Close()
	}
}

func (w *wire) set(delay time.Duration, refusing bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay, w.refusing = delay, refusing
}

// on does something to all wires of a region, and mends them in the end.
func (r *scaleRegion) on(do func(*wire)) (mend func()) {
	for _, w := range r.network {
		do(w)
	}
	return func() {
		for _, w := range r.network {
			w.mend()
		}
	}
}

// cutNetwork carries nothing between a region and the rest. The region goes on showing the catalog, refuses orders and says so.
func (s *scale) cutNetwork() {
	r := s.region()
	mend := r.on(func(w *wire) { w.set(0, true); w.lose() })
	defer mend()
	at := &served{t: s.t, url: "http://" + r.at}
	if status, _, body := at.ask("GET", "/api/products/mk-1/", ""); status != http.StatusOK || !strings.Contains(body, "MK-1") {
		s.t.Errorf("the product in %s, which is cut off: %d %s", r.name, status, body)
	}
	status, _, body, err := at.order(s.product, 1, "CASH", uuid.NewString())
	if err != nil || status != http.StatusServiceUnavailable || !strings.Contains(body, "Корзина сохранена") {
		s.t.Errorf("an order in %s, which is cut off: %d %s %v", r.name, status, body, err)
	}
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		_, header, _ := at.ask("GET", "/api/shop/", "")
		if header.Get("X-Shop-Home") == "away" && header.Get("X-Shop-Age") != "" {
			return
		}
		if time.Now().After(until) {
			s.t.Errorf("%s does not say that it is cut off: %v", r.name, header)
			return
		}
	}
}

// dropConnections ends all connections of a region again and again.
func (s *scale) dropConnections() {
	r := s.region()
	for range 20 {
		r.on(func(w *wire) { w.lose() })
		time.Sleep(150 * time.Millisecond)
	}
}

// slowNetwork has everything between a region and the rest take long, and then hold still.
func (s *scale) slowNetwork() {
	r := s.region()
	mend := r.on(func(w *wire) { w.set(60*time.Millisecond, false) })
	defer mend()
	time.Sleep(4 * time.Second)
	r.on(func(w *wire) { w.cut() })
	time.Sleep(2 * time.Second)
}

// deploy starts another process of the home region, leads requests there, and ends the former one, which answers what it has begun.
func (s *scale) deploy() {
	before := s.atHome
	s.home = s.home.with("SHOP_ADDR=" + freeAddress(s.t))
	s.serveHome()
	s.front.mu.Lock()
	s.front.target = s.home.value("SHOP_ADDR")
	s.front.mu.Unlock()
	if status := before.stop(); status != 0 {
		s.t.Errorf("the former process ended with status %d: %s", status, before.stderr)
	}
	s.front.lose()
}

// deployNewer puts a newer build in the place of the home region's process, then, when the others have met what only it can read, in that
// of each region's and of the second relay's.
func (s *scale) deployNewer() {
	s.home = s.home.with(otherBuild + "=" + s.newer)
	s.deploy()
	const written = `SELECT count(*) FROM eventstore.events WHERE type = 'stock.tallied'`
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		n, err := scalar[int64](s, s.home, written)
		if err == nil && n >= 20 {
			break
		}
		if time.Now().After(until) {
			s.t.Fatalf("the newer build wrote %d events, %v", n, err)
		}
	}
	for _, r := range s.regions {
		if status := r.served.stop(); status != 0 {
			s.t.Errorf("%s ended with status %d: %s", r.name, status, r.served.stderr)
		}
		r.program = r.with(otherBuild + "=" + s.newer)
		r.serve()
	}
	s.twin.kill()
	s.serveTwin()
}

// forgetNATS takes everything that NATS knows.
func (s *scale) forgetNATS() {
	for _, n := range s.nats {
		n.Stop()
	}
	for _, n := range s.nats {
		n.Forget()
	}
	s.pass()
	natstest.Restart(s.nats)
}

// promote kills the primary and promotes its standby. The processes end by themselves, and are started again as by a supervisor.
func (s *scale) promote() {
	if s.servers == nil {
		return
	}
	s.servers.failOver()
	s.promoted = true
	for _, r := range s.regions {
		r.homeDB.leadTo(s.t, s.servers.standbyURL)
		r.homeDB.lose()
	}
	s.atHome.ends()
	s.serveHome()
	s.twin.ends()
	s.serveTwin()
}

// erase lets the person leave, and returns when no table of any region has them.
func (s *scale) erase() {
	if s.bearer == nil {
		return
	}
	status, _, body := s.person.send("DELETE", "/api/auth/profile/", strings.NewReader(`{"password":"long enough"}`), s.bearer...)
	if status != http.StatusAccepted {
		s.t.Fatalf("to leave: %d %s", status, body)
	}
	s.bearer = nil
	began := time.Now()
	for _, of := range s.programs() {
		pool, err := pgxpool.New(s.t.Context(), of.value("SHOP_DATABASE_URL"))
		if err != nil {
			s.t.Fatal(err)
		}
		untilForgotten(s.t, pool)
		pool.Close()
		s.t.Logf("no table behind %s has the person any more after %s", of.value("SHOP_ADDR"), time.Since(began).Round(10*time.Millisecond))
	}
}

// addReader has a replica answer what shoppers read in the home region.
func (s *scale) addReader() {
	reader, err := pgstandby.Start(s.t.Context(), s.servers.primary, pgstandby.Settings, "reader")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := reader.Close(); err != nil {
			s.t.Error(err)
		}
	})
	s.reader = reader
	s.home = s.home.with("SHOP_READ_URLS=" + reader.URL)
}

// freezeStandby stops a server that streams from the primary. Orders wait while it is the synchronous one; reads go to the primary.
func (s *scale) freezeStandby(of *pgstandby.Standby) {
	if err := of.Freeze(); err != nil {
		s.t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if err := of.Thaw(); err != nil {
		s.t.Fatal(err)
	}
}

// killReader ends the replica as a crash does, and starts it again.
func (s *scale) killReader() {
	if err := s.reader.Kill(); err != nil {
		s.t.Fatal(err)
	}
	s.pass()
	s.reader.Again()
	if s.reader.Server() == nil {
		s.t.Error("the read replica does not start again")
	}
}

// freezePrimary stops the log's server with all its processes.
func (s *scale) freezePrimary() {
	if s.promoted {
		s.freezeStandby(s.servers.standby)
		return
	}
	conn := s.servers.connect(s.servers.primaryURL)
	rows, err := conn.Query(s.t.Context(), "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
	if err != nil {
		s.t.Fatal(err)
	}
	processes, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		s.t.Fatal(err)
	}
	processes = append(processes, s.servers.primary.PID())
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		for _, pid := range processes {
			_ = syscall.Kill(pid, signal) // some have ended
		}
		if signal == syscall.SIGSTOP {
			time.Sleep(2 * time.Second)
		}
	}
}

// freezeNATS stops a server of NATS for longer than the others wait for it.
func (s *scale) freezeNATS() {
	n := s.one()
	n.Signal(syscall.SIGSTOP)
	time.Sleep(5 * time.Second)
	n.Signal(syscall.SIGCONT)
}
