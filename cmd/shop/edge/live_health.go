package edge

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/readapi/endpoint"
)

// Health tells machines how the shop is.
type Health struct {
	// Pool is nil until the database is open.
	Pool *atomic.Pointer[pgxpool.Pool]
	// CaughtUp is set once the projections have reached the log's head of when the shop started.
	CaughtUp *atomic.Bool
}

// Routes are all that a process without the role web answers; others get the rest.
func (h Health) Routes(others http.Handler) http.Handler {
	r := http.NewServeMux()
	r.HandleFunc("GET /healthz", h.alive)
	r.HandleFunc("GET /readyz", h.ready)
	r.Handle("/", others)
	return r
}

// alive: the process answers. Whoever restarts processes asks this.
func (h Health) alive(w http.ResponseWriter, _ *http.Request) {
	endpoint.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready: shoppers may be sent here. The database answers and the read models were current once.
func (h Health) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	status, parts := http.StatusOK, map[string]string{"database": "ok", "projections": "ok"}
	if pool := h.Pool.Load(); pool == nil {
		status, parts["database"] = http.StatusServiceUnavailable, "not open yet"
	} else if err := pool.Ping(ctx); err != nil {
		status, parts["database"] = http.StatusServiceUnavailable, "does not answer"
	}
	if !h.CaughtUp.Load() {
		status, parts["projections"] = http.StatusServiceUnavailable, "catching up"
	}
	endpoint.WriteJSON(w, status, parts)
}

// Starting answers who comes before the shop is open.
func Starting(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "2")
	tell(w, r, http.StatusServiceUnavailable, textStarting)
}
