package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// contestant is a peer with its settings.
type contestant struct {
	name, version, settings string
	run                     func(ctx context.Context, url string, p plan) (figures, error)
}

func main() {
	p := plan{}
	flag.DurationVar(&p.Period, "period", 5*time.Second, "how long each number of clients appends")
	flag.IntVar(&p.Rate, "rate", 500, "events a second while lag is measured")
	flag.DurationVar(&p.Lag, "lag-period", 10*time.Second, "how long lag is measured")
	flag.DurationVar(&p.Patience, "patience", 10*time.Second, "how long a follower that sees nothing new is waited for")
	only := flag.String("only", "", "measure only peers whose name contains this")
	here := flag.String("folder", "cmd/bench-peers", "where the sources of the peers are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := compare(ctx, p, *only, *here); err != nil {
		fmt.Fprintln(os.Stderr, "bench-peers:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, p plan, only, here string) (err error) {
	dir, err := os.MkdirTemp("", "shop-bench-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// The server may run as another user, who must be able to reach its folder.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := install(ctx, here, dir); err != nil {
		return err
	}
	server, err := embeddedpg.Start(ctx, migrations.Embedded(embeddedpg.Options{DataDir: dir, Logger: slog.New(slog.DiscardHandler)}))
	if err != nil {
		return err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		_ = server.Stop(stopping)
	}()
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("not known")
	}
	fmt.Printf("%s, %d cores, load %s, PostgreSQL with fsync on; %s an amount of clients, lag at %d/s for %s\n\n",
		runtime.Version(), runtime.NumCPU(), strings.TrimSpace(string(load)), p.Period, p.Rate, p.Lag)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "log\tversion\tsettings\tappend 1 / 8 / 32, events/s\tp99, ms\tcatch-up, events/s\tlag p50 / p99, ms\tevents\tlost\tdoubled")
	for i, c := range contestants(here, dir) {
		if !strings.Contains(c.name, only) {
			continue
		}
		url, err := createDatabase(ctx, server.URL(), fmt.Sprintf("peer_%d", i))
		if err != nil {
			return err
		}
		f, err := c.run(ctx, url, p)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.0f / %.0f / %.0f\t%.1f / %.1f / %.1f", c.name, c.version, c.settings,
			f.Append[0], f.Append[1], f.Append[2], f.P99[0], f.P99[1], f.P99[2])
		if f.Follows {
			fmt.Fprintf(table, "\t%.0f\t%.1f / %.1f\t%d\t%d\t%d\n", f.CatchUp, f.LagP50, f.LagP99, f.Events, f.Lost, f.Doubled)
		} else {
			fmt.Fprintf(table, "\t–\t–\t%d\t–\t–\n", f.Events)
		}
	}
	return table.Flush()
}

// contestants are measured in this order.
func contestants(here, dir string) []contestant {
	node := func(script string, batch, poll int) func(context.Context, string, plan) (figures, error) {
		return func(ctx context.Context, url string, p plan) (figures, error) {
			text, err := json.Marshal(map[string]any{
				"period": p.Period.Milliseconds(), "rate": p.Rate, "lag": p.Lag.Milliseconds(), "patience": p.Patience.Milliseconds(), "batch": batch, "poll": poll,
			})
			if err != nil {
				return figures{}, err
			}
			return child(ctx, "node", filepath.Join(here, "node", script), url, string(text))
		}
	}
	watermill := func(batch, poll string) func(context.Context, string, plan) (figures, error) {
		return func(ctx context.Context, url string, p plan) (figures, error) {
			text, err := json.Marshal(p)
			if err != nil {
				return figures{}, err
			}
			return child(ctx, filepath.Join(dir, "watermill"), url, string(text), batch, poll)
		}
	}
	return []contestant{
		{"this log", "this tree", "as shipped", measureShop},
		{"Emmett", "0.42.0", "as shipped: batch 100, poll 50 ms", node("emmett.mjs", 100, 50)},
		{"Emmett, tuned", "0.42.0", "batch 1000, poll 10 ms", node("emmett.mjs", 1000, 10)},
		{"Castore", "2.4.2", "adapter for Postgres 2.4.2; no reader of the whole log", node("castore.mjs", 0, 0)},
		{"watermill-sql", "4.1.2", "as shipped: batch 100, poll 1 s; no versions", watermill("100", "1s")},
		{"watermill-sql, tuned", "4.1.2", "batch 1000, poll 10 ms; no versions", watermill("1000", "10ms")},
		{"by hand: position alone", "pgx 5", "page 1000, poll 10 ms", measurePages(byPosition)},
		{"by hand: below the snapshot's xmin", "pgx 5", "page 1000, poll 10 ms", measurePages(byXmin)},
	}
}

// install fetches what is pinned, and builds the peer that is a Go module.
func install(ctx context.Context, here, dir string) error {
	if _, err := os.Stat(filepath.Join(here, "node", "node_modules", ".package-lock.json")); err != nil {
		fetch := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
		fetch.Dir = filepath.Join(here, "node")
		if said, err := fetch.CombinedOutput(); err != nil {
			return fmt.Errorf("npm ci: %w: %s", err, said)
		}
	}
	// The module measures by the same plan: the build sees measure.go in its folder too.
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(here, "watermill", "measure.go"): filepath.Join(here, "measure.go"),
	}})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", file, "-o", filepath.Join(dir, "watermill"), ".")
	build.Dir = filepath.Join(here, "watermill")
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build watermill's: %w: %s", err, said)
	}
	return nil
}

// child runs a peer that is a program of its own. Its figures are the last line that it prints.
func child(ctx context.Context, program string, args ...string) (f figures, err error) {
	var said, failed bytes.Buffer
	run := exec.CommandContext(ctx, program, args...)
	run.Stdout, run.Stderr = &said, &failed
	if err := run.Run(); err != nil {
		return f, fmt.Errorf("%w: %s", err, failed.String())
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return f, json.Unmarshal([]byte(lines[len(lines)-1]), &f)
}

func createDatabase(ctx context.Context, serverURL, name string) (string, error) {
	conn, err := pgx.Connect(ctx, serverURL)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", err
	}
	return databaseOf(serverURL, name)
}
