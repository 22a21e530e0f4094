package staff

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/projections/rebuild"
)

// Reader answers operators and analysts.
type Reader struct {
	db     *pgxpool.Pool
	store  *eventstore.Store
	builds builder
	// events knows which fields of events are personal.
	events *registry.Registry
}

// builder knows the builds of read models, and the schemas that they made; *rebuild.Builder is one.
type builder interface {
	Builds(ctx context.Context, f rebuild.Filter) ([]rebuild.Build, error)
	Models(ctx context.Context) ([]rebuild.Model, error)
}

// NewReader makes a Reader of a database, its log, and what is being built from it.
func NewReader(db *pgxpool.Pool, store *eventstore.Store, builds builder) *Reader {
	return &Reader{db: db, store: store, builds: builds, events: registry.New()}
}

// Names says how people call an actor. One that has no other name keeps its own.
type Names func(actor string) string

var (
	// ErrNothing: the log has no event of what was asked for.
	ErrNothing = errors.New("there is nothing of it in the log")
	// ErrNoProduct: the log has no product with the id.
	ErrNoProduct = errors.New("there is no such product")
)

// timeOrNull is a time, or nil where there is none.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// textOrNull is a text, or nil where there is none.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// secondsOrNull is a duration, or nil for a negative one, which is not known.
func secondsOrNull(d time.Duration) *float64 {
	if d < 0 {
		return nil
	}
	s := d.Seconds()
	return &s
}

// orEmpty is a list that JSON writes as [] where it has nothing.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
