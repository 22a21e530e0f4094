package orderfile_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/commands/importer/orderfile"
	"shop/domain"
)

var now = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

// read is all that a file says: the usable rows, and what was complained about.
func read(t *testing.T, rate, text string) (kind orderfile.Kind, rows []orderfile.Row, bad []string) {
	t.Helper()
	unit, err := orderfile.ParseRate(rate)
	if err != nil {
		t.Fatal(err)
	}
	file, err := orderfile.Open(strings.NewReader(text), "f.csv", unit, now)
	if err != nil {
		t.Fatal(err)
	}
	for {
		row, usable, complaints, err := file.Next()
		if errors.Is(err, io.EOF) {
			return file.Kind(), rows, bad
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range complaints {
			bad = append(bad, c.Error())
		}
		if usable {
			rows = append(rows, row)
		}
	}
}

func TestAmountsAreConvertedHalfUp(t *testing.T) {
	t.Parallel()
	rate, err := orderfile.ParseRate("92.5")
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]domain.Money{
		"1": 93 /* 92.5 */, "29.99": 2774 /* 2774.075 */, "0.02": 2 /* 1.85 */, "0.01": 1 /* 0.925 */, "0": 0, "58,90": 5448 /* 5448.25 */, "0.2": 19 /* 18.5 */, "0.0054": 0, /* 0.4995 */
	} {
		if got, reason := rate.Convert(cell); got != want || reason != "" {
			t.Errorf("%s is %d, %q; want %d", cell, got, reason, want)
		}
	}
	for cell, want := range map[string]string{"": "is empty", "-1": "negative", "1e5": "no amount", "1.000,00": "no amount", "NaN": "no amount", "99999999999": "more than"} {
		if got, reason := rate.Convert(cell); got != 0 || !strings.Contains(reason, want) {
			t.Errorf("%q is %d, %q; want %q", cell, got, reason, want)
		}
	}
	for _, bad := range []string{"0", "-2", "x", "1/2"} {
		if _, err := orderfile.ParseRate(bad); err == nil {
			t.Errorf("%q was taken for a rate", bad)
		}
	}
}

func TestOrdersOfAMarketplaceAreRead(t *testing.T) {
	t.Parallel()
	kind, rows, bad := read(t, "", "\ufeff\"order_id\",\"customer_id\",\"order_status\",\"order_purchase_timestamp\",\"order_approved_at\",\"order_delivered_carrier_date\",\"order_delivered_customer_date\"\n"+
		"\"a\",\"c\",\"delivered\",\"2017-10-02 10:56:33\",\"2017-10-02 11:07:15\",\"\",\"2017-10-10 21:25:13\"\n"+
		"b,c,lost,2017-10-02 10:56:33,,,\n"+
		"c,c,shipped,yesterday,,,\n"+
		"d,c,canceled,2017-10-02,2027-01-01 00:00:00,,\n"+
		",c,canceled,2017-10-02,,,\n")
	if kind != orderfile.Orders || len(rows) != 2 {
		t.Fatalf("%s, %d rows", kind, len(rows))
	}
	first := rows[0]
	if first.OrderID != "a" || first.Status != "COMPLETED" || !first.PlacedAt.Equal(time.Date(2017, 10, 2, 10, 56, 33, 0, time.UTC)) ||
		!first.CompletedAt.Equal(time.Date(2017, 10, 10, 21, 25, 13, 0, time.UTC)) || !first.ShippedAt.IsZero() || first.Line != 2 {
		t.Errorf("%+v", first)
	}
	if rows[1].OrderID != "d" || rows[1].Status != "CANCELLED" || !rows[1].ApprovedAt.IsZero() {
		t.Errorf("%+v", rows[1])
	}
	want := []string{
		`f.csv, line 3, status: "lost" is not known; want RECEIVED, APPROVED, PROCESSING, COMPLETED, CANCELLED, REFUNDED or PAYMENT_ERR`,
		`f.csv, line 4, placed_at: "yesterday" is no time; want one such as 2017-10-02 10:56:33 or 2017-10-02`,
		`f.csv, line 5, approved_at: "2027-01-01 00:00:00" lies before 1990 or in the future`, `f.csv, line 6, order_id: is empty`,
	}
	if !slices.Equal(bad, want) {
		t.Errorf("complained %q\nwant %q", bad, want)
	}
}

func TestLinesPaymentsAndReviewsAreTold(t *testing.T) {
	t.Parallel()
	kind, rows, bad := read(t, "100", "order_id;article;price;amount;delivery_price\na;KA-1;10,005;3;1\na;KA-2;-5;1;\na;KA-3;5;0;\n")
	if kind != orderfile.Lines || len(rows) != 1 || rows[0].Price != 1001 || rows[0].DiscountedPrice != 1001 || rows[0].Pieces != 3 || rows[0].DeliveryPrice != 100 || len(bad) != 2 {
		t.Errorf("%s %+v %q", kind, rows, bad)
	}
	kind, rows, bad = read(t, "", "order_id,payment_sequential,payment_type,payment_value\na,1,boleto,100\na,2,shells,5\na,3,voucher,0.00\n")
	if kind != orderfile.Payments || len(rows) != 2 || rows[0].Method != domain.KaspiBill || rows[1].Method != domain.Card || rows[1].Amount != 5 || len(bad) != 2 {
		t.Errorf("%s %+v %q", kind, rows, bad)
	}
	kind, rows, bad = read(t, "", "review_id,order_id,review_score,review_comment_message\nr,a,4,\"Bom,\nmuito bom\"\nq,a,6,\n")
	if kind != orderfile.Reviews || len(rows) != 1 || rows[0].Rating != 4 || rows[0].Content != "Bom,\nmuito bom" || len(bad) != 1 || !strings.Contains(bad[0], "line 4, rating") {
		t.Errorf("%s %+v %q", kind, rows, bad)
	}
	kind, rows, bad = read(t, "", "customer_id,customer_unique_id,customer_zip_code_prefix,customer_city\nc,u,14409,franca\n,u,1,franca\n")
	if kind != orderfile.Customers || len(rows) != 1 || rows[0].Customer != "c" || rows[0].Person != "u" || rows[0].City != "franca" || !slices.Equal(bad, []string{"f.csv, line 3, customer_id: is empty"}) {
		t.Errorf("%s %+v %q", kind, rows, bad)
	}
	for header, want := range map[string]orderfile.Kind{
		"customer_id;city": orderfile.Customers, "article,price,name": orderfile.Products, "product_id,product_category_name,product_photos_qty": orderfile.Products,
		"order_id,article,price,name,category": orderfile.Lines, "order_id,status,placed_at,customer_id,city": orderfile.Orders,
	} {
		if kind, _, _ := read(t, "", header+"\n"); kind != want {
			t.Errorf("%s is of %s, want %s", header, kind, want)
		}
	}
	var unknown *orderfile.UnknownFile
	if _, err := orderfile.Open(strings.NewReader("name,colour\n"), "f.csv", orderfile.Rate{}, now); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "name, colour") ||
		!strings.Contains(err.Error(), "order_id, article, price (lines)") {
		t.Errorf("%v", err)
	}
}

func TestBrokenQuotesCostTheirLine(t *testing.T) {
	t.Parallel()
	_, rows, bad := read(t, "", "order_id,status,placed_at\na,delivered,2017-10-02\nb\"x,delivered,2017-10-02\nc,delivered,2017-10-02\n")
	if len(rows) != 2 || rows[1].OrderID != "c" || len(bad) != 1 || !strings.HasPrefix(bad[0], "f.csv, line 3: ") {
		t.Errorf("%+v %q", rows, bad)
	}
}

func TestAHeaderThatCannotBeReadIsTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "f.csv is empty; it needs a header", "order_id,\"sta\"tus\na,b\n": "f.csv, line 1: the header cannot be read: extraneous or missing \" in quoted-field at character 14",
	} {
		if _, err := orderfile.Open(strings.NewReader(text), "f.csv", orderfile.Rate{}, now); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// endless is a file whose last quote nobody closes.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "no end, \n"[i%9]
	}
	e.read += int64(len(p))
	return len(p), nil
}

func TestAQuoteThatNobodyClosesIsNotReadToTheEnd(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]string{"review_id": `"q,`, "rating": `q,a,"5,`, "mood": `q,a,5,so,"`, "": strings.Repeat("a,", 1<<20)} {
		file, err := orderfile.Open(io.MultiReader(strings.NewReader("review_id,order_id,rating,content,mood\n"+row), new(endless)), "f.csv", orderfile.Rate{}, now)
		if err != nil {
			t.Fatal(err)
		}
		var bad *orderfile.BadValue
		if _, _, _, err = file.Next(); !errors.As(err, &bad) || bad.Line != 2 || bad.Field != name {
			t.Errorf("%v, want line 2 and %q", err, name)
		}
	}
	var rest endless
	file, err := orderfile.Open(io.MultiReader(strings.NewReader("review_id,order_id,rating,content\nq,a,5,\"so\ngood\"\nr,a,5,\"so "), &rest), "f.csv", orderfile.Rate{}, now)
	if err != nil {
		t.Fatal(err)
	}
	if row, _, _, err := file.Next(); err != nil || row.Content != "so\ngood" {
		t.Fatal(row, err)
	}
	_, _, _, err = file.Next()
	if err == nil || !strings.HasPrefix(err.Error(), "f.csv, line 4, content: ") || !strings.HasSuffix(err.Error(), "is a quote not closed?") {
		t.Errorf("%v, want line 4 and the column told", err)
	}
	if rest.read > 2<<20 {
		t.Errorf("%d bytes were read", rest.read)
	}
}
