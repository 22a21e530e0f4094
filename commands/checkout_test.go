package commands_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/promocode"
)

func TestCashOrderIsWrittenInOneGo(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(5_000, 4_000, 10)
	before := s.Head()

	priced := s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 2)}, "city": "Алматы", "payment_method": "CASH"})
	basket := priced.Result().Cookies()[0].Value
	answer := s.Place(testshop.Checkout(testshop.Line(cream, 2)).With("expected_total", 9_900), testshop.WithBasket(basket))
	receipt := testshop.Read[commands.Receipt](answer)

	testshop.EqualText(t, "receipt", fmt.Sprintf("%d %d %s %v %d %d %q", answer.Code, receipt.Number, receipt.Status, receipt.IsPaid,
		receipt.TotalPaid, receipt.PayableNow, receipt.PaymentURL), `201 100001 RECEIVED false 9900 0 ""`)
	testshop.EqualText(t, "log", s.Types(before), "[basket.priced basket.checked-out order.placed stock.reserved]")
	testshop.Equal(t, "X-Event-Position", answer.Header().Get("X-Event-Position"), fmt.Sprint(s.Head()))
	placed := s.OrderOf(receipt.ID).Placed
	testshop.Equal(t, "phone", placed.Contact.Phone, "+77012345678")
	testshop.Equal(t, "delivery date", placed.DeliveryDate, "2026-03-04")
	testshop.Equal(t, "reserved", s.StockOf(cream).Reserved, 2)
	testshop.Equal(t, "pay before", placed.PayBefore.IsZero(), true)
}

func TestHundredCheckoutsForTenPiecesSellTen(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	other := *s // a second process: it shares the database and remembers on its own
	other.Use(s.Log)
	shops := []*testshop.Shop{s, &other}

	var mu sync.Mutex
	answers := map[string]int{}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			r := shops[i%2].Place(testshop.Checkout(testshop.Line(cream, 1)))
			text := r.Text()
			if r.Code == http.StatusCreated {
				text = "sold"
			}
			mu.Lock()
			defer mu.Unlock()
			answers[text]++
		})
	}
	all.Wait()

	testshop.Equal(t, "orders", answers["sold"], 10)
	testshop.Equal(t, "refusals", answers[`{"products":[{"product":["Товара нет в наличии"]}]}`], 90)
	state := s.StockOf(cream)
	testshop.EqualText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "10 10")
	testshop.Equal(t, "reservations", strings.Count(fmt.Sprint(s.Types(0)), "stock.reserved"), 10)
}

func TestManyCheckoutsOfTwoProductsAllSell(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	a, b := s.Product(9_000, 9_000, 100), s.Product(9_000, 9_000, 100)
	var all sync.WaitGroup
	for i := range 60 {
		lines := []testshop.Fields{testshop.Line(a, 1), testshop.Line(b, 1)}
		if i%2 == 1 {
			lines[0], lines[1] = lines[1], lines[0]
		}
		all.Go(func() { s.Placed(testshop.Checkout(lines...)) })
	}
	all.Wait()
	testshop.Equal(t, "reserved of a", s.StockOf(a).Reserved, 60)
	testshop.Equal(t, "reserved of b", s.StockOf(b).Reserved, 60)
}

func TestSameKeyAtOnceIsOneOrder(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 1) // the repeats of the order that takes it must not hear that it is gone

	bodies := make([]string, 20)
	positions := make([]string, 20)
	var all sync.WaitGroup
	for i := range bodies {
		all.Go(func() {
			r := s.Place(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithKey("one-attempt"))
			bodies[i], positions[i] = fmt.Sprint(r.Code, " ", r.Text()), r.Header().Get("X-Event-Position")
		})
	}
	all.Wait()

	for i := range bodies {
		testshop.Equal(t, "answer", bodies[i], bodies[0])
		if positions[i] == "" || positions[i] == "0" {
			t.Error("an answer does not say how far to wait for the order to show")
		}
	}
	if !strings.HasPrefix(bodies[0], "201 ") {
		t.Errorf("answer is %s", bodies[0])
	}
	testshop.Equal(t, "orders", strings.Count(fmt.Sprint(s.Types(0)), "order.placed"), 1)
}

func TestKeyWithAnotherBodyIsRefused(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 2)
	first := s.Place(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithKey("k"))
	before := s.Head()

	s.Place(testshop.Checkout(testshop.Line(cream, 2)), testshop.WithKey("k")).Wants(409, `{"detail":"Этот запрос уже отправлен с другими данными","code":"request/key-taken"}`)
	// The same question, written otherwise: keys in another order, spaces around, the phone in another dress.
	again := s.Place(`{"delivery_type":"DELIVERY", "payment_method":"CASH","customer_house":" 10 ","customer_street":"Абая",
		"customer_city":"Алматы","customer_phone":"+7 701 234 56 78","customer_email":"aigul@example.kz","customer_last_name":"Серикова",
		"customer_first_name":"Айгуль","products":[{"amount":1,"product":"`+cream.String()+`"}]}`, testshop.WithKey("k"))
	again.Wants(201, first.Text())
	testshop.Equal(t, "head", s.Head(), before)
	for _, key := range []string{"", "ключ", strings.Repeat("k", 201), "a\tb"} {
		testshop.Equal(t, "status of key "+key, s.Place(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithKey(key)).Code, 400)
	}
}

func TestWithoutKeyEachPostIsAnOrder(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 5)
	first, second := s.Placed(testshop.Checkout(testshop.Line(cream, 1))), s.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	testshop.Equal(t, "second number", second.Number, first.Number+1)
	testshop.Equal(t, "reserved", s.StockOf(cream).Reserved, 2)
}

func TestOrderThatHoldsItsGoodsSurvivesARestart(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 3)
	first := s.Place(testshop.Checkout(testshop.Line(cream, 3)), testshop.WithKey("before the crash"))
	s.Use(s.Log)
	s.Place(testshop.Checkout(testshop.Line(cream, 3)), testshop.WithKey("before the crash")).Wants(201, first.Text())
	s.Place(testshop.Checkout(testshop.Line(cream, 1))).Wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)
	testshop.Equal(t, "status", s.OrderOf(testshop.Read[commands.Receipt](first).ID).Status, order.StatusReceived)
}

func TestExpectedTotalThatChangedIsAConflictWithTheNewCalculation(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 3)
	before := s.Head()
	r := s.Place(testshop.Checkout(testshop.Line(cream, 1)).With("expected_total", 9_000))
	conflict := testshop.Read[struct {
		Detail      string
		Calculation commands.Calculation
	}](r)
	testshop.EqualText(t, "answer", fmt.Sprint(r.Code, conflict.Calculation.TotalPaid, conflict.Detail != ""), "409 10900 true")
	testshop.Equal(t, "head", s.Head(), before)
}

func TestWhatIsPickedUpNeedsNoCityAndMayBePaidInCash(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	picked := testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 1), 1)).With("delivery_type", "PICKUP")
	for _, field := range []string{"customer_city", "customer_street", "customer_house"} {
		picked = picked.Without(field)
	}
	if r := s.Place(picked); r.Code != http.StatusCreated {
		t.Errorf("%d %s", r.Code, r.Body)
	}
}

func TestARefusedCheckoutLeavesItsReasonInTheBasket(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream, soap, rare := s.Product(9_000, 9_000, 10), s.Product(1_000, 1_000, 10), s.Product(9_000, 9_000, 1)
	s.Promocode("LATE", promocode.Terms{Kind: promocode.Percent, Value: 10, ValidUntil: testshop.Noon.Add(-time.Hour)})
	fresh := func() string {
		return s.Basket(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}})
	}
	for reason, body := range map[string]testshop.Fields{
		"below_minimum":    testshop.Checkout(testshop.Line(soap, 2)),
		"not_enough_stock": testshop.Checkout(testshop.Line(rare, 2)),
		"cash_unavailable": testshop.Checkout(testshop.Line(cream, 1)).With("customer_city", "Астана"),
		"promo_invalid":    testshop.Checkout(testshop.Line(cream, 1)).With("promocode", "late"),
		"price_changed":    testshop.Checkout(testshop.Line(cream, 1)).With("expected_total", 1),
	} {
		mine := fresh()
		before := s.Head()
		for range 2 { // the same refusal again says nothing new
			if r := s.Place(body, testshop.WithBasket(mine)); r.Code == http.StatusCreated {
				t.Fatalf("%s: an order was made", reason)
			}
		}
		testshop.EqualText(t, reason, fmt.Sprint(s.Types(before)), "[basket.checkout-refused]")
		events, err := s.Log.Stream(t.Context(), basket.Stream(testshop.BasketID(mine)), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		testshop.Equal(t, "reason", events[0].Data.(basket.CheckoutRefused).Reason, reason)
	}

	before := s.Head()
	poor := testshop.Checkout(testshop.Line(soap, 2))
	s.Place(poor)                                                                                               // of no basket
	s.Place(poor, testshop.WithBasket(uuid.NewString()))                                                        // of one that was never priced
	s.Place(testshop.Checkout(testshop.Line(uuid.NewString(), 1)), testshop.WithBasket(fresh()))                // of what we do not sell
	s.Place(testshop.Checkout(testshop.Line(cream, 1)).Without("customer_phone"), testshop.WithBasket(fresh())) // the form is not complete
	testshop.EqualText(t, "log", s.Types(before), "[basket.priced basket.priced]")

	mine := fresh()
	s.Clock.Advance(time.Minute)
	receipt := s.Placed(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithBasket(mine))
	testshop.Equal(t, "basket since", s.OrderOf(receipt.ID).Placed.BasketSince, testshop.Noon)
	receipt = s.Placed(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithBasket(mine)) // priced never since the order
	testshop.Equal(t, "basket since", s.OrderOf(receipt.ID).Placed.BasketSince, testshop.Noon.Add(time.Minute))
}

func TestPricesAreThoseOfTheLogAtThatMoment(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 3)
	s.Placed(testshop.Checkout(testshop.Line(cream, 1))) // the price is remembered now
	other := commands.New(s.Log, commands.Options{})     // and changed by another process
	if _, err := (&commands.Catalog{Handler: other}).PriceProduct(t.Context(), cream, 12_000, 11_000); err != nil {
		t.Fatal(err)
	}
	receipt := s.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	testshop.Equal(t, "total", receipt.TotalPaid, domain.Money(12_900))
}
