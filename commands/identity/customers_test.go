package identity_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/crypto/argon2"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/commands/photos"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
)

// letters keeps what was written and committed, the latest last.
type letters struct {
	mu   sync.Mutex
	sent []identity.Letter
	// calls counts letters written, those thrown away too.
	calls int
}

// Send writes into the transaction too, so that a letter thrown away leaves nothing.
func (l *letters) Send(ctx context.Context, tx pgx.Tx, letter identity.Letter) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if !strings.HasSuffix(letter.To, ".invalid") {
		l.sent = append(l.sent, letter)
	}
	_, err := tx.Exec(ctx, "SELECT 1")
	return err
}

// last is the content of the latest letter to an address.
func (l *letters) last(t testing.TB, to string) any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, letter := range slices.Backward(l.sent) {
		if letter.To == to {
			return letter.Content
		}
	}
	t.Fatalf("no letter went to %s", to)
	return nil
}

func (l *letters) code(t testing.TB, to string) string {
	t.Helper()
	return l.last(t, to).(identity.CodeLetter).Code
}

func (l *letters) token(t testing.TB, to string) string {
	t.Helper()
	return tokenOf(l.last(t, to))
}

// tokenOf is the token of a letter's link; empty: it has none.
func tokenOf(content any) string {
	path := ""
	switch c := content.(type) {
	case identity.LinkLetter:
		path = c.Path
	case identity.WishLetter:
		path = c.Path
	case identity.MovedLetter:
		path = c.Path
	}
	_, token, _ := strings.Cut(path, "#")
	return token
}

// knownOrders is the list of orders, as tests fill it.
type knownOrders map[domain.ID]domain.ID

func (k knownOrders) OrdersOf(context.Context, domain.ID) (map[domain.ID]domain.ID, error) {
	return k, nil
}

// accountDesk is a shop with accounts.
type accountDesk struct {
	*testshop.Shop
	accounts *identity.Accounts
	letters  *letters
	known    knownOrders
	left     leftBehind
}

// leftBehind are reviews and products waited for, as tests fill them.
type leftBehind struct{ reviews, waits []domain.ID }

func (l *leftBehind) ReviewsOf(context.Context, domain.ID) ([]domain.ID, error) {
	return l.reviews, nil
}
func (l *leftBehind) WaitsOf(context.Context, domain.ID) ([]domain.ID, error) { return l.waits, nil }

func openAccounts(t testing.TB) *accountDesk {
	t.Helper()
	d := &accountDesk{Shop: testshop.Open(t), letters: &letters{}, known: knownOrders{}}
	d.accounts = &identity.Accounts{
		Handler: d.Handler, SignIns: accounts.New(d.Pool, accounts.Options{
			Secret: []byte("account secret"), Clock: d.Clock.Now,
		}),
		Mail: d.letters, Orders: d.known, Of: &d.left, Album: photos.Open(d.Pool, photos.Folder(t.TempDir())), Keys: d.Log, ConsentText: "2026-01",
	}
	return d
}

const goodPassword = "пароль с пробелом "

// registration is a good one, as the form sends it.
func registration(email string) testshop.Fields {
	return testshop.Fields{
		"first_name": "Айгуль", "last_name": "Серикова", "phone": "8 (701) 234-56-78", "email": email,
		"password": goodPassword, "password_check": goodPassword, "consent": true,
		"info": testshop.Fields{"phone": "8 (701) 234-56-78", "city": "", "street": "", "house": "", "floor": "", "apartment": "", "entrance": "", "address": ""},
	}
}

// call asks an endpoint as a customer, or as nobody for a zero id, and holds the answer against the contract.
func (d *accountDesk) call(endpoint func(http.ResponseWriter, *http.Request) error, method, path string, as domain.ID, body any, headers ...testshop.Header) testshop.Response {
	d.T.Helper()
	ctx := d.T.Context()
	if as != uuid.Nil {
		ctx = commands.AsCustomer(ctx, as)
	}
	r := testshop.Post(ctx, body, headers...)
	r.Method = method
	answered := d.Ask(endpoint, r)
	if answered.Code != http.StatusNoContent {
		testshop.KeepsContractOf(d.T, strings.ToLower(method), path, answered.Code, answered.Body.Bytes())
	}
	return answered
}

func (d *accountDesk) register(body any) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.Register, "POST", "/api/auth/register/", uuid.Nil, body)
}

// fromNetwork lets a request come from elsewhere than others.
func fromNetwork(network string) testshop.Header {
	return func(r *http.Request) {
		*r = *r.WithContext(commands.WithOrigin(r.Context(), commands.Origin{Network: network}))
	}
}

func (d *accountDesk) signIn(name, password string, headers ...testshop.Header) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.SignIn, "POST", "/api/token/", uuid.Nil, testshop.Fields{"username": name, "password": password}, headers...)
}

func (d *accountDesk) registered(email string) shopapi.Access {
	d.T.Helper()
	r := d.register(registration(email))
	if r.Code != http.StatusCreated {
		d.T.Fatalf("registration was refused: %d %s", r.Code, r.Text())
	}
	return testshop.Read[shopapi.Access](r)
}

// counts says whether a token still signs in.
func (d *accountDesk) counts(token string) bool {
	d.T.Helper()
	_, err := d.accounts.SignIns.Holder(d.T.Context(), token)
	return err == nil
}

func TestRegisterSignInAndOut(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("Aigul@Example.KZ")
	state, err := commands.See(t.Context(), commands.New(d.Log, commands.Options{}), commands.CustomerStream(a.ID))
	if err != nil {
		t.Fatal(err)
	}
	if state.Email != "aigul@example.kz" || state.Profile.Phone != "+77012345678" || state.ConsentText != "2026-01" || state.Verified || state.Profile.FirstName != "Айгуль" {
		t.Errorf("the account is %+v", state)
	}
	if !d.counts(a.Access) || len(a.Access) != 43 {
		t.Errorf("the token of the registration is %q", a.Access)
	}
	again := d.signIn(" AIGUL@example.kz ", goodPassword)
	if again.Code != 200 || testshop.Read[shopapi.Access](again).ID != a.ID {
		t.Fatalf("sign-in: %d %s", again.Code, again.Text())
	}
	d.signIn("aigul@example.kz", strings.TrimSpace(goodPassword)).Wants(401, `{"detail":"Неверный e-mail или пароль"}`)
	d.signIn("nobody@example.kz", goodPassword).Wants(401, `{"detail":"Неверный e-mail или пароль"}`)
	d.signIn("", "").Wants(400, `{"password":["Заполните поле"],"username":["Заполните поле"]}`)

	out := d.call(shopapi.Accounts{Accounts: d.accounts}.SignOut, "DELETE", "/api/token/", a.ID, "", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+a.Access) })
	if out.Code != 204 || d.counts(a.Access) || !d.counts(testshop.Read[shopapi.Access](again).Access) {
		t.Errorf("signing out: %d; the token counts: %v", out.Code, d.counts(a.Access))
	}
	d.Clock.Advance(accounts.TokenFor)
	if d.counts(testshop.Read[shopapi.Access](again).Access) {
		t.Error("a token counts after thirty days")
	}
	d.register(registration("aigul@example.kz")).Wants(400, `{"email":["Пользователь с таким e-mail уже зарегистрирован"]}`)
}

func TestRegistrationNamesEveryBadField(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	before := d.Head()
	for name, c := range map[string]struct {
		body testshop.Fields
		want string
	}{
		"nothing":         {testshop.Fields{}, `{"consent":["Нужно согласие на обработку персональных данных"],"email":["Заполните поле"],"first_name":["Заполните поле"],"last_name":["Заполните поле"],"password":["Заполните поле"],"password_check":["Заполните поле"],"phone":["Заполните поле"]}`},
		"e-mail":          {registration("a@b"), `{"email":["Email введен неверно"]}`},
		"phone":           {registration("a@b.kz").With("phone", "+12025550100"), `{"phone":["Введите номер телефона Казахстана или России, например +7 701 234 56 78"]}`},
		"a phone of info": {registration("a@b.kz").With("info", testshop.Fields{"phone": "12"}), `{"info":{"phone":["Введите номер телефона Казахстана или России, например +7 701 234 56 78"]}}`},
		"a city of info":  {registration("a@b.kz").With("info", testshop.Fields{"city": 5, "unknown": ""}), `{"info":{"city":["Введите текст"],"unknown":["Неизвестное поле"]}}`},
		"an info of text": {registration("a@b.kz").With("info", "x"), `{"info":["Ожидается объект"]}`},
		"short":           {registration("a@b.kz").With("password", "1234567").With("password_check", "1234567"), `{"password":["Пароль: от 8 до 256 символов"]}`},
		"not repeated":    {registration("a@b.kz").With("password_check", "other"), `{"password_check":["Пароли не совпадают"]}`},
		"a number":        {registration("a@b.kz").With("password", 12345678), `{"password":["Введите текст"],"password_check":["Пароли не совпадают"]}`},
		"no consent":      {registration("a@b.kz").With("consent", false), `{"consent":["Нужно согласие на обработку персональных данных"]}`},
		"consent of text": {registration("a@b.kz").With("consent", "yes"), `{"consent":["Нужно согласие на обработку персональных данных"]}`},
		"consent unsaid":  {registration("a@b.kz").Without("consent"), `{"consent":["Нужно согласие на обработку персональных данных"]}`},
		"digits":          {registration("a@b.kz").With("first_name", "123"), `{"first_name":["Введите имя буквами"]}`},
		"more":            {registration("a@b.kz").With("admin", true), `{"admin":["Неизвестное поле"]}`},
	} {
		t.Run(name, func(t *testing.T) { d.register(c.body).Wants(400, c.want) })
	}
	if d.Head() != before || len(d.letters.sent) != 0 {
		t.Error("a bad registration left something behind")
	}
}

func TestOneOfManyTwinsRegisters(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	var made, refused int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			w := httptest.NewRecorder()
			err := shopapi.Accounts{Accounts: d.accounts}.Register(w, testshop.Post(t.Context(), registration("a@b.kz")))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
			} else if status, _, _ := shopapi.Problem(err); status == 400 {
				refused++
			} else {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made != 1 || refused != 7 {
		t.Errorf("%d were made, %d refused", made, refused)
	}
}

// A registration that died half-way neither blocks the e-mail nor takes an account from its owner.
func TestRegistrationThatDiedHalfway(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	lost, kept := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	for id, email := range map[domain.ID]string{lost: "lost@b.kz", kept: "kept@b.kz"} {
		if _, err := d.accounts.SignIns.Reserve(t.Context(), credential.Unknown, id, email, goodPassword); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := commands.Change(t.Context(), d.Handler, commands.CustomerStream(kept), func(u *commands.Unit) customer.Command {
		return customer.Register{ID: kept, Email: "kept@b.kz", ConsentText: "1", At: u.At(), Profile: customer.Profile{FirstName: "A", LastName: "B", Phone: "+77012345678"}}
	}); err != nil {
		t.Fatal(err)
	}
	if r := d.register(registration("lost@b.kz")); r.Code != 400 {
		t.Errorf("an e-mail of a registration under way: %d", r.Code)
	}
	d.Clock.Advance(2 * time.Minute)
	d.registered("lost@b.kz")
	if r := d.register(registration("kept@b.kz")); r.Code != 400 {
		t.Errorf("an e-mail that has an account: %d", r.Code)
	}
	if r := d.signIn("kept@b.kz", goodPassword); r.Code != 200 || testshop.Read[shopapi.Access](r).ID != kept {
		t.Errorf("its owner signs in: %d %s", r.Code, r.Text())
	}
}

// What sign-in and reset cost, in hashes and statements, tells nobody whether an e-mail has an account.
func TestKnownAndUnknownCostTheSame(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("known@b.kz")
	hashes := func(do func()) int64 {
		before := d.accounts.SignIns.Hashed()
		do()
		return d.accounts.SignIns.Hashed() - before
	}
	for _, email := range []string{"known@b.kz", "unknown@b.kz"} {
		if n := hashes(func() { d.signIn(email, "wrong password") }); n != 1 {
			t.Errorf("a wrong sign-in of %s computes %d hashes", email, n)
		}
		var r testshop.Response
		calls := d.letters.calls
		if n := hashes(func() { r = d.reset(email) }); n != 0 {
			t.Errorf("a reset of %s computes %d hashes", email, n)
		}
		r.Wants(200, `{"detail":"Если аккаунт с таким e-mail есть, мы отправили на него код"}`)
		if d.letters.calls != calls+1 {
			t.Errorf("a reset of %s writes %d letters", email, d.letters.calls-calls)
		}
		if n := hashes(func() {
			d.check(email, "000000").Wants(400, `{"code":["Неверный или устаревший код"]}`)
		}); n != 0 {
			t.Errorf("a wrong code of %s computes %d hashes", email, n)
		}
	}
	if len(d.letters.sent) != 2 { // the registration's and the reset's
		t.Errorf("%d letters were sent", len(d.letters.sent))
	}
}

func (d *accountDesk) reset(email string, headers ...testshop.Header) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.RequestReset, "POST", "/api/auth/profile/password-reset/request/", uuid.Nil, testshop.Fields{"email": email}, headers...)
}

func (d *accountDesk) check(email, code string, headers ...testshop.Header) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.CheckCode, "POST", "/api/auth/profile/password-reset/validate-code/", uuid.Nil,
		testshop.Fields{"email": email, "code": code, "new_password": "new password", "password": "new password"}, headers...)
}

func (d *accountDesk) choose(email, code, password string) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.ResetPassword, "POST", "/api/auth/profile/password-reset/", uuid.Nil,
		testshop.Fields{"email": email, "code": code, "new_password": password, "password": password})
}

func TestPasswordReset(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	d.reset("A@b.kz").Wants(200, `{"detail":"Если аккаунт с таким e-mail есть, мы отправили на него код"}`)
	code := d.letters.code(t, "a@b.kz")
	// To check uses nothing up, and does not count.
	for range 7 {
		d.check("a@b.kz", code).Wants(200, "{}")
	}
	d.choose("a@b.kz", code, "short").Wants(400, `{"new_password":["Пароль: от 8 до 256 символов"]}`)
	d.choose("other@b.kz", code, "new password").Wants(400, `{"code":["Неверный или устаревший код"]}`)
	d.choose("a@b.kz", code, "new password").Wants(200, "{}")
	d.choose("a@b.kz", code, "new password").Wants(400, `{"code":["Неверный или устаревший код"]}`)
	if d.counts(a.Access) {
		t.Error("a token counts after another password was chosen")
	}
	if r := d.signIn("a@b.kz", goodPassword); r.Code != 401 {
		t.Errorf("the old password signs in: %d", r.Code)
	}
	if r := d.signIn("a@b.kz", "new password"); r.Code != 200 {
		t.Errorf("the new password does not: %d", r.Code)
	}
	if types := d.Types(0); types[len(types)-1] != "customer.password-changed" {
		t.Errorf("the log ends with %v", types)
	}
	d.Clock.Advance(2 * time.Hour)
	d.reset("a@b.kz")
	late := d.letters.code(t, "a@b.kz")
	d.Clock.Advance(accounts.CodeFor)
	d.choose("a@b.kz", late, "newer password").Wants(400, `{"code":["Неверный или устаревший код"]}`)
}

func unwarned(context.Context, pgx.Tx, uuid.UUID, string) error { return nil }

func anyPassword(context.Context, uuid.UUID) error { return nil }

func TestResetTriesAreFiveHoweverParallel(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("a@b.kz")
	d.reset("a@b.kz")
	code := d.letters.code(t, "a@b.kz")
	var all sync.WaitGroup
	for i := range 40 {
		wrong := fmt.Sprintf("%06d", i)
		if wrong == code {
			continue
		}
		all.Go(func() {
			if err := d.accounts.SignIns.CheckCode(t.Context(), accounts.Try{Email: "a@b.kz", Code: wrong}, unwarned); err == nil {
				t.Error("a wrong code is right")
			}
		})
	}
	all.Wait()
	var tries int
	if err := d.Pool.QueryRow(t.Context(), "SELECT network_tries FROM customer_resets").Scan(&tries); err != nil || tries != 5 {
		t.Errorf("%d tries were counted, %v", tries, err)
	}
	d.choose("a@b.kz", code, "new password").Wants(400, `{"code":["Неверный или устаревший код"]}`)
}

// Of many who bring the right code at once, one sets the password.
func TestResetCodeWorksOnce(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("a@b.kz")
	d.reset("a@b.kz")
	code := d.letters.code(t, "a@b.kz")
	var set sync.Map
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			if _, err := d.accounts.SignIns.Reset(t.Context(), accounts.Try{Email: "a@b.kz", Code: code}, fmt.Sprintf("password %d", i), anyPassword, unwarned); err == nil {
				set.Store(i, true)
			}
		})
	}
	all.Wait()
	n := 0
	set.Range(func(i, _ any) bool {
		n++
		if r := d.signIn("a@b.kz", fmt.Sprintf("password %d", i)); r.Code != 200 {
			t.Errorf("the password that was set does not sign in: %d", r.Code)
		}
		return true
	})
	if n != 1 {
		t.Errorf("%d set the password", n)
	}
}

func TestAttemptsAreLimitedAlike(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("known@b.kz")
	for _, email := range []string{"known@b.kz", "unknown@b.kz"} {
		for range 10 {
			if r := d.signIn(email, "wrong password"); r.Code != 401 {
				t.Fatalf("%s: %d", email, r.Code)
			}
		}
		r := d.signIn(email, goodPassword)
		r.Wants(429, `{"detail":"Слишком много попыток. Попробуйте ещё раз позже"}`)
		if r.Header().Get("Retry-After") != "900" {
			t.Errorf("retry after %q", r.Header().Get("Retry-After"))
		}
	}
	d.Clock.Advance(15 * time.Minute)
	if r := d.signIn("known@b.kz", goodPassword); r.Code != 200 {
		t.Errorf("after the wait: %d", r.Code)
	}
}

// withCookies sends the cookies that an answer set.
func withCookies(of testshop.Response) testshop.Header {
	return func(r *http.Request) {
		for _, cookie := range of.Result().Cookies() {
			r.AddCookie(cookie)
		}
	}
}

// Guesses from many networks are refused, for an e-mail without an account as for one with it. A device that has signed in before
// is let through, and refills come steadily for all others.
func TestGuessersTogetherAreRefused(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("known@b.kz")
	device := withCookies(d.signIn("known@b.kz", goodPassword))
	for nth, email := range []string{"known@b.kz", "unknown@b.kz"} {
		for i := range 100 {
			if r := d.signIn(email, "wrong password", fromNetwork(fmt.Sprintf("192.0.%d.%d", nth, i/5))); r.Code != 401 {
				t.Fatalf("guess %d at %s: %d", i, email, r.Code)
			}
		}
		r := d.signIn(email, goodPassword, fromNetwork("198.51.100.1"))
		r.Wants(429, `{"detail":"Слишком много попыток. Попробуйте ещё раз позже"}`)
		if r.Header().Get("Retry-After") != "36" {
			t.Errorf("retry after %q", r.Header().Get("Retry-After"))
		}
	}
	if r := d.signIn("known@b.kz", goodPassword, fromNetwork("198.51.100.1"), device); r.Code != 200 {
		t.Errorf("the owner's device: %d %s", r.Code, r.Text())
	}
	d.Clock.Advance(37 * time.Second)
	if r := d.signIn("known@b.kz", goodPassword, fromNetwork("198.51.100.2")); r.Code != 200 {
		t.Errorf("the owner after a refill: %d %s", r.Code, r.Text())
	}
}

// One network that tries ten thousand e-mails gets a hundred guesses an hour, and leaves as few rows.
func TestTenThousandEmailsOfOneNetwork(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	guessed := 0
	for i := range 10_000 {
		email := fmt.Sprintf("person%d@b.kz", i)
		_, _, err := d.accounts.SignIns.SignIn(t.Context(), accounts.Who{Network: "192.0.2.1"}, email, "password1")
		var many *accounts.TooMany
		switch {
		case errors.As(err, &many):
		case errors.Is(err, accounts.ErrWrong):
			guessed++
		default:
			var busy *credential.Busy // guessers are hashed a few times a second
			if !errors.As(err, &busy) {
				t.Fatal(err)
			}
			guessed++
		}
	}
	var rows int
	if err := d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM customer_attempts").Scan(&rows); err != nil || rows > 201 {
		t.Errorf("%d rows are left, %v", rows, err)
	}
	if guessed != 100 {
		t.Errorf("%d guesses came through, want 100", guessed)
	}
}

// Passwords are hashed anew at the sign-in after the parameters rose; the one that signs in goes on being right.
func TestOldHashesAreRenewedAtSignIn(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	id := d.registered("a@b.kz").ID
	salt := []byte("saltsaltsaltsalt")
	old := fmt.Sprintf("$argon2id$v=19$m=19456,t=2,p=1$%s$%s", base64.RawStdEncoding.EncodeToString(salt),
		base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(goodPassword), salt, 2, 19456, 1, 32)))
	if _, err := d.Pool.Exec(t.Context(), "UPDATE customer_accounts SET password = $2 WHERE id = $1", id, old); err != nil {
		t.Fatal(err)
	}
	stored := func() (hash string) {
		if err := d.Pool.QueryRow(t.Context(), "SELECT password FROM customer_accounts WHERE id = $1", id).Scan(&hash); err != nil {
			t.Fatal(err)
		}
		return hash
	}
	if r := d.signIn("a@b.kz", "wrong password"); r.Code != 401 || stored() != old {
		t.Errorf("a wrong password: %d, the hash is now %s", r.Code, stored())
	}
	for range 2 {
		if r := d.signIn("a@b.kz", goodPassword); r.Code != 200 {
			t.Errorf("the sign-in: %d", r.Code)
		}
	}
	if credential.IsOld(stored()) {
		t.Errorf("the hash is still %s", stored())
	}
}

// Whoever knows an e-mail may ask for letters to it, so often; the answer is always the same, and codes of former letters stay good.
func TestLettersWithCodesAreBounded(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("known@b.kz")
	for _, email := range []string{"known@b.kz", "unknown@b.kz"} {
		d.letters.calls = 0
		asks := func(networks, times, want int) {
			t.Helper()
			for i := range networks {
				for range times {
					d.reset(email, fromNetwork(fmt.Sprintf("192.0.2.%d", i))).Wants(200, `{"detail":"Если аккаунт с таким e-mail есть, мы отправили на него код"}`)
				}
			}
			if d.letters.calls != want {
				t.Errorf("%d letters were sent to %s, want %d", d.letters.calls, email, want)
			}
		}
		asks(1, 7, 3) // three codes are alive side by side
		if email == "known@b.kz" {
			d.check(email, d.letters.code(t, email), fromNetwork("192.0.2.0")).Wants(200, `{}`)
		}
		asks(2, 1, 3)
		d.Clock.Advance(accounts.CodeFor)
		asks(1, 1, 3) // the first network has asked often enough in an hour
		asks(2, 1, 4)
		asks(10, 5, 6)
		d.Clock.Advance(accounts.CodeFor)
		asks(10, 5, 6) // and so have all together
	}
}

func (d *accountDesk) change(as domain.ID, body testshop.Fields) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.Change, "PATCH", "/api/auth/profile/", as, body)
}

// verify answers a letter as who is signed in, or as nobody for a zero id.
func (d *accountDesk) verify(token string, as domain.ID) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.Verify, "POST", "/api/auth/email/verify/", as, testshop.Fields{"token": token})
}

func TestProfileChanges(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	r := d.change(a.ID, testshop.Fields{"last_name": "Ким", "info": testshop.Fields{"city": "Алматы", "street": "Абая", "house": "10", "phone": "+77019999999"}})
	p := testshop.Read[identity.Profile](r)
	if r.Code != 200 || p.FirstName != "Айгуль" || p.LastName != "Ким" || p.Info.Address != "Алматы, Абая, 10" || p.Info.Phone != "+77019999999" || r.Header().Get("X-Event-Position") == "" {
		t.Errorf("%d %s", r.Code, r.Text())
	}
	// What the page was answered it may send back, and nothing is written.
	head := d.Head()
	if r := d.change(a.ID, testshop.Read[testshop.Fields](r)); r.Code != 200 || d.Head() != head {
		t.Errorf("the same again: %d %s", r.Code, r.Text())
	}
	if p := testshop.Read[identity.Profile](d.change(a.ID, testshop.Fields{"info": testshop.Fields{"street": ""}})); p.Info.Street != "" || p.Info.City != "Алматы" {
		t.Errorf("an emptied street: %+v", p.Info)
	}
	d.change(a.ID, testshop.Fields{"first_name": " ", "email": "", "info": testshop.Fields{"phone": "1", "house": strings.Repeat("1", 31)}}).
		Wants(400, `{"email":["Заполните поле"],"first_name":["Заполните поле"],"info":{"house":["Не больше 30 символов"],"phone":["Введите номер телефона Казахстана или России, например +7 701 234 56 78"]}}`)
	// Its events carry who did it.
	var actors []string
	rows, _ := d.Pool.Query(t.Context(), `SELECT DISTINCT metadata->>'actor' FROM eventstore.events WHERE stream = $1`, customer.Stream(a.ID))
	actors, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(actors) != 1 || actors[0] != "customer:"+a.ID.String() {
		t.Errorf("actors %v, %v", actors, err)
	}
}

func TestCustomersOrder(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	cream := d.Product(9_000, 9_000, 10)
	r := d.Ask(shopapi.Orders{Orders: d.Orders}.Place, testshop.Post(commands.AsCustomer(t.Context(), a.ID), testshop.Checkout(testshop.Line(cream, 1))))
	if r.Code != 201 {
		t.Fatalf("%d %s", r.Code, r.Text())
	}
	placed := d.OrderOf(testshop.Read[commands.Receipt](r).ID).Placed
	if placed.CustomerID != a.ID || placed.PersonID != a.ID {
		t.Errorf("the order is of %s, sealed for %s", placed.CustomerID, placed.PersonID)
	}
	guest := d.OrderOf(d.Placed(testshop.Checkout(testshop.Line(cream, 1))).ID).Placed
	if guest.CustomerID != uuid.Nil || guest.PersonID == a.ID || guest.PersonID == uuid.Nil {
		t.Errorf("a guest's order is of %s, sealed for %s", guest.CustomerID, guest.PersonID)
	}
}

func TestJoinNeedsTheProvedEmail(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a, other := d.registered("aigul@example.kz"), d.registered("other@b.kz")
	cream := d.Product(9_000, 9_000, 10)
	receipt := d.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	join := func(id domain.ID, email string) domain.ID {
		t.Helper()
		if _, err := d.accounts.Join(t.Context(), receipt.ID, id, email); err != nil {
			t.Fatal(err)
		}
		return d.OrderOf(receipt.ID).CustomerID
	}
	if got := join(a.ID, "aigul@example.kz"); got != uuid.Nil {
		t.Error("an order joined an account whose e-mail is not proved")
	}
	d.verify(d.letters.token(t, "aigul@example.kz"), a.ID)
	d.verify(d.letters.token(t, "other@b.kz"), other.ID)
	if got := join(a.ID, "another@example.kz"); got != uuid.Nil {
		t.Error("an order joined an account with another e-mail")
	}
	if got := join(a.ID, "aigul@example.kz"); got != a.ID {
		t.Errorf("the order is of %s", got)
	}
	if got := join(other.ID, "other@b.kz"); got != a.ID {
		t.Error("an order joined twice")
	}
}

func (d *accountDesk) leave(as domain.ID, password string) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.Leave, "DELETE", "/api/auth/profile/", as, testshop.Fields{"password": password})
}

func TestAnAccountKeepsItsLanguageForLetters(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	ctx := commands.WithOrigin(t.Context(), commands.Origin{Language: domain.Kazakh})
	_, id, _, err := d.accounts.Open(ctx, "a@b.kz", goodPassword, customer.Profile{FirstName: "Айгуль", LastName: "Серикова", Phone: "+77012345678"})
	if err != nil {
		t.Fatal(err)
	}
	if state, err := commands.See(t.Context(), commands.New(d.Log, commands.Options{}), commands.CustomerStream(id)); err != nil || state.Language != domain.Kazakh {
		t.Errorf("the account is %+v, %v", state, err)
	}
	d.leave(id, goodPassword)
	// Whoever carries the erasure out is no page and has no language.
	if _, _, err := d.accounts.Erase(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	last := d.letters.sent[len(d.letters.sent)-1]
	if _, erased := last.Content.(identity.ErasedLetter); !erased || last.Language != domain.Kazakh {
		t.Errorf("the last letter is %+v", last)
	}
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	cream := d.Product(9_000, 9_000, 10)
	receipt := d.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	placed := d.OrderOf(receipt.ID).Placed
	d.known[receipt.ID] = placed.PersonID

	opinions, _ := d.Reviews(t)
	posted := testshop.Read[commands.PostedReview](d.Send(opinions, testshop.Opinion(cream), nil, testshop.By(a.ID)))
	other, sold := uuid.New(), d.Product(9_000, 9_000, 0)
	for _, who := range []domain.ID{a.ID, other} {
		if _, err := (&commands.Restock{Handler: d.Handler}).Wait(t.Context(), sold, who); err != nil {
			t.Fatal(err)
		}
	}
	d.left = leftBehind{[]domain.ID{posted.ID}, []domain.ID{sold}}

	export := d.call(shopapi.Accounts{Accounts: d.accounts}.Export, "GET", "/api/auth/profile/export/", a.ID, "")
	for _, want := range []string{"a@b.kz", "+77012345678", "customer.registered", "order.placed", "review.posted", "Хорошее мыло", "restock.subscribed", `"street":"Абая"`, `"sessions":[{`} {
		if !strings.Contains(export.Text(), want) {
			t.Errorf("the export lacks %s", want)
		}
	}
	if strings.Contains(export.Text(), other.String()) {
		t.Error("the export tells who else waits")
	}

	d.leave(a.ID, "wrong password").Wants(400, `{"password":["Неверный пароль"]}`)
	d.leave(a.ID, goodPassword).Wants(409, `{"detail":"Сначала дождитесь завершения заказов или отмените их","code":"customer/open-orders"}`)
	if _, _, err := d.accounts.Erase(t.Context(), a.ID); err == nil {
		t.Error("who did not ask was erased")
	}
	if _, err := d.Orders.Cancel(t.Context(), receipt.ID, "customer", ""); err != nil {
		t.Fatal(err)
	}
	d.leave(a.ID, goodPassword).Wants(202, `{"detail":"Аккаунт закрыт, личные данные удаляются. Платёжная система и сделанные раньше резервные копии хранят свои записи до конца срока"}`)
	if d.counts(a.Access) || d.signIn("a@b.kz", goodPassword).Code != 401 {
		t.Error("an account that was shut signs in")
	}
	if r := d.Ask((shopapi.Orders{Orders: d.Orders}).Place, testshop.Post(commands.AsCustomer(t.Context(), a.ID), testshop.Checkout(testshop.Line(cream, 1)))); r.Code != 401 {
		t.Errorf("an account that was shut orders: %d", r.Code)
	}
	report, position, err := d.accounts.Erase(t.Context(), a.ID)
	if err != nil || position == 0 || report.Orders != 1 {
		t.Fatalf("erased %+v at %d, %v", report, position, err)
	}
	if _, again, err := d.accounts.Erase(t.Context(), a.ID); err != nil || again != 0 {
		t.Errorf("erased again at %d, %v", again, err)
	}
	// Neither this process nor another remembers.
	for _, h := range []*commands.Handler{d.Handler, commands.New(d.Log, commands.Options{})} {
		who, err := commands.See(t.Context(), h, commands.CustomerStream(a.ID))
		if err != nil || who.Email != "" || who.Profile != (customer.Profile{}) || !who.Erased {
			t.Errorf("the account is %+v, %v", who, err)
		}
		what, err := commands.See(t.Context(), h, commands.OrderStream(receipt.ID))
		if err != nil || what.Placed.Contact != (order.Contact{}) || what.Placed.Address != (order.Address{}) || what.Due() != receipt.TotalPaid {
			t.Errorf("the order is %+v, %v", what.Placed, err)
		}
	}
	// The e-mail is free again.
	d.registered("a@b.kz")
	for table, key := range map[string]string{"customer_tokens": "account", "customer_accounts": "id", "customer_verifications": "account"} {
		var n int
		if err := d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" WHERE "+key+" = $1", a.ID).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s has %d rows, %v", table, n, err)
		}
	}
}

func TestSweepDeletesWhatIsOver(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("a@b.kz")
	d.reset("a@b.kz")
	left := func() map[string]int {
		counts := map[string]int{}
		for _, table := range []string{"tokens", "resets", "verifications", "attempts"} {
			var n int
			if err := d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM customer_"+table).Scan(&n); err != nil {
				t.Fatal(err)
			}
			counts[table] = n
		}
		return counts
	}
	if err := d.accounts.SignIns.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := left(), map[string]int{"tokens": 1, "resets": 1, "verifications": 1, "attempts": 2}; !maps.Equal(got, want) {
		t.Errorf("left are %v", got)
	}
	d.Clock.Advance(accounts.TokenFor)
	if err := d.accounts.SignIns.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := left(), map[string]int{"tokens": 0, "resets": 0, "verifications": 0, "attempts": 0}; !maps.Equal(got, want) {
		t.Errorf("left are %v", got)
	}
}
