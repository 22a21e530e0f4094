package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"
)

// healthCommand asks a running shop whether it is ready, for containers that hold nothing else to ask with.
func healthCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Check whether the shop at SHOP_ADDR is ready", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := readConfig(w.getenv)
			if err != nil {
				return err
			}
			host, port, err := net.SplitHostPort(c.Addr)
			if err != nil {
				return err
			}
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
				host = "127.0.0.1"
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
			if err != nil {
				return err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return err
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return errors.New("the shop is not ready")
			}
			_, err = fmt.Fprintln(w.stdout, "ready")
			return err
		},
	}
}

// health tells machines how the shop is.
type health struct {
	// pool is nil until the database is open.
	pool *atomic.Pointer[pgxpool.Pool]
	// caughtUp is set once the projections have reached the log's head of when the shop started.
	caughtUp *atomic.Bool
}

// routes are all that a process without the role web answers; others get the rest.
func (h health) routes(others http.Handler) http.Handler {
	r := http.NewServeMux()
	r.HandleFunc("GET /healthz", h.alive)
	r.HandleFunc("GET /readyz", h.ready)
	r.Handle("/", others)
	return r
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
	if pool := h.pool.Load(); pool == nil {
		status, parts["database"] = http.StatusServiceUnavailable, "not open yet"
	} else if err := pool.Ping(ctx); err != nil {
		status, parts["database"] = http.StatusServiceUnavailable, "does not answer"
	}
	if !h.caughtUp.Load() {
		status, parts["projections"] = http.StatusServiceUnavailable, "catching up"
	}
	writeJSON(w, status, parts)
}

// starting answers who comes before the shop is open.
func starting(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "2")
	writeJSON(w, http.StatusServiceUnavailable, detail(textStarting))
}
