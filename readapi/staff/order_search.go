package staff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Bounds of a search.
const (
	// maxFound is how far the orders that a search finds are counted.
	maxFound = 2_000
	// maxQuery is in characters.
	maxQuery = 200
)

// Masked stands where staff may not see a person.
const Masked = "•••"

// OrderSearch narrows the list of orders. Every zero field narrows nothing.
type OrderSearch struct {
	// Query is a number of an order or of a phone in any spelling, an e-mail, a name, an article or words of a product.
	Query    string   `json:"query"`
	Statuses []string `json:"statuses"`
	// Paid narrows to orders that are paid, or not.
	Paid          *bool  `json:"paid"`
	PaymentMethod string `json:"payment_method"`
	DeliveryType  string `json:"delivery_type"`
	City          string `json:"city"`
	// DayFrom and DayTo bound the promised day, PlacedFrom and PlacedTo the day in Almaty on which the order was placed; both
	// inclusive, YYYY-MM-DD.
	DayFrom    string `json:"day_from"`
	DayTo      string `json:"day_to"`
	PlacedFrom string `json:"placed_from"`
	PlacedTo   string `json:"placed_to"`
	Tag        string `json:"tag"`
	// AssignedTo is an account of staff.
	AssignedTo uuid.UUID `json:"assigned_to"`
	// Owing narrows to orders that money is owed back for.
	Owing bool `json:"owing"`
	// Sort is one of [OrderSorts]; empty: the newest first.
	Sort          string `json:"sort"`
	Limit, Offset int    `json:"-"`
}

// OrderRow is an order in a list.
type OrderRow struct {
	ID            uuid.UUID `json:"id"`
	Number        int64     `json:"number"`
	Status        string    `json:"status"`
	IsPaid        bool      `json:"is_paid"`
	TestPayment   bool      `json:"test_payment"`
	PaymentMethod string    `json:"payment_method"`
	DeliveryType  string    `json:"delivery_type"`
	// Name, Email, Phone and Street are [Masked] without the permission to see persons, and empty once they are erased.
	Name         string     `json:"name"`
	Email        string     `json:"email"`
	Phone        string     `json:"phone"`
	City         string     `json:"city"`
	Street       string     `json:"street"`
	Lines        int64      `json:"lines"`
	Pieces       int64      `json:"pieces"`
	TotalPaid    int64      `json:"total_paid"`
	Captured     int64      `json:"captured"`
	Owed         int64      `json:"owed"`
	DeliveryDate *time.Time `json:"delivery_date"`
	PayBefore    *time.Time `json:"pay_before"`
	// ConfirmBefore is when an order that nobody confirms ends.
	ConfirmBefore *time.Time `json:"confirm_before"`
	Tags          []string   `json:"tags"`
	AssignedTo    *uuid.UUID `json:"assigned_to"`
	CreatedAt     time.Time  `json:"created_at"`
}

// FoundOrders are a page of the orders that a search found.
type FoundOrders struct {
	// Count is how many there are; More says that there are more than were counted.
	Count   int64      `json:"count"`
	More    bool       `json:"more"`
	Results []OrderRow `json:"results"`
}

// orderSorts are the orders of a list by their names.
var orderSorts = map[string]string{
	"":        "o.created_at DESC, o.number DESC",
	"oldest":  "o.created_at, o.number",
	"dearest": "o.total_paid DESC, o.number DESC",
	"day":     "o.delivery_date NULLS LAST, o.number",
}

// OrderSorts are what a list may be sorted by.
var OrderSorts = []string{"oldest", "dearest", "day"}

// Expressions that have an index of the orders read model; they have to be spelled as there.
const (
	orderPhone = "right(o.customer_phone, 10)"
	orderEmail = "lower(o.customer_email)"
	orderName  = "lower(o.customer_last_name || ' ' || o.customer_first_name)"
)

// SearchOrders finds orders. Without persons no person is shown, and none is searched for. Goods are found by what products are
// called now.
func (s Shop) SearchOrders(ctx context.Context, f OrderSearch, persons bool) (FoundOrders, error) {
	tx, err := s.DB.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return FoundOrders{}, fmt.Errorf("search orders: %w", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // only reads
	m, err := f.match(ctx, tx, persons)
	if err != nil {
		return FoundOrders{}, fmt.Errorf("find orders: %w", err)
	}
	ids, err := f.page(ctx, tx, m)
	if err != nil {
		return FoundOrders{}, fmt.Errorf("turn to a page of orders: %w", err)
	}
	rows, err := tx.Query(ctx, selectFound, pgx.NamedArgs{"ids": ids, "persons": persons, "masked": Masked})
	if err != nil {
		return FoundOrders{}, fmt.Errorf("read a page of orders: %w", err)
	}
	results, err := pgx.CollectRows(rows, pgx.RowToStructByName[OrderRow])
	if err != nil {
		return FoundOrders{}, fmt.Errorf("read a page of orders: %w", err)
	}
	return FoundOrders{Count: m.count, More: m.more, Results: orEmpty(results)}, nil
}

// impersonalOrder is what a list says of an order and not of who ordered.
const impersonalOrder = `o.id, o.number, o.status, o.is_paid, ` + testPayment + ` AS test_payment, o.payment_method, o.delivery_type,
		jsonb_array_length(o.lines) AS lines, (SELECT coalesce(sum((line->>'amount')::bigint), 0)::bigint FROM jsonb_array_elements(o.lines) line) AS pieces,
		o.total_paid, o.captured, o.owed, o.delivery_date, o.pay_before, o.confirm_before,
		ARRAY(SELECT jsonb_array_elements_text(o.tags)) AS tags, nullif(o.assigned_to, '00000000-0000-0000-0000-000000000000') AS assigned_to, o.created_at`

const selectFound = `SELECT ` + impersonalOrder + `,
		CASE WHEN @persons THEN btrim(o.customer_first_name || ' ' || o.customer_last_name) ELSE @masked END AS name,
		CASE WHEN @persons THEN o.customer_email ELSE @masked END AS email,
		CASE WHEN @persons THEN o.customer_phone ELSE @masked END AS phone, o.customer_city AS city,
		CASE WHEN @persons THEN concat_ws(', ', nullif(o.customer_street, ''), nullif(o.customer_house, ''), nullif(o.customer_apartment, '')) ELSE @masked END AS street
	FROM unnest(@ids::uuid[]) WITH ORDINALITY page (id, at) JOIN orders.orders o ON o.id = page.id ORDER BY page.at`

// onlyDigits are the digits of a query that is a number or a phone however it is written.
func onlyDigits(query string) (string, bool) {
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return r
		case strings.ContainsRune(" +-()№#\u00a0", r):
			return -1
		}
		return 'x'
	}, query)
	return digits, digits != "" && !strings.Contains(digits, "x")
}

// phoneStart are the digits of a phone without the country's code.
func phoneStart(digits string) string {
	if len(digits) > 10 && (digits[0] == '7' || digits[0] == '8') {
		digits = digits[1:]
	}
	return digits
}

func reversed(digits string) string {
	b := []byte(phoneStart(digits))
	slices.Reverse(b)
	return string(b)
}

// escaped makes a text stand for itself in LIKE.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}
