package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var restock = Report{
	Name: "restock", Title: "Restock demand", About: "Who waits for which product, and for how long", Projection: "sales",
	Filters: []Filter{Product},
	Columns: []Column{
		{Key: "product", Title: "Product", Kind: Text, Link: "product", About: "Its name now"},
		{Key: "article", Title: "Article", Kind: Text},
		{Key: "asked", Title: "Subscriptions", Kind: Count, Sum: true, About: "Who asked to be told, on the days asked for"},
		{Key: "waiting", Title: "Waiting", Kind: Count, Sum: true, About: "Who still waits"},
		{Key: "told", Title: "Told", Kind: Count, Sum: true, About: "Who was told that it is back"},
		{Key: "left", Title: "Left", Kind: Count, Sum: true, About: "Who did not want to know any more"},
		{Key: "waited", Title: "Days in all", Kind: Days, Sum: true, About: "Full days of waiting, all together, up to the position for who still waits"},
		{Key: "average", Title: "Days on average", Kind: Days, Of: "waited", Per: "asked", About: "Days that one waited"},
		{Key: "longest", Title: "Longest", Kind: Days, About: "The most days that one waited"},
	},
	Chart: Chart{X: "product", Y: []string{"waiting", "asked"}},
	Query: func(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
		where, args := q.Where("(since AT TIME ZONE interval '5 hours')::date", Condition{Product, "product_id = @product::uuid"})
		args["now"] = q.AsOf
		return rows(ctx, tx, fmt.Sprintf(`SELECT coalesce(max(p.name), 'Unknown') AS product, w.product_id::text AS product_id, coalesce(max(p.article), '') AS article,
				count(*) AS asked, count(*) FILTER (WHERE until IS NULL) AS waiting, count(*) FILTER (WHERE told) AS told,
				count(*) FILTER (WHERE until IS NOT NULL AND NOT told) AS left, sum(days)::bigint AS waited, max(days)::bigint AS longest
			FROM (SELECT *, greatest(0, floor(extract(epoch FROM coalesce(until, @now::timestamptz) - since) / 86400)) AS days FROM wait WHERE %s) w
			LEFT JOIN product p ON p.id = w.product_id GROUP BY w.product_id ORDER BY waiting DESC, asked DESC, w.product_id`, where), args)
	},
}
