package shopapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/accounts"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
	"shop/readapi/endpoint"
	"shop/readapi/sentences"
)

const (
	msgSignIn   = "Неверный e-mail или пароль"
	msgMailed   = "Если аккаунт с таким e-mail есть, мы отправили на него код"
	msgAttempts = "Слишком много попыток. Попробуйте ещё раз позже"
	msgErasing  = "Аккаунт закрыт, личные данные удаляются. Платёжная система и сделанные раньше резервные копии хранят свои записи до конца срока"
	msgOnePhoto = "Выберите одну фотографию"
)

// Accounts answers what customers ask of their accounts.
type Accounts struct {
	Accounts *identity.Accounts
	// Secure marks cookies for https alone.
	Secure bool
}

// Routes adds its calls.
func (a Accounts) Routes(r chi.Router, by Guards) {
	post := func(path string, h http.Handler) { r.Method("POST", path, h) }
	post("/api/token", by.Accounts(by.Anyone(a.SignIn)))
	r.Method("DELETE", "/api/token", by.Customer(a.SignOut))
	post("/api/auth/register", by.Accounts(by.Anyone(a.Register)))
	r.Method("PATCH", "/api/auth/profile", by.Customer(a.Change))
	r.Method("DELETE", "/api/auth/profile", by.Accounts(by.Customer(a.Leave)))
	post("/api/auth/profile/photo", by.Customer(a.SetPhoto, by.Portraits))
	r.Method("DELETE", "/api/auth/profile/photo", by.Customer(a.RemovePhoto))
	export := by.Fresh("orders", "reviews", "restock")(by.Customer(a.Export))
	r.Method("GET", "/api/auth/profile/export", export)
	r.Method("HEAD", "/api/auth/profile/export", export)
	post("/api/auth/profile/email", by.Accounts(by.Customer(a.MailLink)))
	post("/api/auth/email/verify", by.Accounts(by.IfSignedIn(a.Verify)))
	post("/api/auth/email/cancel", by.Accounts(by.Anyone(a.CancelEmail)))
	post("/api/auth/email/take-back", by.Accounts(by.Anyone(a.TakeEmailBack)))
	post("/api/auth/profile/password-reset/request", by.Accounts(by.Anyone(a.RequestReset)))
	post("/api/auth/profile/password-reset/validate-code", by.Accounts(by.Anyone(a.CheckCode)))
	post("/api/auth/profile/password-reset", by.Accounts(by.Anyone(a.ResetPassword)))
	post("/api/auth/profile/password-reset/by-link", by.Accounts(by.Anyone(a.ResetByLink)))
	a.sessionRoutes(r, by)
}

// Bearer is the token of a request; empty: it has none.
func Bearer(r *http.Request) string {
	kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Access is the answer to a sign-in.
type Access struct {
	Access string    `json:"access"`
	ID     domain.ID `json:"id"`
}

// SignIn is POST /api/token/.
func (a Accounts) SignIn(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	name, password := f.text("username", textRule{max: 254, required: true}), f.password("password")
	if err := f.done(); err != nil {
		return err
	}
	ctx, keep := a.atBrowser(r)
	token, id, err := a.Accounts.SignIn(ctx, a.who(r), customer.NormalEmail(name), password)
	if errors.Is(err, accounts.ErrWrong) {
		return &Refused{http.StatusUnauthorized, msgSignIn}
	}
	if err != nil {
		return err
	}
	keep(w)
	a.knowDevice(w, r, id)
	return answer(w, http.StatusOK, Access{token, id})
}

// SignOut is DELETE /api/token/.
func (a Accounts) SignOut(w http.ResponseWriter, r *http.Request) error {
	if err := a.Accounts.SignIns.SignOut(r.Context(), Bearer(r)); err != nil {
		return err
	}
	// The basket stays, and so do its cookie and the page that is open; what was cached of the account goes.
	w.Header().Set("Clear-Site-Data", `"cache"`)
	return nothing(w, 0)
}

// Register is POST /api/auth/register/.
func (a Accounts) Register(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	var p customer.Profile
	f.names(&p, true)
	p.Phone = f.phone("phone", true)
	email := f.accountEmail("email", true)
	password := f.newPassword("password", "password_check")
	a.unguessable(f, "password", password, email, p.FirstName, p.LastName)
	if agreed, _ := f.value("consent"); agreed != true { // an agreement is recorded only when it was given
		f.refuse("consent", customer.ErrNoConsent.Message)
	}
	f.inside("info", func(info *form) {
		info.homeAddress(&p)
		info.phone("phone", false)
	})
	if err := f.done(); err != nil {
		return err
	}
	ctx, keep := a.atBrowser(r)
	token, id, position, err := a.Accounts.Open(ctx, email, password, p)
	if err != nil {
		return err
	}
	keep(w)
	a.knowDevice(w, r, id)
	written(w, position)
	return answer(w, http.StatusCreated, Access{token, id})
}

// Change is PATCH /api/auth/profile/: what is absent stays. Another e-mail needs the password, is asked for only, and
// becomes the account's when the letter to it is answered.
func (a Accounts) Change(w http.ResponseWriter, r *http.Request) error {
	id := commands.CustomerOf(r.Context())
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
	view, position, err := a.Accounts.ChangeProfile(r.Context(), id, email, password, func(now customer.Profile) customer.Profile {
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
		return err
	}
	written(w, position)
	return answer(w, http.StatusOK, view)
}

// SetPhoto is POST /api/auth/profile/photo/: a form with the photo as profile_image. The one shown before is deleted by
// policies.DeletePhotos.
func (a Accounts) SetPhoto(w http.ResponseWriter, r *http.Request) error {
	f, files, done, err := readMultipart(w, r, "profile_image")
	if err != nil {
		return err
	}
	defer done()
	switch {
	case len(files) > 1:
		f.refuse("profile_image", msgOnePhoto)
	case len(files) == 0 && f.values["profile_image"] == nil:
		f.refuse("profile_image", customer.ErrNoPhoto.Message)
	}
	if err := f.done(); err != nil {
		return err
	}
	view, position, err := a.Accounts.SetPhoto(r.Context(), commands.CustomerOf(r.Context()), files[0])
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusOK, view)
}

// RemovePhoto is DELETE /api/auth/profile/photo/.
func (a Accounts) RemovePhoto(w http.ResponseWriter, r *http.Request) error {
	view, position, err := a.Accounts.RemovePhoto(r.Context(), commands.CustomerOf(r.Context()))
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusOK, view)
}

// Export is GET /api/auth/profile/export/: everything about the person, as JSON.
func (a Accounts) Export(w http.ResponseWriter, r *http.Request) error {
	all, err := a.Accounts.Export(r.Context(), commands.CustomerOf(r.Context()))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="account.json"`)
	return answer(w, http.StatusOK, all)
}

// Leave is DELETE /api/auth/profile/ with the password: the account is shut at once and then forgotten.
func (a Accounts) Leave(w http.ResponseWriter, r *http.Request) error {
	password, err := onlyPassword(w, r)
	if err != nil {
		return err
	}
	position, err := a.Accounts.Leave(r.Context(), commands.CustomerOf(r.Context()), password)
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusAccepted, said(r, msgErasing))
}

// said is an answer of one sentence, in the shopper's language.
func said(r *http.Request, text string) any {
	if commands.OriginOf(r.Context()).Language == domain.Kazakh {
		text = sentences.InKazakh(text)
	}
	return endpoint.Detail(text)
}

// nothing answers 204.
func nothing(w http.ResponseWriter, position eventstore.Position) error {
	if position != 0 {
		written(w, position)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
