package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/projections"
	"shop/projections/rebuild"
)

// rebuilt is what a rebuild in a process of its own tells.
type rebuilt struct {
	Seconds float64
	// PeakKiB is the most memory the process had; 0 where the system does not say.
	PeakKiB int64
}

// rebuildOnce is the process: it makes a read model anew, with indexes and statistics, and prints what it took.
func rebuildOnce(ctx context.Context, url, name string) error {
	p, ok := projections.Named(name)
	if !ok {
		return fmt.Errorf("there is no read model %s", name)
	}
	db, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	schema := name + "_bench"
	if _, err := db.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
		return err
	}
	builder := rebuild.Builder{DB: db, Store: store}
	start := time.Now()
	if err := builder.BuildInto(ctx, p, schema); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(rebuilt{time.Since(start).Seconds(), peak()})
}

// peak is the most memory this process had, in KiB.
func peak() (kib int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return kib
		}
	}
	return 0
}

// startProcess starts this program over again for one task, given by its flags; done waits for its answer, of type T.
func startProcess[T any](ctx context.Context, db *pgxpool.Pool, flags ...string) (done func() (T, error), err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	process := exec.CommandContext(ctx, program, append(flags, "-database", db.Config().ConnString())...)
	process.Stdout, process.Stderr = &out, os.Stderr
	if err := process.Start(); err != nil {
		return nil, err
	}
	return func() (answer T, err error) {
		if err := process.Wait(); err != nil {
			return answer, fmt.Errorf("%s: %w", strings.Join(flags, " "), err)
		}
		return answer, json.Unmarshal(out.Bytes(), &answer)
	}, nil
}

// benchRebuild compares rebuilding read models over a long log to copying the log out and to the live path, and
// measures what a rebuild does to appends.
func benchRebuild(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	if err := loadHistory(ctx, store, s.history); err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, "VACUUM (ANALYZE) eventstore.events"); err != nil {
		return nil, err
	}
	total, copyOut, err := copyingOut(ctx, db)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, name := range []string{"orders", "stock"} {
		if !strings.Contains("rebuild "+name, s.work) {
			continue
		}
		var most int64
		limit, rate, ratio, err := alternate(s.rounds, copyOut, func() (float64, error) {
			done, err := startProcess[rebuilt](ctx, db, "-rebuild", name)
			if err != nil {
				return 0, err
			}
			r, err := done()
			most = max(most, r.PeakKiB)
			return float64(total) / r.Seconds, err
		})
		if err != nil {
			return nil, err
		}
		live, err := livePath(ctx, db, store, name)
		if err != nil {
			return nil, err
		}
		whole, err := builderRebuild(ctx, db, store, name)
		if err != nil {
			return nil, err
		}
		results = append(results,
			result{
				work: fmt.Sprintf("rebuild %s over %d events", name, total), limit: limit, product: rate, unit: "events/s", ratio: ratio,
				note: fmt.Sprintf("limit: COPY out, binary, in order, one connection (target ≥ 0.25); peak memory %d MiB (target ≤ 512); load average %s", most>>10, load1()),
			},
			result{
				work: fmt.Sprintf("rebuild %s beside the live path", name), limit: live, product: rate, unit: "events/s", ratio: rate / live,
				note: "limit: the live path over the same log (target ≥ 10); load average " + load1(),
			})
		results = append(results, whole...)
	}
	if !strings.Contains("append beside a rebuild", s.work) {
		return results, nil
	}
	beside, err := besideAppends(ctx, db, store, s)
	return append(results, beside...), err
}

// livePath measures how fast the feed projects the whole log into an empty read model.
func livePath(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store, name string) (rate float64, err error) {
	head, err := store.Head(ctx)
	if err != nil {
		return 0, err
	}
	p, _ := projections.Named(name)
	if _, err := rebuild.Prepare(ctx, db, p); err != nil {
		return 0, err
	}
	start := time.Now()
	err = withFeed(ctx, db, store, []projections.Projection{p}, func(consumers *feed.Feed) error {
		if err := consumers.WaitFor(ctx, name, head); err != nil {
			return err
		}
		rate = float64(head) / time.Since(start).Seconds()
		return nil
	})
	return rate, err
}

// builderRebuild rebuilds a live read model as operators do: folded, compared with the live one, and exchanged.
func builderRebuild(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store, name string) ([]result, error) {
	builder := rebuild.Builder{DB: db, Store: store, Logger: slog.New(slog.DiscardHandler)}
	start := time.Now()
	build, err := builder.Start(ctx, name, rebuild.BuildOptions{AutoSwap: true, Actor: "bench"})
	if err != nil {
		return nil, err
	}
	var phases []string
	var phase rebuild.Phase
	since := start
	build, err = builder.Run(ctx, build.ID, func(now rebuild.Build) {
		if now.Phase == phase {
			return
		}
		if phase != "" {
			phases = append(phases, fmt.Sprintf("%s %.1f s", phase, time.Since(since).Seconds()))
		}
		phase, since = now.Phase, time.Now()
	})
	if err != nil {
		return nil, err
	}
	if build.State != rebuild.Done || build.Report == nil || !build.Report.Equal() {
		return nil, fmt.Errorf("the rebuild of %s ended %s, its comparison as %+v", name, build.State, build.Report)
	}
	return []result{
		{
			work: fmt.Sprintf("rebuild %s, compared with the live one and exchanged", name), product: ms(time.Since(start)), unit: "ms",
			note: fmt.Sprintf("%s; %d rows compared", strings.Join(phases, ", "), build.Report.Compared),
		},
		{work: "readers of " + name + " locked for the exchange", product: ms(build.LockTime), unit: "ms", note: fmt.Sprintf("%.1f ms (target ≤ 50)", ms(build.LockTime))},
	}, nil
}

// load1 is the machine's load average; empty where the system does not say.
func load1() string {
	text, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(text), " ")
	return load
}

// besideAppends appends at a fixed rate, alone and beside a rebuild of orders, in turn.
func besideAppends(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store, s settings) ([]result, error) {
	const period = 10 * time.Second
	measured := []float64{.5, .99}
	var rounds [][]float64 // the ratio of each quantile, by round
	var alone, beside []time.Duration
	for range s.rounds {
		without, err := appendAtRate(ctx, db, store, s.rate, period)
		if err != nil {
			return nil, err
		}
		rebuilding, stop := context.WithCancel(ctx)
		done, err := startProcess[rebuilt](rebuilding, db, "-rebuild", "orders")
		if err != nil {
			stop()
			return nil, err
		}
		with, err := appendAtRate(ctx, db, store, s.rate, period)
		stop()
		_, ended := done()
		if err != nil {
			return nil, err
		}
		if ended == nil {
			return nil, errors.New("the rebuild was over before the appends were; ask for a longer history")
		}
		ratios := make([]float64, len(measured))
		for i, q := range measured {
			ratios[i] = ms(quantile(with, q)) / ms(quantile(without, q))
		}
		rounds, alone, beside = append(rounds, ratios), append(alone, without...), append(beside, with...)
	}
	var results []result
	for i, q := range measured {
		a, b := ms(quantile(alone, q)), ms(quantile(beside, q))
		var each []string
		for _, ratios := range rounds {
			each = append(each, fmt.Sprintf("%.2f", ratios[i]))
		}
		results = append(results, result{
			work: fmt.Sprintf("append p%g at %d/s beside a rebuild", 100*q, s.rate), limit: a, product: b, unit: "ms", ratio: b / a,
			note: fmt.Sprintf("limit: without the rebuild; %.2f and %.2f ms; round by round %s (target of p99 ≤ 1.3 in each); load average %s",
				a, b, strings.Join(each, ", "), load1()),
		})
	}
	return results, nil
}

// appendAtRate appends single events to many streams, each when it is due, and answers how long each took. A checkpoint goes before, so
// that they do not wait for the disk because of what was written earlier.
func appendAtRate(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store, rate int, period time.Duration) ([]time.Duration, error) {
	if _, err := db.Exec(ctx, "CHECKPOINT"); err != nil {
		return nil, err
	}
	products := make([]uuid.UUID, 1000)
	for i := range products {
		products[i] = uuid.New()
	}
	took := make([]time.Duration, int(period.Seconds()*float64(rate)))
	failed := make(chan error, len(took))
	var waiting sync.WaitGroup
	begin := time.Now()
	for n := range took {
		time.Sleep(time.Until(begin.Add(time.Duration(n) * time.Second / time.Duration(rate))))
		waiting.Go(func() {
			start := time.Now()
			product := products[n%len(products)]
			_, err := store.Append(ctx, eventstore.Append{Writes: []eventstore.Write{{
				Stream: stock.Stream(product), Expected: eventstore.AnyVersion,
				Events: []eventstore.NewEvent{{Data: stock.Received{ProductID: product, Quantity: 1, OnHand: int64(n), At: time.Now().UTC()}}},
			}}})
			if err != nil {
				failed <- err
			}
			took[n] = time.Since(start)
		})
	}
	waiting.Wait()
	select {
	case err := <-failed:
		return nil, err
	default:
		return took, nil
	}
}
