package staff_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/eventstore"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi/staff"
)

// creams are so many that their orders are looked for by several scans of an index.
const creams = 40

// manyOrders are 4 600: the older half of soap, the newer half of one of forty creams each. Every other one is of Петров and approved.
func manyOrders(t *testing.T) staff.Shop {
	t.Helper()
	db := pgtest.Open(t)
	orders, goods := projections.Orders(), projections.Catalog()
	if _, err := rebuild.Prepare(t.Context(), db, orders, goods); err != nil {
		t.Fatal(err)
	}
	at := time.Now().UTC().Truncate(time.Second)
	event := func(stream string, version int, e domain.Event) eventstore.Event {
		return eventstore.Event{ID: uuid.New(), Stream: stream, Version: eventstore.Version(version), Type: e.EventType(), RecordedAt: at, Data: e}
	}
	fold := func(model projections.Projection, events ...eventstore.Event) {
		t.Helper()
		if err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error { return model.Apply(t.Context(), tx, events) }); err != nil {
			t.Fatal(err)
		}
	}
	var added []eventstore.Event
	for n := range creams + 1 {
		id, name := uuid.UUID{15: byte(n + 1)}, fmt.Sprint("Крем ", n)
		if n == creams {
			name = "Мыло"
		}
		added = append(added, event(catalog.ProductStream(id), 1, catalog.ProductAdded{ID: id, Article: fmt.Sprint("A-", n), At: at}),
			event(catalog.ProductStream(id), 2, catalog.ProductDescribed{Text: catalog.ProductText{Name: name}, At: at}))
	}
	fold(goods, added...)
	first := uuid.New()
	fold(orders, event(order.Stream(first), 1, order.Placed{
		ID: first, Number: 1, PersonID: first, Contact: order.Contact{FirstName: "Анна", LastName: "Иванова"}, PaymentMethod: domain.Cash, At: at,
	}))
	clone(t, db)
	return staff.Shop{DB: db}
}

// clone makes 4 600 orders of the one that there is; its fold knows all columns.
func clone(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	_, err := db.Exec(t.Context(), `INSERT INTO orders.orders SELECT (jsonb_populate_record(o, jsonb_build_object(
			'id', gen_random_uuid(), 'number', n, 'created_at', o.created_at + n * interval '1 second',
			'customer_last_name', CASE WHEN n % 2 = 0 THEN 'Петров' ELSE 'Иванова' END, 'status', CASE WHEN n % 2 = 0 THEN 'APPROVED' ELSE 'RECEIVED' END,
			'products', jsonb_build_array('00000000-0000-0000-0000-0000000000' || lpad(to_hex(CASE WHEN n <= 2300 THEN 41 ELSE 1 + n % 40 END), 2, '0'))))).*
		FROM orders.orders o CROSS JOIN generate_series(1, 4600) n`)
	if err == nil {
		_, err = db.Exec(t.Context(), "DELETE FROM orders.orders WHERE products = '{}'; ANALYZE orders.orders")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestOrdersFoundAmongMany: a page of more orders than are counted is the same as if all had been sorted, whichever way finds it.
func TestOrdersFoundAmongMany(t *testing.T) {
	t.Parallel()
	shop := manyOrders(t)
	for name, c := range map[string]struct {
		f     staff.OrderSearch
		count int64
		page  string
	}{
		"all":                                  {staff.OrderSearch{}, 2000, "[4600 4599 4598]"},
		"goods among the newest":               {staff.OrderSearch{Query: "крем"}, 2000, "[4600 4599 4598]"},
		"their second page":                    {staff.OrderSearch{Query: "крем", Offset: 3}, 2000, "[4597 4596 4595]"},
		"their last page":                      {staff.OrderSearch{Query: "крем", Offset: 2298}, 2000, "[2302 2301]"},
		"the oldest of them":                   {staff.OrderSearch{Query: "крем", Sort: "oldest"}, 2000, "[2301 2302 2303]"},
		"goods that nobody bought lately":      {staff.OrderSearch{Query: "мыло"}, 2000, "[2300 2299 2298]"},
		"misspelt goods":                       {staff.OrderSearch{Query: "мылло"}, 500, "[2300 2299 2298]"},
		"one of the creams":                    {staff.OrderSearch{Query: "A-39"}, 58, "[4599 4559 4519]"},
		"an article that nothing has":          {staff.OrderSearch{Query: "a-388"}, 0, "[]"},
		"a misspelt name":                      {staff.OrderSearch{Query: "Иванава"}, 500, "[4599 4597 4595]"},
		"a misspelt name, its oldest":          {staff.OrderSearch{Query: "Иванава", Sort: "oldest"}, 500, "[1 3 5]"},
		"a name and a status it has never":     {staff.OrderSearch{Query: "Петров", Statuses: []string{"RECEIVED"}}, 0, "[]"},
		"two statuses":                         {staff.OrderSearch{Statuses: []string{"RECEIVED", "APPROVED"}}, 2000, "[4600 4599 4598]"},
		"a status twice":                       {staff.OrderSearch{Statuses: []string{"RECEIVED", "RECEIVED"}, Offset: 1}, 2000, "[4597 4595 4593]"},
		"two statuses of those with few goods": {staff.OrderSearch{Statuses: []string{"RECEIVED", "CANCELLED"}, Query: "A-39"}, 58, "[4599 4559 4519]"},
	} {
		c.f.Limit = 3
		found, err := shop.SearchOrders(t.Context(), c.f, true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		numbers := []int64{}
		for _, o := range found.Results {
			numbers = append(numbers, o.Number)
		}
		if found.Count != c.count || found.More != (c.count >= 500) || fmt.Sprint(numbers) != c.page {
			t.Errorf("%s: %d, more %t, %v; want %d, %s", name, found.Count, found.More, numbers, c.count, c.page)
		}
	}
}
