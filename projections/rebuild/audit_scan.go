package rebuild

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/projections"
)

// logScan reads the log once for one table whose rows several streams share.
type logScan struct {
	projection projections.Projection
	table      projections.AnyTable
	d          projections.Definition
	schema     uint32
	// at is how far the log was read. events are those that touch a sampled key.
	at     eventstore.Position
	events []eventstore.Event
	// keys are rows that the table had at the start. A key is sampled too when its hash modulo of is share.
	keys      map[string]bool
	share, of uint32
	// eventsOf counts events by key. A key with too many leaves the sample.
	eventsOf map[string]int
	// unreadable: an event could not be decoded, so that no comparison is possible.
	unreadable bool
}

const (
	// keysPerScan is about how many keys a scan samples, maxEventsPerKey the most events of one of them.
	keysPerScan, maxEventsPerKey = 50, 200
	// scanEventsPerTick is how many events a tick reads at most, scanPositionsPerTick how many positions.
	scanEventsPerTick, scanPositionsPerTick = 5000, 50_000
)

// continueScan reads the next events of the scan under way. At the end of the log it compares the sampled rows.
func (a *Auditor) continueScan(ctx context.Context, conn *pgxpool.Conn) error {
	if a.scan == nil {
		return a.startScan(ctx, conn)
	}
	scan := a.scan
	done := false
	var found auditResult
	err := a.atSnapshot(ctx, conn, scan.projection, func(s auditSnapshot) error {
		if s.schema != scan.schema {
			return errNotLive
		}
		least := slices.Min(s.at[:])
		if scan.at < least {
			reached := min(least, scan.at+scanPositionsPerTick)
			events, err := a.Store.Inspect(ctx, eventstore.Query{After: scan.at, UpTo: reached, Range: -1, Types: scan.d.Types, Limit: scanEventsPerTick})
			if err != nil {
				return err
			}
			if len(events) == scanEventsPerTick {
				reached = events[scanEventsPerTick-1].Position
			}
			scan.collect(events)
			scan.at = reached
		}
		if scan.at < least && !scan.unreadable {
			return nil
		}
		done = true
		if scan.unreadable {
			return nil
		}
		// Now the events up to the checkpoint of each range. A scan of ranges far apart is given up; another one will do.
		if slices.Max(s.at[:])-scan.at > scanPositionsPerTick {
			return nil
		}
		var parked bool
		if err := s.tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM eventstore.dead_letters WHERE consumer = $1)", scan.projection.Name).Scan(&parked); err != nil || parked {
			return err // a dead letter may concern any of the rows
		}
		for r, at := range s.at {
			events, err := a.Store.Inspect(ctx, eventstore.Query{After: scan.at, UpTo: at, Range: r, Types: scan.d.Types})
			if err != nil {
				return err
			}
			scan.collect(events)
		}
		if scan.unreadable {
			return nil
		}
		found.checked = map[rowID]bool{}
		keys := slices.DeleteFunc(slices.Concat(slices.Collect(maps.Keys(scan.keys)), slices.Collect(maps.Keys(scan.eventsOf))), func(key string) bool { return !scan.sampled(key) })
		_, folded, err := scan.table.FoldFresh(scan.events, scan.projection.Metadata, scan.sampled)
		if err != nil {
			return err
		}
		return found.compareRows(ctx, s, scan.projection, scan.d, keys, folded)
	})
	if errors.Is(err, errNotLive) {
		a.scan = nil
		return nil
	}
	if err != nil {
		a.scan = nil
		return fmt.Errorf("audit %s.%s: %w", scan.projection.Name, scan.d.Name, err)
	}
	if done {
		a.scan = nil
		a.record(ctx, scan.projection, found)
	}
	return nil
}

// startScan chooses the next shared table and a sample of its keys.
func (a *Auditor) startScan(ctx context.Context, conn *pgxpool.Conn) error {
	var all []*logScan
	for _, p := range a.Projections {
		for _, t := range p.Tables {
			if d := t.Definition(); d.Stream == nil {
				all = append(all, &logScan{projection: p, table: t, d: d, keys: map[string]bool{}, eventsOf: map[string]int{}})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	scan := all[rand.IntN(len(all))]
	err := a.atSnapshot(ctx, conn, scan.projection, func(s auditSnapshot) error {
		scan.schema = s.schema
		var rows float64
		if err := s.tx.QueryRow(ctx, "SELECT greatest(reltuples, 0) FROM pg_class WHERE relnamespace = $1 AND relname = $2", s.schema, scan.d.Name).Scan(&rows); err != nil {
			return err
		}
		scan.of = max(1, uint32(rows)/keysPerScan)
		scan.share = rand.Uint32N(scan.of)
		at := scan.projection.Name + "." + scan.d.Name
		keys, err := pgx.CollectRows(orLater(s.tx.Query(ctx, fmt.Sprintf(`SELECT %[1]s::text FROM %[2]s WHERE $1 = '' OR %[1]s > nullif($1, '')::%[3]s ORDER BY %[1]s LIMIT $2`,
			quote(scan.d.Key), scan.d.In(scan.projection.Name), scan.d.KeyType), a.lastKeys[at], keysPerScan)), pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, key := range keys {
			scan.keys[key] = true
		}
		a.lastKeys[at] = ""
		if len(keys) == keysPerScan {
			a.lastKeys[at] = keys[keysPerScan-1]
		}
		return nil
	})
	if errors.Is(err, errNotLive) {
		return nil
	}
	if err != nil {
		return err
	}
	a.scan = scan
	return nil
}

// sampled says whether a key is in the sample.
func (scan *logScan) sampled(key string) bool {
	if scan.eventsOf[key] > maxEventsPerKey {
		return false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return scan.keys[key] || h.Sum32()%scan.of == scan.share
}

// collect keeps the events that touch a key of the sample.
func (scan *logScan) collect(events []eventstore.Event) {
	for _, e := range events {
		if _, scan.unreadable = e.Data.(eventstore.Unreadable); scan.unreadable {
			return
		}
		kept := false
		for _, key := range scan.d.Keys(e) {
			if scan.sampled(key) {
				scan.eventsOf[key]++
				kept = true
			}
		}
		if kept {
			scan.events = append(scan.events, e)
		}
	}
}
