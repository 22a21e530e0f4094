package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAttackPhishingLettersByName: a name is no place for an advertisement, wherever one is asked for.
func TestAttackPhishingLettersByName(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 100)
	s := p.serve()
	for _, name := range []string{
		"Ваш выигрыш 500 000 на http://evil.example", "Акция: www.evil.kz", "evil.kz Айгуль", "a@evil.example", "Звоните 8701", strings.Repeat("а", 61),
	} {
		for _, field := range []string{"customer_first_name", "customer_last_name"} {
			response, body := s.post("/api/orders/", "", buyer(map[string]any{field: name}, pieces(soap, 1)))
			if response.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"`+field+`":["`) {
				t.Errorf("order of %q: %d %s", name, response.StatusCode, body)
			}
		}
		registered := map[string]any{
			"email": "victim@example.com", "password": "correct horse battery", "first_name": name, "last_name": "Сатпаева", "phone": "+77011234567",
			"consent": true, "password_check": "correct horse battery",
		}
		response, body := s.post("/api/auth/register/", "", registered)
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"first_name":["`) {
			t.Errorf("registration of %q: %d %s", name, response.StatusCode, body)
		}
	}
	if files, _ := os.ReadDir(filepath.Join(p.config().DataDir, "mail")); len(files) != 0 {
		t.Errorf("%d letters went out", len(files))
	}
}

// TestAttackPhishingLettersByOrder: what a guest writes into an order does not reach an address that nobody proved, and
// an address is not flooded.
func TestAttackPhishingLettersByOrder(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 100)
	s := p.serve()
	for i := range 3 {
		response, body := s.post("/api/orders/", "", buyer(map[string]any{
			"customer_first_name": "Выигрыш", "customer_last_name": "Забирайте", "customer_email": []string{"victim@example.com", "Victim@example.com"}[i%2],
			"customer_street": "Забрать на http://evil.example", "customer_house": "приз", "address_comment": "evil.example",
		}, pieces(soap, 1)))
		if response.StatusCode != http.StatusCreated {
			t.Fatalf("order %d: %d %s", i, response.StatusCode, body)
		}
	}
	response, body := s.post("/api/orders/", "", buyer(map[string]any{"customer_email": "other@example.com", "customer_phone": "+77011234568"}, pieces(soap, 1)))
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("another guest's order: %d %s", response.StatusCode, body)
	}
	p.letters("order-placed", 2)
	time.Sleep(2 * time.Second) // what went wrong would come about now
	letters := p.letters("order-placed", 2)
	if len(letters) != 2 {
		t.Errorf("%d letters went out within a minute to two addresses", len(letters))
	}
	for _, letter := range letters {
		for _, text := range []string{"Выигрыш", "Забирайте", "evil", "приз", "Айгерим"} {
			if strings.Contains(letter, text) {
				t.Errorf("a letter to an address that nobody proved says %q:\n%s", text, letter)
			}
		}
	}
	// The other orders' letters wait; none is lost.
	if waiting := strings.Count(p.ok("mails", "list", "--all", "--format", "json"), `"waiting"`); waiting != 2 {
		t.Errorf("%d letters wait, want 2", waiting)
	}
}
