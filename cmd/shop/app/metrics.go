package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"shop/commands/mail"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/readapi/gauges"
)

// Gauges are what this process reads from the database and its pool whenever metrics are collected.
// Their names, listed in docs/operations.md, are what dashboards and alerts rely on.
type Gauges struct {
	Store *eventstore.Store
	Pool  *pgxpool.Pool
	Log   *slog.Logger

	mu     sync.Mutex
	At     time.Time
	survey survey
	failed bool
}

// survey is a look at the database.
type survey struct {
	consumers []feed.ConsumerStatus
	mails     mail.Depth
	gauges.Gauges
}

// surveyFor is how long a look is good: readers may collect as often as they like.
const surveyFor = 5 * time.Second

// look is at most surveyFor old; ok is false when the database cannot be asked.
func (g *Gauges) look(ctx context.Context) (survey, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.At) < surveyFor {
		return g.survey, !g.failed
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := g.ask(ctx)
	if err != nil && ctx.Err() == nil {
		g.Log.WarnContext(ctx, "metrics of the database", "error", err)
	}
	g.survey, g.failed, g.At = s, err != nil, time.Now()
	return g.survey, !g.failed
}

func (g *Gauges) ask(ctx context.Context) (s survey, err error) {
	if s.consumers, err = feed.ControlOf(g.Store).Consumers(ctx); err != nil {
		return s, err
	}
	if s.mails, err = mail.DepthOf(ctx, g.Pool); err != nil {
		return s, err
	}
	s.Gauges, err = gauges.Of(ctx, g.Pool)
	return s, err
}

// Observe registers the gauges; the registration ends with the returned function.
func (g *Gauges) Observe(meter metric.Meter) (stop func() error, err error) {
	i, all, err := makeInstruments(meter)
	if err != nil {
		return nil, fmt.Errorf("define metrics: %w", err)
	}
	registered, err := meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		g.observePool(i, o)
		if s, ok := g.look(ctx); ok {
			i.observe(s, o)
		}
		return nil
	}, all...)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return registered.Unregister, nil
}

// instruments are the metrics that are read from the database and the pool.
type instruments struct {
	head, lag, position, state, letters, running, folded, differences, mails, looks, size, connections, connectionsMax, pooled, pooledMax, standbys, wanted metric.Int64ObservableGauge
	lagTime, rate, progress, buildRate, mailAge, reserved, anchored, replay                                                                                 metric.Float64ObservableGauge

	waits  metric.Int64ObservableCounter
	waited metric.Float64ObservableCounter
}

func makeInstruments(meter metric.Meter) (i instruments, all []metric.Observable, err error) {
	var failures []error
	whole := func(into *metric.Int64ObservableGauge, name, unit, description string) {
		made, err := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		*into, all, failures = made, append(all, made), append(failures, err)
	}
	real := func(into *metric.Float64ObservableGauge, name, unit, description string) {
		made, err := meter.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		*into, all, failures = made, append(all, made), append(failures, err)
	}
	whole(&i.head, "shop.log.head", "", "Last position of the log that is safe to read")
	whole(&i.lag, "shop.consumer.lag", "{event}", "Events a consumer has yet to handle")
	real(&i.lagTime, "shop.consumer.lag_time", "s", "Age of the oldest event a consumer has yet to handle")
	whole(&i.position, "shop.consumer.position", "", "Least position a consumer has come to")
	real(&i.rate, "shop.consumer.rate", "{event}/s", "Events a consumer handled a second, over ten seconds")
	whole(&i.state, "shop.consumer.state", "", "1 for the state a consumer is in, 0 for the others")
	whole(&i.letters, "shop.consumer.dead_letters", "{event}", "Events parked in a consumer")
	whole(&i.running, "shop.build.running", "{build}", "1 while a projection is built anew or verified")
	real(&i.progress, "shop.build.progress", "1", "Share of the log that the latest build has folded")
	whole(&i.folded, "shop.build.events", "{event}", "Events that the latest build has folded")
	real(&i.buildRate, "shop.build.rate", "{event}/s", "Events the running build folds a second")
	whole(&i.differences, "shop.build.differences", "{row}", "Rows that differed in the latest comparison of a build with the live read model")
	whole(&i.mails, "shop.mails.queued", "{mail}", "Letters in the outbox, by state: waiting or dead")
	real(&i.mailAge, "shop.mails.age", "s", "Age of the oldest letter that waits")
	real(&i.reserved, "shop.stock.reserved", "1", "Share of the pieces on hand that orders hold")
	real(&i.anchored, "shop.log.unanchored", "s", "Time since the log was last anchored; of a log without anchors, its age")
	whole(&i.looks, "shop.security.looks", "{look}", "Most answers with persons that one member of staff got within the last hour")
	whole(&i.standbys, "shop.log.standbys", "{server}", "Servers that stream from the primary, by kind: synchronous or any")
	whole(&i.wanted, "shop.log.sync_wanted", "", "1 where commits wait for a synchronous standby, else 0")
	real(&i.replay, "shop.log.replay_lag", "s", "The longest time by which a standby shows less than the primary")
	whole(&i.size, "shop.database.size", "By", "Size of the database")
	whole(&i.connections, "shop.database.connections", "{connection}", "Clients connected to the server")
	whole(&i.connectionsMax, "shop.database.connections.max", "{connection}", "Clients the server takes")
	whole(&i.pooled, "shop.pool.connections", "{connection}", "Connections of this process, by state")
	whole(&i.pooledMax, "shop.pool.connections.max", "{connection}", "Connections this process may open")
	i.waits, err = meter.Int64ObservableCounter("shop.pool.waits", metric.WithUnit("{wait}"), metric.WithDescription("Times that work had to wait for a connection"))
	all, failures = append(all, i.waits), append(failures, err)
	i.waited, err = meter.Float64ObservableCounter("shop.pool.wait_time", metric.WithUnit("s"), metric.WithDescription("Time that work waited for a connection"))
	all, failures = append(all, i.waited), append(failures, err)
	return i, all, errors.Join(failures...)
}

func (g *Gauges) observePool(i instruments, o metric.Observer) {
	stat := g.Pool.Stat()
	o.ObserveInt64(i.pooled, int64(stat.AcquiredConns()), metric.WithAttributes(attribute.String("state", "used")))
	o.ObserveInt64(i.pooled, int64(stat.IdleConns()), metric.WithAttributes(attribute.String("state", "idle")))
	o.ObserveInt64(i.pooledMax, int64(stat.MaxConns()))
	o.ObserveInt64(i.waits, stat.EmptyAcquireCount())
	o.ObserveFloat64(i.waited, stat.EmptyAcquireWaitTime().Seconds())
}

func (i instruments) observe(s survey, o metric.Observer) {
	for _, c := range s.consumers {
		of := metric.WithAttributes(attribute.String("consumer", c.Name))
		o.ObserveInt64(i.head, int64(c.Head))
		o.ObserveInt64(i.lag, c.Lag, of)
		o.ObserveFloat64(i.lagTime, c.LagTime.Seconds(), of)
		o.ObserveInt64(i.position, int64(c.Position), of)
		o.ObserveFloat64(i.rate, c.Rate, of)
		o.ObserveInt64(i.letters, c.DeadLetters, of)
		for _, one := range []feed.ConsumerState{feed.Live, feed.CatchingUp, feed.Paused, feed.Stalled} {
			o.ObserveInt64(i.state, flag(c.State == one), metric.WithAttributes(attribute.String("consumer", c.Name), attribute.String("state", string(one))))
		}
	}
	for _, b := range s.Builds {
		of := metric.WithAttributes(attribute.String("projection", b.Projection), attribute.String("kind", b.Kind))
		o.ObserveInt64(i.running, flag(b.Running), of)
		o.ObserveFloat64(i.progress, b.Progress, of)
		o.ObserveInt64(i.folded, b.Events, of)
		o.ObserveFloat64(i.buildRate, b.Rate, of)
		if b.Differences >= 0 {
			o.ObserveInt64(i.differences, b.Differences, metric.WithAttributes(attribute.String("projection", b.Projection)))
		}
	}
	o.ObserveInt64(i.mails, s.mails.Waiting, metric.WithAttributes(attribute.String("state", string(mail.Waiting))))
	o.ObserveInt64(i.mails, s.mails.Dead, metric.WithAttributes(attribute.String("state", string(mail.Dead))))
	o.ObserveFloat64(i.mailAge, s.mails.Age.Seconds())
	o.ObserveFloat64(i.reserved, s.Reserved)
	o.ObserveFloat64(i.anchored, s.Unanchored)
	o.ObserveInt64(i.looks, s.Looks)
	o.ObserveInt64(i.standbys, s.Standbys, metric.WithAttributes(attribute.String("kind", "any")))
	o.ObserveInt64(i.standbys, s.Synchronous, metric.WithAttributes(attribute.String("kind", "synchronous")))
	o.ObserveInt64(i.wanted, flag(s.SyncWanted))
	o.ObserveFloat64(i.replay, s.ReplayLag)
	o.ObserveInt64(i.size, s.Size)
	o.ObserveInt64(i.connections, s.Connections)
	o.ObserveInt64(i.connectionsMax, s.ConnectionsMax)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
