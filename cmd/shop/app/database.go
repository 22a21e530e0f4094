package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/cmd/shop/terminal"
	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// stopWithin is how long the database may take to stop after everything else has.
const stopWithin = 15 * time.Second

// StartDatabase finds the database: the one the configuration names, or the embedded one, started if need be.
func StartDatabase(ctx context.Context, c Config, log *slog.Logger) (at string, server *embeddedpg.Server, err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, nil, nil
	}
	server, err = embeddedpg.Start(ctx, migrations.Embedded(embeddedpg.Options{DataDir: c.DataDir, Binaries: c.PostgresBin, Logger: log, KeepUp: true}))
	if err != nil {
		return "", nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return server.URL(), server, nil
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
