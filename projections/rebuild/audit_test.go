package rebuild

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/change"
	"shop/domain/content"
	"shop/domain/customer"
	"shop/domain/document"
	"shop/domain/order"
	"shop/domain/post"
	"shop/domain/promocode"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/domain/round"
	"shop/domain/rules"
	"shop/domain/settings"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
)

// auditing is an auditor at work.
type auditing struct {
	*Auditor
	metrics *sdkmetric.ManualReader
	log     *syncedLog
}

type syncedLog struct{ lines atomic.Pointer[string] }

func (l *syncedLog) Write(p []byte) (int, error) {
	for {
		old := l.lines.Load()
		all := string(p)
		if old != nil {
			all = *old + all
		}
		if l.lines.CompareAndSwap(old, &all) {
			return len(p), nil
		}
	}
}

func (l *syncedLog) String() string {
	if all := l.lines.Load(); all != nil {
		return *all
	}
	return ""
}

func audit(t *testing.T, r running, models ...projections.Projection) auditing {
	t.Helper()
	reader := sdkmetric.NewManualReader()
	a := auditing{metrics: reader, log: &syncedLog{}}
	a.Auditor = &Auditor{DB: r.db, Store: r.store, Projections: models, Interval: time.Millisecond, withoutRest: true, Logger: slog.New(slog.NewTextHandler(a.log, nil)),
		Meter: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)).Meter("test")}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); a.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return a
}

// count is the sum of a counter, over the projection named or all.
func (a auditing) count(t *testing.T, name, projection string) int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := a.metrics.Collect(context.WithoutCancel(t.Context()), &all); err != nil {
		t.Fatal(err)
	}
	var n int64
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			for _, point := range m.Data.(metricdata.Sum[int64]).DataPoints {
				if of, _ := point.Attributes.Value("projection"); projection == "" || of.AsString() == projection {
					n += point.Value
				}
			}
		}
	}
	return n
}

func (a auditing) told() []string {
	var lines []string
	for _, f := range a.Findings() {
		lines = append(lines, fmt.Sprintf("%s.%s %s %s %v", f.Projection, f.Table, f.Key, f.Kind, f.Columns))
	}
	slices.Sort(lines)
	return lines
}

// putShop appends events for every table, n of most, and waits until the read models have them.
func (r running) putShop(t *testing.T, n int) {
	t.Helper()
	var last eventstore.Position
	for i := range n {
		product, line := id(byte(100+i)), int64(3)
		r.putProduct(t, i)
		r.put(t, stock.Stream(product), stock.Received{ProductID: product, OnHand: 4, At: noon}, stock.Reserved{ProductID: product, OnHand: 4, Reserved: 1, At: noon})
		r.put(t, catalog.CategoryStream(product), catalog.CategoryAdded{ID: product, Category: catalog.Category{Name: fmt.Sprint("Тело ", i), Picture: &catalog.Picture{Src: "/c"}}})
		r.put(t, catalog.BrandStream(product), catalog.BrandAdded{ID: product, Brand: catalog.Brand{Name: "Kalm"}})
		r.put(t, catalog.MarkStream(product), catalog.MarkAdded{ID: product, Mark: catalog.Mark{Name: "Веган"}})
		r.put(t, promocode.Stream(fmt.Sprint("C", i)), promocode.Issued{Code: fmt.Sprint("C", i), Terms: promocode.Terms{Kind: promocode.Fixed, Value: 500, ValidUntil: noon.Add(123456789)}}, promocode.Redeemed{})
		r.put(t, content.Stream(fmt.Sprint("block-", i)), content.Changed{Name: fmt.Sprint("block-", i), Text: "Скидки", At: noon})
		r.put(t, review.Stream(product), review.Posted{ID: product, ProductID: product, PersonID: product, Rating: 5, Author: review.Author{Name: "Анна"}, At: noon})
		r.put(t, restock.Stream(product), restock.Subscribed{ProductID: product, CustomerID: product, Place: 1, At: noon})
		r.put(t, bonus.Stream(product), bonus.Earned{CustomerID: product, OrderID: product, Amount: 5, Balance: 5, At: noon})
		r.put(t, catalog.ProductStream(product), catalog.ProductShelved{ID: product, Shelf: "A-1", At: noon})
		r.put(t, catalog.ProductStream(product), catalog.ProductLowLineSet{ID: product, LowLine: &line, At: noon})
		r.put(t, catalog.ProductStream(product), catalog.ProductCoded{ID: product, GTIN: "4870000000000", At: noon})
		item := change.Item{Thing: "product", ID: product.String(), Field: "price", Was: json.RawMessage("4"), Now: json.RawMessage("5")}
		r.put(t, change.Stream(product), change.Proposed{ID: product, Title: "Цена", By: "staff:a", Items: 1, At: noon}, change.ItemsListed{Items: []change.Item{item}, At: noon},
			change.ItemsApplied{Results: []change.Result{{Outcome: change.Done}}, At: noon}, change.Applied{At: noon})
		r.put(t, round.Stream(product, "2026-03-03"), round.Sorted{Courier: product, Day: "2026-03-03", Orders: []domain.ID{product}, At: noon})
		r.put(t, customer.Stream(product), customer.Registered{ID: product, Email: fmt.Sprint("a", i, "@example.com"), At: noon})
		r.put(t, basket.Stream(product), basket.Priced{BasketID: product, Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: soap, Amount: 2}}}, At: noon.Add(123456789)})
		last = r.put(t, order.Stream(product), order.Placed{ID: product, Number: int64(i), BasketID: product, PersonID: product, Contact: order.Contact{FirstName: "Айгерим"}, At: noon.Add(time.Duration(i) * 7 * time.Nanosecond),
			Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: soap, Amount: 2}, {ProductID: product, Amount: 1}}}}, order.Approved{At: noon})
	}
	last = max(last, r.put(t, document.Stream("offer"), document.Published{Name: "offer", Version: "2026-03-02", At: noon}))
	last = max(last, r.put(t, settings.Stream, settings.Changed{Version: 1, Settings: settings.Default(), At: noon}))
	last = max(last, r.put(t, rules.Stream, rules.Changed{Version: 1, Rules: rules.Rules{MaxPerOrder: 99, NewDays: 30}, At: noon}))
	for _, p := range projections.All() {
		r.wait(t, p.Name, last)
	}
}

func TestAuditorFindsWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	r := follow(t, projections.All()...)
	r.putShop(t, 8)
	first := uuid.NewSHA1(uuid.Nil, []byte{0, 0})
	for _, sql := range []string{
		"UPDATE catalog.product SET name = 'порча', price = 1 WHERE id = '" + first.String() + "'",
		"DELETE FROM catalog.category WHERE id = '" + id(101).String() + "'",
		"UPDATE catalog.brand SET archived = true WHERE id = '" + id(102).String() + "'",
		"INSERT INTO catalog.mark VALUES ('" + id(1).String() + "', 'Лишняя', '', '{}', NULL, false, 1)",
		"DELETE FROM catalog.word WHERE key = (SELECT min(key) FROM catalog.word)",
		"INSERT INTO catalog.word VALUES ('лишнее/3', 'лишнее')",
		"UPDATE stock.level SET reserved = 0 WHERE product_id = '" + id(103).String() + "'",
		"UPDATE popularity.units SET units = units + 1 WHERE key = (SELECT min(key) FROM popularity.units)",
		"UPDATE orders.orders SET lines = '[]', customer_first_name = 'Секрет' WHERE id = '" + id(104).String() + "'",
		"UPDATE sales.orders SET revenue = 7 WHERE id = '" + id(105).String() + "'",
		"UPDATE sales.lines SET pieces = '{9}' WHERE order_id = '" + id(106).String() + "'",
		"UPDATE sales.goods SET total = 7 WHERE key = (SELECT min(key) FROM sales.goods)",
		"DELETE FROM sales.wait WHERE key = '" + id(101).String() + "/1'",
		"UPDATE sales.bonuses SET earned = earned + 1 WHERE key = (SELECT min(key) FROM sales.bonuses)",
		"UPDATE rules.current SET rules = jsonb_set(rules, '{new_days}', '7')",
		"UPDATE promocode.code SET valid_until = valid_until + interval '1 microsecond' WHERE code = 'C5'",
		"DELETE FROM content.block WHERE name = 'block-6'",
	} {
		if tag, err := r.db.Exec(t.Context(), sql); err != nil || tag.RowsAffected() != 1 {
			t.Fatal(sql, tag, err)
		}
	}
	word := pgtest.All[string](t, r.db, "SELECT 'мыло/' || n FROM generate_series(0, 15) n WHERE NOT EXISTS (SELECT FROM catalog.word WHERE key = 'мыло/' || n)")
	units := pgtest.All[string](t, r.db, "SELECT min(key) FROM popularity.units")[0]
	sold := pgtest.All[string](t, r.db, "SELECT min(key) FROM sales.goods")[0]
	ledgers := pgtest.All[string](t, r.db, "SELECT min(key) FROM sales.bonuses")[0]
	want := []string{
		"catalog.product " + first.String() + " changed [name price called title]",
		"catalog.category " + id(101).String() + " missing []",
		"catalog.brand " + id(102).String() + " changed [archived]",
		"catalog.mark " + id(1).String() + " extra []",
		"catalog.word лишнее/3 extra []",
		"stock.level " + id(103).String() + " changed [reserved available]",
		"popularity.units " + units + " changed [units]",
		"orders.orders " + id(104).String() + " changed [customer_first_name lines]",
		"sales.orders " + id(105).String() + " changed [revenue]",
		"sales.lines " + id(106).String() + " changed [pieces]",
		"sales.goods " + sold + " changed [total]",
		"sales.wait " + id(101).String() + "/1 missing []",
		"sales.bonuses " + ledgers + " changed [earned]",
		"rules.current rules changed [rules new_days]",
		"promocode.code C5 changed [valid_until]",
		"content.block block-6 missing []",
	}
	a := audit(t, r, projections.All()...)
	eventually(t, "findings", func() bool { return len(a.Findings()) > len(want) })
	got := a.told()
	i := slices.IndexFunc(got, func(line string) bool {
		return strings.HasPrefix(line, "catalog.word ") && strings.HasSuffix(line, " missing []")
	})
	if i < 0 {
		t.Fatalf("no missing word among %q (%q)", got, word)
	}
	got = slices.Delete(got, i, i+1)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if logged := a.log.String(); !strings.Contains(logged, "table=orders") || strings.Contains(logged, "Секрет") || strings.Contains(logged, "Айгерим") {
		t.Errorf("logged %s", logged)
	}
	if n := a.count(t, "shop.audit.differences", ""); n != int64(len(want)+1) {
		t.Errorf("counted %d differences", n)
	}

	// A difference that was settled is forgotten.
	if _, err := r.rebuild(t, projections.Stock()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "stock is sound again", func() bool {
		return !slices.ContainsFunc(a.Findings(), func(f Finding) bool { return f.Projection == "stock" })
	})
}

// A healthy shop is never accused: not while it writes, not while a read model is swapped under the auditor's feet.
func TestAuditorIsSilentUnderConstantWrites(t *testing.T) {
	t.Parallel()
	r := follow(t, projections.All()...)
	r.putShop(t, 8)
	blog := id(90)
	if _, err := r.store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: post.Stream(blog), Events: []eventstore.NewEvent{
		{Data: post.Published{ID: blog, Article: post.Article{Link: "inci", Title: "INCI"}, At: time.Now()}},
	}}}}); err != nil {
		t.Fatal(err)
	}
	a := audit(t, r, projections.All()...)
	stop, writing := make(chan struct{}), make(chan error, 2)
	for w := range 2 {
		go func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					writing <- nil
					return
				case <-time.After(5 * time.Millisecond): // faster, and no reader of the log comes to its end
				}
				i := n % 8
				product, placed := id(byte(100+i)), uuid.New()
				_, err := r.store.Append(context.WithoutCancel(t.Context()), eventstore.Append{Writes: []eventstore.Write{
					{Stream: stock.Stream(product), Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{{Data: stock.Received{ProductID: product, OnHand: int64(n), Reserved: int64(w), At: time.Now()}}}},
					{Stream: promocode.Stream(fmt.Sprint("C", i)), Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{{Data: promocode.Redeemed{}}}},
					{Stream: order.Stream(placed), Expected: 0, Events: []eventstore.NewEvent{{Data: order.Placed{ID: placed, PersonID: placed, Contact: order.Contact{FirstName: "А"}, At: time.Now(),
						Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: product, Amount: 1}}}}}}},
				}})
				if err != nil {
					writing <- err
					return
				}
			}
		}()
	}
	for range 4 {
		for _, p := range []projections.Projection{projections.Stock(), projections.Popularity(), projections.Promocodes()} {
			if _, err := r.rebuild(t, p); err != nil {
				t.Error(err)
			}
		}
	}
	for _, p := range projections.All() {
		from := a.count(t, "shop.audit.checked", p.Name)
		eventually(t, "audit of "+p.Name, func() bool {
			return a.count(t, "shop.audit.checked", p.Name) > from+3 || (p.Name == "rules" || p.Name == "settings" || p.Name == "documents" || p.Name == "posts") && from > 0
		})
	}
	close(stop)
	for range 2 {
		if err := <-writing; err != nil {
			t.Error(err)
		}
	}
	if found := a.told(); len(found) > 0 || a.count(t, "shop.audit.differences", "") > 0 {
		t.Errorf("differences in a healthy shop: %q", found)
	}
	if logged := a.log.String(); logged != "" {
		t.Errorf("logged %s", logged)
	}
}

func TestAuditorLeavesOutParkedSkippedAndErasedStreams(t *testing.T) {
	t.Parallel()
	p, whole := projections.Stock(), projections.Stock()
	table := p.Tables[0].(projections.Table[projections.Level])
	sound := table.Fold
	table.Fold = func(key string, l *projections.Level, e eventstore.Event) bool {
		if e.Data.(stock.Received).OnHand == 13 {
			panic("unlucky")
		}
		return sound(key, l, e)
	}
	p.Tables = []projections.AnyTable{table}
	r := follow(t, p, projections.Orders())
	put := func(product domain.ID, onHand int64) eventstore.Position {
		return r.put(t, stock.Stream(product), stock.Received{ProductID: product, OnHand: onHand, At: noon})
	}
	put(id(3), 1)
	put(soap, 1)
	put(soap, 13)
	put(balm, 1)
	skip := put(balm, 13)
	person := id(42)
	last := r.put(t, order.Stream(id(41)), order.Placed{ID: id(41), PersonID: person, Contact: order.Contact{FirstName: "Айгерим"}, At: noon})
	r.wait(t, p.Name, last)
	r.wait(t, "orders", last)
	if err := feed.ControlOf(r.store).Skip(t.Context(), p.Name, skip, "проверено"); err != nil {
		t.Fatal(err)
	}
	if err := r.store.ErasePerson(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	// To this program's fold the parked and the skipped event are sound, so the rows differ from a fold of all events.
	a := audit(t, r, whole, projections.Orders())
	eventually(t, "streams are left out", func() bool {
		return a.count(t, "shop.audit.skipped", "stock") >= 6 && a.count(t, "shop.audit.skipped", "orders") >= 3 && a.count(t, "shop.audit.checked", "stock") >= 3
	})
	if found := a.told(); len(found) > 0 {
		t.Errorf("found %q", found)
	}
}

// What the database generates is compared as well: here its function changed after the row was written.
func TestAuditorComparesGeneratedColumns(t *testing.T) {
	t.Parallel()
	table := projections.Stock().Tables[0].(projections.Table[projections.Level])
	table.DDL = strings.Replace(table.DDL, "greatest(on_hand - reserved, 0)", "public.left_over(on_hand, reserved)", 1)
	p := projections.Projection{Name: "stock", Tables: []projections.AnyTable{table}}
	db := pgtest.Open(t)
	const function = "CREATE OR REPLACE FUNCTION public.left_over(a bigint, b bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT a - b + %d'"
	if _, err := db.Exec(t.Context(), fmt.Sprintf(function, 0)); err != nil {
		t.Fatal(err)
	}
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	prepare(t, db, p)
	r := running{db: db, store: store}
	at := r.put(t, stock.Stream(soap), stock.Received{ProductID: soap, OnHand: 4, At: noon})
	e, err := store.Stream(t.Context(), stock.Stream(soap), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, db, p, e...)
	if _, err := db.Exec(t.Context(), "UPDATE eventstore.checkpoints SET position = $1", int64(at)); err != nil {
		t.Fatal(err)
	}
	a := audit(t, r, p)
	eventually(t, "audit", func() bool { return a.count(t, "shop.audit.checked", "") > 0 })
	if found := a.told(); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	if _, err := db.Exec(t.Context(), fmt.Sprintf(function, 1)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "findings", func() bool { return len(a.Findings()) > 0 })
	expect(t, a.told(), "stock.level "+soap.String()+" changed [available]")
}

func TestOneAuditorWorks(t *testing.T) {
	t.Parallel()
	r := follow(t, projections.Stock())
	r.wait(t, "stock", r.put(t, stock.Stream(soap), stock.Received{ProductID: soap, OnHand: 4, At: noon}))
	conn, err := r.db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	var held bool
	if err := conn.QueryRow(t.Context(), "SELECT pg_try_advisory_lock(hashtext('shop projections'), hashtext('audit'))").Scan(&held); err != nil || !held {
		t.Fatal(held, err)
	}
	a := &Auditor{DB: r.db, Store: r.store, Projections: []projections.Projection{projections.Stock()}, Interval: time.Millisecond}
	a.prepare()
	if err := a.tickWhileLocked(t.Context()); err != nil || a.turn != 0 {
		t.Errorf("a second auditor made %d ticks, %v", a.turn, err)
	}
}
