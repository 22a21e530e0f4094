package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/migrations/pgtest"
)

// promoOrder is an order of a guest with a code.
func promoOrder(product any, email, phone string) map[string]any {
	return buyer(map[string]any{"customer_email": email, "customer_phone": phone, "promocode": "WELCOME10"},
		map[string]any{"product": product, "amount": 1})
}

// TestAttackPromoOfAForgottenPerson: whoever has the database, with its secrets, finds nobody in the log of promo codes
// once the person is forgotten: a phone has too few digits for a hash.
func TestAttackPromoOfAForgottenPerson(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	soap := d.stocked("MK-1", 9000, 10)
	d.ok("promocodes", "issue", "WELCOME10", "--percent", "10", "--uses-per-customer", "1")
	r := d.taken("", guestOrder(soap, map[string]any{"promocode": "WELCOME10"}))
	for _, verb := range []string{"approve", "process", "complete"} {
		d.ok("orders", verb, number(r.Number))
	}
	d.letters("order-completed", 1)
	d.ok("orders", "forget", number(r.Number))
	pool := d.pool()
	names := pgtest.All[string](t, pool, "SELECT name FROM secrets")
	if len(names) == 0 {
		t.Fatal("there are no secrets to try")
	}
	tables := dump(t, pool)
	for _, name := range names {
		secret := d.program.secret(name)
		for _, said := range []string{
			"promocode customer\x00" + personPhone, "promocode phone\x00" + personPhone, "promocode e-mail\x00" + personEmail,
			"open orders of a phone\x00" + personPhone, "open orders of a e-mail\x00" + personEmail,
		} {
			mac := hmac.New(sha256.New, secret)
			mac.Write([]byte(said))
			guess := hex.EncodeToString(mac.Sum(nil)[:16])
			for table, text := range tables {
				if strings.Contains(text, guess) {
					t.Errorf("%s has the hash of %q by the secret %s", table, said, name)
				}
			}
		}
	}
	var payload string
	if err := pool.QueryRow(t.Context(), "SELECT data::text FROM eventstore.events WHERE type = 'promocode.redeemed'").Scan(&payload); err != nil {
		t.Fatal(err)
	}
	var redeemed map[string]any
	if err := json.Unmarshal([]byte(payload), &redeemed); err != nil || redeemed["$sealed"] == nil {
		t.Errorf("the use of the code is not sealed: %s", payload)
	}
	// What was used stays used.
	if list := d.ok("promocodes", "list"); !strings.Contains(list, "WELCOME10") {
		t.Error(list)
	}
}

// TestAttackPromoOnceMore: a code for each customer once is not had again with another phone, another e-mail, or as a
// guest beside the account.
func TestAttackPromoOnceMore(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_EMAIL_RATE=0")
	p.unbounded()
	soap := p.stocked("MK-1", 9000, 100)
	p.ok("promocodes", "issue", "WELCOME10", "--percent", "10", "--uses-per-customer", "1")
	s := p.serve()
	bearer := s.register("member@example.kz")
	token := strings.TrimPrefix(bearer[1], "Bearer ")
	for i, c := range []struct {
		email, phone, token string
		want                int
	}{
		{"first@example.kz", "+77011000001", "", 201},
		{"first@example.kz", "+77011000002", "", 400},
		{" First@Example.kz", "+77011000003", "", 400},
		{"second@example.kz", "+77011000001", "", 400},
		{"other@example.kz", "+77011000004", "", 201},
		{"first@example.kz", "+77011000005", token, 400},
		{"member@example.kz", "+77011000006", token, 201},
		{"third@example.kz", "+77011000007", token, 400},
		{"member@example.kz", "+77011000008", "", 400},
		{"fourth@example.kz", "+77011000006", "", 400},
	} {
		response, body := s.post("/api/orders/", c.token, promoOrder(soap, c.email, c.phone))
		if response.StatusCode != c.want || c.want == 400 && !strings.Contains(body, "Вы уже использовали этот промокод") {
			t.Errorf("%d: %s %s (signed in: %v): %d %s, want %d", i, c.email, c.phone, c.token != "", response.StatusCode, body, c.want)
		}
	}
}

// TestAttackPromoWithoutProof: where the rules ask for it, a code that is limited per customer is only for those who have proved who
// they are.
func TestAttackPromoWithoutProof(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_EMAIL_RATE=0")
	soap := p.stocked("MK-1", 9000, 100)
	p.ok("promocodes", "issue", "WELCOME10", "--percent", "10", "--uses-per-customer", "1")
	p.ok("promocodes", "issue", "FREE10", "--percent", "10")
	p.ok("rules", "set", p.file("rules.json", `{"promocode_proof": true}`))
	s := p.serve()
	const refused = "подтвердите e-mail"
	if response, body := s.post("/api/orders/", "", promoOrder(soap, "a@example.kz", "+77011000001")); response.StatusCode != 400 || !strings.Contains(body, refused) {
		t.Errorf("a guest: %d %s", response.StatusCode, body)
	}
	status, _, body := s.send("POST", "/api/auth/register/", strings.NewReader(fmt.Sprintf(
		`{"first_name":"Анна","last_name":"Ким","phone":"87011234567","email":%q,"password":"long enough","password_check":"long enough","consent":true}`, personEmail)))
	var who struct {
		Access string    `json:"access"`
		ID     uuid.UUID `json:"id"`
	}
	if err := json.Unmarshal([]byte(body), &who); err != nil || status != 201 {
		t.Fatalf("%d %s", status, body)
	}
	if response, body := s.post("/api/orders/", who.Access, promoOrder(soap, personEmail, "+77011000002")); response.StatusCode != 400 || !strings.Contains(body, refused) {
		t.Errorf("an account that proved nothing: %d %s", response.StatusCode, body)
	}
	price := map[string]any{"products": []any{pieces(soap, 1)}, "promocode": "WELCOME10", "city": "Алматы", "payment_method": "CASH"}
	if _, body := s.post("/api/orders/calculate-price/", who.Access, price); !strings.Contains(body, refused) {
		t.Errorf("the price of who proved nothing: %s", body)
	}
	if response, body := s.post("/api/orders/", "", buyer(map[string]any{"promocode": "FREE10", "customer_email": "b@example.kz", "customer_phone": "+77011000003"}, pieces(soap, 1))); response.StatusCode != 201 {
		t.Errorf("a code without that limit: %d %s", response.StatusCode, body)
	}
	if status, _, body := s.send("POST", "/api/auth/email/verify/", strings.NewReader(fmt.Sprintf(`{"token":%q}`, p.linkTo(who.ID, personEmail))), "Authorization", "Bearer "+who.Access); status != 204 {
		t.Fatalf("verify: %d %s", status, body)
	}
	if _, body := s.post("/api/orders/calculate-price/", who.Access, price); strings.Contains(body, refused) {
		t.Errorf("the price of who proved it: %s", body)
	}
	if response, body := s.post("/api/orders/", who.Access, promoOrder(soap, personEmail, "+77011000002")); response.StatusCode != 201 {
		t.Errorf("who proved it: %d %s", response.StatusCode, body)
	}
}
