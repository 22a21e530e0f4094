package standin

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestWhoHasNoTimeHearsThatOthersAreBusy: whether the turn did not come, or its time or that of the request was over.
func TestWhoHasNoTimeHearsThatOthersAreBusy(t *testing.T) {
	t.Parallel()
	errBusy := fmt.Errorf("busy: %w", context.DeadlineExceeded)
	over, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	taken, free := make(chan struct{}, 1), make(chan struct{}, 1)
	taken <- struct{}{}
	wait := func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("read: %w", ctx.Err()) }
	refused := func(context.Context) error { return &pgconn.PgError{Code: canceled} }
	for what, err := range map[string]error{
		"the request ended before the turn came": InTurn(over, taken, time.Hour, errBusy, wait),
		"the turn's time was over":               InTurn(t.Context(), free, 0, errBusy, wait),
		"a statement's time was over":            InTurn(t.Context(), free, time.Hour, errBusy, refused),
	} {
		if !errors.Is(err, errBusy) {
			t.Errorf("%s: %v", what, err)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	other := errors.New("other")
	for want, err := range map[error]error{
		context.Canceled: InTurn(gone, taken, time.Hour, errBusy, wait),
		other:            InTurn(t.Context(), free, time.Hour, errBusy, func(context.Context) error { return other }),
	} {
		if !errors.Is(err, want) || errors.Is(err, errBusy) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
