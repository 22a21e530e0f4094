package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func (d mailDesk) tryPassword(network string, jar map[string]string, email, password string) (int, http.Header) {
	d.served.t.Helper()
	status, header, _ := d.from(network, jar, "POST", "/api/token/", map[string]any{"username": email, "password": password})
	return status, header
}

// TestAttackGuessPasswordsFromManyNetworks: the guesses at one account are bounded over all networks, and its owner signs in
// with a device that has signed in before.
func TestAttackGuessPasswordsFromManyNetworks(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t)
	const owner = "owner@example.kz"
	d.register(owner)
	home := map[string]string{}
	if status, _ := d.tryPassword("192.0.2.1", home, owner, registeredWith); status != 200 {
		t.Fatalf("the owner signs in: %d", status)
	}
	guessed, refused := 0, 0
	for i := range 150 {
		switch status, header := d.tryPassword(fmt.Sprintf("198.51.100.%d", i), nil, owner, "wrong guess"); status {
		case 401:
			guessed++
		case 429:
			refused++
			if seconds, err := strconv.Atoi(header.Get("Retry-After")); err != nil || seconds < 1 {
				t.Fatalf("Retry-After %q", header.Get("Retry-After"))
			}
		default:
			t.Fatalf("guess %d: %d", i, status)
		}
	}
	if guessed == 0 || guessed > 110 || refused == 0 {
		t.Errorf("150 networks got %d guesses at one account", guessed)
	}
	if status, _ := d.tryPassword("203.0.113.200", home, owner, registeredWith); status != 200 {
		t.Errorf("the owner with a known device: %d", status)
	}
	for name, value := range home {
		if status, _ := d.tryPassword("203.0.113.201", map[string]string{name: value[:len(value)-2] + "xx"}, owner, registeredWith); status != 429 {
			t.Errorf("a made-up device: %d", status)
		}
	}
	// The cookie of another account opens nothing.
	d.register("other@example.kz")
	others := map[string]string{}
	d.tryPassword("192.0.2.9", others, "other@example.kz", registeredWith)
	if status, _ := d.tryPassword("203.0.113.202", others, owner, registeredWith); status != 429 {
		t.Errorf("the device of another account: %d", status)
	}
	// A known device is no way to guess without end.
	wrong := 0
	for range 30 {
		if status, _ := d.tryPassword("192.0.2.1", home, owner, "wrong guess"); status == 401 {
			wrong++
		}
	}
	if wrong == 0 || wrong > 12 {
		t.Errorf("a known device got %d guesses", wrong)
	}
}

// TestAttackGuessPasswordsOfManyAccounts: one network tries many e-mails once each.
func TestAttackGuessPasswordsOfManyAccounts(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t)
	const owner = "owner@example.kz"
	d.register(owner)
	home := map[string]string{}
	d.tryPassword("192.0.2.1", home, owner, registeredWith)
	var tried [600]int
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := worker; i < len(tried); i += 4 {
				tried[i], _ = d.tryPassword("198.51.100.1", nil, fmt.Sprintf("person%d@example.kz", i), "password1")
			}
		})
	}
	all.Wait()
	guessed := 0
	for i, status := range tried {
		switch status {
		case 401:
			guessed++
		case 429:
		default:
			t.Errorf("guess %d: %d", i, status)
		}
	}
	if guessed == 0 || guessed > 130 {
		t.Errorf("one network got %d guesses at %d accounts", guessed, len(tried))
	}
	rows := 0
	if err := d.pool().QueryRow(t.Context(), "SELECT count(*) FROM customer_attempts").Scan(&rows); err != nil || rows > 300 {
		t.Errorf("the guesses left %d rows, %v", rows, err)
	}
	if status, _ := d.tryPassword("198.51.100.1", home, owner, registeredWith); status != 200 {
		t.Errorf("a known device in the guesser's network: %d", status)
	}
}

// TestAttackGuessPasswordsInIPv6: a /48 has 65 536 networks, and is limited as a whole as well.
func TestAttackGuessPasswordsInIPv6(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t, "SHOP_ACCOUNT_RATE=0.001")
	for name, address := range map[string]func(i int) string{
		"/56": func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i) },
		"/48": func(i int) string { return fmt.Sprintf("2001:db8:2:%x00::1", i) },
	} {
		passed := 0
		for i := range 200 {
			if status, _, _ := d.from(address(i), nil, "POST", "/api/token/", map[string]any{"username": "", "password": ""}); status != 429 {
				passed++
			}
		}
		if most := map[string]int{"/56": 10, "/48": 70}[name]; passed == 0 || passed > most {
			t.Errorf("200 networks of one %s: %d came through, want some, and at most %d", name, passed, most)
		}
	}
}

// TestAttackGuessPasswordsThatAreCommon: the commonest passwords, one's own e-mail, name and the shop's are none.
func TestAttackGuessPasswordsThatAreCommon(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t)
	form := func(password string) map[string]any {
		return map[string]any{
			"email": "serikova.a@example.kz", "password": password, "password_check": password, "consent": true, "first_name": "Айгуль", "last_name": "Серикова",
			"phone": "+77011234567", "info": map[string]any{"phone": "+77011234567"},
		}
	}
	weak := []string{"password", "12345678", "Qwertyuiop", "serikova.a@example.kz", "Serikova.A", "Айгуль2024", "айгульсерикова", "dala2026!", "Дала-12345"}
	for _, password := range weak {
		status, body := d.call("POST", "/api/auth/register/", form(password))
		if status != 400 || !strings.Contains(body, `"password":["`) {
			t.Errorf("registration with %q: %d %s", password, status, body)
		}
	}
	const good = "пять котов на крыше"
	if status, body := d.call("POST", "/api/auth/register/", form(good)); status != 201 {
		t.Fatalf("registration with a good password: %d %s", status, body)
	}
	code := d.asks("192.0.2.1", nil, "serikova.a@example.kz", 1)
	for _, password := range []string{"password", "serikova.a", "Айгуль2024", "dala2026"} {
		status, body := d.chooses("192.0.2.1", nil, "serikova.a@example.kz", code, password)
		if status != 400 || !strings.Contains(body, `"new_password":["`) {
			t.Errorf("reset to %q: %d %s", password, status, body)
		}
	}
	if status, body := d.chooses("192.0.2.1", nil, "serikova.a@example.kz", code, good); status != 200 {
		t.Errorf("reset to a good password, with the code that the weak ones did not use up: %d %s", status, body)
	}
}

// TestAttackGuessAccountsByRegistration: whether an e-mail has an account is asked as seldom as a password is guessed, and
// the owner hears of it, once a day.
func TestAttackGuessAccountsByRegistration(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t)
	const owner = "owner@example.kz"
	d.register(owner)
	told := 0
	for range 130 {
		status, _, body := d.from("198.51.100.1", nil, "POST", "/api/auth/register/", map[string]any{
			"email": owner, "password": registeredWith, "password_check": registeredWith, "consent": true, "first_name": "А", "last_name": "Б",
			"phone": "+77011234567", "info": map[string]any{"phone": "+77011234567"},
		})
		switch {
		case status == 400 && strings.Contains(body, `"email":["`):
			told++
		case status != 429:
			t.Fatalf("a taken e-mail: %d %s", status, body)
		}
	}
	if told == 0 || told > 110 {
		t.Errorf("one network asked %d times whether an e-mail has an account", told)
	}
	until(t, "the letter to the owner", func() bool { return len(d.mailed("already-registered", owner)) > 0 })
	if n := len(d.mailed("already-registered", owner)); n != 1 {
		t.Errorf("%d letters in a day", n)
	}
}

// TestAttackGuessFromForwardedAddresses: a chain of a hundred proxies is nobody's.
func TestAttackGuessFromForwardedAddresses(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t)
	var chain []string
	for i := range 100 {
		chain = append(chain, fmt.Sprintf("127.0.0.%d", i+1))
	}
	for name, headers := range map[string][]string{"in one line": {strings.Join(chain, ", ")}, "in many lines": chain} {
		request, err := http.NewRequest("GET", d.url+"/api/shop/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header["X-Forwarded-For"] = headers
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 400 {
			t.Errorf("a hundred addresses %s: %d", name, response.StatusCode)
		}
	}
}
