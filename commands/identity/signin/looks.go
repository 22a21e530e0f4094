package signin

import (
	"context"

	"github.com/google/uuid"

	"shop/commands/identity/securitylog"
	"shop/domain/staff"
)

// Looks says whether the session of a request may see persons where many are, and records that it does. again: it may, once the second
// factor is shown again.
func Looks(ctx context.Context, at string, about uuid.UUID) (persons, again bool) {
	s := SessionOf(ctx)
	if !staff.Role(s.Account.Role).May(staff.SeePersonal) {
		return false, false
	}
	if !s.ProvedToday {
		return false, true
	}
	LookedAt(ctx, at, about)
	return true, false
}

// LookedAt records that the session of a request sees persons: where, and whose order or account it is, if it is one.
func LookedAt(ctx context.Context, at string, about uuid.UUID) {
	securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.Look, Outcome: securitylog.OK, How: at, About: about})
}
