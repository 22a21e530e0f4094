package dataset_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections/dataset"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var (
	soap     = uuid.MustParse("01990000-0000-7000-8000-000000000001")
	first    = uuid.MustParse("01990000-0000-7000-8000-0000000000a1")
	second   = uuid.MustParse("01990000-0000-7000-8000-0000000000a2")
	aliya    = uuid.MustParse("01990000-0000-7000-8000-0000000000b1")
	guest    = uuid.MustParse("01990000-0000-7000-8000-0000000000b2")
	cart     = uuid.MustParse("01990000-0000-7000-8000-0000000000c1")
	april    = time.Date(2026, 4, 30, 18, 59, 59, 123456000, time.UTC) // still April in Almaty
	may      = time.Date(2026, 4, 30, 19, 0, 0, 0, time.UTC)           // May in Almaty
	key      = []byte("a key for tests")
	contact  = order.Contact{FirstName: "Алия", LastName: "Сейткали", Email: "aliya@example.kz", Phone: "+77011234567"}
	address  = order.Address{City: "Алматы", Street: "Абая", House: "10"}
	oneSoap  = domain.PricedLine{ProductID: soap, Article: "KA-1", Name: "Мыло «Полынь»", Amount: 2, Price: 5000, DiscountedPrice: 4500, OrderDiscount: 450, Total: 8550}
	priced   = domain.Calculation{Lines: []domain.PricedLine{oneSoap}, ListSum: 10000, TotalSum: 9000, OrderDiscount: 5, DiscountedSum: 8550, DeliveryPrice: 1900, TotalPaid: 10450, CanCreateOrder: true, RulesVersion: 3}
	placed   = order.Placed{ID: first, Number: 100001, CustomerID: aliya, PersonID: aliya, Contact: contact, City: "Алматы", Address: address, DeliveryType: domain.Delivery, PaymentMethod: domain.Card, Calculation: priced, DeliveryDate: "2026-05-01", At: april}
	byGuest  = order.Placed{ID: second, Number: 100002, PersonID: guest, Contact: contact, City: "Астана", Address: address, DeliveryType: domain.Delivery, PaymentMethod: domain.KaspiBill, Calculation: priced, At: may}
	reserved = stock.Reserved{ProductID: soap, OrderID: first, Quantity: 2, OnHand: 10, Reserved: 2, Cause: stock.Cause{Kind: "order", Ref: first.String()}, At: april}
)

func open(t *testing.T) *eventstore.Store {
	t.Helper()
	store := eventstore.Open(pgtest.Open(t), registry.New(), eventstore.Options{Clock: func() time.Time { return may }})
	t.Cleanup(store.Close)
	return store
}

func tell(t *testing.T, store *eventstore.Store, stream string, events ...domain.Event) eventstore.Position {
	t.Helper()
	w := eventstore.Write{Stream: stream, Expected: eventstore.AnyVersion}
	for _, e := range events {
		w.Events = append(w.Events, eventstore.NewEvent{Data: e})
	}
	done, err := store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{w}, Metadata: eventstore.Metadata{Actor: "customer:" + aliya.String(), CorrelationID: "c-1"}})
	if err != nil {
		t.Fatal(err)
	}
	return done.Position
}

func write(t *testing.T, store *eventstore.Store, name string, o dataset.Options) dataset.Report {
	t.Helper()
	o.Secret = key
	if o.Format == "" {
		o.Format = dataset.Parquet
	}
	report, err := dataset.Write(t.Context(), store, name, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// rows are all rows of a data set's month, as the library reads them back.
func rows[R any](t *testing.T, dir, name, month string) []R {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, name, "month="+month, "part-*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	var all []R
	for _, file := range files {
		found, err := parquet.ReadFile[R](file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

func TestOrdersStandAsTheyEnded(t *testing.T) {
	t.Parallel()
	store, dir := open(t), t.TempDir()
	tell(t, store, order.Stream(first), placed, order.PaymentRequested{PaymentID: "p1", Amount: 10450, Attempt: 1, At: april})
	tell(t, store, order.Stream(second), byGuest)
	paid := tell(t, store, order.Stream(first), order.Paid{PaymentID: "p1", Amount: 10450, At: may}, order.Approved{At: may})

	report := write(t, store, "orders", dataset.Options{Dir: dir})

	if report.Rows != 2 || report.Files != 2 {
		t.Errorf("report %+v", report)
	}
	inApril, inMay := rows[dataset.Order](t, dir, "orders", "2026-04"), rows[dataset.Order](t, dir, "orders", "2026-05")
	if len(inApril) != 1 || len(inMay) != 1 {
		t.Fatalf("%d rows in April, %d in May", len(inApril), len(inMay))
	}
	want := dataset.Order{
		Position: int64(paid), OrderID: first.String(), Number: 100001, Status: "APPROVED", IsPaid: true, IsCustomer: true, Person: inApril[0].Person,
		City: "Алматы", DeliveryType: "DELIVERY", PaymentMethod: "CARD", Lines: 1, Pieces: 2, ListSum: 10000, TotalSum: 9000, OrderDiscountPercent: 5,
		DiscountedSum: 8550, DeliveryPrice: 1900, TotalPaid: 10450, Captured: 10450, RulesVersion: 3,
		PlacedAt: april.UnixMicro(), PaidAt: may.UnixMicro(), DeliveryDate: 20574,
	}
	if inApril[0] != want {
		t.Errorf("got  %+v\nwant %+v", inApril[0], want)
	}
	if g := inMay[0]; g.Status != "RECEIVED" || g.IsPaid || g.IsCustomer || g.PaidAt != 0 || g.Person == inApril[0].Person {
		t.Errorf("the guest's order is %+v", g)
	}
}

func TestTheNextRunAddsWhatIsNew(t *testing.T) {
	t.Parallel()
	store, dir := open(t), t.TempDir()
	tell(t, store, order.Stream(first), placed)
	write(t, store, "orders", dataset.Options{Dir: dir})
	if again := write(t, store, "orders", dataset.Options{Dir: dir}); again.Rows != 0 || again.Files != 0 {
		t.Errorf("nothing is new, yet %+v", again)
	}
	tell(t, store, order.Stream(second), byGuest)
	tell(t, store, order.Stream(first), order.Cancelled{By: "customer", At: may})
	// What a run that was killed leaves does not count.
	stray := filepath.Join(dir, "orders", "month=2026-04", "part-2-99.parquet")
	if err := os.WriteFile(stray, []byte("half a file"), 0o600); err != nil {
		t.Fatal(err)
	}

	report := write(t, store, "orders", dataset.Options{Dir: dir})

	if report.Rows != 2 {
		t.Errorf("report %+v", report)
	}
	found := rows[dataset.Order](t, dir, "orders", "2026-04")
	slices.SortFunc(found, func(a, b dataset.Order) int { return int(a.Position - b.Position) })
	if len(found) != 2 || found[0].Status != "RECEIVED" || found[1].Status != "CANCELLED" || found[1].TotalPaid != 10450 || found[1].CancelledAt != may.UnixMicro() {
		t.Errorf("April has %+v", found)
	}
	var manifest struct {
		Position int64
		Parts    []struct {
			File string
			Rows int64
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "orders", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil || manifest.Position != int64(report.Position) || len(manifest.Parts) != 3 {
		t.Errorf("manifest %s, %v", text, err)
	}
}

func TestADataSetIsNotMixed(t *testing.T) {
	t.Parallel()
	store, dir := open(t), t.TempDir()
	tell(t, store, order.Stream(first), placed)
	write(t, store, "orders", dataset.Options{Dir: dir})
	for what, o := range map[string]dataset.Options{
		"csv into parquet":     {Format: dataset.CSV},
		"names into masked":    {Format: dataset.Parquet, Unmasked: true},
		"a month into all":     {Format: dataset.Parquet, Month: "2026-05"},
		"from another place":   {Format: dataset.Parquet, From: 1},
		"a month without days": {Format: dataset.Parquet, Month: "May"},
	} {
		o.Dir, o.Secret = dir, key
		_, err := dataset.Write(t.Context(), store, "orders", o)
		if err == nil || what != "a month without days" && !errors.Is(err, dataset.ErrOther) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestMaskedNamesNobody(t *testing.T) {
	t.Parallel()
	store, dir := open(t), t.TempDir()
	tell(t, store, order.Stream(first), placed)
	tell(t, store, order.Stream(second), byGuest, order.Joined{CustomerID: aliya, At: may})
	tell(t, store, "customer-"+aliya.String(), order.Forgotten{At: may}) // any event will do
	for _, name := range dataset.Names() {
		write(t, store, name, dataset.Options{Dir: dir, Format: dataset.CSV})
	}
	write(t, store, "orders", dataset.Options{Dir: filepath.Join(dir, "open"), Format: dataset.CSV, Unmasked: true})
	write(t, store, "events", dataset.Options{Dir: filepath.Join(dir, "open"), Format: dataset.CSV, Unmasked: true})

	read := func(under string) string {
		files, err := filepath.Glob(filepath.Join(under, "*", "month=*", "*.csv"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files under %s: %v", under, err)
		}
		var all strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		return all.String()
	}
	masked, unmasked := read(dir), read(filepath.Join(dir, "open"))
	for _, secret := range []string{"Алия", "Сейткали", "aliya@example.kz", "77011234567", "Абая", aliya.String()} {
		if strings.Contains(masked, secret) {
			t.Errorf("masked files tell of %s", secret)
		}
		if strings.Count(unmasked, secret) < 2 {
			t.Errorf("unmasked files do not tell of %s", secret)
		}
	}
	// One person has one pseudonym everywhere.
	f, err := os.Open(filepath.Join(dir, "orders", "month=2026-04", "part-1-4.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil || len(table) != 2 {
		t.Fatalf("%v, %v", table, err)
	}
	pseudonym := table[1][slices.Index(table[0], "person")]
	if n := strings.Count(masked, pseudonym); n < 6 {
		t.Errorf("%s stands %d times in %s", pseudonym, n, masked)
	}
}

// TestTypedCodesAreMasked: masked files name promo codes of the shop, and nothing else that somebody typed for one before the log
// checked it.
func TestTypedCodesAreMasked(t *testing.T) {
	t.Parallel()
	store, dir := open(t), t.TempDir()
	good, typed, used := priced, priced, priced
	typed.PromocodeError, used.PromocodeError = promocode.ErrUnknown.Message, promocode.ErrUsedUp.Message
	asks := func(code string) basket.Question {
		return basket.Question{City: "Алматы", DeliveryType: domain.Delivery, Promocode: code}
	}
	tell(t, store, basket.Stream(cart), basket.Priced{BasketID: cart, Question: asks("WELCOME10"), Calculation: good, At: april},
		basket.Priced{BasketID: cart, Question: asks("+77011234567"), Calculation: typed, At: april},
		basket.Priced{BasketID: cart, Question: asks("SPRING"), Calculation: used, At: april},
		basket.CheckoutRefused{BasketID: cart, Question: asks("Алия Сейткали"), Reason: basket.ReasonPromoInvalid, At: april},
		basket.CheckoutRefused{BasketID: cart, Question: asks("SPRING"), Reason: basket.ReasonPriceChanged, At: april})
	codes := func(o dataset.Options) (all []string) {
		t.Helper()
		for _, name := range []string{"baskets", "events"} {
			write(t, store, name, o)
		}
		for _, row := range rows[dataset.Basket](t, o.Dir, "baskets", "2026-04") {
			all = append(all, row.Promocode)
		}
		for _, row := range rows[dataset.Event](t, o.Dir, "events", "2026-05") {
			var said struct {
				Question struct{ Promocode string }
			}
			if err := json.Unmarshal([]byte(row.Data), &said); err != nil {
				t.Fatal(err)
			}
			all = append(all, said.Question.Promocode)
		}
		return all
	}
	masked := []string{"WELCOME10", "?", "SPRING", "?", "SPRING"}
	if got := codes(dataset.Options{Dir: dir}); !slices.Equal(got, append(masked, masked...)) {
		t.Errorf("masked files have the codes %q", got)
	}
	clear := []string{"WELCOME10", "+77011234567", "SPRING", "Алия Сейткали", "SPRING"}
	if got := codes(dataset.Options{Dir: filepath.Join(dir, "open"), Unmasked: true}); !slices.Equal(got, append(clear, clear...)) {
		t.Errorf("unmasked files have the codes %q", got)
	}
}

func TestFactsAreWhatTheLogSays(t *testing.T) {
	t.Parallel()
	store, dir := open(t), t.TempDir()
	tell(t, store, order.Stream(first), placed)
	tell(t, store, stock.Stream(soap), reserved, stock.Adjusted{ProductID: soap, Quantity: -1, OnHand: 9, Reserved: 2, Cause: stock.Cause{Kind: "count"}, At: may})
	tell(t, store, basket.Stream(cart), basket.Priced{BasketID: cart, Question: basket.Question{City: "Алматы", DeliveryType: domain.Delivery}, Calculation: priced, At: april},
		basket.CheckoutRefused{BasketID: cart, Reason: basket.ReasonPriceChanged, TotalSum: 9000, TotalPaid: 10400, At: april},
		basket.CheckedOut{BasketID: cart, OrderID: first, At: may})
	for _, name := range []string{"order-lines", "stock-movements", "baskets", "events"} {
		write(t, store, name, dataset.Options{Dir: dir})
	}

	lines := rows[dataset.OrderLine](t, dir, "order-lines", "2026-04")
	if want := (dataset.OrderLine{Position: 1, OrderID: first.String(), Number: 100001, Line: 1, PlacedAt: april.UnixMicro(), City: "Алматы", ProductID: soap.String(),
		Article: "KA-1", Name: "Мыло «Полынь»", Amount: 2, Price: 5000, DiscountedPrice: 4500, OrderDiscount: 450, Total: 8550}); !reflect.DeepEqual(lines, []dataset.OrderLine{want}) {
		t.Errorf("lines %+v", lines)
	}
	moved := append(rows[dataset.StockMovement](t, dir, "stock-movements", "2026-04"), rows[dataset.StockMovement](t, dir, "stock-movements", "2026-05")...)
	if len(moved) != 2 || moved[0].Movement != "reserved" || moved[0].OrderID != first.String() || moved[0].Reserved != 2 ||
		moved[1].Movement != "adjusted" || moved[1].Quantity != -1 || moved[1].OrderID != "" || moved[1].At != may.UnixMicro() {
		t.Errorf("movements %+v", moved)
	}
	asked := append(rows[dataset.Basket](t, dir, "baskets", "2026-04"), rows[dataset.Basket](t, dir, "baskets", "2026-05")...)
	if len(asked) != 3 || asked[0].Event != "priced" || asked[0].TotalPaid != 10450 || !asked[0].CanCreateOrder ||
		asked[1].Event != "checkout_refused" || asked[1].Reason != "price_changed" || asked[1].TotalPaid != 10400 ||
		asked[2].Event != "checked_out" || asked[2].OrderID != first.String() {
		t.Errorf("baskets %+v", asked)
	}
	events := rows[dataset.Event](t, dir, "events", "2026-05")
	if len(events) != 6 || events[1].Type != "stock.reserved" || events[1].Version != 1 || events[1].RecordedAt != may.UnixMicro() || events[1].CorrelationID != "c-1" {
		t.Fatalf("events %+v", events)
	}
	var data stock.Reserved
	if err := json.Unmarshal([]byte(events[1].Data), &data); err != nil || data != reserved {
		t.Errorf("data %s, %v", events[1].Data, err)
	}
}

func TestColumnsHaveTheirTypes(t *testing.T) {
	t.Parallel()
	types := func(row any) map[string]string {
		found := map[string]string{}
		for _, f := range parquet.SchemaOf(row).Fields() {
			found[f.Name()] = f.Type().String()
			if f.Optional() {
				found[f.Name()] += "?"
			}
		}
		return found
	}
	got := types(dataset.Order{})
	for column, want := range map[string]string{
		"position": "INT(64,true)", "placed_at": "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)", "paid_at": "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)?",
		"total_paid": "INT(64,true)", "is_paid": "BOOLEAN", "status": "STRING", "email": "STRING?", "delivery_date": "DATE?", "rules_version": "INT(64,true)?",
	} {
		if got[column] != want {
			t.Errorf("%s is %s, want %s", column, got[column], want)
		}
	}
}
