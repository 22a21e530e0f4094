package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/passkeys"
	"shop/commands/identity/signin"
	"shop/commands/mail"
	"shop/commands/photos"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/projections/rebuild"
)

// Shop is a migrated database with the log on it, and every service, each built once.
type Shop struct {
	Config Config
	Log    *slog.Logger
	Clock  func() time.Time
	// server is the embedded PostgreSQL; nil with one of the operator's own.
	server *embeddedpg.Server
	// Database holds the process to one server and one history of its log.
	Database *eventstore.Server
	Pool     *pgxpool.Pool
	Store    *eventstore.Store
	// Handler carries out commands.
	Handler *commands.Handler
	// Builder builds the read models.
	Builder *rebuild.Builder

	// What follows is there after OpenShop; OpenLog leaves it nil.

	// Links are the shop's signed links.
	Links mail.Links
	// Outbox is where letters wait.
	Outbox *mail.Outbox
	// Album is where photos are: in the data folder, which all processes of a shop share.
	Album *photos.Album
	// Customers are the commands about customers' accounts.
	Customers *identity.Accounts
	// Passkeys are those of customers and staff.
	Passkeys *passkeys.Passkeys
	// Accounts are how staff sign in, Staff the commands about their accounts.
	Accounts *signin.Accounts
	Staff    *identity.Staff
	Reviews  *commands.Reviews
	Restock  *commands.Restock
	Bonuses  *commands.Bonuses
	// Unsubscription is the page that links in letters lead to.
	Unsubscription mail.Unsubscription
	// orders: see Orders.
	orders *commands.Orders
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
	if err := s.build(ctx); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

// OpenLog is OpenShop that writes nothing of its own into an empty log and builds no services.
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
	if c.Telemetry {
		settings.ConnConfig.Tracer = queryTracer()
	}
	s.Database = eventstore.NewServer()
	s.Database.Guard(settings)
	if s.Pool, err = pgxpool.NewWithConfig(ctx, settings); err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	s.Store = eventstore.Open(s.Pool, registry.New(), eventstore.Options{Clock: clock, Logger: log, Server: s.Database})
	s.Handler = commands.New(s.Store, commands.Options{Clock: clock})
	s.Builder = &rebuild.Builder{DB: s.Pool, Store: s.Store, Logger: log}
	return s, nil
}

// DatabaseGone is closed when the embedded server ends and cannot be kept up; a server of the operator's is the operator's.
func (s *Shop) DatabaseGone() <-chan struct{} {
	if s.server == nil {
		return nil
	}
	return s.server.Done()
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
