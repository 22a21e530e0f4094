package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/terminal"
	"shop/readapi/staff"
)

func TestShopperAndStaffSeeTheSameOrder(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9000, 10)
	s := p.serve()

	// The shopper finds the product and orders it.
	if status, body := s.get("/api/products/mk-1/"); status != 200 || !strings.Contains(body, "Крем MK-1") {
		t.Fatalf("the product: %d %s", status, body)
	}
	if status, body := s.get("/product/mk-1"); status != 200 || !strings.Contains(body, "<title>Крем MK-1 — Дала</title>") {
		t.Errorf("the page: %d %s", status, body)
	}
	if status, _ := s.get("/product/mk-2"); status != 404 {
		t.Errorf("a page of nothing: %d", status)
	}
	r := s.placed(cream, 2, "CASH")

	// Staff see it while the shop runs, in words and as JSON.
	show := p.ok("orders", "show", number(r.Number))
	for _, want := range []string{number(r.Number), r.ID.String(), "RECEIVED, not paid", "Айгерим Сатпаева", "Алматы, Абая, 10", "CASH", "MK-1", "18\u00a0000", "Why it cost", "Итого"} {
		if !strings.Contains(show, want) {
			t.Errorf("show lacks %q:\n%s", want, show)
		}
	}
	var one map[string]any
	if err := json.Unmarshal([]byte(p.ok("orders", "show", number(r.Number), "--format", "json")), &one); err != nil || one["status"] != "RECEIVED" {
		t.Errorf("as JSON: %v, %v", one, err)
	}
	var all []staff.OrderLine
	if err := json.Unmarshal([]byte(p.ok("orders", "list", "--format", "json")), &all); err != nil || len(all) != 1 || all[0].Number != r.Number || all[0].Pieces != 2 {
		t.Errorf("list as JSON: %+v, %v", all, err)
	}
	if table := p.ok("orders", "list"); !strings.HasPrefix(table, "NUMBER  PLACED") || strings.Count(table, "\n") != 2 {
		t.Errorf("list:\n%s", table)
	}
	if table := p.ok("orders", "list", "--status", "completed"); strings.Count(table, "\n") != 1 {
		t.Errorf("completed orders:\n%s", table)
	}
	if table := p.ok("stock", "list", "--article", "MK-1"); !strings.Contains(table, "MK-1          10         2     8  Крем MK-1") {
		t.Errorf("stock:\n%s", table)
	}

	// Staff move it forward; what makes no sense is refused and says why.
	if refused := p.run("orders", "complete", number(r.Number)); refused.status != terminal.Failed || !strings.HasPrefix(refused.stderr, "shop: refused: ") {
		t.Errorf("completing too early: %+v", refused)
	}
	for _, step := range []struct{ verb, status string }{{"approve", "APPROVED"}, {"process", "PROCESSING"}, {"complete", "COMPLETED"}} {
		want := fmt.Sprintf("order %d: %s\n", r.Number, step.status)
		if said := p.ok("orders", step.verb, number(r.Number)); said != want {
			t.Errorf("%s: %q", step.verb, said)
		}
	}
	if again := p.ok("orders", "complete", number(r.Number)); !strings.Contains(again, "nothing to change") {
		t.Errorf("completing again: %q", again)
	}
	if missing := p.run("orders", "approve", "5"); missing.status != terminal.Failed || missing.stderr != "shop: there is no order 5\n" {
		t.Errorf("an order of nobody: %+v", missing)
	}
	if after := p.ok("stock", "receive", "--article", "MK-1", "--quantity", "5", "--ref", "invoice 7"); after != "MK-1: 13 on hand, 0 reserved, 13 free\n" {
		t.Errorf("received: %q", after)
	}
	if after := p.ok("stock", "adjust", "--article", "MK-1", "--on-hand", "3"); after != "MK-1: 3 on hand, 0 reserved, 3 free\n" {
		t.Errorf("adjusted: %q", after)
	}

	// The log tells all of it, and personal fields only when asked.
	stream := p.ok("events", "stream", "order-"+r.ID.String())
	if strings.Contains(stream, "Айгерим") || !strings.Contains(stream, "(personal)") || !strings.Contains(stream, "order.completed") || !strings.Contains(stream, "cli:") {
		t.Errorf("the order's stream:\n%s", stream)
	}
	if personal := p.ok("events", "stream", "order-"+r.ID.String(), "--personal"); !strings.Contains(personal, "Айгерим") {
		t.Errorf("with personal fields:\n%s", personal)
	}
	if nobody := p.run("events", "stream", "order-1"); nobody.status != terminal.Failed {
		t.Errorf("a stream of nothing: %+v", nobody)
	}
	tail := strings.Split(strings.TrimSpace(p.ok("events", "tail", "--follow=false", "-n", "6", "--format", "json")), "\n")
	var last staff.EventLine
	moved := slices.IndexFunc(tail, func(line string) bool { return strings.Contains(line, `"stock.adjusted"`) })
	if err := json.Unmarshal([]byte(tail[max(0, moved)]), &last); err != nil || len(tail) != 6 || last.Type != "stock.adjusted" || !strings.HasPrefix(last.Metadata.Actor, "cli:") {
		t.Errorf("tail: %+v, %v", tail, err)
	}

	// Without a server the command line does the projecting itself.
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
	if after := p.ok("stock", "receive", "--article", "MK-1", "--quantity", "1"); after != "MK-1: 4 on hand, 0 reserved, 4 free\n" {
		t.Errorf("received without a server: %q", after)
	}
}

func TestCardIsPaidAtTheSandboxBank(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	paid, refused := s.placed(cream, 1, "CARD"), s.placed(cream, 1, "CARD")
	if !strings.HasPrefix(paid.PaymentURL, s.url+"/pay/sandbox/") {
		t.Fatalf("to be paid at %q", paid.PaymentURL)
	}
	if status, _ := s.get("/pay/sandbox/" + uuid.NewString() + "-1"); status != 404 {
		t.Errorf("a bill of nobody: %d", status)
	}
	cookies, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: cookies, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	hidden := regexp.MustCompile(`name="token" value="([^"]+)"`)
	// open shows the bill and returns the form's token; decide sends the form and returns where it leads.
	open := func(s *served, r receipt) string {
		response, err := browser.Get(s.url + r.path())
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		page, err := io.ReadAll(response.Body)
		token := hidden.FindSubmatch(page)
		if err != nil || response.StatusCode != 200 || token == nil || !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Fatalf("the bank's page: %d %v %s, %v", response.StatusCode, response.Header, page, err)
		}
		return string(token[1])
	}
	decide := func(s *served, r receipt, token, decision string) string {
		response, err := browser.PostForm(s.url+r.path(), url.Values{"token": {token}, "decision": {decision}})
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.Header.Get("Location")
	}
	if to := decide(s, refused, open(s, refused), "refuse"); to != "/#error_popup" {
		t.Errorf("a refusal leads to %q", to)
	}
	// The shop may be restarted between the page and the decision: its secrets stay.
	token := open(s, paid)
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
	if to := decide(p.serve(), paid, token, "pay"); to != "/#success_popup" {
		t.Errorf("paying leads to %q", to)
	}
	known := p.numbersOf()
	if o := known[paid.Number]; o.Status != "APPROVED" || !o.IsPaid {
		t.Errorf("the paid order is %+v", o)
	}
	if o := known[refused.Number]; o.Status != "PAYMENT_ERR" || o.IsPaid {
		t.Errorf("the refused order is %+v", o)
	}
}

// customers order from the shop until stopped, and count what they were told.
type customers struct {
	mu    sync.Mutex
	acked []receipt
	// unanswered counts requests that got through to the server and no answer back.
	other  map[string]int
	closed chan struct{}
	all    sync.WaitGroup
}

func (s *served) customers(n int, product uuid.UUID) *customers {
	c := &customers{other: map[string]int{}, closed: make(chan struct{})}
	for range n {
		c.all.Go(func() {
			for {
				select {
				case <-c.closed:
					return
				default:
				}
				status, r, body, err := s.order(product, 1, "CASH", uuid.NewString())
				c.mu.Lock()
				switch {
				case err != nil:
					c.other[err.Error()]++
				case status == http.StatusCreated:
					c.acked = append(c.acked, r)
				default:
					c.other[fmt.Sprint(status, body)]++
				}
				c.mu.Unlock()
				if err != nil {
					return // the shop is gone
				}
			}
		})
	}
	return c
}

// wait returns when so many orders were acknowledged.
func (c *customers) wait(t *testing.T, orders int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		n := len(c.acked)
		c.mu.Unlock()
		if n >= orders {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d orders after a minute; others: %v", n, orders, c.other)
		}
	}
}

func (c *customers) leave() {
	close(c.closed)
	c.all.Wait()
}

// numbersOf are the numbers of all orders the shop knows.
func (p program) numbersOf() map[int64]staff.OrderLine {
	p.t.Helper()
	var all []staff.OrderLine
	if err := json.Unmarshal([]byte(p.ok("orders", "list", "--limit", "100000", "--format", "json")), &all); err != nil {
		p.t.Fatal(err)
	}
	byNumber := map[int64]staff.OrderLine{}
	for _, o := range all {
		byNumber[o.Number] = o
	}
	return byNumber
}

func TestStopUnderLoadLosesNothing(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9000, 1_000_000)
	p.unbounded()
	s := p.serve()
	c := s.customers(16, cream)
	c.wait(t, 100)
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
	c.leave()
	known := p.numbersOf()
	for _, r := range c.acked {
		if known[r.Number].ID != r.ID {
			t.Errorf("order %d was acknowledged and is not there", r.Number)
		}
	}
	// Every request that was begun was answered: nobody has an order without knowing.
	if len(known) != len(c.acked) {
		t.Errorf("%d orders are there, %d were acknowledged; others: %v", len(known), len(c.acked), c.other)
	}
}

func TestKilledUnderLoadKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9000, 1_000_000)
	p.unbounded()
	s := p.serve()
	c := s.customers(16, cream)
	c.wait(t, 100)
	s.kill()
	c.leave()

	again := p.serve()
	known := p.numbersOf()
	for _, r := range c.acked {
		if known[r.Number].ID != r.ID {
			t.Errorf("order %d was acknowledged and is not there", r.Number)
		}
	}
	// The read models count each order once: stock reserved is what orders hold.
	var stock []staff.StockLine
	if err := json.Unmarshal([]byte(p.ok("stock", "list", "--format", "json")), &stock); err != nil || len(stock) != 1 || stock[0].Reserved != int64(len(known)) {
		t.Errorf("stock is %+v with %d orders, %v", stock, len(known), err)
	}
	if r := again.placed(cream, 1, "CASH"); known[r.Number].Number != 0 {
		t.Errorf("number %d was given twice", r.Number)
	}
	if status := again.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, again.stderr)
	}
	p.audit()
}

func TestEmbeddedServerIsSharedAndSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { // else, for root, the database would outlive the test elsewhere
		t.Fatal(err)
	}
	p := program{t, []string{"SHOP_DATA_DIR=" + dir, "SHOP_ADDR=127.0.0.1:0"}}
	cream := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	r := s.placed(cream, 1, "CASH")
	if list := p.ok("orders", "list"); !strings.Contains(list, number(r.Number)) {
		t.Errorf("while it runs: %s", list)
	}
	s.kill()
	if list := p.ok("orders", "list"); !strings.Contains(list, number(r.Number)) {
		t.Errorf("after the kill: %s", list)
	}
	again := p.serve()
	if status, body := again.get("/readyz"); status != 200 {
		t.Errorf("ready: %d %s", status, body)
	}
	// The process that started the server may leave before another that uses it.
	beside := p.serve("--roles", "web,projectors")
	if status := again.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, again.stderr)
	}
	again = beside
	r = again.placed(cream, 1, "CASH")
	if list := p.ok("orders", "list"); !strings.Contains(list, number(r.Number)) {
		t.Errorf("after the first left: %s", list)
	}
	if status := again.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, again.stderr)
	}
}

// TestShopOutlivesItsDatabaseServer kills the embedded server under load. The shop says that it is busy, and goes on.
func TestShopOutlivesItsDatabaseServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { // else, for root, the database would outlive the test elsewhere
		t.Fatal(err)
	}
	p := program{t, []string{"SHOP_DATA_DIR=" + dir, "SHOP_ADDR=127.0.0.1:0", "SHOP_CHECKOUT_RATE=0", "SHOP_ORDER_RATE=0", "SHOP_NEW_BASKET_RATE=0", "SHOP_PAGE_RATE=0", "SHOP_READ_RATE=0"}}
	cream := p.stocked("MK-1", 9000, 1_000_000)
	p.unbounded()
	s := p.serve()
	c := s.customers(4, cream)
	c.wait(t, 20)
	postmaster := func() int {
		text, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
		if err != nil {
			return 0
		}
		first, _, _ := strings.Cut(string(text), "\n")
		pid, _ := strconv.Atoi(first)
		return pid
	}
	killed := postmaster()
	if killed == 0 {
		t.Fatal("no server runs")
	}
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	before := len(c.acked)
	c.mu.Unlock()
	c.wait(t, before+50)
	c.leave()
	if again := postmaster(); again == killed || again == 0 {
		t.Errorf("the server is process %d, and was %d", again, killed)
	}
	for said, n := range c.other {
		if !strings.HasPrefix(said, "503") {
			t.Errorf("%d answers were %s", n, said)
		}
	}
	known := p.numbersOf()
	for _, r := range c.acked {
		if known[r.Number].ID != r.ID {
			t.Errorf("order %d was acknowledged and is not there", r.Number)
		}
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
}

func TestAddressIsOneABrowserReaches(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{"127.0.0.1:0": "http://127.0.0.1:", "0.0.0.0:0": "http://localhost:", "[::]:0": "http://localhost:"} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if got := addressOf(l); !strings.HasPrefix(got, want) {
			t.Errorf("%s is reached at %s", at, got)
		}
		l.Close()
	}
}

func TestTakenPortIsToldAtOnce(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	s := p.serve()
	taken := program{t, append(p.env, "SHOP_ADDR="+strings.TrimPrefix(s.url, "http://"))}
	if r := taken.run("serve"); r.status != terminal.Failed || !strings.Contains(r.stderr, "shop: SHOP_ADDR: ") || !strings.Contains(r.stderr, "address already in use") {
		t.Errorf("got %+v", r)
	}
}

func TestProjectionsCanBePausedAndResumed(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.stocked("MK-1", 9000, 10)
	s := p.serve()
	state := func(name string) string {
		var rows []staff.ProjectionLine
		if err := json.Unmarshal([]byte(p.ok("projections", "list", "--format", "json")), &rows); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Name == name {
				return string(r.State)
			}
		}
		return "absent"
	}
	if got := state("stock"); got != "live" {
		t.Errorf("stock is %s", got)
	}
	if said := p.ok("projections", "pause", "stock"); said != "stock: paused\n" || state("stock") != "paused" {
		t.Errorf("said %q, stock is %s", said, state("stock"))
	}
	if old := p.run("stock", "receive", "--article", "MK-1", "--quantity", "1"); old.status != 0 || !strings.Contains(old.stderr, "stock: paused") {
		t.Errorf("received while paused: %+v", old)
	}
	// The shop opens without what an operator stopped.
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
	s = p.serve()
	if said := p.ok("projections", "resume", "stock"); said != "stock: resumed\n" {
		t.Errorf("said %q", said)
	}
	if table := p.ok("stock", "list"); !strings.Contains(table, " 11 ") {
		t.Errorf("after resuming:\n%s", table)
	}
	if said := p.ok("projections", "rebuild", "stock"); !strings.HasPrefix(said, "stock: rebuilt from 2 events in ") {
		t.Errorf("said %q", said)
	}
	if table := p.ok("stock", "list"); !strings.Contains(table, " 11 ") || state("stock") != "live" {
		t.Errorf("after the rebuild, %s:\n%s", state("stock"), table)
	}
	if table := p.ok("deadletters", "list"); strings.Count(table, "\n") != 1 {
		t.Errorf("dead letters:\n%s", table)
	}
	if none := p.run("deadletters", "retry", "stock"); none.status != terminal.Failed {
		t.Errorf("retrying nothing: %+v", none)
	}
	if none := p.run("deadletters", "skip", "stock", "1", "--reason", "test"); none.status != terminal.Failed || !strings.Contains(none.stderr, "no dead letter") {
		t.Errorf("skipping nothing: %+v", none)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
}

// closedDoor is an address of this test's own that refuses connections until it is opened: a port that is given back may be somebody
// else's by then.
func closedDoor(t *testing.T) (address string, open func() net.Listener) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	socket := os.NewFile(uintptr(fd), "door")
	t.Cleanup(func() { socket.Close() })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port), func() net.Listener {
		if err := syscall.Listen(fd, 64); err != nil {
			t.Fatal(err)
		}
		listener, err := net.FileListener(socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		return listener
	}
}

// A shop that is started together with its database waits for it, and answers whoever watches over it meanwhile.
func TestServeWaitsForItsDatabase(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	database, err := url.Parse(strings.TrimPrefix(p.env[0], "SHOP_DATABASE_URL="))
	if err != nil {
		t.Fatal(err)
	}
	network, address := "tcp", database.Host
	if socket := database.Query().Get("host"); socket != "" {
		network, address = "unix", filepath.Join(socket, ".s.PGSQL."+database.Query().Get("port"))
	}
	// What the shop knows of its database is a port where nobody listens yet.
	door, open := closedDoor(t)
	query := database.Query()
	query.Del("host")
	query.Del("port")
	database.Host, database.RawQuery = door, query.Encode()
	mine, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := mine.Addr().String()
	mine.Close()
	p.env = append(p.env, "SHOP_DATABASE_URL="+database.String(), "SHOP_ADDR="+front)

	ready := make(chan *served, 1)
	go func() {
		defer close(ready)
		ready <- p.serve()
	}()
	ask := func(path string) int {
		response, err := http.Get("http://" + front + path)
		if err != nil {
			return 0
		}
		response.Body.Close()
		return response.StatusCode
	}
	until := time.Now().Add(20 * time.Second)
	for ask("/healthz") != http.StatusOK && time.Now().Before(until) {
		time.Sleep(20 * time.Millisecond)
	}
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable, "/": http.StatusServiceUnavailable} {
		if got := ask(path); got != want {
			t.Errorf("%s before the database: %d", path, got)
		}
	}
	through := open()
	go func() {
		for {
			conn, err := through.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				behind, err := net.Dial(network, address)
				if err != nil {
					return
				}
				defer behind.Close()
				go io.Copy(behind, conn)
				io.Copy(conn, behind)
			}()
		}
	}()
	s, ok := <-ready
	if !ok {
		return // it said why
	}
	if status, body := s.get("/readyz"); status != http.StatusOK {
		t.Errorf("ready: %d %s", status, body)
	}
	if status := s.stop(); status != 0 || !strings.Contains(s.stderr.String(), "waiting for PostgreSQL") {
		t.Errorf("it ended with %d and told: %s", status, s.stderr)
	}
}
