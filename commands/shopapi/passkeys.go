package shopapi

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/passkeys"
)

const (
	msgNoPasskeys    = "Ключи доступа в этом магазине недоступны"
	msgOldChallenge  = "Запрос ключа устарел или уже использован. Попробуйте ещё раз"
	msgOtherSite     = "Ключ доступа ответил другому сайту"
	msgNoPasskey     = "Такого ключа доступа здесь нет"
	msgCopied        = "Счётчик ключа доступа не вырос: возможно, ключ скопирован. Удалите его и добавьте новый"
	msgKeyRefused    = "Ответ ключа доступа не принят"
	msgPasskeyName   = "Название: от 1 до 60 символов"
	msgMostPasskeys  = "В аккаунте уже 20 ключей доступа. Удалите лишний"
	msgNoCredential  = "Ответ ключа доступа не получен"
	credentialField  = "credential"
	passkeyNameField = "name"
)

func (a Accounts) passkeyRoutes(r chi.Router, by Guards) {
	r.Method("POST", "/api/token/passkey/options", by.Accounts(by.Anyone(a.AskPasskey)))
	r.Method("POST", "/api/token/passkey", by.Accounts(by.Anyone(a.SignInByPasskey)))
	list := by.Customer(a.Passkeys)
	r.Method("GET", "/api/auth/profile/passkeys", list)
	r.Method("HEAD", "/api/auth/profile/passkeys", list)
	r.Method("POST", "/api/auth/profile/passkeys/options", by.Accounts(by.Customer(a.BeginPasskey)))
	r.Method("POST", "/api/auth/profile/passkeys", by.Customer(a.AddPasskey))
	r.Method("DELETE", "/api/auth/profile/passkeys/{id}", by.Customer(a.RemovePasskey))
}

// passkeyProblem says to a shopper what is wrong with a passkey; other errors stay.
func passkeyProblem(err error) error {
	for _, said := range []struct {
		err    error
		status int
		text   string
	}{
		{passkeys.ErrUnavailable, http.StatusConflict, msgNoPasskeys},
		{passkeys.ErrChallenge, http.StatusBadRequest, msgOldChallenge},
		{passkeys.ErrOrigin, http.StatusBadRequest, msgOtherSite},
		{passkeys.ErrUnknown, http.StatusBadRequest, msgNoPasskey},
		{accounts.ErrWrong, http.StatusBadRequest, msgNoPasskey},
		{passkeys.ErrCopied, http.StatusBadRequest, msgCopied},
		{passkeys.ErrRefused, http.StatusBadRequest, msgKeyRefused},
		{passkeys.ErrTooMany, http.StatusConflict, msgMostPasskeys},
	} {
		if errors.Is(err, said.err) {
			return &Refused{said.status, said.text}
		}
	}
	if errors.Is(err, passkeys.ErrName) {
		return commands.WrongField(passkeyNameField, msgPasskeyName)
	}
	return err
}

// credential is what the browser answered for an authenticator, as JSON.
func (f *form) credential() []byte {
	value, _ := f.value(credentialField)
	if _, ok := value.(object); !ok {
		f.refuse(credentialField, msgNoCredential)
		return nil
	}
	text, err := json.Marshal(plain(value))
	if err != nil {
		f.refuse(credentialField, msgNoCredential)
	}
	return text
}

// plain is a value that readValue read, as json.Marshal takes it.
func plain(value any) any {
	switch v := value.(type) {
	case object:
		values := make(map[string]any, len(v.values))
		for name, inner := range v.values {
			values[name] = plain(inner)
		}
		return values
	case []any:
		all := make([]any, len(v))
		for i, inner := range v {
			all[i] = plain(inner)
		}
		return all
	}
	return value
}

// AskPasskey is POST /api/token/passkey/options/: what the browser needs to ask for a passkey.
func (a Accounts) AskPasskey(w http.ResponseWriter, r *http.Request) error {
	options, err := a.Accounts.Passkeys.BeginSignIn(r.Context(), passkeys.Customers)
	if err != nil {
		return passkeyProblem(err)
	}
	return answer(w, http.StatusOK, options)
}

// SignInByPasskey is POST /api/token/passkey/ with what the browser answered.
func (a Accounts) SignInByPasskey(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	answered := f.credential()
	if err := f.done(); err != nil {
		return err
	}
	ctx, keep := a.atBrowser(r)
	token, id, err := a.Accounts.SignInByPasskey(ctx, answered)
	if err != nil {
		return passkeyProblem(err)
	}
	keep(w)
	return answer(w, http.StatusOK, Access{token, id})
}

// Passkeys is GET /api/auth/profile/passkeys/.
func (a Accounts) Passkeys(w http.ResponseWriter, r *http.Request) error {
	list, err := a.Accounts.Passkeys.List(r.Context(), passkeys.Owner{Customer: commands.CustomerOf(r.Context())})
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, list)
}

// BeginPasskey is POST /api/auth/profile/passkeys/options/ with the password: what the browser needs to make a passkey.
func (a Accounts) BeginPasskey(w http.ResponseWriter, r *http.Request) error {
	password, err := onlyPassword(w, r)
	if err != nil {
		return err
	}
	options, err := a.Accounts.BeginPasskey(r.Context(), commands.CustomerOf(r.Context()), password)
	if err != nil {
		return passkeyProblem(err)
	}
	return answer(w, http.StatusOK, options)
}

// AddPasskey is POST /api/auth/profile/passkeys/ with a name and what the browser answered.
func (a Accounts) AddPasskey(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	name, answered := f.text(passkeyNameField, textRule{max: 60, required: true}), f.credential()
	if err := f.done(); err != nil {
		return err
	}
	made, err := a.Accounts.Passkeys.Add(r.Context(), passkeys.Owner{Customer: commands.CustomerOf(r.Context())}, name, answered)
	if err != nil {
		return passkeyProblem(err)
	}
	return answer(w, http.StatusCreated, made)
}

// RemovePasskey is DELETE /api/auth/profile/passkeys/{id}/.
func (a Accounts) RemovePasskey(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("id"))
	if err == nil {
		err = a.Accounts.Passkeys.Remove(r.Context(), passkeys.Owner{Customer: commands.CustomerOf(r.Context())}, id)
	} else {
		err = passkeys.ErrUnknown
	}
	if errors.Is(err, passkeys.ErrUnknown) {
		return &Refused{http.StatusNotFound, msgNoPasskey}
	}
	if err != nil {
		return err
	}
	return nothing(w, 0)
}
