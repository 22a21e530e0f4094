package commands

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain"
)

// TestBadInput: every request that cannot be meant is refused with a 4xx that names the field, and the log stays as
// it was.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 10).String()
	good := checkout(lineOf(cream, 1))
	basket := fields{"products": []fields{lineOf(cream, 1)}}
	before := s.head()

	const (
		pieces = `{"amount":["Укажите количество целым числом от 1 до 9999"]}`
		none   = `{"product":["Товара нет в наличии"]}`
	)
	line := func(entry string) string { return `{"products":[` + entry + `]}` }
	lines := func(f fields, lines ...any) fields { return f.with("products", lines) }
	many := make([]any, 101)
	for i := range many {
		many[i] = lineOf(uuid.NewString(), 1)
	}
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	object := func(text string) string {
		return `{"products":[{"product":"` + cream + `","amount":1}]` + text + `}`
	}

	// Both endpoints read these the same way.
	for name, c := range map[string]struct {
		lines  []any
		status int
		body   string
	}{
		"fraction":           {[]any{lineOf(cream, 1.5)}, 400, line(pieces)},
		"whole as fraction":  {[]any{fields{"product": cream, "amount": jsonText("1.0")}}, 400, line(pieces)},
		"exponent":           {[]any{fields{"product": cream, "amount": jsonText("1e2")}}, 400, line(pieces)},
		"text":               {[]any{lineOf(cream, "1")}, 400, line(pieces)},
		"boolean":            {[]any{lineOf(cream, true)}, 400, line(pieces)},
		"null":               {[]any{lineOf(cream, nil)}, 400, line(pieces)},
		"list":               {[]any{lineOf(cream, []int{1})}, 400, line(pieces)},
		"zero":               {[]any{lineOf(cream, 0)}, 400, line(pieces)},
		"negative":           {[]any{lineOf(cream, -1)}, 400, line(pieces)},
		"huge":               {[]any{fields{"product": cream, "amount": jsonText("99999999999999999999999999")}}, 400, line(pieces)},
		"largest int64":      {[]any{fields{"product": cream, "amount": jsonText("9223372036854775807")}}, 400, line(pieces)},
		"no amount":          {[]any{fields{"product": cream}}, 400, line(`{"amount":["Заполните поле"]}`)},
		"no product":         {[]any{fields{"amount": 1}}, 400, line(`{"product":["Заполните поле"]}`)},
		"product as number":  {[]any{lineOf(7, 1)}, 400, line(`{"product":["Введите текст"]}`)},
		"product too long":   {[]any{lineOf(strings.Repeat("x", 201), 1)}, 400, line(`{"product":["Не больше 200 символов"]}`)},
		"NUL in product":     {[]any{lineOf("a\x00b", 1)}, 400, line(`{"product":["Недопустимые символы"]}`)},
		"unknown id":         {[]any{lineOf(uuid.NewString(), 1)}, 400, line(none)},
		"unknown link":       {[]any{lineOf("'; DROP TABLE events; --", 1)}, 400, line(none)},
		"zero id":            {[]any{lineOf(uuid.Nil.String(), 1)}, 400, line(none)},
		"unknown line field": {[]any{fields{"product": cream, "amount": 1, "price": 1}}, 400, line(`{"product":["Неизвестное поле «price»"]}`)},
		"line is a number":   {[]any{7}, 400, line(`{"product":["Укажите товар и количество"]}`)},
		"line is null":       {[]any{nil}, 400, line(`{"product":["Укажите товар и количество"]}`)},
		"good and bad":       {[]any{lineOf(cream, 1), lineOf(cream, 0)}, 400, line(`{},` + pieces)},
		"twice the same":     {[]any{lineOf(cream, 1), lineOf(cream, 1)}, 400, line(`{},{"product":["Этот товар уже есть в заказе"]}`)},
		"too many lines":     {many, 400, `{"products":["Не больше 100 разных товаров в заказе"]}`},
	} {
		t.Run("line/"+name, func(t *testing.T) {
			response{s.price(lines(basket, c.lines...)).ResponseRecorder, t}.wants(c.status, c.body)
			response{s.place(lines(good, c.lines...)).ResponseRecorder, t}.wants(c.status, c.body)
		})
	}

	const syntax = `{"detail":"Запрос не является правильным JSON"}`
	for name, c := range map[string]struct {
		body   string
		status int
		answer string
	}{
		"empty":            {"", 400, syntax},
		"not JSON":         {"products=1", 400, syntax},
		"cut off":          {`{"products":[`, 400, syntax},
		"trailing comma":   {`{"products":[],}`, 400, syntax},
		"two documents":    {`{"products":[]}{}`, 400, syntax},
		"garbage after":    {`{"products":[]} x`, 400, syntax},
		"NaN":              {object(`,"expected_total":NaN`), 400, syntax},
		"leading zero":     {object(`,"expected_total":01`), 400, syntax},
		"raw NUL":          {"{\"products\":\x00[]}", 400, syntax},
		"list":             {`[]`, 400, `{"detail":"Ожидается объект JSON"}`},
		"null":             {`null`, 400, `{"detail":"Ожидается объект JSON"}`},
		"invalid UTF-8":    {object(",\"city\":\"\xff\xfe\""), 400, `{"detail":"Запрос должен быть в кодировке UTF-8"}`},
		"deep":             {deep, 400, `{"detail":"Слишком большая вложенность JSON"}`},
		"deep inside":      {object(`,"x":` + deep), 400, `{"detail":"Слишком большая вложенность JSON"}`},
		"10 MB":            {object(`,"city":"` + strings.Repeat("x", 10<<20) + `"`), 413, `{"detail":"Слишком большой запрос"}`},
		"a byte too many":  {strings.Repeat(" ", maxBody+1), 413, `{"detail":"Слишком большой запрос"}`},
		"products twice":   {object(`,"products":[]`), 400, ""},
		"products missing": {`{}`, 400, ""},
		"field detail":     {object(`,"detail":1`), 400, `{"detail":"В запросе есть неизвестное поле"}`},
		"endless field":    {object(`,"` + strings.Repeat("x", 1000) + `":1`), 400, `{"detail":"В запросе есть неизвестное поле"}`},
	} {
		t.Run("body/"+name, func(t *testing.T) {
			for _, r := range []response{s.price(c.body), s.place(c.body)} {
				if r.Code != c.status || c.answer != "" && r.body() != c.answer {
					t.Errorf("answer is %d %s\nwant %d %s", r.Code, r.body(), c.status, c.answer)
				}
			}
		})
	}

	for name, r := range map[string]*http.Request{
		"no type":    post(t.Context(), basket, func(r *http.Request) { r.Header.Del("Content-Type") }),
		"form":       post(t.Context(), basket, func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }),
		"broken":     post(t.Context(), basket, func(r *http.Request) { r.Header.Set("Content-Type", ";;") }),
		"compressed": post(t.Context(), basket, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }),
	} {
		t.Run("media type/"+name, func(t *testing.T) {
			response{s.ask(s.baskets.Calculate, r).ResponseRecorder, t}.wants(415, `{"detail":"Ожидается JSON (Content-Type: application/json)"}`)
		})
	}
	s.ask(s.baskets.Calculate, post(t.Context(), strings.Repeat(" ", maxBody+1), func(r *http.Request) { r.ContentLength = -1 })).
		wants(413, `{"detail":"Слишком большой запрос"}`)
	equal(t, "status with a charset", s.ask(s.baskets.Calculate, post(t.Context(), fields{"products": []fields{}}, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
	})).Code, 200)

	for name, c := range map[string]struct {
		field string
		value any
		body  string
	}{
		"products as object":   {"products", fields{}, `{"products":["Ожидается список товаров"]}`},
		"products null":        {"products", nil, `{"products":["Ожидается список товаров"]}`},
		"city as number":       {"city", 5, `{"city":["Введите текст"]}`},
		"city too long":        {"city", strings.Repeat("ы", 101), `{"city":["Не больше 100 символов"]}`},
		"city turns direction": {"city", "Алматы\u202e", `{"city":["Недопустимые символы"]}`},
		"unpaired surrogate":   {"city", jsonText(`"\ud800"`), `{"city":["Недопустимые символы"]}`},
		"promocode as list":    {"promocode", []int{}, `{"promocode":["Введите текст"]}`},
		"promocode NUL":        {"promocode", "A\x00", `{"promocode":["Недопустимые символы"]}`},
		"delivery null":        {"delivery_type", nil, `{"delivery_type":["Выберите способ получения"]}`},
		"delivery unknown":     {"delivery_type", "PIGEON", `{"delivery_type":["Выберите способ получения"]}`},
		"payment unknown":      {"payment_method", "card", `{"payment_method":["Выберите способ оплаты"]}`},
		"bonus true":           {"spend_bonus", true, `{"spend_bonus":["Войдите в аккаунт, чтобы потратить бонусы"]}`},
		"bonus sum":            {"spend_bonus", 5, `{"spend_bonus":["Войдите в аккаунт, чтобы потратить бонусы"]}`},
		"bonus fraction":       {"spend_bonus", 0.5, `{"spend_bonus":["Введите целое число"]}`},
		"bonus negative":       {"spend_bonus", -1, `{"spend_bonus":["Введите целое число"]}`},
		"bonus null":           {"spend_bonus", nil, `{"spend_bonus":["Введите целое число"]}`},
		"unknown":              {"price", 1, `{"price":["Неизвестное поле"]}`},
		"order's field":        {"customer_city", "Алматы", `{"customer_city":["Неизвестное поле"]}`},
	} {
		t.Run("pricing/"+name, func(t *testing.T) {
			response{s.price(basket.with(c.field, c.value)).ResponseRecorder, t}.wants(400, c.body)
		})
	}

	for name, c := range map[string]struct {
		body fields
		want string
	}{
		"no first name":      {good.without("customer_first_name"), `{"customer_first_name":["Заполните поле"]}`},
		"blank last name":    {good.with("customer_last_name", " \u00a0 "), `{"customer_last_name":["Заполните поле"]}`},
		"name of digits":     {good.with("customer_first_name", "123"), `{"customer_first_name":["Введите имя буквами"]}`},
		"long name":          {good.with("customer_first_name", strings.Repeat("я", 61)), `{"customer_first_name":["Не больше 50 символов"]}`},
		"name null":          {good.with("customer_first_name", nil), `{"customer_first_name":["Введите текст"]}`},
		"name with line end": {good.with("customer_first_name", "А\nБ"), `{"customer_first_name":["Недопустимые символы"]}`},
		"bad e-mail":         {good.with("customer_email", "aigul@"), `{"customer_email":["Email введен неверно"]}`},
		"foreign phone":      {good.with("customer_phone", "+44 20 7946 0958"), `{"customer_phone":["` + msgPhone + `"]}`},
		"short phone":        {good.with("customer_phone", "+7 701 234"), `{"customer_phone":["` + msgPhone + `"]}`},
		"no payment method":  {good.without("payment_method"), `{"payment_method":["Выберите способ оплаты"]}`},
		"payment null":       {good.with("payment_method", nil), `{"payment_method":["Выберите способ оплаты"]}`},
		"no delivery type":   {good.without("delivery_type"), `{"delivery_type":["Выберите способ получения"]}`},
		"no city":            {good.without("customer_city"), `{"customer_city":["Заполните поле"]}`},
		"city of digits":     {good.with("customer_city", "050000"), `{"customer_city":["Выберите город из списка"]}`},
		"no street":          {good.without("customer_street"), `{"customer_street":["Заполните поле"]}`},
		"no house":           {good.with("customer_house", ""), `{"customer_house":["Заполните поле"]}`},
		"long comment":       {good.with("address_comment", strings.Repeat("я", 501)), `{"address_comment":["Не больше 500 символов"]}`},
		"box as text":        {good.with("use_brand_box", "yes"), `{"use_brand_box":["Выберите да или нет"]}`},
		"total as text":      {good.with("expected_total", "10900"), `{"expected_total":["Введите целое число"]}`},
		"total negative":     {good.with("expected_total", -1), `{"expected_total":["Введите целое число"]}`},
		"unknown field":      {good.with("total_paid", 1), `{"total_paid":["Неизвестное поле"]}`},
		"no products":        {good.without("products"), `{"products":["Заполните поле"]}`},
		"empty basket":       {good.with("products", []any{}), `{"products":["Товаров в корзине пока нет"]}`},
		"cash elsewhere":     {good.with("customer_city", "Астана"), `{"payment_method":["Оплата наличными доступна только в городах с доставкой магазина"]}`},
		"unknown code":       {good.with("promocode", "NO"), `{"promocode":["Промокод не найден"]}`},
		"two at once":        {good.without("customer_street").with("customer_email", "x"), `{"customer_email":["Email введен неверно"],"customer_street":["Заполните поле"]}`},
	} {
		t.Run("order/"+name, func(t *testing.T) {
			response{s.place(c.body).ResponseRecorder, t}.wants(400, c.want)
		})
	}
	equal(t, "head", s.head(), before)

	soap := s.product(3_000, 3_000, 10)
	before = s.head()
	s.place(checkout(lineOf(soap, 2))).wants(400, `{"detail":"Минимальная сумма заказа 7 000 ₸, не хватает 1 000 ₸"}`)
	equal(t, "head after an order below the minimum", s.head(), before)
	s.placed(lines(good, lineOf(cream, 1)).with("spend_bonus", false).with("promocode", nil).with("expected_total", nil).with("address_comment", "Домофон\nне работает"))
}

// jsonText stands in a body as it is.
type jsonText string

func (j jsonText) MarshalJSON() ([]byte, error) { return []byte(j), nil }

func TestFieldGivenTwice(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.price(`{"products":[],"city":"Алматы","city":"Астана"}`).wants(400, `{"city":["Поле указано дважды"]}`)
	s.price(`{"products":[{"product":"a","amount":1,"amount":2}]}`).wants(400, `{"products":[{"amount":["Поле указано дважды"]}]}`)
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

func TestAnswerHidesOwnTrouble(t *testing.T) {
	t.Parallel()
	if status, body, ok := Answer(fmt.Errorf("place order: %w", http.ErrServerClosed)); ok || status != 500 || body != nil {
		t.Errorf("answer is %d %v %v", status, body, ok)
	}
}

// FuzzReadForm: whatever a body holds, reading it ends in a form or in an answer to a shopper.
func FuzzReadForm(f *testing.F) {
	for _, seed := range []string{`{"products":[{"product":"a","amount":1}],"city":null}`, `{"a":{"b":[1e9,"\u0000"]}}`, `{1:2}`, `{"a"`, "\xff", `[]`, `{"a":1,"a":2}`, `{[]:1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		form, err := readForm(httptest.NewRecorder(), post(t.Context(), body))
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
		if status, _, ok := Answer(err); !ok || status < 400 || status >= 500 {
			t.Errorf("answer to %q is %d: %v", body, status, err)
		}
	})
}
