package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/terminal"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	reads "shop/readapi/staff"
)

// parcelDay is an answer of the calls that list parcels.
type parcelDay struct {
	Day    string               `json:"day"`
	Orders []reads.Parcel       `json:"orders"`
	Rounds []reads.CourierRound `json:"rounds"`
}

// numbers of its orders, in their order.
func (d parcelDay) numbers() string {
	var all []int64
	for _, o := range d.Orders {
		all = append(all, o.Number-100_000)
	}
	return fmt.Sprint(all)
}

// projectParcels brings what packing reads up to the log.
func (d *staffDesk) projectParcels() {
	d.t.Helper()
	if err := d.shop.CatchUp(d.t.Context(), terminal.World{Stderr: &strings.Builder{}}, "orders", "packing"); err != nil {
		d.t.Fatal(err)
	}
}

// account is the id of an account by its e-mail.
func (d *staffDesk) account(email string) string {
	d.t.Helper()
	a, err := d.shop.Accounts.Find(d.t.Context(), email)
	if err != nil {
		d.t.Fatal(err)
	}
	return a.ID.String()
}

// TestAParcelGoesToTheCustomer: packed by the scanner, planned, handed over, delivered by the courier who takes the cash, and the
// cash handed in.
func TestAParcelGoesToTheCustomer(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	keeper, courier := d.worker(staff.Warehouse), d.worker(staff.Courier)
	azat := d.account("courier@shop.example")
	manager := d.worker(staff.Manager)
	for _, n := range []string{"100001", "100002", "100003"} {
		manager.ask(200, "POST", "/api/staff/orders/"+n+"/approval/", "", nil)
	}
	d.projectParcels()
	var list parcelDay
	keeper.ask(200, "GET", "/api/staff/packing/?day=2100-01-01", "", &list)
	if list.numbers() != "[1 2 3]" || list.Orders[1].Lines[0].Shelf != "" || list.Orders[0].Name != "Анна Ким" || list.Orders[0].ToCollect == 0 {
		t.Fatalf("to pack: %s %+v", list.numbers(), list.Orders)
	}
	soap := list.Orders[1].Lines[1]
	if soap.Article != "SO-77" {
		soap = list.Orders[1].Lines[0]
	}
	keeper.ask(204, "PUT", "/api/staff/products/"+soap.ProductID.String()+"/shelf/", `{"shelf":"A-01"}`, nil)
	keeper.ask(400, "PUT", "/api/staff/products/"+soap.ProductID.String()+"/shelf/", `{"shelf":"`+strings.Repeat("A", 21)+`"}`, nil)
	d.projectParcels()
	keeper.ask(200, "GET", "/api/staff/packing/?day=2100-01-01", "", &list)
	if got := list.Orders[1].Lines[0]; got.Shelf != "A-01" || got.Article != "SO-77" {
		t.Errorf("the first on the way is %+v", got)
	}

	pack := "/api/staff/orders/100002/packing/"
	for _, wrong := range []string{`{}`, `{"checked":[{"article":"SO-77","amount":2}]}`, `{"checked":[{"article":"SO-77","amount":3},{"article":"MK-1","amount":1}]}`,
		`{"checked":[{"article":"SO-77","amount":2},{"article":"MK-1","amount":1},{"article":"X","amount":1}]}`, `{"checked":[{"article":"SO-77","amount":-2}]}`} {
		keeper.ask(409, "POST", pack, wrong, nil)
	}
	keeper.ask(204, "POST", pack, `{"checked":[{"article":"SO-77","amount":2},{"article":"MK-1","amount":1}]}`, nil)
	keeper.ask(204, "POST", pack, `{}`, nil) // once more adds nothing
	keeper.ask(204, "POST", "/api/staff/orders/100001/packing/", `{"reason":"сканер сломан"}`, nil)

	today := d.shop.Clock().In(domain.Almaty).Format(time.DateOnly)
	for _, n := range []string{"100001", "100002"} {
		keeper.ask(204, "PUT", "/api/staff/orders/"+n+"/courier/", `{"courier":"`+azat+`","day":"`+today+`"}`, nil)
		keeper.ask(204, "POST", "/api/staff/orders/"+n+"/hand-over/", `{"courier":"`+azat+`"}`, nil)
	}
	keeper.ask(400, "POST", "/api/staff/orders/100003/hand-over/", `{"courier":"`+d.account("manager@shop.example")+`"}`, nil)
	keeper.ask(409, "POST", "/api/staff/orders/100003/hand-over/", `{"courier":"`+azat+`"}`, nil)
	manager.ask(409, "POST", "/api/staff/orders/100002/cancellation/", `{}`, nil)
	d.projectParcels()
	keeper.ask(204, "PUT", "/api/staff/rounds/"+azat+"/"+today+"/stops/", `{"orders":["`+list.Orders[1].ID.String()+`"]}`, nil)
	d.projectParcels()
	courier.ask(200, "GET", "/api/staff/stops/", "", &list)
	if list.numbers() != "[2 1]" || list.Orders[0].Phone == "" {
		t.Fatalf("the courier's stops: %s", list.numbers())
	}

	courier.ask(204, "POST", "/api/staff/stops/100002/delivery/", `{"method":"CASH"}`, nil)
	courier.ask(204, "POST", "/api/staff/stops/100002/delivery/", `{"method":"CASH"}`, nil) // a second press
	courier.ask(400, "POST", "/api/staff/stops/100001/delivery-failure/", `{"reason":"x"}`, nil)
	courier.ask(204, "POST", "/api/staff/stops/100001/delivery-failure/", `{"reason":"not_at_home","day":"2100-01-01"}`, nil)
	d.projectParcels()
	var stands reads.Parcel
	keeper.ask(200, "GET", "/api/staff/deliveries/?day="+today, "", &list)
	for _, o := range list.Orders {
		if o.Number == 100_002 {
			stands = o
		}
	}
	if stands.Status != string(order.StatusCompleted) || stands.DeliveredAt == nil || stands.ToCollect != 0 {
		t.Errorf("delivered and paid: %+v", stands)
	}
	if len(list.Rounds) != 1 || list.Rounds[0].Cash != stands.TotalPaid {
		t.Fatalf("rounds: %+v, want the cash of %d", list.Rounds, stands.TotalPaid)
	}
	cash := "/api/staff/rounds/" + azat + "/" + today + "/cash/"
	keeper.ask(400, "POST", cash, `{"handed_in":1}`, nil)
	keeper.ask(400, "POST", cash, `{"handed_in":-1,"note":"x"}`, nil)
	keeper.ask(204, "POST", cash, `{"handed_in":1,"note":"размен"}`, nil)
	d.projectParcels()
	keeper.ask(200, "GET", "/api/staff/deliveries/?day="+today, "", &list)
	if r := list.Rounds[0]; r.SettledAt == nil || r.Expected != stands.TotalPaid || r.HandedIn != 1 || r.Note != "размен" {
		t.Errorf("settled: %+v", r)
	}
	d.checkShortCash(keeper, manager, today, cash, stands.TotalPaid)
}

// checkShortCash: what is short of a day stays open, also on later days, until it comes or a manager lets it go with a reason.
func (d *staffDesk) checkShortCash(keeper, manager worker, day, cash string, taken int64) {
	d.t.Helper()
	now := d.shop.Clock()
	days := func(query string, want int) reads.CashDay {
		d.t.Helper()
		d.projectParcels()
		var list struct {
			Results []reads.CashDay `json:"results"`
		}
		keeper.ask(200, "GET", "/api/staff/rounds/?"+query, "", &list)
		if len(list.Results) != want {
			d.t.Fatalf("days of %q: %+v", query, list.Results)
		}
		if want == 0 {
			return reads.CashDay{}
		}
		return list.Results[0]
	}
	if got := days("state=open", 1); got.Day != day || got.Short != taken-1 || got.State != "short" || got.SettledBy == "" || got.CourierName == "" {
		d.t.Errorf("a short day: %+v", got)
	}
	week := now.AddDate(0, 0, 7).In(domain.Almaty).Format(time.DateOnly)
	days("state=open&to="+week, 1)
	days("state=open&from="+week+"&to="+week, 0)
	for _, wrong := range []string{"from=x", "to=x", "courier=x", "from=2020-01-01"} {
		keeper.ask(400, "GET", "/api/staff/rounds/?"+wrong, "", nil)
	}
	closure := strings.Replace(cash, "/cash/", "/closure/", 1)
	manager.ask(400, "POST", closure, `{"reason":" "}`, nil)
	manager.ask(204, "POST", closure, `{"reason":"удержано из оплаты"}`, nil)
	days("state=open", 0)
	if got := days("", 1); got.State != "closed" || got.CloseReason != "удержано из оплаты" || got.ClosedBy == "" || got.ClosedAt == nil {
		d.t.Errorf("let go: %+v", got)
	}
	keeper.ask(204, "POST", cash, `{"handed_in":2,"note":"ещё монета"}`, nil)
	if got := days("state=open", 1); got.Short != taken-2 {
		d.t.Errorf("more was handed in: %+v", got)
	}
	keeper.ask(204, "POST", cash, fmt.Sprintf(`{"handed_in":%d}`, taken), nil)
	days("state=open", 0)
	manager.ask(409, "POST", closure, `{"reason":"x"}`, nil)
}

// TestACourierSeesOwnStopsOfTodayAlone: another courier's order, tomorrow's, one that came back and a guessed one are not found.
func TestACourierSeesOwnStopsOfTodayAlone(t *testing.T) {
	t.Parallel()
	d, receipts := officeDesk(t)
	keeper, courier := d.worker(staff.Warehouse), d.worker(staff.Courier)
	azat := d.account("courier@shop.example")
	d.add("other@shop.example", staff.Courier)
	other := d.account("other@shop.example")
	manager := d.worker(staff.Manager)
	tomorrow := d.shop.Clock().Add(24 * time.Hour).In(domain.Almaty).Format(time.DateOnly)
	for n, to := range map[string]string{"100001": other, "100002": azat} {
		manager.ask(200, "POST", "/api/staff/orders/"+n+"/approval/", "", nil)
		keeper.ask(204, "POST", "/api/staff/orders/"+n+"/packing/", `{"reason":"x"}`, nil)
		keeper.ask(204, "PUT", "/api/staff/orders/"+n+"/courier/", `{"courier":"`+to+`","day":"`+tomorrow+`"}`, nil)
	}
	keeper.ask(204, "POST", "/api/staff/orders/100001/hand-over/", `{"courier":"`+other+`"}`, nil)
	keeper.ask(204, "POST", "/api/staff/orders/100002/hand-over/", `{"courier":"`+azat+`"}`, nil)
	d.projectParcels()
	for _, name := range []string{"100001", "100002", "100003", "999999", receipts[0].ID.String(), "00000000-0000-0000-0000-000000000009", "x"} {
		courier.ask(404, "POST", "/api/staff/stops/"+name+"/delivery/", `{"method":"CASH"}`, nil)
		courier.ask(404, "POST", "/api/staff/stops/"+name+"/delivery-failure/", `{"reason":"refused"}`, nil)
	}
	var list parcelDay
	courier.ask(200, "GET", "/api/staff/stops/?day="+tomorrow, "", &list)
	if list.numbers() != "[]" {
		t.Errorf("the courier sees %s", list.numbers())
	}
	for _, path := range []string{"/api/staff/deliveries/", "/api/staff/packing/", "/api/staff/packing/documents/?kind=labels&orders=100001", "/api/staff/orders/100002/"} {
		courier.ask(403, "GET", path, "", nil)
	}
}

// TestParcelsAreForThoseWhoPack: each call for each role.
func TestParcelsAreForThoseWhoPack(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	nobody := "00000000-0000-0000-0000-000000000009"
	for _, role := range staff.Roles {
		w := d.worker(role)
		for call, needs := range map[string]staff.Permission{
			"POST /api/staff/orders/999999/packing/": staff.PackOrders, "POST /api/staff/orders/999999/hand-over/": staff.PackOrders,
			"POST /api/staff/orders/999999/delivery/": staff.PackOrders, "POST /api/staff/orders/999999/delivery-failure/": staff.PackOrders,
			"PUT /api/staff/orders/999999/courier/": staff.PackOrders, "PUT /api/staff/products/" + nobody + "/shelf/": staff.PackOrders,
			"PUT /api/staff/rounds/" + nobody + "/2026-03-02/stops/": staff.PackOrders, "POST /api/staff/rounds/" + nobody + "/2026-03-02/cash/": staff.PackOrders,
			"GET /api/staff/rounds/": staff.PackOrders, "POST /api/staff/rounds/" + nobody + "/2026-03-02/closure/": staff.MarkPayments,
			"POST /api/staff/shipments/": staff.PackOrders, "GET /api/staff/packing/": staff.PackOrders, "GET /api/staff/deliveries/": staff.PackOrders,
			"GET /api/staff/packing/documents/?kind=slips&orders=1": staff.PackOrders, "GET /api/staff/stops/": staff.Deliver,
			"POST /api/staff/stops/999999/delivery/": staff.Deliver, "POST /api/staff/stops/999999/delivery-failure/": staff.Deliver,
			"POST /api/staff/stops/999999/photos/": staff.Deliver, "GET /api/staff/orders/999999/photos/" + nobody + "/": staff.SeePersonal,
			"POST /api/staff/orders/999999/photos/removal/": staff.ChangeOrders,
		} {
			method, path, _ := strings.Cut(call, " ")
			body := "{}"
			if method == "GET" {
				body = ""
			}
			got := d.ask(method, path, body, "Cookie", w.cookie, "X-CSRF-Token", w.csrf).Code
			if forbidden := got == 403; forbidden == role.May(needs) || got >= 500 {
				t.Errorf("%s as %s: %d", call, role, got)
			}
		}
	}
}

// TestAFileOfShipmentsIsTakenWholeOrNotAtAll names each wrong row.
func TestAFileOfShipmentsIsTakenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	keeper, manager := d.worker(staff.Warehouse), d.worker(staff.Manager)
	for _, n := range []string{"100001", "100002"} {
		manager.ask(200, "POST", "/api/staff/orders/"+n+"/approval/", "", nil)
		keeper.ask(204, "POST", "/api/staff/orders/"+n+"/packing/", `{"reason":"x"}`, nil)
	}
	d.projectParcels()
	var result struct {
		Done  int `json:"done"`
		Wrong []struct {
			Line int    `json:"line"`
			Code string `json:"code"`
		} `json:"wrong"`
	}
	keeper.ask(200, "POST", "/api/staff/shipments/", `{"csv":"number,carrier,tracking\n100001,cdek,12345\n999999,cdek,12346\n100003,cdek,12347\n100002,cdek,<b>"}`, &result)
	if got := fmt.Sprint(result.Done, result.Wrong); got != "0 [{3 order/unknown} {4 order/not-packed} {5 order/bad-tracking}]" {
		t.Errorf("wrong rows: %s", got)
	}
	d.projectParcels()
	var list parcelDay
	keeper.ask(200, "GET", "/api/staff/packing/?day=2100-01-01", "", &list)
	if list.numbers() != "[1 2]" {
		t.Errorf("something was handed over: %s", list.numbers())
	}
	keeper.ask(200, "POST", "/api/staff/shipments/", `{"csv":"100001;СДЭК;12345\n100002;kazpost;KZ-99"}`, &result)
	if result.Done != 2 || len(result.Wrong) > 0 {
		t.Errorf("two good rows: %+v", result)
	}
	keeper.ask(400, "POST", "/api/staff/shipments/", `{"csv":""}`, nil)
	pdf := d.ask("GET", "/api/staff/packing/documents/?kind=labels&orders=100001,100002", "", "Cookie", keeper.cookie)
	if pdf.Code != 200 || !strings.HasPrefix(pdf.Body.String(), "%PDF-") || pdf.Header().Get("Content-Type") != "application/pdf" {
		t.Errorf("labels: %d %s", pdf.Code, pdf.Header())
	}
}
