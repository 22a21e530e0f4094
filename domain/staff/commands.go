package staff

import (
	"time"

	"shop/domain"
)

// Command asks an account to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Add makes an account.
type Add struct {
	ID    domain.ID
	Email string
	Role  Role
	At    time.Time
}

// ChangeRole gives an account another role; the same again adds nothing.
type ChangeRole struct {
	Role Role
	// Self: its owner asks.
	Self bool
	// LastAdmin: there is no other enabled admin.
	LastAdmin bool
	At        time.Time
}

// Disable shuts an account out; again adds nothing.
type Disable struct {
	// Self: its owner asks.
	Self bool
	// LastAdmin: there is no other enabled admin.
	LastAdmin bool
	At        time.Time
}

// Enable lets a disabled account in again; an enabled one adds nothing.
type Enable struct{ At time.Time }

// ResetCredentials voids password, authenticator and sessions.
type ResetCredentials struct {
	// Self: its owner asks.
	Self bool
	At   time.Time
}

// Invite makes a link with which the account's owner chooses a first password.
type Invite struct {
	// Chosen: the account has a password already.
	Chosen bool
	At     time.Time
}

// Unlock forgets failed attempts to sign in.
type Unlock struct{ At time.Time }

// EndSessions signs an account out everywhere.
type EndSessions struct{ At time.Time }

func (Add) isCommand()              {}
func (ChangeRole) isCommand()       {}
func (Disable) isCommand()          {}
func (Enable) isCommand()           {}
func (ResetCredentials) isCommand() {}
func (Invite) isCommand()           {}
func (Unlock) isCommand()           {}
func (EndSessions) isCommand()      {}
