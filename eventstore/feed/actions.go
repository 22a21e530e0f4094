package feed

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/eventstore"
)

// Author is who acts on consumers, and why; what is done under WithAuthor is recorded with it.
type Author struct {
	// Actor is staff:<id>, cli:<user of the system> or system:<part>. Empty: system.
	Actor string
	// Reason is kept with the action; empty: none was given.
	Reason string
}

type authorKey struct{}

// WithAuthor lets actions under ctx carry an author.
func WithAuthor(ctx context.Context, a Author) context.Context {
	return context.WithValue(ctx, authorKey{}, a)
}

// AuthorOf is the author under ctx.
func AuthorOf(ctx context.Context) Author {
	a, _ := ctx.Value(authorKey{}).(Author)
	if a.Actor == "" {
		a.Actor = "system"
	}
	return a
}

// Action is what somebody did to a consumer. ID, At, Actor and an empty Reason are filled in when it is recorded.
type Action struct {
	ID    int64
	At    time.Time
	Actor string
	// Action is retry, skip, pause, resume, or what the consumer's owner calls its own.
	Action   string
	Consumer string
	// Position is the event skipped; 0: it is about no single event.
	Position eventstore.Position
	// Streams are those tried again; none: all of them.
	Streams []string
	Reason  string
	// Events is how many it concerned.
	Events int64
	// Build names the build of a read model that it is about; empty: none.
	Build string
}

// execer is a transaction or a pool.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Record keeps an action of the author under ctx.
func (k *Control) Record(ctx context.Context, a Action) error {
	if err := record(ctx, k.pool, a); err != nil {
		return fmt.Errorf("record %s of %s: %w", a.Action, a.Consumer, err)
	}
	return nil
}

func record(ctx context.Context, db execer, a Action) error {
	by := AuthorOf(ctx)
	if a.Reason == "" {
		a.Reason = by.Reason
	}
	_, err := db.Exec(ctx, `INSERT INTO eventstore.consumer_actions (actor, action, consumer, position, streams, reason, events, build)
		VALUES ($1, $2, $3, nullif($4, 0), $5, $6, $7, nullif($8, ''))`,
		by.Actor, a.Action, a.Consumer, int64(a.Position), orNone(a.Streams), a.Reason, a.Events, a.Build)
	return err
}

// Actions are the last recorded ones, newest first: of one consumer, or of all for an empty name; of the given kinds,
// or of all for none.
func (k *Control) Actions(ctx context.Context, consumer string, limit int, kinds ...string) ([]Action, error) {
	rows, err := k.pool.Query(ctx, `SELECT id, at, actor, action, consumer, coalesce(position, 0), streams, reason, events, coalesce(build, '')
		FROM eventstore.consumer_actions
		WHERE ($1 = '' OR consumer = $1) AND (cardinality($3::text[]) = 0 OR action = ANY ($3)) ORDER BY id DESC LIMIT $2`,
		consumer, orNoLimit(limit), orNone(kinds))
	if err != nil {
		return nil, fmt.Errorf("list actions: %w", err)
	}
	actions, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Action])
	if err != nil {
		return nil, fmt.Errorf("list actions: %w", err)
	}
	return actions, nil
}
