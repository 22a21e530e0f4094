package staff

import (
	"strings"

	"shop/domain"
)

// Refusals of staff commands. Only staff meet them.
var (
	ErrUnknown   = domain.Refuse("staff/unknown", "There is no such account.")
	ErrExists    = domain.Refuse("staff/exists", "The account exists already.")
	ErrBadEmail  = domain.Refuse("staff/bad-email", "An account needs an e-mail address.")
	ErrBadRole   = domain.Refuse("staff/bad-role", "A role is admin, manager, catalog, warehouse, courier, support, content, analyst or operator.")
	ErrDisabled  = domain.Refuse("staff/disabled", "The account is disabled; enable it first.")
	ErrSelf      = domain.Refuse("staff/self", "This is your own account: ask another admin.")
	ErrHasChosen = domain.Refuse("staff/has-password", "The account has a password already; reset it instead.")
	ErrLastAdmin = domain.Refuse("staff/last-admin", "This is the last admin: make somebody else one first.")
)

// State is an account as its events left it. The zero value: there is none.
type State struct {
	ID       domain.ID
	Role     Role
	Disabled bool
}

func (s State) exists() bool { return s.ID != (domain.ID{}) }

// Decider decides about one account.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	if add, ok := command.(Add); ok {
		switch {
		case s.exists():
			return nil, ErrExists
		case !strings.Contains(add.Email, "@") || add.Email != NormalEmail(add.Email):
			return nil, ErrBadEmail
		case !add.Role.Known():
			return nil, ErrBadRole
		}
		return []Event{Added{ID: add.ID, Email: add.Email, Role: add.Role, At: add.At}}, nil
	}
	if !s.exists() {
		return nil, ErrUnknown
	}
	switch c := command.(type) {
	case Add: // decided above
	case ChangeRole:
		switch {
		case !c.Role.Known():
			return nil, ErrBadRole
		case c.Role == s.Role:
			return nil, nil
		case c.Self:
			return nil, ErrSelf
		case s.Role == Admin && !s.Disabled && c.LastAdmin:
			return nil, ErrLastAdmin
		}
		return []Event{RoleChanged{Role: c.Role, At: c.At}}, nil
	case Disable:
		switch {
		case s.Disabled:
			return nil, nil
		case c.Self:
			return nil, ErrSelf
		case s.Role == Admin && c.LastAdmin:
			return nil, ErrLastAdmin
		}
		return []Event{Disabled{At: c.At}}, nil
	case Enable:
		if !s.Disabled {
			return nil, nil
		}
		return []Event{Enabled{At: c.At}}, nil
	case ResetCredentials:
		switch {
		case s.Disabled:
			return nil, ErrDisabled
		case c.Self:
			return nil, ErrSelf
		}
		return []Event{CredentialsReset{At: c.At}}, nil
	case Invite:
		switch {
		case s.Disabled:
			return nil, ErrDisabled
		case c.Chosen:
			return nil, ErrHasChosen
		}
		return []Event{Invited{At: c.At}}, nil
	case Unlock:
		return []Event{Unlocked{At: c.At}}, nil
	case EndSessions:
		return []Event{SessionsEnded{At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Added:
		return State{ID: e.ID, Role: e.Role}
	case RoleChanged:
		s.Role = e.Role
	case Disabled:
		s.Disabled = true
	case Enabled:
		s.Disabled = false
	case CredentialsReset, Invited, Unlocked, SessionsEnded:
	}
	return s
}

// NormalEmail is the one spelling of an address: trimmed and in small letters.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
