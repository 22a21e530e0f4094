package readapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"

	"shop/eventstore"
)

// counting is an endpoint that says how often it was asked.
type counting struct {
	asked atomic.Int64
	reply func(n int64, r *http.Request) (*Reply, error)
}

func (c *counting) ask(r *http.Request) (*Reply, error) { return c.reply(c.asked.Add(1), r) }

// shows answers the count of askings and depends on parts.
func shows(parts ...Part) *counting {
	return &counting{reply: func(n int64, _ *http.Request) (*Reply, error) {
		return reply(revalidate, fmt.Appendf(nil, "%d", n), parts...), nil
	}}
}

func ask(t testing.TB, a *Answers, e Endpoint, address string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	if err := a.Endpoint(e)(w, r); err != nil {
		t.Fatal(err)
	}
	return w
}

func event(stream, typ string) []eventstore.Event {
	return []eventstore.Event{{Stream: stream, Type: typ}}
}

func TestAnswersStandUntilWhatTheyShowChanges(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	for name, c := range map[string]struct {
		change func()
		drops  string // of: whole, stream, type, kind
	}{
		"nothing":                 {func() {}, ""},
		"another model":           {func() { a.Changed("stock", event("product-1", "product.priced")) }, ""},
		"another model, unclear":  {func() { a.Changed("stock", nil) }, ""},
		"another stream":          {func() { a.Changed("catalog", event("product-2", "product.priced")) }, "whole kind"},
		"the stream":              {func() { a.Changed("catalog", event("product-1", "product.priced")) }, "whole stream kind"},
		"the type":                {func() { a.Changed("catalog", event("product-2", "product.added")) }, "whole type kind"},
		"another kind":            {func() { a.Changed("catalog", event("brand-1", "brand.added")) }, "whole"},
		"unclear":                 {func() { a.Changed("catalog", nil) }, "whole stream type kind"},
		"more than is looked at":  {func() { a.Changed("catalog", make([]eventstore.Event, manyEvents+1)) }, "whole stream type kind"},
		"more than is remembered": {func() { overflow(a) }, "whole stream type kind"},
	} {
		parts := map[string]Part{"whole": {"catalog", ""}, "stream": {"catalog", "product-1"}, "type": {"catalog", "product.added"}, "kind": {"catalog", "product"}}
		for of, part := range parts {
			e := shows(Part{"rules", ""}, part)
			address := "/" + strings.ReplaceAll(name, " ", "-") + "/" + of
			if first, again := ask(t, a, e.ask, address), ask(t, a, e.ask, address); first.Body.String() != "1" || again.Body.String() != "1" {
				t.Fatalf("%s: %s, then %s", address, first.Body, again.Body)
			}
			c.change()
			want := "1"
			if strings.Contains(c.drops, of) {
				want = "2"
			}
			if after := ask(t, a, e.ask, address).Body.String(); after != want {
				t.Errorf("%s changed, %s: got %s, want %s", name, of, after, want)
			}
		}
	}
}

// overflow tells of more parts of a model that is shown than are remembered, none of which anybody shows.
func overflow(a *Answers) {
	turn(a, "catalog")
	turn(a, "catalog")
}

// turn tells of as many parts of a model as are remembered at once.
func turn(a *Answers, model string) {
	for i := 0; i <= manyParts; i += manyEvents {
		events := make([]eventstore.Event, manyEvents)
		for j := range events {
			events[j] = eventstore.Event{Stream: fmt.Sprint("x-", i+j), Type: "x.y"}
		}
		a.Changed(model, events)
	}
}

// TestWhatIsAskedOftenOutlastsManyChanges: that nothing of it had changed so far is remembered with an answer, and with a page.
func TestWhatIsAskedOftenOutlastsManyChanges(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	e := shows(Part{"catalog", "product-1"})
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	page := a.Gather()
	if _, err := page.Ask(e.ask, request); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		turn(a, "catalog")
		if got := ask(t, a, e.ask, "/").Body.String(); got != "1" || !page.Stands() {
			t.Fatalf("nothing of it has changed, and the answer is %s; the page stands: %t", got, page.Stands())
		}
	}
	a.Changed("catalog", event("product-1", "product.priced"))
	if got := ask(t, a, e.ask, "/").Body.String(); got != "2" || page.Stands() {
		t.Errorf("it has changed, and the answer is %s; the page stands: %t", got, page.Stands())
	}
}

// TestChangesThatNoAnswerShowsTakeNoMemory: an answer that is the first to show a model is wrong all the same if it changed meanwhile.
func TestChangesThatNoAnswerShowsTakeNoMemory(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	turn(a, "orders")
	if n := len(a.changed) + len(a.before); n != 0 {
		t.Errorf("%d parts are remembered of a model that nothing shows", n)
	}
	e := &counting{reply: func(n int64, _ *http.Request) (*Reply, error) {
		if n == 1 {
			a.Changed("orders", event("order-1", "order.placed")) // after the endpoint looked
		}
		return reply(revalidate, fmt.Appendf(nil, "%d", n), Part{"orders", "order-1"}), nil
	}}
	for _, want := range []string{"1", "2", "2"} {
		if got := ask(t, a, e.ask, "/").Body.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAnAnswerMadeDuringAChangeIsNotKept(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	e := &counting{reply: func(n int64, _ *http.Request) (*Reply, error) {
		if n == 1 {
			a.Changed("rules", nil) // after the endpoint looked
		}
		return reply(revalidate, fmt.Appendf(nil, "%d", n), Part{"rules", ""}), nil
	}}
	// Who asked before the change may see what was before it.
	if first, again := ask(t, a, e.ask, "/").Body.String(), ask(t, a, e.ask, "/").Body.String(); first != "1" || again != "2" {
		t.Errorf("got %s, then %s", first, again)
	}
}

func TestAnAnswerIsMadeOnceForAllWhoAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := NewAnswers(1<<20, time.Now)
		made := make(chan struct{})
		e := &counting{reply: func(n int64, _ *http.Request) (*Reply, error) {
			<-made
			return reply(revalidate, fmt.Appendf(nil, "%d", n), Part{"rules", ""}), nil
		}}
		var early, late sync.WaitGroup
		asking := func(group *sync.WaitGroup, want string) {
			group.Go(func() {
				if got := ask(t, a, e.ask, "/").Body.String(); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
		for range 20 {
			asking(&early, "1")
		}
		synctest.Wait()
		// Those who come after a change may not be given what was begun before it.
		a.Changed("rules", nil)
		for range 20 {
			asking(&late, "2")
		}
		synctest.Wait()
		close(made)
		early.Wait()
		late.Wait()
		if n := e.asked.Load(); n != 2 {
			t.Errorf("made %d times", n)
		}
	})
}

func TestFailuresAreNotKept(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	trouble := errors.New("trouble")
	e := &counting{reply: func(n int64, _ *http.Request) (*Reply, error) {
		if n == 1 {
			return nil, trouble
		}
		return reply(revalidate, []byte("fine")), nil
	}}
	err := a.Endpoint(e.ask)(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	if !errors.Is(err, trouble) {
		t.Errorf("got %v", err)
	}
	if got := ask(t, a, e.ask, "/").Body.String(); got != "fine" {
		t.Errorf("then %s", got)
	}
}

func TestABrowserThatLeavesSpoilsNothing(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	ctx, leave := context.WithCancel(t.Context())
	e := Endpoint(func(r *http.Request) (*Reply, error) {
		leave()
		return reply(revalidate, []byte("fine")), r.Context().Err()
	})
	if err := a.Endpoint(e)(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)); err != nil {
		t.Error(err)
	}
}

func TestTimeEndsAnAnswer(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	a := NewAnswers(1<<20, func() time.Time { return now })
	e := &counting{reply: func(n int64, _ *http.Request) (*Reply, error) {
		p := reply(revalidate, fmt.Appendf(nil, "%d", n))
		p.until = now.Add(time.Minute)
		return p, nil
	}}
	for _, step := range []struct {
		after time.Duration
		want  string
	}{{0, "1"}, {time.Minute - 1, "1"}, {1, "2"}} {
		now = now.Add(step.after)
		if got := ask(t, a, e.ask, "/").Body.String(); got != step.want {
			t.Errorf("at %s: got %s, want %s", now, got, step.want)
		}
	}
}

func TestWhatMustBeTrueNowIsKeptOnlyIfItSaysWhy(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	var parts []Part
	e := &counting{reply: func(n int64, _ *http.Request) (*Reply, error) {
		return reply(never, fmt.Appendf(nil, "%d", n), parts...), nil
	}}
	ask(t, a, e.ask, "/")
	if w := ask(t, a, e.ask, "/"); w.Body.String() != "2" || w.Header().Get("ETag") != "" {
		t.Errorf("got %s, %v", w.Body, w.Header())
	}
	parts = []Part{{"stock", "stock-1"}}
	ask(t, a, e.ask, "/")
	if w := ask(t, a, e.ask, "/"); w.Body.String() != "3" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got %s, %v", w.Body, w.Header())
	}
}

func TestQueriesAreReadAsFarAsTheyAreKnown(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	e := &counting{reply: func(_ int64, r *http.Request) (*Reply, error) {
		return reply(revalidate, []byte(r.URL.Path+"?"+r.URL.RawQuery+r.Header.Get("X"))), nil
	}}
	for _, address := range []string{"/list?limit=2&search=a%20b", "/list?search=a+b&limit=2", "/list?limit=2&search=a+b&utm_source=mail", "/list?limit=2&limit=9&search=a+b&ordering="} {
		if got := ask(t, a, e.ask, address, "X", "secret").Body.String(); got != "/list?limit=2&search=a+b" {
			t.Errorf("%s: %s", address, got)
		}
	}
	if n := e.asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	for _, other := range []string{"/list?limit=2", "/list/?limit=2&search=a+b", "/list%2F?limit=2&search=a+b", "/list?limit=2&search=A+b"} {
		ask(t, a, e.ask, other)
	}
	if n := e.asked.Load(); n != 5 {
		t.Errorf("asked %d times for five questions", n)
	}
	long := "/list?search=" + strings.Repeat("a", longKey)
	ask(t, a, e.ask, long)
	ask(t, a, e.ask, long)
	if n := e.asked.Load(); n != 7 {
		t.Errorf("a long question was kept")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	a := NewAnswers(limit, time.Now)
	e := &counting{reply: func(int64, *http.Request) (*Reply, error) {
		return reply(revalidate, bytes.Repeat([]byte("0123456789abcdef"), 1000), Part{"rules", ""}), nil
	}}
	for i := range 200 {
		ask(t, a, e.ask, fmt.Sprint("/", i), "Accept-Encoding", "br")
		ask(t, a, e.ask, "/0", "Accept-Encoding", "gzip") // what is asked for stays
	}
	if n := e.asked.Load(); n != 200 {
		t.Errorf("made %d answers", n)
	}
	var sum int64
	for _, kept := range a.kept.Values() {
		sum += kept.size
	}
	if a.bytes > limit || a.bytes != sum || a.kept.Len() < 40 {
		t.Errorf("%d answers of %d bytes, counted as %d", a.kept.Len(), sum, a.bytes)
	}
	a.Changed("rules", nil)
	for _, key := range a.kept.Keys() {
		a.look(key)
	}
	if a.bytes != 0 || a.kept.Len() != 0 {
		t.Errorf("%d answers, %d bytes are left of nothing", a.kept.Len(), a.bytes)
	}
	huge := shows()
	huge.reply = func(int64, *http.Request) (*Reply, error) { return reply(revalidate, make([]byte, 2*limit)), nil }
	if w := ask(t, a, huge.ask, "/huge"); w.Body.Len() != 2*limit || a.bytes != 0 {
		t.Errorf("%d bytes answered, %d kept", w.Body.Len(), a.bytes)
	}
}

func TestKeptAnswersAreEncodedAndRevalidated(t *testing.T) {
	t.Parallel()
	a := NewAnswers(1<<20, time.Now)
	text := strings.Repeat("шампунь ", 500)
	e := &counting{reply: func(int64, *http.Request) (*Reply, error) {
		return reply(revalidate, []byte(text), Part{"rules", ""}), nil
	}}
	decode := map[string]func(io.Reader) io.Reader{
		"":     func(r io.Reader) io.Reader { return r },
		"br":   func(r io.Reader) io.Reader { return brotli.NewReader(r) },
		"gzip": func(r io.Reader) io.Reader { z, _ := gzip.NewReader(r); return z },
	}
	for accept, encoding := range map[string]string{"": "", "gzip": "gzip", "gzip, deflate, br": "br", "br;q=0, gzip;q=0.5": "gzip"} {
		for range 2 {
			w := ask(t, a, e.ask, "/", "Accept-Encoding", accept)
			length := fmt.Sprint(w.Body.Len())
			body, err := io.ReadAll(decode[encoding](w.Body))
			h := w.Header()
			if err != nil || string(body) != text || h.Get("Content-Encoding") != encoding || h.Get("Content-Length") != length || (encoding != "") != (h.Get("Vary") != "") {
				t.Errorf("%s: %d bytes, %v, %v", accept, len(body), err, h)
			}
			again := ask(t, a, e.ask, "/", "Accept-Encoding", accept, "If-None-Match", h.Get("ETag"))
			if again.Code != http.StatusNotModified || again.Body.Len() != 0 || again.Header().Get("Content-Encoding") != "" {
				t.Errorf("%s: again %d, %v", accept, again.Code, again.Header())
			}
		}
	}
	if short := ask(t, a, shows().ask, "/short", "Accept-Encoding", "br"); short.Header().Get("Content-Encoding") != "" {
		t.Errorf("a short answer: %v", short.Header())
	}
}

// BenchmarkKept is what an answer from memory costs before any HTTP.
func BenchmarkKept(b *testing.B) {
	a := NewAnswers(1<<20, time.Now)
	parts := []Part{{"catalog", ""}}
	for i := range 30 {
		parts = append(parts, Part{"stock", fmt.Sprint("stock-", i)})
	}
	h := a.Endpoint(shows(parts...).ask)
	for _, c := range []struct {
		name   string
		change func()
	}{{"still", func() {}}, {"elsewhere-changing", func() { a.Changed("stock", event("stock-x", "stock.reserved")) }}} {
		b.Run(c.name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, "/api/products/?limit=24", nil)
			w := httptest.NewRecorder()
			b.ReportAllocs()
			for b.Loop() {
				c.change()
				w.Body.Reset()
				if err := h(w, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
