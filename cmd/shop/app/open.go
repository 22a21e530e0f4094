package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/payments"
	"shop/commands/photos"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/readapi"
)

// stopWithin is how long the database may take to stop after everything else has.
const stopWithin = 15 * time.Second

// Shop is a migrated database with the log on it, as every subcommand uses it.
type Shop struct {
	Config Config
	Log    *slog.Logger
	Clock  func() time.Time
	// server is the embedded PostgreSQL; nil with one of the operator's own.
	server *embeddedpg.Server
	Pool   *pgxpool.Pool
	Store  *eventstore.Store
	// Handler carries out commands.
	Handler *commands.Handler
	photos  *photos.Album
}

// StartDatabase finds the database: the one the configuration names, or the embedded one, started if need be.
func StartDatabase(ctx context.Context, c Config, log *slog.Logger) (url string, server *embeddedpg.Server, err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, nil, nil
	}
	server, err = embeddedpg.Start(ctx, embeddedpg.Options{DataDir: c.DataDir, Binaries: c.PostgresBin, Logger: log, KeepUp: true})
	if err != nil {
		return "", nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return server.URL(), server, nil
}

// databasePatience is how long a server of the operator's may take to start or to recover.
const databasePatience = 30 * time.Second

// AwaitDatabase returns when a database server takes connections. It waits for one that is not there yet, or says that it
// starts; what another attempt does not mend it leaves to who connects next.
func AwaitDatabase(ctx context.Context, url string, log *slog.Logger) error {
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
			log.WarnContext(ctx, "waiting for PostgreSQL to take connections", "error", terminal.OneLine(err.Error()), "at_most", databasePatience)
		}
		select {
		case <-patience.Done():
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// StopDatabase gives up the use of an embedded server; nil is fine.
func StopDatabase(ctx context.Context, server *embeddedpg.Server) error {
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

// OpenShop starts what is needed to read and write the log. Close what it returns.
func OpenShop(ctx context.Context, c Config, log *slog.Logger, clock func() time.Time) (*Shop, error) {
	s, err := OpenLog(ctx, c, log, clock)
	if err != nil {
		return nil, err
	}
	// Every price names the rules it was made under, so there are rules before the first price.
	if _, err := (&commands.Rules{Handler: s.Handler}).Open(commands.WithOrigin(ctx, commands.Origin{Actor: "system:start"})); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

// OpenLog is openShop that writes nothing of its own into an empty log.
func OpenLog(ctx context.Context, c Config, log *slog.Logger, clock func() time.Time) (_ *Shop, err error) {
	url, server, err := StartDatabase(ctx, c, log)
	if err != nil {
		return nil, err
	}
	s := &Shop{Config: c, Log: log, Clock: clock, server: server}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(ctx))
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
	if s.Pool, err = pgxpool.NewWithConfig(ctx, settings); err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	s.Store = eventstore.Open(s.Pool, registry.New(), eventstore.Options{Clock: clock, Logger: log})
	s.Handler = commands.New(s.Store, commands.Options{Clock: clock})
	return s, nil
}

// DatabaseGone is closed when the embedded server ends and cannot be kept up; a server of the operator's is the operator's.
func (s *Shop) DatabaseGone() <-chan struct{} {
	if s.server == nil {
		return nil
	}
	return s.server.Done()
}

// Orders are the commands about orders, with the payment provider of the configuration.
func (s *Shop) Orders(ctx context.Context) (*commands.Orders, error) {
	if s.Config.Published() && !s.Config.stated["SHOP_PAYMENTS"] {
		return nil, errPaymentsUnstated // at the command line too: the test bank "gives back" what another took
	}
	payment, err := Secret(ctx, s.Pool, "sandbox")
	if err != nil {
		return nil, err
	}
	customers, err := Secret(ctx, s.Pool, "customers")
	if err != nil {
		return nil, err
	}
	links, err := s.Links(ctx)
	if err != nil {
		return nil, err
	}
	orders := &commands.Orders{
		Handler: s.Handler, Guests: links, Numbers: &commands.OrderNumbers{Pool: s.Pool}, Links: readapi.Facts{DB: s.Pool},
		Secret: customers, Books: payments.Books{Pool: s.Pool}, PublicURL: s.Config.PublicURL, Log: s.Log,
	}
	orders.Providers = s.providers(payments.NewSandbox(s.Config.PublicURL, payment), orders.Books)
	return orders, nil
}

// providers are all that the configuration has an account of. A payment stays with whom it was opened at.
func (s *Shop) providers(sandbox *payments.Sandbox, books payments.Books) payments.Providers {
	c := s.Config
	cloud := &payments.CloudPayments{
		URL: c.CloudPaymentsURL, PublicID: c.CloudPaymentsID, Secret: c.CloudPaymentsSecret, ShopURL: c.PublicURL, Books: books,
	}
	switch {
	case c.Payments == cloud.Name():
		return payments.Providers{Current: cloud, Former: []payments.Provider{sandbox}}
	case c.CloudPaymentsID != "" && c.CloudPaymentsSecret != "":
		return payments.Providers{Current: sandbox, Former: []payments.Provider{cloud}}
	}
	return payments.Providers{Current: sandbox}
}

// Album is where photos are: in the data folder, which all processes of a shop share.
func (s *Shop) Album() *photos.Album {
	if s.photos == nil {
		home := s.PhotosHome("")
		s.photos = photos.Open(s.Pool, home.Folder).In(home)
	}
	return s.photos
}

// PhotosHome is the folder of photos; the shop is told from others by the id of its log's first event.
func (s *Shop) PhotosHome(shop string) photos.Home {
	return photos.Home{DB: s.Pool, Folder: photos.Folder(filepath.Join(s.Config.DataDir, "blobs")), Shop: shop}
}

// Settle sees to it that whoever takes or deletes photos does so in the shop's folder. While no process has chosen one,
// who serves the web chooses its own, and who does not looks again, until work ends: what it learns then goes to failed.
func (s *Shop) Settle(ctx context.Context, failed chan<- error) (stop func(), err error) {
	id, err := s.Store.Identity(ctx) // there are rules, so there is one
	if err != nil {
		return nil, fmt.Errorf("tell the shop from others: %w", err)
	}
	home := s.PhotosHome(id.String())
	if s.Config.Roles.Has(RoleWeb) {
		return func() {}, home.Claim(ctx)
	}
	err = home.Check(ctx)
	if !errors.Is(err, photos.ErrUnclaimed) {
		return func() {}, err
	}
	return Background(ctx, func(ctx context.Context) {
		if err := home.Await(ctx, time.Second); err != nil && ctx.Err() == nil {
			failed <- err // it has room for every part
		}
	}).Stop, nil
}

// Reviews are the commands about reviews.
func (s *Shop) Reviews() *commands.Reviews {
	return &commands.Reviews{Handler: s.Handler, Album: s.Album(), Links: readapi.Facts{DB: s.Pool}}
}

// Restock are the commands about waiting lists.
func (s *Shop) Restock() *commands.Restock {
	return &commands.Restock{Handler: s.Handler, Links: readapi.Facts{DB: s.Pool}}
}

// Close stops everything in reverse; appends in flight end first.
func (s *Shop) Close(ctx context.Context) error {
	if s.Store != nil {
		s.Store.Close()
	}
	if s.Pool != nil {
		s.Pool.Close()
	}
	return StopDatabase(ctx, s.server)
}
