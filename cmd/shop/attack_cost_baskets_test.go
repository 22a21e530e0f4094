package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

const calculatePrice = "/api/orders/calculate-price/"

// priced asks what pieces of a product cost; basket is a cookie, empty: none. It returns the cookie to send from then on.
func (s *served) priced(product uuid.UUID, pieces int, basket string) (status int, cookie, body string) {
	s.t.Helper()
	var with []string
	if basket != "" {
		with = []string{"Cookie", basket}
	}
	status, header, body := s.send(http.MethodPost, calculatePrice, strings.NewReader(fmt.Sprintf(`{"products":[{"product":%q,"amount":%d}],"city":"Алматы"}`, product, pieces)), with...)
	cookie = basket
	for _, set := range header.Values("Set-Cookie") {
		if value, _, _ := strings.Cut(set, ";"); strings.HasPrefix(value, "basket=") {
			cookie = value
		}
	}
	return status, cookie, body
}

// eventsOf counts the events of a basket by their types.
func (p program) eventsOf(cookie string) string {
	p.t.Helper()
	id, _, _ := strings.Cut(strings.TrimPrefix(cookie, "basket="), ".")
	var types string
	err := p.pool().QueryRow(p.t.Context(), `SELECT coalesce(string_agg(type, ' ' ORDER BY position), '') FROM eventstore.events WHERE stream = $1`, "basket-"+id).Scan(&types)
	if err != nil {
		p.t.Fatal(err)
	}
	return types
}

// TestAttackCostBasketsOfNobody: pricings whose basket does not come back, or was made up, leave nothing in the log.
func TestAttackCostBasketsOfNobody(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 1000)
	s := p.serve()
	before := p.head()
	var cookie string
	for i := range 30 {
		status, given, body := s.priced(soap, 1+i%9, "")
		if status != http.StatusOK || given == "" {
			t.Fatalf("pricing %d: %d %q %s", i, status, given, body)
		}
		cookie = given
	}
	for i, madeUp := range []string{
		"basket=" + uuid.NewString(), "basket=" + uuid.NewString() + ".AAAAAAAAAAAAAAAAAAAAAA", cookie[:len(cookie)-2] + "xx", "basket=x", "basket=" + uuid.Nil.String(),
		"basket=" + uuid.NewString() + cookie[strings.IndexByte(cookie, '.'):], "basket=" + strings.Repeat("0", 4000),
	} {
		status, given, body := s.priced(soap, 2, madeUp)
		if status != http.StatusOK || given == madeUp {
			t.Errorf("made-up cookie %d: %d %q %s", i, status, given, body)
		}
		if status, body := s.call(http.MethodPost, "/api/orders/", buyer(nil, pieces(soap, 9999)), "Cookie", madeUp); status != http.StatusBadRequest {
			t.Errorf("a refused order with made-up cookie %d: %d %s", i, status, body)
		}
	}
	if after := p.head(); after != before {
		t.Errorf("%d events were appended for baskets of nobody", after-before)
	}
	// The basket that comes back is remembered, and the same question again is not.
	for range 3 {
		if status, again, body := s.priced(soap, 3, cookie); status != http.StatusOK || again != cookie {
			t.Errorf("a basket that came back: %d %q %s", status, again, body)
		}
	}
	if types := p.eventsOf(cookie); types != "basket.priced" {
		t.Errorf("a basket that came back has %q", types)
	}
}

// TestAttackCostBasketsForEver: a basket that comes back on and on is answered, and no longer remembered.
func TestAttackCostBasketsForEver(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append([]string{"SHOP_BASKET_EVENTS_AN_HOUR=5"}, without(p.env, "SHOP_BASKET_EVENTS_AN_HOUR")...)
	soap := p.stocked("MK-1", 9000, 1000)
	s := p.serve()
	_, cookie, _ := s.priced(soap, 1, "")
	for i := range 12 {
		if status, _, body := s.priced(soap, 2+i, cookie); status != http.StatusOK {
			t.Fatalf("pricing %d: %d %s", i, status, body)
		}
	}
	for i := range 4 {
		if status, body := s.call(http.MethodPost, "/api/orders/", buyer(map[string]any{"expected_total": 1 + i}, pieces(soap, 2+i)), "Cookie", cookie); status != http.StatusConflict {
			t.Errorf("a refused order: %d %s", status, body)
		}
	}
	if types := p.eventsOf(cookie); strings.Count(types, "basket.") != 5 {
		t.Errorf("a basket with five events an hour has %q", types)
	}
	// It may still become an order.
	if status, body := s.call(http.MethodPost, "/api/orders/", buyer(nil, pieces(soap, 2)), "Cookie", cookie); status != http.StatusCreated {
		t.Errorf("its order: %d %s", status, body)
	}
	if types := p.eventsOf(cookie); !strings.HasSuffix(types, "basket.checked-out") {
		t.Errorf("after its order the basket has %q", types)
	}
}

// TestAttackCostBasketsFast: one network may make few baskets a second, and the log remembers few of its pricings; whose
// basket came back is priced all the same.
func TestAttackCostBasketsFast(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append([]string{"SHOP_NEW_BASKET_RATE=0.1", "SHOP_BASKET_RATE=0.001"}, without(without(p.env, "SHOP_NEW_BASKET_RATE"), "SHOP_BASKET_RATE")...)
	soap := p.stocked("MK-1", 9000, 1000)
	s := p.serve()
	_, cookie, _ := s.priced(soap, 1, "")
	refused := 0
	for range 40 {
		status, _, body := s.priced(soap, 1, "")
		if status == http.StatusTooManyRequests && strings.Contains(body, "detail") {
			refused++
		}
	}
	if refused == 0 {
		t.Error("forty baskets at once are one network's")
	}
	before := p.head()
	for i := range 90 {
		if status, _, body := s.priced(soap, 1+i, cookie); status != http.StatusOK {
			t.Fatalf("pricing %d of a basket that came back: %d %s", i, status, body)
		}
	}
	if n := strings.Count(p.eventsOf(cookie), "basket.priced"); n < 30 || n > 61 {
		t.Errorf("%d pricings of one network are remembered, %d events were appended", n, p.head()-before)
	}
}

// TestAnOrderAfterOnePricingIsExplained: what the basket asked stands in the log with the order, though the first pricing
// did not, and so does the refusal before it.
func TestAnOrderAfterOnePricingIsExplained(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 1000)
	s := p.serve()
	order := func(cookie string, fields map[string]any) (int, string) {
		return s.call(http.MethodPost, "/api/orders/", buyer(fields, pieces(soap, 2)), "Cookie", cookie)
	}
	_, cookie, _ := s.priced(soap, 2, "")
	if status, body := order(cookie, nil); status != http.StatusCreated {
		t.Fatalf("order: %d %s", status, body)
	}
	if types := p.eventsOf(cookie); types != "basket.priced basket.checked-out" {
		t.Errorf("the basket has %q", types)
	}
	var dated bool
	err := p.pool().QueryRow(t.Context(), `SELECT data->>'basket_since' > '2020' FROM eventstore.events WHERE type = 'order.placed'`).Scan(&dated)
	if err != nil || !dated {
		t.Errorf("the order does not say since when its basket was filled: %v", err)
	}
	_, tried, _ := s.priced(soap, 2, "")
	if status, body := order(tried, map[string]any{"expected_total": 1}); status != http.StatusConflict {
		t.Fatalf("refused order: %d %s", status, body)
	}
	if types := p.eventsOf(tried); types != "basket.priced basket.checkout-refused" {
		t.Errorf("the basket that was refused has %q", types)
	}
}

// TestABasketOfAnEarlierReleaseIsKnown: its cookie has no signature, and its events are in the log.
func TestABasketOfAnEarlierReleaseIsKnown(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 1000)
	s := p.serve()
	_, cookie, _ := s.priced(soap, 1, "")
	s.priced(soap, 1, cookie)
	id, _, _ := strings.Cut(cookie, ".")
	if status, again, body := s.priced(soap, 2, id); status != http.StatusOK || again != cookie {
		t.Errorf("%d %q %s, want the cookie %q", status, again, body, cookie)
	}
	if types := p.eventsOf(cookie); types != "basket.priced basket.priced" {
		t.Errorf("the basket has %q", types)
	}
}

// TestAttackBasketsKnowNobody: a basket that is abandoned stays in the log, so nothing of a person is in it, whatever was typed into its
// fields: not in its events, nor in read models and data sets of baskets.
func TestAttackBasketsKnowNobody(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 1000)
	p.ok("promocodes", "issue", "WELCOME10", "--percent", "10", "--uses-per-customer", "1")
	s := p.serve()
	_, cookie, _ := s.priced(soap, 1, "")
	for i, typed := range [][2]string{{personCity, "WELCOME10"}, {personStreet, personPhone}, {personLast, personFirst}, {personEmail, personEmail}} {
		asked := map[string]any{"products": []any{pieces(soap, 2+i)}, "city": typed[0], "promocode": typed[1]}
		if status, body := s.call(http.MethodPost, calculatePrice, asked, "Cookie", cookie); status != http.StatusOK {
			t.Errorf("pricing %d: %d %s", i, status, body)
		}
		refused := buyer(map[string]any{
			"customer_first_name": personFirst, "customer_last_name": personLast, "customer_email": personEmail, "customer_phone": personPhone,
			"customer_city": typed[0], "customer_street": personStreet, "promocode": typed[1],
		}, pieces(soap, 9999))
		if status, body := s.call(http.MethodPost, "/api/orders/", refused, "Cookie", cookie); status == http.StatusCreated {
			t.Errorf("an order of more than there is: %d %s", status, body)
		}
	}
	if types := p.eventsOf(cookie); strings.Count(types, "basket.priced") != 4 {
		t.Errorf("the basket has %q", types)
	}
	s.stop()
	p.readModels()
	if places := inTables(t, p.pool()); len(places) > 0 {
		t.Errorf("a basket that nobody ordered knows a person: %q", places)
	}
	folder := t.TempDir()
	p.exportAll(folder, true)
	if places := (program{t, []string{"SHOP_DATA_DIR=" + folder}}).leftovers(); len(places) > 0 {
		t.Errorf("data sets: %q", places)
	}
}
