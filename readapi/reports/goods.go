package reports

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// columnsOfGoods are what lines of orders add up to.
var columnsOfGoods = []Column{
	{Key: "lines", Title: "Order lines", Kind: Count, Sum: true, About: "Lines of orders that count"},
	{Key: "pieces", Title: "Pieces", Kind: Count, Sum: true, About: "Pieces in them"},
	{Key: "list", Title: "At list prices", Kind: Money, Sum: true, About: "Them at list prices"},
	{Key: "discounts", Title: "Discounts", Kind: Money, Sum: true, About: "What discounts of products and their share of the order's discount took off"},
	{Key: "sales", Title: "Sales", Kind: Money, Sum: true, About: "List prices less discounts"},
	{Key: "share", Title: "Of sales", Kind: Percent, Of: "sales", Share: true, About: "Part of all sales"},
	{Key: "price", Title: "Average price", Kind: Money, Of: "sales", Per: "pieces", About: "Sales of a piece"},
}

var notesOfGoods = []string{
	countedByDay,
	"A product counts in the category and brand it had at the end of the month of the order.",
	"Bonuses, delivery and money given back of orders that count are not of a product, so they are not in these sums.",
}

var filtersOfGoods = []Filter{City, Payment, Category, Brand, Product}

var products = Report{
	Name: "products", Title: "Products", About: "What was sold of each product", Projection: "sales", Filters: filtersOfGoods,
	Columns: append([]Column{
		{Key: "product", Title: "Product", Kind: Text, Link: "product", About: "Its name now"},
		{Key: "article", Title: "Article", Kind: Text},
	}, columnsOfGoods...),
	Chart: Chart{X: "product", Y: []string{"sales"}}, Notes: notesOfGoods,
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		return soldBy(ctx, tx, q, `coalesce(max(p.name), 'Unknown') AS product, s.product_id::text AS product_id, coalesce(max(p.article), '') AS article`, "s.product_id")
	},
}

var brands = Report{
	Name: "brands", Title: "Brands", About: "What was sold of each brand", Projection: "sales", Filters: filtersOfGoods,
	Columns: append([]Column{{Key: "brand", Title: "Brand", Kind: Text, Link: "brand", About: "Its name now"}}, columnsOfGoods...),
	Chart:   Chart{X: "brand", Y: []string{"sales"}}, Notes: notesOfGoods,
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		return soldBy(ctx, tx, q, `coalesce((SELECT name FROM brand b WHERE b.id = s.brand_id), 'Unknown') AS brand, s.brand_id::text AS brand_id`, "s.brand_id")
	},
}

var categories = Report{
	Name: "categories", Title: "Categories", About: "What was sold of each category, with all below it", Projection: "sales", Filters: filtersOfGoods,
	Columns: append([]Column{
		{Key: "category", Title: "Category", Kind: Text, Link: "category", About: "Its name now"},
		{Key: "parent", Title: "Within", Kind: Text, Link: "category", About: "The category above it, whose row has its numbers too"},
	}, columnsOfGoods...),
	Chart: Chart{X: "category", Y: []string{"sales"}},
	Notes: append([]string{"A category's row has the numbers of those below it as well; the total counts each once."}, notesOfGoods...),
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		sold, err := soldBy(ctx, tx, q, "s.category_id::text AS category_id", "s.category_id")
		if err != nil {
			return Table{}, err
		}
		tree, err := readTree(ctx, tx)
		if err != nil {
			return Table{}, err
		}
		return tree.rollUp(sold.Rows), nil
	},
}

// soldBy sums sold lines of orders that count, most sales first.
func soldBy(ctx context.Context, tx pgx.Tx, q Question, names, group string) (Table, error) {
	sold, args := soldIn(q)
	where, more := Question{Filters: q.Filters}.Where("", Condition{Product, "s.product_id = @product::uuid"}, Condition{Brand, "s.brand_id = @brand::uuid"},
		Condition{Category, "s.category_id IN (SELECT id FROM below)"})
	for name, value := range more {
		args[name] = value
	}
	if _, set := args[string(Category)]; !set {
		args[string(Category)] = nil
	}
	return rows(ctx, tx, fmt.Sprintf(`WITH RECURSIVE below AS (
			SELECT @category::uuid AS id UNION SELECT c.id FROM category c JOIN below b ON c.parent_id = b.id
		), sold AS (%s), placed AS (
			SELECT *, coalesce((place->>'category_id')::uuid, '00000000-0000-0000-0000-000000000000') AS category_id,
				coalesce((place->>'brand_id')::uuid, '00000000-0000-0000-0000-000000000000') AS brand_id
			FROM (SELECT sold.*, CASE WHEN sold.moved IS NULL THEN p.places->0 ELSE (
					SELECT place FROM jsonb_array_elements(p.places) WITH ORDINALITY AS f (place, nth)
					WHERE nth = 1 OR (place->>'month')::date <= sold.moved ORDER BY nth DESC LIMIT 1) END AS place
				FROM sold LEFT JOIN product p ON p.id = sold.product_id) s
		)
		SELECT %s, sum(lines)::bigint AS lines, sum(pieces)::bigint AS pieces, sum(list)::bigint AS list, (sum(list) - sum(total))::bigint AS discounts, sum(total)::bigint AS sales
		FROM placed s LEFT JOIN product p ON p.id = s.product_id WHERE %s GROUP BY %s HAVING sum(lines) <> 0 ORDER BY sales DESC, %[4]s`, sold, names, where, group), args)
}

// moved is the month of sales of a product that was ever moved to another category or brand, and null for any other product:
// its month does not matter, and one row per product is cheaper than one per month.
const moved = "CASE WHEN product_id IN (SELECT id FROM product WHERE jsonb_array_length(places) > 1) THEN month END"

// soldIn is a query for the sales of orders that count, by product and, for moved products, by month. Whole months are stored
// as sums of all orders, so the query subtracts orders that do not count. Single days, and sales filtered by a field of the
// order, are read line by line.
func soldIn(q Question) (string, pgx.NamedArgs) {
	// Each part is grouped separately, because PostgreSQL uses workers for that and not for a union.
	const ofLines = "SELECT product_id, " + moved + ` AS moved, %[1]scount(*) AS lines, %[1]ssum(pieces) AS pieces, %[1]ssum(list) AS list, %[1]ssum(total) AS total FROM (
		SELECT unnest(l.products) AS product_id, l.month, unnest(l.pieces) AS pieces, unnest(l.lists) AS list, unnest(l.totals) AS total FROM lines l WHERE %[2]s) l GROUP BY 1, 2`
	const ofMonths = "SELECT product_id, " + moved + ` AS moved, sum(lines) AS lines, sum(pieces) AS pieces, sum(list) AS list, sum(total) AS total FROM goods WHERE %s GROUP BY 1, 2`
	where, args := q.Where("l.day", Condition{City, "l.city = @city"}, Condition{Payment, "l.payment_method = @payment"})
	// PostgreSQL hashes the few lost orders and scans the lines once; a join would search an index for each line.
	between, _ := Question{From: q.From, To: q.To}.Where("day")
	lost := "(l.order_id IN (SELECT id FROM orders WHERE NOT counts AND " + between + "))"
	_, byCity := q.Filters[City]
	_, byPayment := q.Filters[Payment]
	if byCity || byPayment {
		return fmt.Sprintf(ofLines, "", where+" AND "+lost+" IS NOT TRUE"), args
	}
	months, days := split(q.From, q.To)
	parts := []string{fmt.Sprintf(ofMonths, months), fmt.Sprintf(ofLines, "-", where+" AND "+lost+" IS TRUE")}
	if days != "" {
		parts = append(parts, fmt.Sprintf(ofLines, "", days))
	}
	return strings.Join(parts, " UNION ALL "), args
}

// split says in SQL which months lie wholly within days, and which days of l do not lie in those; empty: none.
func split(from, to string) (months, days string) {
	first, last := "-infinity", "infinity" // the first whole month and the first after them
	var parts []string
	var start, end time.Time
	if from != "" {
		start, _ = time.Parse(time.DateOnly, from)
		if start.Day() > 1 {
			start = time.Date(start.Year(), start.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		}
		first = start.Format(time.DateOnly)
	}
	if to != "" {
		end, _ = time.Parse(time.DateOnly, to)
		end = end.AddDate(0, 0, 1)
		end = end.AddDate(0, 0, 1-end.Day())
		last = end.Format(time.DateOnly)
	}
	if from != "" && to != "" && end.Before(start) { // within one month
		return "false", "l.day BETWEEN @from::date AND @to::date"
	}
	if from != "" && from < first {
		parts = append(parts, "l.day >= @from::date AND l.day < '"+first+"'")
	}
	if to != "" && to >= last {
		parts = append(parts, "l.day >= '"+last+"' AND l.day <= @to::date")
	}
	return "month >= '" + first + "' AND month < '" + last + "'", strings.Join(parts, " OR ")
}

// tree is the categories.
type tree map[string]branch

type branch struct{ Name, Parent string }

const none = "00000000-0000-0000-0000-000000000000"

func readTree(ctx context.Context, tx pgx.Tx) (tree, error) {
	found, err := tx.Query(ctx, "SELECT id::text, parent_id::text, name FROM category")
	if err != nil {
		return nil, err
	}
	t := tree{}
	var id string
	var b branch
	_, err = pgx.ForEachRow(found, []any{&id, &b.Parent, &b.Name}, func() error { t[id] = b; return nil })
	return t, err
}

// rollUp adds each category's row to all above it. Below each come its own, most sales first.
func (t tree) rollUp(sold []Row) Table {
	sums, below := map[string]Row{}, map[string][]string{}
	for _, row := range sold {
		id, _ := row["category_id"].(string)
		for seen := map[string]bool{}; !seen[id]; {
			seen[id] = true
			b, known := t[id]
			if !known {
				b = branch{"Unknown", none}
			}
			sum := sums[id]
			if sum == nil {
				sum = Row{"category": b.Name, "category_id": id, "parent": nil}
				if above, known := t[b.Parent]; known {
					sum["parent"], sum["parent_id"] = above.Name, b.Parent
				}
				sums[id], below[b.Parent] = sum, append(below[b.Parent], id)
			}
			for _, c := range columnsOfGoods {
				if c.Sum {
					sum[c.Key] = sum.number(c.Key) + row.number(c.Key)
				}
			}
			if _, known := t[b.Parent]; !known {
				break
			}
			id = b.Parent
		}
	}
	table := Table{Parts: map[int]bool{}}
	var add func(ids []string, top bool)
	add = func(ids []string, top bool) {
		slices.SortFunc(ids, func(a, b string) int {
			return cmp.Or(-cmp.Compare(sums[a].number("sales"), sums[b].number("sales")), cmp.Compare(a, b))
		})
		for _, id := range ids {
			table.Parts[len(table.Rows)] = !top
			table.Rows = append(table.Rows, sums[id])
			if id != none {
				add(below[id], false)
			}
		}
	}
	var tops []string
	for parent, ids := range below {
		if _, known := t[parent]; !known {
			tops = append(tops, ids...)
		}
	}
	add(tops, true)
	return table
}
