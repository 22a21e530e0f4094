package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/identity"
	"shop/commands/identity/passkeys"
	"shop/commands/identity/securitylog"
	"shop/commands/identity/signin"
	"shop/commands/mail"
	"shop/commands/notices"
	"shop/commands/photos"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/eventstore/snapshot"
	"shop/projections/rebuild"
	"shop/projections/replay"
	"shop/readapi/replicas"
	reads "shop/readapi/staff"
)

// Shop is a migrated database with the log on it, and every service, each built once.
type Shop struct {
	Config Config
	Log    *slog.Logger
	Clock  func() time.Time
	// at is where the database is.
	at Database
	// Database holds the process to one server and one history of its log.
	Database *eventstore.Server
	// Pool serves, Owner migrates and builds read models; they are one where there is one role.
	Pool, Owner *pgxpool.Pool
	// Replicas answer reads while they are looked after; nil: there are none.
	Replicas *replicas.Set
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
	// Guests forget who made a guest's order or wrote a review.
	Guests *identity.Guests
	// Passkeys are those of customers and staff.
	Passkeys *passkeys.Passkeys
	// Security is the security log.
	Security *securitylog.Log
	// Accounts are how staff sign in, Staff the commands about their accounts.
	Accounts *signin.Accounts
	Staff    *identity.Staff
	Reviews  *commands.Reviews
	Restock  *commands.Restock
	Bonuses  *commands.Bonuses
	// Settings publish what the shop says of itself.
	Settings *commands.Settings
	// Effects measure what changes and promo codes would have done.
	Effects *replay.Effects
	// Past shows the shop as it was.
	Past    reads.Past
	Changes *changes.Changes
	// Unsubscription is the page that links in letters lead to.
	Unsubscription mail.Unsubscription
	// Notices is what staff are told at once, and by whom it is wanted.
	Notices *notices.Board
	// orders: see Orders.
	orders *commands.Orders
}

// OpenShop starts what is needed to read and write the log. Close what it returns.
func OpenShop(ctx context.Context, c Config, log *slog.Logger, clock func() time.Time) (*Shop, error) {
	s, err := OpenLog(ctx, c, log, clock)
	if err != nil {
		return nil, err
	}
	// Every price names the rules it was made under, so there are rules before the first price. A copy gets them from home.
	if c.Region.Name != "" {
		return s, s.buildIn(ctx)
	}
	if _, err := (&commands.Rules{Handler: s.Handler}).Open(commands.WithOrigin(ctx, commands.Origin{Actor: "system:start"})); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	if err := s.build(ctx); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

// buildIn is build for a region.
func (s *Shop) buildIn(ctx context.Context) error {
	if err := s.build(ctx); err != nil {
		return errors.Join(err, s.Close(ctx))
	}
	return nil
}

// OpenLog is OpenShop that writes nothing of its own into an empty log and builds no services.
func OpenLog(ctx context.Context, c Config, log *slog.Logger, clock func() time.Time) (_ *Shop, err error) {
	at, err := StartDatabase(ctx, c, log)
	if err != nil {
		return nil, err
	}
	if c.AsOwner {
		at.Serving = at.Owner
	}
	s := &Shop{Config: c, Log: log, Clock: clock, at: at, Database: eventstore.NewServer()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}()
	missing, err := at.Migrate(ctx)
	if err != nil {
		return nil, err
	}
	for _, statement := range missing {
		log.WarnContext(ctx, "the database role that serves lacks a right, which only a superuser can give", "statement", statement)
	}
	if s.Pool, err = s.connect(ctx, "SHOP_DATABASE_URL", at.Serving, c.DatabaseConns); err != nil {
		return nil, err
	}
	s.Owner = s.Pool
	if at.Owner != at.Serving {
		if s.Owner, err = s.connect(ctx, "SHOP_DATABASE_OWNER_URL", at.Owner, ownerConns); err != nil {
			return nil, err
		}
	}
	ring, fresh, err := s.openKeys(ctx)
	if err != nil {
		return nil, err
	}
	s.Store = eventstore.Open(s.Pool, registry.New(), eventstore.Options{Clock: clock, Logger: log, Server: s.Database, Keys: ring})
	keys, err := s.settleSecrets(ctx, fresh)
	if err != nil {
		return nil, err
	}
	s.Security = securitylog.New(s.Pool, securitylog.Options{Secret: keys["security"], Clock: clock, Logger: log})
	s.Handler = commands.New(s.Store, commands.Options{Clock: clock, Snapshots: snapshot.Of(s.Store), FreezeEvery: c.SnapshotEvery})
	s.Builder = &rebuild.Builder{DB: s.Owner, Store: s.Store, Logger: log}
	if len(c.ReadURLs) > 0 {
		o := replicas.Options{Conns: c.DatabaseConns, Lag: c.ReadLag, Logger: log}
		if s.Replicas, err = replicas.Open(ctx, s.Pool, c.ReadURLs, o, s.traced); err != nil {
			return nil, fmt.Errorf("SHOP_READ_URLS: %w", err)
		}
	}
	return s, nil
}

// ownerConns is the most connections of the owner of the tables, who is at work only while a read model is built.
const ownerConns = 8

// connect is a pool on an address, which a setting names, held to one server.
func (s *Shop) connect(ctx context.Context, setting, url string, conns int) (*pgxpool.Pool, error) {
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New(setting + ": not understood by the PostgreSQL driver") // its error quotes the URL
	}
	settings.MaxConns = int32(conns)
	settings.ConnConfig.RuntimeParams["application_name"] = "shop"
	boundDescriptions(settings.ConnConfig)
	s.traced(settings)
	s.Database.Guard(settings)
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return pool, nil
}

// descriptionsKept is how many statements a connection keeps descriptions of beside those that are prepared: one is asked that way. The
// driver makes room for 512 at once, on every connection.
const descriptionsKept = 16

// boundDescriptions leaves the room to a pool whose URL asks for descriptions alone.
func boundDescriptions(settings *pgx.ConnConfig) {
	if settings.DefaultQueryExecMode != pgx.QueryExecModeCacheDescribe {
		settings.DescriptionCacheCapacity = descriptionsKept
	}
}

func (s *Shop) traced(settings *pgxpool.Config) {
	if s.Config.Telemetry {
		settings.ConnConfig.Tracer = queryTracer()
	}
}

// WarnOfRights says what the role of the database may do that serving does not need.
func (s *Shop) WarnOfRights(ctx context.Context) error { return s.at.warnOfRights(ctx, s.Log) }

// DatabaseGone is closed when the embedded server ends and cannot be kept up; a server of the operator's is the operator's.
func (s *Shop) DatabaseGone() <-chan struct{} {
	if s.at.server == nil {
		return nil
	}
	return s.at.server.Done()
}

// Close stops everything in reverse; appends in flight end first.
func (s *Shop) Close(ctx context.Context) error {
	if s.Security != nil {
		if err := s.Security.Flush(context.WithoutCancel(ctx)); err != nil && s.Database.Err() == nil {
			s.Log.ErrorContext(ctx, "the security log lost its last records", "error", err)
		}
	}
	if s.Past.Pasts != nil {
		s.Past.Pasts.Close()
	}
	if s.Store != nil {
		s.Store.Close()
	}
	s.Replicas.Close()
	if s.Owner != nil && s.Owner != s.Pool {
		s.Owner.Close()
	}
	if s.Pool != nil {
		s.Pool.Close()
	}
	return s.at.Stop(ctx)
}
