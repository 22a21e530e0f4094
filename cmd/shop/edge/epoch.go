package edge

import (
	"context"
	"net/http"
	"sync/atomic"

	"shop/eventstore"
	"shop/readapi/endpoint"
)

// Epoch is the history of the log that this process writes into. It is asked for until the log has an event; a process never sees
// another one after that.
type Epoch struct {
	Of    func(ctx context.Context) (eventstore.Epoch, error)
	known atomic.Pointer[string]
}

// Mark names the epoch as tokens do; empty: not known yet.
func (e *Epoch) Mark(ctx context.Context) string {
	if e == nil {
		return ""
	}
	if known := e.known.Load(); known != nil {
		return *known
	}
	epoch, err := e.Of(ctx)
	if err != nil || epoch.Log == [16]byte{} {
		return ""
	}
	mark := endpoint.EpochMark(epoch.String())
	e.known.Store(&mark)
	return mark
}

// marked adds the epoch to answers that name a position, and a cookie of it for browsers, whose reads say what they have seen by
// position alone.
func (e *Epoch) marked(secure bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				w = &marking{ResponseWriter: w, epoch: e, r: r, secure: secure}
			}
			next.ServeHTTP(w, r)
		})
	}
}

type marking struct {
	http.ResponseWriter
	epoch  *Epoch
	r      *http.Request
	secure bool
	begun  bool
}

func (m *marking) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *marking) WriteHeader(status int) {
	m.begin()
	m.ResponseWriter.WriteHeader(status)
}

func (m *marking) Write(b []byte) (int, error) {
	m.begin()
	return m.ResponseWriter.Write(b)
}

func (m *marking) begin() {
	if m.begun {
		return
	}
	m.begun = true
	if m.Header().Get("X-Event-Position") == "" {
		return
	}
	mark := m.epoch.Mark(m.r.Context())
	if mark == "" {
		return
	}
	m.Header().Set(endpoint.EpochHeader, mark)
	if had, err := m.r.Cookie(endpoint.EpochCookie); err != nil || had.Value != mark {
		http.SetCookie(m.ResponseWriter, &http.Cookie{Name: endpoint.EpochCookie, Value: mark, Path: "/", HttpOnly: true, Secure: m.secure, SameSite: http.SameSiteLaxMode})
	}
}
