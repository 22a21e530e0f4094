package gauges

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/anchor"
)

// Gauges are numbers of the database for metrics.
type Gauges struct {
	// Builds are the latest of each projection.
	Builds []Build
	// Reserved is the share of the pieces on hand that orders hold, from 0 to 1.
	Reserved float64
	// Standbys stream from the primary; Synchronous of them hold commits up. SyncWanted: the server wants such ones.
	// ReplayLag is the longest time that a standby is behind, in seconds. All are 0 for a role that may not see them.
	Standbys, Synchronous int64
	SyncWanted            bool
	ReplayLag             float64
	// Unanchored is the time since the log was last anchored, in seconds; of a log without anchors, its age.
	Unanchored float64
	// Size is the database's, in bytes. Connections are the clients of its server, which takes at most ConnectionsMax.
	Size, Connections, ConnectionsMax int64
	// Looks is how many answers with persons one member of staff got at most within the last hour.
	Looks int64
}

// Build is the latest build of a projection.
type Build struct {
	Projection, Kind string
	Running          bool
	Progress, Rate   float64
	Events           int64
	// Differences are of the latest build that compared; -1: none did.
	Differences int64
}

// Of reads the gauges of a database. One that was never served has no builds and nothing reserved.
func Of(ctx context.Context, db *pgxpool.Pool) (g Gauges, err error) {
	if g.Builds, err = latestBuilds(ctx, db); err != nil {
		return g, fmt.Errorf("look at builds: %w", err)
	}
	if g.Reserved, err = reservedRatio(ctx, db); err != nil {
		return g, fmt.Errorf("look at the stock: %w", err)
	}
	err = db.QueryRow(ctx, `SELECT coalesce(max(n), 0)::bigint FROM (SELECT sum(times) AS n FROM security.records
		WHERE kind = 'look' AND at > now() - interval '1 hour' AND who IS NOT NULL GROUP BY who) looks`).Scan(&g.Looks)
	if err != nil {
		return g, fmt.Errorf("look at the security log: %w", err)
	}
	err = db.QueryRow(ctx, `SELECT greatest(0, extract(epoch FROM now() - coalesce(
			(SELECT recorded_at FROM eventstore.events WHERE stream = $1 ORDER BY version DESC LIMIT 1),
			(SELECT recorded_at FROM eventstore.events ORDER BY position LIMIT 1), now())))::float8,
		pg_database_size(current_database()), (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
		current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint`, anchor.Stream).Scan(&g.Unanchored, &g.Size, &g.Connections, &g.ConnectionsMax)
	if err != nil {
		return g, fmt.Errorf("look at the database: %w", err)
	}
	// A standby is counted by who may not see more of it than that it is there, too.
	err = db.QueryRow(ctx, `SELECT count(*) FILTER (WHERE coalesce(state, 'streaming') = 'streaming'), count(*) FILTER (WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')),
		current_setting('synchronous_standby_names') <> '', coalesce(max(extract(epoch FROM replay_lag)), 0)::float8 FROM pg_stat_replication`).
		Scan(&g.Standbys, &g.Synchronous, &g.SyncWanted, &g.ReplayLag)
	if err != nil {
		return g, fmt.Errorf("look at the standbys: %w", err)
	}
	return g, nil
}

// reservedRatio is 0 while the shop has nothing, or no read model of its stock yet.
func reservedRatio(ctx context.Context, db *pgxpool.Pool) (ratio float64, err error) {
	var known bool
	if err := db.QueryRow(ctx, "SELECT to_regclass('stock.level') IS NOT NULL").Scan(&known); err != nil || !known {
		return 0, err
	}
	err = db.QueryRow(ctx, `SELECT coalesce(sum(least(reserved, on_hand)) / nullif(sum(on_hand), 0), 0)::float8 FROM stock.level`).Scan(&ratio)
	return ratio, err
}

func latestBuilds(ctx context.Context, db *pgxpool.Pool) ([]Build, error) {
	var known bool
	if err := db.QueryRow(ctx, "SELECT to_regclass('projections.builds') IS NOT NULL").Scan(&known); err != nil || !known {
		return nil, err
	}
	rows, err := db.Query(ctx, `SELECT DISTINCT ON (b.projection) b.projection, b.kind, b.state = 'running' AS running, b.progress::float8 AS progress,
			CASE WHEN b.state = 'running' THEN b.rate ELSE 0 END::float8 AS rate,
			(SELECT coalesce(sum(r.events), 0) FROM projections.build_ranges r WHERE r.build = b.id)::bigint AS events,
			coalesce((SELECT coalesce((c.report->>'missing')::bigint, 0) + coalesce((c.report->>'extra')::bigint, 0) + coalesce((c.report->>'changed')::bigint, 0)
				FROM projections.builds c WHERE c.projection = b.projection AND c.report IS NOT NULL ORDER BY c.id DESC LIMIT 1), -1) AS differences
		FROM projections.builds b WHERE b.kind <> 'as-of' OR b.finished_at IS NULL ORDER BY b.projection, b.id DESC`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Build])
}
