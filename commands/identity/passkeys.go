package identity

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/identity/passkeys"
	"shop/domain"
)

// BeginPasskey asks for a passkey of a customer who gives the password.
func (a *Accounts) BeginPasskey(ctx context.Context, id domain.ID, password string) (passkeys.Options, error) {
	if _, err := a.SignIns.IsPassword(ctx, id, password); err != nil {
		return nil, wrongPassword("password", err)
	}
	state, err := commands.See(ctx, a.Handler, commands.CustomerStream(id))
	if err != nil {
		return nil, err
	}
	return a.Passkeys.BeginAdd(ctx, passkeys.Owner{Customer: id}, state.Email)
}

// SignInByPasskey gives a token to whoever's passkey answered. The owner gets a letter when the device is new.
func (a *Accounts) SignInByPasskey(ctx context.Context, answer []byte) (token string, id domain.ID, err error) {
	err = a.Passkeys.SignIn(ctx, passkeys.Customers, answer, func(tx pgx.Tx, of passkeys.Owner) error {
		id = of.Customer
		if err := a.SignIns.Holds(ctx, tx, id); err != nil {
			return err
		}
		token, err = a.SignIns.Issue(ctx, tx, id)
		return err
	})
	if err != nil {
		return "", uuid.Nil, err
	}
	return token, id, a.noteDevice(ctx, id)
}
