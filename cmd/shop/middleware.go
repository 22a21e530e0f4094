package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"

	"shop/commands/photos"
)

// maxBody is the most bytes of a request's body; the largest honest one, a checkout of 100 lines, needs a tenth.
const maxBody = 256 << 10

// maxTime is how long a request may be worked on: shorter than the server's WriteTimeout, so that there is an answer.
const maxTime = 20 * time.Second

// spans opens a span per request, named by its route once that is known.
func spans(next http.Handler) http.Handler {
	// An instrument with a valid constant name cannot fail.
	streams, _ := otel.Meter("shop/http").Int64UpDownCounter("shop.sse.clients", metric.WithUnit("{client}"),
		metric.WithDescription("Open streams of server-sent events"))
	named := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream") {
			streams.Add(r.Context(), 1)
			defer streams.Add(context.WithoutCancel(r.Context()), -1)
		}
		next.ServeHTTP(w, r)
		if route := chi.RouteContext(r.Context()).RoutePattern(); route != "" {
			if labels, ok := otelhttp.LabelerFromContext(r.Context()); ok {
				labels.Add(attribute.String("http.route", route))
			}
			span := trace.SpanFromContext(r.Context())
			span.SetName(r.Method + " " + route)
			span.SetAttributes(attribute.String("http.route", route))
		}
	})
	return otelhttp.NewHandler(named, "http")
}

type requestIDKey struct{}

// identified gives every request an id: the caller's own if it sent a sane one, else a new one.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-ID")
		if !saneID(id) {
			id = uuid.Must(uuid.NewV7()).String()
		}
		w.Header().Set("X-Request-ID", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

func saneID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return true
}

// accessLog writes one line per request: pages and API calls at info, files at debug, our failures at error.
// Query strings and addresses stay out of it: they are the shopper's.
func accessLog(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			seen := &watched{ResponseWriter: w}
			next.ServeHTTP(seen, r)
			if seen.status == 0 {
				seen.status = http.StatusOK // what net/http sends for a handler that wrote nothing
			}
			route := chi.RouteContext(r.Context()).RoutePattern()
			level := slog.LevelInfo
			switch {
			case seen.file || route == "/healthz" || route == "/readyz": // not to be ready yet is no failure
				level = slog.LevelDebug
			case seen.status >= 500:
				level = slog.LevelError
			}
			log.LogAttrs(r.Context(), level, "request",
				slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("route", route),
				slog.Int("status", seen.status), slog.Int64("bytes", seen.bytes),
				slog.Duration("took", time.Since(began).Round(10*time.Microsecond)), slog.String("request_id", requestID(r.Context())))
		})
	}
}

// watched remembers what was answered.
type watched struct {
	http.ResponseWriter
	status int
	bytes  int64
	// file: the answer is a static file.
	file bool
}

func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watched) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
		w.file = w.Header().Get("Cache-Control") != "" && strings.HasPrefix(w.Header().Get("Cache-Control"), "public")
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// recovered turns a panic into a 500, logged with its stack.
func recovered(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				switch cause := recover(); cause {
				case nil:
				case http.ErrAbortHandler:
					panic(cause) // net/http's own way to drop a connection
				default:
					log.ErrorContext(r.Context(), "panic", "cause", fmt.Sprint(cause), "stack", string(debug.Stack()),
						"request_id", requestID(r.Context()))
					writeJSON(w, http.StatusInternalServerError, detail(textFailed))
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// secured sets what browsers may do with our answers. A handler that needs another policy sets its own.
func secured(policy string, https bool) func(http.Handler) http.Handler {
	fixed := http.Header{}
	fixed.Set("Content-Security-Policy", policy)
	fixed.Set("X-Content-Type-Options", "nosniff")
	fixed.Set("X-Frame-Options", "DENY")
	fixed.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	fixed.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()")
	fixed.Set("Cross-Origin-Opener-Policy", "same-origin")
	fixed.Set("Cross-Origin-Resource-Policy", "same-origin")
	if https {
		fixed.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			maps.Copy(w.Header(), fixed) // shares the values: Set and Add put others in their place
			next.ServeHTTP(w, r)
		})
	}
}

// slashless lets a path end in a slash or not, without a redirect.
func slashless(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if r.URL.RawPath != "" {
			path = r.URL.RawPath
		}
		if len(path) > 1 && strings.HasSuffix(path, "/") {
			chi.RouteContext(r.Context()).RoutePath = "/" + strings.Trim(path, "/")
		}
		next.ServeHTTP(w, r)
	})
}

type unhurriedKey struct{}

// unhurried is a request's context without the time limit, for an answer that goes on; it still ends with the client.
func unhurried(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(unhurriedKey{}).(context.Context); ok {
		return whole
	}
	return ctx
}

// limited bounds the body a handler can be made to read, and the time it may take.
func limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		most, within := int64(maxBody), maxTime
		if isUpload(r) {
			most, within = photos.MaxRequest, maxUploadTime
			giveTime(w, within)
		}
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		r = r.WithContext(context.WithValue(ctx, unhurriedKey{}, r.Context()))
		if r.Body != http.NoBody {
			r.Body = http.MaxBytesReader(w, r.Body, most)
		}
		next.ServeHTTP(w, r)
	})
}

// maxLinger is how much of a body that is too large is read after the answer.
const maxLinger = 16 << 20

// lingering lets a client that reads only when it has sent everything come to the answer: after a body too large
// net/http closes the connection under it.
func lingering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		small := r.ContentLength >= 0 && r.ContentLength <= maxBody
		if small || r.Header.Get("Expect") != "" { // who asked whether to send has been told not to
			return
		}
		if http.NewResponseController(w).Flush() == nil {
			_, _ = io.CopyN(io.Discard, r.Body, maxLinger) // ends with the body or the server's ReadTimeout
		}
	})
}

// perAddress lets each client address through at perSecond, with bursts of ten seconds' worth. It remembers the
// 10 000 addresses seen last. 0 lets everyone through.
func perAddress(perSecond float64, trusted []netip.Prefix) func(http.Handler) http.Handler {
	return perAddressSaying(textTooMany, perSecond, trusted)
}

// perAddressSaying is perAddress with another text for those who are too many.
func perAddressSaying(tooMany string, perSecond float64, trusted []netip.Prefix) func(http.Handler) http.Handler {
	return rated(tooMany, perSecond, max(1, int(math.Ceil(perSecond*10))), trusted)
}

// perHour is perAddress for what is seldom: so many in an hour, all at once if need be.
func perHour(n float64, trusted []netip.Prefix) func(http.Handler) http.Handler {
	return rated(textTooMany, n/3600, max(1, int(n)), trusted)
}

func rated(tooMany string, perSecond float64, burst int, trusted []netip.Prefix) func(http.Handler) http.Handler {
	if perSecond == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	clients, _ := lru.New[netip.Addr, *rate.Limiter](10_000) // errs only below 1
	var mu sync.Mutex
	limiterOf := func(addr netip.Addr) *rate.Limiter {
		mu.Lock()
		defer mu.Unlock()
		l, known := clients.Get(addr)
		if !known {
			l = rate.NewLimiter(rate.Limit(perSecond), burst)
			clients.Add(addr, l)
		}
		return l
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if l := limiterOf(clientAddr(r, trusted)); !l.Allow() {
				w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(1/perSecond)))))
				writeJSON(w, http.StatusTooManyRequests, detail(tooMany))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// clientAddr is who asks: the peer, or what a trusted proxy says of it. An IPv6 client counts by its /64, of
// which it has all addresses.
func clientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, _ := netip.ParseAddr(host)
	addr = addr.Unmap()
	// From the right: each hop was added by the proxy before it, so the first untrusted one is the client.
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && within(addr, trusted); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap()
	}
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return addr
}

func within(addr netip.Addr, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}
