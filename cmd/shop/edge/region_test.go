package edge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/pages"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

// divided is a region whose copy is at position 100 of epoch "log/1/1", and its home.
type divided struct {
	*Region
	home *httptest.Server
	age  time.Duration
}

func newDivided(t *testing.T) *divided {
	t.Helper()
	d := &divided{home: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("home")) }))}
	t.Cleanup(d.home.Close)
	at, err := url.Parse(d.home.URL)
	if err != nil {
		t.Fatal(err)
	}
	d.Region = &Region{
		Name: "almaty", Home: at, Log: slog.New(slog.DiscardHandler), Wait: time.Millisecond, Patience: time.Millisecond,
		Local: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("copy")) }),
		Reached: func(_ context.Context, p eventstore.Position) error {
			if p > 100 {
				return errors.New("not yet")
			}
			return nil
		},
		Epoch: func() string { return "log/1/1" },
		Age:   func() time.Duration { return d.age },
	}
	return d
}

func (d *divided) ask(method, path string, headers ...string) *httptest.ResponseRecorder {
	r, w := httptest.NewRequest(method, path, nil), httptest.NewRecorder()
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	d.Routes().ServeHTTP(w, r)
	return w
}

// TestATokenOfAnotherHistoryIsAnsweredAtHome: positions of two timelines cannot be compared, so the copy answers neither what it
// lacks nor what it may have under another number. Tokens without an epoch are as before.
func TestATokenOfAnotherHistoryIsAnsweredAtHome(t *testing.T) {
	t.Parallel()
	d := newDivided(t)
	own, other := endpoint.EpochMark("log/1/1"), endpoint.EpochMark("log/1/2")
	for _, c := range []struct{ seen, cookie, want string }{
		{"", "", "copy"},
		{"", other, "copy"}, // nothing was seen
		{"90", "", "copy"},
		{"101", "", "home"},
		{"90", own, "copy"},
		{"90", other, "home"},
		{"90." + own, "", "copy"},
		{"90." + other, "", "home"},
		{"90." + own, other, "copy"}, // the token itself is the newer word
		{"x." + other, "", "copy"},
		{"-1", other, "copy"},
	} {
		headers := []string{"X-Min-Position", c.seen}
		if c.cookie != "" {
			headers = append(headers, "Cookie", endpoint.EpochCookie+"="+c.cookie)
		}
		if w := d.ask("GET", "/api/products/", headers...); w.Body.String() != c.want {
			t.Errorf("seen %q, cookie %q: %s, want %s", c.seen, c.cookie, w.Body, c.want)
		}
	}
	d.Region.Epoch = func() string { return "" } // the ranges are on their way to another one
	if w := d.ask("GET", "/api/products/", "X-Min-Position", "90."+own); w.Body.String() != "home" {
		t.Errorf("while the copy's epoch is not known: %s", w.Body)
	}
	d.home.Close()
	if w := d.ask("GET", "/api/products/", "X-Min-Position", "90."+other); w.Body.String() != "copy" {
		t.Errorf("cut off: %s", w.Body)
	}
}

// TestARegionSaysWhatIsOld: answers of a region that is cut off say how old they are and that no orders are taken, an order is
// refused in the shopper's language, and all of that ends when the home region is there again.
func TestARegionSaysWhatIsOld(t *testing.T) {
	t.Parallel()
	d := newDivided(t)
	if w := d.ask("GET", "/api/shop/"); w.Header().Get(AgeHeader) != "" || w.Header().Get(HomeHeader) != "" {
		t.Errorf("a region that is well: %v", w.Header())
	}
	d.home.Close()
	for language, want := range map[string]string{"ru": "Корзина сохранена", "kk": "Себет сақталды"} {
		w := d.ask("POST", "/api/orders/", "Cookie", "lang="+language)
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), want) {
			t.Errorf("an order in %s: %d %s", language, w.Code, w.Body)
		}
	}
	if w := d.ask("GET", "/api/shop/"); w.Header().Get(HomeHeader) != "away" || w.Header().Get(AgeHeader) != "" || w.Body.String() != "copy" {
		t.Errorf("only orders are impossible: %v %s", w.Header(), w.Body)
	}
	d.age = 62 * time.Second
	if w := d.ask("GET", "/product/cream"); w.Header().Get(HomeHeader) != "away" || w.Header().Get(AgeHeader) != "62" {
		t.Errorf("cut off: %v", w.Header())
	}
	back := httptest.NewServer(d.home.Config.Handler)
	defer back.Close()
	d.Region.Home, _ = url.Parse(back.URL)
	d.looked.Store(0) // it looks every few seconds
	d.age = 0
	if w := d.ask("GET", "/api/shop/"); w.Header().Get(HomeHeader) != "" || w.Header().Get(AgeHeader) != "" {
		t.Errorf("together again: %v", w.Header())
	}
	if w := d.ask("GET", pages.RegionScript); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/javascript") || !strings.Contains(w.Body.String(), HomeHeader) || !strings.Contains(w.Body.String(), AgeHeader) {
		t.Errorf("the script of the banner: %d %v", w.Code, w.Header())
	}
}

// TestAnswersToCommandsNameTheirHistory: once an answer names a position, a browser gets the epoch of it, and no other answer does.
func TestAnswersToCommandsNameTheirHistory(t *testing.T) {
	t.Parallel()
	log := eventstore.Epoch{System: 7, Timeline: 1}
	e := &Epoch{Of: func(context.Context) (eventstore.Epoch, error) { return log, nil }}
	written := e.marked(true)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/changes" {
			w.Header().Set("X-Event-Position", "5")
		}
		_, _ = w.Write([]byte("{}"))
	}))
	ask := func(method, path, cookie string) http.Header {
		r, w := httptest.NewRequest(method, path, nil), httptest.NewRecorder()
		r.AddCookie(&http.Cookie{Name: endpoint.EpochCookie, Value: cookie})
		written.ServeHTTP(w, r)
		return w.Header()
	}
	if h := ask("POST", "/changes", "x"); h.Get(endpoint.EpochHeader) != "" {
		t.Errorf("a log without events: %v", h)
	}
	log.Log[0] = 1
	mark := endpoint.EpochMark(log.String())
	if h := ask("POST", "/changes", "x"); h.Get(endpoint.EpochHeader) != mark || !strings.HasPrefix(h.Get("Set-Cookie"), endpoint.EpochCookie+"="+mark+"; Path=/; HttpOnly; Secure") {
		t.Errorf("a command: %v", h)
	}
	if h := ask("POST", "/changes", mark); h.Get(endpoint.EpochHeader) != mark || h.Get("Set-Cookie") != "" {
		t.Errorf("a browser that has the cookie: %v", h)
	}
	for _, h := range []http.Header{ask("GET", "/changes", "x"), ask("POST", "/nothing", "x")} {
		if h.Get(endpoint.EpochHeader) != "" || h.Get("Set-Cookie") != "" {
			t.Errorf("nothing was written: %v", h)
		}
	}
}
