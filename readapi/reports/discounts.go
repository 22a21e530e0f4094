package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var promocodes = Report{
	Name: "promocodes", Title: "Promo codes", About: "What orders with each promo code brought, beside those without", Projection: "sales",
	Filters: []Filter{City, Payment},
	Columns: []Column{
		{Key: "promocode", Title: "Promo code", Kind: Text, About: "The code whose discount was applied; none for orders without"},
		{Key: "orders", Title: "Orders", Kind: Count, Sum: true, About: "Orders that count"},
		{Key: "goods", Title: "Goods", Kind: Money, Sum: true, About: "Their goods before the order's discount"},
		{Key: "discount", Title: "Order discount", Kind: Money, Sum: true, About: "What the code took off, or without one the tier"},
		{Key: "percent", Title: "Of goods", Kind: Percent, Of: "discount", Per: "goods", About: "Order discount of the goods"},
		{Key: "revenue", Title: "Revenue", Kind: Money, Sum: true, About: "What these orders brought"},
		{Key: "average", Title: "Average order", Kind: Money, Of: "revenue", Per: "orders", About: "Revenue of an order"},
		{Key: "lost_orders", Title: "Lost orders", Kind: Count, Sum: true, About: "Orders cancelled or refunded, or whose payment failed"},
	},
	Chart: Chart{X: "promocode", Y: []string{"revenue", "discount"}}, Notes: []string{"A code that lost against a tier was not applied: such an order counts as one without.", countedByDay},
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		where, args := q.Where("day", filtersOfOrders...)
		return rows(ctx, tx, fmt.Sprintf(`SELECT CASE WHEN promocode = '' THEN 'none' ELSE promocode END AS promocode, count(*) FILTER (WHERE counts) AS orders,
				coalesce(sum(total_sum) FILTER (WHERE counts), 0)::bigint AS goods, coalesce(sum(total_sum - discounted_sum) FILTER (WHERE counts), 0)::bigint AS discount,
				sum(revenue)::bigint AS revenue, count(*) FILTER (WHERE NOT counts) AS lost_orders
			FROM orders WHERE %s GROUP BY orders.promocode ORDER BY orders.promocode = '', revenue DESC, 1`, where), args)
	},
}

var bonuses = Report{
	Name: "bonuses", Title: "Bonuses", About: "What bonuses paid for, what was earned, and how orders with them differ", Projection: "sales",
	By: []Period{ByMonth, ByWeek, ByDay},
	Columns: []Column{
		{Key: "with", Title: "Orders with bonuses", Kind: Count, Sum: true, About: "Orders that count and that bonuses paid a part of"},
		{Key: "without", Title: "Orders without", Kind: Count, Sum: true, About: "The other orders that count"},
		{Key: "with_revenue", Title: "Revenue with", Kind: Money, Sum: true, About: "What orders with bonuses brought in money"},
		{Key: "without_revenue", Title: "Revenue without", Kind: Money, Sum: true, About: "What the others brought"},
		{Key: "with_average", Title: "Average with", Kind: Money, Of: "with_revenue", Per: "with", About: "Revenue of an order with bonuses"},
		{Key: "without_average", Title: "Average without", Kind: Money, Of: "without_revenue", Per: "without", About: "Revenue of an order without"},
		{Key: "spent", Title: "Spent", Kind: Money, Sum: true, About: "Bonuses that paid for orders, by the day of the entry"},
		{Key: "returned", Title: "Returned", Kind: Money, Sum: true, About: "Bonuses given back because an order was not kept"},
		{Key: "earned", Title: "Earned", Kind: Money, Sum: true, About: "Bonuses that completed orders earned"},
		{Key: "revoked", Title: "Revoked", Kind: Money, Sum: true, About: "Earned bonuses taken back with a refund"},
	},
	Chart: Chart{Y: []string{"earned", "spent"}}, Notes: []string{"Orders are of the day they were placed, entries of the ledger of their own day.", countedByDay},
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		where, args := q.Where("day")
		return rows(ctx, tx, fmt.Sprintf(`SELECT %s AS %s, sum("with")::bigint AS "with", sum(without)::bigint AS without, sum(with_revenue)::bigint AS with_revenue,
				sum(without_revenue)::bigint AS without_revenue, sum(spent)::bigint AS spent, sum(returned)::bigint AS returned, sum(earned)::bigint AS earned, sum(revoked)::bigint AS revoked
			FROM (
				SELECT day, count(*) FILTER (WHERE bonus_spent > 0) AS "with", count(*) FILTER (WHERE bonus_spent = 0) AS without,
					coalesce(sum(revenue) FILTER (WHERE bonus_spent > 0), 0) AS with_revenue, coalesce(sum(revenue) FILTER (WHERE bonus_spent = 0), 0) AS without_revenue,
					0 AS spent, 0 AS returned, 0 AS earned, 0 AS revoked
				FROM orders WHERE counts AND %[3]s GROUP BY day
				UNION ALL
				SELECT day, 0, 0, 0, 0, spent, returned, earned, revoked FROM bonuses WHERE %[3]s
			) d GROUP BY 1 ORDER BY 1`, q.By.Of("day"), q.By, where), args)
	},
}
