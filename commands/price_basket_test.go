package commands_test

import (
	"context"
	"fmt"
	"net/http"
	"shop/domain/pricing"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/promocode"
	"shop/eventstore"
)

func TestPricingAnswersAsTheContractSays(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 8_000, 10)
	s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}, "city": "г. Алматы"}).Wants(200,
		`{"total_sum":8000,"order_discount":0,"discounted_sum":8000,"is_delivery_calculated":true,"delivery_price":1900,"bonus_spent":0,`+
			`"total_paid":9900,"payable_now":9900,"payable_on_delivery":0,"can_create_order":true,"reason":null,"missing_sum":0,"promocode_error":null,"rules_version":1,`+
			`"explanation":[{"code":"list_prices","label":"Товары по обычным ценам","amount":9000},{"code":"product_discounts","label":"Скидки на товары","amount":-1000},`+
			`{"code":"delivery","label":"Доставка, Алматы","amount":1900,"note":"Бесплатно от 15 000 ₸, не хватает 7 000 ₸"}]}`)
}

func TestBasketRemembersEachDistinctPricingOnce(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	before := s.Head()
	first := s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}})
	cookies := first.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies are %v", cookies)
	}
	c := cookies[0]
	testshop.EqualText(t, "cookie", fmt.Sprint(c.Name, c.Path, c.HttpOnly, c.SameSite == http.SameSiteLaxMode, c.Secure, c.MaxAge), "basket/true true false 31536000")
	mine := testshop.WithBasket(c.Value)
	testshop.EqualText(t, "log before the cookie comes back", s.Types(before), "[]")
	back := s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}}, mine)
	testshop.Equal(t, "X-Event-Position", back.Header().Get("X-Event-Position"), fmt.Sprint(s.Head()))

	again := s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}}, mine)
	again.Wants(200, first.Text())
	testshop.EqualText(t, "headers of the same again", fmt.Sprint(again.Header().Get("X-Event-Position"), again.Result().Cookies()), "[]")
	s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 2)}}, mine)
	s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 2)}, "city": "Алматы"}, mine)
	s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 11)}}, mine).Wants(400,
		`{"products":[{"amount":10,"product":["Товар заканчивается, Вы можете заказать не больше 10 штук"]}]}`)
	s.Price(testshop.Fields{"products": []testshop.Fields{}}, mine)
	testshop.EqualText(t, "log", s.Types(before), "[basket.priced basket.priced basket.priced basket.priced basket.priced]")

	id := testshop.BasketID(c.Value)
	events, err := s.Log.Stream(t.Context(), basket.Stream(id), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, e := range events {
		reasons = append(reasons, e.Data.(basket.Priced).Calculation.Reason)
	}
	testshop.EqualText(t, "reasons", fmt.Sprintf("%q", reasons), `["" "" "" "not_enough_stock" "empty"]`)
	testshop.Equal(t, "actor", events[0].Metadata.Actor, "guest")
	if events[0].Metadata.CorrelationID == "" {
		t.Error("the event does not say which request it comes from")
	}
}

func TestSecureBasketCookie(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	ask := testshop.Fields{"products": []testshop.Fields{testshop.Line(s.Product(9_000, 9_000, 10), 1)}}
	testshop.Equal(t, "secure", s.Ask(shopapi.Baskets{Baskets: s.Baskets, Secure: true}.Calculate, testshop.Post(t.Context(), ask)).Result().Cookies()[0].Secure, true)
}

func TestLineErrorsStandInRequestOrder(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	good, gone, few := s.Product(9_000, 9_000, 200), s.Product(9_000, 9_000, 0), s.Product(9_000, 9_000, 3)
	archived := s.Product(9_000, 9_000, 5)
	if _, err := (&commands.Catalog{Handler: s.Handler}).ArchiveProduct(t.Context(), archived, ""); err != nil {
		t.Fatal(err)
	}
	before := s.Head()
	const none = `{"product":["Товара нет в наличии"]}`
	s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(good, 1), testshop.Line(uuid.NewString(), 1), testshop.Line(few, 4), testshop.Line("no-such-link", 1), testshop.Line(good, 2)}}).
		Wants(400, `{"products":[{},`+none+`,{"amount":3,"product":["Товар заканчивается, Вы можете заказать не больше 3 штук"]},`+none+
			`,{"product":["Этот товар уже есть в заказе"]}]}`)
	s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(good, 100), testshop.Line(gone, 100)}}).
		Wants(400, `{"products":[{"amount":99,"product":["Товар заканчивается, Вы можете заказать не больше 99 штук"]},`+none+`]}`)
	testshop.Equal(t, "head", s.Head(), before) // nothing is learnt from goods we do not have, nor from more than any order holds
	ask := testshop.Fields{"products": []testshop.Fields{testshop.Line(few, 4), testshop.Line(gone, 1), testshop.Line(archived, 1)}}
	answer := s.Price(ask)
	testshop.Equal(t, "status", s.Price(ask, testshop.WithBasket(answer.Result().Cookies()[0].Value)).Code, 400)
	answer.Wants(400, `{"products":[{"amount":3,"product":["Товар заканчивается, Вы можете заказать не больше 3 штук"]},`+none+`,`+none+`]}`)
	testshop.EqualText(t, "log", s.Types(before), "[basket.priced]")
	testshop.Equal(t, "cookies", len(answer.Result().Cookies()), 1)
}

func TestProductsMayBeNamedByLink(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream, soap := s.Product(9_000, 9_000, 10), s.Product(3_000, 3_000, 10)
	s.Baskets.Links = linksOf{"krem": cream}
	testshop.Equal(t, "sum", testshop.Read[commands.Calculation](s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line("krem", 1), testshop.Line(soap, 1)}})).TotalSum, 12_000)
	s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line("krem", 1), testshop.Line(cream, 1)}}).Wants(400, `{"products":[{},{"product":["Этот товар уже есть в заказе"]}]}`)
}

type linksOf map[string]domain.ID

func (l linksOf) ProductsByLink(context.Context, []string) (map[string]domain.ID, error) {
	return l, nil
}

func TestUnchangedPricingAsksTheLogOnce(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream, soap := s.Product(9_000, 9_000, 10), s.Product(3_000, 3_000, 10)
	s.Promocode("WELCOME10", promocode.Terms{Kind: promocode.Percent, Value: 10})
	counted := &countingLog{Store: s.Log}
	s.Use(counted)
	ask := testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1), testshop.Line(soap, 2)}, "promocode": "welcome10", "city": "Алматы"}
	mine := testshop.WithBasket(s.Basket(ask))
	*counted = countingLog{Store: s.Log}
	testshop.Equal(t, "status", s.Price(ask, mine).Code, 200)
	testshop.EqualText(t, "questions to the log", fmt.Sprint(counted.loads, counted.events, counted.appends), "1 0 0")
}

// countingLog counts what one test asks, one question after the other.
type countingLog struct {
	*eventstore.Store
	loads, events, appends int
}

func (l *countingLog) Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error) {
	found, err := l.Store.Load(ctx, from...)
	l.loads++
	for _, events := range found {
		l.events += len(events)
	}
	return found, err
}

func (l *countingLog) Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error) {
	l.appends++
	return l.Store.Append(ctx, together...)
}

func TestPromocode(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 100)
	s.Promocode("TEN", promocode.Terms{Kind: promocode.Percent, Value: 10, MinSum: 10_000, ValidUntil: testshop.Noon.Add(time.Hour), Uses: 2, UsesPerUser: 1})

	priced := func(code string, amount int) string {
		c := testshop.Read[commands.Calculation](s.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, amount)}, "promocode": code}))
		if c.PromocodeError != nil {
			return testshop.Plain(*c.PromocodeError)
		}
		return fmt.Sprint(c.OrderDiscount, c.DiscountedSum)
	}
	testshop.Equal(t, "price", priced(" ten ", 2), "10 16200")
	testshop.Equal(t, "unknown", priced("NO-SUCH", 2), "Промокод не найден или больше не действует")
	testshop.Equal(t, "below", priced("TEN", 1), "Промокод действует при заказе от 10 000 ₸, не хватает 1 000 ₸")

	order := testshop.Checkout(testshop.Line(cream, 2)).With("promocode", "ten")
	before := s.Head()
	s.Place(testshop.Checkout(testshop.Line(cream, 1)).With("promocode", "ten")).Wants(400, `{"promocode":["Промокод действует при заказе от 10 000 ₸, не хватает 1 000 ₸"]}`)
	testshop.Equal(t, "head", s.Head(), before)
	testshop.Equal(t, "total", s.Placed(order).TotalPaid, 16_200)
	testshop.EqualText(t, "log", s.Types(before), "[order.placed promocode.redeemed stock.reserved]")
	testshop.Equal(t, "uses", s.CodeOf("TEN").Uses, 1)

	before = s.Head()
	s.Place(order.With("customer_email", "other@example.kz")).Wants(400, `{"promocode":["Вы уже использовали этот промокод"]}`)
	testshop.Equal(t, "head after a refused code", s.Head(), before)
	testshop.Equal(t, "reserved after a refused code", s.StockOf(cream).Reserved, 2)
	s.Place(order.With("customer_phone", "+7 701 000 00 01")).Wants(400, `{"promocode":["Вы уже использовали этот промокод"]}`)
	s.Placed(order.With("customer_phone", "+7 701 000 00 01").With("customer_email", "other@example.kz"))
	s.Place(order.With("customer_phone", "+7 701 000 00 02")).Wants(400, `{"promocode":["Промокод не найден или больше не действует"]}`)
	s.Clock.Advance(time.Hour)
	s.Place(order.With("customer_phone", "+7 701 000 00 02")).Wants(400, `{"promocode":["Промокод не найден или больше не действует"]}`)
}

func TestCodeThatLosesIsNotUsed(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(60_000, 60_000, 100)
	s.Promocode("FIVE", promocode.Terms{Kind: promocode.Percent, Value: 5, Uses: 1})
	s.Placed(testshop.Checkout(testshop.Line(cream, 1)).With("promocode", "FIVE"))
	testshop.Equal(t, "uses", s.CodeOf("FIVE").Uses, 0)
}

func TestWhyThereIsNoOrderIsSaid(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{pricing.ReasonEmpty, pricing.ReasonBelowMinimum, pricing.ReasonCashUnavailable, pricing.ReasonOutOfStock, pricing.ReasonNotEnoughStock} {
		said := commands.Shown(domain.Calculation{Reason: reason}).Reason
		if said == nil || said.Code != reason || said.Text == "" {
			t.Errorf("%s: %+v", reason, said)
		}
	}
	if said := commands.Shown(domain.Calculation{CanCreateOrder: true}).Reason; said != nil {
		t.Errorf("an order that can be created has the reason %+v", said)
	}
}
