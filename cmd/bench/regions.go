package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/migrations/pgstandby"
)

// eventsAnOrder is about how many events of a made-up past come to an order.
const eventsAnOrder = 12

// benchNewRegion starts a region with an empty database beside a log of s.history events that a relay publishes, and measures how long it
// takes until the region is ready, and until all read models are.
func benchNewRegion(ctx context.Context, url string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-region-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	home, err := migrated(ctx, url)
	if err != nil {
		return nil, err
	}
	defer home.Close()
	events, err := fillPast(ctx, home, int64(s.history/eventsAnOrder))
	if err != nil {
		return nil, err
	}
	if err := runShop(ctx, s, environmentOf(url, dir, nil), "migrate"); err != nil { // the key file, too
		return nil, err
	}
	store := eventstore.Open(home, registry.New(), eventstore.Options{})
	defer store.Close()
	head, err := store.Head(ctx)
	if err != nil {
		return nil, err
	}
	at, stop, err := startNATS()
	if err != nil {
		return nil, err
	}
	defer stop()
	f, _, end, err := startRelay(ctx, store, at)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := f.WaitFor(ctx, "relay", head); err != nil {
		return nil, err
	}
	server, err := processorOf(ctx, home)
	if err != nil {
		return nil, err
	}
	own, err := createDatabase(ctx, url, "bench_new_region")
	if err != nil {
		return nil, err
	}
	return startRegion(ctx, s, newRegion{home: url, own: own, dir: dir, nats: at, server: server.postmaster, head: head, events: events})
}

// newRegion is a region that is to be started.
type newRegion struct {
	home, own, dir, nats string
	// server is PostgreSQL, of both.
	server int
	head   eventstore.Position
	events int64
}

func startRegion(ctx context.Context, s settings, r newRegion) ([]result, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(r.dir, "region")
	environment := environmentOf(r.own, data, []string{"SHOP_ADDR=" + address, "SHOP_NATS_URL=" + r.nats, "SHOP_HOME_URL=http://127.0.0.1:1",
		"SHOP_HOME_DATABASE_URL=" + r.home, "SHOP_KEY_FILE=" + filepath.Join(r.dir, "shop.key")})
	server := spending(r.server)
	began := time.Now()
	pid, stop, err := startWithin(ctx, 20*time.Minute, s, environment, "http://"+address+"/readyz", s.shop, "serve", "--region", "almaty", "--roles", "web,projectors")
	if err != nil {
		return nil, err
	}
	defer stop()
	note := func() string {
		return fmt.Sprintf("%s of processor time of the region, %s of PostgreSQL; load %s", spentBy(pid).Round(time.Second), server().Round(time.Second), load1())
	}
	ready, first := time.Since(began), note()
	region, err := pgxpool.New(ctx, r.own)
	if err != nil {
		return nil, err
	}
	defer region.Close()
	const least = `SELECT count(*) > 0 AND min(position) >= $1 FROM eventstore.checkpoints`
	for done := false; !done; time.Sleep(50 * time.Millisecond) {
		if err := region.QueryRow(ctx, least, int64(r.head)).Scan(&done); err != nil {
			return nil, err
		}
	}
	all := time.Since(began)
	return []result{
		{work: fmt.Sprintf("a new region of %d events is ready after", r.events), product: ready.Seconds(), unit: "s", note: first},
		{work: "all its read models, those for analysts included", product: all.Seconds(), unit: "s", note: note()},
	}, nil
}

// benchBesideRelay compares what an order costs in processor time, in a shop that carries its log to NATS and in one that does not:
// the shop's process and PostgreSQL, and with the relay NATS as well.
func benchBesideRelay(ctx context.Context, url string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-beside-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	carrier, err := startCarrier(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	defer carrier.stop()
	second, err := createDatabase(ctx, url, "bench_relayed")
	if err != nil {
		return nil, err
	}
	var costs [2]func() (float64, error)
	for i, of := range []struct {
		database string
		with     []int
		more     []string
	}{
		{database: url},
		{database: second, with: []int{carrier.pid}, more: []string{"SHOP_ROLES=web,projectors,policies,relay", "SHOP_NATS_URL=" + carrier.url}},
	} {
		shop, err := openSeller(ctx, s, of.database, filepath.Join(dir, fmt.Sprint(i)), of.more...)
		if err != nil {
			return nil, err
		}
		defer shop.close()
		costs[i] = func() (float64, error) { return shop.costOfOrders(ctx, s, of.with...) }
	}
	without, with, ratio, err := alternate(s.rounds, costs[0], costs[1])
	return []result{{
		work: fmt.Sprintf("processor time of an order with a relay, %d clients", buyers), limit: without, product: with, unit: "us", ratio: ratio,
		note: "limit: without one; shop, PostgreSQL and NATS together, the clients not (target ≤ 1.10)",
	}}, err
}

// carrier is NATS in a process of its own.
type carrier struct {
	url  string
	pid  int
	stop func()
}

func startCarrier(ctx context.Context, s settings, dir string) (c carrier, err error) {
	at, err := freeAddress()
	if err != nil {
		return c, err
	}
	health, err := freeAddress()
	if err != nil {
		return c, err
	}
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	c.url = "nats://" + at
	c.pid, c.stop, err = startWithin(ctx, time.Minute, s, os.Environ(), "http://"+health+"/healthz", self, "-nats-server", at, "-nats-health", health, "-data", filepath.Join(dir, "nats"))
	return c, err
}

// seller is a shop in a process of its own, and the database it writes to.
type seller struct {
	base     string
	pid      int
	server   processor
	products []string
	stop     func()
	db       *pgxpool.Pool
	client   *http.Client
}

func openSeller(ctx context.Context, s settings, url, dir string, more ...string) (*seller, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	environment := environmentOf(url, dir, more)
	if err := fillShelves(ctx, s, environment, dir, 1_000_000); err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	o := &seller{base: "http://" + address, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: buyers}}}
	if o.db, err = pgxpool.New(ctx, url); err != nil {
		return nil, err
	}
	if o.server, err = processorOf(ctx, o.db); err != nil {
		return nil, err
	}
	if o.pid, o.stop, err = startWithin(ctx, 3*time.Minute, s, append(environment, "SHOP_ADDR="+address), o.base+"/readyz", s.shop, "serve"); err != nil {
		return nil, err
	}
	o.products, err = productIDs(ctx, o.base)
	return o, err
}

func (o *seller) close() {
	o.stop()
	o.client.CloseIdleConnections()
	o.db.Close()
}

// costOfOrders places orders for a period and answers the microseconds of processor time that each took, until every consumer has it.
func (o *seller) costOfOrders(ctx context.Context, s settings, with ...int) (float64, error) {
	spent := spending(append(with, o.pid, o.server.postmaster)...)
	wish := wishes(o.products)[0]
	_, took, err := load(ctx, buyers, s.period, func(ctx context.Context, _, _ int) error { return placeOrder(ctx, o.client, o.base, wish.choose()) })
	if err != nil {
		return 0, err
	}
	if err := caughtUp(ctx, o.db); err != nil {
		return 0, err
	}
	return float64(spent().Microseconds()) / float64(len(took)), nil
}

// readers is how many replicas share the reads.
const readers = 3

// benchReaders compares what a read that no kept answer serves costs PostgreSQL: at a single server, and at the busiest of the primary and
// its replicas. Their ratio is how many times as much they answer together where each has a machine of its own.
func benchReaders(ctx context.Context, _ string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-readers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // the server may run as another user
		return nil, err
	}
	primary, err := embeddedpg.Start(ctx, migrations.Embedded(embeddedpg.Options{DataDir: dir, StateDir: filepath.Join(dir, "state"), Settings: pgstandby.Settings, DieWithProcess: true}))
	if err != nil {
		return nil, err
	}
	defer func() { _ = primary.Stop(context.WithoutCancel(ctx)) }()
	alone, err := openSeller(ctx, s, primary.URL(), filepath.Join(dir, "alone"), "SHOP_READ_RATE=0")
	if err != nil {
		return nil, err
	}
	defer alone.close()
	servers, urls := []int{primary.PID()}, ""
	for n := range readers {
		replica, err := pgstandby.Start(ctx, primary, pgstandby.Settings, fmt.Sprintf("reader%d", n))
		if err != nil {
			return nil, err
		}
		defer replica.Close()
		servers, urls = append(servers, replica.Server().PID()), urls+" "+replica.URL
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	environment := environmentOf(primary.URL(), filepath.Join(dir, "alone"), []string{"SHOP_READ_RATE=0", "SHOP_READ_URLS=" + urls, "SHOP_ADDR=" + address})
	_, stop, err := startWithin(ctx, 3*time.Minute, s, environment, "http://"+address+"/readyz", s.shop, "serve", "--roles", "web")
	if err != nil {
		return nil, err
	}
	defer stop()
	var all []float64
	one, busiest, ratio, err := alternate(s.rounds,
		func() (float64, error) {
			own, err := costOfReads(ctx, s, alone.base, servers[0])
			return 1 / max(slices.Max(append(own, 0)), 0.1), err
		},
		func() (float64, error) {
			all, err = costOfReads(ctx, s, "http://"+address, servers...)
			return 1 / max(slices.Max(append(all, 0)), 0.1), err
		})
	if err != nil {
		return nil, err
	}
	return []result{{
		work: fmt.Sprintf("reads a second of processor time of the busiest server, %d replicas", readers), limit: one * 1e6, product: busiest * 1e6, unit: "/s", ratio: ratio,
		note: fmt.Sprintf("limit: one server; a read costs the primary %.0f us without replicas, %.1f with them, and the replicas %.0f, %.0f and %.0f (target ≥ 2.5)", 1/one, all[0], all[1], all[2], all[3]),
	}}, nil
}

// costOfReads asks for lists that nobody asked for before, and answers the microseconds of processor time of each server for one.
func costOfReads(ctx context.Context, s settings, base string, servers ...int) (each []float64, err error) {
	var spent []func() time.Duration
	for _, pid := range servers {
		spent = append(spent, spending(pid))
	}
	_, took, err := load(ctx, 8, s.period, func(ctx context.Context, _, _ int) error {
		order := []string{"price", "-price"}[rand.IntN(2)]
		var page struct{ Results []json.RawMessage }
		err := readJSON(ctx, fmt.Sprintf("%s/api/products/?limit=%d&offset=%d&ordering=%s", base, 20+rand.IntN(60), rand.IntN(900), order), &page)
		if err == nil && len(page.Results) == 0 {
			err = errors.New("the list is empty")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range spent {
		each = append(each, float64(spent[i]().Microseconds())/float64(len(took)))
	}
	return each, nil
}
