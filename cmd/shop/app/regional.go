package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"shop/eventstore"
	"shop/eventstore/mirror"
	"shop/eventstore/relay"
	"shop/eventstore/wake"
)

// Region is a part of the world with a database of its own, which holds a copy of the log.
type Region struct {
	// Name is what the region calls itself; empty: this is the home region, which has the log.
	Name string
	// HomeURL leads to the home region's site, HomeDatabaseURL to its database or a standby of it.
	HomeURL         *url.URL
	HomeDatabaseURL string
}

var regionName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// demands answers what a region lacks.
func (c Config) regionDemands() error {
	if c.Region.Name == "" {
		return nil
	}
	var bad []error
	need := func(ok bool, what string) {
		if !ok {
			bad = append(bad, errors.New(what))
		}
	}
	need(regionName.MatchString(c.Region.Name), "SHOP_REGION: want small letters, digits and hyphens, such as almaty")
	need(!c.Roles.Has(RolePolicies) && !c.Roles.Has(RoleRelay), "--roles: a region has the roles web and projectors; policies and relay belong to the home region")
	need(c.Nats.Servers != "", "SHOP_NATS_URL: must be set in a region")
	need(c.Region.HomeURL != nil, "SHOP_HOME_URL: must be set in a region")
	need(c.Region.HomeDatabaseURL != "", "SHOP_HOME_DATABASE_URL: must be set in a region")
	need(c.KeyFile != "", "SHOP_KEY_FILE: must be set in a region, to a copy of the home region's key file")
	return errors.Join(bad...)
}

// Copying keeps the copy of the log in a region.
type Copying struct {
	shop   *Shop
	conn   *nats.Conn
	home   *pgxpool.Pool
	mirror *mirror.Mirror
	// unobserved ends the metrics.
	unobserved func()
	*running
}

// StartCopy feeds the copy until Stop. It returns when the copy has what the home region had published at that moment; where
// the home region cannot be reached, an older copy will do. An error that ends the copy goes to failed.
func (s *Shop) StartCopy(ctx context.Context, failed chan<- error) (*Copying, error) {
	settings, err := pgxpool.ParseConfig(s.Config.Region.HomeDatabaseURL)
	if err != nil {
		return nil, errors.New("SHOP_HOME_DATABASE_URL: not understood by the PostgreSQL driver") // its error quotes the URL
	}
	settings.MaxConns = 8
	settings.ConnConfig.RuntimeParams["application_name"] = "shop region " + s.Config.Region.Name
	settings.ConnConfig.ConnectTimeout = 5 * time.Second
	home, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("connect to the home region's database: %w", err)
	}
	at := s.Config.Nats
	at.Name = "shop region " + s.Config.Region.Name
	conn, err := relay.Connect(at, s.Log)
	if err != nil {
		home.Close()
		return nil, err
	}
	c := &Copying{shop: s, conn: conn, home: home}
	c.mirror = &mirror.Mirror{Pool: s.Pool, Home: mirror.Home{Pool: home, Consumer: relayName}, Conn: conn, Log: s.Log}
	c.unobserved = c.mirror.Observe(s.Config.Region.Name)
	c.running = Background(ctx, func(ctx context.Context) {
		if err := c.mirror.Run(ctx); err != nil && ctx.Err() == nil {
			failed <- fmt.Errorf("the copy of the log: %w", err)
		}
	})
	if err := c.mirror.Await(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// Stop ends the copy's feeding.
func (c *Copying) Stop() {
	c.running.Stop()
	c.unobserved()
	c.conn.Close()
	c.home.Close()
}

// Reached returns when the copy's end is at a position or above, with ctx's error.
func (c *Copying) Reached(ctx context.Context, p eventstore.Position, within func(context.Context, eventstore.Position) eventstore.Position) error {
	for pause := 5 * time.Millisecond; within(ctx, p) < p; pause = min(2*pause, 40*time.Millisecond) {
		if !wake.Pause(ctx, pause) {
			return ctx.Err()
		}
	}
	return nil
}

// Epoch is the history that the copy belongs to; empty: not known.
func (c *Copying) Epoch() string { return c.mirror.Epoch() }

// Age is how long ago a relay was last heard of.
func (c *Copying) Age() time.Duration { return c.mirror.Age() }
