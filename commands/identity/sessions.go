package identity

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

// DeviceLetter tells of a sign-in from a device that the account never had. Device and Network may be empty.
type DeviceLetter struct {
	Name, Device, Network string
	At                    time.Time
}

// deviceLetterFor is how long a letter about a new device is worth sending.
const deviceLetterFor = 3 * 24 * time.Hour

// SignIn gives a token for a pair, or refuses with accounts.ErrWrong or *accounts.TooMany. The owner gets a letter when the
// device is new.
func (a *Accounts) SignIn(ctx context.Context, who accounts.Who, email, password string) (token string, id domain.ID, err error) {
	token, id, err = a.SignIns.SignIn(ctx, who, email, password)
	note(ctx, ofCustomer(securitylog.SignIn, securitylog.OK, securitylog.ByPassword, id, email), err)
	if err != nil {
		return "", id, err
	}
	return token, id, a.noteDevice(ctx, id)
}

// noteDevice writes to the owner of an account that a device signed in which it never had, at most once a day.
func (a *Accounts) noteDevice(ctx context.Context, id domain.ID) error {
	// Before the transaction: in it, a query on another connection could wait for ever.
	state, err := commands.See(ctx, a.Handler, commands.CustomerStream(id))
	if err != nil {
		return err
	}
	return a.SignIns.Tx(ctx, func(tx pgx.Tx) error {
		isNew, err := a.SignIns.NoteDevice(ctx, tx, id)
		if err != nil || !isNew || !state.Open() {
			return err
		}
		if may, err := a.SignIns.MayTellDevice(ctx, tx, id); err != nil || !may {
			return err
		}
		client, now := credential.ClientOf(ctx), a.Handler.Now()
		return a.send(ctx, tx, Letter{
			Person: id, To: state.Email, Content: DeviceLetter{greeted(state), client.Device, client.Network, now}, Expires: now.Add(deviceLetterFor),
		})
	})
}

// ChangePassword sets another password for who is signed in by a token and gives the present one. All other sign-ins and all
// that was asked for before end.
func (a *Accounts) ChangePassword(ctx context.Context, id domain.ID, token, current, password string) (_ eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "change password")
	defer end(&err)
	if err := a.mayChoose(ctx, id, password); err != nil {
		return 0, err
	}
	err = a.SignIns.ChangePassword(ctx, id, token, current, password)
	note(ctx, securitylog.Entry{Kind: securitylog.PasswordChange, Outcome: securitylog.OK, How: securitylog.ByPassword}, err)
	if err != nil {
		return 0, wrongPassword("current_password", err)
	}
	return a.passwordChanged(ctx, id)
}

// SignOutEverywhere ends all sign-ins of a customer, as support does for them, and says how many there were. It refuses with
// customer.ErrUnknown.
func (a *Accounts) SignOutEverywhere(ctx context.Context, id domain.ID) (int64, error) {
	state, err := commands.See(ctx, a.Handler, commands.CustomerStream(id))
	if err != nil {
		return 0, err
	}
	if !state.Exists() {
		return 0, customer.ErrUnknown
	}
	ended, err := a.SignIns.EndSessions(ctx, id, "")
	note(ctx, securitylog.Entry{Kind: securitylog.SessionEnd, Outcome: securitylog.OK, How: "all", About: id}, err)
	return ended, err
}
