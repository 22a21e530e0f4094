package staff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain"
	"shop/readapi"
	"shop/readapi/staff/persons"
)

// SearchOrders finds orders as they were. A query finds them by what people and goods are called now, a city is one that the shop knows; who
// ordered is shown as of then. Somebody forgotten since is forgotten.
func (t Then) SearchOrders(ctx context.Context, now Shop, f OrderSearch, persons bool) (found FoundOrders, err error) {
	var called FoundOrders
	if f.Query = readapi.Clean(f.Query, maxQuery); f.Query != "" {
		until := t.Time.In(domain.Almaty).Format(time.DateOnly)
		called, err = now.SearchOrders(ctx, OrderSearch{Query: f.Query, PlacedFrom: f.PlacedFrom, PlacedTo: until, Limit: maxFound}, persons)
		if err != nil {
			return found, err
		}
	}
	err = t.See(ctx, func(ctx context.Context, shop Shop) error {
		found, err = shop.impersonalOrders(ctx, f, called.Results)
		return err
	})
	if err != nil {
		return found, err
	}
	found.More = found.More || called.More
	return found, t.nameOrders(ctx, found.Results, persons)
}

// impersonalOrders are a page of orders without persons, of those that the query found.
func (s Shop) impersonalOrders(ctx context.Context, f OrderSearch, called []OrderRow) (FoundOrders, error) {
	found := FoundOrders{Results: []OrderRow{}}
	query, city := f.Query, f.City
	f.Query, f.City = "", ""
	m := f.conditions("", false, asTyped, nil)
	if query != "" {
		ids := make([]uuid.UUID, len(called))
		for i := range called {
			ids[i] = called[i].ID
		}
		m.where, m.args["called"] = m.where+" AND o.id = ANY (@called)", ids
	}
	if city != "" {
		m.where, m.args["city"] = m.where+" AND o.plain_city = @city", readapi.Clean(city, maxQuery)
	}
	m.args["limit"], m.args["offset"] = f.Limit, f.Offset
	if err := s.DB.QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM orders.orders o WHERE "+m.where+upTo(maxFound)+") counted", m.args).Scan(&found.Count); err != nil {
		return found, fmt.Errorf("count orders as they were: %w", err)
	}
	found.More, found.Count = found.Count > maxFound, min(found.Count, maxFound)
	rows, err := s.DB.Query(ctx, "SELECT "+impersonalOrder+", '' AS name, '' AS email, '' AS phone, '' AS city, '' AS street FROM orders.orders o WHERE "+m.where+
		" ORDER BY "+orderSorts[f.Sort]+" LIMIT @limit OFFSET @offset", m.args)
	if err != nil {
		return found, fmt.Errorf("list orders as they were: %w", err)
	}
	results, err := pgx.CollectRows(rows, pgx.RowToStructByName[OrderRow])
	found.Results = append(found.Results, results...)
	return found, err
}

// nameOrders adds who the orders of a page were for and where to, read from the log with their keys; masked without the permission to see persons.
func (t Then) nameOrders(ctx context.Context, page []OrderRow, named bool) error {
	ids := make([]uuid.UUID, len(page))
	for i := range page {
		ids[i] = page[i].ID
	}
	were, err := persons.Orders(ctx, t.Log(), ids)
	if err != nil {
		return err
	}
	for i := range page {
		row, o := &page[i], were[page[i].ID]
		row.City = o.City
		if !named {
			row.Name, row.Email, row.Phone, row.Street = Masked, Masked, Masked, Masked
			continue
		}
		row.Name, row.Email, row.Phone = strings.TrimSpace(o.FirstName+" "+o.LastName), o.Email, o.Phone
		street := slices.DeleteFunc([]string{o.Street, o.House, o.Apartment}, func(part string) bool { return part == "" })
		row.Street = strings.Join(street, ", ")
	}
	return nil
}
