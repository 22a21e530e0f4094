package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
)

// Home reads the database of the home region. A standby will do: what relays have published, and the checkpoint that says
// so, came into it in the order in which they were committed.
type Home struct {
	Pool *pgxpool.Pool
	// Consumer is the relay's. Default relay.
	Consumer string
}

// identity is the id of the log's first event.
func (h Home) identity(ctx context.Context) (uuid.UUID, error) {
	var id [16]byte
	err := h.Pool.QueryRow(ctx, `SELECT id FROM eventstore.events ORDER BY position LIMIT 1`).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, errors.New("the home region's log is empty")
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("ask the home region for its log: %w", err)
	}
	return id, nil
}

// epoch is eventstore.Epoch as text. A standby's timeline is that of its last checkpoint, and may be one behind for a while.
func (h Home) epoch(ctx context.Context) (string, error) {
	log, err := h.identity(ctx)
	if err != nil {
		return "", err
	}
	e := eventstore.Epoch{Log: log}
	err = h.Pool.QueryRow(ctx, `SELECT s.system_identifier, CASE WHEN pg_is_in_recovery() THEN c.timeline_id
			ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END
		FROM pg_control_system() s, pg_control_checkpoint() c`).Scan(&e.System, &e.Timeline)
	if err != nil {
		return "", fmt.Errorf("ask the home region which server it is: %w", err)
	}
	return e.String(), nil
}

// relayed is how far relays have published each range: all events up to there are visible here.
func (h Home) relayed(ctx context.Context) (at eventstore.Heads, err error) {
	name := h.Consumer
	if name == "" {
		name = "relay"
	}
	rows, err := h.Pool.Query(ctx, `SELECT range, position FROM eventstore.checkpoints WHERE consumer = $1`, name)
	if err != nil {
		return at, fmt.Errorf("ask the home region how far it publishes: %w", err)
	}
	var r int
	var p int64
	_, err = pgx.ForEachRow(rows, []any{&r, &p}, func() error {
		if r >= 0 && r < len(at) {
			at[r] = eventstore.Position(p)
		}
		return nil
	})
	return at, err
}

// same says whether the event at a position has one id in the log and in the copy.
func (h Home) same(ctx context.Context, copied *pgxpool.Pool, at eventstore.Position) (bool, error) {
	if at == 0 {
		return true, nil
	}
	var here, there [16]byte
	const ask = `SELECT id FROM eventstore.events WHERE position = $1`
	if err := copied.QueryRow(ctx, ask, int64(at)).Scan(&here); err != nil {
		return false, fmt.Errorf("read the end of the copy: %w", err)
	}
	err := h.Pool.QueryRow(ctx, ask, int64(at)).Scan(&there)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return here == there, err
}

// keys are rows of person_keys.
func (h Home) keys(ctx context.Context, sql string, args ...any) (k keyRows, err error) {
	rows, err := h.Pool.Query(ctx, sql, args...)
	if err != nil {
		return k, fmt.Errorf("ask the home region for keys: %w", err)
	}
	var person [16]byte
	var key []byte
	var created time.Time
	var erased *time.Time
	_, err = pgx.ForEachRow(rows, []any{&person, &key, &created, &erased}, func() error {
		at := created
		k.persons, k.keys = append(k.persons, person), append(k.keys, append([]byte(nil), key...))
		if key == nil {
			k.keys[len(k.keys)-1] = nil
		}
		k.created, k.erased = append(k.created, &at), append(k.erased, erased)
		return nil
	})
	if err != nil {
		return k, fmt.Errorf("ask the home region for keys: %w", err)
	}
	return k, nil
}

// keysAtOnce is how many keys one statement copies.
const keysAtOnce = 10_000

// copyKeys copies the keys that a copy does not have.
func (h Home) copyKeys(ctx context.Context, to *pgxpool.Pool) error {
	var after [16]byte
	for {
		k, err := h.keys(ctx, `SELECT person, key, created_at, erased_at FROM eventstore.person_keys WHERE person > $1 ORDER BY person LIMIT $2`, after, keysAtOnce)
		if err != nil {
			return err
		}
		if _, err := to.Exec(ctx, insertKeys, k.persons, k.keys, k.created, k.erased); err != nil {
			return fmt.Errorf("copy keys: %w", err)
		}
		if len(k.persons) < keysAtOnce {
			return nil
		}
		after = k.persons[len(k.persons)-1]
	}
}

// copyAtOnce is how many positions one transaction of a refill covers.
const copyAtOnce = 50_000

// refill reads a range from the home database, whose place is locked, up to a position that was published.
func (m *Mirror) refill(ctx context.Context, r int, upTo eventstore.Position) error {
	p := m.ranges[r]
	for p.position < upTo {
		relayed, err := m.Home.relayed(ctx)
		if err != nil {
			return err
		}
		if relayed[r] <= p.position {
			return fmt.Errorf("the home region's database has range %d up to %d, want %d; it may be behind", r, relayed[r], upTo)
		}
		to := min(upTo, relayed[r], p.position+copyAtOnce)
		if err := m.copyRange(ctx, r, to); err != nil {
			return fmt.Errorf("read range %d from the home region: %w", r, err)
		}
	}
	return nil
}

// copyRange copies the events of a range up to a position, and keys that are new.
func (m *Mirror) copyRange(ctx context.Context, r int, to eventstore.Position) error {
	p := m.ranges[r]
	first := r * eventstore.Slices / eventstore.Ranges
	const columns = `position, id, stream, slice, version, type, schema, recorded_at, data, metadata`
	from := fmt.Sprintf(`COPY (SELECT `+columns+` FROM eventstore.events WHERE position > %d AND position <= %d AND slice BETWEEN %d AND %d ORDER BY position)
		TO STDOUT (FORMAT binary)`, p.position, to, first, first+eventstore.Slices/eventstore.Ranges-1)
	var last *int64
	err := pgx.BeginFunc(ctx, m.Pool, func(tx pgx.Tx) error {
		if err := m.moveTo(ctx, tx, r, to, p.last); err != nil {
			return err
		}
		home, err := m.Home.Pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer home.Release()
		read, write := io.Pipe()
		sent := make(chan error, 1)
		go func() {
			_, err := home.Conn().PgConn().CopyTo(ctx, write, from)
			write.CloseWithError(err)
			sent <- err
		}()
		_, err = tx.Conn().PgConn().CopyFrom(ctx, read, `COPY eventstore.events (`+columns+`) FROM STDIN (FORMAT binary)`)
		read.CloseWithError(errors.New("the copy took no more"))
		if sending := <-sent; err == nil {
			err = sending
		}
		if err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT max(position) FROM eventstore.events WHERE position > $1 AND position <= $2 AND slice BETWEEN $3 AND $4`,
			int64(p.position), int64(to), first, first+eventstore.Slices/eventstore.Ranges-1).Scan(&last); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `UPDATE eventstore.copied SET last = coalesce($1, last) WHERE range = $2`, last, r); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, personsOf, int64(p.position), int64(to), first, first+eventstore.Slices/eventstore.Ranges-1)
		if err != nil {
			return err
		}
		persons, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
		if err != nil {
			return err
		}
		keys, err := m.keysOf(ctx, persons)
		if err != nil {
			return err
		}
		if len(keys.persons) > 0 {
			_, err = tx.Exec(ctx, insertKeys, keys.persons, keys.keys, keys.created, keys.erased)
		}
		return err
	})
	if err != nil {
		return err
	}
	p.position = to
	if last != nil {
		p.last = eventstore.Position(*last)
	}
	_, err = m.Pool.Exec(ctx, "SELECT pg_notify($1, 'mirror')", eventstore.ChannelAppended)
	return err
}

// personsOf are those whom the copied events of a range name, and whose keys are not here.
const personsOf = `SELECT DISTINCT (e.data -> '$sealed' ->> 'person')::uuid AS person FROM eventstore.events e
	WHERE e.position > $1 AND e.position <= $2 AND e.slice BETWEEN $3 AND $4 AND e.data::text LIKE '%"$sealed"%'
	AND NOT EXISTS (SELECT FROM eventstore.person_keys k WHERE k.person = (e.data -> '$sealed' ->> 'person')::uuid)`

// erase deletes the keys of persons who were erased in the home region; all: whenever that was. Otherwise it looks back from the last
// one by more than the clocks of a primary and its successor are apart.
func (m *Mirror) erase(ctx context.Context, all bool) error {
	since := time.Unix(0, 0)
	if !all {
		var newest *time.Time
		if err := m.Pool.QueryRow(ctx, `SELECT max(erased_at) - interval '1 hour' FROM eventstore.person_keys WHERE erased_at IS NOT NULL`).Scan(&newest); err != nil {
			return err
		}
		if newest != nil {
			since = *newest
		}
	}
	k, err := m.Home.keys(ctx, `SELECT person, NULL::bytea, created_at, erased_at FROM eventstore.person_keys WHERE erased_at >= $1`, since)
	if err != nil || len(k.persons) == 0 {
		return err
	}
	tag, err := m.Pool.Exec(ctx, `WITH gone AS (UPDATE eventstore.person_keys k SET key = NULL, erased_at = u.erased
			FROM unnest($1::uuid[], $2::timestamptz[]) AS u (person, erased) WHERE k.person = u.person AND k.key IS NOT NULL RETURNING k.person)
		SELECT pg_notify($3, person::text) FROM gone`, k.persons, k.erased, eventstore.ChannelErased)
	if err != nil {
		return fmt.Errorf("erase keys in the copy: %w", err)
	}
	if n := tag.RowsAffected(); n > 0 {
		m.Log.Info("persons were erased in the copy", "persons", n)
	}
	return nil
}
