package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"shop/commands/mail"
	"shop/eventstore"
	"shop/eventstore/feed"
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
	builds    []buildGauge
	mails     mail.Depth
	// reserved is the share of the pieces on hand that orders hold.
	reserved float64
	// size and connections are of the database, connectionsMax of its server.
	size, connections, connectionsMax int64
}

// buildGauge is the latest build of a projection.
type buildGauge struct {
	Projection, Kind string
	Running          bool
	Progress, Rate   float64
	Events           int64
	// Differences are of the latest build that compared; -1: none did.
	Differences int64
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
	if s.builds, err = latestBuilds(ctx, g.Pool); err != nil {
		return s, fmt.Errorf("look at builds: %w", err)
	}
	if s.mails, err = mail.DepthOf(ctx, g.Pool); err != nil {
		return s, err
	}
	if s.reserved, err = reservedRatio(ctx, g.Pool); err != nil {
		return s, err
	}
	err = g.Pool.QueryRow(ctx, `SELECT pg_database_size(current_database()), (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
		current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint`).Scan(&s.size, &s.connections, &s.connectionsMax)
	if err != nil {
		return s, fmt.Errorf("look at the database: %w", err)
	}
	return s, nil
}

// reservedRatio is 0 while the shop has nothing, or no read model of its stock yet.
func reservedRatio(ctx context.Context, db *pgxpool.Pool) (ratio float64, err error) {
	var known bool
	if err := db.QueryRow(ctx, "SELECT to_regclass('stock.level') IS NOT NULL").Scan(&known); err != nil || !known {
		return 0, err
	}
	err = db.QueryRow(ctx, `SELECT coalesce(sum(least(reserved, on_hand)) / nullif(sum(on_hand), 0), 0)::float8 FROM stock.level`).Scan(&ratio)
	if err != nil {
		return 0, fmt.Errorf("look at the stock: %w", err)
	}
	return ratio, nil
}

func latestBuilds(ctx context.Context, db *pgxpool.Pool) ([]buildGauge, error) {
	var known bool
	if err := db.QueryRow(ctx, "SELECT to_regclass('projections.builds') IS NOT NULL").Scan(&known); err != nil || !known {
		return nil, err
	}
	rows, err := db.Query(ctx, `SELECT DISTINCT ON (b.projection) b.projection, b.kind, b.state = 'running' AS running, b.progress::float8 AS progress,
			CASE WHEN b.state = 'running' THEN b.rate ELSE 0 END::float8 AS rate,
			(SELECT coalesce(sum(r.events), 0) FROM projections.build_ranges r WHERE r.build = b.id)::bigint AS events,
			coalesce((SELECT coalesce((c.report->>'missing')::bigint, 0) + coalesce((c.report->>'extra')::bigint, 0) + coalesce((c.report->>'changed')::bigint, 0)
				FROM projections.builds c WHERE c.projection = b.projection AND c.report IS NOT NULL ORDER BY c.id DESC LIMIT 1), -1) AS differences
		FROM projections.builds b WHERE b.kind <> 'as-of' OR b.finished_at IS NULL ORDER BY b.projection, b.id DESC`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[buildGauge])
}

// Observe registers the gauges; the registration ends with the returned function.
func (g *Gauges) Observe(meter metric.Meter) (stop func() error, err error) {
	var all []metric.Observable
	var failures []error
	whole := func(name, unit, description string) metric.Int64ObservableGauge {
		i, err := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		all, failures = append(all, i), append(failures, err)
		return i
	}
	real := func(name, unit, description string) metric.Float64ObservableGauge {
		i, err := meter.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		all, failures = append(all, i), append(failures, err)
		return i
	}
	head := whole("shop.log.head", "", "Last position of the log that is safe to read")
	lag := whole("shop.consumer.lag", "{event}", "Events a consumer has yet to handle")
	lagTime := real("shop.consumer.lag_time", "s", "Age of the oldest event a consumer has yet to handle")
	position := whole("shop.consumer.position", "", "Least position a consumer has come to")
	rate := real("shop.consumer.rate", "{event}/s", "Events a consumer handled a second, over ten seconds")
	state := whole("shop.consumer.state", "", "1 for the state a consumer is in, 0 for the others")
	letters := whole("shop.consumer.dead_letters", "{event}", "Events parked in a consumer")
	running := whole("shop.build.running", "{build}", "1 while a projection is built anew or verified")
	progress := real("shop.build.progress", "1", "Share of the log that the latest build has folded")
	folded := whole("shop.build.events", "{event}", "Events that the latest build has folded")
	buildRate := real("shop.build.rate", "{event}/s", "Events the running build folds a second")
	differences := whole("shop.build.differences", "{row}", "Rows that differed in the latest comparison of a build with the live read model")
	mails := whole("shop.mails.queued", "{mail}", "Letters in the outbox, by state: waiting or dead")
	mailAge := real("shop.mails.age", "s", "Age of the oldest letter that waits")
	reserved := real("shop.stock.reserved", "1", "Share of the pieces on hand that orders hold")
	size := whole("shop.database.size", "By", "Size of the database")
	connections := whole("shop.database.connections", "{connection}", "Clients connected to the server")
	connectionsMax := whole("shop.database.connections.max", "{connection}", "Clients the server takes")
	pooled := whole("shop.pool.connections", "{connection}", "Connections of this process, by state")
	pooledMax := whole("shop.pool.connections.max", "{connection}", "Connections this process may open")
	waits, err := meter.Int64ObservableCounter("shop.pool.waits", metric.WithUnit("{wait}"), metric.WithDescription("Times that work had to wait for a connection"))
	all, failures = append(all, waits), append(failures, err)
	waited, err := meter.Float64ObservableCounter("shop.pool.wait_time", metric.WithUnit("s"), metric.WithDescription("Time that work waited for a connection"))
	all, failures = append(all, waited), append(failures, err)
	if err := errors.Join(failures...); err != nil {
		return nil, fmt.Errorf("define metrics: %w", err)
	}

	registered, err := meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		stat := g.Pool.Stat()
		o.ObserveInt64(pooled, int64(stat.AcquiredConns()), metric.WithAttributes(attribute.String("state", "used")))
		o.ObserveInt64(pooled, int64(stat.IdleConns()), metric.WithAttributes(attribute.String("state", "idle")))
		o.ObserveInt64(pooledMax, int64(stat.MaxConns()))
		o.ObserveInt64(waits, stat.EmptyAcquireCount())
		o.ObserveFloat64(waited, stat.EmptyAcquireWaitTime().Seconds())

		s, ok := g.look(ctx)
		if !ok {
			return nil
		}
		for _, c := range s.consumers {
			of := metric.WithAttributes(attribute.String("consumer", c.Name))
			o.ObserveInt64(head, int64(c.Head))
			o.ObserveInt64(lag, c.Lag, of)
			o.ObserveFloat64(lagTime, c.LagTime.Seconds(), of)
			o.ObserveInt64(position, int64(c.Position), of)
			o.ObserveFloat64(rate, c.Rate, of)
			o.ObserveInt64(letters, c.DeadLetters, of)
			for _, one := range []feed.ConsumerState{feed.Live, feed.CatchingUp, feed.Paused, feed.Stalled} {
				o.ObserveInt64(state, flag(c.State == one), metric.WithAttributes(attribute.String("consumer", c.Name), attribute.String("state", string(one))))
			}
		}
		for _, b := range s.builds {
			of := metric.WithAttributes(attribute.String("projection", b.Projection), attribute.String("kind", b.Kind))
			o.ObserveInt64(running, flag(b.Running), of)
			o.ObserveFloat64(progress, b.Progress, of)
			o.ObserveInt64(folded, b.Events, of)
			o.ObserveFloat64(buildRate, b.Rate, of)
			if b.Differences >= 0 {
				o.ObserveInt64(differences, b.Differences, metric.WithAttributes(attribute.String("projection", b.Projection)))
			}
		}
		o.ObserveInt64(mails, s.mails.Waiting, metric.WithAttributes(attribute.String("state", string(mail.Waiting))))
		o.ObserveInt64(mails, s.mails.Dead, metric.WithAttributes(attribute.String("state", string(mail.Dead))))
		o.ObserveFloat64(mailAge, s.mails.Age.Seconds())
		o.ObserveFloat64(reserved, s.reserved)
		o.ObserveInt64(size, s.size)
		o.ObserveInt64(connections, s.connections)
		o.ObserveInt64(connectionsMax, s.connectionsMax)
		return nil
	}, all...)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return registered.Unregister, nil
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
