package edge

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
)

// visitor sends requests through a limit.
type visitor struct {
	peer, forwarded, path, body string
}

func (v visitor) asks(h http.Handler) *httptest.ResponseRecorder {
	path, method := v.path, http.MethodGet
	if path == "" {
		path = "/"
	}
	if v.body != "" {
		method = http.MethodPost
	}
	r := httptest.NewRequest(method, path, strings.NewReader(v.body))
	r.RemoteAddr = v.peer
	if v.forwarded != "" {
		r.Header.Set("X-Forwarded-For", v.forwarded)
	}
	w := httptest.NewRecorder()
	clientIP(ourProxies)(h).ServeHTTP(w, r)
	return w
}

var ourProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}

// passes is how many of n requests came through.
func passes(h http.Handler, n int, who func(i int) visitor) int {
	passed := 0
	for i := range n {
		if who(i).asks(h).Code == http.StatusOK {
			passed++
		}
	}
	return passed
}

func limitsOf(t *testing.T, settings ...string) Limits {
	t.Helper()
	c, err := app.ReadConfig(shoptest.Env(settings...))
	if err != nil {
		t.Fatal(err)
	}
	return newLimits(c)
}

var fine = writing(200, "text/plain", "ok")

func TestLimitIsPerAddress(t *testing.T) {
	t.Parallel()
	h := limitsOf(t, "SHOP_PROMOCODE_RATE", "0.1").Guesses(fine)
	if n := passes(h, 5, func(int) visitor { return visitor{peer: "192.0.2.1:1"} }); n != 1 {
		t.Errorf("%d came through, want the one of ten seconds", n)
	}
	w := visitor{peer: "192.0.2.1:2"}.asks(h)
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "10" || !strings.Contains(w.Body.String(), TextTooMany) {
		t.Errorf("beyond it got %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := (visitor{peer: "192.0.2.2:1"}).asks(h); w.Code != 200 {
		t.Errorf("another address got %d", w.Code)
	}
}

func TestAnAddressCannotBeMadeUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		who  func(i int) visitor
		want int
	}{
		"X-Forwarded-For without a proxy of ours": {func(i int) visitor {
			return visitor{peer: "192.0.2.1:1", forwarded: fmt.Sprintf("198.51.100.%d", i)}
		}, 1},
		"a made-up hop before what our proxy says": {func(i int) visitor {
			return visitor{peer: "10.0.0.1:1", forwarded: fmt.Sprintf("203.0.113.%d, 198.51.100.7", i)}
		}, 1},
		"hops that look like our proxies": {func(i int) visitor {
			return visitor{peer: "192.0.2.1:1", forwarded: fmt.Sprintf("198.51.100.%d, 10.0.0.9", i)}
		}, 1},
		"the addresses of one IPv6 network": {func(i int) visitor {
			return visitor{peer: fmt.Sprintf("[2001:db8:1:2:%x::%x]:1", i, i)}
		}, 1},
		"ports of one address": {func(i int) visitor { return visitor{peer: fmt.Sprintf("192.0.2.1:%d", i+1)} }, 1},
		"IPv4 in IPv6": {func(i int) visitor {
			return visitor{peer: []string{"192.0.2.1:1", "[::ffff:192.0.2.1]:1"}[i%2]}
		}, 1},
		"two IPv6 networks": {func(i int) visitor {
			return visitor{peer: fmt.Sprintf("[2001:db8:1:%d::1]:1", i%2)}
		}, 2},
		"customers behind our proxy": {func(i int) visitor {
			return visitor{peer: "10.0.0.1:1", forwarded: fmt.Sprintf("198.51.100.%d", i)}
		}, 50},
	} {
		h := limitsOf(t, "SHOP_PROMOCODE_RATE", "0.1").Guesses(fine)
		if n := passes(h, 50, c.who); n != c.want {
			t.Errorf("%s: %d came through, want %d", name, n, c.want)
		}
	}
}

func TestAnAccountIsTriedSeldomFromOneAddress(t *testing.T) {
	t.Parallel()
	body := func(email string) string {
		return fmt.Sprintf(`{"username":%q,"password":"secret"}`, email)
	}
	var read string
	h := limitsOf(t, "SHOP_EMAIL_RATE", "0.01", "SHOP_ACCOUNT_RATE", "0").Accounts(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		read = string(text)
	}))
	const stranger = "192.0.2.1:1"
	spellings := []string{"aigul@example.kz", " Aigul@Example.KZ ", "AIGUL@EXAMPLE.KZ"}
	if n := passes(h, 50, func(i int) visitor { return visitor{peer: stranger, body: body(spellings[i%3])} }); n != 5 {
		t.Errorf("%d tries at one account, want 5", n)
	}
	padded := visitor{peer: stranger, body: strings.Repeat(" ", 60<<10) + body(spellings[0])}
	if w := padded.asks(h); w.Code != http.StatusTooManyRequests {
		t.Errorf("a long body got %d", w.Code)
	}
	large := visitor{peer: stranger, body: strings.Repeat(" ", maxCredentials) + body(spellings[0])}
	if large.asks(h); read != large.body {
		t.Errorf("of a body of %d bytes the handler read %d", len(large.body), len(read))
	}
	for name, free := range map[string]visitor{
		"another account":           {peer: stranger, body: body("marat@example.kz")},
		"its owner, somewhere else": {peer: "192.0.2.2:1", body: body(spellings[0])},
	} {
		if w := free.asks(h); w.Code != 200 || read != free.body {
			t.Errorf("%s: %d, the handler read %q", name, w.Code, read)
		}
	}
}

func TestSearchesAreLimitedAndListsAreNot(t *testing.T) {
	t.Parallel()
	h := limitsOf(t, "SHOP_SEARCH_RATE", "0.1").Searches(fine)
	for path, want := range map[string]int{"/api/products/": 20, "/api/products/?limit=3": 20, "/api/products/?search=krem": 1} {
		if n := passes(h, 20, func(int) visitor { return visitor{peer: "192.0.2.1:1", path: path} }); n != want {
			t.Errorf("%s: %d came through, want %d", path, n, want)
		}
	}
}

func TestNoLimitIsNone(t *testing.T) {
	t.Parallel()
	l := limitsOf(t, "SHOP_CHECKOUT_RATE", "0", "SHOP_SIGNIN_RATE", "0", "SHOP_ACCOUNT_RATE", "0", "SHOP_EMAIL_RATE", "0", "SHOP_REVIEWS_AN_HOUR", "0")
	for name, limit := range map[string]func(http.Handler) http.Handler{"pricings": l.Pricings, "accounts": l.Accounts, "reviews": l.Reviews, "staff": l.Staff} {
		if n := passes(limit(fine), 200, func(int) visitor { return visitor{peer: "192.0.2.1:1", body: `{"email":"a@example.kz"}`} }); n != 200 {
			t.Errorf("%s: %d came through", name, n)
		}
	}
}
