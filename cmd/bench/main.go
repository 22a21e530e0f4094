package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

type settings struct {
	rounds  int
	period  time.Duration
	events  int
	history int
	rate    int
	lag     time.Duration
	small   int
	large   int
	orders  int64
	data    string
	shop    string
	only    string
	work    string
	verbose bool
}

func main() {
	var s settings
	flag.IntVar(&s.rounds, "rounds", 3, "alternated rounds per measurement; the median counts")
	flag.DurationVar(&s.period, "period", 3*time.Second, "length of one round")
	flag.IntVar(&s.events, "events", 200_000, "events in the log that is projected from scratch")
	flag.IntVar(&s.history, "history", 1_000_000, "events in the log that is rebuilt from")
	flag.IntVar(&s.rate, "rate", 500, "appends a second while lag is measured")
	flag.DurationVar(&s.lag, "lag-period", 20*time.Second, "how long lag is measured, undisturbed and again disturbed")
	flag.IntVar(&s.small, "grow-from", 50_000, "events in the small log of the section grow")
	flag.IntVar(&s.large, "grow-to", 5_000_000, "events in the large log of the section grow")
	flag.Int64Var(&s.orders, "orders", 1_000_000, "orders in the past of the section history")
	flag.StringVar(&s.data, "data", "", "folder that keeps the database of the section history for other runs; default a temporary one")
	flag.StringVar(&s.shop, "shop", "bin/shop", "the program that is measured over HTTP")
	flag.StringVar(&s.only, "only", "append,project,export,http,junk pages,checkout,processes,lag,rebuild", "sections to run, by comma; baskets, memory, guess, grow, history, office, relay, beside relay, region, readers and changes must be asked for")
	flag.StringVar(&s.work, "work", "", "of the sections http, checkout, rebuild and history, only the work whose name contains this")
	flag.BoolVar(&s.verbose, "v", false, "show the database's and the program's own output")
	static := flag.String("static-server", "", "serve the HTTP limit's handler on this address and nothing else")
	nats := flag.String("nats-server", "", "serve NATS on this address, with its files in -data, and nothing else")
	health := flag.String("nats-health", "", "where -nats-server says that it is well")
	child := flag.String("rebuild", "", "rebuild this read model once in the database of -database and nothing else")
	replayed := flag.String("replay", "", "prove or try all prices once in the database of -database and nothing else")
	database := flag.String("database", "", "where -rebuild and -replay work")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := func() error { return measure(ctx, s) }
	if *static != "" {
		run = func() error { return serveStatic(ctx, *static) }
	}
	if *nats != "" {
		run = func() error { return serveNATS(ctx, *nats, *health, s.data) }
	}
	if *child != "" {
		run = func() error { return rebuildOnce(ctx, *database, *child) }
	}
	if *replayed != "" {
		run = func() error { return replayOnce(ctx, *database, *replayed) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure runs the chosen sections against one fresh database server with fsync on.
func measure(ctx context.Context, s settings) error {
	dir := s.data
	if dir == "" {
		made, err := os.MkdirTemp("", "shop-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		dir = made
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// The server may run as another user, who must be able to reach its folder.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	if s.verbose {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	server, err := embeddedpg.Start(ctx, migrations.Embedded(embeddedpg.Options{DataDir: dir, Logger: log}))
	if err != nil {
		return err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = server.Stop(stopping)
	}()
	fmt.Printf("%s, %d cores, PostgreSQL with fsync on; %d rounds of %s, medians of alternated rounds\n\n",
		runtime.Version(), runtime.NumCPU(), s.rounds, s.period)

	sections := []struct {
		name string
		run  func(context.Context, string, settings) ([]result, error)
	}{
		{"append", inDatabase(benchAppend)},
		{"lag", inDatabase(benchLag)},
		{"project", inDatabase(benchProject)},
		{"export", inDatabase(benchExport)},
		{"http", benchHTTP},
		{"junk pages", benchJunk},
		{"checkout", benchCheckout},
		{"baskets", benchBaskets},
		{"memory", benchMemory},
		{"processes", benchProcesses},
		{"guess", benchGuess},
		{"rebuild", inDatabase(benchRebuild)},
		{"grow", benchGrow},
		{"history", benchHistory},
		{"office", inDatabase(benchOffice)},
		{"relay", benchRelay},
		{"beside relay", benchBesideRelay},
		{"region", benchNewRegion},
		{"readers", benchReaders},
		{"changes", benchChanges},
	}
	chosen := strings.Split(s.only, ",")
	for _, section := range sections {
		if !slices.Contains(chosen, section.name) {
			continue
		}
		url, err := createDatabase(ctx, server.URL(), "bench_"+strings.ReplaceAll(section.name, " ", "_"))
		if err != nil {
			return err
		}
		results, err := section.run(ctx, url, s)
		if err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
		show(results)
	}
	return nil
}

// inDatabase gives a section a migrated database of its own.
func inDatabase(run func(context.Context, *pgxpool.Pool, settings) ([]result, error)) func(context.Context, string, settings) ([]result, error) {
	return func(ctx context.Context, url string, s settings) ([]result, error) {
		db, err := migrated(ctx, url)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		return run(ctx, db, s)
	}
}

// migrated opens a database with the program's schema.
func migrated(ctx context.Context, url string) (*pgxpool.Pool, error) {
	if err := migrations.Up(ctx, url); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 40
	return pgxpool.NewWithConfig(ctx, config)
}

// result is one line of the report. Limit and Ratio are 0 where nothing is compared.
type result struct {
	work    string
	limit   float64
	product float64
	unit    string
	ratio   float64
	note    string
}

func show(results []result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "| work\t| limit\t| product\t| ratio\t| note\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, r := range results {
		limit, ratio := "", ""
		if r.limit > 0 {
			limit, ratio = fmt.Sprintf("%.0f %s", r.limit, r.unit), fmt.Sprintf("%.2f", r.ratio)
		}
		fmt.Fprintf(w, "| %s\t| %s\t| %.0f %s\t| %s\t| %s\t|\n", r.work, limit, r.product, r.unit, ratio, r.note)
	}
	_ = w.Flush()
	fmt.Println()
}

// alternate measures limit and product in turns and returns the medians of both and of their ratio.
func alternate(rounds int, limit, product func() (float64, error)) (float64, float64, float64, error) {
	var limits, products, ratios []float64
	for range rounds {
		l, err := limit()
		if err != nil {
			return 0, 0, 0, err
		}
		p, err := product()
		if err != nil {
			return 0, 0, 0, err
		}
		limits, products, ratios = append(limits, l), append(products, p), append(ratios, p/l)
	}
	return median(limits), median(products), median(ratios), nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// quantile of durations; q from 0 to 1.
func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Sorted(slices.Values(d))
	return d[min(len(d)-1, int(q*float64(len(d))))]
}
