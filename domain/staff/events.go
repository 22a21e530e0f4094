package staff

import (
	"time"

	"shop/domain"
)

// Stream names an account.
func Stream(id domain.ID) string { return "staff-" + id.String() }

// Event is a fact about an account.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Added made an account. The e-mail is personal; the account is the person.
type Added struct {
	ID    domain.ID `json:"id"`
	Email string    `json:"email"`
	Role  Role      `json:"role"`
	At    time.Time `json:"at"`
}

// Personal seals the e-mail under the account's key.
func (a Added) Personal() domain.Personal {
	return domain.Personal{Person: a.ID, Fields: []string{"email"}, New: true}
}

// RoleChanged gave the account another role.
type RoleChanged struct {
	Role Role      `json:"role"`
	At   time.Time `json:"at"`
}

// Disabled shut the account out.
type Disabled struct {
	At time.Time `json:"at"`
}

// Enabled let a disabled account in again.
type Enabled struct {
	At time.Time `json:"at"`
}

// CredentialsReset voided password, authenticator and sessions; the account chooses new ones.
type CredentialsReset struct {
	At time.Time `json:"at"`
}

// Invited made a link with which the account's owner chooses a first password; a former link ended.
type Invited struct {
	At time.Time `json:"at"`
}

// Unlocked forgot the failed attempts to sign in.
type Unlocked struct {
	At time.Time `json:"at"`
}

// SessionsEnded signed the account out everywhere.
type SessionsEnded struct {
	At time.Time `json:"at"`
}

func (Added) EventType() string            { return "staff.added" }
func (RoleChanged) EventType() string      { return "staff.role-changed" }
func (Disabled) EventType() string         { return "staff.disabled" }
func (Enabled) EventType() string          { return "staff.enabled" }
func (CredentialsReset) EventType() string { return "staff.credentials-reset" }
func (Invited) EventType() string          { return "staff.invited" }
func (Unlocked) EventType() string         { return "staff.unlocked" }
func (SessionsEnded) EventType() string    { return "staff.sessions-ended" }
func (Added) isEvent()                     {}
func (RoleChanged) isEvent()               {}
func (Disabled) isEvent()                  {}
func (Enabled) isEvent()                   {}
func (CredentialsReset) isEvent()          {}
func (Invited) isEvent()                   {}
func (Unlocked) isEvent()                  {}
func (SessionsEnded) isEvent()             {}
