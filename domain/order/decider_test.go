package order_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/order"
	"shop/domain/spec"
)

var (
	noon     = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	deadline = noon.Add(30 * time.Minute)
	late     = noon.Add(time.Hour)
)

const (
	total = 11_900
	// goods is what the goods cost in money, bonuses what paid for them besides; the rest of total is delivery.
	goods   = 10_000
	bonuses = 3_000
)

var customer = uuid.UUID{15: 9}

func placedBy(method domain.PaymentMethod, change ...func(*order.Placed)) order.Placed {
	p := order.Placed{
		ID: uuid.UUID{15: 1}, Number: 100_001, PersonID: uuid.UUID{15: 2},
		Contact:      order.Contact{FirstName: "Анна", Email: "anna@example.kz", Phone: "+77011234567"},
		City:         "Алматы",
		DeliveryType: domain.Delivery, PaymentMethod: method,
		Calculation: domain.Calculation{
			Lines:         []domain.PricedLine{{Name: "Мыло", Amount: 2, Price: 5_000, DiscountedPrice: 5_000, Total: 10_000}},
			DiscountedSum: goods + bonuses, BonusSpent: bonuses, DeliveryPrice: total - goods,
			TotalPaid: total, PayableNow: total, CanCreateOrder: true,
		},
		PayBefore: deadline, At: noon,
	}
	if method == domain.Cash {
		p.PayBefore = time.Time{}
		p.Calculation.PayableNow, p.Calculation.PayableOnDelivery = 0, total
	}
	for _, c := range change {
		c(&p)
	}
	return p
}

var (
	card = placedBy(domain.Card)
	cash = placedBy(domain.Cash)

	first  = requested("p1", 1, deadline)
	second = requested("p2", 2, late)

	approved   = order.Approved{At: noon}
	processing = order.ProcessingStarted{At: noon}
	completed  = order.Completed{At: noon}
	expired    = order.PaymentExpired{At: deadline}
	cancelled  = order.Cancelled{By: "staff", At: noon}

	approve    = order.Approve{At: noon}
	process    = order.StartProcessing{At: noon}
	complete   = order.Complete{At: noon}
	expire     = order.ExpirePayment{At: deadline}
	byCustomer = order.Cancel{By: "customer", At: noon}
	byStaff    = order.Cancel{By: "staff", At: noon}
	join       = order.Join{CustomerID: customer, At: noon}
	joined     = order.Joined{CustomerID: customer, At: noon}
	bySystem   = order.Cancel{By: "system", Reason: "товар закончился", At: noon}
)

func requested(id string, attempt int, payBefore time.Time) order.PaymentRequested {
	return order.PaymentRequested{PaymentID: id, Provider: "sandbox", Attempt: attempt, Amount: total, PayBefore: payBefore, At: noon}
}

func request(id string, payBefore time.Time) order.RequestPayment {
	return order.RequestPayment{PaymentID: id, Provider: "sandbox", PayBefore: payBefore, At: noon}
}

func paid(id string) order.Paid { return order.Paid{PaymentID: id, Amount: total, At: noon} }
func confirm(id string) order.ConfirmPayment {
	return order.ConfirmPayment{PaymentID: id, Amount: total, At: noon}
}
func failed(id string) order.PaymentFailed { return order.PaymentFailed{PaymentID: id, At: noon} }
func fail(id string) order.FailPayment     { return order.FailPayment{PaymentID: id, At: noon} }
func refunded(id string) order.Refunded {
	return order.Refunded{PaymentID: id, Amount: total, At: noon}
}
func refund(id string) order.Refund { return order.Refund{PaymentID: id, Amount: total, At: noon} }

// given is an order with this history.
func given(t testing.TB, events ...order.Event) spec.Subject[order.Command, order.Event, order.State] {
	return spec.For(t, order.Decider).Given(events...)
}

func TestPlace(t *testing.T) {
	t.Parallel()
	given(t).When(order.Place{Placed: card}).Then(card)
	given(t).When(order.Place{Placed: cash}).Then(cash)
	given(t, card).When(order.Place{Placed: card}).Refused(order.ErrAlreadyPlaced)
	for want, change := range map[error]func(*order.Placed){
		order.ErrNoLines:      func(p *order.Placed) { p.Calculation.Lines = nil },
		order.ErrCannotBeMade: func(p *order.Placed) { p.Calculation.CanCreateOrder = false },
		order.ErrBadDelivery:  func(p *order.Placed) { p.DeliveryType = "TELEPORT" },
		order.ErrBadPayment:   func(p *order.Placed) { p.PaymentMethod = "" },
	} {
		given(t).When(order.Place{Placed: placedBy(domain.Card, change)}).Refused(want)
	}
}

func TestAnOrderThatCostsNothingIsApprovedAtOnce(t *testing.T) {
	t.Parallel()
	free := placedBy(domain.Card, func(p *order.Placed) { p.Calculation.TotalPaid, p.Calculation.PayableNow = 0, 0 })
	nothing := order.Paid{PaymentID: order.NoPaymentID, At: noon}
	given(t).When(order.Place{Placed: free}).Then(free, nothing, approved)

	placed := given(t, free, nothing, approved)
	placed.When(request("p1", deadline)).Nothing()
	placed.When(order.ConfirmPayment{PaymentID: "p1", At: noon}).Nothing()
	if s := placed.State(); !s.IsPaid() || s.Status != order.StatusApproved {
		t.Errorf("%s, paid %v", s.Status, s.IsPaid())
	}
}

func TestNothingHappensToAnUnknownOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []order.Command{request("p1", deadline), confirm("p1"), fail("p1"), expire, approve, process, complete, byStaff, refund("p1"), join} {
		given(t).When(c).Refused(order.ErrUnknown)
	}
}

func TestCardOrderFromPlacedToCompleted(t *testing.T) {
	t.Parallel()
	given(t, card).When(request("p1", deadline)).Then(first)
	given(t, card, first).When(confirm("p1")).Then(paid("p1"), approved)
	given(t, card, first, paid("p1"), approved).When(process).Then(processing)
	given(t, card, first, paid("p1"), approved, processing).When(complete).Then(completed)
}

func TestCashOrderIsPaidWhenItIsHandedOver(t *testing.T) {
	t.Parallel()
	given(t, cash).When(approve).Then(approved)
	given(t, cash).When(request("p1", deadline)).Refused(order.ErrNothingToPay)
	given(t, cash).When(order.ExpirePayment{At: late}).Nothing()
	taken := order.Paid{PaymentID: order.CashPaymentID, Amount: total, At: noon}
	given(t, cash, approved, processing).When(complete).Then(taken, completed)
	done := given(t, cash, approved, processing, taken, completed)
	done.When(complete).Nothing()
	if !done.State().IsPaid() {
		t.Error("a completed cash order is not paid")
	}
	// Paid ahead, wholly or in part: the courier takes the rest.
	given(t, cash).When(confirm("transfer")).Then(paid("transfer"), approved)
	given(t, cash, paid("transfer"), approved, processing).When(complete).Then(completed)
	part, rest := order.Paid{PaymentID: "transfer", Amount: 900}, order.Paid{PaymentID: order.CashPaymentID, Amount: total - 900, At: noon}
	given(t, cash, part, approved, processing).When(complete).Then(rest, completed)
	if given(t, cash, approved, processing).State().IsPaid() {
		t.Error("a cash order under way is paid")
	}
}

// TestStepsForward asks every step of every status.
func TestStepsForward(t *testing.T) {
	t.Parallel()
	history := map[order.Status][]order.Event{
		order.StatusReceived:   {cash},
		order.StatusApproved:   {cash, approved},
		order.StatusProcessing: {cash, approved, processing},
		order.StatusCompleted:  {cash, approved, processing, order.Paid{PaymentID: order.CashPaymentID, Amount: total}, completed},
		order.StatusCancelled:  {cash, cancelled},
		order.StatusPaymentErr: {card, first, failed("p1")},
		order.StatusRefunded:   {card, first, paid("p1"), approved, cancelled, refunded("p1")},
	}
	for status, events := range history {
		subject := given(t, events...)
		if got := subject.State().Status; got != status {
			t.Fatalf("history of %s folds to %s", status, got)
		}
		switch status {
		case order.StatusReceived:
			subject.When(approve).Then(approved)
		case order.StatusApproved:
			subject.When(approve).Nothing()
		case order.StatusPaymentErr:
			subject.When(approve).Refused(order.ErrNotPaid)
		default:
			subject.When(approve).Refused(order.ErrNotReceived)
		}
		switch status {
		case order.StatusApproved:
			subject.When(process).Then(processing)
		case order.StatusProcessing:
			subject.When(process).Nothing()
		default:
			subject.When(process).Refused(order.ErrNotApproved)
		}
		switch status {
		case order.StatusProcessing:
			subject.When(complete).Then(order.Paid{PaymentID: order.CashPaymentID, Amount: total, At: noon}, completed)
		case order.StatusCompleted:
			subject.When(complete).Nothing()
		default:
			subject.When(complete).Refused(order.ErrNotProcessing)
		}
		switch status {
		case order.StatusReceived, order.StatusPaymentErr:
			subject.When(byCustomer).Then(order.Cancelled{By: "customer", At: noon})
			subject.When(byStaff).Then(cancelled)
		case order.StatusApproved, order.StatusProcessing:
			subject.When(byCustomer).Refused(order.ErrTooLateToCancel)
			subject.When(byStaff).Then(cancelled)
		case order.StatusCompleted:
			subject.When(byCustomer).Refused(order.ErrCompleted)
			subject.When(byStaff).Refused(order.ErrCompleted)
		case order.StatusCancelled, order.StatusRefunded:
			subject.When(byCustomer).Nothing()
			subject.When(byStaff).Nothing()
		}
		holds := status == order.StatusReceived || status == order.StatusApproved || status == order.StatusProcessing
		if subject.State().HoldsGoods() != holds {
			t.Errorf("%s holds goods: %v", status, !holds)
		}
	}
	given(t, card, first).When(approve).Refused(order.ErrNotPaid)
	given(t, card).When(order.Cancel{By: "nobody"}).Refused(order.ErrBadCanceller)
}

func TestRequestPayment(t *testing.T) {
	t.Parallel()
	given(t, card).When(request("", deadline)).Refused(order.ErrNoPaymentID)
	given(t, card, first).When(request("p1", deadline)).Nothing()
	given(t, card, first, paid("p1"), approved).When(request("p1", deadline)).Nothing()
	given(t, card, first, paid("p1"), approved).When(request("p2", late)).Refused(order.ErrAlreadyPaid)
	given(t, card, first, cancelled).When(request("p2", late)).Refused(order.ErrNotPayable)

	// The customer closed the bank's page and asks for another one.
	given(t, card, first).When(request("p2", late)).Then(second)

	// A new attempt returns the order to RECEIVED, with a deadline of its own.
	retried := given(t, card, first, failed("p1"), second)
	given(t, card, first, failed("p1")).When(request("p1", late)).Refused(order.ErrPaymentIDUsed)
	given(t, card, first, failed("p1")).When(request("p2", late)).Then(second)
	given(t, card, first, expired).When(request("p2", late)).Then(second)
	retried.When(expire).Nothing()
	retried.When(order.ExpirePayment{At: late}).Then(order.PaymentExpired{At: late})
	if s := retried.State(); s.Status != order.StatusReceived || s.PaymentID != "p2" || s.Attempt != 2 {
		t.Errorf("%+v", s)
	}
}

func TestRefusedAndExpiredPayments(t *testing.T) {
	t.Parallel()
	given(t, card, first).When(fail("p1")).Then(failed("p1"))
	given(t, card, first, failed("p1")).When(fail("p1")).Nothing()
	given(t, card, first).When(order.ExpirePayment{At: deadline.Add(-time.Nanosecond)}).Nothing()
	given(t, card, first).When(expire).Then(expired)
	given(t, card).When(expire).Then(expired)
	given(t, card, first, expired).When(expire).Nothing()
	given(t, card, first, expired).When(fail("p1")).Nothing()
	// Refusals of what is not awaited: an attempt of before, one we never opened, one already paid.
	given(t, card, first, failed("p1"), second).When(fail("p1")).Nothing()
	given(t, card).When(fail("p1")).Nothing()
	given(t, card).When(fail("")).Nothing()
	given(t, card, first, paid("p1"), approved).When(fail("p1")).Nothing()
	given(t, card, first, paid("p1"), approved).When(order.ExpirePayment{At: late}).Nothing()
}

func TestMoneyThatArrives(t *testing.T) {
	t.Parallel()
	given(t, card, first).When(order.ConfirmPayment{Amount: total}).Refused(order.ErrNoPaymentID)
	given(t, card, first).When(order.ConfirmPayment{PaymentID: "p1"}).Refused(order.ErrBadAmount)
	given(t, card, first, paid("p1"), approved).When(confirm("p1")).Nothing()
	given(t, card, first, paid("p1"), approved, cancelled, refunded("p1")).When(confirm("p1")).Nothing()

	// Early: the provider is faster than our own record of the payment.
	given(t, card).When(confirm("p1")).Then(paid("p1"), approved)
	given(t, card, paid("p1"), approved).When(request("p1", deadline)).Nothing()

	// Too little does not approve; the rest of it does.
	part := order.Paid{PaymentID: "p1", Amount: total - 1, At: noon}
	given(t, card, first).When(order.ConfirmPayment{PaymentID: "p1", Amount: total - 1, At: noon}).Then(part)
	rest := second
	rest.Amount = 1
	given(t, card, first, part).When(request("p2", late)).Then(rest)
	given(t, card, first, part, expired).When(request("p2", late)).Then(rest)
	given(t, card, first, part).When(order.ConfirmPayment{PaymentID: "p2", Amount: 1, At: noon}).
		Then(order.Paid{PaymentID: "p2", Amount: 1, At: noon}, approved)
}

func TestMoneyAfterTheWaitReservesAgainOrGoesBack(t *testing.T) {
	t.Parallel()
	for _, end := range []order.Event{expired, failed("p1")} {
		given(t, card, first, end).When(confirm("p1")).Then(paid("p1"))
		late := given(t, card, first, end, paid("p1"))
		s := late.State()
		if !s.MoneyCameLate() || !s.IsPaid() || s.HoldsGoods() || s.Status != order.StatusPaymentErr {
			t.Errorf("after %s: %+v", end.EventType(), s)
		}
		late.When(request("p2", deadline)).Refused(order.ErrAlreadyPaid)
		late.When(approve).Then(approved)
		late.When(refund("p1")).Refused(order.ErrNothingToReturn)
		late.When(bySystem).Then(order.Cancelled{By: "system", Reason: "товар закончился", At: noon})
	}
}

func TestMoneyForACancelledOrderIsOwed(t *testing.T) {
	t.Parallel()
	given(t, card, first, cancelled).When(confirm("p1")).Then(paid("p1"))
	s := given(t, card, first, cancelled, paid("p1"))
	if owed, want := s.State().Owed(), []order.Payment{{ID: "p1", Provider: "sandbox", Amount: total}}; !reflect.DeepEqual(owed, want) {
		t.Errorf("owed %v, want %v", owed, want)
	}
	if s.State().Status != order.StatusCancelled || !s.State().IsPaid() {
		t.Errorf("%+v", s.State())
	}
	s.When(refund("p1")).Then(refunded("p1"))
	done := s.Given(refunded("p1"))
	done.When(refund("p1")).Nothing()
	if st := done.State(); st.Status != order.StatusRefunded || st.IsPaid() || len(st.Owed()) > 0 {
		t.Errorf("%+v", st)
	}
	// And once more, by another card.
	again := done.Given(paid("p2"))
	if st := again.State(); st.Status != order.StatusRefunded || len(st.Owed()) != 1 {
		t.Errorf("%+v", st)
	}
	again.When(refund("p2")).Then(refunded("p2"))
}

func TestASecondPaymentIsOwedAndTheOrderGoesOn(t *testing.T) {
	t.Parallel()
	twice := given(t, card, first, paid("p1"), approved, paid("p2"), processing)
	if owed, want := twice.State().Owed(), []order.Payment{{ID: "p2", Amount: total}}; !reflect.DeepEqual(owed, want) {
		t.Errorf("owed %v, want %v", owed, want)
	}
	excess := order.Refunded{PaymentID: "p2", Amount: total, Excess: true, At: noon}
	twice.When(refund("p2")).Then(excess)
	twice.When(refund("p1")).Refused(order.ErrNothingToReturn)
	if s := twice.Given(excess).State(); s.Status != order.StatusProcessing || !s.IsPaid() || len(s.Owed()) > 0 {
		t.Errorf("%+v", s)
	}
}

// TestABillThatIsPaidTwiceIsTwoPayments: the receipt tells captures of one payment apart.
func TestABillThatIsPaidTwiceIsTwoPayments(t *testing.T) {
	t.Parallel()
	captured := func(receipt string) order.Paid {
		return order.Paid{PaymentID: "p1", Receipt: receipt, Amount: total, At: noon}
	}
	confirm := func(receipt string) order.ConfirmPayment {
		return order.ConfirmPayment{PaymentID: "p1", Receipt: receipt, Amount: total, At: noon}
	}
	once := given(t, card, first, captured("r1"), approved)
	once.When(confirm("r1")).Nothing()
	once.When(confirm("")).Nothing()
	once.When(confirm("r2")).Then(captured("r2"))
	twice := once.Given(captured("r2"))
	twice.When(confirm("r2")).Nothing()
	twice.When(confirm("r1")).Nothing()
	if owed, want := twice.State().Owed(), []order.Payment{{ID: "p1", Receipt: "r2", Provider: "sandbox", Amount: total}}; !reflect.DeepEqual(owed, want) {
		t.Errorf("owed %+v, want %+v", owed, want)
	}
	back := order.Refunded{PaymentID: "p1", Receipt: "r2", Amount: total, Excess: true, At: noon}
	twice.When(order.Refund{PaymentID: "p1", Receipt: "r2", Amount: total, At: noon}).Then(back)
	twice.When(order.Refund{PaymentID: "p1", Receipt: "r1", Amount: total, At: noon}).Refused(order.ErrNothingToReturn)
	twice.When(order.Refund{RefundID: "7", PaymentID: "p1", Receipt: "r3", Amount: total, Reported: true, At: noon}).Refused(order.ErrUnknownPayment)
	settled := twice.Given(back)
	if s := settled.State(); s.Captured() != total || len(s.Owed()) > 0 || s.Payments[0].Refunded != 0 || s.Payments[1].Refunded != total {
		t.Errorf("%+v", s.Payments)
	}
	settled.When(order.Refund{PaymentID: "p1", Receipt: "r2", Amount: total, At: noon}).Nothing()
	if s := settled.Given(cancelled).State(); len(s.Owed()) != 1 || s.Owed()[0].Receipt != "r1" {
		t.Errorf("owed after the end: %+v", s.Owed())
	}
}

// TestMoneyThatComesAfterAPartWentBackIsOwedWhole: it does not fill up what staff gave back.
func TestMoneyThatComesAfterAPartWentBackIsOwedWhole(t *testing.T) {
	t.Parallel()
	part := order.Refunded{RefundID: "soap", PaymentID: "p1", Receipt: "r1", Amount: 900, At: noon}
	second := order.Paid{PaymentID: "p1", Receipt: "r2", Amount: total, At: noon}
	late := given(t, card, first, order.Paid{PaymentID: "p1", Receipt: "r1", Amount: total, At: noon}, approved, processing, completed, part, second)
	if owed := late.State().Owed(); len(owed) != 1 || owed[0].Receipt != "r2" || owed[0].Amount != total {
		t.Errorf("owed %+v", owed)
	}
	back := order.Refunded{PaymentID: "p1", Receipt: "r2", Amount: total, Excess: true, At: noon}
	late.When(order.Refund{PaymentID: "p1", Receipt: "r2", Amount: total, At: noon}).Then(back)
	if s := late.Given(back).State(); s.Captured() != total-900 || len(s.Owed()) > 0 || s.Status != order.StatusCompleted {
		t.Errorf("%s holds %d, owes %+v", s.Status, s.Captured(), s.Owed())
	}
}

// TestMoneyOfBeforeReceiptsIsKnownByItsPayment: what was recorded without a receipt counts once, as it always did.
func TestMoneyOfBeforeReceiptsIsKnownByItsPayment(t *testing.T) {
	t.Parallel()
	old := given(t, card, first, paid("p1"), approved)
	old.When(order.ConfirmPayment{PaymentID: "p1", Receipt: "r1", Amount: total, At: noon}).Nothing()
	bank := order.Refund{RefundID: "7", PaymentID: "p1", Receipt: "r1", Amount: 900, Reported: true, At: noon}
	old.When(bank).Then(order.Refunded{RefundID: "7", PaymentID: "p1", Amount: 900, At: noon})
	back := order.Refunded{PaymentID: "p1", Amount: 900, At: noon} // the log of before
	if s := old.Given(cancelled, back).State(); s.Captured() != total-900 || s.Payments[0].Refunded != 900 {
		t.Errorf("%+v", s.Payments)
	}
}

func TestRefund(t *testing.T) {
	t.Parallel()
	ended := given(t, card, first, paid("p1"), approved, cancelled)
	ended.When(refund("p9")).Refused(order.ErrUnknownPayment)
	ended.When(order.Refund{PaymentID: "p1", Amount: total + 1}).Refused(order.ErrRefundTooMuch)
	ended.When(order.Refund{PaymentID: "p1"}).Refused(order.ErrBadAmount)
	ended.When(order.Refund{PaymentID: "p1", Amount: 1, At: noon}).Then(order.Refunded{PaymentID: "p1", Amount: 1, At: noon})
	given(t, card, first, paid("p1"), approved).When(refund("p1")).Refused(order.ErrNothingToReturn)
	given(t, card, first, paid("p1"), approved, processing, completed).When(refund("p1")).Then(refunded("p1"))

	half := order.Refunded{PaymentID: "p1", Amount: 900, At: noon}
	partly := ended.Given(half)
	if s := partly.State(); s.Status != order.StatusCancelled || s.IsPaid() || s.Captured() != total-900 {
		t.Errorf("%+v", s)
	}
	partly.When(refund("p1")).Refused(order.ErrRefundTooMuch)
	if s := partly.Given(order.Refunded{PaymentID: "p1", Amount: total - 900}).State(); s.Status != order.StatusRefunded {
		t.Errorf("%+v", s)
	}
}

// TestEveryCommandOfEveryStatus asks a card order everything, in every status; what is not listed adds nothing.
func TestEveryCommandOfEveryStatus(t *testing.T) {
	t.Parallel()
	type answers map[string]any // a refusal or the events, by the command's name
	events := func(e ...order.Event) []order.Event { return e }
	commands := map[string]order.Command{
		"pay again": request("p2", late), "money": confirm("p1"), "money by another card": confirm("p2"), "refused": fail("p1"),
		"time is up": expire, "approve": approve, "process": process, "complete": complete, "customer cancels": byCustomer,
		"staff cancels": byStaff, "refund": refund("p1"), "part refund": order.Refund{RefundID: "r1", PaymentID: "p1", Amount: 900, At: noon},
		"refund by the bank": order.Refund{RefundID: "r9", PaymentID: "p1", Amount: total, Reported: true, At: noon}, "join": join,
	}
	gone := order.Refunded{RefundID: "r9", PaymentID: "p1", Amount: total, At: noon}
	part := order.Refunded{RefundID: "r1", PaymentID: "p1", Amount: 900, At: noon}
	byCustomerToo := order.Cancelled{By: "customer", At: noon}
	for _, c := range []struct {
		status  order.Status
		paid    bool
		history []order.Event
		want    answers
	}{
		{order.StatusReceived, false, events(card, first), answers{
			"pay again": events(second), "money": events(paid("p1"), approved), "money by another card": events(paid("p2"), approved),
			"refused": events(failed("p1")), "time is up": events(expired), "approve": order.ErrNotPaid, "process": order.ErrNotApproved,
			"complete": order.ErrNotProcessing, "customer cancels": events(byCustomerToo), "staff cancels": events(cancelled),
			"refund": order.ErrUnknownPayment, "part refund": order.ErrUnknownPayment, "refund by the bank": order.ErrUnknownPayment,
		}},
		{order.StatusPaymentErr, false, events(card, first, failed("p1")), answers{
			"pay again": events(second), "money": events(paid("p1")), "money by another card": events(paid("p2")),
			"approve": order.ErrNotPaid, "process": order.ErrNotApproved, "complete": order.ErrNotProcessing,
			"customer cancels": events(byCustomerToo), "staff cancels": events(cancelled),
			"refund": order.ErrUnknownPayment, "part refund": order.ErrUnknownPayment, "refund by the bank": order.ErrUnknownPayment,
		}},
		{order.StatusPaymentErr, true, events(card, first, expired, paid("p1")), answers{
			"pay again": order.ErrAlreadyPaid, "money by another card": events(paid("p2")), "approve": events(approved),
			"process": order.ErrNotApproved, "complete": order.ErrNotProcessing,
			"customer cancels": events(byCustomerToo), "staff cancels": events(cancelled),
			"refund": order.ErrNothingToReturn, "part refund": order.ErrNothingToReturn, "refund by the bank": events(gone),
		}},
		{order.StatusApproved, true, events(card, first, paid("p1"), approved), answers{
			"pay again": order.ErrAlreadyPaid, "money by another card": events(paid("p2")), "process": events(processing),
			"complete": order.ErrNotProcessing, "customer cancels": order.ErrTooLateToCancel, "staff cancels": events(cancelled),
			"refund": order.ErrNothingToReturn, "part refund": order.ErrNothingToReturn, "refund by the bank": events(gone),
		}},
		{order.StatusProcessing, true, events(card, first, paid("p1"), approved, processing), answers{
			"pay again": order.ErrAlreadyPaid, "money by another card": events(paid("p2")), "approve": order.ErrNotReceived,
			"complete": events(completed), "customer cancels": order.ErrTooLateToCancel, "staff cancels": events(cancelled),
			"refund": order.ErrNothingToReturn, "part refund": order.ErrNothingToReturn, "refund by the bank": events(gone),
		}},
		{order.StatusCompleted, true, events(card, first, paid("p1"), approved, processing, completed), answers{
			"pay again": order.ErrAlreadyPaid, "money by another card": events(paid("p2")), "approve": order.ErrNotReceived,
			"process": order.ErrNotApproved, "customer cancels": order.ErrCompleted, "staff cancels": order.ErrCompleted,
			"refund": events(refunded("p1")), "part refund": events(part), "refund by the bank": events(gone),
		}},
		{order.StatusCancelled, false, events(card, first, cancelled), answers{
			"pay again": order.ErrNotPayable, "money": events(paid("p1")), "money by another card": events(paid("p2")),
			"approve": order.ErrNotReceived, "process": order.ErrNotApproved, "complete": order.ErrNotProcessing,
			"refund": order.ErrUnknownPayment, "part refund": order.ErrUnknownPayment, "refund by the bank": order.ErrUnknownPayment,
		}},
		{order.StatusCancelled, true, events(card, first, paid("p1"), approved, cancelled), answers{
			"pay again": order.ErrAlreadyPaid, "money by another card": events(paid("p2")),
			"approve": order.ErrNotReceived, "process": order.ErrNotApproved, "complete": order.ErrNotProcessing,
			"refund": events(refunded("p1")), "part refund": events(part), "refund by the bank": events(gone),
		}},
		{order.StatusRefunded, false, events(card, first, paid("p1"), approved, cancelled, refunded("p1")), answers{
			"pay again": order.ErrNotPayable, "money by another card": events(paid("p2")),
			"approve": order.ErrNotReceived, "process": order.ErrNotApproved, "complete": order.ErrNotProcessing,
		}},
	} {
		subject := given(t, c.history...)
		if s := subject.State(); s.Status != c.status || s.IsPaid() != c.paid {
			t.Fatalf("history of %s, paid %v, folds to %s, paid %v", c.status, c.paid, s.Status, s.IsPaid())
		}
		c.want["join"] = events(joined)
		for name, command := range commands {
			switch want := c.want[name].(type) {
			case nil:
				subject.When(command).Nothing()
			case error:
				subject.When(command).Refused(want)
			case []order.Event:
				subject.When(command).Then(want...)
			}
			delete(c.want, name)
		}
		for name := range c.want {
			t.Errorf("%s: no command %q", c.status, name)
		}
	}
}

func TestRefundsOfPartsAreToldApartByTheirIDs(t *testing.T) {
	t.Parallel()
	part := func(id string, amount domain.Money) order.Refund {
		return order.Refund{RefundID: id, PaymentID: "p1", Amount: amount, At: noon}
	}
	done := func(id string, amount domain.Money) order.Refunded {
		return order.Refunded{RefundID: id, PaymentID: "p1", Amount: amount, At: noon}
	}
	whole := given(t, card, first, paid("p1"), approved, processing, completed)
	whole.When(order.Refund{PaymentID: "p1", Amount: 900}).Refused(order.ErrNoRefundID)
	once := whole.Given(done("r1", 900))
	once.When(part("r1", 900)).Nothing()
	once.When(part("r2", 900)).Then(done("r2", 900))
	once.When(part("r2", total-899)).Refused(order.ErrRefundTooMuch)
	once.When(part("r2", 0)).Refused(order.ErrBadAmount)
	if s := once.State(); s.Status != order.StatusCompleted || s.IsPaid() || len(s.Owed()) > 0 {
		t.Errorf("%+v", s)
	}
	rest := once.Given(done("r2", total-900))
	if s := rest.State(); s.Status != order.StatusRefunded {
		t.Errorf("%+v", s)
	}
	rest.When(part("r3", 1)).Nothing()

	// A second payment of a completed order goes back as too much, and the order stays as it is.
	twice := whole.Given(paid("p2"))
	twice.When(refund("p2")).Then(order.Refunded{PaymentID: "p2", Amount: total, Excess: true, At: noon})
}

// TestMoneyThatTheBankGaveBackByItself is recorded, and ends what cannot go on without it.
func TestMoneyThatTheBankGaveBackByItself(t *testing.T) {
	t.Parallel()
	word := order.Refund{RefundID: "r9", PaymentID: "p1", Amount: total, Reported: true, At: noon}
	gone := order.Refunded{RefundID: "r9", PaymentID: "p1", Amount: total, At: noon}
	live := given(t, card, first, paid("p1"), approved)
	live.When(word).Then(gone)
	ended := live.Given(gone)
	ended.When(word).Nothing()
	if s := ended.State(); s.Status != order.StatusRefunded || s.HoldsGoods() || s.IsPaid() {
		t.Errorf("%+v", s)
	}
	word.Amount, word.RefundID = 900, ""
	live.When(word).Refused(order.ErrNoRefundID)

	// A part of it leaves the order as it is, to be looked at.
	part := order.Refunded{RefundID: "r9", PaymentID: "p1", Amount: 900, At: noon}
	if s := live.Given(part).State(); s.Status != order.StatusApproved || s.IsPaid() || !s.HoldsGoods() {
		t.Errorf("%+v", s)
	}
	// Money that had come too late is away again: the order may be paid anew.
	waiting := given(t, card, first, expired, paid("p1"), gone)
	if s := waiting.State(); s.Status != order.StatusPaymentErr || s.MoneyCameLate() {
		t.Errorf("%+v", s)
	}
	waiting.When(request("p2", late)).Then(second)
}

func TestJoin(t *testing.T) {
	t.Parallel()
	given(t, card).When(join).Then(joined)
	given(t, card, joined).When(join).Nothing()
	given(t, card, joined).When(order.Join{CustomerID: uuid.UUID{15: 8}}).Refused(order.ErrNotGuest)
	given(t, card).When(order.Join{}).Refused(order.ErrNoCustomer)
	given(t, card, joined).When(order.Join{}).Refused(order.ErrNotGuest)
	mine := placedBy(domain.Card, func(p *order.Placed) { p.CustomerID = customer })
	given(t, mine).When(join).Nothing()
	if got := given(t, mine).State().CustomerID; got != customer {
		t.Errorf("customer %s", got)
	}
	if got := given(t, card, joined).State().CustomerID; got != customer {
		t.Errorf("customer %s", got)
	}
}

func TestBonusesFollowTheOrder(t *testing.T) {
	t.Parallel()
	back := func(id string, amount domain.Money) order.Event {
		return order.Refunded{RefundID: id, PaymentID: "p1", Amount: amount, At: noon}
	}
	done := []order.Event{card, first, paid("p1"), approved, processing, completed}
	after := func(more ...order.Event) []order.Event { return append(done[:len(done):len(done)], more...) }
	for name, c := range map[string]struct {
		history           []order.Event
		paid, base, spent domain.Money
	}{
		"nobody's":                 {nil, 0, 0, 0},
		"placed":                   {[]order.Event{card, first}, 0, 0, bonuses},
		"refused":                  {[]order.Event{card, first, failed("p1")}, 0, 0, 0},
		"expired":                  {[]order.Event{card, first, expired}, 0, 0, 0},
		"tried again":              {[]order.Event{card, first, expired, second}, 0, 0, bonuses},
		"too late":                 {[]order.Event{card, first, expired, paid("p1")}, goods, 0, 0},
		"approved":                 {[]order.Event{card, first, paid("p1"), approved}, goods, 0, bonuses},
		"processing":               {[]order.Event{card, first, paid("p1"), approved, processing}, goods, 0, bonuses},
		"cancelled":                {[]order.Event{card, first, paid("p1"), approved, cancelled}, goods, 0, 0},
		"refunded":                 {[]order.Event{card, first, paid("p1"), approved, cancelled, refunded("p1")}, 0, 0, 0},
		"cash approved":            {[]order.Event{cash, approved}, 0, 0, bonuses},
		"completed":                {after(), goods, goods, bonuses},
		"paid twice":               {after(paid("p2")), goods, goods, bonuses},
		"2 of 5 back":              {after(back("r1", 4_000)), 6_000, 6_000, 1_800},
		"a third back, rounded":    {after(back("r1", 3_333)), 6_667, 6_667, 2_000},
		"goods back, not delivery": {after(back("r1", 4_000), back("r2", 6_000)), 0, 0, 0},
		"all back":                 {after(back("r1", total)), 0, 0, 0},
	} {
		s := order.Decider.Fold(order.State{}, c.history...)
		if s.GoodsPaid() != c.paid || s.BonusBase() != c.base || s.BonusHeld() != c.spent {
			t.Errorf("%s: goods paid with %d, bonuses earned of %d, %d held; want %d, %d, %d",
				name, s.GoodsPaid(), s.BonusBase(), s.BonusHeld(), c.paid, c.base, c.spent)
		}
	}
	// Bonuses alone paid: there is no money whose share could go back.
	free := placedBy(domain.Card, func(p *order.Placed) {
		p.Calculation.DiscountedSum, p.Calculation.DeliveryPrice, p.Calculation.TotalPaid = bonuses, 0, 0
	})
	nothing := order.Paid{PaymentID: order.NoPaymentID}
	if s := order.Decider.Fold(order.State{}, order.Event(free), nothing, approved, processing, completed); s.BonusHeld() != bonuses || s.BonusBase() != 0 {
		t.Errorf("held %d, base %d", s.BonusHeld(), s.BonusBase())
	}
}

// TestNotificationsInAnyOrder throws commands of the shop and its provider at an order, repeated and shuffled.
func TestNotificationsInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := order.Decider.Fold(order.Decider.Initial, order.Event(card))
		now := noon
		count := map[string]int{}
		var money domain.Money
		reported := false // money went without being asked for
		receipts := rapid.SampledFrom([][]string{{""}, {"r1", "r2"}}).Draw(t, "receipts")
		for range rapid.IntRange(1, 40).Draw(t, "commands") {
			id := rapid.SampledFrom([]string{"p1", "p2", "p3"}).Draw(t, "payment")
			receipt := rapid.SampledFrom(receipts).Draw(t, "receipt")
			now = now.Add(time.Duration(rapid.IntRange(0, 15).Draw(t, "minutes")) * time.Minute)
			command := rapid.SampledFrom([]order.Command{
				order.RequestPayment{PaymentID: id, PayBefore: now.Add(30 * time.Minute), At: now},
				order.ConfirmPayment{PaymentID: id, Receipt: receipt, Amount: total, At: now},
				order.FailPayment{PaymentID: id, At: now},
				order.ExpirePayment{At: now},
				order.ExpireConfirmation{At: now},
				order.Approve{At: now}, order.StartProcessing{At: now}, order.Complete{At: now},
				order.Cancel{By: "customer", At: now}, order.Cancel{By: "staff", At: now},
				order.Refund{PaymentID: id, Receipt: receipt, Amount: total, At: now},
				order.Refund{RefundID: "a part of " + id + receipt, PaymentID: id, Receipt: receipt, Amount: 900, At: now},
				order.Refund{RefundID: "by the bank, " + id + receipt, PaymentID: id, Receipt: receipt, Amount: 1_000, Reported: true, At: now},
				order.Join{CustomerID: customer, At: now},
			}).Draw(t, "command")

			before := state
			events, err := order.Decider.Decide(command, state)
			if err != nil && len(events) > 0 {
				t.Fatalf("%#v was refused with events", command)
			}
			for _, event := range events {
				switch e := event.(type) {
				case order.Paid:
					money += e.Amount
					count["paid "+e.PaymentID+e.Receipt]++
				case order.Refunded:
					money -= e.Amount
					reported = reported || strings.HasPrefix(e.RefundID, "by the bank")
					count["refunded "+e.PaymentID+e.Receipt+e.RefundID]++
				case order.PaymentRequested:
					count["requested "+e.PaymentID]++
				default:
					count[event.EventType()]++
				}
			}
			state = order.Decider.Fold(state, events...)

			for what, times := range count {
				if times > 1 && what != "order.payment-failed" && what != "order.payment-expired" {
					t.Fatalf("%s %d times", what, times)
				}
			}
			if state.Captured() != money || money < 0 {
				t.Fatalf("captured %d, came in %d", state.Captured(), money)
			}
			if state.IsPaid() != (money >= total) {
				t.Fatalf("paid %v with %d", state.IsPaid(), money)
			}
			var owed domain.Money
			for _, p := range state.Owed() {
				owed += p.Amount
			}
			switch state.Status {
			case order.StatusCancelled, order.StatusRefunded:
				if owed != money {
					t.Fatalf("%s owes %d of %d", state.Status, owed, money)
				}
			case order.StatusApproved, order.StatusProcessing:
				if !state.IsPaid() && !reported || owed != max(0, money-total) {
					t.Fatalf("%s with %d, owes %d", state.Status, money, owed)
				}
			case order.StatusReceived:
				if state.IsPaid() {
					t.Fatal("paid, but not approved")
				}
			}
			if held := state.BonusHeld(); held < 0 || held > bonuses || state.HoldsGoods() && held != bonuses {
				t.Fatalf("%s holds %d of %d bonuses", state.Status, held, bonuses)
			}
			if paid := state.GoodsPaid(); paid < 0 || paid > max(0, money) || paid > goods || money >= total && paid != goods {
				t.Fatalf("goods paid with %d of %d", paid, money)
			}
			if !allowed(before.Status, state.Status) {
				t.Fatalf("%#v led from %s to %s", command, before.Status, state.Status)
			}
			// What was just answered adds nothing when it is asked again.
			if again, _ := order.Decider.Decide(command, state); len(again) > 0 {
				t.Fatalf("%#v adds again %#v", command, again)
			}
		}
	})
}

// allowed are the changes of status that exist.
func allowed(from, to order.Status) bool {
	if from == to {
		return true
	}
	switch to {
	case order.StatusReceived:
		return from == order.StatusPaymentErr
	case order.StatusApproved:
		return from == order.StatusReceived || from == order.StatusPaymentErr
	case order.StatusProcessing:
		return from == order.StatusApproved
	case order.StatusCompleted:
		return from == order.StatusProcessing
	case order.StatusPaymentErr:
		return from == order.StatusReceived
	case order.StatusCancelled:
		return from != order.StatusCompleted && from != order.StatusRefunded
	case order.StatusRefunded:
		return from == order.StatusCancelled || from == order.StatusCompleted || // or the bank gave it back by itself
			from == order.StatusApproved || from == order.StatusProcessing
	}
	return false
}

// TestFoldedStatesAreShared proves that folding on leaves an earlier state as it was: handlers cache them.
func TestFoldedStatesAreShared(t *testing.T) {
	t.Parallel()
	before := order.Decider.Fold(order.State{}, order.Event(card), first, paid("p1"), approved, cancelled)
	a := order.Decider.Fold(before, refunded("p1"))
	b := order.Decider.Fold(before, paid("p2"))
	order.Decider.Fold(before, paid("p3"))
	if before.Captured() != total || a.Captured() != 0 || b.Payments[1].ID != "p2" {
		t.Errorf("states share what changes: %v, %v, %v", before.Payments, a.Payments, b.Payments)
	}
}

func TestForgetTakesWhoOrderedAndLeavesTheSums(t *testing.T) {
	given := placedBy(domain.Cash, func(p *order.Placed) { p.Address.Street = "Абая" })
	forgotten := order.Forgotten{At: noon}
	spec.For(t, order.Decider).Given(given).When(order.Forget{At: noon}).Then(forgotten)
	spec.For(t, order.Decider).Given(given, forgotten).When(order.Forget{At: noon}).Then()
	spec.For(t, order.Decider).Given().When(order.Forget{At: noon}).Refused(order.ErrUnknown)
	state := order.Decider.Fold(order.State{}, given, forgotten)
	if state.Placed.Contact != (order.Contact{}) || state.Placed.Address != (order.Address{}) || state.Due() != given.Calculation.TotalPaid {
		t.Errorf("the state is %+v", state.Placed)
	}
}

func TestAGuestsOrderInCashThatNobodyConfirmsEnds(t *testing.T) {
	t.Parallel()
	guests := placedBy(domain.Cash, func(p *order.Placed) { p.CustomerID, p.ConfirmBefore = domain.ID{}, deadline })
	expire := order.ExpireConfirmation{At: deadline}
	ended := order.Cancelled{By: "system", Reason: order.ReasonNotConfirmed, At: deadline}
	given(t, guests).When(expire).Then(ended)
	given(t, guests).When(order.ExpireConfirmation{At: deadline.Add(-time.Nanosecond)}).Nothing()
	given(t, guests, approved).When(expire).Nothing()
	given(t, guests, cancelled).When(expire).Nothing()
	given(t, guests, ended).When(expire).Nothing()
	// It belongs to somebody who proved the e-mail.
	given(t, guests, joined).When(expire).Nothing()
	// Orders of before the rule, and those that await money, have no such end.
	given(t, cash).When(expire).Nothing()
	given(t, card).When(expire).Nothing()
	given(t).When(expire).Refused(order.ErrUnknown)
}

func TestAnOrderIsUnconfirmedUntilSomebodyPaysOrConfirms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events []order.Event
		want   bool
	}{
		"nothing":     {nil, false},
		"card":        {[]order.Event{card, first}, true},
		"cash":        {[]order.Event{cash}, true},
		"paid":        {[]order.Event{card, first, paid("p1"), approved}, false},
		"approved":    {[]order.Event{cash, approved}, false},
		"failed":      {[]order.Event{card, first, failed("p1")}, false},
		"expired":     {[]order.Event{card, first, expired}, false},
		"tried again": {[]order.Event{card, first, expired, second}, true},
		"cancelled":   {[]order.Event{cash, cancelled}, false},
		"forgotten":   {[]order.Event{cash, order.Forgotten{At: noon}}, false},
	} {
		if got := order.Decider.Fold(order.Decider.Initial, c.events...).Unconfirmed(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAPaymentKeepsItsProvider(t *testing.T) {
	t.Parallel()
	asked := func(id, provider string, attempt int) order.PaymentRequested {
		return order.PaymentRequested{PaymentID: id, Provider: provider, Attempt: attempt, Amount: total, PayBefore: deadline, At: noon}
	}
	s := given(t, card, asked("p1", "former", 1), failed("p1"), asked("p2", "new", 2), paid("p1"), paid("p2")).State()
	for i, provider := range []string{"former", "new"} {
		if p := s.Payments[i]; p.Provider != provider || s.ProviderOf(p.ID) != provider {
			t.Errorf("payment %s came by %q, %q, want %q", p.ID, p.Provider, s.ProviderOf(p.ID), provider)
		}
	}
	if s.ProviderOf("transfer") != "" || s.ProviderOf(order.CashPaymentID) != "" {
		t.Error("a payment that was opened at nobody has a provider")
	}
	if owed := s.Owed(); len(owed) != 1 || owed[0].Provider != "new" {
		t.Errorf("owed is %v, want what the new provider took too much", owed)
	}
}
