package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// VersionConflict: a stream had another version than the command expected. Nothing was written; load and decide again.
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

// ErrNewer: an event was written by a newer version of the program, and this one cannot decode it. Codecs say so with
// errors.Is. No repetition helps: the newer program has to go on.
var ErrNewer = errors.New("the event was written by a newer version of the program")

// KeyMissing: there is no row that says what became of a person's key. It was not erased: erasing leaves a row. Either the keys
// have not been restored yet, or the row is lost. Nothing is decided by what cannot be read.
type KeyMissing struct{ Person uuid.UUID }

func (e *KeyMissing) Error() string {
	return fmt.Sprintf("the key of person %s is missing, and the person is not erased: restore eventstore.person_keys (docs/backup.md)", e.Person)
}

// KeyClosed: a person's key is there and does not unwrap with the key file.
type KeyClosed struct {
	Person uuid.UUID
	Err    error
}

func (e *KeyClosed) Error() string { return fmt.Sprintf("person %s: %v", e.Person, e.Err) }

func (e *KeyClosed) Unwrap() error { return e.Err }

// Unopened says that personal data could not be opened for want of a key that the operator can bring.
func Unopened(err error) bool {
	var missing *KeyMissing
	var closed *KeyClosed
	return errors.As(err, &missing) || errors.As(err, &closed)
}

// Transient says that another attempt at what failed may succeed: the failure came from the connection, the server or a
// transaction beside it, or a rival was faster. A missing table, column or right counts too: a deployment has not finished. So
// does a key that is not there yet.
func Transient(err error) bool {
	var conflict *VersionConflict
	if errors.As(err, &conflict) {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || isLost(err) || isRetryable(err) || Unopened(err) {
		return true
	}
	code := state(err)
	// Connection, missing schema, rollback, names and rights, resources, intervention, system.
	return len(code) == 5 && slices.Contains([]string{"08", "3F", "40", "42", "53", "57", "58"}, code[:2])
}

// SQLSTATEs the store acts on.
const (
	stateContended       = "ES001" // raised by eventstore.append
	stateUniqueViolation = "23505"
	stateSerialization   = "40001"
	stateDeadlock        = "40P01"
	stateLockTimeout     = "55P03"
)

// state is the SQLSTATE of err; empty when the server said nothing.
func state(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// lostError says that the connection failed while the outcome was open.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

// markLost marks an error that leaves open whether the transaction was committed.
func markLost(conn *pgx.Conn, err error) error {
	if err != nil && !pgconn.SafeToRetry(err) && (conn.IsClosed() || strings.HasPrefix(state(err), "57P")) {
		return lostError{err}
	}
	return err
}

// Lost marks an error as one of the connection: the operation itself did not fail, and Transient says so.
func Lost(err error) error { return lostError{err} }

func isLost(err error) bool {
	var lost lostError
	return errors.As(err, &lost)
}

// isRetryable says that nothing was written and that another attempt may fare better.
func isRetryable(err error) bool {
	var connecting *pgconn.ConnectError
	if pgconn.SafeToRetry(err) || errors.As(err, &connecting) {
		return true
	}
	switch state(err) {
	case stateSerialization, stateDeadlock, stateLockTimeout:
		return true
	}
	return false
}
