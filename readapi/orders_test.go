package readapi_test

import (
	"encoding/json"
	"testing"
)

func TestOrdersAreTheirOwners(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	anna, stranger := id(0xf0, 1).String(), id(0xf0, 9).String()
	own, joined, guests, others := "/api/orders/"+id(0xe1, 1).String(), "/api/orders/"+id(0xe1, 2).String(), "/api/orders/"+id(0xe1, 3).String(), "/api/orders/"+id(0xe1, 4).String()
	for _, c := range []struct {
		asker, address string
		status         int
	}{
		{anna, own, 200}, {anna, joined, 200}, {anna, guests, 404}, {anna, others, 404},
		{stranger, own, 404}, {stranger, joined, 404}, {stranger, others, 200},
		{"", own, 404}, {"", guests, 404}, {"", guests + "?key=wrong", 404}, {"", guests + "?key=open", 200}, {"", "/api/orders/nope?key=open", 404},
		{"", "/api/orders/00000000-0000-0000-0000-000000000000?key=open", 404},
		// Nobody is the zero id, and guests' orders are nobody's: they are no list of the signed out.
		{"00000000-0000-0000-0000-000000000000", guests, 404},
		{id(0xf0, 2).String(), "/api/auth/profile", 404}, {"", "/api/auth/profile", 404},
	} {
		if w := get(t, shop, c.address, "Asker", c.asker); w.Code != c.status {
			t.Errorf("%s asks for %s: %d, want %d: %s", c.asker, c.address, w.Code, c.status, w.Body)
		}
	}
	for query, want := range map[string]int{"": 2, "?active=true": 1, "?active=false": 1, "?status=COMPLETED": 1, "?status=RECEIVED": 0} {
		var list []json.RawMessage
		if w := get(t, shop, "/api/orders"+query, "Asker", anna); json.Unmarshal(w.Body.Bytes(), &list) != nil || len(list) != want {
			t.Errorf("%q lists %d orders, want %d: %s", query, len(list), want, w.Body)
		}
	}
	var none []json.RawMessage
	if w := get(t, shop, "/api/orders"); json.Unmarshal(w.Body.Bytes(), &none) != nil || len(none) != 0 {
		t.Errorf("nobody's orders: %s", w.Body)
	}
}
