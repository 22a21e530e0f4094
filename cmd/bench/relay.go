package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/mirror"
	"shop/eventstore/registry"
	"shop/eventstore/relay"
)

// benchRelay measures how fast the log is published to NATS JetStream (one server, flushed at each message) and copied into a
// region, from the stream and from the database, and how late a region is while the log grows. Everything runs on this machine.
func benchRelay(ctx context.Context, url string, s settings) ([]result, error) {
	home, err := migrated(ctx, url)
	if err != nil {
		return nil, err
	}
	defer home.Close()
	store := eventstore.Open(home, registry.New(), eventstore.Options{})
	defer store.Close()
	if err := fill(ctx, store, s.events); err != nil {
		return nil, err
	}
	total, copyOut, err := copyingOut(ctx, home)
	if err != nil {
		return nil, err
	}
	limit, err := copyOut()
	if err != nil {
		return nil, err
	}
	at, stop, err := startNATS()
	if err != nil {
		return nil, err
	}
	defer stop()
	head, err := store.Head(ctx)
	if err != nil {
		return nil, err
	}
	began, spent := time.Now(), processorTime()
	f, conn, end, err := startRelay(ctx, store, at)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := f.WaitFor(ctx, "relay", head); err != nil {
		return nil, err
	}
	rate := float64(total) / time.Since(began).Seconds()
	results := []result{{
		work: fmt.Sprintf("publish %d events to JetStream", total), limit: limit, product: rate, unit: "events/s", ratio: rate / limit,
		note: fmt.Sprintf("limit: COPY out; %.1f us of processor time an event, NATS's own included", (processorTime()-spent).Seconds()*1e6/float64(total)),
	}}
	region, err := benchRegion(ctx, url, home, conn, total, head, limit)
	if err != nil {
		return nil, err
	}
	results = append(results, region.result)
	defer region.end()
	late, err := regionLag(ctx, s, store, region.store)
	return append(results, late), err
}

// startNATS runs a server in this process.
func startNATS() (at string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "shop-bench-nats-")
	if err != nil {
		return "", nil, err
	}
	running, err := runNATS(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, StoreDir: dir})
	if err != nil {
		return "", nil, err
	}
	return running.ClientURL(), func() {
		running.Shutdown()
		running.WaitForShutdown()
		_ = os.RemoveAll(dir)
	}, nil
}

// runNATS starts a server that flushes each message.
func runNATS(o *server.Options) (*server.Server, error) {
	o.NoSigs, o.NoLog, o.JetStream, o.SyncAlways = true, true, true, true
	running, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	running.Start()
	if !running.ReadyForConnections(20 * time.Second) {
		return nil, errors.New("NATS does not take connections")
	}
	return running, nil
}

// serveNATS is NATS and nothing else, until ctx ends.
func serveNATS(ctx context.Context, at, health, dir string) error {
	o := &server.Options{StoreDir: dir}
	for _, of := range []struct {
		at   string
		host *string
		port *int
	}{{at, &o.Host, &o.Port}, {health, &o.HTTPHost, &o.HTTPPort}} {
		host, port, err := net.SplitHostPort(of.at)
		if err != nil {
			return err
		}
		*of.host = host
		if *of.port, err = strconv.Atoi(port); err != nil {
			return err
		}
	}
	running, err := runNATS(o)
	if err != nil {
		return err
	}
	<-ctx.Done()
	running.Shutdown()
	running.WaitForShutdown()
	return nil
}

func startRelay(ctx context.Context, store *eventstore.Store, at string) (*feed.Feed, *nats.Conn, func(), error) {
	conn, err := relay.Connect(relay.Address{Servers: at, Name: "bench"}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, nil, err
	}
	f := feed.New(store, feed.Options{})
	publisher := relay.NewPublisher(conn, relay.Settings{}, store, slog.New(slog.DiscardHandler))
	f.Relay(feed.Consumer{Name: "relay"}, publisher, relay.Settings{}.Topic())
	end := inBackground(ctx, func(ctx context.Context) { _ = f.Run(ctx) }, func(ctx context.Context) { publisher.Tell(ctx, f, "relay") })
	return f, conn, func() { end(); conn.Close() }, nil
}

// inBackground runs work until end is called.
func inBackground(ctx context.Context, work ...func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, do := range work {
		all.Go(func() { do(ctx) })
	}
	return func() { cancel(); all.Wait() }
}

// benchedRegion is a region's copy that is fed.
type benchedRegion struct {
	result
	store *eventstore.Store
	end   func()
}

// benchRegion seeds a new copy from the home region's database.
func benchRegion(ctx context.Context, url string, home *pgxpool.Pool, conn *nats.Conn, total int64, head eventstore.Position, limit float64) (r benchedRegion, err error) {
	own, err := createDatabase(ctx, url, "bench_region")
	if err != nil {
		return r, err
	}
	pool, err := migrated(ctx, own)
	if err != nil {
		return r, err
	}
	r.store = eventstore.Open(pool, registry.New(), eventstore.Options{})
	m := &mirror.Mirror{Pool: pool, Home: mirror.Home{Pool: home}, Conn: conn, Log: slog.New(slog.DiscardHandler)}
	began := time.Now()
	end := inBackground(ctx, func(ctx context.Context) { _ = m.Run(ctx) })
	r.end = func() { end(); r.store.Close(); pool.Close() }
	if err := copiedTo(ctx, r.store, head); err != nil {
		return r, err
	}
	rate := float64(total) / time.Since(began).Seconds()
	r.result = result{
		work: fmt.Sprintf("seed a region's copy with %d events", total), limit: limit, product: rate, unit: "events/s", ratio: rate / limit,
		note: "limit: COPY out; from the home region's database, without the read models",
	}
	return r, nil
}

// copiedTo returns when a copy is complete up to a position.
func copiedTo(ctx context.Context, store *eventstore.Store, p eventstore.Position) error {
	grown, stop := store.Grown()
	defer stop()
	for {
		head, err := store.Head(ctx)
		if err != nil {
			return err
		}
		if head >= p {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-grown:
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// regionLag appends at a rate and measures how long each append takes to be complete in the copy.
func regionLag(ctx context.Context, s settings, store, region *eventstore.Store) (result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type appended struct {
		at       time.Time
		position eventstore.Position
	}
	sent := make(chan appended, 100_000)
	var failed error
	var appending sync.WaitGroup
	began, spent := time.Now(), processorTime()
	n := int(float64(s.rate) * s.lag.Seconds())
	appending.Go(func() {
		defer close(sent)
		var all sync.WaitGroup
		for i := range n {
			time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(s.rate))))
			all.Go(func() {
				event := sampleEvent()
				done, err := store.Append(ctx, eventstore.Append{Writes: []eventstore.Write{{Stream: "stock-" + event.ProductID.String(), Events: []eventstore.NewEvent{{Data: event}}}}})
				if err == nil {
					sent <- appended{time.Now(), done.Position}
				} else if ctx.Err() == nil {
					failed = err
				}
			})
		}
		all.Wait()
	})
	var lags []time.Duration
	for a := range sent {
		if err := copiedTo(ctx, region, a.position); err != nil {
			return result{}, err
		}
		lags = append(lags, time.Since(a.at))
	}
	appending.Wait()
	return result{
		work: fmt.Sprintf("a region's lag at %d appends/s, p99", s.rate), product: float64(quantile(lags, 0.99).Microseconds()) / 1000, unit: "ms",
		note: fmt.Sprintf("p50 %s; %.0f us of this process's processor time an append, for append, relay, NATS and copy", quantile(lags, 0.5).Round(100*time.Microsecond), (processorTime()-spent).Seconds()*1e6/float64(n)),
	}, failed
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
