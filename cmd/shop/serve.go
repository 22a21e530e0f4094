package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel"

	"shop/cmd/shop/app"
	"shop/cmd/shop/demo"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/terminal"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// process is a shop that is being served. Its methods are its parts, in the order in which they start; each fills in what
// the parts after it need.
type process struct {
	began    time.Time
	world    terminal.World
	config   app.Config
	log      *slog.Logger
	loadDemo bool

	listener net.Listener
	// Health checks are answered from the first moment, all other requests once the shop is open.
	health  edge.Health
	handler atomic.Pointer[http.Handler]
	server  *http.Server
	// failed takes the errors of parts that end by themselves; the first ends the process.
	failed chan error

	shop       *app.Shop
	projecting *app.Projecting
	// copying is nil in the home region.
	copying *app.Copying
	// relaying is nil without the role relay.
	relaying *app.Relaying
	// site is nil without the role web.
	site *edge.Site
}

// serve runs the shop until ctx ends. What starts last stops first: requests in flight are answered, then
// policies and projections end, then the log closes, then the database stops. Nothing acknowledged is lost
// however it ends, because answers leave after commits; the order only spares shoppers the errors.
func serve(ctx context.Context, w terminal.World, c app.Config, loadDemo bool) error {
	p := &process{
		began: time.Now(), world: w, config: c, log: app.NewLogger(w.Stderr, c), loadDemo: loadDemo,
		health: edge.Health{Pool: new(atomic.Pointer[pgxpool.Pool]), CaughtUp: new(atomic.Bool)}, failed: make(chan error, 4),
	}
	c.Warn(ctx, p.log)
	app.LimitMemory(ctx, os.DirFS("/"), w.Getenv, p.log)
	stop, err := app.StartAll(ctx, p.parts()...)
	if errors.Is(err, app.ErrStopped) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(p.wait(ctx), stop())
}

// parts are all of the process's parts, in the order in which they start.
func (p *process) parts() []app.Part {
	does := p.config.Roles
	var parts []app.Part
	add := func(wanted bool, part app.Part) {
		if wanted {
			parts = append(parts, part)
		}
	}
	telemetry, away := p.config.Telemetry, p.config.Region.Name != ""
	// The port first: to find it taken after a minute of demo would be a pity.
	add(true, app.Part{Name: "port", Start: p.listen})
	add(telemetry, app.Part{Name: "telemetry", Start: p.startTelemetry})
	add(true, app.Part{Name: "server", Start: p.startServer})
	add(true, app.Part{Name: "shop", Start: p.openShop})
	// Before the projections: what is folded in large batches afterwards costs half of what is folded as it comes.
	add(p.loadDemo, app.Part{Name: "demo", Start: func(ctx context.Context) (func() error, error) { return nil, demo.DemoIfEmpty(ctx, p.shop, p.world) }})
	add(!away && (does.Has(app.RoleWeb) || does.Has(app.RolePolicies)), app.Part{Name: "folder of photos", Start: p.settle})
	add(does.Has(app.RoleWeb), app.Running("read replicas", func(ctx context.Context) { p.shop.Replicas.Run(ctx) }))
	add(does.Has(app.RoleRelay), app.Part{Name: "relay", Start: p.startRelay})
	// Before the projections: a new region folds what there is in large batches.
	add(away, app.Part{Name: "copy of the log", Start: p.startCopy})
	add(true, app.Part{Name: "projections", Start: p.startProjections})
	add(does.Has(app.RoleRelay), app.Running("the relay's progress", func(ctx context.Context) { p.relaying.Tell(ctx, p.projecting.Feed) }))
	add(!away, app.Running("snapshots", func(ctx context.Context) { p.shop.Handler.Freeze(ctx, p.log) }))
	add(does.Has(app.RolePolicies), app.Running("wrapping keys", func(ctx context.Context) { p.shop.WrapKeys(ctx) }))
	add(true, app.Running("security log", func(ctx context.Context) { p.shop.Security.Run(ctx) }))
	add(does.Has(app.RolePolicies), app.Running("sweeping the security log", func(ctx context.Context) { p.shop.SweepSecurity(ctx) }))
	add(does.Has(app.RolePolicies), app.Running("sweeping letters", func(ctx context.Context) { p.shop.SweepLetters(ctx) }))
	add(does.Has(app.RoleProjectors), app.Running("auditor", func(ctx context.Context) { p.shop.Audit(ctx) }))
	add(telemetry, app.Part{Name: "gauges", Start: p.startGauges})
	add(does.Has(app.RoleWeb), app.Part{Name: "site", Start: p.startSite})
	add(does.Has(app.RoleWeb), app.Running("operators' live stream", func(ctx context.Context) { p.site.Ops.Watch(ctx) }))
	add(does.Has(app.RoleWeb), app.Running("the office's live stream", func(ctx context.Context) { p.site.Live.Run(ctx) }))
	add(does.Has(app.RoleProjectors), app.Running("builds", func(ctx context.Context) { p.shop.Builder.Work(ctx) }))
	// Requests end before what they use.
	add(true, app.Part{Name: "requests", Start: p.takeRequests})
	add(true, app.Part{Name: "catching up", Start: p.catchUp})
	add(does.Has(app.RoleWeb), app.Running("warming", func(ctx context.Context) {
		if p.site.Pages.Engines != nil {
			p.site.Pages.KeepWarm(ctx, p.site.Pages.MostVisited)
		}
	}))
	add(true, app.Running("returning memory", app.ReturnMemory))
	return parts
}

// wait returns when the process is told to stop, or when a part of it failed.
func (p *process) wait(ctx context.Context) error {
	at := p.config.PublicURL
	if !p.config.Roles.Has(app.RoleWeb) {
		at = addressOf(p.listener)
	}
	fmt.Fprintf(p.world.Stdout, "%s is ready at %s (%s; started in %s)\n", p.config.Contact.Name, at, &p.config.Roles, time.Since(p.began).Round(10*time.Millisecond))
	select {
	case <-ctx.Done():
		p.log.Info("stopping")
		return nil
	case err := <-p.failed:
		return err
	case <-p.shop.Database.Changed():
		return p.shop.Database.Err()
	case <-p.shop.DatabaseGone():
		return errors.New("PostgreSQL is gone; its log is postgres.log in the data folder")
	}
}

func (p *process) listen(context.Context) (func() error, error) {
	listener, err := net.Listen("tcp", p.config.Addr)
	if err != nil {
		return nil, fmt.Errorf("SHOP_ADDR: %w", err)
	}
	p.listener = listener
	if p.config.PublicURL == "" {
		p.config.PublicURL = addressOf(listener)
	}
	return func() error { listener.Close(); return nil }, nil // the server has closed it already
}

func (p *process) startTelemetry(ctx context.Context) (func() error, error) {
	stop, err := app.StartTelemetry(ctx, p.log)
	if err != nil {
		return nil, err
	}
	return func() error { app.Deliver(ctx, stop, p.log); return nil }, nil
}

// startServer answers health checks, and tells all other requests that the shop is starting.
func (p *process) startServer(ctx context.Context) (func() error, error) {
	p.answerWith(p.health.Routes(http.HandlerFunc(edge.Starting)))
	p.server = newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*p.handler.Load()).ServeHTTP(w, r) }), p.log)
	go func() { p.failed <- p.server.Serve(p.listener) }()
	return p.stopRequests(ctx), nil
}

func (p *process) answerWith(h http.Handler) { p.handler.Store(&h) }

// stopRequests answers the requests in flight and takes no more; again it does nothing.
func (p *process) stopRequests(ctx context.Context) func() error {
	return func() error {
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.ShutdownAfter)
		defer cancel()
		if err := p.server.Shutdown(deadline); err != nil {
			p.server.Close()
			return fmt.Errorf("requests were still running after %s: %w", p.config.ShutdownAfter, err)
		}
		return nil
	}
}

func (p *process) openShop(ctx context.Context) (func() error, error) {
	if p.config.DatabaseURL != "" {
		if err := app.AwaitDatabase(ctx, p.config.DatabaseURL, p.log); err != nil {
			return nil, err
		}
	}
	shop, err := app.OpenShop(ctx, p.config, p.log, p.config.Now)
	if err != nil {
		return nil, err
	}
	if err := shop.WarnOfRights(ctx); err != nil {
		return nil, errors.Join(err, shop.Close(ctx))
	}
	p.shop = shop
	p.health.Pool.Store(shop.Pool)
	return func() error { return shop.Close(ctx) }, nil
}

func (p *process) settle(ctx context.Context) (func() error, error) {
	settled, err := p.shop.Settle(ctx, p.failed)
	if err != nil {
		return nil, err
	}
	return func() error { settled(); return nil }, nil
}

func (p *process) startCopy(ctx context.Context) (func() error, error) {
	var err error
	if p.copying, err = p.shop.StartCopy(ctx, p.failed); err != nil {
		return nil, err
	}
	return func() error { p.copying.Stop(); return nil }, nil
}

// region is what leads requests to the copy, or home.
func (p *process) region() *edge.Region {
	return &edge.Region{
		Name: p.config.Region.Name, Home: p.config.Region.HomeURL, Local: p.site.Routes(), Age: p.copying.Age, Epoch: p.copying.Epoch, Log: p.log,
		Reached: func(ctx context.Context, at eventstore.Position) error {
			return p.copying.Reached(ctx, at, p.projecting.Within)
		},
	}
}

func (p *process) startRelay(context.Context) (func() error, error) {
	var err error
	if p.relaying, err = p.shop.Relay(); err != nil {
		return nil, err
	}
	return func() error { p.relaying.Close(); return nil }, nil
}

func (p *process) startProjections(ctx context.Context) (func() error, error) {
	var parts []func(*feed.Feed)
	var err error
	if p.config.Roles.Has(app.RolePolicies) {
		if parts, err = p.shop.Policies(ctx); err != nil {
			return nil, err
		}
	}
	if p.relaying != nil {
		parts = append(parts, p.relaying.Join)
	}
	if p.projecting, err = p.shop.StartProjections(ctx, p.config.Roles, p.failed, parts...); err != nil {
		return nil, err
	}
	return func() error { p.projecting.Stop(); return nil }, nil
}

func (p *process) startGauges(context.Context) (func() error, error) {
	return (&app.Gauges{Store: p.shop.Store, Pool: p.shop.Pool, Log: p.log}).Observe(otel.Meter("shop"))
}

func (p *process) startSite(context.Context) (func() error, error) {
	site, err := newSite(p.shop, p.projecting)
	if err != nil {
		return nil, err
	}
	site.Traced, site.Health = p.config.Telemetry, p.health
	p.site = site
	p.server.RegisterOnShutdown(site.Ops.Close) // nobody else ends the streams
	p.server.RegisterOnShutdown(site.Live.Close)
	return func() error { site.Pages.Engines.Stop(); return nil }, nil
}

// takeRequests opens the shop's URLs. Without the role web only health checks are answered.
func (p *process) takeRequests(ctx context.Context) (func() error, error) {
	if p.copying != nil && p.site != nil {
		region := p.region()
		region.Observe()
		p.answerWith(region.Routes())
	} else if p.site != nil {
		p.answerWith(p.site.Routes())
	} else {
		p.answerWith(p.health.Routes(http.NotFoundHandler()))
	}
	return p.stopRequests(ctx), nil
}

func (p *process) catchUp(ctx context.Context) (func() error, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-p.shop.Database.Changed():
			cancel()
		case <-waiting.Done():
		}
	}()
	if err := p.projecting.CatchUp(waiting); err != nil {
		if changed := p.shop.Database.Err(); changed != nil {
			return nil, changed
		}
		return nil, err
	}
	p.health.CaughtUp.Store(true)
	return nil, nil
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
