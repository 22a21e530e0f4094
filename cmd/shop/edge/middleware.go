package edge

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"shop/cmd/shop/pages"
	"shop/commands/photos"
	"shop/readapi/endpoint"
)

// MaxBody is the most bytes of a request's body; the largest honest one, a checkout of 100 lines, needs a tenth.
const MaxBody = 256 << 10

// maxChange is the most bytes of a change, which may set a field of each of some ten thousand products.
const maxChange = 8 << 20

// Spans opens a span per request, named by its route once that is known.
func Spans(next http.Handler) http.Handler {
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
	// A caller's trace is linked to and not continued: it says nothing of what is sampled here, and its baggage stays outside.
	return anonymous(otelhttp.NewHandler(withClient(named), "http", otelhttp.WithPublicEndpointFn(func(*http.Request) bool { return true })))
}

type clientKey struct{}

// clientHeaders are what tells of a client's address and browser.
var clientHeaders = []string{"User-Agent", "X-Forwarded-For"}

// anonymous hides who asks from spans, which no erasure reaches; withClient gives it back to what is inside.
func anonymous(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hidden := r.WithContext(context.WithValue(r.Context(), clientKey{}, r))
		hidden.RemoteAddr, hidden.Header = "", r.Header.Clone()
		for _, name := range append(clientHeaders, "Baggage") {
			hidden.Header.Del(name)
		}
		next.ServeHTTP(w, hidden)
	})
}

func withClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if client, ok := r.Context().Value(clientKey{}).(*http.Request); ok {
			r.RemoteAddr = client.RemoteAddr
			for _, name := range clientHeaders {
				if sent, given := client.Header[name]; given {
					r.Header[name] = sent
				}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// accessLog writes one line per request: pages and API calls at info, files at debug, our failures at error; an answer that did
// not come to its end is marked.
// Query strings and addresses stay out of it: they are the shopper's.
func accessLog(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			seen := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			whole := false
			defer func() {
				status := seen.Status()
				if status == 0 {
					status = http.StatusOK // what net/http sends for a handler that wrote nothing
				}
				route := chi.RouteContext(r.Context()).RoutePattern()
				level := slog.LevelInfo
				switch {
				case strings.HasPrefix(seen.Header().Get("Cache-Control"), "public") || route == "/healthz" || route == "/readyz": // not to be ready yet is no failure
					level = slog.LevelDebug
				case status >= 500:
					level = slog.LevelError
				}
				about := []slog.Attr{
					slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("route", route),
					slog.Int("status", status), slog.Int("bytes", seen.BytesWritten()),
					slog.Duration("took", time.Since(began).Round(10*time.Microsecond)), slog.String("request_id", endpoint.RequestID(r.Context())),
				}
				if id := endpoint.CallerID(r); id != "" {
					about = append(about, slog.String("caller_request_id", id))
				}
				if !whole { // the handler dropped the connection
					about = append(about, slog.Bool("cut_off", true))
				}
				log.LogAttrs(r.Context(), level, "request", about...)
			}()
			next.ServeHTTP(seen, r)
			whole = true
		})
	}
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
						"request_id", endpoint.RequestID(r.Context()))
					tell(w, r, http.StatusInternalServerError, textFailed)
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// secured sets what browsers may do with our answers. A handler that needs another policy sets its own.
func secured(policy func(*http.Request) string, https bool) func(http.Handler) http.Handler {
	fixed, end := http.Header{}, ""
	if https {
		end = pages.UpgradeInsecure
	}
	fixed.Set("Reporting-Endpoints", pages.ReportsEndpoint)
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
			w.Header().Set("Content-Security-Policy", policy(r)+end)
			next.ServeHTTP(w, r)
		})
	}
}

// limited bounds the body a handler can be made to read, and the time it may take.
func limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		most, within := int64(MaxBody), endpoint.MaxTime
		if isUpload(r) {
			most, within = photos.MaxRequest, maxUploadTime
			endpoint.GiveTime(w, within)
		}
		if isChange(r) {
			most = maxChange
		}
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		r = r.WithContext(endpoint.KeepUnlimited(ctx, r.Context()))
		if r.Body != http.NoBody {
			r.Body = http.MaxBytesReader(w, r.Body, most)
		}
		next.ServeHTTP(w, r)
	})
}

// mostDrained is how much of a body that is too large is read after the answer.
const mostDrained = 16 << 20

// drained reads the rest of a body that is too large. A client that reads only after it has sent everything would not get the
// answer otherwise: net/http closes the connection.
func drained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		small := r.ContentLength >= 0 && r.ContentLength <= MaxBody
		if small || r.Header.Get("Expect") != "" { // who asked whether to send has been told not to
			return
		}
		if http.NewResponseController(w).Flush() == nil {
			_, _ = io.CopyN(io.Discard, r.Body, mostDrained) // ends with the body or the server's ReadTimeout
		}
	})
}
