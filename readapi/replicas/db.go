package replicas

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is what reads ask: a pool, or what Of makes of one.
type DB interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)
}

var _ DB = (*pgxpool.Pool)(nil)

// at is the key of the member that Set.Read chose.
type at struct{}

// errBehind: the replica did not come to the primary's end in time.
var errBehind = errors.New("the replica is behind")

// levelWithin is how long Level waits.
const levelWithin = time.Second

// Level returns when what Of asks shows everything that is committed at the primary at the time of the call.
func Level(ctx context.Context) error {
	m, ok := ctx.Value(at{}).(*member)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, levelWithin)
	defer cancel()
	end, err := m.set.marks.asking.Do(ctx, struct{}{})
	if err != nil {
		return err
	}
	if !m.reach(ctx, end.wal) {
		return errBehind
	}
	return nil
}

// routed is the pool that the context names, else the primary's.
type routed struct{ primary *pgxpool.Pool }

// Of is a DB that inside Set.Read asks the replica chosen there, and the primary everywhere else.
func Of(primary *pgxpool.Pool) DB { return routed{primary} }

func (r routed) pool(ctx context.Context) *pgxpool.Pool {
	if chosen, ok := ctx.Value(at{}).(*member); ok {
		return chosen.pool
	}
	return r.primary
}

func (r routed) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return r.pool(ctx).Query(ctx, sql, args...)
}

func (r routed) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return r.pool(ctx).QueryRow(ctx, sql, args...)
}

func (r routed) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error) {
	return r.pool(ctx).BeginTx(ctx, o)
}

// onlyStandby refuses a connection to a server that takes writes.
func onlyStandby(c *pgxpool.Config) {
	c.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsStandby
}
