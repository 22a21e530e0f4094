package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/staffapi"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/rules"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// desks lets the staff of a desk use all desks of the office.
func (d *staffDesk) desks(orders *commands.Orders) {
	d.t.Helper()
	d.site.Desks = desksOf(d.shop, orders)
	*d.site.StaffReviews = staffapi.Reviews{Reviews: d.shop.Reviews, Guests: d.shop.Guests, Lines: reads.Shop{DB: d.shop.Pool}, Past: d.shop.Past, Album: d.shop.Album}
	d.site.StaffToday = staffapi.Today{Shop: reads.Shop{DB: d.shop.Pool}, Past: d.shop.Past, Clock: d.shop.Clock}
	d.http = d.site.Routes()
}

// paymentsDesk is a desk with three orders by card: one that waits, one paid twice, and one that was paid a tenge too much.
func paymentsDesk(t *testing.T) (d *staffDesk, orders *commands.Orders, receipts []commands.Receipt) {
	t.Helper()
	d = openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	orders = d.orders()
	d.desks(orders)
	cream := d.program().stocked("MK-1", 9000, 30)
	for range 3 {
		receipt, _, err := orders.Checkout(t.Context(), commands.Checkout{
			Lines: []commands.Line{{ProductID: cream, Amount: 1}}, Contact: order.Contact{FirstName: "Анна", LastName: "Ким", Email: "anna.kim@example.kz", Phone: "+77011112233"},
			Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
		})
		if err != nil {
			t.Fatal(err)
		}
		receipts = append(receipts, receipt)
	}
	pay := func(n int, receipt string, amount domain.Money) {
		t.Helper()
		if _, err := orders.Settle(t.Context(), payments.Notification{PaymentID: payments.ID(receipts[n].ID, 1), Outcome: payments.Paid, Receipt: receipt, Amount: amount}); err != nil {
			t.Fatal(err)
		}
	}
	pay(1, "r-1", receipts[1].PayableNow)
	pay(1, "r-2", receipts[1].PayableNow)
	pay(2, "r-3", receipts[2].PayableNow+1)
	d.project()
	return d, orders, receipts
}

func (w worker) payments(state string) (numbers []int64, counts map[string]int64) {
	w.d.t.Helper()
	var found reads.FoundPayments
	w.ask(200, "GET", "/api/staff/payments/?state="+state, "", &found)
	for _, p := range found.Results {
		numbers = append(numbers, p.Number-100_000)
	}
	return numbers, found.Counts
}

// TestPaymentsThatNeedSomebody: each is in the list of its kind, until somebody says that nothing more is to be done.
func TestPaymentsThatNeedSomebody(t *testing.T) {
	t.Parallel()
	d, _, receipts := paymentsDesk(t)
	manager := d.worker(staff.Manager)
	for state, want := range map[string]string{"open": "[1]", "late": "[]", "mismatched": "[3]", "twice": "[2]", "marked": "[]"} {
		if got, counts := manager.payments(state); fmt.Sprint(got) != want || counts[state] != int64(len(got)) {
			t.Errorf("%s: %v of %v, want %s", state, got, counts, want)
		}
	}
	mark := "/api/staff/payments/" + payments.ID(receipts[1].ID, 1) + "/mark/"
	manager.ask(400, "POST", mark, `{"reason":" "}`, nil)
	manager.ask(404, "POST", "/api/staff/payments/"+payments.ID(receipts[1].ID, 7)+"/mark/", `{"reason":"x"}`, nil)
	manager.ask(404, "POST", "/api/staff/payments/nonsense/mark/", `{"reason":"x"}`, nil)
	manager.ask(204, "POST", mark, `{"reason":"вернули переводом"}`, nil)
	d.project()
	if got, _ := manager.payments("twice"); len(got) > 0 {
		t.Errorf("a marked payment still waits: %v", got)
	}
	if got, _ := manager.payments("marked"); fmt.Sprint(got) != "[2]" {
		t.Errorf("marked: %v", got)
	}
	var wrong endpoint.FieldErrors
	manager.ask(400, "GET", "/api/staff/payments/?state=x", "", &wrong)
	if len(wrong["state"]) == 0 {
		t.Errorf("%v", wrong)
	}
	// The test bank knows nothing of the bill that waits: asked again it says so.
	var said struct{ Outcome string }
	manager.ask(200, "POST", "/api/staff/payments/"+payments.ID(receipts[0].ID, 1)+"/question/", "{}", &said)
	if said.Outcome != "pending" {
		t.Errorf("the provider says %q", said.Outcome)
	}
	manager.ask(404, "POST", "/api/staff/payments/nonsense/question/", "{}", nil)

	d.pass(time.Hour) // the bill's half an hour is over
	if got, _ := manager.payments("late"); fmt.Sprint(got) != "[1]" {
		t.Errorf("late: %v", got)
	}
	if got, _ := manager.payments("open"); len(got) > 0 {
		t.Errorf("open: %v", got)
	}
}

// TestRefundsThatWait: one is tried at once, or was paid by hand; roles keep to their limits.
func TestRefundsThatWait(t *testing.T) {
	t.Parallel()
	d, orders, receipts := paymentsDesk(t)
	payment := payments.ID(receipts[2].ID, 1)
	owe := func(id string, amount domain.Money, tries int) {
		t.Helper()
		if _, err := d.shop.Pool.Exec(t.Context(), `INSERT INTO payment_refunds (id, order_id, payment_id, receipt, amount, actor, created_at, tries, next_at) VALUES ($1, $2, $3, 'r-3', $4, 'staff:cli', $5, $6, $7)`,
			id, receipts[2].ID, payment, amount, d.now, tries, d.now.Add(2*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := orders.Cancel(t.Context(), receipts[0].ID, "staff", "x"); err != nil {
		t.Fatal(err)
	}
	id := receipts[2].ID.String() + "/"
	owe(id+"one", 100, 7)
	owe(id+"two", 200, 0)
	manager := d.worker(staff.Manager)
	list := func(query string) (found []reads.RefundRow) {
		t.Helper()
		var answer struct{ Results []reads.RefundRow }
		manager.ask(200, "GET", "/api/staff/payments/refunds/"+query, "", &answer)
		return answer.Results
	}
	if all, stuck := list(""), list("?stuck=true"); len(all) != 2 || len(stuck) != 1 || stuck[0].ID != id+"one" || stuck[0].Number != receipts[2].Number || stuck[0].Provider != "sandbox" {
		t.Errorf("%+v, stuck %+v", all, stuck)
	}
	body := func(id, reason string) string {
		b, _ := json.Marshal(map[string]string{"refund": id, "reason": reason, "reference": "B-" + id})
		return string(b)
	}
	manager.ask(404, "POST", "/api/staff/payments/refunds/attempts/", body(id+"three", ""), nil)
	manager.ask(400, "POST", "/api/staff/payments/refunds/settlements/", body(id+"one", " "), nil)
	manager.ask(200, "POST", "/api/staff/payments/refunds/settlements/", body(id+"one", "перевели на карту"), nil)
	manager.ask(404, "POST", "/api/staff/payments/refunds/settlements/", body(id+"one", "ещё раз"), nil)
	manager.ask(204, "POST", "/api/staff/payments/refunds/attempts/", body(id+"two", ""), nil)
	if left := list(""); len(left) > 0 {
		t.Errorf("still waiting: %+v", left)
	}
	events, err := d.shop.Store.Stream(t.Context(), order.Stream(receipts[2].ID), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var by []string
	for _, e := range events {
		if r, ok := e.Data.(order.Refunded); ok && r.Amount >= 100 {
			by = append(by, fmt.Sprint(r.Amount, " ", strings.HasPrefix(r.RefundID, "hand:"), " ", strings.HasPrefix(e.Metadata.Actor, "staff:")))
		}
	}
	if got := strings.Join(by, "; "); got != "100 true true; 200 false true" {
		t.Errorf("refunds in the log: %s", got)
	}

	// Support may give back 20 000 at once, and records no money by hand.
	owe(id+"large", 20_001, 4)
	support := d.worker(staff.Support)
	var wrong endpoint.FieldErrors
	support.ask(400, "POST", "/api/staff/payments/refunds/attempts/", body(id+"large", ""), &wrong)
	if len(wrong["refund"]) == 0 {
		t.Errorf("%v", wrong)
	}
	support.ask(403, "POST", "/api/staff/payments/refunds/settlements/", body(id+"large", "x"), nil)
	d.pass(6 * time.Minute)
	var told struct{ Code string }
	support.ask(403, "POST", "/api/staff/payments/refunds/attempts/", body(id+"large", ""), &told)
	if told.Code != "step-up-required" {
		t.Errorf("a refund without the second factor: %+v", told)
	}
}

// TestADayIsReconciled: what the shop and the provider do not agree on is told by row, and nothing is written.
func TestADayIsReconciled(t *testing.T) {
	t.Parallel()
	d, _, receipts := paymentsDesk(t)
	manager := d.worker(staff.Manager)
	count := func() (n int) {
		if err := d.shop.Pool.QueryRow(t.Context(), "SELECT count(*) FROM eventstore.events").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count()
	// The log is of the real day, the desk's clock of another.
	var recorded time.Time
	if err := d.shop.Pool.QueryRow(t.Context(), "SELECT max(recorded_at) FROM eventstore.events WHERE type = 'order.paid'").Scan(&recorded); err != nil {
		t.Fatal(err)
	}
	file := fmt.Sprintf("TransactionId;InvoiceId;Amount;Type\nr-1;%s;%d;Payment\nr-2;%[1]s;1;Payment\nr-9;zzz;5;Payment\nr-8;q;x;Payment\n", payments.ID(receipts[1].ID, 1), receipts[1].PayableNow)
	ask := func(status int, day, file string, into any) {
		t.Helper()
		body, _ := json.Marshal(map[string]string{"day": day, "file": file})
		manager.ask(status, "POST", "/api/staff/payments/reconciliation/", string(body), into)
	}
	var found struct {
		Rows, Same  int
		Differences []struct {
			Side, Receipt string
			Ours, Theirs  int64
			Row, Number   int64
		}
		BadRows []struct {
			Row    int
			Reason string
		} `json:"bad_rows"`
	}
	ask(200, d.day(recorded), file, &found)
	if found.Rows != 3 || found.Same != 1 || fmt.Sprint(found.BadRows) != "[{5 amount}]" {
		t.Errorf("%+v", found)
	}
	sides := map[string]int{}
	for _, x := range found.Differences {
		sides[x.Side+" "+x.Receipt]++
		if x.Receipt == "r-2" && (x.Theirs != 1 || x.Ours != receipts[1].PayableNow || x.Row != 3 || x.Number != receipts[1].Number) {
			t.Errorf("%+v", x)
		}
	}
	if sides["other-amount r-2"] != 1 || sides["only-theirs r-9"] != 1 || sides["only-ours r-3"] != 1 {
		t.Errorf("%v", sides)
	}
	for field, asked := range map[string][2]string{"day": {"tomorrow", file}, "file": {d.day(recorded), "a,b\n1,2\n"}} {
		var wrong endpoint.FieldErrors
		ask(400, asked[0], asked[1], &wrong)
		if len(wrong) != 1 || len(wrong[field]) == 0 {
			t.Errorf("%s: %v", field, wrong)
		}
	}
	if after := count(); after != before {
		t.Errorf("%d events were written", after-before)
	}
}

// day is a moment's day in Almaty.
func (d *staffDesk) day(at time.Time) string { return at.In(domain.Almaty).Format(time.DateOnly) }

// TestALargeSettlementWaitsForASecondPerson: meanwhile the provider is not asked, and the second person's word ends the debt.
func TestALargeSettlementWaitsForASecondPerson(t *testing.T) {
	t.Parallel()
	d, _, receipts := paymentsDesk(t)
	if _, err := (&commands.Rules{Handler: d.shop.Handler}).Change(t.Context(), changedRules(func(r *rules.Rules) { r.HandConfirmAbove = 250 }), 0); err != nil {
		t.Fatal(err)
	}
	id, payment := receipts[2].ID.String()+"/large", payments.ID(receipts[2].ID, 1)
	if _, err := d.shop.Pool.Exec(t.Context(), `INSERT INTO payment_refunds (id, order_id, payment_id, receipt, amount, actor, created_at, tries, next_at) VALUES ($1, $2, $3, 'r-3', 300, 'staff:cli', $4, 7, $4)`,
		id, receipts[2].ID, payment, d.now); err != nil {
		t.Fatal(err)
	}
	manager, admin := d.worker(staff.Manager), d.worker(staff.Admin)
	desk := "/api/staff/orders/" + receipts[2].ID.String() + "/payments/refund/"
	settle := `{"refund":"` + id + `","reference":"KZ-9","reason":"карта закрыта"}`
	var told struct{ Waits bool }
	manager.ask(200, "POST", "/api/staff/payments/refunds/settlements/", settle, &told)
	if !told.Waits {
		t.Error("nobody is asked for a second word")
	}
	d.pass(time.Minute)
	manager.ask(400, "POST", "/api/staff/payments/refunds/settlements/", settle, nil)
	manager.ask(409, "POST", desk+"confirmation/", `{"reference":"KZ-9"}`, nil)
	d.pass(time.Minute)
	manager.ask(204, "POST", "/api/staff/payments/refunds/attempts/", `{"refund":"`+id+`"}`, nil)
	refunded := func() (all []string) {
		events, err := d.shop.Store.Stream(t.Context(), order.Stream(receipts[2].ID), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if r, ok := e.Data.(order.Refunded); ok && r.Amount >= 100 {
				all = append(all, fmt.Sprint(r.RefundID == "hand:"+id, " ", r.Amount, " ", r.ByHand.Reference, " ", r.ByHand.By != r.ByHand.ConfirmedBy))
			}
		}
		return all
	}
	if got := refunded(); len(got) > 0 {
		t.Errorf("before the second word: %v", got)
	}
	d.pass(time.Minute)
	admin.ask(200, "POST", desk+"confirmation/", `{"reference":"KZ-9"}`, nil)
	if got := refunded(); fmt.Sprint(got) != "[true 300 KZ-9 true]" {
		t.Errorf("after it: %v", got)
	}
	var left struct{ Results []reads.RefundRow }
	manager.ask(200, "GET", "/api/staff/payments/refunds/", "", &left)
	if len(left.Results) > 0 {
		t.Errorf("still waiting: %+v", left.Results)
	}
}

// TestTheProviderIsFasterThanTheSecondPerson: the second word is refused by name, nothing is written, and the claim can be withdrawn.
func TestTheProviderIsFasterThanTheSecondPerson(t *testing.T) {
	t.Parallel()
	d, orders, receipts := paymentsDesk(t)
	if _, err := (&commands.Rules{Handler: d.shop.Handler}).Change(t.Context(), changedRules(func(r *rules.Rules) { r.HandConfirmAbove = 250 }), 0); err != nil {
		t.Fatal(err)
	}
	id, payment, whole := receipts[2].ID.String()+"/whole", payments.ID(receipts[2].ID, 1), receipts[2].PayableNow
	if _, err := d.shop.Pool.Exec(t.Context(), `INSERT INTO payment_refunds (id, order_id, payment_id, receipt, amount, actor, created_at, tries, next_at) VALUES ($1, $2, $3, 'r-3', $4, 'staff:cli', $5, 7, $5)`,
		id, receipts[2].ID, payment, whole, d.now); err != nil {
		t.Fatal(err)
	}
	manager, admin := d.worker(staff.Manager), d.worker(staff.Admin)
	manager.ask(200, "POST", "/api/staff/payments/refunds/settlements/", `{"refund":"`+id+`","reference":"KZ-9","reason":"карта закрыта"}`, nil)
	back := payments.Notification{PaymentID: payment, Outcome: payments.Refunded, Receipt: "r-3", RefundID: "bank-1", Amount: whole}
	if _, err := orders.Settle(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		t.Helper()
		if err := d.shop.Pool.QueryRow(t.Context(), "SELECT count(*) FROM eventstore.events WHERE stream = $1", order.Stream(receipts[2].ID)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count()
	d.pass(time.Minute)
	desk := "/api/staff/orders/" + receipts[2].ID.String() + "/payments/refund/"
	var told endpoint.FieldErrors
	admin.ask(400, "POST", desk+"confirmation/", `{"reference":"KZ-9"}`, &told)
	if fmt.Sprint(told["reference"]) != "["+order.ErrBackAlready.Message+"]" {
		t.Errorf("%v", told)
	}
	if after := count(); after != before {
		t.Errorf("%d events were written", after-before)
	}
	admin.ask(200, "POST", desk+"withdrawal/", `{"reference":"KZ-9"}`, nil)
	state, err := commands.See(t.Context(), orders.Handler, commands.OrderStream(receipts[2].ID))
	if err != nil || len(state.RefundClaims) > 0 {
		t.Errorf("the claim stays: %+v, %v", state.RefundClaims, err)
	}
}
