package edge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shop/commands"
	"shop/domain"
)

func TestKazakhShoppersAreRefusedInKazakh(t *testing.T) {
	t.Parallel()
	fields := &commands.Invalid{Fields: map[string]any{
		"city":     []string{"Выберите город из списка"},
		"products": []any{map[string]any{"product": []string{"Товар заканчивается, Вы можете заказать не больше 10 штук"}, "amount": 10}},
	}}
	for name, c := range map[string]struct {
		err           error
		cookie, wants string
	}{
		"a rule":                     {domain.Refuse("order/paid", "Заказ уже оплачен"), "kk", `{"code":"order/paid","detail":"Тапсырыс төленген"}`},
		"fields, with a fact":        {fields, "kk", `{"city":["Қаланы тізімнен таңдаңыз"],"products":[{"amount":10,"product":["Тауар таусылып барады, 10 данадан артық тапсырыс бере алмайсыз"]}]}`},
		"two facts":                  {domain.Refuse("x", "Минимальная сумма заказа 7 000 ₸, не хватает 6 000 ₸"), "kk", `{"code":"x","detail":"Ең төменгі тапсырыс сомасы 7 000 ₸, жетпейтіні 6 000 ₸"}`},
		"our own failure":            {errors.New("boom"), "kk", `{"detail":"Бірдеңе дұрыс болмады. Кейінірек қайталап көріңіз"}`},
		"a sentence of nobody":       {domain.Refuse("x", "Нельзя"), "kk", `{"code":"x","detail":"Нельзя"}`},
		"a Russian shopper":          {domain.Refuse("x", "Заказ уже оплачен"), "ru", `{"detail":"Заказ уже оплачен","code":"x"}`},
		"a shopper who said nothing": {domain.Refuse("x", "Заказ уже оплачен"), "", `{"detail":"Заказ уже оплачен","code":"x"}`},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if c.cookie != "" {
			r.AddCookie(&http.Cookie{Name: "lang", Value: c.cookie})
		}
		w := httptest.NewRecorder()
		answer(slog.New(slog.DiscardHandler), func(http.ResponseWriter, *http.Request) error { return c.err })(w, r)
		if got := w.Body.String(); got != c.wants {
			t.Errorf("%s: %s, want %s", name, got, c.wants)
		}
	}
}

func TestFailuresSpeakKazakh(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	fails := func(err error) http.Handler {
		return answer(quiet, func(http.ResponseWriter, *http.Request) error { return err })
	}
	for name, c := range map[string]struct {
		h      http.Handler
		status int
		wants  string
	}{
		"a panic":             {recovered(quiet)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") })), 500, "Бірдеңе дұрыс болмады. Кейінірек қайталап көріңіз"},
		"a shop that opens":   {http.HandlerFunc(Starting), 503, "Дүкен ашылып жатыр. Бірнеше секундтан кейін қайталап көріңіз"},
		"a database away":     {fails(context.DeadlineExceeded), 503, "Дүкен жауап беріп үлгермеді. Қайталап көріңіз"},
		"a body too large":    {fails(&http.MaxBytesError{Limit: 1}), 413, "Сұраудың көлемі тым үлкен"},
		"too many addresses":  {boundForwarded(quiet)(fails(nil)), 400, "X-Forwarded-For ішінде мекенжай тым көп"},
		"nothing of that way": {http.HandlerFunc(new(Site).elsewhere), 404, "Табылған жоқ"},
	} {
		r := httptest.NewRequest("POST", "/api/nowhere/", nil)
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("X-Forwarded-For", strings.Repeat("203.0.113.7, ", 100)+"203.0.113.7")
		r.AddCookie(&http.Cookie{Name: "lang", Value: "kk"})
		w := httptest.NewRecorder()
		c.h.ServeHTTP(w, r)
		if got := w.Body.String(); w.Code != c.status || got != `{"detail":"`+c.wants+`"}` {
			t.Errorf("%s: %d %s, want %d %s", name, w.Code, got, c.status, c.wants)
		}
	}
}

func TestALimitSpeaksKazakh(t *testing.T) {
	t.Parallel()
	h := limitBy(0.0001, 1, TextTooMany, byNetworks)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	var last *httptest.ResponseRecorder
	for range 3 {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = "203.0.113.7:1"
		r.AddCookie(&http.Cookie{Name: "lang", Value: "kk"})
		last = httptest.NewRecorder()
		clientIP(ourProxies)(h).ServeHTTP(last, r)
	}
	if got := last.Body.String(); last.Code != http.StatusTooManyRequests || got != `{"detail":"Сұрау тым көп. Сәл кейінірек қайталап көріңіз"}` {
		t.Errorf("%d %s", last.Code, got)
	}
}
