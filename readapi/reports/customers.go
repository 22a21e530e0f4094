package reports

import (
	"context"
	"fmt"

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
		sql, args := "true", pgx.NamedArgs{}
		if q.From != "" {
			sql, args["from"] = sql+" AND first >= date_trunc('month', @from::date)::date", q.From
		}
		if q.To != "" {
			sql, args["to"] = sql+" AND first <= @to::date", q.To
		}
		return rows(ctx, tx, fmt.Sprintf(`SELECT to_char(first, 'YYYY-MM') AS cohort,
				((extract(year FROM month) - extract(year FROM first)) * 12 + extract(month FROM month) - extract(month FROM first))::bigint AS since,
				first_value(active) OVER (PARTITION BY first ORDER BY month) AS customers, active, orders, revenue
			FROM (SELECT first, month, count(*) FILTER (WHERE before IS DISTINCT FROM month) AS active, count(*) AS orders, sum(revenue)::bigint AS revenue
				FROM (SELECT month, revenue, first_value(month) OVER w AS first, lag(month) OVER w AS before FROM orders
					WHERE counts AND buyer <> '00000000-0000-0000-0000-000000000000' WINDOW w AS (PARTITION BY buyer ORDER BY placed_at)) o
				GROUP BY first, month) m
			WHERE %s ORDER BY first, month`, sql), args)
	},
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
				SELECT day, count(*) FILTER (WHERE is_first) AS first, count(*) FILTER (WHERE is_first AND next IS NOT NULL) AS again, count(*) FILTER (WHERE NOT is_first) AS repeat,
					0 AS guests, coalesce(sum(revenue) FILTER (WHERE is_first), 0) AS first_revenue, coalesce(sum(revenue) FILTER (WHERE NOT is_first), 0) AS repeat_revenue, 0 AS guest_revenue
				FROM (SELECT day, revenue, lag(day) OVER w IS NULL AS is_first, lead(day) OVER w AS next FROM orders
					WHERE counts AND buyer <> '00000000-0000-0000-0000-000000000000' WINDOW w AS (PARTITION BY buyer ORDER BY placed_at)) o
				WHERE %[3]s GROUP BY day
				UNION ALL
				SELECT day, 0, 0, 0, count(*), 0, 0, sum(revenue) FROM orders
				WHERE counts AND buyer = '00000000-0000-0000-0000-000000000000' AND %[3]s GROUP BY day
			) d GROUP BY 1 ORDER BY 1`, q.By.Of("day"), q.By, where), args)
	},
}
