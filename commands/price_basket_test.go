package commands

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/promocode"
	"shop/eventstore"
)

func TestPricingAnswersAsTheContractSays(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 8_000, 10)
	s.price(fields{"products": []fields{lineOf(cream, 1)}, "city": "г. Алматы"}).wants(200,
		`{"total_sum":8000,"order_discount":0,"discounted_sum":8000,"is_delivery_calculated":true,"delivery_price":1900,"bonus_spent":0,`+
			`"total_paid":9900,"payable_now":9900,"payable_on_delivery":0,"can_create_order":true,"missing_sum":0,"promocode_error":null,"rules_version":1,`+
			`"explanation":[{"code":"list_prices","label":"Товары по обычным ценам","amount":9000},{"code":"product_discounts","label":"Скидки на товары","amount":-1000},`+
			`{"code":"delivery","label":"Доставка, Алматы","amount":1900,"note":"Бесплатно от 15 000 ₸, не хватает 7 000 ₸"}]}`)
}

func TestBasketRemembersEachDistinctPricingOnce(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 10)
	before := s.head()
	first := s.price(fields{"products": []fields{lineOf(cream, 1)}})
	cookies := first.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies are %v", cookies)
	}
	c := cookies[0]
	equalText(t, "cookie", fmt.Sprint(c.Name, c.Path, c.HttpOnly, c.SameSite == http.SameSiteLaxMode, c.Secure, c.MaxAge), "basket/true true false 31536000")
	mine := withBasket(c.Value)
	equal(t, "X-Event-Position", first.Header().Get("X-Event-Position"), fmt.Sprint(s.head()))

	again := s.price(fields{"products": []fields{lineOf(cream, 1)}}, mine)
	again.wants(200, first.body())
	equalText(t, "headers of the same again", fmt.Sprint(again.Header().Get("X-Event-Position"), again.Result().Cookies()), "[]")
	s.price(fields{"products": []fields{lineOf(cream, 2)}}, mine)
	s.price(fields{"products": []fields{lineOf(cream, 2)}, "city": "Алматы"}, mine)
	s.price(fields{"products": []fields{lineOf(cream, 11)}}, mine).wants(400,
		`{"products":[{"amount":10,"product":["Товар заканчивается, Вы можете заказать не больше 10 штук"]}]}`)
	s.price(fields{"products": []fields{}}, mine)
	equalText(t, "log", s.types(before), "[basket.priced basket.priced basket.priced basket.priced basket.priced]")

	id := uuid.MustParse(c.Value)
	events, err := s.log.Stream(t.Context(), basket.Stream(id), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, e := range events {
		reasons = append(reasons, e.Data.(basket.Priced).Calculation.Reason)
	}
	equalText(t, "reasons", fmt.Sprintf("%q", reasons), `["" "" "" "not_enough_stock" "empty"]`)
	equal(t, "actor", events[0].Metadata.Actor, "guest")
	if events[0].Metadata.CorrelationID == "" {
		t.Error("the event does not say which request it comes from")
	}
}

func TestSecureBasketCookie(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.baskets.Secure = true
	cream := s.product(9_000, 9_000, 10)
	equal(t, "secure", s.price(fields{"products": []fields{lineOf(cream, 1)}}).Result().Cookies()[0].Secure, true)
}

func TestLineErrorsStandInRequestOrder(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	good, gone, few := s.product(9_000, 9_000, 200), s.product(9_000, 9_000, 0), s.product(9_000, 9_000, 3)
	archived := s.product(9_000, 9_000, 5)
	if _, err := (&Catalog{Handler: s.handler}).ArchiveProduct(t.Context(), archived, ""); err != nil {
		t.Fatal(err)
	}
	before := s.head()
	const none = `{"product":["Товара нет в наличии"]}`
	s.price(fields{"products": []fields{lineOf(good, 1), lineOf(uuid.NewString(), 1), lineOf(few, 4), lineOf("no-such-link", 1), lineOf(good, 2)}}).
		wants(400, `{"products":[{},`+none+`,{"amount":3,"product":["Товар заканчивается, Вы можете заказать не больше 3 штук"]},`+none+
			`,{"product":["Этот товар уже есть в заказе"]}]}`)
	s.price(fields{"products": []fields{lineOf(good, 100), lineOf(gone, 100)}}).
		wants(400, `{"products":[{"amount":99,"product":["Товар заканчивается, Вы можете заказать не больше 99 штук"]},`+none+`]}`)
	equal(t, "head", s.head(), before) // nothing is learnt from goods we do not have, nor from more than any order holds
	answer := s.price(fields{"products": []fields{lineOf(few, 4), lineOf(gone, 1), lineOf(archived, 1)}})
	answer.wants(400, `{"products":[{"amount":3,"product":["Товар заканчивается, Вы можете заказать не больше 3 штук"]},`+none+`,`+none+`]}`)
	equalText(t, "log", s.types(before), "[basket.priced]")
	equal(t, "cookies", len(answer.Result().Cookies()), 1)
}

func TestProductsMayBeNamedByLink(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream, soap := s.product(9_000, 9_000, 10), s.product(3_000, 3_000, 10)
	s.baskets.Links = linksOf{"krem": cream}
	equal(t, "sum", read[Calculation](s.price(fields{"products": []fields{lineOf("krem", 1), lineOf(soap, 1)}})).TotalSum, 12_000)
	s.price(fields{"products": []fields{lineOf("krem", 1), lineOf(cream, 1)}}).wants(400, `{"products":[{},{"product":["Этот товар уже есть в заказе"]}]}`)
}

type linksOf map[string]domain.ID

func (l linksOf) ProductsByLink(context.Context, []string) (map[string]domain.ID, error) {
	return l, nil
}

func TestUnchangedPricingAsksTheLogOnce(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream, soap := s.product(9_000, 9_000, 10), s.product(3_000, 3_000, 10)
	s.promocode("WELCOME10", promocode.Terms{Kind: promocode.Percent, Value: 10})
	counted := &countingLog{Store: s.log}
	s.use(counted)
	ask := fields{"products": []fields{lineOf(cream, 1), lineOf(soap, 2)}, "promocode": "welcome10", "city": "Алматы"}
	mine := withBasket(s.price(ask).Result().Cookies()[0].Value)
	*counted = countingLog{Store: s.log}
	equal(t, "status", s.price(ask, mine).Code, 200)
	equalText(t, "questions to the log", fmt.Sprint(counted.loads, counted.events, counted.appends), "1 0 0")
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
	s := openShop(t)
	cream := s.product(9_000, 9_000, 100)
	s.promocode("TEN", promocode.Terms{Kind: promocode.Percent, Value: 10, MinSum: 10_000, ValidUntil: noon.Add(time.Hour), Uses: 2, UsesPerUser: 1})

	priced := func(code string, amount int) string {
		c := read[Calculation](s.price(fields{"products": []fields{lineOf(cream, amount)}, "promocode": code}))
		if c.PromocodeError != nil {
			return plain(*c.PromocodeError)
		}
		return fmt.Sprint(c.OrderDiscount, c.DiscountedSum)
	}
	equal(t, "price", priced(" ten ", 2), "10 16200")
	equal(t, "unknown", priced("NO-SUCH", 2), "Промокод не найден")
	equal(t, "below", priced("TEN", 1), "Промокод действует при заказе от 10 000 ₸, не хватает 1 000 ₸")

	order := checkout(lineOf(cream, 2)).with("promocode", "ten")
	before := s.head()
	s.place(checkout(lineOf(cream, 1)).with("promocode", "ten")).wants(400, `{"promocode":["Промокод действует при заказе от 10 000 ₸, не хватает 1 000 ₸"]}`)
	equal(t, "head", s.head(), before)
	equal(t, "total", s.placed(order).TotalPaid, 16_200)
	equalText(t, "log", s.types(before), "[order.placed promocode.redeemed stock.reserved]")
	equal(t, "uses", s.codeOf("TEN").Uses, 1)

	before = s.head()
	s.place(order.with("customer_email", "other@example.kz")).wants(400, `{"promocode":["Вы уже использовали этот промокод"]}`)
	equal(t, "head after a refused code", s.head(), before)
	equal(t, "reserved after a refused code", s.stockOf(cream).Reserved, 2)
	s.placed(order.with("customer_phone", "+7 701 000 00 01"))
	s.place(order.with("customer_phone", "+7 701 000 00 02")).wants(400, `{"promocode":["Промокод уже использован"]}`)
	s.clock.Advance(time.Hour)
	s.place(order.with("customer_phone", "+7 701 000 00 02")).wants(400, `{"promocode":["Срок действия промокода истёк"]}`)
}

func TestCodeThatLosesIsNotUsed(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(60_000, 60_000, 100)
	s.promocode("FIVE", promocode.Terms{Kind: promocode.Percent, Value: 5, Uses: 1})
	s.placed(checkout(lineOf(cream, 1)).with("promocode", "FIVE"))
	equal(t, "uses", s.codeOf("FIVE").Uses, 0)
}
