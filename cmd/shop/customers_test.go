package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/commands/identity/accounts"
	"shop/domain/customer"
	"shop/eventstore"
	"shop/eventstore/keyring"
	"shop/eventstore/registry"
	reads "shop/readapi/staff"
)

// proposedByAnother has somebody else propose an erasure in place of whoever did.
func (p program) proposedByAnother(id uuid.UUID) {
	p.t.Helper()
	s, err := app.OpenShop(p.t.Context(), p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(p.t.Context()) //nolint:errcheck // a test's
	if _, err = s.Customers.WithdrawErasure(p.t.Context(), id, uuid.New()); err == nil {
		_, err = s.Customers.ProposeErasure(p.t.Context(), id, uuid.New(), "asked by letter")
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

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

// secret is one of the shop's secrets.
func (p program) secret(purpose string) []byte {
	p.t.Helper()
	ring, err := keyring.Open(p.config().KeyPath())
	if err != nil {
		p.t.Fatal(err)
	}
	store := eventstore.Open(p.pool(), registry.New(), eventstore.Options{Keys: ring, Logger: shoptest.Quiet})
	defer store.Close()
	key, err := app.Secret(p.t.Context(), store, purpose)
	if err != nil {
		p.t.Fatal(err)
	}
	return key
}

// linkTo makes the token that a letter to an e-mail would have.
func (p program) linkTo(id uuid.UUID, email string) (token string) {
	t, pool, key := p.t, p.pool(), p.secret("accounts")
	t.Helper()
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
	// A city that is none, and a review that says where they live.
	personCity   = "Алматы, за Ұзынағашем у Толегена"
	personReview = "Звоните после шести, Толегенова Жибек, дом с синими воротами"
)

var personal = []string{personEmail, strings.ToUpper(personEmail), personFirst, personLast, personPhone[1:], personStreet, personCity, personReview}

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
	for range edge.PortraitsAnHour - 2 {
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
		`{"first_name":"Анна","last_name":"Ким","phone":"+77011234567","email":"anna@example.kz","password":"long enough","password_check":"long enough","consent":true}`))
	var in struct{ ID uuid.UUID }
	if status != 201 || json.Unmarshal([]byte(body), &in) != nil {
		t.Fatalf("registration: %d %s", status, body)
	}
	var list []reads.CustomerLine
	if err := json.Unmarshal([]byte(p.ok("customers", "list", "--format", "json")), &list); err != nil || len(list) != 1 || list[0].ID != in.ID || list[0].State != "active" {
		t.Errorf("list: %+v, %v", list, err)
	}
	if show := p.ok("customers", "show", in.ID.String()); !strings.Contains(show, `"email": "anna@example.kz"`) {
		t.Errorf("show: %s", show)
	}
	if r := p.run("customers", "show", uuid.NewString()); r.status != terminal.Failed {
		t.Errorf("nobody: %+v", r)
	}
	if r := p.run("customers", "erase", "anna"); r.status != terminal.Misuse {
		t.Errorf("no id: %+v", r)
	}
	// One person proposes, and may not confirm; another one does.
	for _, wrong := range [][]string{{}, {"--confirm", "--reason", "x"}} {
		if r := p.run(append([]string{"customers", "erase", in.ID.String()}, wrong...)...); r.status != terminal.Misuse {
			t.Errorf("%v: %+v", wrong, r)
		}
	}
	if r := p.run("customers", "erase", in.ID.String(), "--confirm"); r.status != terminal.Failed {
		t.Errorf("erased without a proposal: %+v", r)
	}
	if said := p.ok("customers", "erase", in.ID.String(), "--reason", "asked by letter"); !strings.Contains(said, "proposed") {
		t.Errorf("propose: %s", said)
	}
	if r := p.run("customers", "erase", in.ID.String(), "--confirm"); r.status != terminal.Failed || !strings.Contains(r.stderr, customer.ErrSamePerson.Message) {
		t.Errorf("one person erases alone: %+v", r)
	}
	p.proposedByAnother(in.ID)
	if said := p.ok("customers", "erase", in.ID.String(), "--confirm"); !strings.Contains(said, in.ID.String()+": erased") {
		t.Errorf("erase: %s", said)
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
