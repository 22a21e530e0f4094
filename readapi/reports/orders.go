package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// What orders add up to; those of sums are sumsOfOrders.
var columnsOfOrders = []Column{
	{Key: "orders", Title: "Orders", Kind: Count, Sum: true, About: "Orders that were not cancelled or refunded, and whose payment did not fail"},
	{Key: "list", Title: "At list prices", Kind: Money, Sum: true, About: "Their goods at list prices"},
	{Key: "discounts", Title: "Discounts", Kind: Money, Sum: true, About: "What discounts of products, tiers and promo codes took off"},
	{Key: "bonuses", Title: "Bonuses", Kind: Money, Sum: true, About: "What bonuses paid for"},
	{Key: "delivery", Title: "Delivery", Kind: Money, Sum: true, About: "What delivery cost the customers"},
	{Key: "returned", Title: "Returned", Kind: Money, Sum: true, About: "What was given back of orders that still count"},
	{Key: "revenue", Title: "Revenue", Kind: Money, Sum: true, About: "List prices less discounts, bonuses and returned, with delivery"},
	{Key: "average", Title: "Average order", Kind: Money, Of: "revenue", Per: "orders", About: "Revenue of an order"},
	{Key: "received", Title: "Received", Kind: Money, Sum: true, About: "Money the shop holds for orders placed then, those that do not count too"},
	{Key: "lost_orders", Title: "Lost orders", Kind: Count, Sum: true, About: "Orders cancelled or refunded, or whose payment failed"},
	{Key: "lost", Title: "Lost", Kind: Money, Sum: true, About: "What the lost orders would have cost"},
	{Key: "lost_share", Title: "Lost of all", Kind: Percent, Of: "lost", Per: "asked", About: "Lost of what all orders cost"},
}

// sumsOfOrders selects them, and asked for the share that is lost.
const sumsOfOrders = `
	count(*) FILTER (WHERE counts) AS orders,
	coalesce(sum(list_sum) FILTER (WHERE counts), 0)::bigint AS list,
	coalesce(sum(list_sum - discounted_sum) FILTER (WHERE counts), 0)::bigint AS discounts,
	coalesce(sum(bonus_spent) FILTER (WHERE counts), 0)::bigint AS bonuses,
	coalesce(sum(delivery_price) FILTER (WHERE counts), 0)::bigint AS delivery,
	coalesce(sum(returned) FILTER (WHERE counts), 0)::bigint AS returned,
	sum(revenue)::bigint AS revenue,
	sum(captured)::bigint AS received,
	count(*) FILTER (WHERE NOT counts) AS lost_orders,
	coalesce(sum(total_paid) FILTER (WHERE NOT counts), 0)::bigint AS lost,
	sum(total_paid)::bigint AS asked`

// asked is a column that the total needs and nobody sees.
var asked = Column{Key: "asked", Sum: true, hidden: true}

// filtersOfOrders narrow tables that have an order's city, payment method and promo code.
var filtersOfOrders = []Condition{{City, "city = @city"}, {Payment, "payment_method = @payment"}, {Promocode, "promocode = upper(@promocode)"}}

const countedByDay = "An order is of the day it was placed, whatever happens to it later; so a period that is over still changes when its orders are cancelled or refunded."

var sales = Report{
	Name: "sales", Title: "Sales", About: "Orders and revenue by the day they were placed", Projection: "sales",
	By: []Period{ByMonth, ByWeek, ByDay}, Filters: []Filter{City, Payment, Promocode},
	Columns: append(columnsOfOrders, asked), Chart: Chart{Y: []string{"revenue", "orders"}}, Notes: []string{countedByDay},
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		where, args := q.Where("day", filtersOfOrders...)
		// Days first: they are few, and telling a day's month costs more than adding it up.
		return rows(ctx, tx, fmt.Sprintf(`SELECT %s AS %s, sum(orders)::bigint AS orders, sum(list)::bigint AS list, sum(discounts)::bigint AS discounts,
				sum(bonuses)::bigint AS bonuses, sum(delivery)::bigint AS delivery, sum(returned)::bigint AS returned, sum(revenue)::bigint AS revenue,
				sum(received)::bigint AS received, sum(lost_orders)::bigint AS lost_orders, sum(lost)::bigint AS lost, sum(asked)::bigint AS asked
			FROM (SELECT day, %s FROM orders WHERE %s GROUP BY day) d GROUP BY 1 ORDER BY 1`, q.By.Of("day"), q.By, sumsOfOrders, where), args)
	},
}

var cities = Report{
	Name: "cities", Title: "Cities", About: "Orders and revenue by the city they go to", Projection: "sales",
	Filters: []Filter{Payment, Promocode},
	Columns: append([]Column{
		{Key: "city", Title: "City", Kind: Text, About: "As it was written in the order"},
		{Key: "share", Title: "Of revenue", Kind: Percent, Of: "revenue", Share: true, About: "Part of all revenue"},
	}, append(columnsOfOrders, asked)...),
	Chart: Chart{X: "city", Y: []string{"revenue"}}, Notes: []string{countedByDay},
	Query: byColumn("CASE WHEN city = '' THEN 'Unknown' ELSE city END", "city"),
}

var payments = Report{
	Name: "payments", Title: "Payments", About: "Orders and revenue by the way to pay", Projection: "sales",
	Filters: []Filter{City, Promocode},
	Columns: append([]Column{
		{Key: "payment", Title: "Payment", Kind: Text, About: "CARD, KASPI_BILL or CASH"},
		{Key: "share", Title: "Of revenue", Kind: Percent, Of: "revenue", Share: true, About: "Part of all revenue"},
	}, append(columnsOfOrders, asked)...),
	Chart: Chart{X: "payment", Y: []string{"revenue"}}, Notes: []string{countedByDay},
	Query: byColumn("payment_method", "payment"),
}

// byColumn sums orders by an expression, the greatest revenue first.
func byColumn(expression, key string) func(context.Context, pgx.Tx, Question) (Table, error) {
	return func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		where, args := q.Where("day", filtersOfOrders...)
		return rows(ctx, tx, fmt.Sprintf(`SELECT %s AS %s, %s FROM orders WHERE %s GROUP BY 1 ORDER BY revenue DESC, 1`, expression, key, sumsOfOrders, where), args)
	}
}

// rows runs a query whose columns are those of the report.
func rows(ctx context.Context, tx pgx.Tx, sql string, args pgx.NamedArgs) (Table, error) {
	found, err := tx.Query(ctx, sql, args)
	if err != nil {
		return Table{}, err
	}
	maps, err := pgx.CollectRows(found, pgx.RowToMap)
	t := Table{Rows: make([]Row, len(maps))}
	for i, m := range maps {
		t.Rows[i] = m
	}
	return t, err
}
