package commands

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/promocode"
)

func TestCashOrderIsWrittenInOneGo(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(5_000, 4_000, 10)
	before := s.head()

	priced := s.price(fields{"products": []fields{lineOf(cream, 2)}, "city": "Алматы", "payment_method": "CASH"})
	basket := priced.Result().Cookies()[0].Value
	answer := s.place(checkout(lineOf(cream, 2)).with("expected_total", 9_900), withBasket(basket))
	receipt := read[Receipt](answer)

	equalText(t, "receipt", fmt.Sprintf("%d %d %s %v %d %d %q", answer.Code, receipt.Number, receipt.Status, receipt.IsPaid,
		receipt.TotalPaid, receipt.PayableNow, receipt.PaymentURL), `201 100001 RECEIVED false 9900 0 ""`)
	equalText(t, "log", s.types(before), "[basket.priced basket.checked-out order.placed stock.reserved]")
	equal(t, "X-Event-Position", answer.Header().Get("X-Event-Position"), fmt.Sprint(s.head()))
	placed := s.orderOf(receipt.ID).Placed
	equal(t, "phone", placed.Contact.Phone, "+77012345678")
	equal(t, "delivery date", placed.DeliveryDate, "2026-03-04")
	equal(t, "reserved", s.stockOf(cream).Reserved, 2)
	equal(t, "pay before", placed.PayBefore.IsZero(), true)
}

func TestHundredCheckoutsForTenPiecesSellTen(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 10)
	other := *s // a second process: it shares the database and remembers on its own
	other.use(s.log)
	shops := []*testShop{s, &other}

	var mu sync.Mutex
	answers := map[string]int{}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			r := shops[i%2].place(checkout(lineOf(cream, 1)))
			text := r.body()
			if r.Code == http.StatusCreated {
				text = "sold"
			}
			mu.Lock()
			defer mu.Unlock()
			answers[text]++
		})
	}
	all.Wait()

	equal(t, "orders", answers["sold"], 10)
	equal(t, "refusals", answers[`{"products":[{"product":["Товара нет в наличии"]}]}`], 90)
	state := s.stockOf(cream)
	equalText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "10 10")
	equal(t, "reservations", strings.Count(fmt.Sprint(s.types(0)), "stock.reserved"), 10)
}

func TestManyCheckoutsOfTwoProductsAllSell(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	a, b := s.product(9_000, 9_000, 100), s.product(9_000, 9_000, 100)
	var all sync.WaitGroup
	for i := range 60 {
		lines := []fields{lineOf(a, 1), lineOf(b, 1)}
		if i%2 == 1 {
			lines[0], lines[1] = lines[1], lines[0]
		}
		all.Go(func() { s.placed(checkout(lines...)) })
	}
	all.Wait()
	equal(t, "reserved of a", s.stockOf(a).Reserved, 60)
	equal(t, "reserved of b", s.stockOf(b).Reserved, 60)
}

func TestSameKeyAtOnceIsOneOrder(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 1) // the repeats of the order that takes it must not hear that it is gone

	bodies := make([]string, 20)
	positions := make([]string, 20)
	var all sync.WaitGroup
	for i := range bodies {
		all.Go(func() {
			r := s.place(checkout(lineOf(cream, 1)), withKey("one-attempt"))
			bodies[i], positions[i] = fmt.Sprint(r.Code, " ", r.body()), r.Header().Get("X-Event-Position")
		})
	}
	all.Wait()

	for i := range bodies {
		equal(t, "answer", bodies[i], bodies[0])
		if positions[i] == "" || positions[i] == "0" {
			t.Error("an answer does not say how far to wait for the order to show")
		}
	}
	if !strings.HasPrefix(bodies[0], "201 ") {
		t.Errorf("answer is %s", bodies[0])
	}
	equal(t, "orders", strings.Count(fmt.Sprint(s.types(0)), "order.placed"), 1)
}

func TestKeyWithAnotherBodyIsRefused(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 2)
	first := s.place(checkout(lineOf(cream, 1)), withKey("k"))
	before := s.head()

	s.place(checkout(lineOf(cream, 2)), withKey("k")).wants(409, `{"detail":"Этот запрос уже отправлен с другими данными"}`)
	// The same question, written otherwise: keys in another order, spaces around, the phone in another dress.
	again := s.place(`{"delivery_type":"DELIVERY", "payment_method":"CASH","customer_house":" 10 ","customer_street":"Абая",
		"customer_city":"Алматы","customer_phone":"+7 701 234 56 78","customer_email":"aigul@example.kz","customer_last_name":"Серикова",
		"customer_first_name":"Айгуль","products":[{"amount":1,"product":"`+cream.String()+`"}]}`, withKey("k"))
	again.wants(201, first.body())
	equal(t, "head", s.head(), before)
	for _, key := range []string{"", "ключ", strings.Repeat("k", 201), "a\tb"} {
		equal(t, "status of key "+key, s.place(checkout(lineOf(cream, 1)), withKey(key)).Code, 400)
	}
}

func TestWithoutKeyEachPostIsAnOrder(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 5)
	first, second := s.placed(checkout(lineOf(cream, 1))), s.placed(checkout(lineOf(cream, 1)))
	equal(t, "second number", second.Number, first.Number+1)
	equal(t, "reserved", s.stockOf(cream).Reserved, 2)
}

func TestOrderThatHoldsItsGoodsSurvivesARestart(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 3)
	first := s.place(checkout(lineOf(cream, 3)), withKey("before the crash"))
	s.use(s.log)
	s.place(checkout(lineOf(cream, 3)), withKey("before the crash")).wants(201, first.body())
	s.place(checkout(lineOf(cream, 1))).wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)
	equal(t, "status", s.orderOf(read[Receipt](first).ID).Status, order.StatusReceived)
}

func TestExpectedTotalThatChangedIsAConflictWithTheNewCalculation(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 3)
	before := s.head()
	r := s.place(checkout(lineOf(cream, 1)).with("expected_total", 9_000))
	conflict := read[struct {
		Detail      string
		Calculation Calculation
	}](r)
	equalText(t, "answer", fmt.Sprint(r.Code, conflict.Calculation.TotalPaid, conflict.Detail != ""), "409 10900 true")
	equal(t, "head", s.head(), before)
}

func TestARefusedCheckoutLeavesItsReasonInTheBasket(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream, soap, rare := s.product(9_000, 9_000, 10), s.product(1_000, 1_000, 10), s.product(9_000, 9_000, 1)
	s.promocode("LATE", promocode.Terms{Kind: promocode.Percent, Value: 10, ValidUntil: noon.Add(-time.Hour)})
	fresh := func() string {
		return s.price(fields{"products": []fields{lineOf(cream, 1)}}).Result().Cookies()[0].Value
	}
	for reason, body := range map[string]fields{
		"below_minimum":    checkout(lineOf(soap, 2)),
		"not_enough_stock": checkout(lineOf(rare, 2)),
		"cash_unavailable": checkout(lineOf(cream, 1)).with("customer_city", "Астана"),
		"promo_invalid":    checkout(lineOf(cream, 1)).with("promocode", "late"),
		"price_changed":    checkout(lineOf(cream, 1)).with("expected_total", 1),
	} {
		mine := fresh()
		before := s.head()
		for range 2 { // the same refusal again says nothing new
			if r := s.place(body, withBasket(mine)); r.Code == http.StatusCreated {
				t.Fatalf("%s: an order was made", reason)
			}
		}
		equalText(t, reason, fmt.Sprint(s.types(before)), "[basket.checkout-refused]")
		events, err := s.log.Stream(t.Context(), basket.Stream(uuid.MustParse(mine)), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "reason", events[0].Data.(basket.CheckoutRefused).Reason, reason)
	}

	before := s.head()
	poor := checkout(lineOf(soap, 2))
	s.place(poor)                                                                      // of no basket
	s.place(poor, withBasket(uuid.NewString()))                                        // of one that was never priced
	s.place(checkout(lineOf(uuid.NewString(), 1)), withBasket(fresh()))                // of what we do not sell
	s.place(checkout(lineOf(cream, 1)).without("customer_phone"), withBasket(fresh())) // the form is not complete
	equalText(t, "log", s.types(before), "[basket.priced basket.priced]")

	mine := fresh()
	s.clock.Advance(time.Minute)
	receipt := s.placed(checkout(lineOf(cream, 1)), withBasket(mine))
	equal(t, "basket since", s.orderOf(receipt.ID).Placed.BasketSince, noon)
	receipt = s.placed(checkout(lineOf(cream, 1)), withBasket(mine)) // priced never since the order
	equal(t, "basket since", s.orderOf(receipt.ID).Placed.BasketSince, time.Time{})
}

func TestPricesAreThoseOfTheLogAtThatMoment(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 3)
	s.placed(checkout(lineOf(cream, 1))) // the price is remembered now
	other := New(s.log, Options{})       // and changed by another process
	if _, err := (&Catalog{Handler: other}).PriceProduct(t.Context(), cream, 12_000, 11_000); err != nil {
		t.Fatal(err)
	}
	receipt := s.placed(checkout(lineOf(cream, 1)))
	equal(t, "total", receipt.TotalPaid, domain.Money(12_900))
}
