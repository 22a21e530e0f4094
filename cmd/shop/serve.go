package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel"

	"shop/commands"
	"shop/commands/catalogfile"
	"shop/commands/payments"
	"shop/commands/policies"
	"shop/eventstore/feed"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
	"shop/web"
)

func serveCommand(w world) *cobra.Command {
	var help strings.Builder
	writeSettings(&help)
	var withDemo bool
	var only roles
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the shop", Args: cobra.NoArgs,
		Long: "Start the database (the embedded one, or that of SHOP_DATABASE_URL), bring it to shape, run the projections and serve\n" +
			"the storefront and its API until SIGINT or SIGTERM.\n\n" +
			"Any number of processes may work on one database, each with all roles or with some: web serves pages and the API,\n" +
			"projectors fold events into read models, policies do what is due. They share the work by leases; when one dies, others\n" +
			"go on within two seconds. Without the role web only /healthz and /readyz are served at SHOP_ADDR.\n\nEnvironment, with defaults:\n" + help.String(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := readConfig(w.getenv)
			if len(only) > 0 {
				c.Roles = only
			}
			if err := errors.Join(err, c.demands()); err != nil {
				return err
			}
			return serve(cmd.Context(), w, c, withDemo)
		},
	}
	cmd.Flags().BoolVar(&withDemo, "demo", false, "load the demo catalog and its past into an empty log")
	cmd.Flags().Var(&only, "roles", "what this process does, by comma: web, projectors, policies (default SHOP_ROLES)")
	return cmd
}

// slack is memory that is asked for and never touched, so it takes an address and no memory. The garbage collector takes it for
// living and comes when as much again was allocated: a shop keeps so little that it would come many times a second.
const slack = 64 << 20

// serve runs the shop until ctx ends. What starts last stops first: requests in flight are answered, then
// policies and projections end, then the log closes, then the database stops. Nothing acknowledged is lost
// however it ends, because answers leave after commits; the order only spares shoppers the errors.
func serve(ctx context.Context, w world, c config, loadDemo bool) (err error) {
	began := time.Now()
	defer runtime.KeepAlive(make([]byte, slack))
	log := newLogger(w.stderr, c)
	c.warn(ctx, log)
	// The port first: to find it taken after a minute of demo would be a pity.
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("SHOP_ADDR: %w", err)
	}
	defer listener.Close()
	if c.PublicURL == "" {
		c.PublicURL = addressOf(listener)
	}
	if c.Telemetry {
		stop, err := startTelemetry(ctx, log)
		if err != nil {
			return err
		}
		defer deliver(ctx, stop, log)
	}
	// Whoever watches over processes is answered from the first moment; everybody else once there is something to say.
	health := health{pool: new(atomic.Pointer[pgxpool.Pool]), caughtUp: new(atomic.Bool)}
	var handler atomic.Pointer[http.Handler]
	show := func(h http.Handler) { handler.Store(&h) }
	show(health.routes(http.HandlerFunc(starting)))
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
		if err := awaitDatabase(ctx, c.DatabaseURL, log); err != nil {
			return err
		}
	}
	s, err := openShop(ctx, c, log, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	health.pool.Store(s.pool)

	if loadDemo {
		// Before the projections: what is folded in large batches afterwards costs half of what is folded as it comes.
		if err := s.demoIfEmpty(ctx, w); err != nil {
			return err
		}
	}
	if c.Roles.has(roleWeb) || c.Roles.has(rolePolicies) {
		settled, err := s.settle(ctx, failed)
		if err != nil {
			return err
		}
		defer settled()
	}
	var parts []func(*feed.Feed)
	if c.Roles.has(rolePolicies) {
		if parts, err = s.policies(ctx); err != nil {
			return err
		}
	}
	projecting, err := s.startProjections(ctx, c.Roles, failed, parts...)
	if err != nil {
		return err
	}
	defer projecting.stop()
	if c.Roles.has(rolePolicies) {
		sweeping := background(ctx, s.sweepLetters)
		defer sweeping.stop()
	}
	if c.Roles.has(roleProjectors) {
		auditing := background(ctx, s.audit)
		defer auditing.stop()
	}
	if c.Telemetry {
		stop, err := (&gauges{store: s.store, pool: s.pool, log: log}).observe(otel.Meter("shop"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	serving := health.routes(http.NotFoundHandler())
	var warm func(context.Context)
	if c.Roles.has(roleWeb) {
		site, err := s.site(ctx, projecting)
		if err != nil {
			return err
		}
		site.traced, site.health = c.Telemetry, health
		serving = site.routes()
		defer site.pages.engines.stop()
		if site.pages.engines != nil {
			warm = func(ctx context.Context) { site.pages.keepWarm(ctx, site.views.mostVisited) }
		}
		watching := background(ctx, site.ops.watch)
		defer watching.stop()
		server.RegisterOnShutdown(site.ops.close) // nobody else ends the streams
	}

	if c.Roles.has(roleProjectors) {
		building := background(ctx, s.builder().Work)
		defer building.stop()
	}

	show(serving)
	// Before what the requests use.
	defer func() { err = errors.Join(err, stopServing()) }()

	if err := projecting.catchUp(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	health.caughtUp.Store(true)
	if warm != nil {
		warming := background(ctx, warm)
		defer warming.stop()
	}
	at := c.PublicURL
	if !c.Roles.has(roleWeb) {
		at = addressOf(listener)
	}
	fmt.Fprintf(w.stdout, "%s is ready at %s (%s; started in %s)\n", c.Contact.Name, at, &c.Roles, time.Since(began).Round(10*time.Millisecond))

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
	if err := files.name(c.Contact.Name); err != nil {
		return nil, err
	}
	facts := readapi.Facts{DB: s.pool}
	pages, err := loadPages(dist, c.Contact.Name, c.PublicURL, s.log)
	if err != nil {
		return nil, err
	}
	if c.Payments == "sandbox" {
		pages.tellTestBank(c.published())
	}
	orders, err := s.orders(ctx)
	if err != nil {
		return nil, err
	}
	customers, err := s.customers(ctx)
	if err != nil {
		return nil, err
	}
	links, err := s.links(ctx)
	if err != nil {
		return nil, err
	}
	unsubscription, err := s.unsubscription(ctx)
	if err != nil {
		return nil, err
	}
	https := c.https()
	accounts, err := s.accounts(ctx)
	if err != nil {
		return nil, err
	}
	shop := catalogfile.Shop{Name: c.Contact.Name, LegalName: c.Contact.LegalName, URL: c.PublicURL}
	site := &site{
		config: c, log: s.log, https: https,
		pages: pages, assets: files,
		fresh:      readapi.Fresh{Positions: projecting},
		answers:    projecting.answers,
		products:   readapi.Products{DB: s.pool, Now: s.clock, Customer: commands.CustomerOf},
		categories: readapi.Categories{DB: s.pool},
		brands:     readapi.Brands{DB: s.pool},
		content:    readapi.Content{DB: s.pool},
		posts:      readapi.Posts{DB: s.pool},
		rules:      readapi.Rules{DB: s.pool},
		promocodes: readapi.Promocodes{DB: s.pool, Now: s.clock},
		reviews:    readapi.Reviews{DB: s.pool},
		waits:      readapi.Restock{DB: s.pool, Customer: commands.CustomerOf},
		bonuses:    readapi.Bonuses{DB: s.pool, Customer: commands.CustomerOf},
		shop:       readapi.Shop(c.Contact),
		yml:        &marketFeed{db: s.pool, shop: shop, clock: s.clock, begin: ymlFeed},
		google:     &marketFeed{db: s.pool, shop: shop, clock: s.clock, begin: catalogfile.NewGoogle},
		siteMap:    &siteMap{origin: c.PublicURL, list: readapi.Sitemap{DB: s.pool}.Pages, clock: s.clock},
		baskets:    &commands.Baskets{Handler: s.handler, Links: facts, Secret: orders.Secret, Secure: https},
		orders:     orders,
		opinions:   s.reviews(),
		restock:    s.restock(),
		album:      s.album(),

		bank:           bankOf(orders, c),
		customers:      customers,
		profiles:       readapi.Profiles{DB: s.pool, Customer: commands.CustomerOf, Clock: s.clock},
		mine:           readapi.Orders{DB: s.pool, Customer: commands.CustomerOf, Links: links},
		unsubscription: unsubscription,
		staff:          accounts,
		ops:            newOps(s.pool, s.store, s.builder(), accounts, s.log),
	}
	site.staffOrders = &staffOrders{orders: orders, numbered: readapi.Staff{DB: s.pool}, log: s.log}
	site.staffReviews = &staffReviews{reviews: site.opinions, lines: readapi.Staff{DB: s.pool}}
	site.views = &views{
		pages: pages, contact: c.Contact, products: site.products, categories: site.categories, brands: site.brands,
		content: site.content, posts: site.posts, rules: site.rules, shop: site.shop,
	}
	pages.around, pages.gather, pages.position = site.views.around(), site.answers.Gather, projecting.shown
	script, err := readBuilt(dist, serverScript, "")
	if err != nil {
		return nil, err
	}
	if len(script) > 0 {
		pages.engines = startEngines(string(script), c.Contact.Name, min(2, runtime.GOMAXPROCS(0)))
	}
	return site, nil
}

// bankOf is the page of the sandbox; nil with another provider.
func bankOf(orders *commands.Orders, c config) *payments.Bank {
	sandbox, ok := orders.Provider.(*payments.Sandbox)
	if !ok {
		return nil
	}
	return &payments.Bank{Sandbox: sandbox, Shop: c.Contact.Name, Bill: orders.Bill, Notify: orders.Deliver}
}

// audit compares samples of the read models with the log, unless it is switched off.
func (s *shop) audit(ctx context.Context) {
	if s.config.AuditInterval > 0 {
		(&rebuild.Auditor{DB: s.pool, Store: s.store, Projections: projections.All(), Interval: s.config.AuditInterval, Logger: s.log}).Run(ctx)
	}
}

// policies puts on the feed what one of all processes with that role does at a time.
func (s *shop) policies(ctx context.Context) ([]func(*feed.Feed), error) {
	mails, err := s.mailing(ctx)
	if err != nil {
		return nil, err
	}
	orders, err := s.orders(ctx)
	if err != nil {
		return nil, err
	}
	customers, err := s.customers(ctx)
	if err != nil {
		return nil, err
	}
	// Never run: it asks the database.
	positions := feed.New(s.store, feed.Options{})
	erasure := policies.EraseCustomers{Leaving: readapi.Facts{DB: s.pool}, Accounts: customers, Orders: positions, Logger: s.log}
	sweep := policies.SweepAccounts{Accounts: customers.SignIns, Logger: s.log}
	joins := policies.JoinOrders{Guests: customers.SignIns, Orders: customers}
	expiry := policies.ExpirePayments{Orders: orders, Due: readapi.Facts{DB: s.pool}, Logger: s.log}
	asking := policies.AskPayments{Orders: orders, Open: openPayments{readapi.Facts{DB: s.pool}, orders.Provider.Name()}, Books: orders.Books, Logger: s.log}
	refunds := policies.GiveBack{Orders: orders, Owing: readapi.Facts{DB: s.pool}, Debts: orders.Books, Logger: s.log}
	keys := policies.ForgetKeys{Keys: s.store, Logger: s.log}
	photos := policies.SweepPhotos{Album: s.album(), Log: s.reviews(), Logger: s.log}
	return []func(*feed.Feed){func(consumers *feed.Feed) {
		consumers.Add(policies.NotifyRestock(s.restock()))
		consumers.Add(policies.FollowBonuses(&commands.Bonuses{Handler: s.handler}))
		consumers.Add(policies.DeletePhotos(s.album(), s.reviews()))
		consumers.AddJob("sweep-photos", photos.Run)
		consumers.AddJob("expire-payments", expiry.Run)
		consumers.AddJob("ask-payments", asking.Run)
		consumers.AddJob("give-back", refunds.Run)
		consumers.AddJob("forget-keys", keys.Run)
		consumers.AddJob("erase-customers", erasure.Run)
		consumers.AddJob("sweep-accounts", sweep.Run)
		consumers.Add(joins.Consumer())
	}, mails}, nil
}

// openPayments are those of the provider in use: nobody can be asked for the others.
type openPayments struct {
	facts    readapi.Facts
	provider string
}

func (o openPayments) PaymentsToAsk(ctx context.Context, since, first, now time.Time, limit int) ([]policies.OpenPayment, error) {
	found, err := o.facts.PaymentsToAsk(ctx, o.provider, since, first, now, limit)
	due := make([]policies.OpenPayment, len(found))
	for i, p := range found {
		due[i] = policies.OpenPayment(p)
	}
	return due, err
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
