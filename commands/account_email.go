package commands

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"shop/commands/accounts"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

// errOldLink: the link has ended, or was never given out.
var errOldLink = invalid("token", customer.ErrOtherEmail.Message)

// wrongPassword names the field of a password that is wrong; other errors stay.
func wrongPassword(field string, err error) error {
	if errors.Is(err, accounts.ErrWrong) {
		return invalid(field, msgWrongPass)
	}
	return err
}

// oldLink says to a shopper what is wrong with a link; other errors stay.
func oldLink(err error) error {
	switch {
	case errors.Is(err, accounts.ErrLink), errors.Is(err, customer.ErrOtherEmail):
		return errOldLink
	case errors.Is(err, accounts.ErrTaken), errors.Is(err, customer.ErrEmailTaken):
		return invalid("token", customer.ErrEmailTaken.Message)
	}
	return err
}

// wish is another e-mail that somebody who gave the password asks for.
type wish struct {
	checked accounts.Checked
	taken   bool
}

// wishFor checks the password of who asks for another e-mail; nil: email is empty, the account's, or asked for already.
func (a *Accounts) wishFor(ctx context.Context, id domain.ID, email, password string) (*wish, error) {
	if email == "" {
		return nil, nil
	}
	now, err := see(ctx, a.Handler, customerStream(id))
	if err != nil || email == now.Email || email == now.Wish(a.Handler.Now()) {
		return nil, err
	}
	if password == "" {
		return nil, invalid("password", msgRequired)
	}
	checked, err := a.SignIns.IsPassword(ctx, id, password)
	if err != nil {
		return nil, wrongPassword("password", err)
	}
	if err := a.SignIns.MayMail(ctx, id); err != nil {
		return nil, err
	}
	isTaken, err := a.SignIns.Taken(ctx, id, email)
	return &wish{checked, isTaken}, err
}

// mailProof writes the letter that proves the e-mail of a registration.
func (a *Accounts) mailProof(ctx context.Context, tx pgx.Tx, id domain.ID, email string) error {
	until := a.SignIns.Now().Add(accounts.LinkFor)
	token, err := a.SignIns.NewLink(ctx, tx, id, accounts.Proof, email, until)
	if err != nil {
		return err
	}
	return a.send(ctx, tx, Letter{Person: id, To: email, Content: LinkLetter{verifyPath + token, until, false}, Expires: until})
}

// mailWish writes to the e-mail asked for, to be answered, and to the present one, to cancel. When the password was changed
// since it was checked, nobody gets a letter and the wish is over.
func (a *Accounts) mailWish(ctx context.Context, s customer.State, checked accounts.Checked) error {
	err := a.SignIns.Tx(ctx, func(tx pgx.Tx) error {
		if err := a.SignIns.Still(ctx, tx, s.ID, checked); err != nil {
			return err
		}
		if err := a.mailChange(ctx, tx, s); err != nil {
			return err
		}
		token, err := a.SignIns.NewLink(ctx, tx, s.ID, accounts.Cancel, s.Email, s.WantedUntil)
		if err != nil {
			return err
		}
		return a.send(ctx, tx, Letter{
			Person: s.ID, To: s.Email, Content: WishLetter{greeted(s), cancelPath + token, a.Handler.Now(), s.WantedUntil}, Expires: s.WantedUntil,
		})
	})
	if errors.Is(err, accounts.ErrWrong) {
		_, cancel := one(ctx, a.Handler, customerStream(s.ID), func(u *Unit) customer.Command { return customer.CancelEmailChange{At: u.At()} })
		return errors.Join(invalid("password", msgWrongPass), cancel)
	}
	return err
}

// greeted is the name by which a letter greets an account: none where the e-mail is not proved, for then it is a stranger's
// word at a stranger's address.
func greeted(s customer.State) string {
	if s.Verified {
		return s.Profile.FirstName
	}
	return ""
}

// mailChange writes the letter that makes the wanted e-mail the account's.
func (a *Accounts) mailChange(ctx context.Context, tx pgx.Tx, s customer.State) error {
	token, err := a.SignIns.NewLink(ctx, tx, s.ID, accounts.Change, s.Wanted, s.WantedUntil)
	if err != nil {
		return err
	}
	return a.send(ctx, tx, Letter{
		Person: s.ID, To: s.Wanted, Content: LinkLetter{verifyPath + token, s.WantedUntil, true}, Expires: s.WantedUntil,
	})
}

func (a *Accounts) send(ctx context.Context, tx pgx.Tx, l Letter) error {
	if err := a.Mail.Send(ctx, tx, l); err != nil {
		return fmt.Errorf("write letter: %w", err)
	}
	return nil
}

// MailLink is POST /api/auth/profile/email/: it sends the letter that proves the e-mail once more. A wish for another
// e-mail ends when it would have ended.
func (a *Accounts) MailLink(w http.ResponseWriter, r *http.Request) error {
	ctx, id := r.Context(), CustomerOf(r.Context())
	state, err := see(ctx, a.Handler, customerStream(id))
	if err != nil {
		return err
	}
	wanted := state.Wish(a.Handler.Now()) != ""
	if state.Open() && (wanted || !state.Verified) {
		if err := a.SignIns.MayMail(ctx, id); err != nil {
			return tooMany(w, err)
		}
		if err := a.SignIns.Tx(ctx, func(tx pgx.Tx) error {
			if wanted {
				return a.mailChange(ctx, tx, state)
			}
			return a.mailProof(ctx, tx, id, state.Email)
		}); err != nil {
			return err
		}
	}
	return nothing(w, 0)
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

// Verify is POST /api/auth/email/verify/ with the token of a letter's link. Who is not signed in to the link's account
// gives new_password and password to prove the e-mail of a registration, current_password to change an account's e-mail.
func (a *Accounts) Verify(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	answered := Answered{Token: f.text("token", textRule{max: 100, required: true})}
	if f.values["new_password"] != nil || f.values["password"] != nil {
		answered.NewPassword = f.newPassword("new_password", "password")
	}
	if f.values["current_password"] != nil {
		answered.Password = f.password("current_password")
	}
	f.passed("new_password", "password", "current_password")
	if err := f.done(); err != nil {
		return err
	}
	position, err := a.Answer(r.Context(), answered)
	if err != nil {
		return tooMany(w, oldLink(err))
	}
	return nothing(w, position)
}

// Answered is a letter that was answered, by the token of its link. Who is signed in needs no password.
type Answered struct {
	Token string
	// Password is the account's, NewPassword the one that it shall have.
	Password, NewPassword string
}

// Answer takes a letter as answered. The link may be used again, until it is over or another letter was sent.
func (a *Accounts) Answer(ctx context.Context, by Answered) (_ eventstore.Position, err error) {
	ctx, end := begin(ctx, "verify e-mail")
	defer end(&err)
	link, err := a.SignIns.Linked(ctx, by.Token, accounts.Proof, accounts.Change)
	if err != nil {
		return 0, err
	}
	state, err := see(ctx, a.Handler, customerStream(link.Account))
	if err != nil {
		return 0, err
	}
	own := CustomerOf(ctx) == link.Account
	ctx = AsCustomer(ctx, link.Account)
	wanted := state.Wish(a.Handler.Now())
	switch {
	case !state.Open():
		return 0, accounts.ErrLink
	case link.Of(state.Email) && state.Verified:
		return 0, nil
	case link.Of(state.Email) && link.Purpose == accounts.Proof:
		if !own {
			return a.claim(ctx, link, state.Email, by.NewPassword)
		}
		if err := a.SignIns.Prove(ctx, link); err != nil {
			return 0, err
		}
		return one(ctx, a.Handler, customerStream(link.Account), func(u *Unit) customer.Command {
			return customer.VerifyEmail{Email: state.Email, At: u.At()}
		})
	case wanted != "" && link.Of(wanted) && link.Purpose == accounts.Change:
		if !own {
			if by.Password == "" {
				return 0, invalid("current_password", msgRequired)
			}
			if _, err := a.SignIns.IsPassword(ctx, link.Account, by.Password); err != nil {
				return 0, wrongPassword("current_password", err)
			}
		}
		return a.move(ctx, link, state, wanted)
	}
	return 0, accounts.ErrLink
}

// claim proves the e-mail of a registration for who has its mailbox and is not signed in: they may be another than who
// registered, so they choose the password and all that was given out before ends.
func (a *Accounts) claim(ctx context.Context, link accounts.Link, email, password string) (eventstore.Position, error) {
	if password == "" {
		return 0, invalid("new_password", msgRequired)
	}
	if err := a.SignIns.Claim(ctx, link, password); err != nil {
		return 0, err
	}
	return a.renewed(ctx, link, func(u *Unit) customer.Command { return customer.VerifyEmail{Email: email, At: u.At()} })
}

// renewed writes down that a link was used and the password changed with it, then ends the link.
func (a *Accounts) renewed(ctx context.Context, link accounts.Link, command func(u *Unit) customer.Command) (eventstore.Position, error) {
	ctx = context.WithoutCancel(ctx) // the password is set: the log shall know
	stream := customerStream(link.Account)
	position, err := a.Handler.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream); err != nil {
			return err
		}
		if err := stream.Do(u, command(u)); err != nil {
			return err
		}
		return stream.Do(u, customer.NotePasswordChange{At: u.At()})
	})
	if err != nil {
		return 0, fmt.Errorf("change %s: %w", stream.Name, err)
	}
	return position, a.SignIns.Used(ctx, link)
}

// move makes the wanted e-mail the account's and writes to the former one.
func (a *Accounts) move(ctx context.Context, link accounts.Link, s customer.State, wanted string) (eventstore.Position, error) {
	now := a.Handler.Now()
	until := now.Add(customer.TakeBackFor)
	err := a.SignIns.Moved(ctx, link, until, func(tx pgx.Tx, takeBack string) error {
		letter := MovedLetter{At: now}
		if takeBack != "" { // the former e-mail was proved
			letter.Name = s.Profile.FirstName
			letter.Path, letter.Until = takeBackPath+takeBack, until
		}
		return a.send(ctx, tx, Letter{Person: s.ID, To: s.Email, Content: letter, Expires: until})
	})
	if err != nil {
		return 0, err
	}
	return one(context.WithoutCancel(ctx), a.Handler, customerStream(s.ID), func(u *Unit) customer.Command {
		return customer.VerifyEmail{Email: wanted, Moved: true, At: u.At()}
	})
}

// CancelEmail is POST /api/auth/email/cancel/ with the token of the letter to the present e-mail.
func (a *Accounts) CancelEmail(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	token := f.text("token", textRule{max: 100, required: true})
	if err := f.done(); err != nil {
		return err
	}
	position, err := a.cancelEmail(r.Context(), token)
	if err != nil {
		return oldLink(err)
	}
	return nothing(w, position)
}

func (a *Accounts) cancelEmail(ctx context.Context, token string) (_ eventstore.Position, err error) {
	ctx, end := begin(ctx, "cancel e-mail change")
	defer end(&err)
	link, err := a.SignIns.Linked(ctx, token, accounts.Cancel)
	if err != nil {
		return 0, err
	}
	if err := a.SignIns.Cancelled(ctx, link); err != nil {
		return 0, err
	}
	ctx = AsCustomer(context.WithoutCancel(ctx), link.Account)
	position, err := one(ctx, a.Handler, customerStream(link.Account), func(u *Unit) customer.Command { return customer.CancelEmailChange{At: u.At()} })
	if err != nil {
		return 0, err
	}
	return position, a.SignIns.Used(ctx, link)
}

// TakeEmailBack is POST /api/auth/email/take-back/ with the token of the letter to a former e-mail and the password that
// the account shall have.
func (a *Accounts) TakeEmailBack(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	token := f.text("token", textRule{max: 100, required: true})
	password := f.newPassword("new_password", "password")
	if err := f.done(); err != nil {
		return err
	}
	position, err := a.takeEmailBack(r.Context(), token, password)
	if err != nil {
		return oldLink(err)
	}
	return nothing(w, position)
}

func (a *Accounts) takeEmailBack(ctx context.Context, token, password string) (_ eventstore.Position, err error) {
	ctx, end := begin(ctx, "take e-mail back")
	defer end(&err)
	link, err := a.SignIns.Linked(ctx, token, accounts.TakeBack)
	if err != nil {
		return 0, err
	}
	state, err := see(ctx, a.Handler, customerStream(link.Account))
	if err != nil {
		return 0, err
	}
	email := ""
	if link.Of(state.Email) { // the log did not hear of the change, or an attempt died half-way
		email = state.Email
	}
	for _, former := range state.Formers {
		if link.Of(former.Email) {
			email = former.Email
		}
	}
	if email == "" || !state.Open() {
		return 0, accounts.ErrLink
	}
	if err := a.SignIns.TakenBack(ctx, link, password); err != nil {
		return 0, err
	}
	return a.renewed(AsCustomer(ctx, link.Account), link, func(u *Unit) customer.Command {
		return customer.TakeEmailBack{Email: email, At: u.At()}
	})
}
