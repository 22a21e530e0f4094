package edge

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// forStaff are the sentences in the same files that no shopper meets.
var forStaff = []string{
	"Не указан платёж", "Сумма платежа должна быть больше нуля", "Подтвердить можно только полученный заказ", "Собирать можно только подтверждённый заказ",
	"Завершить можно только заказ, который собран", "Неизвестно, кто отменяет заказ", "Такой платёж по заказу не поступал", "Вернуть можно не больше, чем поступило",
	"Чтобы вернуть деньги, сначала отмените заказ", "Сумма — от 1 до 1 000 000 бонусов, со знаком", "Подпись уведомления неверна", "Уведомление непонятно",
	"Такой заявки на возврат нет", "Принять можно не больше, чем указано в заявке", "Этот возврат уже записан",
}

// notRefusals are answers to requests that were carried out.
var notRefusals = []string{"Если аккаунт с таким", "Личные данные удаляются", "Аккаунт закрыт"}

func TestEveryRefusalOfShoppersHasItsKazakhSentence(t *testing.T) {
	t.Parallel()
	literal := regexp.MustCompile(`"([А-ЯЁ][^"\n]* [^"\n]*[а-яё][^"\n]*)"`)
	seen := 0
	for _, pattern := range []string{
		"commands/shopapi/[!p]*.go", "commands/shopapi/passkeys.go", "commands/checkout.go", "commands/lines.go", "commands/refused.go", "commands/promocode.go",
		"commands/photos/album.go", "commands/identity/*/guesses.go", "domain/order/decider.go", "domain/order/open.go", "domain/order/returns.go",
		"domain/order/forget.go", "domain/customer/decider.go", "domain/review/decider.go", "domain/restock/decider.go", "domain/promocode/decider.go", "domain/bonus/decider.go", "domain/stock/decider.go",
	} {
		files, err := filepath.Glob("../../../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "phone_orders.go") { // staff type the latter
				continue
			}
			for _, found := range literal.FindAllStringSubmatch(string(source), -1) {
				said := strings.ReplaceAll(found[1], "%d", "7")
				said = strings.ReplaceAll(said, "%s", "7")
				skip := func(start string) bool { return strings.HasPrefix(said, start) }
				if slices.Contains(forStaff, said) || slices.ContainsFunc(notRefusals, skip) || strings.HasSuffix(said, " ") || strings.HasSuffix(said, "«") {
					continue
				}
				if seen++; inKazakh(said) == said {
					t.Errorf("%s: no Kazakh for %q", file, said)
				}
			}
		}
	}
	if seen < 80 {
		t.Errorf("%d sentences were found", seen)
	}
}

// The storefront knows by these letters that a sentence is not to be read aloud as Russian (web/kit/design/message.ts).
func TestKazakhSentencesHaveALetterOfTheirOwn(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(kazakhText) {
		russian, kazakh, two := strings.Cut(strings.TrimSpace(line), "|")
		if !two || !strings.ContainsAny(strings.ToLower(kazakh), "әғқңөұүһі") || strings.Count(russian, "{}") != strings.Count(kazakh, "{}") {
			t.Errorf("the sentence %q", line)
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
