package standin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// patience is how long somebody waits for a turn.
const patience = 5 * time.Second

// canceled is what the server says of a statement that took too long.
const canceled = "57014"

// InTurn does something when there is a place among turns, for at most a while; busy says that there was none, or not enough time.
func InTurn(ctx context.Context, turns chan struct{}, within time.Duration, busy error, do func(ctx context.Context) error) error {
	turn := time.NewTimer(patience)
	defer turn.Stop()
	select {
	case turns <- struct{}{}:
		defer func() { <-turns }()
	case <-turn.C:
		return busy
	case <-ctx.Done():
		return late(ctx.Err(), busy)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return late(do(ctx), busy)
}

// late is busy where an error says that the time was over: this turn's, the request's or that of a statement.
func late(err, busy error) error {
	var refused *pgconn.PgError
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, busy) || errors.As(err, &refused) && refused.Code == canceled {
		return fmt.Errorf("%w: %w", busy, err)
	}
	return err
}
