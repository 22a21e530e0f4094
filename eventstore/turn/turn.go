package turn

import (
	"context"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// class is that of the advisory locks. Two keys, as one alone could read as a marker of the log.
	class = 0x7475726e
	// most are the streams whose turns an append waits for; all processes choose the same of the same streams.
	most = 4
)

const take = `SELECT pg_advisory_xact_lock($1::int, key) FROM unnest($2::int[]) AS key`

// Take begins a transaction and waits for the turn of streams, which the transaction's end hands on. Wait bounds the wait for each;
// an error after it is PostgreSQL's lock_not_available, and leaves a transaction that failed. idle is how long the server lets
// the transaction live without a message.
func Take(ctx context.Context, conn *pgx.Conn, streams []string, wait, idle time.Duration) error {
	var batch pgx.Batch
	batch.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	// 0 would be no bound.
	batch.Queue("SELECT set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)",
		strconv.FormatInt(max(1, wait.Milliseconds()), 10), strconv.FormatInt(idle.Milliseconds(), 10))
	batch.Queue(take, class, keysOf(streams))
	return conn.SendBatch(ctx, &batch).Close()
}

// keysOf are the second keys of the locks of streams, in the order in which everybody takes them.
func keysOf(streams []string) []int32 {
	keys := make([]int32, len(streams))
	for i, stream := range streams {
		h := fnv.New32a()
		h.Write([]byte(stream))
		keys[i] = int32(h.Sum32())
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return keys[:min(len(keys), most)]
}
