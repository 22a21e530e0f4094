package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/readapi/staff"
)

// send makes a request of a shopper's. The body is sent without its length when it is a plain io.Reader.
func (s *served) send(method, path string, body io.Reader, header ...string) (int, http.Header, string) {
	s.t.Helper()
	request, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	answered, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return response.StatusCode, response.Header, string(answered)
}

// head is the position of the last event.
func (p program) head() int64 {
	p.t.Helper()
	var last staff.EventLine
	if err := json.Unmarshal([]byte(p.ok("events", "tail", "-n", "1", "-f=false", "--format", "json")), &last); err != nil {
		p.t.Fatal(err)
	}
	return int64(last.Position)
}

func TestBadRequestsNameTheFieldAndAppendNothing(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream, soap := p.stocked("MK-1", 9000, 10), p.stocked("MK-2", 500, 3)
	s := p.serve()

	lines := func(amount string) string {
		return fmt.Sprintf(`"products":[{"product":%q,"amount":%s}]`, cream, amount)
	}
	// good are a checkout's fields as they should be.
	good := map[string]string{
		"customer_first_name": `"Айгерим"`, "customer_last_name": `"Сатпаева"`, "customer_email": `"a@example.com"`, "customer_phone": `"+77011234567"`,
		"customer_city": `"Алматы"`, "customer_street": `"Абая"`, "customer_house": `"10"`, "payment_method": `"CASH"`, "delivery_type": `"DELIVERY"`,
	}
	// body is a checkout that is good but for what stands in place of a field, "" being nothing, and in the products.
	body := func(products string, instead ...string) string {
		fields := maps.Clone(good)
		for i := 0; i < len(instead); i += 2 {
			fields[instead[i]] = instead[i+1]
		}
		parts := []string{products}
		for name, value := range fields {
			if value != "" {
				parts = append(parts, fmt.Sprintf("%q:%s", name, value))
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	const calculate, order = "/api/orders/calculate-price/", "/api/orders/"
	type bad struct {
		path, body string
		status     int
		want       string
	}
	cases := map[string]bad{
		"a city that is no text":        {calculate, "{" + lines("1") + `,"city":5}`, 400, `{"city":["Введите текст"]}`},
		"a way of payment unheard of":   {calculate, "{" + lines("1") + `,"payment_method":"GOLD"}`, 400, `{"payment_method":["Выберите способ оплаты"]}`},
		"a guest's bonuses":             {calculate, "{" + lines("1") + `,"spend_bonus":true}`, 400, `{"spend_bonus":["Войдите в аккаунт`},
		"no address":                    {order, body(lines("1"), "customer_street", "", "customer_house", `" "`), 400, `{"customer_house":["Заполните поле"],"customer_street":["Заполните поле"]}`},
		"a bad e-mail":                  {order, body(lines("1"), "customer_email", `"a@b"`), 400, `{"customer_email":["Email введен неверно"]}`},
		"a phone of elsewhere":          {order, body(lines("1"), "customer_phone", `"+12025550100"`), 400, `{"customer_phone":["Введите номер`},
		"a NUL":                         {order, body(lines("1"), "customer_house", `"1\u00000"`), 400, `{"customer_house":["Недопустимые символы"]}`},
		"cash where nobody takes it":    {order, body(lines("1"), "customer_city", `"Астана"`), 400, `{"payment_method":["Оплата наличными`},
		"a promo code of nobody":        {order, body(lines("1"), "promocode", `"NOPE"`), 400, `{"promocode":["Промокод не найден или больше не действует"]}`},
		"too small a sum":               {order, body(fmt.Sprintf(`"products":[{"product":%q,"amount":2}]`, soap)), 400, "не хватает 6\u00a0000"},
		"an empty basket":               {order, body(`"products":[]`), 400, `{"products":["Товаров в корзине пока нет"]}`},
		"more than there is":            {order, body(lines("11")), 400, `[{"amount":10,"product":["Товар заканчивается, Вы можете заказать не больше 10 штук"]}]`},
		"another total than was shown":  {order, body(lines("1"), "expected_total", "1"), 409, `"calculation":{"total_sum":9000`},
		"a key twice in the same order": {order, body(lines("1") + "," + lines("2")), 400, `{"products":["Поле указано дважды"]}`},
	}
	whole := "Укажите количество целым числом от 1 до 9999"
	for _, path := range []string{calculate, order} {
		for name, amount := range map[string]string{
			"a fraction": "1.5", "a text": `"2"`, "negative": "-1", "zero": "0", "an exponent": "1e2", "huge": strings.Repeat("9", 40), "null": "null", "a list": "[1]",
		} {
			cases["amount "+name+" "+path] = bad{path, body(lines(amount)), 400, whole}
		}
		for name, b := range map[string]bad{
			"a line twice":           {body: body(fmt.Sprintf(`"products":[{"product":%q,"amount":1},{"product":"mk-1","amount":1}]`, cream)), want: `[{},{"product":["Этот товар уже есть в заказе"]}]`},
			"a product of nobody":    {body: body(fmt.Sprintf(`"products":[{"product":%q,"amount":1},{"product":%q,"amount":1}]`, cream, uuid.NewString())), want: `[{},{"product":["Товара нет в наличии"]}]`},
			"more than an order has": {body: body(lines("100")), want: `[{"amount":10,"product":["Товар заканчивается, Вы можете заказать не больше 10 штук"]}]`},
			"a price of one's own":   {body: body(fmt.Sprintf(`"products":[{"product":%q,"amount":1,"price":1}]`, cream)), want: `Неизвестное поле «price»`},
			"a field unheard of":     {body: body(lines("1"), "total_paid", "1"), want: `"total_paid":["Неизвестное поле"]`},
			"broken JSON":            {body: body(lines("1"))[1:], want: "правильным JSON"},
			"nothing":                {body: "", want: "правильным JSON"},
			"no object":              {body: "[]", want: "объект JSON"},
			"more after the end":     {body: body(lines("1")) + "{}", want: "правильным JSON"},
			"a deep nest":            {body: `{"products":` + strings.Repeat("[", 20_000), want: "вложенность"},
			"what is not UTF-8":      {body: body(lines("1"), "address_comment", "\"\xff\xfe\""), want: "UTF-8"},
			"a lone surrogate":       {body: body(lines("1"), "promocode", `"\ud800"`), want: `"promocode":["Недопустимые символы"]`},
			"101 products":           {body: body(`"products":[` + strings.Repeat(`{"product":"x","amount":1},`, 100) + `{"product":"x","amount":1}]`), want: "Не больше 100 разных товаров"},
			"300 KB":                 {body: body(lines("1"), "promocode", `"`+strings.Repeat("a", 300<<10)+`"`), status: 413, want: "Слишком большой запрос"},
			"products that are one":  {body: body(`"products":{}`), want: `"products":["Ожидается список товаров"]`},
		} {
			if b.status == 0 {
				b.status = 400
			}
			b.path = path
			cases[name+" "+path] = b
		}
	}

	before := p.head()
	check := func(name string, status int, header http.Header, answered string, b bad) {
		t.Helper()
		if status != b.status || !strings.Contains(answered, b.want) {
			t.Errorf("%s: %d %s, want %d and %s", name, status, answered, b.status, b.want)
		}
		if header.Get("Content-Type") != "application/json; charset=utf-8" || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("X-Event-Position") != "" {
			t.Errorf("%s: answered with %v", name, header)
		}
	}
	for name, b := range cases {
		if b.path == calculate { // of the checkout's fields it knows only these
			b.body = strings.NewReplacer(`"customer_city":`, `"city":`).Replace(b.body)
			for field, value := range good {
				if field != "payment_method" && field != "delivery_type" && field != "customer_city" {
					b.body = strings.NewReplacer(fmt.Sprintf(",%q:%s", field, value), "", fmt.Sprintf("%q:%s,", field, value), "").Replace(b.body)
				}
			}
		}
		status, header, answered := s.send("POST", b.path, strings.NewReader(b.body))
		check(name, status, header, answered, b)
		status, header, answered = s.send("POST", b.path, io.MultiReader(strings.NewReader(b.body)))
		check(name+", in chunks", status, header, answered, b)
	}
	for name, media := range map[string]string{"a form": "application/x-www-form-urlencoded", "a text": "text/plain", "several parts": "multipart/form-data; boundary=x"} {
		status, header, answered := s.send("POST", order, strings.NewReader(body(lines("1"))), "Content-Type", media)
		check(name, status, header, answered, bad{status: 415, want: "application/json"})
	}
	for _, key := range []string{"", strings.Repeat("x", 201), "тот же"} {
		status, header, answered := s.send("POST", order, strings.NewReader(body(lines("1"))), "Idempotency-Key", key)
		check("key "+key, status, header, answered, bad{status: 400, want: "Idempotency-Key"})
	}
	if after := p.head(); after != before {
		t.Errorf("%d events were appended:\n%s", after-before, p.ok("events", "tail", "-f=false"))
	}
	// The very body they were made from is good.
	if status, _, answered := s.send("POST", order, strings.NewReader(body(lines("1")))); status != 201 {
		t.Errorf("a good order: %d %s", status, answered)
	}
	if status := s.stop(); status != 0 || strings.Contains(s.stderr.String(), "level=ERROR") {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
}

func TestTenMegabytesAreRefusedWithAnAnswer(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	s := p.serve()
	// A client that sends all before it reads, as many do, must come to the answer and not to a broken connection.
	for name, head := range map[string]string{
		"with its length": "POST /api/orders/ HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\r\n",
		"in one chunk":    "POST /api/orders/ HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\na00000\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(time.Minute))
		if _, err := conn.Write(append([]byte(head), bytes.Repeat([]byte(" "), 10<<20)...)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Contains(head, "chunked") {
			conn.Write([]byte("\r\n0\r\n\r\n"))
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if response.Body.Close(); response.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %s", name, response.Status)
		}
	}
}
