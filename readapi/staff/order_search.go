package staff

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi"
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

// likeWords is how near a misspelt word has to be (pg_trgm's <%): at 0.45 one wrong letter in seven is
// forgiven.
const likeWords = "SET LOCAL pg_trgm.word_similarity_threshold = 0.45"

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
	found := FoundOrders{Results: []OrderRow{}}
	where, args, err := f.find(ctx, tx, persons, &found.Count)
	if err != nil {
		return FoundOrders{}, fmt.Errorf("find orders: %w", err)
	}
	if found.Count > maxFound {
		found.Count, found.More = maxFound, true
	}
	ids, err := f.page(ctx, tx, where, args, found.More)
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
	found.Results = append(found.Results, results...)
	return found, nil
}

// page are the ids of a page's orders in their order. What the list shows is read for these alone.
func (f OrderSearch) page(ctx context.Context, tx pgx.Tx, where string, args pgx.NamedArgs, many bool) ([]uuid.UUID, error) {
	args["limit"], args["offset"] = f.Limit, f.Offset
	// When many match, walking the orders as the list has them finds a page sooner than sorting all that match. The planner cannot
	// know how many match.
	if many {
		if _, err := tx.Exec(ctx, "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"); err != nil {
			return nil, err
		}
	}
	rows, err := tx.Query(ctx, "SELECT o.id FROM orders.orders o WHERE "+where+" ORDER BY "+orderSorts[f.Sort]+" LIMIT @limit OFFSET @offset", args)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err == nil && many {
		_, err = tx.Exec(ctx, "SET LOCAL enable_bitmapscan = on; SET LOCAL enable_sort = on")
	}
	return orEmpty(ids), err
}

const selectFound = `SELECT o.id, o.number, o.status, o.is_paid, ` + testPayment + ` AS test_payment, o.payment_method, o.delivery_type,
		CASE WHEN @persons THEN btrim(o.customer_first_name || ' ' || o.customer_last_name) ELSE @masked END AS name,
		CASE WHEN @persons THEN o.customer_email ELSE @masked END AS email,
		CASE WHEN @persons THEN o.customer_phone ELSE @masked END AS phone, o.customer_city AS city,
		CASE WHEN @persons THEN concat_ws(', ', nullif(o.customer_street, ''), nullif(o.customer_house, ''), nullif(o.customer_apartment, '')) ELSE @masked END AS street,
		jsonb_array_length(o.lines) AS lines, (SELECT coalesce(sum((line->>'amount')::bigint), 0)::bigint FROM jsonb_array_elements(o.lines) line) AS pieces,
		o.total_paid, o.captured, o.owed, o.delivery_date, o.pay_before, o.confirm_before,
		ARRAY(SELECT jsonb_array_elements_text(o.tags)) AS tags, nullif(o.assigned_to, '00000000-0000-0000-0000-000000000000') AS assigned_to, o.created_at
	FROM unnest(@ids::uuid[]) WITH ORDINALITY page (id, at) JOIN orders.orders o ON o.id = page.id ORDER BY page.at`

// find is the condition of the search, and how many orders it finds, as far as they are counted: one more when there are more. When
// nothing holds the words as they were typed, they may be misspelt: a name, or else a product.
func (f OrderSearch) find(ctx context.Context, tx pgx.Tx, persons bool, n *int64) (string, pgx.NamedArgs, error) {
	for how := asTyped; ; how++ {
		if how == likeNames && !persons {
			continue
		}
		where, args := f.conditions(persons, how)
		_, typed := args["typed"]
		if !typed {
			err := tx.QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM orders.orders o WHERE "+where+counted+") counted", args).Scan(n)
			return where, args, err
		}
		if err := goodsCalled(ctx, tx, how, args); err != nil {
			return "", nil, err
		}
		// Words cost more to look for than the orders that hold them: these are found once.
		rows, err := tx.Query(ctx, "SELECT o.id FROM orders.orders o WHERE "+where+counted, args)
		if err != nil {
			return "", nil, err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return "", nil, err
		}
		if *n = int64(len(ids)); *n > maxFound {
			return where, args, nil
		}
		if *n > 0 || how == likeGoods {
			return "o.id = ANY (@ids)", pgx.NamedArgs{"ids": orEmpty(ids)}, nil
		}
		if how == asTyped {
			if _, err := tx.Exec(ctx, likeWords); err != nil {
				return "", nil, err
			}
		}
	}
}

// counted bounds how far orders are counted.
var counted = " LIMIT " + strconv.Itoa(maxFound+1)

// maxGoods is how many products the words of a search may mean.
const maxGoods = 1000

// productWords has an index of the catalog read model; it has to be spelled as there.
const productWords = "lower(p.name || ' ' || p.article)"

// goodsCalled finds the products that words may mean: those that hold them, or misspelt those that hold the like.
func goodsCalled(ctx context.Context, tx pgx.Tx, how spelling, args pgx.NamedArgs) error {
	if _, typed := args["typed"]; !typed || how == likeNames {
		return nil
	}
	like := productWords + " LIKE @words"
	if how == likeGoods {
		like = "@typed::text <% " + productWords
	}
	rows, err := tx.Query(ctx, "SELECT p.id FROM catalog.product p WHERE "+like+" LIMIT "+strconv.Itoa(maxGoods), args)
	if err != nil {
		return err
	}
	goods, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	args["goods"] = orEmpty(goods)
	return err
}

// spelling is how the words of a search are compared: as they were typed, or with names or goods that are like them.
type spelling int

const (
	asTyped spelling = iota
	likeNames
	likeGoods
)

// conditions are the search as SQL of constants, and the values it compares with.
func (f OrderSearch) conditions(persons bool, how spelling) (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{}
	all := []string{"true"}
	add := func(given bool, name string, value any, sql string) {
		if given {
			all, args[name] = append(all, sql), value
		}
	}
	add(len(f.Statuses) > 0, "statuses", f.Statuses, "o.status = ANY (@statuses)")
	add(f.Paid != nil, "paid", f.Paid, "o.is_paid = @paid")
	add(f.PaymentMethod != "", "method", f.PaymentMethod, "o.payment_method = @method")
	add(f.DeliveryType != "", "delivery", f.DeliveryType, "o.delivery_type = @delivery")
	add(f.City != "", "city", readapi.Clean(f.City, maxQuery), "o.customer_city = @city")
	add(f.DayFrom != "", "day_from", f.DayFrom, "o.delivery_date >= @day_from::text::date")
	add(f.DayTo != "", "day_to", f.DayTo, "o.delivery_date <= @day_to::text::date")
	add(f.PlacedFrom != "", "placed_from", f.PlacedFrom, "o.created_at >= @placed_from::text::date::timestamp AT TIME ZONE 'Asia/Almaty'")
	add(f.PlacedTo != "", "placed_to", f.PlacedTo, "o.created_at < (@placed_to::text::date + 1)::timestamp AT TIME ZONE 'Asia/Almaty'")
	add(f.Tag != "", "tag", []string{strings.ToLower(readapi.Clean(f.Tag, maxQuery))}, "o.tags <> '[]' AND o.tags @> to_jsonb(@tag::text[])")
	add(f.AssignedTo != uuid.Nil, "assigned", f.AssignedTo, "o.assigned_to = @assigned AND o.assigned_to <> '00000000-0000-0000-0000-000000000000'")
	if f.Owing {
		all = append(all, "o.owed > 0")
	}
	if query := readapi.Clean(f.Query, maxQuery); query != "" {
		all = append(all, queried(query, persons, how, args))
	}
	return strings.Join(all, " AND "), args
}

// queried is what a typed query asks for: a number, a phone, an e-mail, or words of a name or of goods.
func queried(query string, persons bool, how spelling, args pgx.NamedArgs) string {
	var ways []string
	if digits, ok := onlyDigits(query); ok {
		if number, err := strconv.ParseInt(digits, 10, 64); err == nil {
			args["number"] = number
			ways = append(ways, "o.number = @number")
		}
		if persons && len(digits) >= 4 {
			args["phone"] = phoneStart(digits)
			ways = append(ways, orderPhone+" LIKE @phone || '%'")
			args["ending"] = reversed(digits)
			ways = append(ways, "reverse("+orderPhone+") LIKE @ending || '%'")
		}
	} else if persons && strings.Contains(query, "@") {
		args["email"] = escaped(strings.ToLower(query))
		return orderEmail + " LIKE @email || '%'"
	}
	if len(ways) > 0 && !strings.ContainsAny(query, "-/.") { // an article may be made of digits and signs
		return "(" + strings.Join(ways, " OR ") + ")"
	}
	args["words"], args["typed"] = "%"+escaped(strings.ToLower(query))+"%", strings.ToLower(query)
	switch {
	case how == likeNames:
		ways = append(ways, "@typed::text <% "+orderName)
	case how == likeGoods:
		ways = append(ways, "o.products && @goods::uuid[]")
	case persons:
		ways = append(ways, orderName+" LIKE @words", "o.products && @goods::uuid[]")
	default:
		ways = append(ways, "o.products && @goods::uuid[]")
	}
	return "(" + strings.Join(ways, " OR ") + ")"
}

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
