package shopapi

import (
	"errors"
	"net/http"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/accounts"
	"shop/domain/customer"
)

// MailLink is POST /api/auth/profile/email/: it sends the letter that proves the e-mail once more.
func (a Accounts) MailLink(w http.ResponseWriter, r *http.Request) error {
	if err := a.Accounts.MailLink(r.Context(), commands.CustomerOf(r.Context())); err != nil {
		return err
	}
	return nothing(w, 0)
}

// Verify is POST /api/auth/email/verify/ with the token of a letter's link. Who is not signed in to the link's account
// gives new_password and password to prove the e-mail of a registration, current_password to change an account's e-mail.
func (a Accounts) Verify(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	answered := identity.Answered{Token: f.text("token", textRule{max: 100, required: true})}
	if f.values["new_password"] != nil || f.values["password"] != nil {
		answered.NewPassword = f.newPassword("new_password", "password")
		a.unguessable(f, "new_password", answered.NewPassword)
	}
	if f.values["current_password"] != nil {
		answered.Password = f.password("current_password")
	}
	f.passed("new_password", "password", "current_password")
	if err := f.done(); err != nil {
		return err
	}
	position, err := a.Accounts.Answer(r.Context(), answered)
	if err != nil {
		return oldLink(err)
	}
	return nothing(w, position)
}

// CancelEmail is POST /api/auth/email/cancel/ with the token of the letter to the present e-mail.
func (a Accounts) CancelEmail(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	token := f.text("token", textRule{max: 100, required: true})
	if err := f.done(); err != nil {
		return err
	}
	position, err := a.Accounts.CancelEmail(r.Context(), token)
	if err != nil {
		return oldLink(err)
	}
	return nothing(w, position)
}

// TakeEmailBack is POST /api/auth/email/take-back/ with the token of the letter to a former e-mail and the password that
// the account shall have.
func (a Accounts) TakeEmailBack(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	token := f.text("token", textRule{max: 100, required: true})
	password := f.newPassword("new_password", "password")
	a.unguessable(f, "new_password", password)
	if err := f.done(); err != nil {
		return err
	}
	position, err := a.Accounts.TakeEmailBack(r.Context(), token, password)
	if err != nil {
		return oldLink(err)
	}
	return nothing(w, position)
}

// oldLink says to a shopper what is wrong with a link; other errors stay.
func oldLink(err error) error {
	switch {
	case errors.Is(err, accounts.ErrLink), errors.Is(err, customer.ErrOtherEmail):
		return commands.WrongField("token", customer.ErrOtherEmail.Message)
	case errors.Is(err, accounts.ErrTaken), errors.Is(err, customer.ErrEmailTaken):
		return commands.WrongField("token", customer.ErrEmailTaken.Message)
	}
	return err
}

// RequestReset is POST /api/auth/profile/password-reset/request/: 200, whether there is such an account or not, and
// whether it has got as many letters as it may. A cookie says that the codes are the browser's.
func (a Accounts) RequestReset(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	email := f.accountEmail("email", true)
	if err := f.done(); err != nil {
		return err
	}
	asked, err := a.Accounts.RequestReset(r.Context(), email)
	if err != nil {
		return err
	}
	a.keepToken(w, r, resetCookie, asked, accounts.MaxResets, accounts.CodeFor)
	return answer(w, http.StatusOK, said(r, msgMailed))
}

// CheckCode is POST /api/auth/profile/password-reset/validate-code/. The passwords may be given already.
func (a Accounts) CheckCode(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	email, code := f.accountEmail("email", true), f.code()
	if f.values["new_password"] != nil || f.values["password"] != nil {
		a.unguessable(f, "new_password", f.newPassword("new_password", "password"), email)
	}
	f.passed("new_password", "password")
	if err := f.done(); err != nil {
		return err
	}
	if err := a.Accounts.CheckCode(r.Context(), a.asked(r), email, code); err != nil {
		return err
	}
	return answer(w, http.StatusOK, struct{}{})
}

// ResetPassword is POST /api/auth/profile/password-reset/: it uses the code up and sets the password. All that was given
// out or asked for before ends.
func (a Accounts) ResetPassword(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	email, code, password := f.accountEmail("email", true), f.code(), f.newPassword("new_password", "password")
	a.unguessable(f, "new_password", password, email)
	if err := f.done(); err != nil {
		return err
	}
	id, position, err := a.Accounts.ResetPassword(r.Context(), a.asked(r), email, code, password)
	if err != nil {
		return err
	}
	a.knowDevice(w, r, id)
	written(w, position)
	return answer(w, http.StatusOK, struct{}{})
}
