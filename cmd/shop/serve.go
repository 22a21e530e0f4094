package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/demo"
	"shop/commands"
	"shop/commands/payments"
	"shop/commands/policies"
	"shop/projections"
	"shop/readapi"
	"shop/web"
)

func serveCommand(w world) *cobra.Command {
	var help strings.Builder
	writeSettings(&help)
	var withDemo bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the shop", Args: cobra.NoArgs,
		Long: "Start the database (the embedded one, or that of SHOP_DATABASE_URL), bring it to shape, run the projections and serve\n" +
			"the storefront and its API until SIGINT or SIGTERM.\n\nEnvironment, with defaults:\n" + help.String(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := readConfig(w.getenv)
			if err != nil {
				return err
			}
			return serve(cmd.Context(), w, c, withDemo)
		},
	}
	cmd.Flags().BoolVar(&withDemo, "demo", false, "load the demo catalog and its past into an empty log")
	return cmd
}

// serve runs the shop until ctx ends. What starts last stops first: requests in flight are answered, then
// policies and projections end, then the log closes, then the database stops. Nothing acknowledged is lost
// however it ends, because answers leave after commits; the order only spares shoppers the errors.
func serve(ctx context.Context, w world, c config, loadDemo bool) (err error) {
	began := time.Now()
	log := newLogger(w.stderr, c)
	// The port first: to find it taken after a minute of demo would be a pity.
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("SHOP_ADDR: %w", err)
	}
	defer listener.Close()
	if c.PublicURL == "" {
		c.PublicURL = addressOf(listener)
	}
	if telemetryWanted(w.getenv) {
		stop, err := startTelemetry(ctx, log)
		if err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := stop(ctx); err != nil {
				log.Warn("telemetry was not delivered to the end", "error", err)
			}
		}()
	}
	s, err := openShop(ctx, c, log, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()

	if loadDemo {
		// Before the projections: what is folded in large batches afterwards costs half of what is folded as it comes.
		empty, err := s.isEmpty(ctx)
		if err != nil {
			return err
		}
		if empty {
			if err := s.loadDemo(ctx, w, demo.Orders); err != nil {
				return err
			}
		}
	}
	// Parts fail here; the first to do so ends the others.
	failed := make(chan error, 4)
	projecting, err := s.startProjections(ctx, failed)
	if err != nil {
		return err
	}
	defer projecting.stop()
	site, err := s.site(ctx, projecting)
	if err != nil {
		return err
	}
	site.traced = telemetryWanted(w.getenv)

	expiry := background(ctx, func(ctx context.Context) {
		policies.ExpirePayments{Orders: site.orders, Due: readapi.Facts{DB: s.pool}, Logger: log}.Run(ctx)
	})
	defer expiry.stop()
	forgetting := background(ctx, s.forgetKeys)
	defer forgetting.stop()

	watching := background(ctx, site.ops.watch)
	defer watching.stop()

	server := newServer(site.routes(), log)
	server.RegisterOnShutdown(site.ops.live.close) // nobody else ends a stream
	go func() { failed <- server.Serve(listener) }()
	defer func() {
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownAfter)
		defer cancel()
		if stopErr := server.Shutdown(deadline); stopErr != nil {
			server.Close()
			err = errors.Join(err, fmt.Errorf("requests were still running after %s: %w", c.ShutdownAfter, stopErr))
		}
	}()

	if err := projecting.catchUp(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	site.health.caughtUp.Store(true)
	fmt.Fprintf(w.stdout, "%s is ready at %s (started in %s)\n", c.Contact.Name, c.PublicURL, time.Since(began).Round(10*time.Millisecond))

	select {
	case <-ctx.Done():
		log.Info("stopping")
		return nil
	case err := <-failed:
		return err
	case <-s.databaseGone():
		return errors.New("PostgreSQL is gone; its log is postgres.log in the data folder")
	}
}

// addressOf is how a browser on this machine reaches a listener.
func addressOf(l net.Listener) string {
	at, ok := l.Addr().(*net.TCPAddr)
	if ok && at.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", at.Port)
	}
	return "http://" + l.Addr().String()
}

// newServer bounds what a client can make the server wait for or keep.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// site fills in what the URLs lead to.
func (s *shop) site(ctx context.Context, projecting *projecting) (*site, error) {
	c := s.config
	dist := web.Dist()
	if !isBuilt(dist) {
		s.log.WarnContext(ctx, "the storefront is not built into this program: run make build")
	}
	files, err := loadAssets(dist)
	if err != nil {
		return nil, err
	}
	facts := readapi.Facts{DB: s.pool}
	pages, err := loadPages(dist, c.Contact.Name, c.PublicURL, facts)
	if err != nil {
		return nil, err
	}
	orders, err := s.orders(ctx)
	if err != nil {
		return nil, err
	}
	https := strings.HasPrefix(c.PublicURL, "https:")
	accounts := s.accounts()
	return &site{
		config: c, log: s.log, https: https,
		pages: pages, assets: files, health: health{pool: s.pool, caughtUp: new(atomic.Bool)},
		fresh:      readapi.Fresh{Positions: projecting},
		answers:    projecting.answers,
		products:   readapi.Products{DB: s.pool, Now: s.clock},
		categories: readapi.Categories{DB: s.pool},
		brands:     readapi.Brands{DB: s.pool},
		content:    readapi.Content{DB: s.pool},
		rules:      readapi.Rules{DB: s.pool},
		promocodes: readapi.Promocodes{DB: s.pool, Now: s.clock},
		shop:       readapi.Shop(c.Contact),
		baskets:    &commands.Baskets{Handler: s.handler, Links: facts, Secure: https},
		orders:     orders,
		bank: &payments.Bank{
			Sandbox: orders.Provider.(*payments.Sandbox), Shop: c.Contact.Name, Bill: orders.Bill, Notify: orders.Receive,
		},
		staff: accounts,
		ops:   newOps(s.pool, s.store, &projections.Engine{DB: s.pool, Store: s.store, Logger: s.log}, accounts, s.log),
	}, nil
}

// forgetKeys removes idempotency keys after the 24 hours they are kept, looking once an hour.
func (s *shop) forgetKeys(ctx context.Context) {
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		if n, err := s.store.ForgetKeys(ctx, s.clock().Add(-24*time.Hour)); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "forget idempotency keys", "error", err)
		} else if n > 0 {
			s.log.DebugContext(ctx, "forgot idempotency keys", "keys", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// running is a goroutine with its way to end.
type running struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// background runs work until stop is called. The end of ctx does not end it: the one who started it says when.
func background(ctx context.Context, work func(ctx context.Context)) *running {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &running{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		work(ctx)
	}()
	return r
}

// stop ends the work and waits for it.
func (r *running) stop() {
	r.cancel()
	<-r.ended
}
