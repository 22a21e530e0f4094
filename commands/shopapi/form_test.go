package shopapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shop/domain"
)

func TestAnswerHidesOwnTrouble(t *testing.T) {
	t.Parallel()
	if status, body, ok := Problem(fmt.Errorf("place order: %w", http.ErrServerClosed)); ok || status != 500 || body != nil {
		t.Errorf("answer is %d %v %v", status, body, ok)
	}
}

// FuzzReadForm: whatever a body holds, reading it ends in a form or in an answer to a shopper.
func FuzzReadForm(f *testing.F) {
	for _, seed := range []string{`{"products":[{"product":"a","amount":1}],"city":null}`, `{"a":{"b":[1e9,"\u0000"]}}`, `{1:2}`, `{"a"`, "\xff", `[]`, `{"a":1,"a":2}`, `{[]:1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		form, err := readForm(httptest.NewRecorder(), request)
		if err == nil {
			form.lines("products")
			form.contact()
			form.address(true)
			form.spendBonus(domain.ID{})
			err = form.done()
		}
		if err == nil {
			return
		}
		if status, _, ok := Problem(err); !ok || status < 400 || status >= 500 {
			t.Errorf("answer to %q is %d: %v", body, status, err)
		}
	})
}

func TestPhone(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"+7 701 234 56 78": "+77012345678", "87012345678": "+77012345678", "7012345678": "+77012345678",
		"8(727)250-00-00": "+77272500000", "+7 916 123-45-67": "+79161234567", "8 916 123 45 67": "+79161234567",
		"+1 212 555 0100": "", "+7 701 234 56": "", "+7 701 234 56 789": "", "12345": "", "1-800-FLOWERS": "", "+7 000 000 00 00": "", "++": "",
	} {
		if got, ok := phone(given); got != want || ok != (want != "") {
			t.Errorf("phone %q is %q, %v, want %q", given, got, ok, want)
		}
	}
}

func TestEmail(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]bool{
		"aigul@example.kz": true, "a.b+c@mail.example.com": true, "почта@пример.қаз": true, "o'neil@example.com": true,
		"": false, "a": false, "a@": false, "@b.kz": false, "a@b": false, "a@b.k": false, "a b@c.kz": false, "a@b..kz": false, "a@-b.kz": false,
		"a..b@c.kz": false, "<a@b.kz>": false, "a@b.kz,c@d.kz": false, `"a"@b.kz`: false, "a@[127.0.0.1]": false,
	} {
		if got := validEmail(given); got != want {
			t.Errorf("e-mail %q: %v, want %v", given, got, want)
		}
	}
}
