package reports

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// FunnelStep is what became of the baskets that came so far.
type FunnelStep struct {
	Step  string `json:"step"`
	Title string `json:"title"`
	// Baskets came to this step or further, and cost Money. Share is their part of the first step's, in tenths of a percent.
	Baskets int64 `json:"baskets"`
	Money   int64 `json:"money"`
	Share   int64 `json:"share"`
	// Lost are those that came no further.
	Lost FunnelLoss `json:"lost"`
}

// FunnelLoss are the baskets that came no further than a step. Each has one reason, so that the reasons add up.
type FunnelLoss struct {
	Baskets int64          `json:"baskets"`
	Money   int64          `json:"money"`
	Reasons []FunnelReason `json:"reasons"`
}

// FunnelReason is why some came no further.
type FunnelReason struct {
	Reason  string `json:"reason"`
	Title   string `json:"title"`
	Baskets int64  `json:"baskets"`
	Money   int64  `json:"money"`
}

// funnelSteps are in the order of the read model's steps, which count from 1.
var funnelSteps = []struct{ name, title, about string }{
	{"priced", "Priced", "Baskets with something in them, by the day of their first pricing"},
	{"orderable", "Could order", "Those an order could be made of at some moment"},
	{"tried", "Checkout tried", "Those whose visitor sent the order form, complete"},
	{"placed", "Placed", "Those that became an order"},
	{"paid", "Paid", "Orders that were paid in full, at once, later or to the courier"},
	{"completed", "Completed", "Orders that reached the customer"},
}

// funnelReasons are in the order of the report.
var funnelReasons = []struct{ name, title string }{
	{"below_minimum", "Below the minimum sum"},
	{"out_of_stock", "Out of stock"},
	{"promo_invalid", "Promo code did not hold"},
	{"delivery_unknown", "Delivery price unknown"},
	{"cash_unavailable", "No cash in that city"},
	{"price_changed", "Price changed at checkout"},
	{"emptied", "Emptied"},
	{"payment_refused", "Payment refused"},
	{"expired", "Payment not made in time"},
	{"cancelled", "Cancelled"},
	{"refunded", "Refunded after completion"},
	{"left", "Simply left"},
	{"open", "Still open"},
}

// byReason compares reasons as funnelReasons has them, others last.
func byReason(a, b string) int {
	place := func(name string) int {
		if i := slices.IndexFunc(funnelReasons, func(r struct{ name, title string }) bool { return r.name == name }); i >= 0 {
			return i
		}
		return len(funnelReasons)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// reasonTitle says a reason; one that this program does not know says itself.
func reasonTitle(name string) string {
	for _, r := range funnelReasons {
		if r.name == name {
			return r.title
		}
	}
	return name
}

// openFor is how long after its last pricing a basket without an obstacle is still open, in SQL.
const openFor = "interval '24 hours'"

// funnelRows are the baskets that stopped at a step, by period, step and reason. The youngest pricing in the read model is its
// present time, not a clock, so that the same position gives the same answer. Each table is grouped separately, because
// PostgreSQL uses workers for that and not for a union.
const funnelRows = `WITH days AS (
		SELECT day, step, reason, seen_at > (SELECT max(seen_at) - ` + openFor + ` FROM baskets) AS open, count(*) AS baskets, sum(money) AS money
		FROM baskets WHERE %[2]s GROUP BY 1, 2, 3, 4
		UNION ALL
		SELECT day, step, reason, step < 6, count(*), sum(money) FROM orders WHERE %[2]s GROUP BY 1, 2, 3, 4)
	SELECT %[1]s AS period, step,
		CASE WHEN reason <> '' THEN reason WHEN open THEN 'open' WHEN step < 4 THEN 'left' ELSE '' END AS reason, sum(baskets)::bigint, sum(money)::bigint
	FROM days GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`

// funnelPart is an answer's row of funnelRows.
type funnelPart struct {
	period          string
	step            int
	reason          string
	baskets, amount int64
}

func funnelParts(ctx context.Context, tx pgx.Tx, q Question) ([]funnelPart, error) {
	where, args := q.Where("day", Condition{City, "city = @city"}, Condition{Payment, "payment_method = @payment"})
	rows, err := tx.Query(ctx, fmt.Sprintf(funnelRows, q.By.Of("day"), where), args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p funnelPart, err error) {
		return p, row.Scan(&p.period, &p.step, &p.reason, &p.baskets, &p.amount)
	})
}

var funnelNotes = []string{
	"A basket counts once, on the day of its first pricing, at the furthest step it reached; after an order a visitor's next basket is a new one.",
	"Its one reason is what was in the way at its last pricing or attempt, the greatest hindrance first: stock, minimum sum, cash, promo code, delivery. Money is what it would have cost then, delivery included.",
	"Baskets that nothing was ever in, such as those of crawlers, and orders of no basket, such as imported ones, are left out.",
	"Still open: an order that goes on, or a basket priced within 24 hours of the youngest pricing with nothing in the way.",
	"A refused checkout is known since it leaves an event; before, its basket counts as orderable. Orders placed before that count on the day they were placed.",
}

// funnel is how far baskets came on the way to a completed order.
var funnel = Report{
	Name: "funnel", Title: "Funnel", About: "From the first pricing of a basket to a completed order: how many came how far, and what stopped the others",
	Projection: "funnel", By: []Period{ByMonth, ByWeek, ByDay}, Filters: []Filter{City, Payment}, Columns: funnelColumns(),
	Chart: Chart{Y: []string{"priced", "orderable", "tried", "placed", "paid", "completed"}}, Notes: funnelNotes, Query: readFunnel,
}

func funnelColumns() []Column {
	columns := make([]Column, 0, len(funnelSteps)+4)
	for _, s := range funnelSteps {
		columns = append(columns, Column{Key: s.name, Title: s.title, Kind: Count, About: s.about, Sum: true})
	}
	return append(columns,
		Column{Key: "conversion", Title: "Placed, %", Kind: Percent, About: "Placed orders of priced baskets", Of: "placed", Per: "priced"},
		Column{Key: "money", Title: "Money priced", Kind: Money, About: "What all baskets would have cost at their last pricing", Sum: true},
		Column{Key: "kept", Title: "Money completed", Kind: Money, About: "What the completed orders cost that were not refunded", Sum: true},
		Column{Key: "lost", Title: "Money lost", Kind: Money, About: "What the baskets cost that got no further, without those still open", Sum: true},
	)
}

func readFunnel(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
	parts, err := funnelParts(ctx, tx, q)
	if err != nil {
		return Table{}, err
	}
	var rows []Row
	for _, p := range parts {
		if len(rows) == 0 || rows[len(rows)-1][string(q.By)] != p.period {
			row := Row{string(q.By): p.period, "money": int64(0), "kept": int64(0), "lost": int64(0)}
			for _, s := range funnelSteps {
				row[s.name] = int64(0)
			}
			rows = append(rows, row)
		}
		row := rows[len(rows)-1]
		add := func(key string, n int64) { row[key] = row.number(key) + n }
		for _, s := range funnelSteps[:p.step] {
			add(s.name, p.baskets)
		}
		add("money", p.amount)
		switch {
		case p.reason == "":
			add("kept", p.amount)
		case p.reason != "open":
			add("lost", p.amount)
		}
	}
	return Table{Rows: rows, Steps: stepsOf(parts)}, nil
}

// stepsOf sums all periods.
func stepsOf(parts []funnelPart) []FunnelStep {
	steps := make([]FunnelStep, len(funnelSteps))
	for i, s := range funnelSteps {
		step := FunnelStep{Step: s.name, Title: s.title, Lost: FunnelLoss{Reasons: []FunnelReason{}}}
		at := map[string]*FunnelReason{}
		for _, p := range parts {
			if p.step <= i {
				continue
			}
			step.Baskets, step.Money = step.Baskets+p.baskets, step.Money+p.amount
			if p.step > i+1 || p.reason == "" {
				continue
			}
			step.Lost.Baskets, step.Lost.Money = step.Lost.Baskets+p.baskets, step.Lost.Money+p.amount
			if at[p.reason] == nil {
				at[p.reason] = &FunnelReason{Reason: p.reason}
			}
			at[p.reason].Baskets, at[p.reason].Money = at[p.reason].Baskets+p.baskets, at[p.reason].Money+p.amount
		}
		for _, name := range slices.SortedFunc(maps.Keys(at), byReason) {
			at[name].Title = reasonTitle(name)
			step.Lost.Reasons = append(step.Lost.Reasons, *at[name])
		}
		if steps[i] = step; steps[0].Baskets > 0 {
			steps[i].Share = ratio(Percent, step.Baskets, steps[0].Baskets)
		}
	}
	return steps
}

// losses are the baskets that got no further, by step and reason.
var losses = Report{
	Name: "losses", Title: "Lost baskets", About: "Where and why baskets got no further, and what they would have cost, over time",
	Projection: "funnel", By: []Period{ByMonth, ByWeek, ByDay}, Filters: []Filter{City, Payment},
	Columns: []Column{
		{Key: "step", Title: "Came as far as", Kind: Text, About: "The furthest step"},
		{Key: "reason", Title: "Reason", Kind: Text, About: "What was in the way at the last pricing or attempt"},
		{Key: "baskets", Title: "Baskets", Kind: Count, About: "Baskets that came no further", Sum: true},
		{Key: "money", Title: "Money", Kind: Money, About: "What they would have cost", Sum: true},
	},
	Notes: funnelNotes, Query: readLosses,
}

func readLosses(ctx context.Context, tx pgx.Tx, q Question) (Table, error) {
	parts, err := funnelParts(ctx, tx, q)
	if err != nil {
		return Table{}, err
	}
	var found Table
	for _, p := range parts {
		if p.reason != "" {
			found.Rows = append(found.Rows, Row{
				string(q.By): p.period, "step": funnelSteps[p.step-1].title, "step_id": funnelSteps[p.step-1].name,
				"reason": reasonTitle(p.reason), "reason_id": p.reason, "baskets": p.baskets, "money": p.amount,
			})
		}
	}
	return found, nil
}
