package customer

import (
	"time"
)

const (
	// ChangeFor is how long another e-mail may be answered for after it was asked for.
	ChangeFor = 24 * time.Hour
	// TakeBackFor is how long a proved e-mail may be taken back after it was replaced.
	TakeBackFor = 7 * 24 * time.Hour
)

// Former is a proved e-mail that another one replaced. It may be taken back until a time.
type Former struct {
	Email string
	Until time.Time
}

func decideChangeEmail(c ChangeEmail, s State) ([]Event, error) {
	switch {
	case !validEmail(c.Email):
		return nil, ErrBadEmail
	case c.Email == s.Email && s.Wanted == "", c.Email == s.Wish(c.At):
		return nil, nil
	case c.Email == s.Email:
		return []Event{EmailChangeCancelled{ID: s.ID, At: c.At}}, nil
	case c.EmailTaken:
		return nil, ErrEmailTaken
	}
	return []Event{EmailChangeRequested{ID: s.ID, Email: c.Email, Until: c.At.Add(ChangeFor), At: c.At}}, nil
}

func decideVerifyEmail(c VerifyEmail, s State) ([]Event, error) {
	switch {
	case c.Email == "":
		return nil, ErrOtherEmail
	case c.Email == s.Email && s.Verified:
		return nil, nil
	case c.Email == s.Email:
		return []Event{EmailVerified{ID: s.ID, Email: c.Email, At: c.At}}, nil
	case c.Email != s.Wish(c.At) && !c.Moved:
		return nil, ErrOtherEmail
	case c.EmailTaken:
		return nil, ErrEmailTaken
	}
	return []Event{EmailVerified{ID: s.ID, Email: c.Email, Previous: s.Email, At: c.At}}, nil
}

func decideTakeEmailBack(c TakeEmailBack, s State) ([]Event, error) {
	if c.Email != "" && c.Email == s.Email {
		return nil, nil
	}
	for _, former := range s.Formers {
		if c.Email != "" && former.Email == c.Email && c.At.Before(former.Until) {
			return []Event{EmailTakenBack{ID: s.ID, Email: c.Email, Previous: s.Email, At: c.At}}, nil
		}
	}
	return nil, ErrOtherEmail
}

// evolveEmail folds what concerns the e-mail; other events leave it.
func evolveEmail(s State, event Event) State {
	switch e := event.(type) {
	case EmailChangeRequested:
		s.Wanted, s.WantedUntil = e.Email, e.Until
		if e.Email == s.Email { // how older logs cancel
			s.Wanted, s.WantedUntil = "", time.Time{}
		}
	case EmailChangeCancelled, PasswordChanged:
		s.Wanted, s.WantedUntil = "", time.Time{}
	case EmailVerified:
		if e.Email == s.Wanted {
			s.Wanted, s.WantedUntil = "", time.Time{}
		}
		if e.Previous != "" && s.Verified {
			s.Formers = append(later(s.Formers, e.At), Former{Email: e.Previous, Until: e.At.Add(TakeBackFor)})
		}
		s.Email, s.Verified = e.Email, true
	case EmailTakenBack:
		// What was the account's before the e-mail that came back may still be taken back itself; what came after may not.
		var older []Former
		for _, former := range s.Formers {
			if former.Email == e.Email {
				break
			}
			older = append(older, former)
		}
		s.Email, s.Verified, s.Wanted, s.WantedUntil, s.Formers = e.Email, true, "", time.Time{}, older
	default:
	}
	return s
}

// later are the former e-mails that may still be taken back, in a slice of their own: states are shared.
func later(formers []Former, at time.Time) []Former {
	var kept []Former
	for _, former := range formers {
		if at.Before(former.Until) {
			kept = append(kept, former)
		}
	}
	return kept
}
