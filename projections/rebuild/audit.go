package rebuild

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"shop/eventstore"
	"shop/eventstore/wake"
	"shop/projections"
)

// Auditor compares live read models with the log: a few rows at a time, again and again. It writes nothing. One auditor of
// a database works at a time; the others wait for its lock.
//
// Rows that one stream makes (Table.Stream) are found in two ways. The auditor takes streams in the order of their names,
// which finds rows that are missing, and rows in the order of their keys, which finds rows that should not be there. A
// round over all of them checks each row. Rows that several streams share are checked by reading the log from its
// beginning for a sample of keys, a batch a tick.
//
// The auditor leaves out streams with dead letters, parked or skipped, streams of erased persons, and streams longer than
// 20 000 events. Only a verification covers those.
type Auditor struct {
	DB          *pgxpool.Pool
	Store       *eventstore.Store
	Projections []projections.Projection
	// Interval is the least pause between two ticks. A tick that took long is followed by a longer pause, so that the
	// audit takes at most a twentieth of one connection's time. Default 1s.
	Interval time.Duration
	// Logger gets a warning for each difference. Default slog.Default().
	Logger *slog.Logger
	// Meter defaults to OpenTelemetry's global one.
	Meter metric.Meter

	// withoutRest is for tests: only Interval lies between two ticks.
	withoutRest bool

	checked, skipped, differences metric.Int64Counter

	// lastStream is the stream, and lastKeys holds the key by table, after which the next tick goes on. turn counts ticks.
	// scan is the reading of the log under way; nil: none.
	lastStream string
	lastKeys   map[string]string
	turn       int
	scan       *logScan

	mu       sync.Mutex
	findings map[rowID]Finding
}

// Finding is a difference between a live row and the fresh fold.
type Finding struct {
	Projection, Table, Key string
	// Kind is missing (the log says there is a row), extra (it says there is none) or changed.
	Kind string
	// Columns are those that differ; empty unless changed.
	Columns []string
	// FoundAt is when this process saw it first.
	FoundAt time.Time
}

type rowID struct{ projection, table, key string }

func (f Finding) rowID() rowID { return rowID{f.Projection, f.Table, f.Key} }

const (
	// streamsPerTick and rowsPerTick are how many of each a tick checks.
	streamsPerTick, rowsPerTick = 20, 20
	// namesPerTick is among how many names of streams a tick looks for them.
	namesPerTick = 500
	// maxStreamLength is how many events the longest stream that is folded has.
	maxStreamLength = 20_000
	// maxFindings bounds the differences kept in memory.
	maxFindings = 1000
	// restFactor is by how many times the pause after a tick is longer than the tick.
	restFactor = 20
	// tickTimeout is how long a tick may take.
	tickTimeout = 10 * time.Second
)

// Findings are the differences that this process found when it last checked their rows, oldest first.
func (a *Auditor) Findings() []Finding {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(maps.Values(a.findings), func(x, y Finding) int {
		if c := x.FoundAt.Compare(y.FoundAt); c != 0 {
			return c
		}
		return strings.Compare(x.Projection+x.Table+x.Key, y.Projection+y.Table+y.Key)
	})
}

// Run audits until ctx ends. Call it once.
func (a *Auditor) Run(ctx context.Context) {
	a.prepare()
	for ctx.Err() == nil {
		if err := a.tickWhileLocked(ctx); err != nil && ctx.Err() == nil {
			a.Logger.WarnContext(ctx, "audit of the read models", "error", err)
		}
		wake.Pause(ctx, 10*a.Interval)
	}
}

func (a *Auditor) prepare() {
	if a.Interval <= 0 {
		a.Interval = time.Second
	}
	if a.Logger == nil {
		a.Logger = slog.Default()
	}
	if a.Meter == nil {
		a.Meter = otel.Meter("shop/projections")
	}
	a.lastKeys = map[string]string{}
	a.mu.Lock() // Findings may be called already
	a.findings = map[rowID]Finding{}
	a.mu.Unlock()
	// An instrument with a valid constant name cannot fail.
	a.checked, _ = a.Meter.Int64Counter("shop.audit.checked", metric.WithUnit("{row}"),
		metric.WithDescription("Rows of read models compared with a fresh fold by the auditor"))
	a.skipped, _ = a.Meter.Int64Counter("shop.audit.skipped", metric.WithUnit("{stream}"),
		metric.WithDescription("Streams the auditor left out, by reason"))
	a.differences, _ = a.Meter.Int64Counter("shop.audit.differences", metric.WithUnit("{row}"),
		metric.WithDescription("Rows of read models found to differ from a fresh fold by the auditor"))
	for _, p := range a.Projections {
		// A counter that begins at zero shows the first difference as a rise.
		a.differences.Add(context.Background(), 0, projectionAttribute(p))
	}
}

func projectionAttribute(p projections.Projection) metric.MeasurementOption {
	return metric.WithAttributes(attribute.String("projection", p.Name))
}

// tickWhileLocked audits as long as it holds the audit's lock. The lock belongs to the connection, so that it ends with
// the process.
func (a *Auditor) tickWhileLocked(ctx context.Context) error {
	conn, err := a.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	const key = "hashtext('shop projections'), hashtext('audit')" // two keys: locks of one key belong to the log
	var mine bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock("+key+")").Scan(&mine); err != nil || !mine {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock("+key+")"); err != nil {
			_ = conn.Conn().Close(ctx) // which releases the lock
		}
	}()
	for ctx.Err() == nil {
		began := time.Now()
		if err := a.tickSafely(ctx, conn); err != nil {
			return err
		}
		rest := a.Interval
		if !a.withoutRest {
			rest = max(rest, restFactor*time.Since(began))
		}
		wake.Pause(ctx, rest)
	}
	return nil
}

// tickSafely turns a panic of a fold into an error: the audit must not end the process.
func (a *Auditor) tickSafely(ctx context.Context, conn *pgxpool.Conn) (err error) {
	defer func() {
		if r := recover(); r != nil {
			a.scan = nil
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return a.tick(ctx, conn)
}

// tick checks the next streams and rows, or, every second time, reads on in the log for rows that streams share.
func (a *Auditor) tick(ctx context.Context, conn *pgxpool.Conn) error {
	bounded, cancel := context.WithTimeout(ctx, tickTimeout)
	defer cancel()
	a.turn++
	if a.turn%2 == 0 {
		return a.continueScan(bounded, conn)
	}
	sample, err := a.nextSample(bounded, conn)
	if err != nil {
		return err
	}
	for _, p := range a.Projections {
		found, err := a.compareStreams(bounded, conn, p, sample, true)
		if err != nil {
			return fmt.Errorf("audit %s: %w", p.Name, err)
		}
		if len(found.differences) > 0 {
			// A difference counts when a second comparison, at another snapshot, finds it too.
			wake.Pause(ctx, a.Interval)
			again, cancel := context.WithTimeout(ctx, tickTimeout)
			second, err := a.compareStreams(again, conn, p, sample, false)
			cancel()
			if err != nil {
				return fmt.Errorf("audit %s: %w", p.Name, err)
			}
			found.differences = slices.DeleteFunc(found.differences, func(f Finding) bool {
				return !slices.ContainsFunc(second.differences, func(s Finding) bool { return s.rowID() == f.rowID() && s.Kind == f.Kind })
			})
		}
		a.record(ctx, p, found)
	}
	return nil
}

// record counts the rows checked, logs new differences, and forgets those that are gone.
func (a *Auditor) record(ctx context.Context, p projections.Projection, s auditResult) {
	a.checked.Add(ctx, int64(len(s.checked)), projectionAttribute(p))
	a.mu.Lock()
	defer a.mu.Unlock()
	still := map[rowID]bool{}
	for _, f := range s.differences {
		still[f.rowID()] = true
	}
	for at := range s.checked {
		if !still[at] {
			delete(a.findings, at)
		}
	}
	for _, f := range s.differences {
		before, known := a.findings[f.rowID()]
		f.FoundAt = before.FoundAt
		if !known {
			f.FoundAt = time.Now()
			a.differences.Add(ctx, 1, projectionAttribute(p))
			a.Logger.WarnContext(ctx, "a read model differs from the log", "projection", f.Projection, "table", f.Table, "key", f.Key, "kind", f.Kind, "columns", f.Columns)
		}
		if known || len(a.findings) < maxFindings {
			a.findings[f.rowID()] = f
		}
	}
}

// isUndefined says that a table or schema is not there, or that a transaction is changing it.
func isUndefined(err error) bool {
	const undefinedTable, invalidSchema, lockNotAvailable = "42P01", "3F000", "55P03"
	var refused *pgconn.PgError
	return errors.As(err, &refused) && slices.Contains([]string{undefinedTable, invalidSchema, lockNotAvailable}, refused.Code)
}
