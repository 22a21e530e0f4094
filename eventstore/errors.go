package eventstore

import (
	"fmt"

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
