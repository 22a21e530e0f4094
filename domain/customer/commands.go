package customer

import (
	"time"

	"shop/domain"
)

// Command asks an account to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Register opens an account. E-mail (NormalEmail) and phone (+7XXXXXXXXXX) come in their one spelling.
type Register struct {
	ID      domain.ID
	Email   string
	Profile Profile
	// EmailTaken: another account has this e-mail.
	EmailTaken bool
	// ConsentText is the version of the text on personal data that was agreed to.
	ConsentText string
	// Language is that of letters; empty is Russian.
	Language string
	At       time.Time
}

// ChangeEmail asks for another e-mail, in its one spelling. The present one cancels an open wish, or adds nothing.
type ChangeEmail struct {
	Email string
	// EmailTaken: another account has this e-mail.
	EmailTaken bool
	At         time.Time
}

// CancelEmailChange ends an open wish for another e-mail; without one it adds nothing.
type CancelEmailChange struct{ At time.Time }

// VerifyEmail says that the letter to Email was answered. Again adds nothing.
type VerifyEmail struct {
	Email string
	// EmailTaken: another account has this e-mail by now.
	EmailTaken bool
	// Moved: the link was used and the account signs in with Email already, so the log must follow, whatever was asked
	// for in the meantime.
	Moved bool
	At    time.Time
}

// TakeEmailBack restores a former e-mail within TakeBackFor. Again adds nothing.
type TakeEmailBack struct {
	Email string
	At    time.Time
}

// ChangeProfile replaces the profile; the same one adds nothing.
type ChangeProfile struct {
	Profile Profile
	At      time.Time
}

// ChangePhoto shows another photo, RemovePhoto none; without a change they append nothing.
type ChangePhoto struct {
	PhotoID domain.ID
	At      time.Time
}
type RemovePhoto struct{ At time.Time }

// GiveConsent agrees to another version of the text on personal data; the same one adds nothing.
type GiveConsent struct {
	Text string
	At   time.Time
}

// WithdrawConsent takes the consent back. Without it the shop may hold nothing of the person, so it asks for the
// erasure as well, under the same condition.
type WithdrawConsent struct {
	// OpenOrders counts the customer's orders that are not completed, cancelled or refunded.
	OpenOrders int64
	At         time.Time
}

// NotePasswordChange says that the account has another password now.
type NotePasswordChange struct{ At time.Time }

// RequestErasure shuts the account to be forgotten; again adds nothing. By is customer or staff.
type RequestErasure struct {
	By string
	// OpenOrders counts the customer's orders that are not completed, cancelled or refunded.
	OpenOrders int64
	At         time.Time
}

// Erase ends an erasure whose keys are deleted; again adds nothing.
type Erase struct {
	Report Report
	At     time.Time
}

func (Register) isCommand()           {}
func (ChangeEmail) isCommand()        {}
func (VerifyEmail) isCommand()        {}
func (CancelEmailChange) isCommand()  {}
func (TakeEmailBack) isCommand()      {}
func (ChangeProfile) isCommand()      {}
func (ChangePhoto) isCommand()        {}
func (RemovePhoto) isCommand()        {}
func (GiveConsent) isCommand()        {}
func (WithdrawConsent) isCommand()    {}
func (NotePasswordChange) isCommand() {}
func (RequestErasure) isCommand()     {}
func (Erase) isCommand()              {}
