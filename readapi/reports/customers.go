package reports

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

const knownBuyers = "A customer is an account, or whom the files of another shop call the same. Guests may be anybody, so they are not among customers."

var cohorts = Report{
	Name: "cohorts", Title: "Cohorts", About: "Customers by the month of their first order: who came back, and what they brought, by months since", Projection: "sales",
	Columns: []Column{
		{Key: "cohort", Title: "First order", Kind: Month, About: "The month of the customers' first order"},
		{Key: "since", Title: "Months since", Kind: Count, About: "Months since then; 0 is the month itself"},
		{Key: "customers", Title: "Customers", Kind: Count, About: "How many began then"},
		{Key: "active", Title: "Ordered", Kind: Count, About: "How many of them ordered in this month"},
		{Key: "retention", Title: "Retention", Kind: Percent, Of: "active", Per: "customers", About: "Part of them that ordered in this month"},
		{Key: "orders", Title: "Orders", Kind: Count, Sum: true, About: "Their orders that count"},
		{Key: "revenue", Title: "Revenue", Kind: Money, Sum: true, About: "What these orders brought"},
	},
	Chart: Chart{X: "since", Y: []string{"retention"}},
	Notes: []string{knownBuyers, "Days narrow the months of first orders: each month that has one of them.", "Months reach to the last in which any customer ordered.", countedByDay},
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		sums, last := map[inCohort]cohort{}, date(0)
		err := follow(ctx, tx, "month", func(o followed) {
			at := inCohort{o.first, o.at}
			sum := sums[at]
			if o.nth == 1 || o.at != o.last {
				sum.active++
			}
			sum.orders++
			sum.revenue += o.revenue
			sums[at], last = sum, max(last, o.at)
		})
		if err != nil {
			return Table{}, err
		}
		var t Table
		for _, began := range slices.SortedFunc(maps.Keys(sums), func(a, b inCohort) int { return cmp.Compare(a.first, b.first) }) {
			first := began.first.time()
			if began.month != began.first || q.From != "" && first.Format("2006-01") < q.From[:len("2006-01")] || q.To != "" && first.Format(time.DateOnly) > q.To {
				continue
			}
			// Months without orders count too, up to the last in which any customer ordered.
			for since, month := int64(0), first; !month.After(last.time()); since, month = since+1, month.AddDate(0, 1, 0) {
				s := sums[inCohort{began.first, dateOf(month)}]
				t.Rows = append(t.Rows, Row{
					"cohort": first.Format("2006-01"), "since": since, "customers": sums[began].active, "active": s.active, "orders": s.orders, "revenue": s.revenue,
				})
			}
		}
		return t, nil
	},
}

// inCohort is a month of the customers whose first order was in the month first.
type inCohort struct{ first, month date }

type cohort struct{ active, orders, revenue int64 }

// date is a day, counted from the first of 2000.
type date int32

func (d date) time() time.Time { return time.Date(2000, 1, 1+int(d), 0, 0, 0, 0, time.UTC) }

func dateOf(t time.Time) date { return date(t.Sub(date(0).time()) / (24 * time.Hour)) }

// followed is an order among those of its customer.
type followed struct {
	// nth counts the customer's orders from 1.
	nth int
	// first, last and at are the dates of the first one, of the one before and of this one.
	first, last, at date
	revenue         int64
}

// follow visits the orders of all customers that count, each customer's one after the other in their order of time; of one
// moment's orders the lower number comes first. Dates are those of a column. Counting through orders as they come costs
// less than half of what window functions do.
func follow(ctx context.Context, tx pgx.Tx, column string, visit func(followed)) error {
	found, err := tx.Query(ctx, fmt.Sprintf(`SELECT buyer, %s - '2000-01-01', revenue FROM orders WHERE counts AND buyer <> '`+none+`' ORDER BY buyer, placed_at, number`, column))
	if err != nil {
		return err
	}
	var buyer, before [16]byte
	var o followed
	_, err = pgx.ForEachRow(found, []any{&buyer, (*int32)(&o.at), &o.revenue}, func() error {
		o.nth++
		if buyer != before {
			before, o.nth, o.first = buyer, 1, o.at
		}
		visit(o)
		o.last = o.at
		return nil
	})
	return err
}

var repeat = Report{
	Name: "repeat", Title: "Repeat orders", About: "Who orders for the first time, who came again, and who ordered as a guest", Projection: "sales",
	By: []Period{ByMonth, ByWeek, ByDay},
	Columns: []Column{
		{Key: "first", Title: "First orders", Kind: Count, Sum: true, About: "Customers who ordered for the first time"},
		{Key: "again", Title: "Came again", Kind: Count, Sum: true, About: "How many of those have ordered once more since, whenever"},
		{Key: "rate", Title: "Repeat rate", Kind: Percent, Of: "again", Per: "first", About: "Part of first orders that another followed"},
		{Key: "repeat", Title: "Repeat orders", Kind: Count, Sum: true, About: "Orders of customers who had ordered before"},
		{Key: "guests", Title: "Guests' orders", Kind: Count, Sum: true, About: "Orders without an account"},
		{Key: "first_revenue", Title: "Revenue, first", Kind: Money, Sum: true, About: "What first orders brought"},
		{Key: "repeat_revenue", Title: "Revenue, repeat", Kind: Money, Sum: true, About: "What repeat orders brought"},
		{Key: "guest_revenue", Title: "Revenue, guests", Kind: Money, Sum: true, About: "What guests' orders brought"},
	},
	Chart: Chart{Y: []string{"first", "repeat", "guests"}}, Notes: []string{knownBuyers, countedByDay},
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		days := map[date]*loyalty{}
		on := func(day date) *loyalty {
			if days[day] == nil {
				days[day] = &loyalty{}
			}
			return days[day]
		}
		guests, err := tx.Query(ctx, `SELECT day - '2000-01-01', count(*), sum(revenue)::bigint FROM orders WHERE counts AND buyer = '`+none+`' GROUP BY day`)
		if err != nil {
			return Table{}, err
		}
		var day date
		var orders, revenue int64
		_, err = pgx.ForEachRow(guests, []any{(*int32)(&day), &orders, &revenue}, func() error {
			on(day).guests, on(day).guestRevenue = orders, revenue
			return nil
		})
		if err != nil {
			return Table{}, err
		}
		err = follow(ctx, tx, "day", func(o followed) {
			if o.nth == 1 {
				on(o.at).first++
				on(o.at).firstRevenue += o.revenue
				return
			}
			if o.nth == 2 {
				on(o.first).again++
			}
			on(o.at).repeat++
			on(o.at).repeatRevenue += o.revenue
		})
		if err != nil {
			return Table{}, err
		}
		var t Table
		for _, day := range slices.Sorted(maps.Keys(days)) {
			if text := day.time().Format(time.DateOnly); q.From != "" && text < q.From || q.To != "" && text > q.To {
				continue
			}
			period := q.By.on(day.time())
			if len(t.Rows) == 0 || t.Rows[len(t.Rows)-1][string(q.By)] != period {
				t.Rows = append(t.Rows, Row{string(q.By): period})
			}
			days[day].addTo(t.Rows[len(t.Rows)-1])
		}
		return t, nil
	},
}

// loyalty counts the orders of a day: of new customers, of returning customers, and of guests.
type loyalty struct {
	first, again, repeat, guests              int64
	firstRevenue, repeatRevenue, guestRevenue int64
}

func (l *loyalty) addTo(row Row) {
	for key, n := range map[string]int64{
		"first": l.first, "again": l.again, "repeat": l.repeat, "guests": l.guests,
		"first_revenue": l.firstRevenue, "repeat_revenue": l.repeatRevenue, "guest_revenue": l.guestRevenue,
	} {
		row[key] = row.number(key) + n
	}
}
