package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/securitylog"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

// wrongPassword names the field of a password that is wrong; other errors stay.
func wrongPassword(field string, err error) error {
	if errors.Is(err, accounts.ErrWrong) {
		return commands.WrongField(field, msgWrongPass)
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
	now, err := commands.See(ctx, a.Handler, commands.CustomerStream(id))
	if err != nil || email == now.Email || email == now.Wish(a.Handler.Now()) {
		return nil, err
	}
	if password == "" {
		return nil, commands.WrongField("password", msgMissing)
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
	note(ctx, ofCustomer(securitylog.EmailChange, securitylog.Asked, securitylog.ByPassword, s.ID, s.Wanted), err)
	if errors.Is(err, accounts.ErrWrong) {
		_, cancel := commands.Change(ctx, a.Handler, commands.CustomerStream(s.ID), func(u *commands.Unit) customer.Command { return customer.CancelEmailChange{At: u.At()} })
		return errors.Join(commands.WrongField("password", msgWrongPass), cancel)
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

// MailLink sends the letter that proves the e-mail once more. A wish for another e-mail ends when it would have ended.
func (a *Accounts) MailLink(ctx context.Context, id domain.ID) error {
	state, err := commands.See(ctx, a.Handler, commands.CustomerStream(id))
	if err != nil {
		return err
	}
	wanted := state.Wish(a.Handler.Now()) != ""
	if !state.Open() || !wanted && state.Verified {
		return nil
	}
	if err := a.SignIns.MayMail(ctx, id); err != nil {
		return err
	}
	return a.SignIns.Tx(ctx, func(tx pgx.Tx) error {
		if wanted {
			return a.mailChange(ctx, tx, state)
		}
		return a.mailProof(ctx, tx, id, state.Email)
	})
}

// Answered is a letter that was answered, by the token of its link. Who is signed in needs no password.
type Answered struct {
	Token string
	// Password is the account's, NewPassword the one that it shall have.
	Password, NewPassword string
}

// Answer takes a letter as answered. The link may be used again, until it is over or another letter was sent.
func (a *Accounts) Answer(ctx context.Context, by Answered) (_ eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "verify e-mail")
	defer end(&err)
	link, err := a.SignIns.Linked(ctx, by.Token, accounts.Proof, accounts.Change)
	if err != nil {
		note(ctx, ofCustomer(securitylog.EmailChange, securitylog.Wrong, securitylog.ByLink, uuid.Nil, ""), err)
		return 0, err
	}
	state, err := commands.See(ctx, a.Handler, commands.CustomerStream(link.Account))
	if err != nil {
		return 0, err
	}
	own := commands.CustomerOf(ctx) == link.Account
	ctx = commands.AsCustomer(ctx, link.Account)
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
		return commands.Change(ctx, a.Handler, commands.CustomerStream(link.Account), func(u *commands.Unit) customer.Command {
			return customer.VerifyEmail{Email: state.Email, At: u.At()}
		})
	case wanted != "" && link.Of(wanted) && link.Purpose == accounts.Change:
		if !own {
			if by.Password == "" {
				return 0, commands.WrongField("current_password", msgMissing)
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
		return 0, commands.WrongField("new_password", msgMissing)
	}
	if err := a.mayChoose(ctx, link.Account, password); err != nil {
		return 0, err
	}
	if err := a.SignIns.Claim(ctx, link, password); err != nil {
		return 0, err
	}
	note(ctx, ofCustomer(securitylog.PasswordChange, securitylog.OK, securitylog.ByLink, link.Account, email), nil)
	return a.renewed(ctx, link, func(u *commands.Unit) customer.Command { return customer.VerifyEmail{Email: email, At: u.At()} })
}

// renewed writes down that a link was used and the password changed with it, then ends the link.
func (a *Accounts) renewed(ctx context.Context, link accounts.Link, command func(u *commands.Unit) customer.Command) (eventstore.Position, error) {
	ctx = context.WithoutCancel(ctx) // the password is set: the log shall know
	stream := commands.CustomerStream(link.Account)
	position, err := a.Handler.Do(ctx, false, func(u *commands.Unit) error {
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
	note(ctx, ofCustomer(securitylog.EmailChange, securitylog.OK, securitylog.ByLink, s.ID, wanted), nil)
	return commands.Change(context.WithoutCancel(ctx), a.Handler, commands.CustomerStream(s.ID), func(u *commands.Unit) customer.Command {
		return customer.VerifyEmail{Email: wanted, Moved: true, At: u.At()}
	})
}

// CancelEmail ends the request for another e-mail, by the token of the letter to the present one.
func (a *Accounts) CancelEmail(ctx context.Context, token string) (_ eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "cancel e-mail change")
	defer end(&err)
	link, err := a.SignIns.Linked(ctx, token, accounts.Cancel)
	if err != nil {
		note(ctx, ofCustomer(securitylog.EmailChange, securitylog.Wrong, securitylog.ByLink, uuid.Nil, ""), err)
		return 0, err
	}
	if err := a.SignIns.Cancelled(ctx, link); err != nil {
		return 0, err
	}
	note(ctx, ofCustomer(securitylog.EmailChange, securitylog.Cancelled, securitylog.ByLink, link.Account, ""), nil)
	ctx = commands.AsCustomer(context.WithoutCancel(ctx), link.Account)
	position, err := commands.Change(ctx, a.Handler, commands.CustomerStream(link.Account), func(u *commands.Unit) customer.Command { return customer.CancelEmailChange{At: u.At()} })
	if err != nil {
		return 0, err
	}
	return position, a.SignIns.Used(ctx, link)
}

// TakeEmailBack makes a former e-mail the account's again, by the token of the letter to it, and sets the password.
func (a *Accounts) TakeEmailBack(ctx context.Context, token, password string) (_ eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "take e-mail back")
	defer end(&err)
	link, err := a.SignIns.Linked(ctx, token, accounts.TakeBack)
	if err != nil {
		note(ctx, ofCustomer(securitylog.EmailChange, securitylog.Wrong, securitylog.ByLink, uuid.Nil, ""), err)
		return 0, err
	}
	state, err := commands.See(ctx, a.Handler, commands.CustomerStream(link.Account))
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
	if err := a.mayChoose(ctx, link.Account, password); err != nil {
		return 0, err
	}
	if err := a.SignIns.TakenBack(ctx, link, password); err != nil {
		return 0, err
	}
	note(ctx, ofCustomer(securitylog.EmailChange, securitylog.TakenBack, securitylog.ByLink, link.Account, email), nil)
	return a.renewed(commands.AsCustomer(ctx, link.Account), link, func(u *commands.Unit) customer.Command {
		return customer.TakeEmailBack{Email: email, At: u.At()}
	})
}
