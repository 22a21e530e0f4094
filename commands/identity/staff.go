package identity

import (
	"context"
	"errors"
	"time"

	"shop/commands"
	"shop/commands/identity/securitylog"
	"shop/commands/identity/signin"
	"shop/domain"
	"shop/domain/staff"
)

// Staff adds and changes the accounts of those who work in the shop. What an account may do is told by events and, for
// sign-in, kept by Accounts; to repeat a command that ended half-way sets both right.
type Staff struct {
	Handler  *commands.Handler
	Accounts *signin.Accounts
}

// Add makes an account that still needs a password.
func (s *Staff) Add(ctx context.Context, email string, role staff.Role) (domain.ID, error) {
	email = staff.NormalEmail(email)
	fresh := s.Handler.NewID()
	id, err := s.Accounts.Reserve(ctx, fresh, email, string(role))
	if err != nil {
		return domain.ID{}, err
	}
	_, err = commands.Change(ctx, s.Handler, commands.StaffStream(id), func(u *commands.Unit) staff.Command {
		return staff.Add{ID: id, Email: email, Role: role, At: u.At()}
	})
	var refusal *domain.Refusal
	if errors.As(err, &refusal) && id == fresh {
		return domain.ID{}, errors.Join(err, s.Accounts.Drop(ctx, id))
	}
	if err != nil {
		return domain.ID{}, err
	}
	noteStaff(ctx, securitylog.StaffAccount, securitylog.Added, string(role), id)
	return id, s.Accounts.SetRole(ctx, id, string(role)) // of an earlier attempt that asked for another
}

// Invite makes the token of a one-time link with which the account's owner chooses a first password. A former link ends.
func (s *Staff) Invite(ctx context.Context, email string) (token string, ends time.Time, err error) {
	_, err = s.change(ctx, email, func(u *commands.Unit, of circumstances) staff.Command {
		return staff.Invite{Chosen: of.account.State == "active", At: u.At()}
	}, func(ctx context.Context, id domain.ID) error {
		token, ends, err = s.Accounts.Invite(ctx, id)
		return err
	})
	return token, ends, err
}

// ChangeRole gives an account another role and ends its sessions.
func (s *Staff) ChangeRole(ctx context.Context, email string, role staff.Role) error {
	id, err := s.change(ctx, email, func(u *commands.Unit, of circumstances) staff.Command {
		return staff.ChangeRole{Role: role, Self: of.self, LastAdmin: of.last, At: u.At()}
	}, func(ctx context.Context, id domain.ID) error { return s.Accounts.SetRole(ctx, id, string(role)) })
	if err == nil {
		noteStaff(ctx, securitylog.StaffRole, securitylog.Changed, string(role), id)
	}
	return err
}

// Disable shuts an account out, at once and everywhere.
func (s *Staff) Disable(ctx context.Context, email string) error {
	id, err := s.change(ctx, email, func(u *commands.Unit, of circumstances) staff.Command {
		return staff.Disable{Self: of.self, LastAdmin: of.last, At: u.At()}
	}, s.Accounts.Disable)
	if err == nil {
		noteStaff(ctx, securitylog.StaffAccount, securitylog.Disabled, "", id)
	}
	return err
}

// Enable lets a disabled account in again, with the password and the authenticator it had.
func (s *Staff) Enable(ctx context.Context, email string) error {
	id, err := s.change(ctx, email, func(u *commands.Unit, _ circumstances) staff.Command { return staff.Enable{At: u.At()} }, s.Accounts.Enable)
	if err == nil {
		noteStaff(ctx, securitylog.StaffAccount, securitylog.Enabled, "", id)
	}
	return err
}

// Reset voids an account's password, authenticator, passkeys, recovery codes and sessions.
func (s *Staff) Reset(ctx context.Context, email string) (domain.ID, error) {
	id, err := s.change(ctx, email, func(u *commands.Unit, of circumstances) staff.Command {
		return staff.ResetCredentials{Self: of.self, At: u.At()}
	}, s.Accounts.Reset)
	if err == nil {
		noteStaff(ctx, securitylog.StaffAccount, securitylog.Cleared, "", id)
	}
	return id, err
}

// Unlock forgets the failed attempts at an account, so that its owner may try again at once.
func (s *Staff) Unlock(ctx context.Context, email string) error {
	id, err := s.change(ctx, email, func(u *commands.Unit, _ circumstances) staff.Command { return staff.Unlock{At: u.At()} },
		func(ctx context.Context, _ domain.ID) error {
			_, err := s.Accounts.Unlock(ctx, staff.NormalEmail(email))
			return err
		})
	if err == nil {
		noteStaff(ctx, securitylog.StaffAccount, securitylog.Unlocked, "", id)
	}
	return err
}

// EndSessions signs an account out everywhere.
func (s *Staff) EndSessions(ctx context.Context, email string) error {
	_, err := s.change(ctx, email, func(u *commands.Unit, _ circumstances) staff.Command { return staff.EndSessions{At: u.At()} }, s.Accounts.EndSessions)
	return err
}

// noteStaff records what was done to a staff account.
func noteStaff(ctx context.Context, kind securitylog.Kind, outcome securitylog.Outcome, how string, id domain.ID) {
	securitylog.Note(ctx, securitylog.Entry{Kind: kind, Outcome: outcome, How: how, About: id})
}

// circumstances are what a change of an account is decided by, besides its events.
type circumstances struct {
	account signin.Account
	// self: the account's owner asks. last: it is the only enabled admin.
	self, last bool
}

// change decides about an account and then does the same to what sign-in asks. Changes of accounts happen one after the other:
// of two admins who disable each other, one stays.
func (s *Staff) change(ctx context.Context, email string, command func(u *commands.Unit, of circumstances) staff.Command,
	then func(context.Context, domain.ID) error) (id domain.ID, err error) {
	err = s.Accounts.Alone(ctx, func() error {
		account, err := s.Accounts.Find(ctx, staff.NormalEmail(email))
		if errors.Is(err, signin.ErrUnknown) {
			err = staff.ErrUnknown
		}
		if err != nil {
			return err
		}
		of := circumstances{account: account, self: commands.OriginOf(ctx).Actor == "staff:"+account.ID.String()}
		if of.last, err = s.Accounts.IsLastAdmin(ctx, account.ID, string(staff.Admin)); err != nil {
			return err
		}
		if _, err := commands.Change(ctx, s.Handler, commands.StaffStream(account.ID), func(u *commands.Unit) staff.Command { return command(u, of) }); err != nil {
			return err
		}
		id = account.ID
		return then(ctx, id)
	})
	return id, err
}
