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
	// LastAdmin: there is no other enabled admin.
	LastAdmin bool
	At        time.Time
}

// Disable shuts an account out; again adds nothing.
type Disable struct {
	// LastAdmin: there is no other enabled admin.
	LastAdmin bool
	At        time.Time
}

// Enable lets a disabled account in again; an enabled one adds nothing.
type Enable struct{ At time.Time }

// ResetCredentials voids password, authenticator and sessions.
type ResetCredentials struct{ At time.Time }

func (Add) isCommand()              {}
func (ChangeRole) isCommand()       {}
func (Disable) isCommand()          {}
func (Enable) isCommand()           {}
func (ResetCredentials) isCommand() {}
