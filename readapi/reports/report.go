package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/readapi/replicas"
)

// Report is a table of numbers.
type Report struct {
	Name, Title, About string
	// Projection is the read model that is read, and no other.
	Projection string
	// By are the periods that the rows may be of, the first one unless another is asked for. Empty: rows are of something else.
	By []Period
	// Filters are what narrows the report besides days.
	Filters []Filter
	// Columns are the columns of a row. With By, the period's column comes before them.
	Columns []Column
	// Chart is what to draw; the zero value: nothing. An empty X is the period.
	Chart Chart
	// Notes are remarks that readers of the numbers need.
	Notes []string
	// Query reads the rows, in their order. Tables are named without a schema.
	Query func(ctx context.Context, tx pgx.Tx, q Question) (Table, error)
}

// All are the shop's reports.
func All() []Report {
	return []Report{sales, categories, brands, products, cities, payments, cohorts, repeat, promocodes, bonuses, restock, funnel, losses}
}

// Named finds a report.
func Named(name string) (Report, bool) {
	all := All()
	i := slices.IndexFunc(all, func(r Report) bool { return r.Name == name })
	if i < 0 {
		return Report{}, false
	}
	return all[i], true
}

// Row is a row by the keys of the columns. A key that ends in _id belongs to the column it begins with.
type Row map[string]any

// Table is the result of a query.
type Table struct {
	Rows []Row
	// Parts are rows that other rows include, by their places in Rows; the total leaves them out.
	Parts map[int]bool
	// Steps are a funnel's; nil: it is none.
	Steps any
	// Notes are added to the report's.
	Notes []string
}

// Kind is what a column's values are.
type Kind string

const (
	// Text is a name, Count a number, Days a number of days.
	Text  Kind = "text"
	Count Kind = "count"
	Days  Kind = "days"
	// Money is whole tenge, Percent tenths of a percent.
	Money   Kind = "money"
	Percent Kind = "percent"
	// A Day is YYYY-MM-DD, a Week its Monday, a Month YYYY-MM, all in Almaty.
	Day   Kind = "day"
	Week  Kind = "week"
	Month Kind = "month"
)

// Column is a column of a report.
type Column struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	Kind  Kind   `json:"kind"`
	// Link is what KEY_id names: product, order, category or brand; empty: nothing.
	Link  string `json:"link,omitempty"`
	About string `json:"about,omitempty"`

	// Sum: the column adds up, so that the total has it.
	Sum bool `json:"-"`
	// Of and Per make the column from two that add up, rows and total alike: Of ÷ Per. Empty: the query answers it.
	Of  string `json:"-"`
	Per string `json:"-"`
	// Share makes it the row's part of the total of Of.
	Share bool `json:"-"`
	// hidden: other columns are made of it, nobody sees it.
	hidden bool
}

// Numeric says whether the column's values are numbers.
func (c Column) Numeric() bool {
	switch c.Kind {
	case Count, Days, Money, Percent:
		return true
	case Text, Day, Week, Month:
	}
	return false
}

// Chart is what to draw: columns over a column.
type Chart struct {
	X string   `json:"x"`
	Y []string `json:"y"`
}

// Answer is a report's numbers.
type Answer struct {
	Report string `json:"report"`
	Title  string `json:"title"`
	// Position is the last of the log that the numbers hold, AsOf when it was recorded.
	Position eventstore.Position `json:"position"`
	AsOf     *time.Time          `json:"as_of"`
	// From and To are days in Almaty, both counted; nil: open.
	From    *string           `json:"from"`
	To      *string           `json:"to"`
	By      *Period           `json:"by"`
	Filters map[Filter]string `json:"filters"`
	Columns []Column          `json:"columns"`
	Rows    []Row             `json:"rows"`
	// Total has the columns that make sense for all rows together, those of other pages too; nil: none does.
	Total Row `json:"total"`
	// Count is how many rows there are on all pages.
	Count int      `json:"count"`
	Chart *Chart   `json:"chart"`
	Notes []string `json:"notes"`
	Steps any      `json:"steps,omitempty"`
}

// Reader reads reports. Set DB and Store.
type Reader struct {
	DB    replicas.DB
	Store *eventstore.Store
	// Patience is how long an answer waits for a read model that is at several places of the log at once. Default 1s.
	Patience time.Duration
}

// AsOf names a schema that holds a read model up to a position. The zero value is the live one.
type AsOf struct {
	Schema   string
	Position eventstore.Position
}

// betweenLooks is the pause before a read model is looked at again.
const betweenLooks = 20 * time.Millisecond

var errUneven = errors.New("the read model is at several positions")

// Read answers a report.
func (r Reader) Read(ctx context.Context, report Report, q Question, at AsOf) (Answer, error) {
	answer, err := r.read(ctx, report, q, at, false)
	for end := time.Now().Add(cmp.Or(r.Patience, time.Second)); errors.Is(err, errUneven); {
		select {
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		case <-time.After(betweenLooks):
		}
		answer, err = r.read(ctx, report, q, at, time.Now().After(end))
	}
	if err != nil {
		return Answer{}, fmt.Errorf("report %s: %w", report.Name, err)
	}
	return answer, nil
}

// read answers from one snapshot, or errUneven when that is of no single position and must be.
func (r Reader) read(ctx context.Context, report Report, q Question, at AsOf, uneven bool) (Answer, error) {
	head := at.Position
	if at.Schema == "" {
		var err error
		if head, err = r.Store.Head(ctx); err != nil {
			return Answer{}, err
		}
		if err := replicas.Level(ctx); err != nil { // or the snapshot lacks events before the head
			return Answer{}, err
		}
	}
	var answer Answer
	err := pgx.BeginTxFunc(ctx, r.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		level, err := r.level(ctx, tx, report, at, head)
		if err != nil {
			return err
		}
		if !level.Exact && !uneven {
			return errUneven
		}
		path := "SET LOCAL search_path TO " + pgx.Identifier{cmp.Or(at.Schema, report.Projection)}.Sanitize() + "; SET LOCAL work_mem TO '64MB'; SET LOCAL jit TO off"
		if _, err := tx.Exec(ctx, path, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		q.AsOf = level.RecordedAt
		found, err := report.Query(ctx, tx, q)
		if err != nil {
			return err
		}
		if !level.Exact {
			found.Notes = append(found.Notes, "The read model was folding meanwhile: some events after this position count already.")
		}
		answer = report.answer(q, found, level)
		return nil
	})
	return answer, err
}

func (r Reader) level(ctx context.Context, tx pgx.Tx, report Report, at AsOf, head eventstore.Position) (feed.SnapshotPosition, error) {
	if at.Schema != "" {
		return feed.SnapshotAt(ctx, tx, at.Position)
	}
	return feed.ControlOf(r.Store).SnapshotPosition(ctx, tx, report.Projection, head)
}

// answer sorts, sums and pages what a query found.
func (r Report) answer(q Question, found Table, level feed.SnapshotPosition) Answer {
	a := Answer{
		Report: r.Name, Title: r.Title, Position: level.Position, From: nonEmpty(q.From), To: nonEmpty(q.To), By: nonEmpty(q.By),
		Filters: q.Filters, Columns: r.columns(q.By), Count: len(found.Rows), Notes: append(append([]string{}, r.Notes...), found.Notes...), Steps: found.Steps,
	}
	if !level.RecordedAt.IsZero() {
		at := level.RecordedAt.UTC()
		a.AsOf = &at
	}
	if a.Filters == nil {
		a.Filters = map[Filter]string{}
	}
	if len(r.Chart.Y) > 0 {
		a.Chart = &Chart{X: cmp.Or(r.Chart.X, string(q.By)), Y: r.Chart.Y}
	}
	a.Total = total(a.Columns, found)
	for _, row := range found.Rows {
		derive(a.Columns, row, a.Total)
	}
	a.Columns = slices.DeleteFunc(slices.Clone(a.Columns), func(c Column) bool {
		if !c.hidden {
			return false
		}
		for _, row := range append(found.Rows, a.Total) {
			delete(row, c.Key)
		}
		return true
	})
	rows := slices.Clone(found.Rows)
	if q.Sort != "" {
		sortBy(rows, q.Sort)
	}
	rows = rows[min(q.Offset, len(rows)):]
	if q.Limit > 0 {
		rows = rows[:min(q.Limit, len(rows))]
	}
	a.Rows = append([]Row{}, rows...)
	return a
}

// columns are those of an answer by a period; empty: none.
func (r Report) columns(by Period) []Column {
	if by == "" {
		return r.Columns
	}
	return append([]Column{by.column()}, r.Columns...)
}

// nonEmpty is nil for the zero value.
func nonEmpty[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// total sums the columns that add up; nil: none does.
func total(columns []Column, found Table) Row {
	var sums Row
	for _, c := range columns {
		if !c.Sum {
			continue
		}
		if sums == nil {
			sums = Row{}
		}
		var sum int64
		for i, row := range found.Rows {
			if !found.Parts[i] {
				sum += row.number(c.Key)
			}
		}
		sums[c.Key] = sum
	}
	if sums != nil {
		derive(columns, sums, sums)
	}
	return sums
}

// derive makes the columns that others make. They are null where there is nothing to divide by.
func derive(columns []Column, row, total Row) {
	for _, c := range columns {
		if c.Of == "" {
			continue
		}
		part, whole := row.number(c.Of), row.number(c.Per)
		if c.Share {
			whole = total.number(c.Of)
		}
		row[c.Key] = nil
		if whole != 0 {
			row[c.Key] = ratio(c.Kind, part, whole)
		}
	}
}

// ratio divides, rounding half up; a percentage has one decimal.
func ratio(k Kind, part, whole int64) int64 {
	if k == Percent {
		part *= 1000
	}
	if whole < 0 {
		part, whole = -part, -whole
	}
	quotient, rest := part/whole, part%whole
	if rest < 0 {
		quotient, rest = quotient-1, rest+whole
	}
	if 2*rest >= whole {
		quotient++
	}
	return quotient
}

// number is a column's number; 0 when there is none.
func (r Row) number(key string) int64 {
	n, _ := r[key].(int64)
	return n
}

// sortBy sorts by a column, or with a minus before it the other way round. Rows without a value come last, equal ones
// stay as they were.
func sortBy(rows []Row, order string) {
	key, down := order, false
	if order[0] == '-' {
		key, down = order[1:], true
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		x, y := a[key], b[key]
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		var c int
		if n, ok := x.(int64); ok {
			m, _ := y.(int64)
			c = cmp.Compare(n, m)
		} else {
			c = cmp.Compare(fmt.Sprint(x), fmt.Sprint(y))
		}
		if down {
			c = -c
		}
		return c
	})
}
