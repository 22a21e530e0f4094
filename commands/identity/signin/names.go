package signin

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
)

// Names returns what turns an actor of the log into the e-mail of its account. An actor that is no account keeps its name, and
// all do when the accounts cannot be read.
func (a *Accounts) Names(ctx context.Context, log *slog.Logger) func(actor string) string {
	accounts, err := a.List(ctx)
	if err != nil {
		log.WarnContext(ctx, "names of staff", "error", err)
	}
	emails := make(map[string]string, len(accounts))
	for _, account := range accounts {
		emails["staff:"+account.ID.String()] = account.Email
	}
	return func(actor string) string { return cmp.Or(emails[actor], actor) }
}

// Has says whether there is an account with the id, disabled or not.
func (a *Accounts) Has(ctx context.Context, id uuid.UUID) (has bool, err error) {
	if err := a.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM staff_accounts WHERE id = $1)`, id).Scan(&has); err != nil {
		return false, fmt.Errorf("look for account: %w", err)
	}
	return has, nil
}
