package edge

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/shoptest"
	"shop/readapi/endpoint"
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
			w := shoptest.Get(t, Compress(writing(201, "application/json; charset=utf-8", long)), "/", "Accept-Encoding", accept)
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
		w := shoptest.Get(t, Compress(c.h), "/", "Accept-Encoding", c.accept)
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
	h := endpoint.Identified(recovered(slog.New(slog.NewJSONHandler(&logged, nil)))(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("ouch") })))
	w := shoptest.Get(t, h, "/", "X-Request-ID", "abc-1")
	if w.Code != 500 || w.Body.String() != `{"detail":"`+textFailed+`"}` || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	var line struct {
		Cause, Stack string
		RequestID    string `json:"request_id"`
	}
	if err := json.Unmarshal(logged.Bytes(), &line); err != nil || line.Cause != "ouch" || line.RequestID != w.Header().Get("X-Request-ID") || line.Stack == "" {
		t.Errorf("logged %s, %v", &logged, err)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	h := endpoint.Identified(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, endpoint.RequestID(r.Context())) }))
	for _, sent := range []string{"", "a b", "<script>", strings.Repeat("a", 65), "ид", "Edge-1.2_3"} {
		w := shoptest.Get(t, h, "/", "X-Request-ID", sent)
		if w.Body.Len() != 36 || w.Body.String() == sent || w.Header().Get("X-Request-ID") != w.Body.String() {
			t.Errorf("%q became %q", sent, w.Body)
		}
	}
	for sent, want := range map[string]string{"Edge-1.2_3": "Edge-1.2_3", "a b": "", strings.Repeat("a", 65): "", "": "", "a\nb": ""} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["X-Request-Id"] = []string{sent}
		if got := endpoint.CallerID(r); got != want {
			t.Errorf("the caller's id %q is %q", sent, got)
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
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("a", MaxBody+1))))
	var tooLarge *http.MaxBytesError
	if read > MaxBody || !errors.As(readErr, &tooLarge) || !bounded {
		t.Errorf("read %d bytes, %v; the request has a deadline: %v", read, readErr, bounded)
	}
}

func TestAnAnswerThatIsCutOffIsLogged(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	r := chi.NewRouter()
	r.Use(accessLog(slog.New(slog.NewJSONHandler(&lines, nil))))
	r.Get("/whole", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "all of it") })
	r.Get("/cut", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "some")
		panic(http.ErrAbortHandler)
	})

	shoptest.Get(t, r, "/whole")
	func() {
		defer func() {
			switch cause := recover(); cause {
			case http.ErrAbortHandler:
			default:
				t.Errorf("got %v", cause)
			}
		}()
		shoptest.Get(t, r, "/cut")
	}()

	said := strings.Split(strings.TrimSpace(lines.String()), "\n")
	if len(said) != 2 || strings.Contains(said[0], "cut_off") || !strings.Contains(said[1], `"bytes":4,`) || !strings.Contains(said[1], `"cut_off":true`) {
		t.Errorf("said %q", said)
	}
}
