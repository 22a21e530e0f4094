package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// forgedLine is a level that does not stand in quotes.
var forgedLine = regexp.MustCompile(`(?m)^[^"\n]*level=ERROR`)

// TestAttackCostOfPolicyReports: anybody may report anything; few of it is logged, in few words.
func TestAttackCostOfPolicyReports(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append([]string{"SHOP_TRUSTED_PROXIES=127.0.0.0/8"}, p.env...)
	s := p.serve()
	send := func(from, kind, body string) (int, string) {
		status, _, answer := s.send(http.MethodPost, "/reports/csp", strings.NewReader(body), "Content-Type", kind, "X-Forwarded-For", from)
		return status, answer
	}
	for i, c := range []struct {
		kind, body string
		status     int
	}{
		{"application/reports+json", `[{"type":"csp-violation","body":{"effectiveDirective":"script-src-elem","blockedURL":"https://evil.example/x.js?token=secret","documentURL":"https://shop.example/order/1?key=secret"}}]`, 204},
		{"application/csp-report", `{"csp-report":{"violated-directive":"img-src 'self'","blocked-uri":"inline","document-uri":"https://shop.example/basket"}}`, 204},
		{"application/csp-report", `{"csp-report":{"effective-directive":"made\nup level=ERROR","blocked-uri":"x\n\u0000level=ERROR msg=forged"}}`, 204},
		{"application/reports+json", `[{"type":"deprecation","body":{}}]`, 400},
		{"application/json", `[]`, 400},
		{"text/plain", `nonsense`, 400},
		{"application/csp-report", `{"csp-report":` + strings.Repeat("[", 10_000), 400},
		{"application/csp-report", `{"csp-report":{"blocked-uri":"` + strings.Repeat("x", 100_000) + `"}}`, 413},
	} {
		if status, answer := send(fmt.Sprintf("203.0.113.%d", i), c.kind, c.body); status != c.status {
			t.Errorf("report %d: %d %s", i, status, answer)
		}
	}
	refused := 0
	for i := range 200 {
		status, _ := send("198.51.100.1", "application/csp-report", fmt.Sprintf(`{"csp-report":{"effective-directive":"img-src","blocked-uri":"https://a%d.example"}}`, i))
		if status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 150 {
		t.Errorf("of 200 reports of one address %d were refused", refused)
	}
	for i := range 200 { // from everywhere
		send(fmt.Sprintf("192.0.2.%d", i), "application/csp-report", fmt.Sprintf(`{"csp-report":{"effective-directive":"img-src","blocked-uri":"https://b%d.example"}}`, i))
	}
	for range 5 {
		send("203.0.113.77", "application/csp-report", `{"csp-report":{"effective-directive":"img-src","blocked-uri":"https://again.example"}}`)
	}
	s.stop()
	logged := s.stderr.String()
	if n := strings.Count(logged, "a browser reports a violation"); n < 3 || n > 60 {
		t.Errorf("%d reports are logged", n)
	}
	if strings.Contains(logged, "secret") || forgedLine.MatchString(logged) || strings.Count(logged, "blocked=https://a0.example") != 1 {
		t.Errorf("logged %.3000s", logged)
	}
}

// TestAttackCostOfForeignPictures: a page shows pictures of the shop and of the hosts that its catalog names, and of no others, so that
// an injected one tells nobody anything.
func TestAttackCostOfForeignPictures(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.ok("catalog", "import", p.file("list.csv", "Label,brand,name,price,pictures\nТело,Kalm,Мыло,9000,https://pictures.example/a.jpg | /img/b.jpg\n"+
		"Тело,Kalm,Крем,9000,https://CDN.example:8443/a.jpg | https://script@evil.example/a.jpg\n"), "--columns", "category=Label", "--new-stock", "20")
	s := p.serve()
	until(t, "the policy names the catalog's hosts", func() bool {
		_, header, _ := s.send(http.MethodGet, "/", nil)
		policy := header.Get("Content-Security-Policy")
		if strings.Contains(policy, "evil") || strings.Contains(policy, "img-src 'self' https:") && !strings.Contains(policy, "img-src 'self' https://") {
			t.Fatalf("the policy is %s", policy)
		}
		return strings.Contains(policy, "img-src 'self' https://cdn.example:8443 https://pictures.example data: blob:;")
	})
}

// TestAttackCostOfInjectedScripts: what the policies of pages say.
func TestAttackCostOfInjectedScripts(t *testing.T) {
	t.Parallel()
	_, s := published(t, "SHOP_PAYMENTS=sandbox", "SHOP_TRUSTED_PROXIES=none")
	for path, wants := range map[string][]string{
		"/":    {"require-trusted-types-for 'script'", "trusted-types default post;", "report-to csp", "report-uri /reports/csp", "upgrade-insecure-requests", "img-src 'self' data: blob:;"},
		"/ops": {"require-trusted-types-for 'script'", "trusted-types notices content;", "report-to csp", "connect-src 'self'", "img-src 'self';", "default-src 'none'", "upgrade-insecure-requests"},
	} {
		_, header, _ := s.send(http.MethodGet, path, nil)
		policy := header.Get("Content-Security-Policy")
		for _, want := range wants {
			if !strings.Contains(policy, want) {
				t.Errorf("the policy of %s lacks %s: %s", path, want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || header.Get("Reporting-Endpoints") != `csp="/reports/csp"` {
			t.Errorf("the policy of %s is %s, reports go to %s", path, policy, header.Get("Reporting-Endpoints"))
		}
	}
}
