package identity

import (
	"context"

	"shop/commands/identity/accounts"
	"shop/domain/customer"
	"shop/eventstore"
)

// MailWish and Move are steps of a change of e-mail, for tests in which what comes before or after them fails.
func (a *Accounts) MailWish(ctx context.Context, s customer.State, checked accounts.Checked) error {
	return a.mailWish(ctx, s, checked)
}

func (a *Accounts) Move(ctx context.Context, link accounts.Link, s customer.State, wanted string) (eventstore.Position, error) {
	return a.move(ctx, link, s, wanted)
}
