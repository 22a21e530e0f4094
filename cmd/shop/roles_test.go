package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/eventstore"
	"shop/eventstore/feed"
	reads "shop/readapi/staff"
)

func TestRolesAreNamed(t *testing.T) {
	t.Parallel()
	var r app.Roles
	if err := r.Set("policies, web,web"); err != nil || r.String() != "policies,web" || !r.Has(app.RoleWeb) || r.Has(app.RoleProjectors) {
		t.Errorf("%v, %v", r, err)
	}
	for _, bad := range []string{"", "cook", "web,,policies"} {
		if err := r.Set(bad); err == nil {
			t.Errorf("%q is understood as %v", bad, r)
		}
	}
	p := program{t, []string{"SHOP_DATA_DIR=" + t.TempDir()}}
	if got := p.run("serve", "--roles", "web,cook"); got.status != terminal.Misuse || !strings.Contains(got.stderr, `"cook" is no role, want some of web,projectors,policies,relay`) {
		t.Errorf("an unknown role: %+v", got)
	}
	p.env = append(p.env, "SHOP_ROLES=cook")
	if got := p.run("serve"); got.status != terminal.Failed || !strings.Contains(got.stderr, "SHOP_ROLES: ") {
		t.Errorf("an unknown role by SHOP_ROLES: %+v", got)
	}
}

// shares counts leases by the number of the process that holds them, 0 for free ones.
func (p program) shares(store *eventstore.Store) map[int]int {
	p.t.Helper()
	consumers, err := feed.ControlOf(store).Consumers(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	n := map[int]int{}
	for _, c := range consumers {
		for _, r := range c.Ranges {
			pid := 0
			if parts := strings.Split(r.Holder, ":"); len(parts) == 3 {
				fmt.Sscan(parts[1], &pid)
			}
			n[pid]++
		}
	}
	return n
}

// amount reads how much of a product there is from its page, once the shop has come to a position.
func (s *served) amount(link, position string) int64 {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.url+"/api/products/"+link+"/", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("X-Min-Position", position)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var product struct{ Amount int64 }
	if err := json.NewDecoder(response.Body).Decode(&product); err != nil {
		s.t.Fatal(err)
	}
	return product.Amount
}

// until waits for a condition and says how long that took.
func until(t *testing.T, what string, is func() bool) time.Duration {
	t.Helper()
	return within(t, time.Minute, what, is)
}

func within(t *testing.T, most time.Duration, what string, is func() bool) time.Duration {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if is() {
			return time.Since(began)
		}
		if time.Since(began) > most {
			t.Fatalf("not after %s: %s", most, what)
		}
	}
}

// TestThreeProcessesShareTheWork: one serves pages, others fold; those come, are killed, stopped and woken, and leave,
// while customers order. Every event is folded once, and whoever has ordered sees what is left.
func TestThreeProcessesShareTheWork(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	const pieces = 1_000_000
	cream, rare := p.stocked("MK-1", 9000, pieces), p.stocked("MK-2", 9000, 30)
	p.unbounded()
	s, err := app.OpenLog(t.Context(), p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(t.Context()) })

	first := p.serve("--roles", "projectors,policies")
	web := p.serve("--roles", "web")
	second := p.serve("--roles", "projectors,policies")
	pid := func(s *served) int { return s.cmd.Process.Pid }
	evenly := func(all ...*served) func() bool {
		return func() bool {
			n := p.shares(s.Store)
			total, least, most := 0, 1<<30, 0
			for _, s := range all {
				total, least, most = total+n[pid(s)], min(least, n[pid(s)]), max(most, n[pid(s)])
			}
			free := 0
			for _, count := range n {
				free += count
			}
			return free == total && most-least <= 1
		}
	}
	t.Logf("a new process had its share after %v", until(t, "two share evenly", evenly(first, second)))

	// Only the web answers shoppers; the others answer those who watch over them.
	if status, body := first.get("/readyz"); status != http.StatusOK {
		t.Errorf("ready: %d %s", status, body)
	}
	if status, _ := first.get("/api/products/"); status != http.StatusNotFound {
		t.Errorf("products without the role web: %d", status)
	}
	// Whoever orders through the web sees at once what is left.
	left := int64(30)
	seen := func() time.Duration {
		t.Helper()
		r := web.placed(rare, 1, "CASH")
		left--
		began := time.Now()
		if shown := web.amount("mk-2", r.position); shown != left {
			t.Errorf("%d are shown after position %s, %d are left", shown, r.position, left)
		}
		return time.Since(began)
	}
	caughtUp := func() time.Duration {
		t.Helper()
		head, err := s.Store.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return until(t, "all is folded", func() bool {
			consumers, err := feed.ControlOf(s.Store).Consumers(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range consumers {
				if c.Position < head {
					return false
				}
			}
			return true
		})
	}
	var took []time.Duration
	for range 20 {
		took = append(took, seen())
	}
	slices.Sort(took)
	t.Logf("the web process showed own writes after %v, half of the time", took[len(took)/2])

	c := web.customers(4, cream)
	c.wait(t, 20)
	first.kill()
	moved := until(t, "the second has all", func() bool { return p.shares(s.Store)[pid(first)] == 0 && evenly(second)() })
	t.Logf("a killed process's work moved after %v, and was caught up with %v later", moved, caughtUp())
	if moved > 10*time.Second {
		t.Errorf("a killed process's work moved after %v", moved)
	}

	seen()
	third := p.serve("--roles", "projectors,policies")
	until(t, "two share evenly again", evenly(second, third))
	c.wait(t, len(c.acked)+20)
	second.cmd.Process.Signal(syscall.SIGSTOP)
	moved = until(t, "the third has all", evenly(third))
	t.Logf("a stopped process's work moved after %v, and was caught up with %v later", moved, caughtUp())
	if moved > 10*time.Second {
		t.Errorf("a stopped process's work moved after %v", moved)
	}
	second.cmd.Process.Signal(syscall.SIGCONT)
	until(t, "the woken one has its share", evenly(second, third))
	seen()

	third.cmd.Process.Signal(syscall.SIGTERM)
	began := time.Now()
	until(t, "the woken one has all", evenly(second))
	t.Logf("an orderly stop handed over %v after the signal", time.Since(began))
	if status := third.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, third.stderr)
	}
	c.leave()
	caughtUp()

	known := p.numbersOf()
	for _, r := range c.acked {
		if known[r.Number].ID != r.ID {
			t.Errorf("order %d was acknowledged and is not there", r.Number)
		}
	}
	var stock []reads.StockLine
	if err := json.Unmarshal([]byte(p.ok("stock", "list", "--format", "json")), &stock); err != nil || len(stock) != 2 || stock[0].Reserved+stock[1].Reserved != int64(len(known)) {
		t.Errorf("stock is %+v with %d orders, %v", stock, len(known), err)
	}
	for _, s := range []*served{web, second} {
		if status := s.stop(); status != 0 {
			t.Errorf("serve ended with %d: %s", status, s.stderr)
		}
	}
	p.audit()
}
