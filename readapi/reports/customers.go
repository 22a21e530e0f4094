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
	Notes: []string{knownBuyers, "Days narrow the months of first orders: each month that has one of them.", countedByDay},
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		// Counting through customers' orders as they come costs less than half of what window functions do.
		found, err := tx.Query(ctx, `SELECT buyer, month - '2000-01-01', revenue FROM orders WHERE counts AND buyer <> '`+none+`' ORDER BY buyer, placed_at`)
		if err != nil {
			return Table{}, err
		}
		sums, err := follow(found)
		if err != nil {
			return Table{}, err
		}
		var t Table
		for _, at := range slices.SortedFunc(maps.Keys(sums), func(a, b inCohort) int {
			return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.month, b.month))
		}) {
			first, month := at.first.day(), at.month.day()
			if q.From != "" && first.Format("2006-01") < q.From[:len("2006-01")] || q.To != "" && first.Format(time.DateOnly) > q.To {
				continue
			}
			s := sums[at]
			t.Rows = append(t.Rows, Row{
				"cohort": first.Format("2006-01"), "since": int64((month.Year()-first.Year())*12 + int(month.Month()-first.Month())), "customers": sums[inCohort{at.first, at.first}].active,
				"active": s.active, "orders": s.orders, "revenue": s.revenue,
			})
		}
		return t, nil
	},
}

// inCohort is a month of those who began in the month first.
type inCohort struct{ first, month month }

// month is the first day of one, as days since that of 2000.
type month int32

func (m month) day() time.Time { return time.Date(2000, 1, 1+int(m), 0, 0, 0, 0, time.UTC) }

type cohort struct{ active, orders, revenue int64 }

// follow sums up orders, each customer's one after the other in their order of time.
func follow(orders pgx.Rows) (map[inCohort]*cohort, error) {
	sums := map[inCohort]*cohort{}
	var buyer, last [16]byte
	var at inCohort
	var now month
	var revenue int64
	_, err := pgx.ForEachRow(orders, []any{&buyer, (*int32)(&now), &revenue}, func() error {
		active := buyer != last || now != at.month
		if buyer != last {
			last, at.first = buyer, now
		}
		at.month = now
		sum := sums[at]
		if sum == nil {
			sum = &cohort{}
			sums[at] = sum
		}
		if active {
			sum.active++
		}
		sum.orders++
		sum.revenue += revenue
		return nil
	})
	return sums, err
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
		where, args := q.Where("day")
		return rows(ctx, tx, fmt.Sprintf(`SELECT %s AS %s, sum(first)::bigint AS first, sum(again)::bigint AS again, sum(repeat)::bigint AS repeat, sum(guests)::bigint AS guests,
				sum(first_revenue)::bigint AS first_revenue, sum(repeat_revenue)::bigint AS repeat_revenue, sum(guest_revenue)::bigint AS guest_revenue
			FROM (
				SELECT day, count(*) AS first, count(*) FILTER (WHERE orders > 1) AS again, -count(*) AS repeat, 0 AS guests,
					sum(revenue) AS first_revenue, -sum(revenue) AS repeat_revenue, 0 AS guest_revenue
				FROM (SELECT min(day) AS day, (array_agg(revenue ORDER BY placed_at))[1] AS revenue, count(*) AS orders FROM orders
					WHERE counts AND buyer <> '`+none+`' GROUP BY buyer) o
				WHERE %[3]s GROUP BY day
				UNION ALL
				SELECT day, 0, 0, count(*) FILTER (WHERE known), count(*) FILTER (WHERE NOT known), 0, coalesce(sum(revenue) FILTER (WHERE known), 0), coalesce(sum(revenue) FILTER (WHERE NOT known), 0)
				FROM (SELECT day, revenue, buyer <> '`+none+`' AS known FROM orders WHERE counts AND %[3]s) o GROUP BY day
			) d GROUP BY 1 ORDER BY 1`, q.By.Of("day"), q.By, where), args)
	},
}
