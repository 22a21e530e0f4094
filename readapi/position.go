package readapi

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"shop/eventstore"
	"shop/readapi/endpoint"
)

// Positions tells how far read models are.
type Positions interface {
	// WaitFor returns when the projection has reached the position, with ctx's error, or at once when waiting is in vain;
	// reached is where it was last seen.
	WaitFor(ctx context.Context, projection string, position eventstore.Position) (reached eventstore.Position, err error)
	// Within is the position, or the end of the log when that is before it.
	Within(ctx context.Context, position eventstore.Position) eventstore.Position
}

// Fresh lets shoppers read their own writes: a request that names a position in X-Min-Position is answered when
// the read models it needs have reached it.
type Fresh struct {
	Positions Positions
	// Wait is the longest a request waits; after it the answer is what there is, and X-Read-Model-Position says so. Default 2s.
	Wait time.Duration
	// Epoch is the mark of the present history; nil or empty: tokens are taken for tokens of it. A token of another history, from
	// before a promotion or a restore, waits for everything that the log has now.
	Epoch func(ctx context.Context) string
}

// For is middleware for endpoints that read these projections.
func (f Fresh) For(projections ...string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if token := endpoint.SeenBy(r); token.Position > 0 {
				if f.Epoch != nil && token.Epoch != "" {
					if now := f.Epoch(r.Context()); now != "" && token.Foreign(now) {
						token.Position = math.MaxInt64
					}
				}
				f.wait(w, r, eventstore.Position(token.Position), projections)
			}
			next.ServeHTTP(w, r)
		})
	}
}

func (f Fresh) wait(w http.ResponseWriter, r *http.Request, position eventstore.Position, projections []string) {
	wait := f.Wait
	if wait == 0 {
		wait = 2 * time.Second
	}
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	position = f.Positions.Within(ctx, position) // nobody has seen what nobody wrote
	// The others are waited for even when one is paused and answers at once.
	least := position
	for _, name := range projections {
		if reached, err := f.Positions.WaitFor(ctx, name, position); err != nil {
			least = min(least, reached)
		}
	}
	if least < position {
		w.Header().Set("X-Read-Model-Position", strconv.FormatInt(int64(least), 10))
	}
}
