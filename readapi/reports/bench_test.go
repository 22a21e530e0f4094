package reports_test

import (
	"net/url"
	"strings"
	"testing"

	"shop/eventstore"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi/reports"
)

// million is a read model of 1 000 000 orders of three lines over two years: 1 000 products, 300 000 customers, a tenth
// of the orders cancelled, a quarter of guests.
const million = `
	SET search_path TO sales;
	CREATE TEMP TABLE made AS SELECT n, md5('o' || n)::uuid AS id, t AS placed_at, (t AT TIME ZONE interval '5 hours')::date AS day,
			date_trunc('month', t AT TIME ZONE interval '5 hours')::date AS month,
			CASE WHEN n % 4 = 0 THEN '00000000-0000-0000-0000-000000000000' ELSE md5('u' || (hashint8(n) & 2147483647) % 300000) END::uuid AS buyer,
			CASE WHEN n % 2 = 0 THEN 'Алматы' ELSE 'Город ' || n % 40 END AS city, (ARRAY['CARD', 'KASPI_BILL', 'CASH'])[1 + n / 3 % 3] AS payment, n % 10 <> 0 AS counts,
			ARRAY[md5('p' || (hashint8(n) & 2147483647) % 1000), md5('p' || (hashint8(n + 7) & 2147483647) % 1000), md5('p' || (hashint8(n + 13) & 2147483647) % 1000)]::uuid[] AS products
		FROM (SELECT n, '2024-01-01'::timestamptz + n * interval '63 seconds' AS t FROM generate_series(1, 1000000::bigint) n) g;
	INSERT INTO orders SELECT id, n, placed_at, day, month, buyer, city, payment, 'DELIVERY', CASE WHEN n % 20 = 1 THEN 'WELCOME10' ELSE '' END,
			CASE WHEN counts THEN 'COMPLETED' ELSE 'CANCELLED' END, counts, 12000, 11000, 10000, CASE WHEN n % 9 = 0 THEN 500 ELSE 0 END, 1900,
			11400, CASE WHEN counts THEN 11400 ELSE 0 END, 0, 0, CASE WHEN counts THEN 11400 ELSE 0 END FROM made;
	INSERT INTO lines SELECT id, day, month, city, payment, products, '{1,2,1}', '{6000,4000,2000}', '{5000,3000,2000}' FROM made;
	INSERT INTO goods SELECT product || '/' || month || '/' || range, product, month, count(*), sum(pieces), sum(list), sum(total)
		FROM (SELECT unnest(products) AS product, month, n % 4 AS range, unnest('{1,2,1}'::bigint[]) AS pieces, unnest('{6000,4000,2000}'::bigint[]) AS list,
			unnest('{5000,3000,2000}'::bigint[]) AS total FROM made) l GROUP BY product, month, range;
	INSERT INTO category SELECT md5('c' || n)::uuid, CASE WHEN n < 8 THEN '00000000-0000-0000-0000-000000000000' ELSE md5('c' || n % 8) END::uuid, 'Категория ' || n FROM generate_series(0, 39) n;
	INSERT INTO brand SELECT md5('b' || n)::uuid, 'Бренд ' || n FROM generate_series(0, 49) n;
	INSERT INTO product SELECT md5('p' || n)::uuid, 'A-' || n, 'Товар ' || n, jsonb_build_array(jsonb_build_object('month', '2024-01-01', 'brand_id', md5('b' || n % 50)::uuid,
		'category_id', md5('c' || 8 + n % 32)::uuid)) FROM generate_series(0, 999) n;
	INSERT INTO wait SELECT product_id || '/' || nth, product_id, '2024-01-01'::timestamptz + nth * interval '3 hours',
			CASE WHEN nth % 3 > 0 THEN '2024-02-01'::timestamptz + nth * interval '3 hours' END, nth % 3 = 1
		FROM (SELECT DISTINCT product_id FROM goods) p, generate_series(1, 50) nth;
	INSERT INTO bonuses SELECT day || '/' || range, day, 1000, 500, 50, 10 FROM (SELECT DISTINCT day FROM made) d, generate_series(0, 3) range;
	DROP TABLE made;
	CHECKPOINT; -- VACUUM marks pages as all visible only when their commits are on the disk
	VACUUM ANALYZE orders, lines, goods, product, wait, bonuses, category, brand`

// BenchmarkReports reads each report of a million orders. Run it with -benchtime 5x: making them takes a minute.
func BenchmarkReports(b *testing.B) {
	db := pgtest.Open(b)
	if _, err := rebuild.Prepare(b.Context(), db, projections.Sales()); err != nil {
		b.Fatal(err)
	}
	conn, err := db.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for statement := range strings.SplitSeq(million, ";") {
		if _, err := conn.Exec(b.Context(), statement); err != nil {
			b.Fatalf("%v: %.80s", err, statement)
		}
	}
	if _, err := conn.Exec(b.Context(), "RESET search_path"); err != nil {
		b.Fatal(err)
	}
	conn.Release()
	reader := reports.Reader{DB: db, Store: eventstore.Open(db, nil, eventstore.Options{})}
	for _, r := range reports.All() {
		if r.Projection != "sales" {
			continue
		}
		for name, query := range map[string]string{"": "", " of half a year": "from=2024-03-10&to=2024-09-10", " of a city": "city=Алматы"} {
			values, _ := url.ParseQuery(query)
			q, err := r.Ask(values)
			if err != nil {
				continue // it has no such filter
			}
			b.Run(r.Name+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := reader.Read(b.Context(), r, q, reports.AsOf{Schema: "sales", Position: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
