package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel"

	"shop/cmd/shop/app"
	"shop/cmd/shop/demo"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/ops"
	"shop/cmd/shop/pages"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/importer/catalogfile"
	"shop/commands/staffapi"
	"shop/eventstore/feed"
	"shop/readapi"
	"shop/web"
)

// slack is memory that is asked for and never touched, so it takes an address and no memory. The garbage collector takes it for
// living and comes when as much again was allocated: a shop keeps so little that it would come many times a second.
const slack = 64 << 20

// serve runs the shop until ctx ends. What starts last stops first: requests in flight are answered, then
// policies and projections end, then the log closes, then the database stops. Nothing acknowledged is lost
// however it ends, because answers leave after commits; the order only spares shoppers the errors.
func serve(ctx context.Context, w terminal.World, c app.Config, loadDemo bool) (err error) {
	began := time.Now()
	defer runtime.KeepAlive(make([]byte, slack))
	log := app.NewLogger(w.Stderr, c)
	c.Warn(ctx, log)
	// The port first: to find it taken after a minute of demo would be a pity.
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("SHOP_ADDR: %w", err)
	}
	defer listener.Close()
	if c.PublicURL == "" {
		c.PublicURL = addressOf(listener)
	}
	if app.TelemetryWanted(w.Getenv) {
		stop, err := app.StartTelemetry(ctx, log)
		if err != nil {
			return err
		}
		defer app.Deliver(ctx, stop, log)
	}
	// Whoever watches over processes is answered from the first moment; everybody else once there is something to say.
	health := edge.Health{Pool: new(atomic.Pointer[pgxpool.Pool]), CaughtUp: new(atomic.Bool)}
	var handler atomic.Pointer[http.Handler]
	show := func(h http.Handler) { handler.Store(&h) }
	show(health.Routes(http.HandlerFunc(edge.Starting)))
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }), log)
	// Parts fail here; the first to do so ends the others.
	failed := make(chan error, 4)
	go func() { failed <- server.Serve(listener) }()
	stopServing := sync.OnceValue(func() error {
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownAfter)
		defer cancel()
		if err := server.Shutdown(deadline); err != nil {
			server.Close()
			return fmt.Errorf("requests were still running after %s: %w", c.ShutdownAfter, err)
		}
		return nil
	})
	defer func() { err = errors.Join(err, stopServing()) }()

	if c.DatabaseURL != "" {
		if err := app.AwaitDatabase(ctx, c.DatabaseURL, log); err != nil {
			return err
		}
	}
	s, err := app.OpenShop(ctx, c, log, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	health.Pool.Store(s.Pool)

	if loadDemo {
		// Before the projections: what is folded in large batches afterwards costs half of what is folded as it comes.
		if err := demo.DemoIfEmpty(ctx, s, w); err != nil {
			return err
		}
	}
	if c.Roles.Has(app.RoleWeb) || c.Roles.Has(app.RolePolicies) {
		settled, err := s.Settle(ctx, failed)
		if err != nil {
			return err
		}
		defer settled()
	}
	var parts []func(*feed.Feed)
	if c.Roles.Has(app.RolePolicies) {
		if parts, err = s.Policies(ctx); err != nil {
			return err
		}
	}
	projecting, err := s.StartProjections(ctx, c.Roles, failed, parts...)
	if err != nil {
		return err
	}
	defer projecting.Stop()
	if c.Roles.Has(app.RolePolicies) {
		sweeping := app.Background(ctx, s.SweepLetters)
		defer sweeping.Stop()
	}
	if c.Roles.Has(app.RoleProjectors) {
		auditing := app.Background(ctx, s.Audit)
		defer auditing.Stop()
	}
	if app.TelemetryWanted(w.Getenv) {
		stop, err := (&app.Gauges{Store: s.Store, Pool: s.Pool, Log: log}).Observe(otel.Meter("shop"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	serving := health.Routes(http.NotFoundHandler())
	var warm func(context.Context)
	if c.Roles.Has(app.RoleWeb) {
		site, err := site(ctx, s, projecting)
		if err != nil {
			return err
		}
		site.Traced, site.Health = app.TelemetryWanted(w.Getenv), health
		serving = site.Routes()
		defer site.Pages.Engines.Stop()
		if site.Pages.Engines != nil {
			warm = func(ctx context.Context) { site.Pages.KeepWarm(ctx, site.Views.MostVisited) }
		}
		watching := app.Background(ctx, site.Ops.Watch)
		defer watching.Stop()
		server.RegisterOnShutdown(site.Ops.Close) // nobody else ends the streams
	}

	if c.Roles.Has(app.RoleProjectors) {
		building := app.Background(ctx, s.Builder().Work)
		defer building.Stop()
	}

	show(serving)
	// Before what the requests use.
	defer func() { err = errors.Join(err, stopServing()) }()

	if err := projecting.CatchUp(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	health.CaughtUp.Store(true)
	if warm != nil {
		warming := app.Background(ctx, warm)
		defer warming.Stop()
	}
	at := c.PublicURL
	if !c.Roles.Has(app.RoleWeb) {
		at = addressOf(listener)
	}
	fmt.Fprintf(w.Stdout, "%s is ready at %s (%s; started in %s)\n", c.Contact.Name, at, &c.Roles, time.Since(began).Round(10*time.Millisecond))

	select {
	case <-ctx.Done():
		log.Info("stopping")
		return nil
	case err := <-failed:
		return err
	case <-s.DatabaseGone():
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
func site(ctx context.Context, s *app.Shop, projecting *app.Projecting) (*edge.Site, error) {
	c := s.Config
	dist := web.Dist()
	if !pages.IsBuilt(dist) {
		s.Log.WarnContext(ctx, "the storefront is not built into this program: run make build")
	}
	files, err := edge.LoadAssets(dist)
	if err != nil {
		return nil, err
	}
	if err := files.Name(c.Contact.Name); err != nil {
		return nil, err
	}
	facts := readapi.Facts{DB: s.Pool}
	drawn, err := pages.LoadPages(dist, c.Contact.Name, c.PublicURL, s.Log)
	if err != nil {
		return nil, err
	}
	if c.Payments == "sandbox" {
		drawn.TellTestBank(c.Published())
	}
	orders, err := s.Orders(ctx)
	if err != nil {
		return nil, err
	}
	customers, err := s.Customers(ctx)
	if err != nil {
		return nil, err
	}
	links, err := s.Links(ctx)
	if err != nil {
		return nil, err
	}
	unsubscription, err := s.Unsubscription(ctx)
	if err != nil {
		return nil, err
	}
	https := c.Https()
	accounts, err := s.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	shop := catalogfile.Shop{Name: c.Contact.Name, LegalName: c.Contact.LegalName, URL: c.PublicURL}
	site := &edge.Site{
		Config: c, Log: s.Log, Https: https,
		Pages: drawn, Assets: files,
		Fresh:      readapi.Fresh{Positions: projecting},
		Answers:    projecting.Answers,
		Products:   readapi.Products{DB: s.Pool, Now: s.Clock, Customer: commands.CustomerOf},
		Categories: readapi.Categories{DB: s.Pool},
		Brands:     readapi.Brands{DB: s.Pool},
		Content:    readapi.Content{DB: s.Pool},
		Posts:      readapi.Posts{DB: s.Pool},
		Rules:      readapi.Rules{DB: s.Pool},
		Promocodes: readapi.Promocodes{DB: s.Pool, Now: s.Clock},
		Reviews:    readapi.Reviews{DB: s.Pool},
		Waits:      readapi.Restock{DB: s.Pool, Customer: commands.CustomerOf},
		Bonuses:    readapi.Bonuses{DB: s.Pool, Customer: commands.CustomerOf},
		Shop:       readapi.Shop(c.Contact),
		Yml:        &pages.MarketFeed{Db: s.Pool, Shop: shop, Clock: s.Clock, Begin: pages.YmlFeed},
		Google:     &pages.MarketFeed{Db: s.Pool, Shop: shop, Clock: s.Clock, Begin: catalogfile.NewGoogle},
		SiteMap:    &pages.SiteMap{Origin: c.PublicURL, List: readapi.Sitemap{DB: s.Pool}.Pages, Clock: s.Clock},
		Baskets:    &commands.Baskets{Handler: s.Handler, Links: facts, Secret: orders.Secret},
		Orders:     orders,
		Opinions:   s.Reviews(),
		Restock:    s.Restock(),
		Album:      s.Album(),

		Bank:           app.BankOf(orders, c),
		Customers:      customers,
		Profiles:       readapi.Profiles{DB: s.Pool, Customer: commands.CustomerOf, Clock: s.Clock},
		Mine:           readapi.Orders{DB: s.Pool, Customer: commands.CustomerOf, Links: links},
		Unsubscription: unsubscription,
		Staff:          accounts,
		Ops:            ops.NewOps(s.Pool, s.Store, s.Builder(), accounts, s.Log),
	}
	site.StaffOrders = &staffapi.Orders{Orders: orders, Numbered: readapi.Staff{DB: s.Pool}, Log: s.Log}
	site.StaffReviews = &staffapi.Reviews{Reviews: site.Opinions, Lines: readapi.Staff{DB: s.Pool}}
	site.Views = &pages.Views{
		Pages: drawn, Contact: c.Contact, Products: site.Products, Categories: site.Categories, Brands: site.Brands,
		Content: site.Content, Posts: site.Posts, Rules: site.Rules, Shop: site.Shop,
	}
	drawn.Around, drawn.Gather, drawn.Position = site.Views.Around(), site.Answers.Gather, projecting.Shown
	script, err := pages.ReadBuilt(dist, pages.ServerScript, "")
	if err != nil {
		return nil, err
	}
	if len(script) > 0 {
		drawn.Engines = pages.StartEngines(string(script), c.Contact.Name, min(2, runtime.GOMAXPROCS(0)))
	}
	return site, nil
}
