package securitylog

import (
	"context"

	"github.com/google/uuid"
)

// Kind is what happened.
type Kind string

// The kinds. Their texts are public: pages and alerts name them.
const (
	// SignIn is an attempt to sign in, StepUp one to show the second factor again, Password one to show the password again.
	SignIn   Kind = "sign-in"
	StepUp   Kind = "step-up"
	Password Kind = "password"
	// Registration tells whether an e-mail has an account, so it is a guess too.
	Registration Kind = "registration"
	// Limit is an answer of 429 by a limit on guesses.
	Limit Kind = "limit"
	// Reset is what becomes of the code of a reset.
	Reset Kind = "reset"
	// The changes of an account's credentials.
	EmailChange    Kind = "email-change"
	PasswordChange Kind = "password-change"
	Passkey        Kind = "passkey"
	SecondFactor   Kind = "second-factor"
	// StaffAccount is a staff account that is added, disabled, enabled, unlocked or reset; StaffRole another role.
	StaffAccount Kind = "staff-account"
	StaffRole    Kind = "staff-role"
	// SessionEnd is a session that somebody ended.
	SessionEnd Kind = "session-end"
	// Permission is a request that a role does not allow, CSRF one without the session's token.
	Permission Kind = "permission"
	CSRF       Kind = "csrf"
	// Look is an answer that shows persons unmasked; Export a file that was taken; Erasure a person who shall be forgotten.
	Look    Kind = "look"
	Export  Kind = "export"
	Erasure Kind = "erasure"
	// Keys is a rotation of the keys of the key file.
	Keys Kind = "keys"
)

// Kinds are all there are.
var Kinds = []Kind{
	SignIn, StepUp, Password, Registration, Limit, Reset, EmailChange, PasswordChange, Passkey, SecondFactor, StaffAccount, StaffRole,
	SessionEnd, Permission, CSRF, Look, Export, Erasure, Keys,
}

// Outcome is how it ended.
type Outcome string

// The outcomes.
const (
	OK Outcome = "ok"
	// Wrong: the password, code, link or passkey was not right. Locked: too many were wrong. Busy: nobody looked.
	Wrong  Outcome = "wrong"
	Locked Outcome = "locked"
	Busy   Outcome = "busy"
	// Half: the password was right, and the code is still missing.
	Half Outcome = "half"
	// Asked, Cancelled, TakenBack: a change that waits for a letter, and how it ends otherwise.
	Asked     Outcome = "asked"
	Cancelled Outcome = "cancelled"
	TakenBack Outcome = "taken-back"
	// Refused: it is not allowed.
	Refused Outcome = "refused"
	// Taken: the e-mail has an account.
	Taken Outcome = "taken"
	// The outcomes of credentials and staff accounts.
	Added    Outcome = "added"
	Removed  Outcome = "removed"
	Renewed  Outcome = "renewed"
	Disabled Outcome = "disabled"
	Enabled  Outcome = "enabled"
	Unlocked Outcome = "unlocked"
	// Cleared: password, authenticator and passkeys of an account are void.
	Cleared Outcome = "cleared"
	Changed Outcome = "changed"
)

// Outcomes are all there are.
var Outcomes = []Outcome{
	OK, Wrong, Locked, Busy, Half, Asked, Cancelled, TakenBack, Refused, Taken, Added, Removed, Renewed, Disabled, Enabled, Unlocked, Cleared, Changed,
}

// By what a person is known.
const (
	ByPassword = "password"
	ByCode     = "code"
	ByRecovery = "recovery-code"
	ByPasskey  = "passkey"
	ByLink     = "link"
)

// Party is a kind of people.
type Party string

// The parties. Guest is everybody who is not signed in, CLI the command line, Shop the program itself.
const (
	Staff    Party = "staff"
	Customer Party = "customer"
	Guest    Party = "guest"
	CLI      Party = "cli"
	Shop     Party = "shop"
)

// Who did something. A zero ID is nobody who is known.
type Who struct {
	Party Party
	ID    uuid.UUID
	// Role is that of staff.
	Role string
}

// Entry is something that happened.
type Entry struct {
	Kind    Kind
	Outcome Outcome
	// How is by what, or into what: a word of a fixed list, never something that somebody typed.
	How string
	// Who is needed only where the request does not know it: at sign-ins.
	Who Who
	// About is whom or what it was done to: an account, an order. Zero: nothing but what Who is.
	About uuid.UUID
	// Email is what somebody typed as theirs; only its keyed hash is kept.
	Email string
}

// Recorder takes entries without making the caller wait.
type Recorder interface {
	Record(ctx context.Context, e Entry)
}

// Request is where an entry comes from.
type Request struct {
	// Network is the client's address, an IPv6 one as its /64; only its keyed hash is kept.
	Network string
	// ID is the request's own.
	ID string
	// Route is the template of its path, asked when something is recorded; nil: none.
	Route func() string
}

type scopeKey struct{}

type scope struct {
	log     Recorder
	request Request
	who     Who
}

func scopeOf(ctx context.Context) scope {
	s, _ := ctx.Value(scopeKey{}).(scope)
	return s
}

// Into lets Note record what happens in a context.
func Into(ctx context.Context, log Recorder, r Request) context.Context {
	return context.WithValue(ctx, scopeKey{}, scope{log: log, request: r})
}

// As says who is at work in a context: who has shown it, by a session or a token.
func As(ctx context.Context, who Who) context.Context {
	s := scopeOf(ctx)
	if s.log == nil {
		return ctx
	}
	s.who = who
	return context.WithValue(ctx, scopeKey{}, s)
}

// Note records an entry in the log of its context; without one it does nothing.
func Note(ctx context.Context, e Entry) {
	if s := scopeOf(ctx); s.log != nil {
		s.log.Record(ctx, e)
	}
}
