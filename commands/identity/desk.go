package identity

import (
	"context"

	"shop/commands"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

// Note writes something about a customer that staff alone read.
func (a *Accounts) Note(ctx context.Context, id domain.ID, text string) (eventstore.Position, error) {
	return commands.Change(ctx, a.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
		return customer.Note{Text: text, At: u.At()}
	})
}

// Group puts a customer into a group, or takes the customer out of it.
func (a *Accounts) Group(ctx context.Context, id domain.ID, name string, in bool) (eventstore.Position, error) {
	return commands.Change(ctx, a.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
		if in {
			return customer.JoinGroup{Group: name, At: u.At()}
		}
		return customer.LeaveGroup{Group: name, At: u.At()}
	})
}

// ProposeErasure asks for a second account of staff that confirms the erasure.
func (a *Accounts) ProposeErasure(ctx context.Context, id, staffID domain.ID, reason string) (eventstore.Position, error) {
	return commands.Change(ctx, a.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
		return customer.ProposeErasure{By: staffID, Reason: reason, At: u.At()}
	})
}

// WithdrawErasure takes a proposed erasure back.
func (a *Accounts) WithdrawErasure(ctx context.Context, id, staffID domain.ID) (eventstore.Position, error) {
	return commands.Change(ctx, a.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
		return customer.WithdrawErasure{By: staffID, At: u.At()}
	})
}
