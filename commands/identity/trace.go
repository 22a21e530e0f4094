package identity

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

// note records how something of a customer ended in the security log; what failed by the shop's own fault is none of its business.
func note(ctx context.Context, e securitylog.Entry, err error) {
	var many *accounts.TooMany
	var busy *credential.Busy
	switch {
	case err == nil:
	case errors.Is(err, accounts.ErrWrong), errors.Is(err, accounts.ErrCode), errors.Is(err, accounts.ErrLink):
		e.Outcome = securitylog.Wrong
	case errors.Is(err, accounts.ErrTaken):
		e.Outcome = securitylog.Taken
	case errors.As(err, &many):
		e.Outcome = securitylog.Locked
	case errors.As(err, &busy):
		e.Outcome = securitylog.Busy
	default:
		return
	}
	securitylog.Note(ctx, e)
}

// ofCustomer is an entry about an account of a customer who is not signed in.
func ofCustomer(kind securitylog.Kind, outcome securitylog.Outcome, how string, id uuid.UUID, email string) securitylog.Entry {
	return securitylog.Entry{Kind: kind, Outcome: outcome, How: how, Email: email, Who: securitylog.Who{Party: securitylog.Customer, ID: id}}
}

// records forget persons in the security log; securitylog.Log does.
type records interface {
	Forget(ctx context.Context, persons []uuid.UUID, emails ...string) error
}

// forgetRecords takes persons and e-mails out of the security log; nil: there is none.
func forgetRecords(ctx context.Context, from records, persons []uuid.UUID, emails []string) error {
	if from == nil || len(persons)+len(emails) == 0 {
		return nil
	}
	return from.Forget(ctx, persons, emails...)
}
