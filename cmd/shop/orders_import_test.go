package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/readapi/reports"
)

// marketplace writes n orders in the files and columns of a public data set of a Brazilian marketplace, made up, with values
// that such a data set should not have.
func marketplace(t *testing.T, n int) (dir string) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var orders, lines, payments, reviews, customers, products strings.Builder
	orders.WriteString(`"order_id","customer_id","order_status","order_purchase_timestamp","order_approved_at","order_delivered_carrier_date","order_delivered_customer_date","order_estimated_delivery_date"` + "\n")
	lines.WriteString(`"order_id","order_item_id","product_id","seller_id","shipping_limit_date","price","freight_value"` + "\n")
	payments.WriteString(`"order_id","payment_sequential","payment_type","payment_installments","payment_value"` + "\n")
	reviews.WriteString(`"review_id","order_id","review_score","review_comment_title","review_comment_message","review_creation_date","review_answer_timestamp"` + "\n")
	customers.WriteString(`"customer_id","customer_unique_id","customer_zip_code_prefix","customer_city","customer_state"` + "\n")
	products.WriteString(`"product_id","product_category_name","product_name_lenght","product_description_lenght","product_photos_qty","product_weight_g","product_length_cm","product_height_cm","product_width_cm"` + "\n")
	towns, kinds := []string{"sao paulo", "rio de janeiro", "curitiba", ""}, []string{"beleza_saude", "perfumaria", "bebes"}
	statuses := []string{"delivered", "delivered", "delivered", "delivered", "delivered", "shipped", "canceled", "unavailable", "invoiced", "processing", "created", "approved"}
	for i := range n {
		id := fmt.Sprintf("%08x%024x", random.Uint32(), i)
		placed := time.Date(2016, 9, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.Int64N(int64(2 * 365 * 24 * time.Hour)))).Truncate(time.Second)
		at := placed.Format("2006-01-02 15:04:05")
		status, approved, key := statuses[random.IntN(len(statuses))], placed.Add(time.Hour).Format("2006-01-02 15:04:05"), id
		switch random.IntN(100) {
		case 0:
			status = "lost"
		case 1:
			at = "yesterday"
		case 2:
			key = ""
		case 3:
			approved = "0000-00-00 00:00:00"
		}
		row := fmt.Sprintf("%q,\"c%d\",%q,%q,%q,\"\",%q,\"\"\n", key, i, status, at, approved, map[bool]string{true: placed.Add(240 * time.Hour).Format("2006-01-02 15:04:05")}[status == "delivered"])
		orders.WriteString(row)
		if random.IntN(200) == 0 {
			orders.WriteString(row)
		}
		if i%1000 > 0 { // of some nothing is said
			fmt.Fprintf(&customers, "\"c%d\",\"u%d\",\"01012\",%q,SP\n", i, random.IntN(n*9/10), towns[i%len(towns)])
		}
		if random.IntN(500) == 0 {
			fmt.Fprintf(&customers, "\"c%d\",\"twin\",\"01012\",twin,SP\n", i)
		}
		var cents int64
		for nth := range random.IntN(4) { // some orders have no lines
			price, freight := 500+random.Int64N(40_000), random.Int64N(6_000)
			cents += price + freight
			cell := fmt.Sprintf("%d.%02d", price/100, price%100)
			switch random.IntN(150) {
			case 0:
				cell = "-" + cell
			case 1:
				cell = ""
			}
			line := fmt.Sprintf("%q,%d,\"p%d\",\"s\",\"\",%s,%d.%02d\n", id, nth+1, random.IntN(500), cell, freight/100, freight%100)
			lines.WriteString(line)
			if random.IntN(300) == 0 {
				lines.WriteString(line)
			}
		}
		for nth := range 1 + random.IntN(2) {
			part := cents / int64(1+nth)
			cell := fmt.Sprintf("%d.%02d", part/100, part%100)
			if random.IntN(100) == 0 {
				cell = "R$ ?"
			}
			fmt.Fprintf(&payments, "%q,%d,%q,1,%s\n", id, nth+1, []string{"credit_card", "boleto", "voucher"}[random.IntN(3)], cell)
		}
		if random.IntN(3) > 0 {
			fmt.Fprintf(&reviews, "\"r%d\",%q,%d,,\"Muito bom,\nrecomendo\",%q,\"\"\n", i, id, 1+random.IntN(6), at)
		}
	}
	payments.WriteString("\"nobody\",1,\"boleto\",1,12.00\n")
	for product := range 499 { // of one nothing is said
		fmt.Fprintf(&products, "\"p%d\",%q,40,287,1,225,16,10,14\n", product, kinds[product%len(kinds)])
	}
	dir = t.TempDir()
	for name, text := range map[string]string{
		"orders": orders.String(), "order_items": lines.String(), "order_payments": payments.String(), "order_reviews": reviews.String(),
		"customers": customers.String(), "products": products.String(), "sellers": "seller_id,seller_city\ns,campinas\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "olist_"+name+"_dataset.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// believed is what can be used of the files, by hand: SQL over their texts.
const believed = `
	WITH o AS (
		SELECT DISTINCT ON (r.id) r.id, coalesce(c.person, r.customer) AS customer, coalesce(c.city, '') AS city, status, placed::timestamptz AS placed
		FROM raw_orders r LEFT JOIN (SELECT DISTINCT ON (id) * FROM raw_customers ORDER BY id, person = 'twin') c ON c.id = r.customer
		WHERE r.id <> '' AND status <> 'lost' AND placed ~ '^[0-9]'
	), l AS (
		SELECT DISTINCT ON (l.id, nth) l.id, nth, product, coalesce(nullif(category, ''), 'Из истории заказов') AS category,
			round(price::numeric * 92.5)::bigint AS price, round(freight::numeric * 92.5)::bigint AS freight
		FROM raw_lines l LEFT JOIN raw_products p ON p.id = product WHERE price ~ '^[0-9]+([.][0-9]+)?$'
	), goods AS (
		SELECT id, sum(price) AS goods, sum(freight) AS delivery FROM l GROUP BY id
	), p AS (
		SELECT id, nth, CASE WHEN method = 'boleto' THEN 'KASPI_BILL' ELSE 'CARD' END AS method, round(value::numeric * 92.5)::bigint AS value
		FROM raw_payments WHERE value ~ '^[0-9]' AND value::numeric > 0
	), money AS (
		SELECT id, sum(value)::bigint AS captured, (array_agg(method ORDER BY value DESC, nth))[1] AS method FROM p GROUP BY id
	), told AS (
		SELECT o.id, customer, city, placed + interval '5 hours' AS placed, to_char(placed AT TIME ZONE 'UTC', 'YYYY-MM') AS month, coalesce(captured, 0) AS captured,
			coalesce(method, 'CARD') AS method, goods, delivery,
			CASE WHEN status = 'delivered' THEN 'COMPLETED' WHEN status IN ('shipped', 'invoiced', 'processing') THEN 'PROCESSING'
				WHEN status IN ('canceled', 'unavailable') THEN 'CANCELLED' WHEN status = 'created' THEN 'RECEIVED' ELSE 'APPROVED' END AS status
		FROM o JOIN goods USING (id) LEFT JOIN money USING (id)
	), sold AS (
		SELECT *, goods + delivery AS revenue, to_char(placed AT TIME ZONE 'UTC', 'YYYY-MM') AS here FROM told WHERE status <> 'CANCELLED'
	), first AS (
		SELECT customer, min(here) AS cohort FROM sold GROUP BY customer
	)`

const byHand = believed + `
	SELECT format('%s %s: %s orders, goods %s, delivery %s, captured %s', month, status, count(*), sum(goods), sum(delivery), sum(captured))
	FROM told GROUP BY month, status ORDER BY 1`

// reportsByHand are reports by the columns that are compared, and the same by hand.
var reportsByHand = map[string]struct {
	columns []string
	sql     string
}{
	"sales":      {[]string{"month", "orders", "list", "delivery", "revenue"}, "SELECT format('%s %s %s %s %s', here, count(*), sum(goods), sum(delivery), sum(revenue)) FROM sold GROUP BY here"},
	"cities":     {[]string{"city", "orders", "revenue"}, "SELECT format('%s %s %s', coalesce(nullif(city, ''), 'Unknown'), count(*) FILTER (WHERE status <> 'CANCELLED'), coalesce(sum(goods + delivery) FILTER (WHERE status <> 'CANCELLED'), 0)) FROM told GROUP BY city"},
	"payments":   {[]string{"payment", "orders", "revenue"}, "SELECT format('%s %s %s', method, count(*), sum(revenue)) FROM sold GROUP BY method"},
	"products":   {[]string{"article", "lines", "pieces", "sales"}, "SELECT format('%s %s %s %s', product, count(*), count(*), sum(price)) FROM sold JOIN l USING (id) GROUP BY product"},
	"categories": {[]string{"category", "lines", "sales"}, "SELECT format('%s %s %s', l.category, count(*), sum(price)) FROM sold JOIN l USING (id) GROUP BY l.category"},
	"cohorts": {[]string{"cohort", "since", "active", "orders", "revenue"}, `SELECT format('%s %s %s %s %s', cohort, since, count(DISTINCT customer), count(here), coalesce(sum(revenue), 0))
		FROM (SELECT DISTINCT cohort FROM first) c CROSS JOIN LATERAL (
			SELECT to_char(m, 'YYYY-MM') AS month, row_number() OVER (ORDER BY m) - 1 AS since
			FROM generate_series((cohort || '-01')::date, ((SELECT max(here) FROM sold) || '-01')::date, interval '1 month') m
		) m LEFT JOIN (SELECT cohort AS began, customer, here, revenue FROM sold JOIN first USING (customer)) s ON began = cohort AND here = month GROUP BY cohort, since`},
	"repeat": {[]string{"month", "first", "repeat", "guests", "first_revenue", "repeat_revenue"}, `SELECT format('%s %s %s 0 %s %s', here, count(*) FILTER (WHERE nth = 1),
		count(*) FILTER (WHERE nth > 1), coalesce(sum(revenue) FILTER (WHERE nth = 1), 0), coalesce(sum(revenue) FILTER (WHERE nth > 1), 0))
		FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY placed, id) AS nth FROM sold) s GROUP BY here`},
}

const byReadModel = `
	SELECT format('%s %s: %s orders, goods %s, delivery %s, captured %s', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM'), status,
		count(*), sum(total_sum), sum(delivery_price), sum(captured))
	FROM orders.orders GROUP BY to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM'), status ORDER BY 1`

// The data set is made up, unless SHOP_TEST_HISTORY names a folder that has the marketplace's own files.
func TestTheHistoryOfAMarketplaceAddsUp(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	dir, complaints := os.Getenv("SHOP_TEST_HISTORY"), []string{"olist_sellers_dataset.csv: passed over", "order_id: has no lines that can be used"}
	if dir == "" {
		dir = marketplace(t, 8000)
		complaints = append(complaints, `status: "lost" is not known`, `placed_at: "yesterday" is no time`, "order_id: is empty", "approved_at: ",
			"order_id: is there twice; the first one counts", "customer_id: is there twice", "is negative", "price: is empty", "line: is there twice in its order",
			`amount: "R$ ?" is no amount`, "order_id: is no order of these files", "rating: ")
	}
	line := []string{"orders", "import", dir, "--source", "olist", "--currency", "BRL", "--rate", "92.5"}
	before := p.head()

	named := p.run("orders", "import", filepath.Join(dir, "olist_orders_dataset.csv"), filepath.Join(dir, "olist_sellers_dataset.csv"))
	if named.status != terminal.Failed || !strings.Contains(named.stderr, "olist_sellers_dataset.csv: its columns (seller_id, ") {
		t.Errorf("a file that is named and of no use: %+v", named)
	}
	alone := p.run("orders", "import", filepath.Join(dir, "olist_order_items_dataset.csv"))
	if alone.status != terminal.Failed || !strings.Contains(alone.stderr, "olist_order_items_dataset.csv holds orders: needed are") {
		t.Errorf("lines without orders: %+v", alone)
	}
	dry := p.run(append(line, "--dry-run")...)
	if dry.status != terminal.Done || p.head() != before {
		t.Fatalf("a dry run: %+v, head %d after %d", dry, p.head(), before)
	}
	said := p.run(line...)
	if said.status != terminal.Done || strings.TrimPrefix(said.stdout, "imported") != strings.TrimPrefix(dry.stdout, "would be imported") {
		t.Fatalf("said %q after %q", said.stdout, dry.stdout)
	}
	for _, complaint := range complaints {
		if !strings.Contains(said.stderr, complaint) {
			t.Errorf("nothing was said of %s", complaint)
		}
	}
	head := p.head()
	if again := p.ok(line...); p.head() != head || !strings.HasPrefix(again, "imported: 0 orders for 0 ₸, 0 reviews, 0 products") {
		t.Errorf("head %d after %d: %s", p.head(), head, again)
	}

	ctx := context.Background()
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(ctx)
	if err := s.CatchUp(ctx, terminal.World{Stderr: new(strings.Builder)}, "orders", "reviews", "sales"); err != nil {
		t.Fatal(err)
	}
	loadTexts(t, s.Pool, dir)
	want, got := texts(t, s.Pool, byHand), texts(t, s.Pool, byReadModel)
	if len(want) < 50 || strings.Join(want, "\n") != strings.Join(got, "\n") {
		t.Errorf("%d groups by hand, %d in the read model", len(want), len(got))
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				t.Fatalf("by hand %s\nmodel   %s", want[i], got[i])
			}
		}
	}
	for name, c := range reportsByHand {
		report, _ := reports.Named(name)
		q, err := report.Ask(nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := reports.Reader{DB: s.Pool, Store: s.Store}.Read(ctx, report, q, reports.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		want, got := texts(t, s.Pool, believed+c.sql), make([]string, len(answer.Rows))
		for i, row := range answer.Rows {
			for _, key := range c.columns {
				got[i] = strings.TrimSpace(fmt.Sprint(got[i], " ", row[key]))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if len(want) < 2 || !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, by hand %d\n%.900s\nby hand\n%.900s", name, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	counted := texts(t, s.Pool, "SELECT format('%s %s', rating, count(*)) FROM reviews.review GROUP BY rating ORDER BY 1")
	if want := texts(t, s.Pool, believed+"SELECT format('%s %s', score, count(*)) FROM raw_reviews JOIN told ON told.id = order_id WHERE score BETWEEN '1' AND '5' GROUP BY score ORDER BY 1"); len(want) != 5 || !slices.Equal(counted, want) {
		t.Errorf("reviews %v, by hand %v", counted, want)
	}
	// Nobody is asked for money, given any back, or sent goods.
	for sql, want := range map[string]string{
		"SELECT count(*)::text FROM orders.orders WHERE owed <> 0 OR pay_before IS NOT NULL OR customer_id <> '00000000-0000-0000-0000-000000000000' OR rules_version <> 0": "0",
		"SELECT count(*)::text FROM orders.payments WHERE provider <> ''":                                                          "0",
		"SELECT count(*)::text FROM eventstore.events WHERE type LIKE 'stock.%' OR type LIKE 'bonus.%'":                            "0",
		"SELECT count(*)::text FROM eventstore.events WHERE type LIKE 'order.%' AND NOT metadata::jsonb @> '{\"imported\": true}'": "0",
		"SELECT (count(*) = count(DISTINCT number) AND min(number) > 100000)::text FROM orders.orders":                             "true",
	} {
		if got := texts(t, s.Pool, sql); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}

// loadTexts puts the files' texts into tables.
func loadTexts(t *testing.T, db *pgxpool.Pool, dir string) {
	t.Helper()
	for file, table := range map[string]string{
		"orders":         "raw_orders (id text, customer text, status text, placed text, approved text, shipped text, delivered text, promised text)",
		"order_items":    "raw_lines (id text, nth text, product text, seller text, ship_until text, price text, freight text)",
		"order_payments": "raw_payments (id text, nth text, method text, installments text, value text)",
		"order_reviews":  "raw_reviews (id text, order_id text, score text, title text, message text, created text, answered text)",
		"customers":      "raw_customers (id text, person text, zip text, city text, state text)",
		"products":       "raw_products (id text, category text, name_length text, description_length text, photos text, weight text, length text, height text, width text)",
	} {
		if _, err := db.Exec(t.Context(), "CREATE TABLE "+table); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(filepath.Join(dir, "olist_"+file+"_dataset.csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		conn, err := db.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Conn().PgConn().CopyFrom(t.Context(), f, "COPY "+strings.Fields(table)[0]+" FROM STDIN (FORMAT csv, HEADER, FORCE_NOT_NULL *)")
		conn.Release()
		if err != nil {
			t.Fatal(err)
		}
	}
}

func texts(t *testing.T, db *pgxpool.Pool, sql string) (found []string) {
	t.Helper()
	if err := db.QueryRow(t.Context(), "SELECT coalesce(array_agg(x), '{}') FROM ("+sql+") q (x)").Scan(&found); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return found
}

func TestOrdersImportRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	p := program{t, nil}
	for want, line := range map[string]string{
		"--currency other than KZT and --rate go together": "orders import x --currency BRL",
		"--rate: \"0\" is no rate":                         "orders import x --currency BRL --rate 0",
		"--currency: \"EURO\" is no currency":              "orders import x --currency EURO --rate 500",
		"requires at least 1 arg":                          "orders import",
	} {
		if got := p.run(strings.Fields(line)...); got.status != terminal.Misuse || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v, want %q", line, got, want)
		}
	}
}

func TestFilesOfAFolderAreReadOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"lines.csv", "orders.csv", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names, err := cli.FilesIn([]string{dir, dir + "/./orders.csv", dir})
	if err != nil || !slices.Equal(names, []string{filepath.Join(dir, "lines.csv"), filepath.Join(dir, "orders.csv")}) {
		t.Errorf("%q, %v", names, err)
	}
}

// history writes files of a past into a folder, by their names.
func history(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExportsThatOverlapAreCountedOnce: what has no number counts as often as in the file that has most of it.
func TestExportsThatOverlapAreCountedOnce(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	const head, lines, payments = "order_id,status,placed_at\n", "order_id,article,price\n", "order_id,amount,method\n"
	march := map[string]string{
		"march-orders.csv":   head + "A,delivered,2025-03-02\nB,delivered,2025-03-30\n",
		"march-lines.csv":    lines + "A,soap,100\nA,soap,100\nB,cream,2000\n",
		"march-payments.csv": payments + "A,100,card\nA,100,card\nB,3000,card\n",
	}
	april := map[string]string{
		"april-orders.csv":   head + "B,delivered,2025-03-30\nC,delivered,2025-04-02\n",
		"april-lines.csv":    lines + "B,cream,2000\nB,cream,2000\nB,soap,100\nC,soap,100\n",
		"april-payments.csv": payments + "B,3000,card\nB,1100,card\nC,100,card\n",
		"copy-lines.csv":     "order_id,line,article,price\nC,1,soap,100\n",
	}
	maps.Copy(april, march)
	both := history(t, april)
	got := p.run("orders", "import", both)
	if got.status != terminal.Done || !strings.HasPrefix(got.stdout, "imported: 3 orders for 4\u00a0400 ₸, ") {
		t.Errorf("A is 200, B 4 100 and C 100; got %+v", got)
	}
	for _, want := range []string{
		"march-lines.csv, line 4, line: is in another file as well", "april-lines.csv, line 5, line: is in another file as well",
		"march-payments.csv, line 4, payment: is in another file as well",
	} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("%q is not told in\n%s", want, got.stderr)
		}
	}
	db, err := pgxpool.New(t.Context(), p.config().DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	paid := texts(t, db, `SELECT (d->>'amount') FROM eventstore.events e, LATERAL (SELECT e.data::jsonb AS d) x WHERE type = 'order.paid' ORDER BY (d->>'amount')::int`)
	if want := []string{"100", "100", "100", "1100", "3000"}; !slices.Equal(paid, want) {
		t.Errorf("paid %v, want %v", paid, want)
	}
	if again := p.ok("orders", "import", both, filepath.Join(both, "march-lines.csv")); !strings.HasPrefix(again, "imported: 0 orders for 0 ₸") {
		t.Errorf("again: %s", again)
	}
}

func TestOrdersWithoutLinesAreToldAndLeftOut(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	var orders strings.Builder
	orders.WriteString("order_id,status,placed_at\n")
	for n := range 12 {
		fmt.Fprintf(&orders, "A-%02d,canceled,2025-03-02\n", n)
	}
	dir := history(t, map[string]string{"orders.csv": orders.String(), "lines.csv": "order_id,article,price\nA-03,soap,100\nA-04,soap,free\n"})
	got := p.ok("orders", "import", dir)
	const want = "left out: 11 orders without a line that can be used, so that nothing says what they cost: A-00, A-01, A-02, A-04, A-05, A-06, A-07, A-08, A-09, A-10 …\n"
	if !strings.HasPrefix(got, "imported: 1 orders for 100 ₸") || !strings.HasSuffix(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestAnImportThatFailsTellsWhere, and of what was written only when something was.
func TestAnImportThatFailsTellsWhere(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	dir := history(t, map[string]string{
		"orders.csv": "order_id,status,placed_at\nA,delivered,2025-03-02\n", "lines.csv": "order_id,article,price\nA,soap,100\n",
		"reviews.csv": "order_id,rating,content\nA,5,good\nA,5,\"" + strings.Repeat("so good, ", 1<<17),
	})
	got := p.run("orders", "import", dir)
	if want := "shop: " + dir + "/reviews.csv, line 3, content: the row that begins here has more than 1048576 bytes; is a quote not closed?\n"; got.status != terminal.Failed || got.stdout != "" || got.stderr != want {
		t.Errorf("got %+v\nwant %s", got, want)
	}
}
