package order_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
)

var (
	azat  = uuid.UUID{15: 31}
	boris = uuid.UUID{15: 32}

	today    = noon.In(domain.Almaty).Format(time.DateOnly)
	tomorrow = noon.AddDate(0, 0, 1).In(domain.Almaty).Format(time.DateOnly)
	past     = noon.AddDate(0, 0, -1).In(domain.Almaty).Format(time.DateOnly)

	packed     = order.Packed{At: noon}
	toAzat     = order.HandedOver{Courier: azat, Day: today, At: noon}
	delivered  = order.Delivered{At: noon}
	notAtHome  = order.NotDelivered{Reason: "not_at_home", Day: tomorrow, At: noon}
	pack       = order.Pack{At: noon}
	giveAzat   = order.HandOver{Courier: azat, At: noon}
	deliver    = order.Deliver{At: noon}
	notDeliver = order.NotDeliver{Reason: "not_at_home", Day: tomorrow, At: noon}
	byPost     = order.HandOver{Carrier: "kazpost", Tracking: "KZ-123456789", At: noon}
	posted     = order.HandedOver{Carrier: "kazpost", Tracking: "KZ-123456789", At: noon}
)

func TestAnOrderIsPacked(t *testing.T) {
	t.Parallel()
	given(t, cash, approved).When(pack).Then(processing, packed)
	given(t, cash, approved, processing).When(pack).Then(packed)
	given(t, cash, approved, processing).When(order.Pack{Reason: " сканер сломан ", At: noon}).Then(order.Packed{Reason: "сканер сломан", At: noon})
	given(t, cash, approved, processing, packed).When(pack).Nothing()
	given(t, cash, approved, processing).When(order.Pack{Reason: strings.Repeat("ж", 201)}).Refused(order.ErrLongText)
	for _, history := range [][]order.Event{{cash}, {cash, cancelled}, {cash, approved, processing, completed}, {card, first}} {
		given(t, history...).When(pack).Refused(order.ErrNotPackable)
	}
	given(t).When(pack).Refused(order.ErrUnknown)
}

func TestAParcelIsHandedOver(t *testing.T) {
	t.Parallel()
	given(t, cash, approved, processing).When(giveAzat).Refused(order.ErrNotPacked)
	ready := given(t, cash, approved, processing, packed)
	ready.When(giveAzat).Then(toAzat)
	ready.When(byPost).Then(posted)
	ready.Given(toAzat).When(giveAzat).Nothing()
	ready.Given(posted).When(byPost).Nothing()
	// What was typed wrong is corrected.
	ready.Given(posted).When(order.HandOver{Carrier: "kazpost", Tracking: "KZ-2345", At: noon}).Then(order.HandedOver{Carrier: "kazpost", Tracking: "KZ-2345", At: noon})
	ready.Given(toAzat).When(order.HandOver{Courier: boris, At: noon}).Then(order.HandedOver{Courier: boris, Day: today, At: noon})
	ready.Given(toAzat, delivered).When(byPost).Refused(order.ErrDelivered)
	for _, c := range []order.HandOver{{}, {Tracking: "KZ-12345"}, {Carrier: "kazpost", Tracking: "KZ-12345", Courier: azat}, {Courier: azat, Tracking: "KZ-12345"}, {Carrier: strings.Repeat("ж", 41), Tracking: "KZ-12345"}} {
		ready.When(c).Refused(order.ErrBadCarrier)
	}
	for _, number := range []string{"", "abc", "номер", "12 34", "<b>12</b>", strings.Repeat("1", 41)} {
		ready.When(order.HandOver{Carrier: "kazpost", Tracking: number}).Refused(order.ErrBadTracking)
	}
	pickup := placedBy(domain.Cash, func(p *order.Placed) { p.DeliveryType = domain.Pickup })
	given(t, pickup, approved, processing, packed).When(giveAzat).Refused(order.ErrPickup)
	given(t, cash, approved, processing, packed, cancelled).When(giveAzat).Refused(order.ErrNotPacked)
}

func TestACourierIsPlanned(t *testing.T) {
	t.Parallel()
	plan := order.AssignCourier{Courier: azat, Day: tomorrow, At: noon}
	planned := order.CourierAssigned{Courier: azat, Day: tomorrow, At: noon}
	given(t, cash, approved).When(plan).Then(planned)
	given(t, cash, approved, planned).When(plan).Nothing()
	given(t, cash, approved, planned).When(order.AssignCourier{Day: tomorrow, At: noon}).Then(order.CourierAssigned{At: noon})
	given(t, cash, approved).When(order.AssignCourier{At: noon}).Nothing()
	for _, day := range []string{"", past, "2026-13-01", "завтра"} {
		given(t, cash, approved).When(order.AssignCourier{Courier: azat, Day: day, At: noon}).Refused(order.ErrBadDay)
	}
	given(t, cash).When(plan).Refused(order.ErrNotPackable)
	given(t, cash, approved, processing, packed, toAzat).When(plan).Refused(order.ErrHandedOver)
	given(t, cash, approved, processing, packed, toAzat, delivered).When(plan).Refused(order.ErrDelivered)
	pickup := placedBy(domain.Cash, func(p *order.Placed) { p.DeliveryType = domain.Pickup })
	given(t, pickup, approved).When(plan).Refused(order.ErrPickup)
	// Taken in the evening before, it stays tomorrow's.
	given(t, cash, approved, processing, packed, planned).When(giveAzat).Then(order.HandedOver{Courier: azat, Day: tomorrow, At: noon})
	given(t, cash, approved, processing, packed, planned).When(order.HandOver{Courier: boris, At: noon}).Then(order.HandedOver{Courier: boris, Day: today, At: noon})
}

func TestCompletedFollowsDeliveryAndMoney(t *testing.T) {
	t.Parallel()
	given(t, card, first, paid("p1"), approved, processing, packed, posted).When(deliver).Then(delivered, completed)
	given(t, card, first, paid("p1"), approved, processing, packed, posted, delivered, completed).When(deliver).Nothing()

	unpaid := given(t, cash, approved, processing, packed, toAzat)
	unpaid.When(deliver).Then(delivered)
	unpaid = unpaid.Given(delivered)
	if s := unpaid.State(); !s.AwaitsMoney() || s.Status != order.StatusProcessing {
		t.Errorf("delivered and unpaid is %s, awaits money: %v", s.Status, s.AwaitsMoney())
	}
	unpaid.When(deliver).Nothing()
	part := order.Paid{PaymentID: "k1", Amount: 900, At: noon}
	unpaid.When(confirmed(part)).Then(part)
	rest := order.Paid{PaymentID: "k2", Amount: total - 900, At: noon}
	unpaid.Given(part).When(confirmed(rest)).Then(rest, completed)
	// Nobody makes money up that a courier may have.
	unpaid.When(complete).Refused(order.ErrMoneyAwaited)
	byHand := order.PayByHand{Method: order.Desk, Reference: "day 1", Amount: total, By: "staff:azat", At: noon}
	unpaid.When(byHand).Then(order.Paid{
		PaymentID: order.HandPaymentID("day 1"), Amount: total, ByHand: order.ByHand{Method: order.Desk, By: "staff:azat"}, At: noon,
	}, completed)
	// Money that comes before the goods completes nothing.
	given(t, cash, approved, processing, packed, toAzat).When(confirm("k1")).Then(paid("k1"))

	given(t, cash, approved, processing).When(deliver).Refused(order.ErrNotHandedOver)
	given(t, cash, approved, processing, packed).When(deliver).Refused(order.ErrNotHandedOver)
	given(t, cash, cancelled).When(deliver).Refused(order.ErrNotHandedOver)
	pickup := placedBy(domain.Cash, func(p *order.Placed) { p.DeliveryType = domain.Pickup })
	given(t, pickup, approved, processing).When(deliver).Refused(order.ErrNotPacked)
	given(t, pickup, approved, processing, packed).When(deliver).Then(delivered)
	// Whoever completes a packed order says that it was delivered.
	given(t, cash, approved, processing, packed).When(complete).Then(delivered, order.Paid{PaymentID: order.CashPaymentID, Amount: total, At: noon}, completed)
}

// confirmed is the command that a provider's payment is.
func confirmed(p order.Paid) order.ConfirmPayment {
	return order.ConfirmPayment{PaymentID: p.PaymentID, Receipt: p.Receipt, Amount: p.Amount, At: p.At}
}

func TestAParcelComesBack(t *testing.T) {
	t.Parallel()
	away := given(t, cash, approved, processing, packed, toAzat)
	away.When(notDeliver).Then(notAtHome)
	back := away.Given(notAtHome)
	back.When(notDeliver).Nothing()
	if p := back.State().Parcel; !p.Packed() || p.HandedOver() || p.Courier != uuid.Nil || p.NewDay != tomorrow {
		t.Errorf("came back as %+v", p)
	}
	back.When(deliver).Refused(order.ErrNotHandedOver)
	back.When(giveAzat).Then(toAzat)
	if p := back.Given(toAzat).State().Parcel; !p.HandedOver() || p.NotDelivered != "" {
		t.Errorf("went out again as %+v", p)
	}
	away.When(order.NotDeliver{Reason: "refused", At: noon}).Then(order.NotDelivered{Reason: "refused", At: noon})
	away.When(order.NotDeliver{Reason: "", At: noon}).Refused(order.ErrBadReason)
	away.When(order.NotDeliver{Reason: "refused", Day: past, At: noon}).Refused(order.ErrBadDay)
	away.Given(delivered).When(notDeliver).Refused(order.ErrDelivered)
	given(t, cash, approved, processing, packed).When(notDeliver).Refused(order.ErrNotHandedOver)
}

func TestGoodsOutsideTheShopAreNotCancelled(t *testing.T) {
	t.Parallel()
	away := given(t, cash, approved, processing, packed, toAzat)
	away.When(byStaff).Refused(order.ErrHandedOver)
	away.When(bySystem).Refused(order.ErrHandedOver)
	away.Given(delivered).When(byStaff).Refused(order.ErrDelivered)
	away.Given(notAtHome).When(byStaff).Then(cancelled)
	given(t, cash, approved, processing, packed).When(byStaff).Then(cancelled)
}

func TestCarriersLeadToTheirPages(t *testing.T) {
	t.Parallel()
	if got := order.CarrierOf(" казпочта ").TrackingURL("KZ-12345"); got != "https://post.kz/mail/search/track/KZ-12345/detail" || order.CarrierOf("cdek").TrackingURL("1&x=2") != "" {
		t.Errorf("address %s", got)
	}
	other := order.CarrierOf("Курьер Сервис")
	if other.Name != "Курьер Сервис" || other.TrackingURL("1234") != "" {
		t.Errorf("another carrier: %+v leads to %q", other, other.TrackingURL("1234"))
	}
}
