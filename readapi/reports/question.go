package reports

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Period is what the rows of a report are of.
type Period string

const (
	ByDay   Period = "day"
	ByWeek  Period = "week"
	ByMonth Period = "month"
)

func (p Period) column() Column {
	switch p {
	case ByWeek:
		return Column{Key: "week", Title: "Week", Kind: Week, About: "The Monday the week begins with, in Almaty"}
	case ByMonth:
		return Column{Key: "month", Title: "Month", Kind: Month, About: "The month in Almaty"}
	}
	return Column{Key: "day", Title: "Day", Kind: Day, About: "The day in Almaty"}
}

// Of is SQL for the period that a date is in, as the period's column tells it.
func (p Period) Of(date string) string {
	switch p {
	case ByWeek:
		return "to_char(date_trunc('week', " + date + "), 'YYYY-MM-DD')"
	case ByMonth:
		return "to_char(" + date + ", 'YYYY-MM')"
	}
	return "to_char(" + date + ", 'YYYY-MM-DD')"
}

// on is the period that a day is in, as Of tells it.
func (p Period) on(day time.Time) string {
	switch p {
	case ByWeek:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7).Format(time.DateOnly)
	case ByMonth:
		return day.Format("2006-01")
	}
	return day.Format(time.DateOnly)
}

// Filter is what narrows a report.
type Filter string

const (
	// City and Payment are those of orders, Promocode is the code that was applied.
	City      Filter = "city"
	Payment   Filter = "payment"
	Promocode Filter = "promocode"
	// Category (with all below it), Brand and Product are ids.
	Category Filter = "category"
	Brand    Filter = "brand"
	Product  Filter = "product"
)

func (f Filter) isID() bool { return f == Category || f == Brand || f == Product }

// Question is the parameters of a report.
type Question struct {
	// From and To are days in Almaty, YYYY-MM-DD, both counted; empty: open.
	From, To string
	By       Period
	Filters  map[Filter]string
	// Sort is the key of a column, after a minus to begin with the greatest; empty: the report's own order.
	Sort string
	// Limit is how many rows are wanted, after Offset; 0: all.
	Limit, Offset int
	// AsOf is when the position of the answer was recorded; Reader sets it.
	AsOf time.Time
}

// Bad has the faults of parameters, by name.
type Bad map[string][]string

func (b Bad) Error() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(b)) {
		parts = append(parts, name+": "+strings.Join(b[name], " "))
	}
	return strings.Join(parts, "; ")
}

const (
	// mostRows is how many rows are answered at once.
	mostRows = 10_000
	// longest is the most characters of a filter.
	longest = 200
)

// Ask reads a question from parameters; their faults are Bad.
func (r Report) Ask(values url.Values) (Question, error) {
	q, bad := Question{Filters: map[Filter]string{}}, Bad{}
	day := func(name string) string {
		text := values.Get(name)
		if _, err := time.Parse(time.DateOnly, text); err != nil && text != "" {
			bad[name] = []string{"Must be a day such as 2026-03-02."}
		}
		return text
	}
	number := func(name string, most int) int {
		text := values.Get(name)
		n, err := strconv.Atoi(text)
		if text != "" && (err != nil || n < 0 || n > most) {
			bad[name] = []string{fmt.Sprintf("Must be a number from 0 to %d.", most)}
		}
		return n
	}
	q.From, q.To = day("from"), day("to")
	if len(bad) == 0 && q.From != "" && q.To != "" && q.To < q.From {
		bad["to"] = []string{"Must not be before from."}
	}
	q.Limit, q.Offset = number("limit", mostRows), number("offset", 1_000_000_000)

	if len(r.By) > 0 {
		q.By = r.By[0]
	}
	if text := values.Get("by"); text != "" {
		q.By = Period(text)
		if !slices.Contains(r.By, q.By) {
			bad["by"] = []string{oneOf("periods", r.By)}
		}
	}
	for _, f := range []Filter{City, Payment, Promocode, Category, Brand, Product} {
		text := values.Get(string(f))
		if text == "" {
			continue
		}
		_, err := uuid.Parse(text)
		switch {
		case !slices.Contains(r.Filters, f):
			bad[string(f)] = []string{"This report has no such filter: " + oneOf("filters", r.Filters)}
		case f.isID() && err != nil:
			bad[string(f)] = []string{"Must be an id."}
		case utf8.RuneCountInString(text) > longest || !utf8.ValidString(text) || strings.ContainsRune(text, 0):
			bad[string(f)] = []string{"Is too long, or no text."}
		}
		q.Filters[f] = text
	}
	if q.Sort = values.Get("sort"); q.Sort != "" {
		var keys []string
		for _, c := range r.columns(q.By) {
			if !c.hidden {
				keys = append(keys, c.Key)
			}
		}
		if !slices.Contains(keys, strings.TrimPrefix(q.Sort, "-")) {
			bad["sort"] = []string{oneOf("columns", keys) + " A minus before it begins with the greatest."}
		}
	}
	if len(bad) > 0 {
		return Question{}, bad
	}
	return q, nil
}

func oneOf[S ~string](what string, names []S) string {
	if len(names) == 0 {
		return "There are no " + what + "."
	}
	var texts []string
	for _, n := range names {
		texts = append(texts, string(n))
	}
	return "Must be one of the " + what + " " + strings.Join(texts, ", ") + "."
}

// Condition is one of a WHERE: SQL with the question's filter as @NAME.
type Condition struct {
	Filter Filter
	SQL    string
}

// Where is SQL for what the question asks for: the day between From and To, and the conditions of the filters that are set.
// It comes with its arguments.
func (q Question) Where(day string, conditions ...Condition) (string, pgx.NamedArgs) {
	sql, args := "true", pgx.NamedArgs{}
	if q.From != "" {
		sql, args["from"] = sql+" AND "+day+" >= @from::date", q.From
	}
	if q.To != "" {
		sql, args["to"] = sql+" AND "+day+" <= @to::date", q.To
	}
	for _, c := range conditions {
		if text, set := q.Filters[c.Filter]; set {
			sql, args[string(c.Filter)] = sql+" AND "+c.SQL, text
		}
	}
	return sql, args
}
