package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"shop/migrations"
)

// useExternal prepares a server that is not ours: one template database per state of the migrations, kept
// there for the next run.
func useExternal(ctx context.Context, databaseURL string) (*server, error) {
	address, err := url.Parse(databaseURL)
	if err != nil || !strings.HasPrefix(address.Scheme, "postgres") {
		return nil, errors.New("SHOP_TEST_DATABASE_URL is not of the form postgres://user:password@host:port/database")
	}
	state, err := migrationsState()
	if err != nil {
		return nil, err
	}
	s := &server{url: address, template: "pgtest_template_" + state}
	s.stop = s.disconnect
	admin, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, fmt.Errorf("SHOP_TEST_DATABASE_URL: %w", err)
	}
	defer admin.Close(ctx)
	// Several test processes start at once; one of them makes the template.
	if _, err := admin.Exec(ctx, "SELECT pg_advisory_lock(hashtext('shop pgtest'))"); err != nil {
		return nil, err
	}
	var made bool
	if err := admin.QueryRow(ctx, "SELECT count(*) > 0 FROM pg_database WHERE datname = $1 AND datistemplate", s.template).Scan(&made); err != nil {
		return nil, err
	}
	if made {
		return s, nil
	}
	template := quoted(s.template)
	if _, err := admin.Exec(ctx, "DROP DATABASE IF EXISTS "+template); err != nil {
		return nil, fmt.Errorf("drop a half-made template: %w", err)
	}
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+template+" ENCODING 'UTF8' TEMPLATE template0"); err != nil {
		return nil, fmt.Errorf("create the template: %w", err)
	}
	migrated := *address
	migrated.Path = "/" + s.template
	if err := migrations.Up(ctx, migrated.String()); err != nil {
		return nil, err
	}
	// Marked last: a template that is not marked is half made.
	if _, err := admin.Exec(ctx, "ALTER DATABASE "+template+" IS_TEMPLATE true"); err != nil {
		return nil, fmt.Errorf("mark the template: %w", err)
	}
	return s, nil
}
