package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// VersionConflict: a stream was not where the command thought. Nothing was written; load again and decide anew.
type VersionConflict struct {
	Stream           string
	Expected, Actual Version
}

func (e *VersionConflict) Error() string {
	return fmt.Sprintf("stream %s is at version %d, expected %d", e.Stream, e.Actual, e.Expected)
}

// KeyUsed: a request with this key was answered before. Nothing was written.
type KeyUsed struct{ Key Key }

func (e *KeyUsed) Error() string {
	return fmt.Sprintf("idempotency key %q was used before in %s", e.Key.Key, e.Key.Scope)
}

// DuplicateEvent: an event with this id is stored already. Nothing was written.
type DuplicateEvent struct{ ID uuid.UUID }

func (e *DuplicateEvent) Error() string { return fmt.Sprintf("event %s is stored already", e.ID) }

// Transient says that another attempt at what failed may succeed: the failure came from the connection, the server or a
// transaction beside it. A missing table, column or right counts too: a deployment has not finished.
func Transient(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || isLost(err) || isRetryable(err) {
		return true
	}
	code := state(err)
	// Connection, missing schema, rollback, names and rights, resources, intervention, system.
	return len(code) == 5 && slices.Contains([]string{"08", "3F", "40", "42", "53", "57", "58"}, code[:2])
}
