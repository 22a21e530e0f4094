package customer

import (
	"time"

	"shop/domain"
)

// Stream names a customer.
func Stream(id domain.ID) string { return "customer-" + id.String() }

// Profile is who a customer is and where goods go. Personal.
type Profile struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	// Phone is +7XXXXXXXXXX.
	Phone string `json:"phone"`
	// The address may be empty, wholly or in part.
	City      string `json:"city"`
	Street    string `json:"street"`
	House     string `json:"house"`
	Floor     string `json:"floor"`
	Apartment string `json:"apartment"`
	Entrance  string `json:"entrance"`
}

// Event is a fact about a customer.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Registered opened an account. Its e-mail is not verified yet.
type Registered struct {
	ID domain.ID `json:"id"`
	// Email is in its one spelling, see NormalEmail.
	Email   string  `json:"email"`
	Profile Profile `json:"profile"`
	// ConsentText is the version of the text on personal data that was agreed to.
	ConsentText string `json:"consent_text"`
	// Language is that of the page that opened the account, and of the letters about it. Empty is Russian, as before schema 2.
	Language string    `json:"language,omitempty"`
	At       time.Time `json:"at"`
}

// EmailChangeRequested asked for another e-mail; it becomes the account's when it is verified before Until. Schema 1 had no
// Until and asked for no password: such a wish is over.
type EmailChangeRequested struct {
	ID    domain.ID `json:"id"`
	Email string    `json:"email"`
	Until time.Time `json:"until,omitzero"`
	At    time.Time `json:"at"`
}

// EmailChangeCancelled ended the wish for another e-mail.
type EmailChangeCancelled struct {
	ID domain.ID `json:"id"`
	At time.Time `json:"at"`
}

// EmailTakenBack made a former e-mail the account's again. Previous is the one that it replaced.
type EmailTakenBack struct {
	ID       domain.ID `json:"id"`
	Email    string    `json:"email"`
	Previous string    `json:"previous"`
	At       time.Time `json:"at"`
}

// EmailVerified: the letter to Email was answered, it is the account's. Previous was the account's before; empty when
// it is the same one.
type EmailVerified struct {
	ID       domain.ID `json:"id"`
	Email    string    `json:"email"`
	Previous string    `json:"previous"`
	At       time.Time `json:"at"`
}

// ProfileChanged replaced the profile.
type ProfileChanged struct {
	ID      domain.ID `json:"id"`
	Profile Profile   `json:"profile"`
	At      time.Time `json:"at"`
}

// PhotoChanged shows another photo, PhotoRemoved none. Previous is the one shown before, zero when there was none; its
// files can go. The ids say nothing of the person and stay readable, so that the files can be deleted after the key.
type PhotoChanged struct {
	ID       domain.ID `json:"id"`
	PhotoID  domain.ID `json:"photo_id"`
	Previous domain.ID `json:"previous,omitzero"`
	At       time.Time `json:"at"`
}
type PhotoRemoved struct {
	ID       domain.ID `json:"id"`
	Previous domain.ID `json:"previous"`
	At       time.Time `json:"at"`
}

// ConsentGiven agreed to a version of the text on personal data, ConsentWithdrawn took it back.
type ConsentGiven struct {
	ID   domain.ID `json:"id"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}
type ConsentWithdrawn struct {
	ID   domain.ID `json:"id"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// PasswordChanged: the account has another password. All its sessions ended, and so did the wish for another e-mail.
type PasswordChanged struct {
	ID domain.ID `json:"id"`
	At time.Time `json:"at"`
}

// ErasureRequested shut the account to be forgotten. By is customer or staff.
type ErasureRequested struct {
	ID domain.ID `json:"id"`
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// Report counts what was made unreadable or deleted with an account.
type Report struct {
	// Orders and Reviews lost their author's data, Subscriptions to restock notices ended, Files (photos) were deleted.
	Orders        int64 `json:"orders"`
	Reviews       int64 `json:"reviews"`
	Subscriptions int64 `json:"subscriptions"`
	Files         int64 `json:"files"`
}

// Erased: the person's keys are gone, and everything sealed with them.
type Erased struct {
	ID     domain.ID `json:"id"`
	Report Report    `json:"report"`
	At     time.Time `json:"at"`
}

// Personal seals e-mail and profile under the customer's key.
func (r Registered) Personal() domain.Personal {
	return domain.Personal{Person: r.ID, Fields: []string{"email", "profile"}, New: true}
}

// Personal seals the e-mail under the customer's key.
func (r EmailChangeRequested) Personal() domain.Personal {
	return domain.Personal{Person: r.ID, Fields: []string{"email"}}
}

// Personal seals both e-mails under the customer's key.
func (v EmailVerified) Personal() domain.Personal {
	return domain.Personal{Person: v.ID, Fields: []string{"email", "previous"}}
}

// Personal seals both e-mails under the customer's key.
func (b EmailTakenBack) Personal() domain.Personal {
	return domain.Personal{Person: b.ID, Fields: []string{"email", "previous"}}
}

// Personal seals the profile under the customer's key.
func (c ProfileChanged) Personal() domain.Personal {
	return domain.Personal{Person: c.ID, Fields: []string{"profile"}}
}

func (Registered) EventType() string           { return "customer.registered" }
func (EmailChangeRequested) EventType() string { return "customer.email-change-requested" }
func (EmailVerified) EventType() string        { return "customer.email-verified" }
func (EmailChangeCancelled) EventType() string { return "customer.email-change-cancelled" }
func (EmailTakenBack) EventType() string       { return "customer.email-taken-back" }
func (ProfileChanged) EventType() string       { return "customer.profile-changed" }
func (PhotoChanged) EventType() string         { return "customer.photo-changed" }
func (PhotoRemoved) EventType() string         { return "customer.photo-removed" }
func (ConsentGiven) EventType() string         { return "customer.consent-given" }
func (ConsentWithdrawn) EventType() string     { return "customer.consent-withdrawn" }
func (PasswordChanged) EventType() string      { return "customer.password-changed" }
func (ErasureRequested) EventType() string     { return "customer.erasure-requested" }
func (Erased) EventType() string               { return "customer.erased" }

func (Registered) isEvent()           {}
func (EmailChangeRequested) isEvent() {}
func (EmailVerified) isEvent()        {}
func (EmailChangeCancelled) isEvent() {}
func (EmailTakenBack) isEvent()       {}
func (ProfileChanged) isEvent()       {}
func (PhotoChanged) isEvent()         {}
func (PhotoRemoved) isEvent()         {}
func (ConsentGiven) isEvent()         {}
func (ConsentWithdrawn) isEvent()     {}
func (PasswordChanged) isEvent()      {}
func (ErasureRequested) isEvent()     {}
func (Erased) isEvent()               {}
