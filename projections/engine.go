package projections

import (
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
)

// Engine builds read models from the log.
type Engine struct {
	DB     *pgxpool.Pool
	Store  *eventstore.Store
	Logger *slog.Logger
	// Workers is how many goroutines fold, each some ranges of slices. Default 2; more than eventstore.Ranges is no use.
	Workers int
	// Memory is about how many bytes of rows a fold keeps before rows that rest leave it; the process needs some
	// three times as much. Default 128 MiB.
	Memory int64
	// Flush is how long rows wait in memory at most, so it bounds what a crash repeats. Default 4s.
	Flush time.Duration
	// Eager folds at full speed whatever it does to appends, as for a shop that is closed.
	Eager bool

	// window is how many positions are read at once. Default fullWindow.
	window int
}

const (
	defaultWorkers = 2
	defaultMemory  = 128 << 20
	defaultFlush   = 4 * time.Second
	// fullWindow is how many positions are read at once at full speed.
	fullWindow = 4096
)
