package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/cmd/shop/terminal"
	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// stopWithin is how long the database may take to stop after everything else has.
const stopWithin = 15 * time.Second

// Database is where the shop's database is, by the role that serves and the role that owns the tables, which migrates and builds read
// models. Without a role of its own for that, both are the same.
type Database struct {
	Serving, Owner string
	// server is the embedded one; nil with one of the operator's own.
	server *embeddedpg.Server
}

// StartDatabase finds the database: the one the configuration names, or the embedded one, started if need be.
func StartDatabase(ctx context.Context, c Config, log *slog.Logger) (Database, error) {
	if c.DatabaseURL != "" {
		return Database{Serving: c.DatabaseURL, Owner: cmp.Or(c.DatabaseOwnerURL, c.DatabaseURL)}, nil
	}
	server, err := embeddedpg.Start(ctx, migrations.Embedded(embeddedpg.Options{DataDir: c.DataDir, Binaries: c.PostgresBin, Logger: log, KeepUp: true}))
	if err != nil {
		return Database{}, fmt.Errorf("start PostgreSQL: %w", err)
	}
	d := Database{server: server}
	if d.Owner, d.Serving, err = migrations.SplitRoles(ctx, server.URL()); err != nil {
		return Database{}, errors.Join(err, d.Stop(ctx))
	}
	return d, nil
}

// Migrate brings the database up to date as its owner, and gives the serving role the rights it needs. missing are statements for a
// superuser.
func (d Database) Migrate(ctx context.Context) (missing []string, err error) {
	if err := migrations.Up(ctx, d.Owner); err != nil {
		return nil, err
	}
	if d.Owner == d.Serving {
		return nil, nil
	}
	serving, err := pgconn.ParseConfig(d.Serving)
	if err != nil {
		return nil, errors.New("SHOP_DATABASE_URL: not understood by the PostgreSQL driver") // its error quotes the URL
	}
	return migrations.Grant(ctx, d.Owner, serving.User)
}

// warnOfRights says what the serving role may do that it should not: once, at the start of a process that serves.
func (d Database) warnOfRights(ctx context.Context, log *slog.Logger) error {
	of, err := migrations.RightsOf(ctx, d.Serving)
	if err != nil {
		return err
	}
	if of.Superuser || of.ChangesEvents {
		log.WarnContext(ctx, "the database role that serves may change and delete events: serve with a role of less rights, and name the owner of the tables in SHOP_DATABASE_OWNER_URL (docs/operations.md)",
			"role", of.Role, "superuser", of.Superuser)
	}
	if d.Owner == d.Serving && !of.Owns {
		log.WarnContext(ctx, "the database role that serves owns no tables, so read models cannot be built, swapped or dropped here: name the owner of the tables in SHOP_DATABASE_OWNER_URL",
			"role", of.Role)
	}
	return nil
}

// onePrimary refuses a URL of several servers that does not say that the one that takes writes is wanted. Its errors do not
// quote the URL, which may hold a password.
func onePrimary(v string) error {
	c, err := pgconn.ParseConfig(v)
	if err != nil {
		return nil // who connects says why it is not understood
	}
	several := slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != c.Host || f.Port != c.Port })
	if u, err := url.Parse(v); several && (err != nil || u.Query().Get("target_session_attrs") != "read-write") {
		return errors.New("several hosts need target_session_attrs=read-write in the URL: without it connections lead to standbys")
	}
	return nil
}

// The settings of read replicas.
var (
	readURLs = setting{"SHOP_READ_URLS", "", "postgres://… of read replicas, separated by spaces: what shoppers and analysts read is asked there; default: everything is asked of the primary", func(c *Config, v string) (err error) {
		c.ReadURLs, err = replicasOf(v)
		return err
	}}
	readLag = setting{"SHOP_READ_LAG", "10s", "how far behind a read replica may be before nothing is asked of it", func(c *Config, v string) (err error) {
		c.ReadLag, err = durationOf(v, 100*time.Millisecond)
		return err
	}}
)

// replicasOf reads the URLs of read replicas. Its errors do not quote them.
func replicasOf(v string) ([]string, error) {
	urls := strings.Fields(v)
	for i, one := range urls {
		c, err := pgconn.ParseConfig(one)
		if err != nil {
			return nil, fmt.Errorf("URL %d is not understood by the PostgreSQL driver", i+1)
		}
		// How far a replica is says nothing of another one.
		if slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != c.Host || f.Port != c.Port }) {
			return nil, fmt.Errorf("URL %d names several hosts: give each replica a URL of its own, with spaces between them", i+1)
		}
		if _, err := databaseInClear(one); err != nil {
			return nil, fmt.Errorf("URL %d: %w", i+1, err)
		}
	}
	return urls, nil
}

// databasePatience is how long a server of the operator's may take to start or to recover.
const databasePatience = 30 * time.Second

// AwaitDatabase returns when a database server takes connections. It waits for one that is not there yet, or says that it
// starts; what another attempt does not mend it leaves to who connects next.
func AwaitDatabase(ctx context.Context, at string, log *slog.Logger) error {
	patience, cancel := context.WithTimeout(ctx, databasePatience)
	defer cancel()
	for told := false; ; {
		conn, err := pgx.Connect(patience, at)
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

// Stop gives up the use of an embedded server; without one it does nothing.
func (d Database) Stop(ctx context.Context) error {
	if d.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := d.server.Stop(ctx); err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	return nil
}
