package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/eventstore/feed"
)

// Health is how the database is.
type Health struct {
	Database   Database   `json:"database"`
	Statements Statements `json:"statements"`
	Processes  []Process  `json:"processes"`
	Keys       Keys       `json:"keys"`
}

// Keys are the keys of the key file, in its order: the first wraps what is made from now on.
type Keys struct {
	File []FileKey `json:"file"`
	// Bare says that something in the database is not wrapped.
	Bare bool `json:"bare"`
}

// FileKey is a key of the file. InUse says that it wraps something in the database, or wrapped it until its rotation ends.
type FileKey struct {
	ID    string `json:"id"`
	InUse bool   `json:"in_use"`
}

// Database is a database and its server.
type Database struct {
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	SizeBytes int64     `json:"size_bytes"`
	LogBytes  int64     `json:"log_bytes"`
	// Events is the last position: the log has at most so many, and few less.
	Events      int64       `json:"events"`
	Connections Connections `json:"connections"`
	// OldestTransactionSeconds is 0 when no other connection is in a transaction.
	OldestTransactionSeconds float64 `json:"oldest_transaction_seconds"`
	CacheHitRatio            float64 `json:"cache_hit_ratio"`
}

// Connections are the clients of the server, at most Max.
type Connections struct {
	Used    int64 `json:"used"`
	Max     int64 `json:"max"`
	Idle    int64 `json:"idle"`
	Active  int64 `json:"active"`
	Waiting int64 `json:"waiting"`
}

// Statements are the slowest, where the server counts them; Reason says why it does not.
type Statements struct {
	Available bool        `json:"available"`
	Reason    string      `json:"reason,omitempty"`
	Slowest   []Statement `json:"slowest"`
}

// Statement is a statement with what it took in all.
type Statement struct {
	Query        string  `json:"query"`
	Calls        int64   `json:"calls"`
	TotalSeconds float64 `json:"total_seconds"`
	MeanSeconds  float64 `json:"mean_seconds"`
	Rows         int64   `json:"rows"`
}

// Process is one that shares the work.
type Process struct {
	Holder    string    `json:"holder"`
	Roles     []string  `json:"roles"`
	StartedAt time.Time `json:"started_at"`
	SeenAt    time.Time `json:"seen_at"`
}

// Of looks at the database of a log, its slowest statements, and the processes that share the work.
func Of(ctx context.Context, store *eventstore.Store) (Health, error) {
	database, err := databaseOf(ctx, store.Pool())
	if err != nil {
		return Health{}, err
	}
	statements, err := slowestOf(ctx, store.Pool())
	if err != nil {
		return Health{}, err
	}
	processes, err := feed.ControlOf(store).Processes(ctx)
	if err != nil {
		return Health{}, err
	}
	keys, err := keysOf(ctx, store)
	if err != nil {
		return Health{}, err
	}
	view := Health{database, statements, make([]Process, len(processes)), keys}
	for i, p := range processes {
		view.Processes[i] = Process{p.Holder, p.Roles, p.StartedAt, p.SeenAt}
	}
	return view, nil
}

// keysOf counts nothing, so that a shop with millions of persons answers as quickly; 'shop keys show' counts.
func keysOf(ctx context.Context, store *eventstore.Store) (Keys, error) {
	used, bare, err := store.Wrapping(ctx)
	if err != nil {
		return Keys{}, err
	}
	view := Keys{Bare: bare}
	for _, id := range store.Keys().IDs() {
		view.File = append(view.File, FileKey{id.String(), slices.Contains(used, id)})
	}
	return view, nil
}

func databaseOf(ctx context.Context, db *pgxpool.Pool) (Database, error) {
	var d Database
	c := &d.Connections
	err := db.QueryRow(ctx, `SELECT current_setting('server_version'), pg_postmaster_start_time(), pg_database_size(current_database()),
			pg_total_relation_size('eventstore.events') + pg_total_relation_size('eventstore.streams'), eventstore.present(),
			current_setting('max_connections')::bigint, a.used, a.idle, a.active, a.waiting, a.oldest,
			(SELECT coalesce(blks_hit / nullif(blks_hit + blks_read, 0)::float8, 1) FROM pg_stat_database WHERE datname = current_database())
		FROM (SELECT count(*) AS used, count(*) FILTER (WHERE state = 'idle') AS idle, count(*) FILTER (WHERE state = 'active') AS active,
				count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'Lock') AS waiting,
				coalesce(extract(epoch FROM clock_timestamp() - min(xact_start) FILTER (WHERE pid <> pg_backend_pid())), 0)::float8 AS oldest
			FROM pg_stat_activity WHERE backend_type = 'client backend') a`).
		Scan(&d.Version, &d.StartedAt, &d.SizeBytes, &d.LogBytes, &d.Events, &c.Max, &c.Used, &c.Idle, &c.Active, &c.Waiting,
			&d.OldestTransactionSeconds, &d.CacheHitRatio)
	if err != nil {
		return d, fmt.Errorf("look at the database: %w", err)
	}
	d.OldestTransactionSeconds = max(0, d.OldestTransactionSeconds)
	return d, nil
}

// statementsShown is how many of the slowest there are in an answer.
const statementsShown = 20

// slowestOf are the statements that took the most time together, where the server counts them.
func slowestOf(ctx context.Context, db *pgxpool.Pool) (Statements, error) {
	view := Statements{Slowest: []Statement{}}
	var schema string
	err := db.QueryRow(ctx, `SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
		WHERE e.extname = 'pg_stat_statements'`).Scan(&schema)
	if errors.Is(err, pgx.ErrNoRows) {
		view.Reason = "The extension pg_stat_statements is not in this database: CREATE EXTENSION pg_stat_statements."
		return view, nil
	}
	if err != nil {
		return view, fmt.Errorf("look for pg_stat_statements: %w", err)
	}
	rows, err := db.Query(ctx, `SELECT coalesce(query, ''), calls, total_exec_time / 1000, mean_exec_time / 1000, rows
		FROM `+pgx.Identifier{schema, "pg_stat_statements"}.Sanitize()+`
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY total_exec_time DESC LIMIT $1`, statementsShown)
	if err == nil {
		view.Slowest, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Statement])
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		view.Slowest = []Statement{}
		switch refused.Code {
		case "55000": // object_not_in_prerequisite_state
			view.Reason = "The server does not load pg_stat_statements: add it to shared_preload_libraries and restart the server."
			return view, nil
		case "42501": // insufficient_privilege
			view.Reason = "The shop's user may not read pg_stat_statements: GRANT pg_read_all_stats."
			return view, nil
		}
	}
	if err != nil {
		return view, fmt.Errorf("look at the slowest statements: %w", err)
	}
	view.Available = true
	for i := range view.Slowest {
		view.Slowest[i].Query = withoutValues(view.Slowest[i].Query)
	}
	return view, nil
}

// withoutValues is a statement's text when PostgreSQL put placeholders for its values. It does so only for those that
// it plans; of any other the first word is told.
func withoutValues(query string) string {
	const longest = 2000
	words := strings.Fields(query)
	if len(words) == 0 {
		return ""
	}
	switch strings.ToUpper(words[0]) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH":
		if shown := []rune(query); len(shown) > longest {
			return string(shown[:longest]) + " …"
		}
		return query
	}
	if len(words) == 1 {
		return words[0]
	}
	return words[0] + " …"
}
