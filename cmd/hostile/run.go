package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/builds"
	"shop/commands"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/keyring"
	"shop/eventstore/wake"
	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/migrations/pgproxy"
	"shop/migrations/pgstandby"
)

// witness is a consumer that notes every event it gets. Two feeds fight over it.
const witness = "hostile_witness"

const makeTables = `CREATE TABLE unrelated (n int);
	CREATE TABLE hostile_witness (nth bigserial PRIMARY KEY, stream text NOT NULL, version bigint NOT NULL, position bigint NOT NULL)`

// hostile is a run.
type hostile struct {
	settings
	dir    string
	report *report
	ledger *ledger
	http   *http.Client

	server *embeddedpg.Server
	// standby is where the server came from, after a failover.
	standby    *pgstandby.Standby
	failedOver time.Time
	// newerShop is the newer build; the first deployed of shops are of it.
	newerShop  string
	deployed   int
	deployedAt time.Time
	// own leads this program to the server, as each shop's proxy does that shop.
	own   *pgproxy.Proxy
	shops []*process
	// referee looks and is never a victim; pool and store belong to this program as one more process of the shop.
	referee *pgxpool.Pool
	database
	orders *commands.Orders
	stock  *commands.Stock
	rivals *rivals
	// stopFeeds ends the witness.
	stopFeeds func() error

	products []uuid.UUID
	// unowned are products of no catalog, whose streams anybody appends to.
	unowned []uuid.UUID

	// gate is held for reading by whoever acts, for writing by the quiet.
	gate    sync.RWMutex
	workers uint64
	working sync.WaitGroup
	repairs sync.WaitGroup
	broken  atomic.Pointer[error]
	crashed time.Time
}

// database is a shop's database with the log on it.
type database struct {
	url   string
	pool  *pgxpool.Pool
	store *eventstore.Store
}

// openDatabase opens one with the key file that the shop has made.
func (r *hostile) openDatabase(ctx context.Context, url string) (database, error) {
	keys, err := keyring.Open(filepath.Join(r.dir, "shop.key"))
	if err != nil {
		return database{}, err
	}
	pool, err := openPool(ctx, url, "hostile")
	if err != nil {
		return database{}, err
	}
	return database{url, pool, eventstore.Open(pool, events(), eventstore.Options{Logger: silent, Keys: keys})}, nil
}

func (d database) close() {
	if d.store != nil {
		d.store.Close()
		d.pool.Close()
	}
}

var silent = slog.New(slog.DiscardHandler)

func openPool(ctx context.Context, url, name string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 16
	config.ConnConfig.RuntimeParams["application_name"] = name
	return pgxpool.NewWithConfig(ctx, config)
}

// run does a whole run. Its error is why the run could not be made; what was found is in the report.
func run(ctx context.Context, s settings, out io.Writer) (_ *report, err error) {
	began := time.Now()
	dir, err := os.MkdirTemp("", "shop-hostile-")
	if err != nil {
		return nil, err
	}
	// The server may run as another user, who must be able to reach its folder.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	r := &hostile{
		settings: s, dir: dir, report: newReport(out), ledger: newLedger(),
		http: &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}},
	}
	r.report.say("hostile: seed %d, %s of faults (again: make hostile SEED=%d)", s.seed, s.period, s.seed)
	defer func() {
		if s.keep || err != nil || r.report.faults() > 0 {
			r.report.say("databases and logs are kept in %s", dir)
		} else if removeErr := os.RemoveAll(dir); removeErr != nil {
			err = errors.Join(err, removeErr)
		}
	}()
	if err := r.all(ctx); err != nil {
		r.report.summary()
		return r.report, err
	}
	r.report.summary()
	r.report.say("\n%d faults; seed %d, %s", r.report.faults(), s.seed, time.Since(began).Round(time.Second))
	return r.report, nil
}

// all is the run from the first start to the last check.
func (r *hostile) all(ctx context.Context) (err error) {
	if r.plant == plantDeaf {
		r.settings.shop = filepath.Join(r.dir, "shop-deaf")
		if err := builds.Make(ctx, r.settings.shop, builds.Deaf); err != nil {
			return err
		}
	}
	if r.only == "" || r.only == deploys {
		if err := r.buildNewer(ctx); err != nil {
			return err
		}
	}
	if r.server, err = startServer(ctx, r.dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stopServers()) }()
	if r.own, err = pgproxy.Start(r.server.URL()); err != nil {
		return err
	}
	defer r.own.Close()
	if err := r.open(ctx); err != nil {
		return err
	}
	defer r.referee.Close()
	if err := r.openOwn(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.closeOwn()) }()
	defer func() {
		for _, p := range r.shops {
			p.kill()
			p.proxy.Close()
		}
	}()
	for _, p := range r.shops {
		if err := p.start(ctx); err != nil {
			return err
		}
	}

	working, rest := context.WithCancel(ctx)
	strangers := sync.WaitGroup{}
	strangers.Go(func() { r.stranger(working) })
	for range 6 {
		r.work(working, r.shopper)
	}
	for range 2 {
		r.work(working, r.staff)
		r.work(working, r.appender)
		r.work(working, r.holder)
		r.work(working, r.rival)
	}
	err = r.disturb(working)
	rest()
	r.working.Wait()
	strangers.Wait()
	if err != nil {
		return err
	}
	if err := r.calm(ctx); err != nil {
		return err
	}
	if err := r.prove(ctx, r.database, "", r.server); err != nil {
		return err
	}
	r.judgeRivals()
	for _, p := range r.shops {
		if err := p.stop(); err != nil {
			r.report.found("shops stop in order", len(r.shops), []string{err.Error()})
		}
	}
	if err := r.move(ctx); err != nil || r.afterwards == nil {
		return err
	}
	return r.afterwards(ctx, r)
}

// startServer starts PostgreSQL as a shop would, with fsync on, and keeps it up.
func startServer(ctx context.Context, dir string) (*embeddedpg.Server, error) {
	return embeddedpg.Start(ctx, migrations.Embedded(embeddedpg.Options{
		DataDir: dir, StateDir: filepath.Join(dir, "state"), Settings: pgstandby.Settings, KeepUp: true, MaxRestarts: maxRestarts, DieWithProcess: true,
	}))
}

// maxRestarts is how often within a minute a server that is killed comes back.
const maxRestarts = 60

func stopServer(s *embeddedpg.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.Stop(ctx)
}

// catalogSize is few, so that clients meet at the same stock and goods sell out.
const catalogSize = 40

// unbounded are rules under which one guest may have any number of open orders: all clients are the same guest.
const unbounded = `{"guest_open_orders": 0, "guest_open_pieces": 0, "network_open_orders": 0, "network_open_pieces": 0}`

// open loads the catalog and opens this program's own part.
func (r *hostile) open(ctx context.Context) (err error) {
	url, err := r.own.URL(r.server.URL())
	if err != nil {
		return err
	}
	r.url = url
	var file strings.Builder
	file.WriteString("article;name;brand;category;price;stock\n")
	for i := range catalogSize {
		fmt.Fprintf(&file, "HO-%03d;Крем № %d;Марка %d;Лицо;%d;%d\n", i, i, i%5, 4000+i*250, 20+i)
	}
	catalog := filepath.Join(r.dir, "catalog.csv")
	if err := os.WriteFile(catalog, []byte(file.String()), 0o644); err != nil {
		return err
	}
	env := append(os.Environ(), "SHOP_DATABASE_URL="+url, "SHOP_DATA_DIR="+r.dir, "SHOP_ADDR=127.0.0.1:0", "SHOP_DATABASE_CONNS=16", "SHOP_SNAPSHOT_EVERY=20",
		"SHOP_CHECKOUT_RATE=0", "SHOP_ORDER_RATE=0", "SHOP_NEW_BASKET_RATE=0", "SHOP_BASKET_RATE=0", "SHOP_PAGE_RATE=0", "SHOP_READ_RATE=0", "SHOP_PROMOCODE_RATE=0", "SHOP_LOG_LEVEL=warn")
	load := exec.CommandContext(ctx, r.settings.shop, "catalog", "import", catalog)
	load.Env = env
	if said, err := load.CombinedOutput(); err != nil {
		return fmt.Errorf("import the catalog: %w: %s", err, said)
	}
	rules := filepath.Join(r.dir, "rules.json")
	if err := os.WriteFile(rules, []byte(unbounded), 0o644); err != nil {
		return err
	}
	change := exec.CommandContext(ctx, r.settings.shop, "rules", "set", rules)
	change.Env = env
	if said, err := change.CombinedOutput(); err != nil {
		return fmt.Errorf("set the rules: %w: %s", err, said)
	}
	if r.referee, err = openPool(ctx, url, "referee"); err != nil {
		return err
	}
	if _, err := r.referee.Exec(ctx, makeTables, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	rows, err := r.referee.Query(ctx, `SELECT substr(name, length('product-') + 1)::text FROM eventstore.streams WHERE name LIKE 'product-%' ORDER BY name`)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		r.products = append(r.products, uuid.MustParse(name))
	}
	for range 30 {
		r.unowned = append(r.unowned, uuid.New())
	}
	for _, name := range []string{"shop A", "shop B"} {
		p, err := r.shopOf(name, env)
		if err != nil {
			return err
		}
		r.shops = append(r.shops, p)
	}
	return nil
}

// openOwn opens this program's part of the shop: commands, rivals and the witness.
func (r *hostile) openOwn(ctx context.Context) (err error) {
	if r.database, err = r.openDatabase(ctx, r.url); err != nil {
		return err
	}
	handler := commands.New(r.store, commands.Options{})
	r.orders, r.stock = &commands.Orders{Handler: handler}, &commands.Stock{Handler: handler}
	r.openRivals()
	r.stopFeeds, err = r.startFeeds(ctx, r.url)
	return err
}

// closeOwn ends what openOwn began.
func (r *hostile) closeOwn() error {
	var err error
	if r.stopFeeds != nil {
		err = r.stopFeeds()
	}
	r.rivals.close()
	r.database.close()
	return err
}

// shopOf is a shop with a connection of its own to the database, which can be cut.
func (r *hostile) shopOf(name string, env []string) (*process, error) {
	url := r.server.URL()
	proxy, err := pgproxy.Start(url)
	if err != nil {
		return nil, err
	}
	if url, err = proxy.URL(url); err != nil {
		proxy.Close()
		return nil, err
	}
	return &process{
		name: name, program: r.settings.shop, env: append(slices.Clip(env), "SHOP_DATABASE_URL="+url), proxy: proxy,
		log: filepath.Join(r.dir, strings.ReplaceAll(name, " ", "-")+".log"),
	}, nil
}

// startFeeds runs the witness in two feeds, each with a store of its own.
func (r *hostile) startFeeds(ctx context.Context, url string) (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var all error
		for _, one := range stops {
			all = errors.Join(all, one())
		}
		return all
	}
	for range 2 {
		db, err := r.openDatabase(ctx, url)
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		consumers := feed.New(db.store, feed.Options{})
		consumers.Add(feed.Consumer{Name: witness, Handle: func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
			rows := make([][]any, len(events))
			for i, e := range events {
				rows[i] = []any{e.Stream, int64(e.Version), int64(e.Position)}
			}
			_, err := tx.CopyFrom(ctx, pgx.Identifier{"hostile_witness"}, []string{"stream", "version", "position"}, pgx.CopyFromRows(rows))
			return err
		}})
		running, cancel := context.WithCancel(context.WithoutCancel(ctx))
		ended := make(chan error, 1)
		go func() { ended <- consumers.Run(running) }()
		stops = append(stops, func() error {
			cancel()
			err := <-ended
			db.close()
			return err
		})
	}
	return stop, nil
}

// disturb injects one fault after the other for the period, each kind once before any comes again by chance. Where the machine is
// too slow for all kinds, the period is longer.
func (r *hostile) disturb(ctx context.Context) error {
	chance := rand.New(rand.NewPCG(r.seed, 1<<32))
	kinds := r.faultKinds()
	if r.only != "" {
		maps.DeleteFunc(kinds, func(name string, _ inject) bool { return name != r.only })
	}
	names := slices.Sorted(maps.Keys(kinds))
	// Backends and the server die often, shops now and then.
	often := slices.Concat(names, slices.Repeat([]string{"backend terminated"}, 6), slices.Repeat([]string{killsServer}, 2), []string{"consumer paused and resumed"})
	often = slices.DeleteFunc(often, func(name string) bool { return kinds[name] == nil })
	due := slices.Clone(names)
	chance.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	end := time.Now().Add(r.period)
	quietAt := time.Now().Add(between(chance, r.quiet))
	for time.Now().Before(end) || len(due) > 0 && time.Now().Before(end.Add(10*r.period)) {
		if !wake.Pause(ctx, time.Duration(200+chance.IntN(1000))*time.Millisecond) {
			return ctx.Err()
		}
		if failed := r.broken.Load(); failed != nil {
			return *failed
		}
		name := often[chance.IntN(len(often))]
		if len(due) > 0 {
			name = due[0]
		}
		did, err := kinds[name](ctx, chance)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !did && len(due) > 0 {
			due = append(due[1:], due[0]) // later
		}
		if did {
			r.report.count("fault: " + name)
			if len(due) > 0 {
				due = due[1:]
			}
			if name != "backend terminated" {
				r.report.say("%8s %s", time.Until(end).Round(time.Second), name)
			}
		}
		if r.quiet > 0 && time.Now().After(quietAt) {
			r.gate.Lock()
			err := r.calm(ctx)
			if err == nil {
				err = r.prove(ctx, r.database, "", r.server)
			}
			r.gate.Unlock()
			if err != nil {
				return err
			}
			quietAt = time.Now().Add(between(chance, r.quiet))
		}
	}
	return nil
}

func between(chance *rand.Rand, about time.Duration) time.Duration {
	if about == 0 {
		return 0
	}
	return about/2 + time.Duration(chance.Int64N(int64(about)))
}

// calm waits until all that was broken is mended, and asks for what is open. Nobody acts meanwhile.
func (r *hostile) calm(ctx context.Context) error {
	r.repairs.Wait()
	if failed := r.broken.Load(); failed != nil {
		return *failed
	}
	for _, p := range r.shops {
		if p.address() == "" {
			return fmt.Errorf("%s is not there: %s", p.name, lastLine(p.log))
		}
	}
	return r.settle(ctx)
}
