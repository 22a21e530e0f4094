package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

const (
	msgCode   = "Неверный или устаревший код"
	msgCommon = "Этот пароль слишком часто встречается. Придумайте другой"
	msgOwn    = "Пароль не должен состоять из e-mail, имени или названия магазина"
)

// TriesLetter tells the owner of an account that wrong codes were given for a reset.
type TriesLetter struct{ At time.Time }

// KnownLetter tells the owner of an account that somebody tried to register with its e-mail.
type KnownLetter struct{ At time.Time }

// warningFor is how long a letter about something that was tried is of use.
const warningFor = 7 * 24 * time.Hour

// warn writes a letter of warning.
func (a *Accounts) warn(content func(at time.Time) any) accounts.Warning {
	return func(ctx context.Context, tx pgx.Tx, person uuid.UUID, to string) error {
		at := a.Handler.Now()
		return a.send(ctx, tx, Letter{Person: person, To: to, Content: content(at), Expires: at.Add(warningFor)})
	}
}

func (a *Accounts) warnOfTries() accounts.Warning {
	return a.warn(func(at time.Time) any { return TriesLetter{At: at} })
}

// reserveUnguessed is reserve that is counted among the guesses of its network when the e-mail is taken; its owner gets a letter.
// Without a network nobody asked: the demo opens accounts.
func (a *Accounts) reserveUnguessed(ctx context.Context, id domain.ID, email, password string) error {
	network := commands.OriginOf(ctx).Network
	if network == "" {
		return a.reserve(ctx, credential.Trusted, id, email, password)
	}
	asked := ofCustomer(securitylog.Registration, securitylog.OK, "", id, email)
	lane, err := a.SignIns.Asks(ctx, network)
	if err != nil {
		note(ctx, asked, err)
		return err
	}
	err = a.reserve(ctx, lane, id, email, password)
	if err == nil {
		note(ctx, asked, nil)
		return a.SignIns.Asked(ctx, network)
	}
	var wrong *commands.Invalid
	if !errors.As(err, &wrong) {
		return err
	}
	note(ctx, ofCustomer(securitylog.Registration, securitylog.Taken, "", uuid.Nil, email), nil)
	told := a.SignIns.WarnOwner(ctx, "registration", email, a.warn(func(at time.Time) any { return KnownLetter{At: at} }))
	return errors.Join(err, told)
}

// mayChoose refuses, by the field new_password, a password that would be guessed first for an account.
func (a *Accounts) mayChoose(ctx context.Context, id domain.ID, password string) error {
	s, err := commands.See(ctx, a.Handler, commands.CustomerStream(id))
	if err != nil {
		return fmt.Errorf("see customer %s: %w", id, err)
	}
	if text := a.Guessable(password, s.Email, s.Profile.FirstName, s.Profile.LastName); text != "" {
		return commands.WrongField("new_password", text)
	}
	return nil
}

// Guessable says to a shopper why a password would be guessed first; empty: it would not. Own are the e-mail and the names of its
// owner, as far as they are known.
func (a *Accounts) Guessable(password string, own ...string) string {
	switch err := credential.Guessable(password, append(own, a.ShopWords...)...); {
	case errors.Is(err, credential.ErrCommon):
		return msgCommon
	case err != nil:
		return msgOwn
	}
	return ""
}

func wrongCode(err error) error {
	if errors.Is(err, accounts.ErrCode) {
		return commands.WrongField("code", msgCode)
	}
	return err
}

// RequestReset mails a code to choose another password with, if there is such an account that may get another letter. That it
// does not say. The token that it returns is shown with the code.
func (a *Accounts) RequestReset(ctx context.Context, email string) (asked string, err error) {
	note(ctx, ofCustomer(securitylog.Reset, securitylog.Asked, "", uuid.Nil, email), nil)
	return a.SignIns.RequestReset(ctx, commands.OriginOf(ctx).Network, email, func(ctx context.Context, tx pgx.Tx, person uuid.UUID, to string, r accounts.Renewal) error {
		return a.send(ctx, tx, Letter{Person: person, To: to, Content: CodeLetter{Code: r.Code, Path: renewPath + r.Link, Until: r.Until}, Expires: r.Until})
	})
}

// CheckCode says whether a code counts, and does not use it up. Asked are the tokens of the requests for codes.
func (a *Accounts) CheckCode(ctx context.Context, asked []string, email, code string) error {
	err := a.SignIns.CheckCode(ctx, tryOf(ctx, asked, email, code), a.warnOfTries())
	if err != nil { // a right one is recorded when it is used
		note(ctx, ofCustomer(securitylog.Reset, securitylog.Wrong, securitylog.ByCode, uuid.Nil, email), err)
	}
	return wrongCode(err)
}

func tryOf(ctx context.Context, asked []string, email, code string) accounts.Try {
	return accounts.Try{Asked: asked, Network: commands.OriginOf(ctx).Network, Email: email, Code: code}
}

// ResetPassword uses a code up and sets the password. All that was given out or asked for before ends.
func (a *Accounts) ResetPassword(ctx context.Context, asked []string, email, code, password string) (domain.ID, eventstore.Position, error) {
	id, err := a.SignIns.Reset(ctx, tryOf(ctx, asked, email, code), password, a.allows(password), a.warnOfTries())
	note(ctx, ofCustomer(securitylog.Reset, securitylog.OK, securitylog.ByCode, id, email), err)
	if err != nil {
		return id, 0, wrongCode(err)
	}
	position, err := a.passwordChanged(ctx, id)
	return id, position, err
}

// ResetByLink is ResetPassword by the token of a letter's link.
func (a *Accounts) ResetByLink(ctx context.Context, token, password string) (domain.ID, eventstore.Position, error) {
	id, err := a.SignIns.ResetByLink(ctx, token, password, a.allows(password))
	note(ctx, ofCustomer(securitylog.Reset, securitylog.OK, securitylog.ByLink, id, ""), err)
	if err != nil {
		return id, 0, err
	}
	position, err := a.passwordChanged(ctx, id)
	return id, position, err
}

func (a *Accounts) allows(password string) accounts.Allowed {
	return func(ctx context.Context, id uuid.UUID) error { return a.mayChoose(ctx, id, password) }
}

// passwordChanged tells the log.
func (a *Accounts) passwordChanged(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	ctx = commands.AsCustomer(context.WithoutCancel(ctx), id) // the password is set: the log shall know
	return commands.Change(ctx, a.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
		return customer.NotePasswordChange{At: u.At()}
	})
}
