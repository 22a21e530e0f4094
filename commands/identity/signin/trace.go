package signin

import (
	"context"
	"errors"

	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

// note records how something ended in the security log; what failed by the shop's own fault is none of its business.
func note(ctx context.Context, e securitylog.Entry, err error) {
	var locked *Locked
	var busy *credential.Busy
	switch {
	case err == nil:
	case errors.Is(err, ErrWrong), errors.Is(err, ErrLink):
		e.Outcome = securitylog.Wrong
	case errors.Is(err, ErrCodeWanted):
		e.Outcome = securitylog.Half
	case errors.As(err, &locked):
		e.Outcome = securitylog.Locked
	case errors.As(err, &busy):
		e.Outcome = securitylog.Busy
	default:
		return
	}
	securitylog.Note(ctx, e)
}

// means says what a code is.
func means(code string) string {
	if len(code) == codeDigits {
		return securitylog.ByCode
	}
	return securitylog.ByRecovery
}
