package rebuild

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/projections"
)

// Builder makes read models anew beside the live ones, compares them, and swaps them in. Builds are rows in the database,
// so that any process with a Builder can follow a build, stop it or take it over. Set DB and Store. A Builder is safe for
// concurrent use.
type Builder struct {
	DB    *pgxpool.Pool
	Store *eventstore.Store
	// Logger defaults to slog.Default().
	Logger *slog.Logger
	// Projections are those this program can build. Default All().
	Projections []projections.Projection
	// Holder names this process in leases. Default: host, process id and a random part.
	Holder string
	// Lease is how long a build belongs to a process that no longer renews it. Default 2s.
	Lease time.Duration

	// Workers is how many goroutines fold, each one some ranges of slices. Default 2; at most eventstore.Ranges.
	Workers int
	// Memory is about how many bytes of rows a fold keeps before it evicts idle ones. The process needs some five times as
	// much. Default 64 MiB.
	Memory int64
	// Flush is how long changed rows stay in memory at most. A crash repeats no more than that. Default 4s.
	Flush time.Duration
	// Eager folds at full speed even if appends become slower, as for a shop that is closed.
	Eager bool

	// longLog is from how many positions on new read models are folded in bulk. Default longLog.
	longLog int64
	// window is how many positions are read at once. Default fullSpeedWindow.
	window int
	// readerPatience is how long a swap tries to lock out readers. Default defaultReaderPatience.
	readerPatience time.Duration
}

const (
	defaultWorkers = 2
	defaultMemory  = 64 << 20
	defaultFlush   = 4 * time.Second
	// fullSpeedWindow is how many positions are read at once at full speed.
	fullSpeedWindow = 4096
)

func (builder *Builder) logger() *slog.Logger {
	if builder.Logger == nil {
		return slog.Default()
	}
	return builder.Logger
}

func (builder *Builder) lease() time.Duration {
	if builder.Lease <= 0 {
		return 2 * time.Second
	}
	return builder.Lease
}

func (builder *Builder) all() []projections.Projection {
	if builder.Projections == nil {
		return projections.All()
	}
	return builder.Projections
}

func (builder *Builder) find(name string) (projections.Projection, error) {
	for _, p := range builder.all() {
		if p.Name == name {
			return p, nil
		}
	}
	return projections.Projection{}, fmt.Errorf("there is no projection %q", name)
}

// processName names this process in leases.
var processName = sync.OnceValue(func() string {
	host, _ := os.Hostname() // without a host the rest still tells processes apart
	return fmt.Sprintf("%s:%d:%s", host, os.Getpid(), rand.Text()[:8])
})

func (builder *Builder) holderName() string {
	if builder.Holder == "" {
		return processName()
	}
	return builder.Holder
}
