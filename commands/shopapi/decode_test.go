package shopapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/commands/shopapi"
	"shop/commands/testshop"
)

// TestBadInput: every request that cannot be meant is refused with a 4xx that names the field, and the log stays as
// it was.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10).String()
	good := testshop.Checkout(testshop.Line(cream, 1))
	basket := testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}}
	before := s.Head()

	const (
		pieces = `{"amount":["Укажите количество целым числом от 1 до 9999"]}`
		none   = `{"product":["Товара нет в наличии"]}`
	)
	line := func(entry string) string { return `{"products":[` + entry + `]}` }
	lines := func(f testshop.Fields, lines ...any) testshop.Fields { return f.With("products", lines) }
	many := make([]any, 101)
	for i := range many {
		many[i] = testshop.Line(uuid.NewString(), 1)
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
		"fraction":           {[]any{testshop.Line(cream, 1.5)}, 400, line(pieces)},
		"whole as fraction":  {[]any{testshop.Fields{"product": cream, "amount": jsonText("1.0")}}, 400, line(pieces)},
		"exponent":           {[]any{testshop.Fields{"product": cream, "amount": jsonText("1e2")}}, 400, line(pieces)},
		"text":               {[]any{testshop.Line(cream, "1")}, 400, line(pieces)},
		"boolean":            {[]any{testshop.Line(cream, true)}, 400, line(pieces)},
		"null":               {[]any{testshop.Line(cream, nil)}, 400, line(pieces)},
		"list":               {[]any{testshop.Line(cream, []int{1})}, 400, line(pieces)},
		"zero":               {[]any{testshop.Line(cream, 0)}, 400, line(pieces)},
		"negative":           {[]any{testshop.Line(cream, -1)}, 400, line(pieces)},
		"huge":               {[]any{testshop.Fields{"product": cream, "amount": jsonText("99999999999999999999999999")}}, 400, line(pieces)},
		"largest int64":      {[]any{testshop.Fields{"product": cream, "amount": jsonText("9223372036854775807")}}, 400, line(pieces)},
		"no amount":          {[]any{testshop.Fields{"product": cream}}, 400, line(`{"amount":["Заполните поле"]}`)},
		"no product":         {[]any{testshop.Fields{"amount": 1}}, 400, line(`{"product":["Заполните поле"]}`)},
		"product as number":  {[]any{testshop.Line(7, 1)}, 400, line(`{"product":["Введите текст"]}`)},
		"product too long":   {[]any{testshop.Line(strings.Repeat("x", 201), 1)}, 400, line(`{"product":["Не больше 200 символов"]}`)},
		"NUL in product":     {[]any{testshop.Line("a\x00b", 1)}, 400, line(`{"product":["Недопустимые символы"]}`)},
		"unknown id":         {[]any{testshop.Line(uuid.NewString(), 1)}, 400, line(none)},
		"unknown link":       {[]any{testshop.Line("'; DROP TABLE events; --", 1)}, 400, line(none)},
		"zero id":            {[]any{testshop.Line(uuid.Nil.String(), 1)}, 400, line(none)},
		"unknown line field": {[]any{testshop.Fields{"product": cream, "amount": 1, "price": 1}}, 400, line(`{"product":["Неизвестное поле «price»"]}`)},
		"line is a number":   {[]any{7}, 400, line(`{"product":["Укажите товар и количество"]}`)},
		"line is null":       {[]any{nil}, 400, line(`{"product":["Укажите товар и количество"]}`)},
		"good and bad":       {[]any{testshop.Line(cream, 1), testshop.Line(cream, 0)}, 400, line(`{},` + pieces)},
		"twice the same":     {[]any{testshop.Line(cream, 1), testshop.Line(cream, 1)}, 400, line(`{},{"product":["Этот товар уже есть в заказе"]}`)},
		"too many lines":     {many, 400, `{"products":["Не больше 100 разных товаров в заказе"]}`},
	} {
		t.Run("line/"+name, func(t *testing.T) {
			testshop.Response{ResponseRecorder: s.Price(lines(basket, c.lines...)).ResponseRecorder, T: t}.Wants(c.status, c.body)
			testshop.Response{ResponseRecorder: s.Place(lines(good, c.lines...)).ResponseRecorder, T: t}.Wants(c.status, c.body)
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
		"a byte too many":  {strings.Repeat(" ", 64<<10+1), 413, `{"detail":"Слишком большой запрос"}`},
		"products twice":   {object(`,"products":[]`), 400, ""},
		"products missing": {`{}`, 400, ""},
		"field detail":     {object(`,"detail":1`), 400, `{"detail":"В запросе есть неизвестное поле"}`},
		"endless field":    {object(`,"` + strings.Repeat("x", 1000) + `":1`), 400, `{"detail":"В запросе есть неизвестное поле"}`},
	} {
		t.Run("body/"+name, func(t *testing.T) {
			for _, r := range []testshop.Response{s.Price(c.body), s.Place(c.body)} {
				if r.Code != c.status || c.answer != "" && r.Text() != c.answer {
					t.Errorf("answer is %d %s\nwant %d %s", r.Code, r.Text(), c.status, c.answer)
				}
			}
		})
	}

	for name, r := range map[string]*http.Request{
		"no type":    testshop.Post(t.Context(), basket, func(r *http.Request) { r.Header.Del("Content-Type") }),
		"form":       testshop.Post(t.Context(), basket, func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }),
		"broken":     testshop.Post(t.Context(), basket, func(r *http.Request) { r.Header.Set("Content-Type", ";;") }),
		"compressed": testshop.Post(t.Context(), basket, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }),
	} {
		t.Run("media type/"+name, func(t *testing.T) {
			testshop.Response{ResponseRecorder: s.Ask(shopapi.Baskets{Baskets: s.Baskets}.Calculate, r).ResponseRecorder, T: t}.Wants(415, `{"detail":"Ожидается JSON (Content-Type: application/json)"}`)
		})
	}
	s.Ask(shopapi.Baskets{Baskets: s.Baskets}.Calculate, testshop.Post(t.Context(), strings.Repeat(" ", 64<<10+1), func(r *http.Request) { r.ContentLength = -1 })).
		Wants(413, `{"detail":"Слишком большой запрос"}`)
	testshop.Equal(t, "status with a charset", s.Ask(shopapi.Baskets{Baskets: s.Baskets}.Calculate, testshop.Post(t.Context(), testshop.Fields{"products": []testshop.Fields{}}, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
	})).Code, 200)

	for name, c := range map[string]struct {
		field string
		value any
		body  string
	}{
		"products as object":   {"products", testshop.Fields{}, `{"products":["Ожидается список товаров"]}`},
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
			testshop.Response{ResponseRecorder: s.Price(basket.With(c.field, c.value)).ResponseRecorder, T: t}.Wants(400, c.body)
		})
	}

	for name, c := range map[string]struct {
		body testshop.Fields
		want string
	}{
		"no first name":      {good.Without("customer_first_name"), `{"customer_first_name":["Заполните поле"]}`},
		"blank last name":    {good.With("customer_last_name", " \u00a0 "), `{"customer_last_name":["Заполните поле"]}`},
		"name of digits":     {good.With("customer_first_name", "123"), `{"customer_first_name":["Введите имя буквами"]}`},
		"long name":          {good.With("customer_first_name", strings.Repeat("я", 61)), `{"customer_first_name":["Не больше 50 символов"]}`},
		"name null":          {good.With("customer_first_name", nil), `{"customer_first_name":["Введите текст"]}`},
		"name with line end": {good.With("customer_first_name", "А\nБ"), `{"customer_first_name":["Недопустимые символы"]}`},
		"bad e-mail":         {good.With("customer_email", "aigul@"), `{"customer_email":["Email введен неверно"]}`},
		"foreign phone":      {good.With("customer_phone", "+44 20 7946 0958"), `{"customer_phone":["Введите номер телефона Казахстана или России, например +7 701 234 56 78"]}`},
		"short phone":        {good.With("customer_phone", "+7 701 234"), `{"customer_phone":["Введите номер телефона Казахстана или России, например +7 701 234 56 78"]}`},
		"no payment method":  {good.Without("payment_method"), `{"payment_method":["Выберите способ оплаты"]}`},
		"payment null":       {good.With("payment_method", nil), `{"payment_method":["Выберите способ оплаты"]}`},
		"no delivery type":   {good.Without("delivery_type"), `{"delivery_type":["Выберите способ получения"]}`},
		"no city":            {good.Without("customer_city"), `{"customer_city":["Заполните поле"]}`},
		"city of digits":     {good.With("customer_city", "050000"), `{"customer_city":["Выберите город из списка"]}`},
		"no street":          {good.Without("customer_street"), `{"customer_street":["Заполните поле"]}`},
		"no house":           {good.With("customer_house", ""), `{"customer_house":["Заполните поле"]}`},
		"long comment":       {good.With("address_comment", strings.Repeat("я", 501)), `{"address_comment":["Не больше 500 символов"]}`},
		"box as text":        {good.With("use_brand_box", "yes"), `{"use_brand_box":["Выберите да или нет"]}`},
		"total as text":      {good.With("expected_total", "10900"), `{"expected_total":["Введите целое число"]}`},
		"total negative":     {good.With("expected_total", -1), `{"expected_total":["Введите целое число"]}`},
		"unknown field":      {good.With("total_paid", 1), `{"total_paid":["Неизвестное поле"]}`},
		"no products":        {good.Without("products"), `{"products":["Заполните поле"]}`},
		"empty basket":       {good.With("products", []any{}), `{"products":["Товаров в корзине пока нет"]}`},
		"cash elsewhere":     {good.With("customer_city", "Астана"), `{"payment_method":["Оплата наличными доступна только в городах с доставкой магазина"]}`},
		"unknown code":       {good.With("promocode", "NO"), `{"promocode":["Промокод не найден или больше не действует"]}`},
		"two at once":        {good.Without("customer_street").With("customer_email", "x"), `{"customer_email":["Email введен неверно"],"customer_street":["Заполните поле"]}`},
	} {
		t.Run("order/"+name, func(t *testing.T) {
			testshop.Response{ResponseRecorder: s.Place(c.body).ResponseRecorder, T: t}.Wants(400, c.want)
		})
	}
	testshop.Equal(t, "head", s.Head(), before)

	soap := s.Product(3_000, 3_000, 10)
	before = s.Head()
	s.Place(testshop.Checkout(testshop.Line(soap, 2))).Wants(400, `{"detail":"Минимальная сумма заказа 7 000 ₸, не хватает 1 000 ₸","code":"order/below-minimum"}`)
	testshop.Equal(t, "head after an order below the minimum", s.Head(), before)
	s.Placed(lines(good, testshop.Line(cream, 1)).With("spend_bonus", false).With("promocode", nil).With("expected_total", nil).With("address_comment", "Домофон\nне работает"))
}

// jsonText stands in a body as it is.
type jsonText string

func (j jsonText) MarshalJSON() ([]byte, error) { return []byte(j), nil }

func TestFieldGivenTwice(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.Price(`{"products":[],"city":"Алматы","city":"Астана"}`).Wants(400, `{"city":["Поле указано дважды"]}`)
	s.Price(`{"products":[{"product":"a","amount":1,"amount":2}]}`).Wants(400, `{"products":[{"amount":["Поле указано дважды"]}]}`)
}
