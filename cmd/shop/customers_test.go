package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/accounts"
	"shop/commands/mail"
	"shop/readapi"
)

// pool is a way into the program's database.
func (p program) pool() *pgxpool.Pool {
	p.t.Helper()
	pool, err := pgxpool.New(p.t.Context(), p.config().DatabaseURL)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(pool.Close)
	return pool
}

// linkTo makes the token that a letter to an e-mail would have.
func linkTo(t *testing.T, pool *pgxpool.Pool, id uuid.UUID, email string) (token string) {
	t.Helper()
	key, err := secret(t.Context(), pool, "accounts")
	if err != nil {
		t.Fatal(err)
	}
	signIns := accounts.New(pool, accounts.Options{Secret: key})
	if err := signIns.Tx(t.Context(), func(tx pgx.Tx) (err error) {
		token, err = signIns.NewLink(t.Context(), tx, id, accounts.Proof, email, time.Now().Add(time.Hour))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return token
}

// A person as nobody else is called, so that each of these texts is theirs wherever it is found.
const (
	personEmail  = "jibek.tolegenqyzy@example.kz"
	personFirst  = "Жибектолеген"
	personLast   = "Қызмұратова"
	personPhone  = "+77017654329"
	personStreet = "Құрманғазытолеген"
)

var personal = []string{personEmail, strings.ToUpper(personEmail), personFirst, personLast, personPhone[1:], personStreet}

func (s *served) orderOf(cream uuid.UUID, headers ...string) receipt {
	s.t.Helper()
	status, header, body := s.send("POST", "/api/orders/", strings.NewReader(fmt.Sprintf(`{"customer_first_name":%q,"customer_last_name":%q,"customer_email":%q,
		"customer_phone":%q,"customer_city":"Алматы","customer_street":%q,"customer_house":"10","address_comment":%q,"payment_method":"CASH","delivery_type":"DELIVERY",
		"products":[{"product":%q,"amount":1}]}`, personFirst, personLast, strings.ToUpper(personEmail), personPhone, personStreet, personFirst, cream)), headers...)
	if status != 201 {
		s.t.Fatalf("order: %d %s", status, body)
	}
	r := receipt{position: header.Get("X-Event-Position")}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// dump is every row of every table as text, by table, and what PostgreSQL remembers of their values.
func dump(t *testing.T, pool *pgxpool.Pool) map[string]string {
	t.Helper()
	rows, _ := pool.Query(t.Context(), `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') OR tablename = 'pg_statistic'`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, table := range tables {
		var text *string
		err := pool.QueryRow(t.Context(), `SELECT string_agg(r::text, E'\n') FROM `+table+` r`).Scan(&text)
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "42P01" {
			continue // a read model that was exchanged is swept away meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		if text != nil {
			texts[table] = *text
		}
	}
	return texts
}

// files are the bytes of the database's own files, rewritten before so that no deleted row is left in them. The
// write-ahead log is not among them: it keeps what was written until it is recycled.
func files(t *testing.T, pool *pgxpool.Pool) string {
	t.Helper()
	for _, statement := range []string{"VACUUM FULL", "CHECKPOINT"} {
		until(t, statement, func() bool {
			_, err := pool.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol)
			var refused *pgconn.PgError
			if err != nil && (!errors.As(err, &refused) || refused.Code != "40P01") {
				t.Fatal(err)
			}
			return err == nil // or the shop held one table and waited for another
		})
	}
	rows, _ := pool.Query(t.Context(), `SELECT coalesce(pg_read_binary_file('base/' || d.oid || '/' || f, true), '') FROM pg_database d, pg_ls_dir('base/' || d.oid) f
		WHERE d.datname = current_database() AND f ~ '^[0-9]+$'`)
	all, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, content := range all {
		b.Write(content)
	}
	if b.Len() < 1<<20 {
		t.Fatalf("the database's files have %d bytes", b.Len())
	}
	return b.String()
}

// found tells where a text of the person is, plain or as the hexadecimal digits of bytea.
func found(where string, text string) (places []string) {
	for _, p := range personal {
		if strings.Contains(text, p) || strings.Contains(text, hex.EncodeToString([]byte(p))) {
			places = append(places, where+": "+p)
		}
	}
	return places
}

func traces(t *testing.T, pool *pgxpool.Pool) (places []string) {
	t.Helper()
	for table, text := range dump(t, pool) {
		places = append(places, found(table, text)...)
	}
	return append(places, found("files", files(t, pool))...)
}

// totals are what must not change when somebody is forgotten.
func totals(t *testing.T, pool *pgxpool.Pool) (text string) {
	t.Helper()
	err := pool.QueryRow(t.Context(), `SELECT row(count(*), sum(total_paid), sum(total_sum), count(*) FILTER (WHERE is_paid), max(customer_city),
		(SELECT count(*) FROM customer.account))::text FROM orders.orders`).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCustomerJoinsOrdersAndIsForgotten(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_EMAIL_RATE=0")
	cream := p.stocked("MK-1", 9000, 10)
	pool := p.pool()
	s := p.serve()

	before := s.orderOf(cream) // as a guest, before there is an account
	status, header, body := s.send("POST", "/api/auth/register/", strings.NewReader(fmt.Sprintf(
		`{"first_name":%q,"last_name":%q,"phone":%q,"email":%q,"password":"long enough","password_check":"long enough"}`, personFirst, personLast, personPhone, personEmail)))
	var in struct {
		Access string    `json:"access"`
		ID     uuid.UUID `json:"id"`
	}
	if status != 201 || json.Unmarshal([]byte(body), &in) != nil {
		t.Fatalf("registration: %d %s", status, body)
	}
	bearer := []string{"Authorization", "Bearer " + in.Access}
	if status, _, body := s.send("GET", "/api/auth/profile/", nil, append(bearer, "X-Min-Position", header.Get("X-Event-Position"))...); status != 200 || !strings.Contains(body, personFirst) {
		t.Errorf("profile: %d %s", status, body)
	}
	for _, c := range []struct {
		method, path string
		headers      []string
		want         int
	}{
		{"GET", "/api/auth/profile/", nil, 401}, {"GET", "/api/orders/", nil, 401}, {"DELETE", "/api/token/", nil, 401}, {"PATCH", "/api/auth/profile/", nil, 401},
		{"GET", "/api/auth/profile/export/", nil, 401}, {"DELETE", "/api/auth/profile/", nil, 401},
		{"GET", "/api/auth/profile/", []string{"Authorization", "Bearer nonsense"}, 401}, {"POST", "/api/orders/", []string{"Authorization", "Bearer nonsense"}, 401},
		{"GET", "/api/orders/" + before.ID.String(), nil, 404}, {"GET", "/api/orders/" + before.ID.String(), bearer, 404},
	} {
		if status, _, body := s.send(c.method, c.path, nil, c.headers...); status != c.want {
			t.Errorf("%s %s with %v: %d %s", c.method, c.path, c.headers, status, body)
		}
	}
	key, err := secret(t.Context(), pool, "links")
	if err != nil {
		t.Fatal(err)
	}
	if status, _, body := s.send("GET", "/api/orders/"+before.ID.String()+"/?key="+mail.Links{Key: key}.OrderKey(before.ID), nil); status != 200 || !strings.Contains(body, personStreet) {
		t.Errorf("a guest's link: %d %s", status, body)
	}

	mine := func() (list []struct {
		ID uuid.UUID `json:"id"`
	}) {
		status, _, body := s.send("GET", "/api/orders/", nil, bearer...)
		if status != 200 || json.Unmarshal([]byte(body), &list) != nil {
			t.Fatalf("my orders: %d %s", status, body)
		}
		return list
	}
	if len(mine()) != 0 {
		t.Error("an order joined before its e-mail was proved")
	}
	if status, _, body := s.send("POST", "/api/auth/email/verify/", strings.NewReader(fmt.Sprintf(`{"token":%q}`, linkTo(t, pool, in.ID, personEmail))), bearer...); status != 204 {
		t.Fatalf("verify: %d %s", status, body)
	}
	until(t, "the guest's order has joined", func() bool { return len(mine()) == 1 })
	after := s.orderOf(cream) // as a guest once more
	until(t, "the later one has joined", func() bool { return len(mine()) == 2 })
	own := s.orderOf(cream, bearer...)
	until(t, "the own one is there", func() bool { return len(mine()) == 3 })
	stranger := s.placed(cream, 1, "CASH")

	if status, _, body := s.send("DELETE", "/api/auth/profile/", strings.NewReader(`{"password":"long enough"}`), bearer...); status != 409 {
		t.Errorf("to leave with open orders: %d %s", status, body)
	}
	for _, r := range []receipt{before, after, own} {
		for _, verb := range []string{"approve", "process", "complete"} {
			p.ok("orders", verb, number(r.Number))
		}
	}
	// What is kept after a rebuild, or as of a time, must not remember them either.
	p.ok("projections", "rebuild", "orders")
	if places := traces(t, pool); len(places) < len(personal)*3 {
		t.Fatalf("the search does not find who is there: %q", places)
	}
	until(t, "three orders are completed", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "SELECT count(*) FROM orders.orders WHERE status = 'COMPLETED'").Scan(&n) == nil && n == 3
	})
	was := totals(t, pool)
	portrait := s.portrait(bearer, 300)
	if status, _, _ := s.send("GET", portrait, nil); status != 200 {
		t.Errorf("the photo: %d", status)
	}

	if status, _, body := s.send("DELETE", "/api/auth/profile/", strings.NewReader(`{"password":"long enough"}`), bearer...); status != 202 {
		t.Fatalf("to leave: %d %s", status, body)
	}
	if status, _, _ := s.send("GET", "/api/orders/", nil, bearer...); status != 401 {
		t.Errorf("signed in after leaving: %d", status)
	}
	until(t, "the person is erased", func() bool { return strings.Contains(p.ok("customers", "show", in.ID.String()), `"erased"`) })
	until(t, "the orders show nobody", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "SELECT count(*) FROM orders.orders WHERE customer_email = ''").Scan(&n) == nil && n == 3
	})
	if list := p.ok("customers", "list"); !strings.Contains(list, in.ID.String()+"  erased") {
		t.Errorf("list:\n%s", list)
	}
	check := func(when string) {
		t.Helper()
		if places := traces(t, pool); len(places) > 0 {
			t.Errorf("%s: %q", when, places)
		}
		if now := totals(t, pool); now != was {
			t.Errorf("%s the totals are %s, and were %s", when, now, was)
		}
	}
	until(t, "the photo of who is erased is gone", func() bool { status, _, _ := s.send("GET", portrait, nil); return status == 404 })
	until(t, "every read model has forgotten", func() bool {
		for table, text := range dump(t, pool) {
			if len(found(table, text)) > 0 {
				return false
			}
		}
		return true
	})
	check("erased")
	if show := p.ok("orders", "show", number(stranger.Number)); !strings.Contains(show, "Айгерим") {
		t.Errorf("somebody else's order was forgotten too:\n%s", show)
	}
	for _, name := range []string{"orders", "customer"} {
		p.ok("projections", "rebuild", name)
	}
	check("rebuilt")
	if places := found("stream", p.ok("events", "stream", "customer-"+in.ID.String(), "--personal")+p.ok("events", "stream", "order-"+own.ID.String(), "--personal")); len(places) > 0 {
		t.Errorf("the log still reads: %q", places)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
	if places := found("the program's log", s.stderr.String()); len(places) > 0 {
		t.Errorf("%q", places)
	}
}

// portrait shows a photo of so many pixels in a profile, and answers where it is.
func (s *served) portrait(bearer []string, pixels int) string {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	file, _ := w.CreateFormFile("profile_image", "me.jpg")
	_ = jpeg.Encode(file, image.NewGray(image.Rect(0, 0, pixels, pixels)), nil)
	_ = w.Close()
	status, header, body := s.send("POST", "/api/auth/profile/photo/", &form, append(bearer, "Content-Type", w.FormDataContentType())...)
	if status != 200 {
		s.t.Fatalf("photo: %d %s", status, body)
	}
	_, _, body = s.send("GET", "/api/auth/profile/", nil, append(bearer, "X-Min-Position", header.Get("X-Event-Position"))...)
	var shown struct {
		Info struct {
			Image string `json:"profile_image"`
		} `json:"info"`
	}
	if err := json.Unmarshal([]byte(body), &shown); err != nil || shown.Info.Image == "" {
		s.t.Fatalf("the profile: %v %s", err, body)
	}
	return shown.Info.Image
}

func TestAPhotoGivesWayToAnother(t *testing.T) {
	t.Parallel()
	s := onDatabase(t).serve()
	anna := s.register("anna@example.kz")
	first := s.portrait(anna, 1000)
	second := s.portrait(anna, 100)
	until(t, "the first photo's files are gone", func() bool { status, _, _ := s.send("GET", first, nil); return status == 404 })
	if status, header, _ := s.send("GET", second, nil); status != 200 || header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("the second: %d %v", status, header)
	}
	for range portraitsAnHour - 2 {
		s.portrait(anna, 100)
	}
	if status, header, _ := s.send("POST", "/api/auth/profile/photo/", nil, anna...); status != 429 || header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d %v", status, header)
	}
	if status, _, _ := s.send("POST", "/api/auth/profile/photo/", nil, s.register("boris@example.kz")...); status != 415 {
		t.Errorf("somebody else: %d", status)
	}
	if status, _, _ := s.send("POST", "/api/auth/profile/photo/", nil); status != 401 {
		t.Errorf("nobody: %d", status)
	}
}

func TestCustomersFromTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	s := p.serve()
	status, _, body := s.send("POST", "/api/auth/register/", strings.NewReader(
		`{"first_name":"Анна","last_name":"Ким","phone":"+77011234567","email":"anna@example.kz","password":"long enough","password_check":"long enough"}`))
	var in struct{ ID uuid.UUID }
	if status != 201 || json.Unmarshal([]byte(body), &in) != nil {
		t.Fatalf("registration: %d %s", status, body)
	}
	var list []readapi.CustomerLine
	if err := json.Unmarshal([]byte(p.ok("customers", "list", "--format", "json")), &list); err != nil || len(list) != 1 || list[0].ID != in.ID || list[0].State != "active" {
		t.Errorf("list: %+v, %v", list, err)
	}
	if show := p.ok("customers", "show", in.ID.String()); !strings.Contains(show, `"email": "anna@example.kz"`) {
		t.Errorf("show: %s", show)
	}
	if r := p.run("customers", "show", uuid.NewString()); r.status != failed {
		t.Errorf("nobody: %+v", r)
	}
	if r := p.run("customers", "erase", "anna"); r.status != misuse {
		t.Errorf("no id: %+v", r)
	}
	if said := p.ok("customers", "erase", in.ID.String()); !strings.Contains(said, in.ID.String()+": erased") {
		t.Errorf("erase: %s", said)
	}
	if again := p.ok("customers", "erase", in.ID.String()); !strings.Contains(again, "erased before") {
		t.Errorf("again: %s", again)
	}
	if show := p.ok("customers", "show", in.ID.String()); strings.Contains(show, "anna") || !strings.Contains(show, `"erased"`) {
		t.Errorf("show: %s", show)
	}
	if status, _, _ := s.send("POST", "/api/token/", strings.NewReader(`{"username":"anna@example.kz","password":"long enough"}`)); status != 401 {
		t.Errorf("signs in: %d", status)
	}
}

// An address is let through so often, and told when to come again.
func TestAccountsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0.1")
	s := p.serve()
	for _, path := range []string{"/api/token/", "/api/auth/register/", "/api/auth/profile/password-reset/request/"} {
		status, header, body := s.send("POST", path, strings.NewReader("{}"))
		if path == "/api/token/" {
			if status != 400 {
				t.Errorf("the first: %d %s", status, body)
			}
			continue
		}
		if status != 429 || header.Get("Retry-After") != "10" {
			t.Errorf("%s: %d %s, retry after %q", path, status, body, header.Get("Retry-After"))
		}
	}
}

// Fifty wrong passwords from one address end in refusals there, and keep nobody out elsewhere.
func TestAStrangerKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_TRUSTED_PROXIES=127.0.0.0/8")
	s := p.serve()
	s.register("anna@example.kz")
	signIn := func(from, password string) int {
		status, _, _ := s.send("POST", "/api/token/", strings.NewReader(fmt.Sprintf(`{"username":"anna@example.kz","password":%q}`, password)), "X-Forwarded-For", from)
		return status
	}
	got := map[int]int{}
	for i := range 50 {
		got[signIn("198.51.100.1", fmt.Sprint("password ", i))]++
	}
	if got[401] != 10 || got[429] != 40 {
		t.Errorf("the stranger got %v", got)
	}
	if status := signIn("198.51.100.1", "long enough"); status != 429 {
		t.Errorf("the stranger's last guess, a right one, got %d", status)
	}
	if status := signIn("203.0.113.7", "long enough"); status != 200 {
		t.Errorf("the owner got %d", status)
	}
}
