package passkeys

import (
	"context"
	"errors"

	"shop/commands/identity/securitylog"
)

// note records how something ended in the security log. An answer that was refused for any reason counts as wrong.
func note(ctx context.Context, e securitylog.Entry, err error) {
	if err != nil {
		e.Outcome = securitylog.Wrong
		refusals := []error{ErrChallenge, ErrOrigin, ErrUnknown, ErrRefused, ErrCopied}
		known := false
		for _, refusal := range refusals {
			known = known || errors.Is(err, refusal)
		}
		if !known {
			return
		}
	}
	securitylog.Note(ctx, e)
}
