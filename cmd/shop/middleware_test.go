package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

func writing(status int, kind, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("ETag", `"a"`)
		w.WriteHeader(status)
		io.WriteString(w, body)
	})
}

func TestCompress(t *testing.T) {
	t.Parallel()
	long := `{"text":"` + strings.Repeat("шампунь ", 500) + `"}`
	for accept, decode := range map[string]func(io.Reader) io.Reader{
		"gzip, deflate, br": func(r io.Reader) io.Reader { return brotli.NewReader(r) },
		"gzip":              func(r io.Reader) io.Reader { z, _ := gzip.NewReader(r); return z },
	} {
		for range 2 { // the second time with a used encoder
			w := get(t, compress(writing(201, "application/json; charset=utf-8", long)), "/", "Accept-Encoding", accept)
			if w.Code != 201 || w.Body.Len() > len(long)/5 || w.Header().Get("Vary") != "Accept-Encoding" || w.Header().Get("ETag") != `W/"a"` {
				t.Fatalf("%s: got %d, %d bytes, %v", accept, w.Code, w.Body.Len(), w.Header())
			}
			if plain, err := io.ReadAll(decode(w.Body)); err != nil || string(plain) != long {
				t.Fatalf("%s: decoded %q, %v", accept, plain, err)
			}
		}
	}
}

func TestCompressLeavesAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		h      http.Handler
		accept string
	}{
		"short answers":  {writing(200, "application/json", "{}"), "br"},
		"pictures":       {writing(200, "image/webp", long), "br"},
		"other browsers": {writing(200, "application/json", long), "deflate"},
		"no answer body": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }), "br"},
		"encoded files": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, long)
		}), "br"},
	} {
		w := get(t, compress(c.h), "/", "Accept-Encoding", c.accept)
		if w.Header().Get("Content-Encoding") == "br" {
			t.Errorf("%s are compressed", name)
		}
		if name == "no answer body" && w.Code != 304 {
			t.Errorf("304 became %d", w.Code)
		}
	}
}

func TestPanicIsAnAnswerAndALogLine(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	h := identified(recovered(slog.New(slog.NewJSONHandler(&logged, nil)))(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("ouch") })))
	w := get(t, h, "/", "X-Request-ID", "abc-1")
	if w.Code != 500 || w.Body.String() != `{"detail":"`+textFailed+`"}` || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	var line struct {
		Cause, Stack string
		RequestID    string `json:"request_id"`
	}
	if err := json.Unmarshal(logged.Bytes(), &line); err != nil || line.Cause != "ouch" || line.RequestID != "abc-1" || line.Stack == "" {
		t.Errorf("logged %s, %v", &logged, err)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	h := identified(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, requestID(r.Context())) }))
	for _, sent := range []string{"", "a b", "<script>", strings.Repeat("a", 65), "ид"} {
		w := get(t, h, "/", "X-Request-ID", sent)
		if w.Body.Len() != 36 || w.Header().Get("X-Request-ID") != w.Body.String() {
			t.Errorf("%q became %q", sent, w.Body)
		}
	}
	if w := get(t, h, "/", "X-Request-ID", "Edge-1.2_3"); w.Body.String() != "Edge-1.2_3" {
		t.Errorf("a good id became %q", w.Body)
	}
}

func TestRateLimitIsPerAddress(t *testing.T) {
	t.Parallel()
	h := perAddress(0.5, nil)(writing(200, "text/plain", "ok"))
	ask := func(addr string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = addr
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for range 5 { // ten seconds' worth
		if w := ask("192.0.2.1:1"); w.Code != 200 {
			t.Fatalf("within the burst got %d", w.Code)
		}
	}
	w := ask("192.0.2.1:2")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "2" || !strings.Contains(w.Body.String(), textTooMany) {
		t.Errorf("beyond it got %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := ask("192.0.2.2:1"); w.Code != 200 {
		t.Errorf("another address got %d", w.Code)
	}
}

func TestClientAddr(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:5", "", "192.0.2.1"},
		{"192.0.2.1:5", "198.51.100.7", "192.0.2.1"},                // not a proxy of ours: its word counts nothing
		{"10.0.0.1:5", "198.51.100.7", "198.51.100.7"},              //
		{"10.0.0.1:5", "203.0.113.9, 198.51.100.7", "198.51.100.7"}, // what the client claims itself counts nothing
		{"10.0.0.1:5", "198.51.100.7, 10.0.0.2", "198.51.100.7"},    // two proxies of ours
		{"10.0.0.1:5", "garbage", "10.0.0.1"},
		{"[2001:db8::1:2]:5", "", "2001:db8::"},
		{"[::ffff:192.0.2.1]:5", "", "192.0.2.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := clientAddr(r, trusted).String(); got != c.want {
			t.Errorf("%s for %q is %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

func TestBodiesAndTimeAreBounded(t *testing.T) {
	t.Parallel()
	var read int
	var readErr error
	var bounded bool
	h := limited(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, bounded = r.Context().Deadline()
		body, err := io.ReadAll(r.Body)
		read, readErr = len(body), err
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("a", maxBody+1))))
	var tooLarge *http.MaxBytesError
	if read > maxBody || !errors.As(readErr, &tooLarge) || !bounded {
		t.Errorf("read %d bytes, %v; the request has a deadline: %v", read, readErr, bounded)
	}
}
