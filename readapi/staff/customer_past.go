package staff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain/bonus"
	"shop/domain/customer"
	"shop/eventstore"
	"shop/projections"
	"shop/readapi/staff/persons"
)

// erasedState is that of an account whose person is forgotten.
const erasedState = "erased"

// CustomerSheet is a customer as they were; customer.ErrUnknown when there was none. Somebody erased since has the account of now, and
// nothing else that is personal: that went with the key.
func (t Then) CustomerSheet(ctx context.Context, now Shop, id uuid.UUID, named bool, name Names) (CustomerSheet, error) {
	var view CustomerSheet
	account, ledger := customer.Stream(id), bonus.Stream(id)
	streams, err := t.store.Load(ctx, eventstore.From{Stream: account}, eventstore.From{Stream: ledger})
	if err != nil {
		return view, fmt.Errorf("read the past of customer %s: %w", id, err)
	}
	row, known, err := persons.Customer(t.Log(), id, streams[account])
	if err != nil {
		return view, err
	}
	if !known {
		return view, customer.ErrUnknown
	}
	if view.Account, err = accountJSON(row, named); err != nil {
		return view, err
	}
	numbers, err := t.orders(ctx, now, id, &view)
	if err != nil {
		return view, fmt.Errorf("read the orders that customer %s had: %w", id, err)
	}
	err = t.See(ctx, func(ctx context.Context, shop Shop) error { return shop.written(ctx, id, &view) })
	if err != nil {
		return view, fmt.Errorf("read what customer %s had written: %w", id, err)
	}
	view.tell(t.Log().Until(streams[account]), t.Log().Until(streams[ledger]), numbers, named, name)
	if row.State == erasedState {
		view.Erasure = nil
	}
	return view, nil
}

// accountJSON is a row as the read model has it, persons masked without the permission to see them.
func accountJSON(row projections.Account, persons bool) (json.RawMessage, error) {
	said, err := json.Marshal(row)
	if err != nil || persons {
		return said, err
	}
	var fields map[string]any
	if err := json.Unmarshal(said, &fields); err != nil {
		return nil, err
	}
	for _, column := range maskedAccount {
		fields[column] = Masked
	}
	return json.Marshal(fields)
}

// orders adds those that a customer had, in the state that they had, and answers their numbers. An order that joined the account later was
// not the customer's yet.
func (t Then) orders(ctx context.Context, now Shop, id uuid.UUID, view *CustomerSheet) (map[uuid.UUID]int64, error) {
	rows, err := now.DB.Query(ctx, `SELECT id FROM orders.orders WHERE customer_id = $1 AND customer_id <> '00000000-0000-0000-0000-000000000000'`, id)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, err
	}
	were, err := persons.Orders(ctx, t.Log(), ids)
	if err != nil {
		return nil, err
	}
	numbers := map[uuid.UUID]int64{}
	view.Latest = []OrderOf{}
	for _, one := range ids {
		o, placed := were[one]
		if !placed || o.CustomerID != id {
			continue
		}
		numbers[one] = o.Number
		view.Latest = append(view.Latest, OrderOf{o.Number, string(o.Status), o.IsPaid, int64(o.TotalPaid), o.CreatedAt})
		if view.Orders++; o.IsPaid {
			view.Spent += int64(o.TotalPaid)
		}
	}
	slices.SortFunc(view.Latest, func(a, b OrderOf) int {
		if later := b.CreatedAt.Compare(a.CreatedAt); later != 0 {
			return later
		}
		return int(b.Number - a.Number)
	})
	view.Latest = view.Latest[:min(len(view.Latest), maxLatest)]
	return numbers, nil
}

// SearchCustomers finds accounts as they were, newest first. A query finds people by what they are called now, and shows what they were
// called then. Somebody erased since is shown as erased.
func (t Then) SearchCustomers(ctx context.Context, now Shop, f CustomerSearch, persons bool) (FoundCustomers, error) {
	var called []uuid.UUID
	if strings.TrimSpace(f.Query) != "" {
		named, err := now.SearchCustomers(ctx, CustomerSearch{Query: f.Query, Limit: maxFound}, persons)
		if err != nil {
			return FoundCustomers{}, fmt.Errorf("search customers by what they are called: %w", err)
		}
		called = make([]uuid.UUID, len(named.Results))
		for i := range named.Results {
			called[i] = named.Results[i].ID
		}
	}
	rows, err := now.DB.Query(ctx, "SELECT id FROM customer.account WHERE state = 'erased'")
	if err != nil {
		return FoundCustomers{}, fmt.Errorf("list who is erased: %w", err)
	}
	erased, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return FoundCustomers{}, fmt.Errorf("list who is erased: %w", err)
	}
	var found FoundCustomers
	err = t.See(ctx, func(ctx context.Context, shop Shop) error {
		found, err = shop.impersonalCustomers(ctx, f, called, erased)
		return err
	})
	if err != nil {
		return found, err
	}
	return found, t.nameAll(ctx, found.Results, persons)
}

// impersonalCustomers are a page of accounts without names, of those called as was asked.
func (s Shop) impersonalCustomers(ctx context.Context, f CustomerSearch, called, erased []uuid.UUID) (FoundCustomers, error) {
	found := FoundCustomers{Results: []CustomerRow{}}
	f.Query = ""
	where, args := f.conditions(false, false)
	if called != nil {
		where, args["called"] = where+" AND a.id = ANY (@called)", called
	}
	args["erased"], args["limit"], args["offset"], args["counted"] = erased, f.Limit, f.Offset, maxFound+1
	accounts := `(SELECT id, created_at, verified AND NOT gone AS verified, CASE WHEN gone THEN 'erased' ELSE state END AS state,
			CASE WHEN gone THEN '[]' ELSE groups END AS groups, CASE WHEN NOT gone THEN erasure_proposed_at END AS erasure_proposed_at
		FROM customer.account, LATERAL (SELECT id = ANY (@erased) AS gone) gone) a WHERE ` + where
	if err := s.DB.QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM "+accounts+" LIMIT @counted) counted", args).Scan(&found.Count); err != nil {
		return found, fmt.Errorf("count customers as they were: %w", err)
	}
	if found.More = found.Count > maxFound; found.More {
		found.Count = maxFound
	}
	rows, err := s.DB.Query(ctx, `SELECT a.id, a.state, a.verified, '' AS name, '' AS email, '' AS phone, '' AS city, o.orders, o.spent, a.erasure_proposed_at, a.groups, a.created_at
		FROM (SELECT * FROM `+accounts+` ORDER BY a.created_at DESC, a.id LIMIT @limit OFFSET @offset) a`+withOrders+`
		ORDER BY a.created_at DESC, a.id`, args)
	if err != nil {
		return found, fmt.Errorf("list customers as they were: %w", err)
	}
	results, err := pgx.CollectRows(rows, pgx.RowToStructByName[CustomerRow])
	found.Results = append(found.Results, results...)
	return found, err
}

// nameAll adds who the customers of a page were, read from the log with their keys; masked without the permission to see persons.
func (t Then) nameAll(ctx context.Context, page []CustomerRow, named bool) error {
	if !named {
		for i := range page {
			page[i].Name, page[i].Email, page[i].Phone, page[i].City = Masked, Masked, Masked, Masked
		}
		return nil
	}
	ids := make([]uuid.UUID, len(page))
	for i := range page {
		ids[i] = page[i].ID
	}
	were, err := persons.Customers(ctx, t.Log(), ids)
	if err != nil {
		return err
	}
	for i := range page {
		row, was := &page[i], were[page[i].ID]
		row.Name, row.Email, row.Phone, row.City = strings.TrimSpace(was.FirstName+" "+was.LastName), was.Email, was.Phone, was.City
		if was.State == erasedState {
			row.State, row.Verified, row.Groups, row.ErasureProposedAt = erasedState, false, []string{}, nil
		}
	}
	return nil
}
