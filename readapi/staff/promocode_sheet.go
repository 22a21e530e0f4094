package staff

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain"
	"shop/domain/promocode"
	"shop/readapi"
)

// PromocodeStates are what a list of promo codes may be narrowed to.
var PromocodeStates = []string{"active", "planned", "ended", "used-up", "revoked"}

// PromocodeSearch narrows the list of promo codes. Every zero field narrows nothing.
type PromocodeSearch struct {
	// Query is the beginning of codes.
	Query, State  string
	Limit, Offset int
}

// PromocodeRow is a promo code with what it is for, and what the orders that count brought with it.
type PromocodeRow struct {
	PromocodeLine
	MaxDiscount int64       `json:"max_discount"`
	Categories  []uuid.UUID `json:"categories"`
	Brands      []uuid.UUID `json:"brands"`
	Products    []uuid.UUID `json:"products"`
	Groups      []string    `json:"groups"`
	// State is one of [PromocodeStates].
	State string `json:"state"`
	// Discount is what was taken off the goods of these orders, Revenue what they brought.
	Orders   int64 `json:"orders"`
	Discount int64 `json:"discount"`
	Revenue  int64 `json:"revenue"`
}

// FoundPromocodes are a page of promo codes, the newest first.
type FoundPromocodes struct {
	Count   int64          `json:"count"`
	Results []PromocodeRow `json:"results"`
}

const promocodeState = `CASE WHEN c.revoked THEN 'revoked' WHEN c.valid_until <= @now THEN 'ended' WHEN c.uses > 0 AND c.redeemed >= c.uses THEN 'used-up'
	WHEN c.valid_from > @now THEN 'planned' ELSE 'active' END`

// FindPromocodes lists promo codes as they are at a time.
func (s Shop) FindPromocodes(ctx context.Context, f PromocodeSearch, now time.Time) (FoundPromocodes, error) {
	args := pgx.NamedArgs{"now": now, "typed": escaped(promocode.Normal(readapi.Clean(f.Query, 64))), "state": f.State, "limit": f.Limit, "offset": f.Offset}
	const where = ` FROM promocode.code c WHERE c.code LIKE @typed || '%' AND (@state = '' OR ` + promocodeState + ` = @state)`
	found := FoundPromocodes{}
	if err := s.DB.QueryRow(ctx, "SELECT count(*)"+where, args).Scan(&found.Count); err != nil {
		return found, fmt.Errorf("count promo codes: %w", err)
	}
	rows, err := s.promocodeRows(ctx, "SELECT c.*"+where+" ORDER BY c.issued_at DESC, c.code LIMIT @limit OFFSET @offset", args)
	found.Results = rows
	return found, err
}

// promocodeRows are the codes that a statement selects, with what orders brought.
func (s Shop) promocodeRows(ctx context.Context, page string, args pgx.NamedArgs) ([]PromocodeRow, error) {
	rows, err := s.DB.Query(ctx, `WITH c AS MATERIALIZED (`+page+`), done AS (
			SELECT o.promocode, count(*) AS orders, sum(o.total_sum - o.discounted_sum)::bigint AS discount, sum(o.revenue)::bigint AS revenue
			FROM sales.orders o WHERE o.counts AND o.promocode IN (SELECT code FROM c) GROUP BY o.promocode)
		SELECT c.code, c.kind, c.value, c.min_sum, c.valid_from, c.valid_until, c.uses, c.uses_per_user, c.redeemed, c.revoked,
			c.max_discount, c.categories, c.brands, c.products, c.groups, `+promocodeState+` AS state,
			coalesce(done.orders, 0) AS orders, coalesce(done.discount, 0) AS discount, coalesce(done.revenue, 0) AS revenue
		FROM c LEFT JOIN done ON done.promocode = c.code ORDER BY c.issued_at DESC, c.code`, args)
	if err != nil {
		return nil, fmt.Errorf("list promo codes: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[PromocodeRow])
	return orEmpty(found), err
}

// PromocodeDay is what orders placed on a day with a code brought. NewCustomers are accounts that ordered for the first time.
type PromocodeDay struct {
	Day          string `json:"day"`
	Orders       int64  `json:"orders"`
	Revenue      int64  `json:"revenue"`
	Discount     int64  `json:"discount"`
	NewCustomers int64  `json:"new_customers"`
}

// ScopePart is a category, a brand or a product that a code is for. Name is empty for one that there is no more.
type ScopePart struct {
	ID   uuid.UUID `json:"id"`
	Kind string    `json:"kind"`
	Name string    `json:"name"`
}

// PromocodeSheet is everything about a promo code: its terms, what it is for by name, and what it brought day by day.
type PromocodeSheet struct {
	PromocodeRow
	Scope []ScopePart    `json:"scope"`
	Days  []PromocodeDay `json:"days"`
	// Others are orders without any code from the first to the last of these days, to compare with.
	OtherOrders  int64 `json:"other_orders"`
	OtherRevenue int64 `json:"other_revenue"`
}

// Promocode reads a code in its one spelling; promocode.ErrUnknown when there is none.
func (s Shop) Promocode(ctx context.Context, code string, now time.Time) (PromocodeSheet, error) {
	sheet := PromocodeSheet{}
	rows, err := s.promocodeRows(ctx, "SELECT c.* FROM promocode.code c WHERE c.code = @code", pgx.NamedArgs{"code": code, "now": now})
	if err != nil {
		return sheet, err
	}
	if len(rows) == 0 {
		return sheet, promocode.ErrUnknown
	}
	sheet.PromocodeRow = rows[0]
	if sheet.Scope, err = s.scopeParts(ctx, sheet.PromocodeRow); err != nil {
		return sheet, err
	}
	days, err := s.DB.Query(ctx, `SELECT o.day::text AS day, count(*) AS orders, sum(o.revenue)::bigint AS revenue, sum(o.total_sum - o.discounted_sum)::bigint AS discount,
			count(*) FILTER (WHERE o.buyer <> '00000000-0000-0000-0000-000000000000' AND NOT EXISTS (
				SELECT FROM sales.orders e WHERE e.counts AND e.buyer = o.buyer AND e.buyer <> '00000000-0000-0000-0000-000000000000' AND (e.placed_at, e.number) < (o.placed_at, o.number)
			)) AS new_customers
		FROM sales.orders o WHERE o.counts AND o.promocode = $1 GROUP BY o.day ORDER BY o.day`, code)
	if err != nil {
		return sheet, fmt.Errorf("read what promo code %s brought: %w", code, err)
	}
	if sheet.Days, err = pgx.CollectRows(days, pgx.RowToStructByName[PromocodeDay]); err != nil {
		return sheet, err
	}
	if sheet.Days = orEmpty(sheet.Days); len(sheet.Days) == 0 {
		return sheet, nil
	}
	err = s.DB.QueryRow(ctx, `SELECT count(*), coalesce(sum(revenue), 0)::bigint FROM sales.orders WHERE counts AND promocode = '' AND day BETWEEN $1::date AND $2::date`,
		sheet.Days[0].Day, sheet.Days[len(sheet.Days)-1].Day).Scan(&sheet.OtherOrders, &sheet.OtherRevenue)
	return sheet, err
}

// scopeParts are the names of what a code is for.
func (s Shop) scopeParts(ctx context.Context, row PromocodeRow) ([]ScopePart, error) {
	rows, err := s.DB.Query(ctx, `SELECT w.id, w.kind, coalesce(c.name, b.name, p.name, '') AS name FROM (
			SELECT unnest($1::uuid[]) AS id, 'category' AS kind UNION ALL SELECT unnest($2::uuid[]), 'brand' UNION ALL SELECT unnest($3::uuid[]), 'product') w
		LEFT JOIN catalog.category c ON w.kind = 'category' AND c.id = w.id LEFT JOIN catalog.brand b ON w.kind = 'brand' AND b.id = w.id
		LEFT JOIN catalog.product p ON w.kind = 'product' AND p.id = w.id ORDER BY w.kind, name`, row.Categories, row.Brands, row.Products)
	if err != nil {
		return nil, fmt.Errorf("name the scope of promo code %s: %w", row.Code, err)
	}
	parts, err := pgx.CollectRows(rows, pgx.RowToStructByName[ScopePart])
	return orEmpty(parts), err
}

// GoodsIn are the products in a scope, as the catalog is now.
func (s Shop) GoodsIn(ctx context.Context, scope domain.Scope) ([]uuid.UUID, error) {
	rows, err := s.DB.Query(ctx, `SELECT p.id FROM catalog.product p LEFT JOIN catalog.category c ON c.id = p.category_id
		WHERE p.id = ANY($3::uuid[]) OR p.brand_id = ANY($2::uuid[]) OR p.category_id = ANY($1::uuid[]) OR c.parent_id = ANY($1::uuid[])`,
		orEmpty(scope.Categories), orEmpty(scope.Brands), orEmpty(scope.Products))
	if err != nil {
		return nil, fmt.Errorf("list goods in a scope: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
