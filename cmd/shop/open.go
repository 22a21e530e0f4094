package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/photos"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/readapi"
)

// stopWithin is how long the database may take to stop after everything else has.
const stopWithin = 15 * time.Second

// shop is a migrated database with the log on it, as every subcommand uses it.
type shop struct {
	config config
	log    *slog.Logger
	clock  func() time.Time
	// server is the embedded PostgreSQL; nil with one of the operator's own.
	server *embeddedpg.Server
	pool   *pgxpool.Pool
	store  *eventstore.Store
	// handler carries out commands.
	handler *commands.Handler
	photos  *photos.Album
}

// startDatabase finds the database: the one the configuration names, or the embedded one, started if need be.
func startDatabase(ctx context.Context, c config, log *slog.Logger) (url string, server *embeddedpg.Server, err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, nil, nil
	}
	server, err = embeddedpg.Start(ctx, migrations.Embedded(embeddedpg.Options{DataDir: c.DataDir, Binaries: c.PostgresBin, Logger: log, KeepUp: true}))
	if err != nil {
		return "", nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return server.URL(), server, nil
}

// databasePatience is how long a server of the operator's may take to start or to recover.
const databasePatience = 30 * time.Second

// awaitDatabase returns when a database server takes connections. It waits for one that is not there yet, or says that it
// starts; what another attempt does not mend it leaves to who connects next.
func awaitDatabase(ctx context.Context, url string, log *slog.Logger) error {
	patience, cancel := context.WithTimeout(ctx, databasePatience)
	defer cancel()
	for told := false; ; {
		conn, err := pgx.Connect(patience, url)
		if err == nil {
			return conn.Close(patience)
		}
		var refused *pgconn.PgError
		var unclear *pgconn.ParseConfigError
		starts := errors.As(err, &refused) && slices.Contains([]string{"57P01", "57P02", "57P03"}, refused.Code)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if patience.Err() != nil || errors.As(err, &unclear) || refused != nil && !starts {
			return nil // who connects next says why not
		}
		if !told {
			told = true
			log.WarnContext(ctx, "waiting for PostgreSQL to take connections", "error", oneLine(err.Error()), "at_most", databasePatience)
		}
		select {
		case <-patience.Done():
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// stopDatabase gives up the use of an embedded server; nil is fine.
func stopDatabase(ctx context.Context, server *embeddedpg.Server) error {
	if server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := server.Stop(ctx); err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	return nil
}

// openShop starts what is needed to read and write the log. Close what it returns.
func openShop(ctx context.Context, c config, log *slog.Logger, clock func() time.Time) (*shop, error) {
	s, err := openLog(ctx, c, log, clock)
	if err != nil {
		return nil, err
	}
	// Every price names the rules it was made under, so there are rules before the first price.
	if _, err := (&commands.Rules{Handler: s.handler}).Open(commands.WithOrigin(ctx, commands.Origin{Actor: "system:start"})); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// openLog is openShop that writes nothing of its own into an empty log.
func openLog(ctx context.Context, c config, log *slog.Logger, clock func() time.Time) (_ *shop, err error) {
	url, server, err := startDatabase(ctx, c, log)
	if err != nil {
		return nil, err
	}
	s := &shop{config: c, log: log, clock: clock, server: server}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	if err := migrations.Up(ctx, url); err != nil {
		return nil, err
	}
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("SHOP_DATABASE_URL: not understood by the PostgreSQL driver") // its error quotes the URL
	}
	settings.MaxConns = int32(c.DatabaseConns)
	settings.ConnConfig.RuntimeParams["application_name"] = "shop"
	if c.Telemetry {
		settings.ConnConfig.Tracer = queryTracer()
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, settings); err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	s.store = eventstore.Open(s.pool, registry.New(), eventstore.Options{Clock: clock, Logger: log})
	s.handler = commands.New(s.store, commands.Options{Clock: clock})
	return s, nil
}

// databaseGone is closed when the embedded server ends and cannot be kept up; a server of the operator's is the operator's.
func (s *shop) databaseGone() <-chan struct{} {
	if s.server == nil {
		return nil
	}
	return s.server.Done()
}

// orders are the commands about orders, with the payment provider of the configuration.
func (s *shop) orders(ctx context.Context) (*commands.Orders, error) {
	if s.config.published() && !s.config.stated["SHOP_PAYMENTS"] {
		return nil, errPaymentsUnstated // at the command line too: the test bank "gives back" what another took
	}
	payment, err := secret(ctx, s.pool, "sandbox")
	if err != nil {
		return nil, err
	}
	customers, err := secret(ctx, s.pool, "customers")
	if err != nil {
		return nil, err
	}
	links, err := s.links(ctx)
	if err != nil {
		return nil, err
	}
	orders := &commands.Orders{
		Handler: s.handler, Guests: links, Numbers: &commands.OrderNumbers{Pool: s.pool}, Links: readapi.Facts{DB: s.pool},
		Secret: customers, Books: payments.Books{Pool: s.pool}, PublicURL: s.config.PublicURL,
	}
	if s.config.Payments == "cloudpayments" {
		orders.Provider = &payments.CloudPayments{
			URL: s.config.CloudPaymentsURL, PublicID: s.config.CloudPaymentsID, Secret: s.config.CloudPaymentsSecret,
			ShopURL: s.config.PublicURL, Books: orders.Books,
		}
	} else {
		orders.Provider = payments.NewSandbox(s.config.PublicURL, payment)
	}
	return orders, nil
}

// album is where photos are: in the data folder, which all processes of a shop share.
func (s *shop) album() *photos.Album {
	if s.photos == nil {
		home := s.photosHome("")
		s.photos = photos.Open(s.pool, home.Folder).In(home)
	}
	return s.photos
}

// photosHome is the folder of photos; the shop is told from others by the id of its log's first event.
func (s *shop) photosHome(shop string) photos.Home {
	return photos.Home{DB: s.pool, Folder: photos.Folder(filepath.Join(s.config.DataDir, "blobs")), Shop: shop}
}

// settle sees to it that whoever takes or deletes photos does so in the shop's folder. While no process has chosen one,
// who serves the web chooses its own, and who does not looks again, until work ends: what it learns then goes to failed.
func (s *shop) settle(ctx context.Context, failed chan<- error) (stop func(), err error) {
	id, err := s.store.Identity(ctx) // there are rules, so there is one
	if err != nil {
		return nil, fmt.Errorf("tell the shop from others: %w", err)
	}
	home := s.photosHome(id.String())
	if s.config.Roles.has(roleWeb) {
		return func() {}, home.Claim(ctx)
	}
	err = home.Check(ctx)
	if !errors.Is(err, photos.ErrUnclaimed) {
		return func() {}, err
	}
	return background(ctx, func(ctx context.Context) {
		if err := home.Await(ctx, time.Second); err != nil && ctx.Err() == nil {
			failed <- err // it has room for every part
		}
	}).stop, nil
}

// reviews are the commands about reviews.
func (s *shop) reviews() *commands.Reviews {
	return &commands.Reviews{Handler: s.handler, Album: s.album(), Links: readapi.Facts{DB: s.pool}}
}

// restock are the commands about waiting lists.
func (s *shop) restock() *commands.Restock {
	return &commands.Restock{Handler: s.handler, Links: readapi.Facts{DB: s.pool}}
}

// close stops everything in reverse; appends in flight end first.
func (s *shop) close(ctx context.Context) error {
	if s.store != nil {
		s.store.Close()
	}
	if s.pool != nil {
		s.pool.Close()
	}
	return stopDatabase(ctx, s.server)
}

// withShop makes a subcommand that works on the log, as staff at the command line.
func withShop(w world, do work) func(*cobra.Command, []string) error {
	return withOpened(w, openShop, do)
}

// cliActor names who runs the command line, as far as the system knows.
func cliActor() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "cli:" + u.Username
	}
	return fmt.Sprintf("cli:%d", os.Getuid())
}

// work is what a subcommand does with a shop that is open.
type work func(ctx context.Context, s *shop, cmd *cobra.Command, args []string) error

// withOpened is withShop with a way to open the shop.
func withOpened(w world, open func(context.Context, config, *slog.Logger, func() time.Time) (*shop, error), do work) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		c, err := readConfig(w.getenv)
		if err != nil {
			return err
		}
		if w.getenv("SHOP_LOG_LEVEL") == "" {
			c.LogLevel = slog.LevelWarn // a person reads the result, not how it came about
		}
		ctx := commands.WithOrigin(cmd.Context(), commands.Origin{Actor: "staff:cli"})
		ctx = feed.WithAuthor(ctx, feed.Author{Actor: cliActor()})
		s, err := open(ctx, c, newLogger(w.stderr, c), time.Now)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.close(ctx)) }()
		return do(ctx, s, cmd, args)
	}
}
