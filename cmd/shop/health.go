package main

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// health tells machines how the shop is.
type health struct {
	pool *pgxpool.Pool
	// caughtUp is set once the projections have reached the log's head of when the shop started.
	caughtUp *atomic.Bool
}

// alive: the process answers. Whoever restarts processes asks this.
func (h health) alive(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready: shoppers may be sent here. The database answers and the read models were current once.
func (h health) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	status, parts := http.StatusOK, map[string]string{"database": "ok", "projections": "ok"}
	if err := h.pool.Ping(ctx); err != nil {
		status, parts["database"] = http.StatusServiceUnavailable, "does not answer"
	}
	if !h.caughtUp.Load() {
		status, parts["projections"] = http.StatusServiceUnavailable, "catching up"
	}
	writeJSON(w, status, parts)
}
