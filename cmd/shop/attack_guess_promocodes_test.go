package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestAttackGuessPromocodesByPrice: guessing a promo code through prices and orders is limited as looking it up is, and what
// is wrong with a code that cannot be used stays untold.
func TestAttackGuessPromocodesByPrice(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(without(p.env, "SHOP_PROMOCODE_RATE"), "SHOP_PROMOCODE_RATE=0.5", "SHOP_TRUSTED_PROXIES=127.0.0.0/8")
	soap := p.stocked("MK-1", 9000, 100)
	for code, terms := range map[string][]string{
		"GOOD10": {"--percent", "10"}, "GONE10": {"--percent", "10"}, "LATER10": {"--percent", "10", "--from", "2126-01-01"}, "PAST10": {"--percent", "10", "--until", "2020-01-01"},
	} {
		p.ok(append([]string{"promocodes", "issue", code}, terms...)...)
	}
	p.ok("promocodes", "revoke", "GONE10")
	d := mailDesk{p, p.serve()}
	price := func(network, code string) (int, string) {
		status, _, body := d.from(network, nil, "POST", calculatePrice, map[string]any{
			"products": []any{pieces(soap, 1)}, "promocode": code, "city": "Алматы",
		})
		var answer struct {
			Problem string `json:"promocode_error"`
		}
		_ = json.Unmarshal([]byte(body), &answer)
		return status, answer.Problem
	}
	said := map[string]bool{}
	for _, code := range []string{"NOSUCH", "GONE10", "LATER10", "PAST10"} {
		_, problem := price("192.0.2.2", code)
		said[problem] = true
	}
	if len(said) != 1 || said[""] {
		t.Errorf("what is wrong with a code is told apart: %v", said)
	}
	passed := 0
	for i := range 40 {
		if status, _ := price("198.51.100.1", fmt.Sprintf("GUESS%d", i)); status == 200 {
			passed++
		}
	}
	if passed == 0 || passed > 12 {
		t.Errorf("%d guesses came through in a burst", passed)
	}
	// Who has guessed too often learns nothing of a good code either, here and at the order.
	if status, _ := price("198.51.100.1", "GOOD10"); status != 429 {
		t.Errorf("a good code after too many guesses: %d", status)
	}
	status, _, body := d.from("198.51.100.1", nil, "POST", "/api/orders/", buyer(map[string]any{"promocode": "GOOD10"}, pieces(soap, 1)))
	if status != 429 {
		t.Errorf("an order with a code after too many guesses: %d %s", status, body)
	}
	if status, _ := price("198.51.100.1", ""); status != 200 {
		t.Errorf("a price without a code: %d", status)
	}
	// The same wrong code in a basket that changes is one guess, and a good code is none.
	for i := range 30 {
		code := []string{"GOOD10", "TYPED-WRONG"}[i%2]
		if status, _ := price("192.0.2.77", code); status != 200 {
			t.Fatalf("pricing %d with the same codes: %d", i, status)
		}
	}
	guessed := 0
	for i := range 40 {
		status, _, body := d.from("198.51.100.9", nil, "POST", "/api/orders/", buyer(map[string]any{"promocode": fmt.Sprintf("ORDER%d", i)}, pieces(soap, 1)))
		switch status {
		case 400:
			guessed++
		case 429:
		default:
			t.Fatalf("order with code %d: %d %s", i, status, body)
		}
	}
	if guessed == 0 || guessed > 12 {
		t.Errorf("%d guesses by orders came through", guessed)
	}
	// A code that was named beside more goods than there are was not answered, so it is a guess afterwards as before.
	scarce := p.stocked("MK-2", 9000, 1)
	beside := 0
	for i := range 40 {
		code := fmt.Sprintf("BESIDE%d", i)
		ask := map[string]any{"products": []any{pieces(scarce, 2)}, "promocode": code, "city": "Алматы"}
		if status, _, body := d.from("198.51.100.23", nil, "POST", "/api/orders/calculate-price/", ask); status != 400 && status != 429 {
			t.Fatalf("a price of more than there is: %d %s", status, body)
		}
		if status, _ := price("198.51.100.23", code); status == 200 {
			beside++
		}
	}
	if beside > 12 {
		t.Errorf("%d guesses came through after being named beside more goods than there are", beside)
	}
}

// TestAttackGuessPromocodesThatAreShort: a code worth guessing is issued only when it cannot be guessed, or is meant to be known.
func TestAttackGuessPromocodesThatAreShort(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	for _, code := range []string{"SALE", "SUMMERSALE", "AAAAAAAAAAAA", "1234567890"} {
		if r := p.run("promocodes", "issue", code, "--percent", "50"); r.status == 0 || !strings.Contains(r.stderr, "--public") {
			t.Errorf("%s of 50 %%: %+v", code, r)
		}
	}
	if r := p.run("promocodes", "issue", "SALE", "--sum", "5000"); r.status == 0 {
		t.Errorf("SALE of 5 000 tenge: %+v", r)
	}
	p.ok("promocodes", "issue", "K7QX2M9RTB", "--percent", "50")
	p.ok("promocodes", "issue", "SALE", "--percent", "50", "--public")
	p.ok("promocodes", "issue", "WELCOME10", "--percent", "10")
}
