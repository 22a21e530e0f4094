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
	"shop/commands/shoptest"
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/promocode"
)

func TestCashOrderIsWrittenInOneGo(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream := s.Product(5_000, 4_000, 10)
	before := s.Head()

	priced := s.Price(shoptest.Fields{"products": []shoptest.Fields{shoptest.Line(cream, 2)}, "city": "Алматы", "payment_method": "CASH"})
	basket := priced.Result().Cookies()[0].Value
	answer := s.Place(shoptest.Checkout(shoptest.Line(cream, 2)).With("expected_total", 9_900), shoptest.WithBasket(basket))
	receipt := shoptest.Read[commands.Receipt](answer)

	shoptest.EqualText(t, "receipt", fmt.Sprintf("%d %d %s %v %d %d %q", answer.Code, receipt.Number, receipt.Status, receipt.IsPaid,
		receipt.TotalPaid, receipt.PayableNow, receipt.PaymentURL), `201 100001 RECEIVED false 9900 0 ""`)
	shoptest.EqualText(t, "log", s.Types(before), "[basket.priced basket.checked-out order.placed stock.reserved]")
	shoptest.Equal(t, "X-Event-Position", answer.Header().Get("X-Event-Position"), fmt.Sprint(s.Head()))
	placed := s.OrderOf(receipt.ID).Placed
	shoptest.Equal(t, "phone", placed.Contact.Phone, "+77012345678")
	shoptest.Equal(t, "delivery date", placed.DeliveryDate, "2026-03-04")
	shoptest.Equal(t, "reserved", s.StockOf(cream).Reserved, 2)
	shoptest.Equal(t, "pay before", placed.PayBefore.IsZero(), true)
}

func TestHundredCheckoutsForTenPiecesSellTen(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	other := *s // a second process: it shares the database and remembers on its own
	other.Use(s.Log)
	shops := []*shoptest.Shop{s, &other}

	var mu sync.Mutex
	answers := map[string]int{}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			r := shops[i%2].Place(shoptest.Checkout(shoptest.Line(cream, 1)))
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

	shoptest.Equal(t, "orders", answers["sold"], 10)
	shoptest.Equal(t, "refusals", answers[`{"products":[{"product":["Товара нет в наличии"]}]}`], 90)
	state := s.StockOf(cream)
	shoptest.EqualText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "10 10")
	shoptest.Equal(t, "reservations", strings.Count(fmt.Sprint(s.Types(0)), "stock.reserved"), 10)
}

func TestManyCheckoutsOfTwoProductsAllSell(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	a, b := s.Product(9_000, 9_000, 100), s.Product(9_000, 9_000, 100)
	var all sync.WaitGroup
	for i := range 60 {
		lines := []shoptest.Fields{shoptest.Line(a, 1), shoptest.Line(b, 1)}
		if i%2 == 1 {
			lines[0], lines[1] = lines[1], lines[0]
		}
		all.Go(func() { s.Placed(shoptest.Checkout(lines...)) })
	}
	all.Wait()
	shoptest.Equal(t, "reserved of a", s.StockOf(a).Reserved, 60)
	shoptest.Equal(t, "reserved of b", s.StockOf(b).Reserved, 60)
}

func TestSameKeyAtOnceIsOneOrder(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream := s.Product(9_000, 9_000, 1) // the repeats of the order that takes it must not hear that it is gone

	bodies := make([]string, 20)
	positions := make([]string, 20)
	var all sync.WaitGroup
	for i := range bodies {
		all.Go(func() {
			r := s.Place(shoptest.Checkout(shoptest.Line(cream, 1)), shoptest.WithKey("one-attempt"))
			bodies[i], positions[i] = fmt.Sprint(r.Code, " ", r.Text()), r.Header().Get("X-Event-Position")
		})
	}
	all.Wait()

	for i := range bodies {
		shoptest.Equal(t, "answer", bodies[i], bodies[0])
		if positions[i] == "" || positions[i] == "0" {
			t.Error("an answer does not say how far to wait for the order to show")
		}
	}
	if !strings.HasPrefix(bodies[0], "201 ") {
		t.Errorf("answer is %s", bodies[0])
	}
	shoptest.Equal(t, "orders", strings.Count(fmt.Sprint(s.Types(0)), "order.placed"), 1)
}

func TestKeyWithAnotherBodyIsRefused(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream := s.Product(9_000, 9_000, 2)
	first := s.Place(shoptest.Checkout(shoptest.Line(cream, 1)), shoptest.WithKey("k"))
	before := s.Head()

	s.Place(shoptest.Checkout(shoptest.Line(cream, 2)), shoptest.WithKey("k")).Wants(409, `{"detail":"Этот запрос уже отправлен с другими данными","code":"request/key-taken"}`)
	// The same question, written otherwise: keys in another order, spaces around, the phone in another dress.
	again := s.Place(`{"delivery_type":"DELIVERY", "payment_method":"CASH","customer_house":" 10 ","customer_street":"Абая",
		"customer_city":"Алматы","customer_phone":"+7 701 234 56 78","customer_email":"aigul@example.kz","customer_last_name":"Серикова",
		"customer_first_name":"Айгуль","products":[{"amount":1,"product":"`+cream.String()+`"}]}`, shoptest.WithKey("k"))
	again.Wants(201, first.Text())
	shoptest.Equal(t, "head", s.Head(), before)
	for _, key := range []string{"", "ключ", strings.Repeat("k", 201), "a\tb"} {
		shoptest.Equal(t, "status of key "+key, s.Place(shoptest.Checkout(shoptest.Line(cream, 1)), shoptest.WithKey(key)).Code, 400)
	}
}

func TestWithoutKeyEachPostIsAnOrder(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream := s.Product(9_000, 9_000, 5)
	first, second := s.Placed(shoptest.Checkout(shoptest.Line(cream, 1))), s.Placed(shoptest.Checkout(shoptest.Line(cream, 1)))
	shoptest.Equal(t, "second number", second.Number, first.Number+1)
	shoptest.Equal(t, "reserved", s.StockOf(cream).Reserved, 2)
}

func TestOrderThatHoldsItsGoodsSurvivesARestart(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream := s.Product(9_000, 9_000, 3)
	first := s.Place(shoptest.Checkout(shoptest.Line(cream, 3)), shoptest.WithKey("before the crash"))
	s.Use(s.Log)
	s.Place(shoptest.Checkout(shoptest.Line(cream, 3)), shoptest.WithKey("before the crash")).Wants(201, first.Text())
	s.Place(shoptest.Checkout(shoptest.Line(cream, 1))).Wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)
	shoptest.Equal(t, "status", s.OrderOf(shoptest.Read[commands.Receipt](first).ID).Status, order.StatusReceived)
}

func TestExpectedTotalThatChangedIsAConflictWithTheNewCalculation(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream := s.Product(9_000, 9_000, 3)
	before := s.Head()
	r := s.Place(shoptest.Checkout(shoptest.Line(cream, 1)).With("expected_total", 9_000))
	conflict := shoptest.Read[struct {
		Detail      string
		Calculation commands.Calculation
	}](r)
	shoptest.EqualText(t, "answer", fmt.Sprint(r.Code, conflict.Calculation.TotalPaid, conflict.Detail != ""), "409 10900 true")
	shoptest.Equal(t, "head", s.Head(), before)
}

func TestARefusedCheckoutLeavesItsReasonInTheBasket(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream, soap, rare := s.Product(9_000, 9_000, 10), s.Product(1_000, 1_000, 10), s.Product(9_000, 9_000, 1)
	s.Promocode("LATE", promocode.Terms{Kind: promocode.Percent, Value: 10, ValidUntil: shoptest.Noon.Add(-time.Hour)})
	fresh := func() string {
		return s.Price(shoptest.Fields{"products": []shoptest.Fields{shoptest.Line(cream, 1)}}).Result().Cookies()[0].Value
	}
	for reason, body := range map[string]shoptest.Fields{
		"below_minimum":    shoptest.Checkout(shoptest.Line(soap, 2)),
		"not_enough_stock": shoptest.Checkout(shoptest.Line(rare, 2)),
		"cash_unavailable": shoptest.Checkout(shoptest.Line(cream, 1)).With("customer_city", "Астана"),
		"promo_invalid":    shoptest.Checkout(shoptest.Line(cream, 1)).With("promocode", "late"),
		"price_changed":    shoptest.Checkout(shoptest.Line(cream, 1)).With("expected_total", 1),
	} {
		mine := fresh()
		before := s.Head()
		for range 2 { // the same refusal again says nothing new
			if r := s.Place(body, shoptest.WithBasket(mine)); r.Code == http.StatusCreated {
				t.Fatalf("%s: an order was made", reason)
			}
		}
		shoptest.EqualText(t, reason, fmt.Sprint(s.Types(before)), "[basket.checkout-refused]")
		events, err := s.Log.Stream(t.Context(), basket.Stream(uuid.MustParse(mine)), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		shoptest.Equal(t, "reason", events[0].Data.(basket.CheckoutRefused).Reason, reason)
	}

	before := s.Head()
	poor := shoptest.Checkout(shoptest.Line(soap, 2))
	s.Place(poor)                                                                                               // of no basket
	s.Place(poor, shoptest.WithBasket(uuid.NewString()))                                                        // of one that was never priced
	s.Place(shoptest.Checkout(shoptest.Line(uuid.NewString(), 1)), shoptest.WithBasket(fresh()))                // of what we do not sell
	s.Place(shoptest.Checkout(shoptest.Line(cream, 1)).Without("customer_phone"), shoptest.WithBasket(fresh())) // the form is not complete
	shoptest.EqualText(t, "log", s.Types(before), "[basket.priced basket.priced]")

	mine := fresh()
	s.Clock.Advance(time.Minute)
	receipt := s.Placed(shoptest.Checkout(shoptest.Line(cream, 1)), shoptest.WithBasket(mine))
	shoptest.Equal(t, "basket since", s.OrderOf(receipt.ID).Placed.BasketSince, shoptest.Noon)
	receipt = s.Placed(shoptest.Checkout(shoptest.Line(cream, 1)), shoptest.WithBasket(mine)) // priced never since the order
	shoptest.Equal(t, "basket since", s.OrderOf(receipt.ID).Placed.BasketSince, time.Time{})
}

func TestPricesAreThoseOfTheLogAtThatMoment(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t)
	cream := s.Product(9_000, 9_000, 3)
	s.Placed(shoptest.Checkout(shoptest.Line(cream, 1))) // the price is remembered now
	other := commands.New(s.Log, commands.Options{})     // and changed by another process
	if _, err := (&commands.Catalog{Handler: other}).PriceProduct(t.Context(), cream, 12_000, 11_000); err != nil {
		t.Fatal(err)
	}
	receipt := s.Placed(shoptest.Checkout(shoptest.Line(cream, 1)))
	shoptest.Equal(t, "total", receipt.TotalPaid, domain.Money(12_900))
}
