package staff

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi"
)

// CustomerStates are what a list of customers may be narrowed to; proposed are those whose erasure waits for a second account of staff.
var CustomerStates = []string{"active", "leaving", "erased", "proposed"}

// CustomerSearch narrows the list of customers. Every zero field narrows nothing.
type CustomerSearch struct {
	// Query is a phone in any spelling or its last digits, an e-mail, or a name.
	Query         string `json:"query"`
	State         string `json:"state"`
	Group         string `json:"group"`
	Limit, Offset int    `json:"-"`
}

// CustomerRow is a customer in a list. Name, Email and Phone are [Masked] without the permission to see persons, and empty once they
// are erased.
type CustomerRow struct {
	ID       uuid.UUID `json:"id"`
	State    string    `json:"state"`
	Verified bool      `json:"verified"`
	Name     string    `json:"name"`
	Email    string    `json:"email"`
	Phone    string    `json:"phone"`
	City     string    `json:"city"`
	Orders   int64     `json:"orders"`
	// Spent is what the paid orders cost.
	Spent int64 `json:"spent"`
	// ErasureProposedAt is null when no erasure waits for a second account of staff.
	ErasureProposedAt *time.Time `json:"erasure_proposed_at"`
	// Groups are those that staff put the customer into.
	Groups    []string  `json:"groups"`
	CreatedAt time.Time `json:"created_at"`
}

// FoundCustomers are a page of the customers that a search found.
type FoundCustomers struct {
	// Count is how many there are; More says that there are more than were counted.
	Count   int64         `json:"count"`
	More    bool          `json:"more"`
	Results []CustomerRow `json:"results"`
}

// Expressions that have an index of the read model of customers; they have to be spelled as there.
const (
	accountPhone = "right(a.phone, 10)"
	accountEmail = "lower(a.email)"
	accountName  = "lower(a.last_name || ' ' || a.first_name)"
)

// withOrders joins to accounts how many orders they have, and what the paid ones cost.
const withOrders = `
		CROSS JOIN LATERAL (SELECT count(*) AS orders, coalesce(sum(o.total_paid) FILTER (WHERE o.is_paid), 0)::bigint AS spent FROM orders.orders o
			WHERE o.customer_id = a.id AND o.customer_id <> '00000000-0000-0000-0000-000000000000') o`

// SearchCustomers finds accounts, newest first. Without persons no person is shown, and none is searched for.
func (s Shop) SearchCustomers(ctx context.Context, f CustomerSearch, persons bool) (FoundCustomers, error) {
	tx, err := s.DB.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return FoundCustomers{}, fmt.Errorf("search customers: %w", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // only reads
	found := FoundCustomers{Results: []CustomerRow{}}
	where, args := f.conditions(persons, false)
	count := func() error {
		sql := "SELECT count(*) FROM (SELECT FROM customer.account a WHERE " + where + " LIMIT " + strconv.Itoa(maxFound+1) + ") counted"
		if err := tx.QueryRow(ctx, sql, args).Scan(&found.Count); err != nil {
			return fmt.Errorf("count customers: %w", err)
		}
		return nil
	}
	if err := count(); err != nil {
		return FoundCustomers{}, err
	}
	if _, typed := args["typed"]; typed && found.Count == 0 {
		// Nobody is called as it was typed: the name may be misspelt.
		where, args = f.conditions(persons, true)
		if _, err := tx.Exec(ctx, likeWords); err != nil {
			return FoundCustomers{}, fmt.Errorf("search customers: %w", err)
		}
		if err := count(); err != nil {
			return FoundCustomers{}, err
		}
	}
	if found.More = found.Count > maxFound; found.More {
		found.Count = maxFound
	}
	args["limit"], args["offset"], args["persons"], args["masked"] = f.Limit, f.Offset, persons, Masked
	rows, err := tx.Query(ctx, `SELECT a.id, a.state, a.verified, CASE WHEN @persons THEN btrim(a.first_name || ' ' || a.last_name) ELSE @masked END AS name,
			CASE WHEN @persons THEN a.email ELSE @masked END AS email, CASE WHEN @persons THEN a.phone ELSE @masked END AS phone,
			CASE WHEN @persons THEN a.city ELSE @masked END AS city,
			o.orders, o.spent, a.erasure_proposed_at, a.groups, a.created_at
		FROM (SELECT * FROM customer.account a WHERE `+where+` ORDER BY a.created_at DESC, a.id LIMIT @limit OFFSET @offset) a`+withOrders+`
		ORDER BY a.created_at DESC, a.id`, args)
	if err != nil {
		return FoundCustomers{}, fmt.Errorf("search customers: %w", err)
	}
	results, err := pgx.CollectRows(rows, pgx.RowToStructByName[CustomerRow])
	found.Results = append(found.Results, results...)
	return found, err
}

// conditions are the search as SQL of constants, and the values it compares with.
func (f CustomerSearch) conditions(persons, misspelt bool) (string, pgx.NamedArgs) {
	args, all := pgx.NamedArgs{}, []string{"true"}
	switch f.State {
	case "":
	case "proposed":
		all = append(all, "a.erasure_proposed_at IS NOT NULL")
	default:
		all, args["state"] = append(all, "a.state = @state"), f.State
	}
	if f.Group != "" {
		all, args["group"] = append(all, "a.groups <> '[]' AND a.groups @> to_jsonb(@group::text)"), f.Group
	}
	query := readapi.Clean(f.Query, maxQuery)
	switch digits, isPhone := onlyDigits(query); {
	case query == "":
	case !persons:
		all = append(all, "false")
	case isPhone:
		args["phone"], args["ending"] = phoneStart(digits), reversed(digits)
		all = append(all, "("+accountPhone+" LIKE @phone || '%' OR reverse("+accountPhone+") LIKE @ending || '%')")
	case strings.Contains(query, "@"):
		args["email"] = escaped(strings.ToLower(query))
		all = append(all, accountEmail+" LIKE @email || '%'")
	case misspelt:
		args["typed"] = strings.ToLower(query)
		all = append(all, "@typed::text <% "+accountName)
	default:
		args["typed"], args["words"] = strings.ToLower(query), "%"+escaped(strings.ToLower(query))+"%"
		all = append(all, "@typed::text <> '' AND "+accountName+" LIKE @words")
	}
	return strings.Join(all, " AND "), args
}

// CustomerGroup is a group of customers, with how many are in it.
type CustomerGroup struct {
	Name      string `json:"name"`
	Customers int64  `json:"customers"`
}

// CustomerGroups are all groups that somebody is in, by name.
func (s Shop) CustomerGroups(ctx context.Context) ([]CustomerGroup, error) {
	rows, err := s.DB.Query(ctx, `SELECT g AS name, count(*) AS customers FROM customer.account a, jsonb_array_elements_text(a.groups) g
		WHERE a.groups <> '[]' GROUP BY g ORDER BY g`)
	if err != nil {
		return nil, fmt.Errorf("list groups of customers: %w", err)
	}
	groups, err := pgx.CollectRows(rows, pgx.RowToStructByName[CustomerGroup])
	return orEmpty(groups), err
}

// Members are the customers in any of the groups.
func (s Shop) Members(ctx context.Context, groups []string) ([]uuid.UUID, error) {
	rows, err := s.DB.Query(ctx, "SELECT id FROM customer.account WHERE groups <> '[]' AND groups ?| $1", groups)
	if err != nil {
		return nil, fmt.Errorf("list members of groups: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
