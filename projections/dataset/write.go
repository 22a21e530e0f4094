package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"shop/domain"
	"shop/eventstore"
)

// Formats of the files.
const (
	Parquet = "parquet"
	CSV     = "csv"
)

// Log is what data sets are made of; eventstore.Store is one.
type Log interface {
	Head(ctx context.Context) (eventstore.Position, error)
	Scan(ctx context.Context, q eventstore.Scanning, fn func([]eventstore.Event, eventstore.Position) error) error
	Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error)
}

// Options choose what is written and where.
type Options struct {
	// Dir holds a folder per data set.
	Dir string
	// Format is Parquet or CSV.
	Format string
	// From is the first position of a data set that is new; 0: the log's first. One that was begun goes on by itself.
	From eventstore.Position
	// Month, YYYY-MM in Almaty, leaves out the rows of all other months; empty: none.
	Month string
	// Unmasked writes names, contacts, addresses and true identifiers of persons.
	Unmasked bool
	// Secret is the key that pseudonyms are made with.
	Secret []byte
	// Cities knows the cities that masked files may name where events of before say what customers typed. Nil: none is checked.
	Cities func(typed string) (name string, known bool)
	// Progress, when given, hears now and then how far the run has come.
	Progress func(reached, upTo eventstore.Position, rows int64)
}

// Report says what a run added.
type Report struct {
	// Rows in Files were added; none when nothing was new.
	Rows  int64
	Files int
	// Position is how far the data set has come.
	Position eventstore.Position
}

// Refusals of a run; nothing was written.
var (
	ErrOther = errors.New("the folder holds the data set in another way")
	ErrBusy  = errors.New("another run is writing this data set")
)

// Names are the data sets, sorted.
func Names() []string { return slices.Sorted(maps.Keys(tables)) }

// table is a data set: what one row is, and how rows are made.
type table struct {
	about string
	row   reflect.Type
	open  func(Options) source
}

// tables are the data sets by name.
var tables = map[string]table{
	"orders":          {"An order as it stood at the end of the file.", reflect.TypeFor[Order](), newOrders},
	"order-lines":     {"A line of an order as it was placed.", reflect.TypeFor[OrderLine](), newOrderLines},
	"baskets":         {"A pricing of a basket, a checkout that was refused, or that it became an order.", reflect.TypeFor[Basket](), newBaskets},
	"stock-movements": {"A movement of a product's stock with its cause, and the sums after it.", reflect.TypeFor[StockMovement](), newStockMovements},
	"events":          {"An event of the log as it is stored.", reflect.TypeFor[Event](), newEvents},
}

// source turns events into rows.
type source interface {
	// scanning is what of the log the rows are made of.
	scanning() eventstore.Scanning
	// take is given the events in order, rests what is held back until the end.
	take(ctx context.Context, log Log, events []eventstore.Event) error
	rest() error
	parts() *parts
}

// Write adds to a data set what came into the log since the last run. A run that fails or is interrupted adds nothing,
// and the next one removes what it left.
func Write(ctx context.Context, log Log, name string, o Options) (Report, error) {
	report, err := write(ctx, log, name, o)
	if err != nil {
		return Report{}, fmt.Errorf("write the data set %s: %w", name, err)
	}
	return report, nil
}

func write(ctx context.Context, log Log, name string, o Options) (_ Report, err error) {
	table, err := tableOf(name, o)
	if err != nil {
		return Report{}, err
	}
	dir := filepath.Join(o.Dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Report{}, err
	}
	unlock, err := lock(dir)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	m, err := openManifest(dir, name, o)
	if err != nil {
		return Report{}, err
	}
	if err := m.sweep(dir); err != nil {
		return Report{}, err
	}
	head, err := log.Head(ctx)
	if err != nil || head <= m.Position {
		return Report{Position: m.Position}, err
	}

	s := table.open(o)
	out := s.parts()
	out.begin(dir, o, m.Position+1, head)
	defer func() {
		if err != nil {
			out.abandon()
		}
	}()
	if err := fold(ctx, log, s, m.Position, head, o); err != nil {
		return Report{}, err
	}
	added, err := out.finish()
	if err != nil {
		return Report{}, err
	}
	m.Position, m.Parts = head, append(m.Parts, added...)
	if err := m.save(dir); err != nil {
		return Report{}, err
	}
	return Report{Rows: out.rows, Files: len(added), Position: head}, nil
}

// tableOf is a data set that may be written as asked.
func tableOf(name string, o Options) (table, error) {
	t, known := tables[name]
	if !known {
		return t, errors.New("there is no such data set")
	}
	return t, o.check()
}

// fold makes rows of the log from one position, exclusive, to another.
func fold(ctx context.Context, log Log, s source, after, upTo eventstore.Position, o Options) error {
	q := s.scanning()
	q.After, q.UpTo, q.Range = after, upTo, -1
	err := log.Scan(ctx, q, func(events []eventstore.Event, reached eventstore.Position) error {
		if err := s.take(ctx, log, events); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(reached, upTo, s.parts().rows)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return s.rest()
}

func (o Options) check() error {
	if o.Format != Parquet && o.Format != CSV {
		return fmt.Errorf("the format is %s or %s, not %q", Parquet, CSV, o.Format)
	}
	if _, err := time.Parse(monthFormat, o.Month); o.Month != "" && err != nil {
		return fmt.Errorf("the month is YYYY-MM, not %q", o.Month)
	}
	if o.From < 0 {
		return errors.New("positions begin at 1")
	}
	return nil
}

const monthFormat = "2006-01"

// moment is a time as files have it: microseconds since 1970, UTC. 0: none.
type moment = int64

func at(t time.Time) moment {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// day is a date as files have it, days since 1970; 0: none.
func day(date string) int32 {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	return int32(t.Unix() / (24 * 60 * 60))
}

// names are the stored names of events.
func names(events ...domain.Event) []string {
	stored := make([]string, len(events))
	for i, e := range events {
		stored[i] = e.EventType()
	}
	return stored
}
