package commands

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/accounts"
	"shop/commands/photos"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

const (
	msgSignIn    = "Неверный e-mail или пароль"
	msgPassword  = "Пароль: от 8 до 256 символов"
	msgDiffer    = "Пароли не совпадают"
	msgCode      = "Неверный или устаревший код"
	msgMailed    = "Если аккаунт с таким e-mail есть, мы отправили на него код"
	msgAttempts  = "Слишком много попыток. Попробуйте ещё раз позже"
	msgObject    = "Ожидается объект"
	msgErasing   = "Аккаунт закрыт, личные данные удаляются. Платёжная система и сделанные раньше резервные копии хранят свои записи до конца срока"
	msgWrongPass = "Неверный пароль"
)

// ErrSignedOut: the call needs a token, and there is none that counts.
var ErrSignedOut = &Refused{http.StatusUnauthorized, "Войдите в аккаунт"}

// mailer writes a letter into tx, to be sent once that is committed.
type mailer interface {
	Send(ctx context.Context, tx pgx.Tx, l Letter) error
}

// Letter is a letter about an account that no event calls for.
type Letter struct {
	// Person is whose erasure takes the letter back; zero: nobody's.
	Person domain.ID
	// To is a bare e-mail address.
	To string
	// Content is LinkLetter, WishLetter, MovedLetter, CodeLetter or ErasedLetter.
	Content any
	// Expires is when the letter is of no use any more.
	Expires time.Time
}

// LinkLetter proves an e-mail by a link: Path of the storefront, with a token. Change: it shall replace the present one.
type LinkLetter struct {
	Path   string
	Until  time.Time
	Change bool
}

// WishLetter tells the present e-mail that another one is asked for; by Path that is cancelled.
type WishLetter struct {
	Name, Path string
	At, Until  time.Time
}

// MovedLetter tells the former e-mail that another one replaced it; by Path it is taken back. Without a Path it is not:
// nobody had proved it.
type MovedLetter struct {
	Name, Path string
	At, Until  time.Time
}

// CodeLetter carries the code to choose another password, which counts until a time.
type CodeLetter struct {
	Code  string
	Until time.Time
}

// ErasedLetter is the last one: what went with the account.
type ErasedLetter struct {
	Name   string
	Report customer.Report
}

// Where the links of letters lead. Behind the # their tokens reach no server's log.
const (
	verifyPath   = "/verify-email#"
	cancelPath   = "/cancel-email#"
	takeBackPath = "/take-back-email#"
)

// ordersOf finds the orders of a customer, by id, each with the person whose key seals it.
type ordersOf interface {
	OrdersOf(ctx context.Context, customer domain.ID) (map[domain.ID]domain.ID, error)
}

// Accounts answers what customers ask of their accounts. Who they are is in the context, see CustomerOf.
type Accounts struct {
	Handler *Handler
	SignIns *accounts.Accounts
	Mail    mailer
	Orders  ordersOf
	// Of finds the reviews and subscriptions that belong into an export.
	Of    belongings
	Album *photos.Album
	// Keys deletes the keys of persons.
	Keys keys
	// Letters are those kept as files; nil: none.
	Letters letterFiles
	// Leavers delete what else the shop holds of a customer who leaves.
	Leavers []Leaver
	// ConsentText is the version of the text on personal data that is agreed to at the registration.
	ConsentText string
}

// customerActor begins the actor of a customer's commands; their id follows.
const customerActor = "customer:"

// AsCustomer lets the commands under ctx be a customer's.
func AsCustomer(ctx context.Context, id domain.ID) context.Context {
	origin := OriginOf(ctx)
	origin.Actor = customerActor + id.String()
	return WithOrigin(ctx, origin)
}

// CustomerOf is who is signed in under ctx; zero: nobody.
func CustomerOf(ctx context.Context) domain.ID {
	text, ok := strings.CutPrefix(OriginOf(ctx).Actor, customerActor)
	if !ok {
		return domain.ID{}
	}
	id, _ := uuid.Parse(text)
	return id
}

// Bearer is the token of a request; empty: it has none.
func Bearer(r *http.Request) string {
	kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// access is the answer to a sign-in.
type access struct {
	Access string    `json:"access"`
	ID     domain.ID `json:"id"`
}

// SignIn is POST /api/token/.
func (a *Accounts) SignIn(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	name, password := f.text("username", textRule{max: 254, required: true}), f.password("password")
	if err := f.done(); err != nil {
		return err
	}
	token, id, err := a.SignIns.SignIn(r.Context(), OriginOf(r.Context()).Network, customer.NormalEmail(name), password)
	if errors.Is(err, accounts.ErrWrong) {
		return &Refused{http.StatusUnauthorized, msgSignIn}
	}
	if err != nil {
		return tooMany(w, err)
	}
	return answer(w, http.StatusOK, access{token, id})
}

// SignOut is DELETE /api/token/.
func (a *Accounts) SignOut(w http.ResponseWriter, r *http.Request) error {
	if err := a.SignIns.SignOut(r.Context(), Bearer(r)); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// tooMany makes *accounts.TooMany an answer; other errors stay.
func tooMany(w http.ResponseWriter, err error) error {
	var limit *accounts.TooMany
	if !errors.As(err, &limit) {
		return err
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(limit.For.Seconds()))))
	return &Refused{http.StatusTooManyRequests, msgAttempts}
}

// Register is POST /api/auth/register/.
func (a *Accounts) Register(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	var p customer.Profile
	f.names(&p, true)
	p.Phone = f.phone("phone", true)
	email := f.accountEmail("email", true)
	password := f.newPassword("password", "password_check")
	if agreed, given := f.value("consent"); given && agreed != true {
		f.refuse("consent", customer.ErrNoConsent.Message)
	}
	f.inside("info", func(info *form) {
		info.homeAddress(&p)
		info.phone("phone", false)
	})
	if err := f.done(); err != nil {
		return err
	}
	token, id, position, err := a.Open(r.Context(), email, password, p)
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusCreated, access{token, id})
}

// Open opens an account and signs it in. Without a password none opens it again until its owner chooses one. What is
// wrong with a field is *Invalid.
func (a *Accounts) Open(ctx context.Context, email, password string, p customer.Profile) (token string, id domain.ID, position eventstore.Position, err error) {
	ctx, end := begin(ctx, "register")
	defer end(&err)
	id = a.Handler.newID()
	if err := a.reserve(ctx, id, email, password); err != nil {
		return "", id, 0, err
	}
	ctx = AsCustomer(ctx, id)
	position, err = one(ctx, a.Handler, customerStream(id), func(u *Unit) customer.Command {
		return customer.Register{ID: id, Email: email, Profile: p, ConsentText: a.ConsentText, At: u.At()}
	})
	// From here on the end of the request must not leave half an account behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err != nil {
		var refusal *domain.Refusal
		if errors.As(err, &refusal) { // else it may have been written, and the next registration looks
			err = errors.Join(err, a.SignIns.Drop(ctx, id))
		}
		return "", id, 0, err
	}
	err = a.SignIns.Tx(ctx, func(tx pgx.Tx) error {
		if err := a.SignIns.Opened(ctx, tx, id); err != nil {
			return err
		}
		var err error
		if token, err = a.SignIns.Issue(ctx, tx, id); err != nil {
			return err
		}
		return a.mailProof(ctx, tx, id, email)
	})
	return token, id, position, err
}

// reserve keeps the e-mail for an account. One whose registration died half-way is finished or dropped first.
func (a *Accounts) reserve(ctx context.Context, id domain.ID, email, password string) error {
	halfway, err := a.SignIns.Reserve(ctx, id, email, password)
	if errors.Is(err, accounts.ErrTaken) && halfway != uuid.Nil {
		state, err := see(ctx, a.Handler, customerStream(halfway))
		if err != nil {
			return err
		}
		if !state.Open() {
			if err := a.SignIns.Drop(ctx, halfway); err != nil {
				return err
			}
			_, err := a.SignIns.Reserve(ctx, id, email, password)
			return taken(err)
		}
		if err := a.SignIns.Tx(ctx, func(tx pgx.Tx) error { return a.SignIns.Opened(ctx, tx, halfway) }); err != nil {
			return err
		}
	}
	return taken(err)
}

// taken says to a shopper that an e-mail has an account.
func taken(err error) error {
	if errors.Is(err, accounts.ErrTaken) || errors.Is(err, customer.ErrEmailTaken) {
		return invalid("email", customer.ErrEmailTaken.Message)
	}
	return err
}

// Profile is an account as its owner sees it.
type Profile struct {
	ID            domain.ID `json:"id"`
	FirstName     string    `json:"first_name"`
	LastName      string    `json:"last_name"`
	Email         string    `json:"email"`
	EmailVerified bool      `json:"email_verified"`
	// EmailWanted becomes the e-mail when the letter to it is answered; null: no other is asked for.
	EmailWanted *string     `json:"email_wanted"`
	Info        ProfileInfo `json:"info"`
}

// ProfileInfo is the rest of a profile. Address is the address in one line; ProfileImage null without a photo.
type ProfileInfo struct {
	Phone        string       `json:"phone"`
	City         string       `json:"city"`
	Street       string       `json:"street"`
	House        string       `json:"house"`
	Floor        string       `json:"floor"`
	Apartment    string       `json:"apartment"`
	Entrance     string       `json:"entrance"`
	Address      string       `json:"address"`
	ProfileImage *string      `json:"profile_image"`
	BonusAmount  domain.Money `json:"bonus_amount"`
}

func (a *Accounts) profileOf(ctx context.Context, s customer.State, bonuses domain.Money) (Profile, error) {
	p := Profile{
		ID: s.ID, FirstName: s.Profile.FirstName, LastName: s.Profile.LastName, Email: s.Email, EmailVerified: s.Verified,
		Info: ProfileInfo{
			Phone: s.Profile.Phone, City: s.Profile.City, Street: s.Profile.Street, House: s.Profile.House, Floor: s.Profile.Floor,
			Apartment: s.Profile.Apartment, Entrance: s.Profile.Entrance, BonusAmount: bonuses,
		},
	}
	if wish := s.Wish(a.Handler.Now()); wish != "" {
		p.EmailWanted = &wish
	}
	var parts []string
	for _, part := range []string{p.Info.City, p.Info.Street, p.Info.House} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	p.Info.Address = strings.Join(parts, ", ")
	image, err := a.Album.Small(ctx, s.PhotoID)
	if image != "" {
		p.Info.ProfileImage = &image
	}
	return p, err
}

// Change is PATCH /api/auth/profile/: what is absent stays. Another e-mail needs the password, is asked for only, and
// becomes the account's when the letter to it is answered.
func (a *Accounts) Change(w http.ResponseWriter, r *http.Request) error {
	id := CustomerOf(r.Context())
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	var p customer.Profile // of what is given
	f.names(&p, false)
	email := f.accountEmail("email", false)
	password := ""
	if f.values["password"] != nil {
		password = f.password("password")
	}
	f.passed("id", "email_verified", "email_wanted", "password")
	given := map[string]bool{}
	f.inside("info", func(info *form) {
		info.homeAddress(&p)
		p.Phone = info.phone("phone", false)
		info.passed("profile_image", "bonus_amount")
		for name := range info.values {
			given[name] = true
		}
	})
	if err := f.done(); err != nil {
		return err
	}
	view, position, err := a.change(r.Context(), id, email, password, func(now customer.Profile) customer.Profile {
		for _, field := range []struct {
			given    bool
			now, new *string
		}{
			{p.FirstName != "", &now.FirstName, &p.FirstName}, {p.LastName != "", &now.LastName, &p.LastName}, {p.Phone != "", &now.Phone, &p.Phone},
			{given["city"], &now.City, &p.City}, {given["street"], &now.Street, &p.Street}, {given["house"], &now.House, &p.House},
			{given["floor"], &now.Floor, &p.Floor}, {given["apartment"], &now.Apartment, &p.Apartment}, {given["entrance"], &now.Entrance, &p.Entrance},
		} {
			if field.given {
				*field.now = *field.new
			}
		}
		return now
	})
	if err != nil {
		return tooMany(w, err)
	}
	written(w, position)
	return answer(w, http.StatusOK, view)
}

// change changes a profile and, unless it is empty, asks for an e-mail; the present one cancels a former wish.
func (a *Accounts) change(ctx context.Context, id domain.ID, email, password string, edit func(customer.Profile) customer.Profile) (_ Profile, _ eventstore.Position, err error) {
	ctx, end := begin(ctx, "change profile")
	defer end(&err)
	stream, ledger := customerStream(id), bonusStream(id)
	wish, err := a.wishFor(ctx, id, email, password)
	if err != nil {
		return Profile{}, 0, err
	}
	var before, state customer.State
	var bonuses domain.Money
	position, err := a.Handler.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream, ledger); err != nil {
			return err
		}
		before = stream.State(u)
		if err := stream.Do(u, customer.ChangeProfile{Profile: edit(before.Profile), At: u.At()}); err != nil {
			return err
		}
		switch {
		case wish != nil:
			if err := stream.Do(u, customer.ChangeEmail{Email: email, EmailTaken: wish.taken, At: u.At()}); err != nil {
				return err
			}
		case email != "" && email == before.Email:
			if err := stream.Do(u, customer.CancelEmailChange{At: u.At()}); err != nil {
				return err
			}
		}
		state, bonuses = stream.State(u), ledger.State(u).Spendable()
		return nil
	})
	if err != nil {
		return Profile{}, 0, taken(fmt.Errorf("change profile: %w", err))
	}
	switch {
	case wish != nil && state.Wish(a.Handler.Now()) == email:
		err = a.mailWish(ctx, state, wish.checked)
	case before.Wanted != "" && state.Wanted == "":
		err = a.SignIns.DropChange(ctx, id)
	}
	if err != nil {
		return Profile{}, 0, err
	}
	view, err := a.profileOf(ctx, state, bonuses)
	return view, position, err
}

// RequestReset is POST /api/auth/profile/password-reset/request/: 200, whether there is such an account or not, and
// whether it has got as many letters as it may.
func (a *Accounts) RequestReset(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	email := f.accountEmail("email", true)
	if err := f.done(); err != nil {
		return err
	}
	err = a.SignIns.RequestReset(r.Context(), OriginOf(r.Context()).Network, email, func(ctx context.Context, tx pgx.Tx, person domain.ID, to, code string) error {
		until := a.Handler.Now().Add(accounts.CodeFor)
		return a.Mail.Send(ctx, tx, Letter{Person: person, To: to, Content: CodeLetter{Code: code, Until: until}, Expires: until})
	})
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, said(msgMailed))
}

// said is an answer of one sentence.
func said(text string) any {
	return struct {
		Detail string `json:"detail"`
	}{text}
}

// CheckCode is POST /api/auth/profile/password-reset/validate-code/. The passwords may be given already.
func (a *Accounts) CheckCode(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	email, code := f.accountEmail("email", true), f.code()
	if f.values["new_password"] != nil || f.values["password"] != nil {
		f.newPassword("new_password", "password")
	}
	f.passed("new_password", "password")
	if err := f.done(); err != nil {
		return err
	}
	if err := a.SignIns.CheckCode(r.Context(), email, code); err != nil {
		return wrongCode(err)
	}
	return answer(w, http.StatusOK, struct{}{})
}

// ResetPassword is POST /api/auth/profile/password-reset/: it uses the code up and sets the password. All that was given
// out or asked for before ends.
func (a *Accounts) ResetPassword(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	email, code, password := f.accountEmail("email", true), f.code(), f.newPassword("new_password", "password")
	if err := f.done(); err != nil {
		return err
	}
	id, err := a.SignIns.Reset(r.Context(), OriginOf(r.Context()).Network, email, code, password)
	if err != nil {
		return wrongCode(err)
	}
	ctx := AsCustomer(context.WithoutCancel(r.Context()), id) // the password is set: the log shall know
	position, err := one(ctx, a.Handler, customerStream(id), func(u *Unit) customer.Command {
		return customer.NotePasswordChange{At: u.At()}
	})
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusOK, struct{}{})
}

func wrongCode(err error) error {
	if errors.Is(err, accounts.ErrCode) {
		return invalid("code", msgCode)
	}
	return err
}

// passed lets fields be there that say nothing.
func (f *form) passed(names ...string) {
	for _, name := range names {
		f.known[name] = true
	}
}

// inside reads an object within the form, or an empty one where it is absent. What is wrong in it is named under it.
func (f *form) inside(name string, fill func(*form)) {
	v, given := f.value(name)
	inner, ok := v.(object)
	if given && v != nil && !ok {
		f.refuse(name, msgObject)
		return
	}
	within := newForm(inner)
	fill(within)
	var wrong *Invalid
	if err := within.done(); errors.As(err, &wrong) {
		f.wrong[name] = wrong.Fields
	} else if err != nil {
		f.refuse(name, msgUnknown)
	}
}

// names reads first and last name; where they are not required, an absent one reads as "".
func (f *form) names(p *customer.Profile, required bool) {
	for _, field := range []struct {
		name string
		into *string
	}{{"first_name", &p.FirstName}, {"last_name", &p.LastName}} {
		_, given := f.values[field.name]
		*field.into = f.name(field.name, maxName, required || given)
	}
}

// homeAddress reads where goods go; all of it may be empty. The address in one line is an answer, and no question.
func (f *form) homeAddress(p *customer.Profile) {
	p.City = f.text("city", textRule{max: 100, null: true})
	p.Street = f.text("street", textRule{max: 200, null: true})
	p.House = f.text("house", textRule{max: 30, null: true})
	p.Floor = f.text("floor", textRule{max: 20, null: true})
	p.Apartment = f.text("apartment", textRule{max: 20, null: true})
	p.Entrance = f.text("entrance", textRule{max: 20, null: true})
	f.passed("address")
	if p.City != "" && !hasLetter(p.City) {
		f.refuse("city", msgCity)
	}
}

// phone reads a number as +7XXXXXXXXXX; one that is there must not be empty.
func (f *form) phone(name string, required bool) string {
	_, given := f.values[name]
	text := f.text(name, textRule{max: 32, required: required || given})
	if text == "" {
		return ""
	}
	number, ok := phone(text)
	if !ok {
		f.refuse(name, msgPhone)
	}
	return number
}

// accountEmail reads an e-mail in its one spelling; one that is there must not be empty.
func (f *form) accountEmail(name string, required bool) string {
	_, given := f.values[name]
	text := f.text(name, textRule{max: 254, required: required || given})
	if text == "" {
		return ""
	}
	if text = customer.NormalEmail(text); !validEmail(text) || len(text) > 254 {
		f.refuse(name, msgEmail)
	}
	return text
}

// password reads a password as it is, spaces and all.
func (f *form) password(name string) string {
	v, given := f.value(name)
	text, ok := v.(string)
	switch {
	case given && v != nil && !ok:
		f.refuse(name, msgText)
	case text == "":
		f.refuse(name, msgRequired)
	case utf8.RuneCountInString(text) > 256:
		f.refuse(name, msgPassword)
	}
	return text
}

// newPassword reads a password to be and its repetition.
func (f *form) newPassword(name, again string) string {
	password, second := f.password(name), f.password(again)
	switch {
	case password != "" && !accounts.Acceptable(password):
		f.refuse(name, msgPassword)
	case password != second:
		f.refuse(again, msgDiffer)
	}
	return password
}

// code reads six digits.
func (f *form) code() string {
	text := f.text("code", textRule{max: 20, required: true})
	if text != "" && (len(text) != 6 || strings.ContainsFunc(text, func(c rune) bool { return c < '0' || c > '9' })) {
		f.refuse("code", msgCode)
	}
	return text
}
