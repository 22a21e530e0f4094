package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/commands/payments"
)

// refused runs 'shop serve', which must end by itself with status 1, and returns what it says.
func (p program) refused(args ...string) string {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := p.command(append([]string{"serve"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		cmd.Process.Kill()
		<-ended
		p.t.Fatalf("shop serve %s with %q goes on: %s", strings.Join(args, " "), p.env, &stderr)
	}
	if status := cmd.ProcessState.ExitCode(); status != 1 {
		p.t.Errorf("shop serve with %q ended with %d: %s", p.env, status, &stderr)
	}
	return stderr.String()
}

// published serves a shop whose public address is https://shop.example, as behind a TLS proxy on this machine.
func published(t *testing.T, env ...string) (program, *served) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	p := onDatabase(t)
	// Of two the last counts, as exec has it; config takes the first.
	p.env = append(append([]string{"SHOP_PUBLIC_URL=https://shop.example", "SHOP_SMTP_URL=folder", "SHOP_ADDR=" + address}, env...), without(p.env, "SHOP_ADDR")...)
	s := p.serve()
	s.url = "http://" + address
	return p, s
}

func without(env []string, name string) (rest []string) {
	for _, pair := range env {
		if !strings.HasPrefix(pair, name+"=") {
			rest = append(rest, pair)
		}
	}
	return rest
}

// A start in production that forgets how money is taken, or who the proxy is, is no start.
func TestAttackDeploymentForgets(t *testing.T) {
	t.Parallel()
	// Nobody answers there: who comes so far has not been refused.
	base := []string{"SHOP_DATABASE_URL=postgres://127.0.0.1:1/shop", "SHOP_ADDR=127.0.0.1:0", "SHOP_DATA_DIR=" + t.TempDir(), "SHOP_KEY_FILE=" + keyFile(t)}
	const https, payments, proxies, letters = "SHOP_PUBLIC_URL=https://shop.example", "SHOP_PAYMENTS: must be set", "SHOP_TRUSTED_PROXIES: must be set", "SHOP_SMTP_URL: must"
	for name, c := range map[string]struct {
		env, args   []string
		told, quiet []string
	}{
		"everything":                     {env: []string{https}, told: []string{payments, proxies, letters}},
		"everything, and an empty file":  {env: []string{https, "SHOP_PAYMENTS=", "SHOP_TRUSTED_PROXIES="}, told: []string{payments, proxies}},
		"and misspells something":        {env: []string{https, "SHOP_CHECKOUT_RATE=fast"}, told: []string{payments, proxies, "SHOP_CHECKOUT_RATE: "}},
		"payments":                       {env: []string{https, "SHOP_TRUSTED_PROXIES=none"}, told: []string{payments}, quiet: []string{proxies}},
		"proxies":                        {env: []string{https, "SHOP_PAYMENTS=sandbox"}, told: []string{proxies}, quiet: []string{payments}},
		"proxies, with web alone":        {env: []string{https, "SHOP_PAYMENTS=sandbox"}, args: []string{"--roles", "web"}, told: []string{proxies}},
		"payments, giving money back":    {env: []string{https}, args: []string{"--roles", "policies"}, told: []string{payments}, quiet: []string{proxies}},
		"TLS too":                        {env: []string{"SHOP_PUBLIC_URL=http://shop.example"}, told: []string{payments}, quiet: []string{proxies}},
		"a public address on a network":  {env: []string{"SHOP_PUBLIC_URL=http://192.168.1.7:8080"}, told: []string{payments}},
		"its address, and listens wide":  {env: []string{"SHOP_ADDR=0.0.0.0:0"}, told: []string{payments}},
		"an address that looks like one": {env: []string{"SHOP_PUBLIC_URL=http://127.0.0.1.shop.example"}, told: []string{payments}},
		"its database":                   {env: []string{https, "SHOP_DATABASE_URL="}, told: []string{"SHOP_DATABASE_URL: must name a server"}},
		"which proxies it has":           {env: []string{https, "SHOP_PAYMENTS=sandbox", "SHOP_TRUSTED_PROXIES=,"}, told: []string{"SHOP_TRUSTED_PROXIES: "}},
	} {
		p := program{t, append(c.env, base...)}
		switch name {
		case "its address, and listens wide":
			p.env = append(c.env, without(base, "SHOP_ADDR")...)
		case "its database":
			p.env = append(c.env, without(base, "SHOP_DATABASE_URL")...)
		}
		said := p.refused(c.args...)
		if strings.Count(said, "\n") != 1 {
			t.Errorf("who forgets %s is told in more than a line: %s", name, said)
		}
		for _, want := range c.told {
			if !strings.Contains(said, want) {
				t.Errorf("who forgets %s is not told %q: %s", name, want, said)
			}
		}
		for _, unwanted := range c.quiet {
			if strings.Contains(said, unwanted) {
				t.Errorf("who forgets %s is told %q: %s", name, unwanted, said)
			}
		}
	}
}

// Development stays one command, and so does a container whose port is published to its own machine.
func TestAttackDeploymentLeavesDevelopmentAlone(t *testing.T) {
	t.Parallel()
	for name, pairs := range map[string][]string{
		"as it comes":  {},
		"a container":  {"SHOP_ADDR", "0.0.0.0:8080", "SHOP_PUBLIC_URL", "http://localhost:8080"},
		"IPv6":         {"SHOP_ADDR", "[::1]:8080"},
		"a subdomain":  {"SHOP_PUBLIC_URL", "http://shop.localhost:8080"},
		"folding only": {"SHOP_PUBLIC_URL", "https://shop.example", "SHOP_ROLES", "projectors", "SHOP_KEY_FILE", "shop.key", "SHOP_DATABASE_URL", "embedded"},
		"all stated":   {"SHOP_PUBLIC_URL", "https://shop.example", "SHOP_PAYMENTS", "sandbox", "SHOP_TRUSTED_PROXIES", "none", "SHOP_SMTP_URL", "folder", "SHOP_KEY_FILE", "shop.key", "SHOP_DATABASE_URL", "embedded"},
	} {
		c, err := app.ReadConfig(shoptest.Env(pairs...))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Demands(); err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
	}
}

// With a provider that takes money there is no page on which an order is approved for nothing.
func TestAttackDeploymentFreeApproval(t *testing.T) {
	t.Parallel()
	p, s := published(t, "SHOP_PAYMENTS=cloudpayments", "SHOP_CLOUDPAYMENTS_URL=http://127.0.0.1:1", "SHOP_CLOUDPAYMENTS_PUBLIC_ID=pk",
		"SHOP_CLOUDPAYMENTS_SECRET=secret", "SHOP_TRUSTED_PROXIES=none")
	receipt := s.placed(p.stocked("MK-1", 9_000, 5), 1, "CARD")
	payment := payments.ID(receipt.ID, 1)
	for _, path := range []string{"/pay/sandbox/" + payment, "/api/payments/sandbox", "/api/payments/sandbox/pay"} {
		response, err := http.Post(s.url+path, "application/x-www-form-urlencoded", strings.NewReader("decision=pay&token=x"))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("POST %s was answered with %d", path, response.StatusCode)
		}
	}
	if shown := p.ok("orders", "show", number(receipt.Number)); !strings.Contains(shown, "RECEIVED, not paid") || strings.Contains(shown, terminal.TestMoney) {
		t.Errorf("the order is now\n%s", shown)
	}
	if _, page := s.get("/"); strings.Contains(page, "деньги не списываются") {
		t.Error("a shop that takes money says that it does not")
	}
}

// A test bank that was chosen says so wherever somebody could take it for a real one.
func TestAttackDeploymentTestBankIsTold(t *testing.T) {
	t.Parallel()
	p, s := published(t, "SHOP_PAYMENTS=sandbox", "SHOP_TRUSTED_PROXIES=none")
	if log := s.stderr.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "test bank") {
		t.Errorf("the log does not say it: %s", log)
	}
	for path, want := range map[string]string{
		"/": "Тестовый банк: деньги не списываются", "/basket": "Тестовый банк: деньги не списываются", "/no-such-page": "Тестовый банк: деньги не списываются",
		"/shell": "Тестовый банк: деньги не списываются", "/ops": "Тестовый банк: деньги не списываются", "/analytics/orders": "Тестовый банк: деньги не списываются",
	} {
		if _, page := s.get(path); !strings.Contains(page, want) || strings.Count(page, `class="test-bank"`) != 1 {
			t.Errorf("%s does not say that the bank is a test", path)
		}
	}
	request, _ := http.NewRequest(http.MethodGet, s.url+"/", nil)
	request.Header.Set("Cookie", "lang=kk")
	if _, page := do(t, request); !strings.Contains(page, "Сынақ банкі: ақша алынбайды") || strings.Contains(page, "деньги не списываются") {
		t.Error("the Kazakh page does not say it in Kazakh")
	}
	receipt := s.placed(p.stocked("MK-1", 9_000, 5), 1, "CARD")
	if _, page := s.get("/pay/sandbox/" + payments.ID(receipt.ID, 1)); !strings.Contains(page, "Тестовый банк: деньги не списываются") || !strings.Contains(page, "Сынақ банкі: ақша алынбайды") {
		t.Errorf("the bank's page says\n%s", page)
	}
	if shown := p.ok("orders", "show", number(receipt.Number)); !strings.Contains(shown, terminal.TestMoney) {
		t.Errorf("the order is shown as\n%s", shown)
	}
	if shown := p.ok("orders", "show", number(receipt.Number), "--format", "json"); !strings.Contains(shown, `"test_payment": true`) {
		t.Errorf("the order is shown as\n%s", shown)
	}
	if listed := p.ok("orders", "list"); !strings.Contains(listed, "no, test") {
		t.Errorf("the list is\n%s", listed)
	}
}

func TestAttackDeploymentTestBankOnThisMachineIsQuiet(t *testing.T) {
	t.Parallel()
	s := onDatabase(t).serve()
	if _, page := s.get("/"); strings.Contains(page, "test-bank") {
		t.Error("the storefront in development has a strip")
	}
	if _, page := s.get("/ops"); !strings.Contains(page, "Тестовый банк: деньги не списываются") {
		t.Error("staff are not told")
	}
}

// Addresses are told by proxies that were named, and by nobody else.
func TestAttackDeploymentSpoofedAddress(t *testing.T) {
	t.Parallel()
	const attempts = 30 // of which ten seconds' worth pass
	passed := func(s *served, forwarded func(i int) string) (n int) {
		t.Helper()
		for i := range attempts {
			request, _ := http.NewRequest(http.MethodGet, s.url+"/api/promocodes/NONE/", nil)
			request.Header.Set("X-Forwarded-For", forwarded(i))
			if status, _ := do(t, request); status == http.StatusNotFound {
				n++
			}
		}
		return n
	}
	stranger := func(i int) string { return fmt.Sprintf("203.0.113.%d", i) }
	limited := func(proxies string) *served {
		p := onDatabase(t)
		p.env = append([]string{"SHOP_TRUSTED_PROXIES=" + proxies, "SHOP_PROMOCODE_RATE=0.1"}, without(p.env, "SHOP_PROMOCODE_RATE")...)
		return p.serve()
	}
	s := limited("none")
	if n := passed(s, stranger); n != 1 {
		t.Errorf("%d of %d made-up addresses came through", n, attempts)
	}
	s.stop()
	if log := s.stderr.String(); strings.Count(log, "X-Forwarded-For") != 1 || !strings.Contains(log, "SHOP_TRUSTED_PROXIES") || strings.Contains(log, "203.0.113") {
		t.Errorf("that a proxy is not believed is told so: %s", log)
	}

	s = limited("127.0.0.0/8")
	if n := passed(s, func(i int) string { return stranger(i) + ", 198.51.100.7" }); n != 1 {
		t.Errorf("%d of %d came through with made-up hops before the proxy's", n, attempts)
	}
	if n := passed(s, func(i int) string {
		return strings.Repeat(stranger(i)+", ", 10) + "198.51.100.8, 127.0.0.2"
	}); n != 1 {
		t.Errorf("%d of %d came through with ten made-up hops", n, attempts)
	}
	if n := passed(s, func(i int) string { return strings.Repeat(stranger(i)+", ", 100) + "198.51.100.9, 127.0.0.2" }); n != 0 {
		t.Errorf("%d of %d came through with a hundred made-up hops, which no proxies have", n, attempts)
	}
	if n := passed(s, stranger); n != attempts {
		t.Errorf("%d of %d shoppers came through the proxy", n, attempts)
	}
	request, _ := http.NewRequest(http.MethodGet, s.url+"/api/promocodes/NONE/", nil)
	request.Header.Set("X-Forwarded-For", strings.Repeat("203.0.113.9, ", 1<<20/13))
	if status, _ := do(t, request); status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a megabyte of hops was answered with %d", status)
	}
	s.stop()
	if log := s.stderr.String(); strings.Contains(log, "X-Forwarded-For") {
		t.Errorf("a proxy that is believed is warned of: %s", log)
	}
}

func do(t *testing.T, request *http.Request) (int, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body.String()
}
