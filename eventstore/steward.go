package eventstore

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// steward keeps the partitions and the database in step: it reads what operators and other processes changed, and
// saves checkpoints that moved in memory only.
func (f *Feed) steward(ctx context.Context) {
	save := time.NewTicker(f.opts.Save)
	defer save.Stop()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	deaf := time.NewTicker(50 * time.Millisecond)
	defer deaf.Stop()
	var backoff time.Duration
	for {
		err := f.load(ctx)
		if err == nil {
			backoff = 0
		} else if ctx.Err() == nil {
			backoff = min(max(2*backoff, 25*time.Millisecond), maxBackoff)
			f.log.Warn("checkpoints cannot be read", "error", err, "again_in", backoff)
			if pause(ctx, backoff) {
				continue
			}
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return
			case <-f.control:
				waiting = false
			case <-look.C:
				waiting = false
			case <-deaf.C:
				waiting = f.listening.Load() || !f.others.Load() // nobody tells what others do
			case <-save.C:
				f.save(ctx)
			}
		}
	}
}

const (
	// Neither statement locks a row that is already as it should be: a process that starts would wait for the transactions
	// of all others while it holds what it had locked before, and they could wait for that with their last connection.
	makeCheckpoints = `INSERT INTO eventstore.checkpoints (consumer, range, types, edition)
		SELECT u.consumer, r, string_to_array(u.types, ','), u.edition
		FROM unnest($1::text[], $2::text[], $4::text[]) AS u (consumer, types, edition), generate_series(0, $3 - 1) r
		WHERE NOT EXISTS (SELECT FROM eventstore.checkpoints c WHERE c.consumer = u.consumer AND c.range = r)
		ON CONFLICT (consumer, range) DO NOTHING`
	outdatedTypes = `SELECT DISTINCT u.consumer, u.types, u.edition
		FROM unnest($1::text[], $2::text[], $3::text[]) AS u (consumer, types, edition)
		JOIN eventstore.checkpoints c ON c.consumer = u.consumer
		WHERE c.types <> string_to_array(u.types, ',') AND (c.edition = '' OR u.edition IN ('', c.edition))`
	setTypes = `UPDATE eventstore.checkpoints c SET types = string_to_array($2, ',')
		WHERE c.consumer = $1 AND c.types <> string_to_array($2, ',') AND (c.edition = '' OR $3 IN ('', c.edition))`
	readCheckpoints = `SELECT consumer, range, position, term, paused, edition, coalesce(holder, '') FROM eventstore.checkpoints WHERE consumer = ANY ($1)`
	readParked      = `SELECT consumer, range, stream, bool_or(retry) FROM eventstore.dead_letters
		WHERE consumer = ANY ($1) AND skipped_at IS NULL GROUP BY consumer, range, stream`
)

// place is a range of a consumer, standing what the database says of it.
type (
	place struct {
		consumer string
		number   int16
	}
	standing struct {
		position, term int64
		paused, retry  bool
		edition        string
		holder         string
		parked         map[string]bool
	}
)

// load reads checkpoints and dead letters of all consumers, and gives each partition what is new to it.
func (f *Feed) load(ctx context.Context) error {
	consumers := f.all()
	if len(consumers) == 0 {
		return nil
	}
	if err := f.introduce(ctx, consumers); err != nil {
		return err
	}
	// Before the look, so that what a partition writes meanwhile counts as newer.
	writes := map[*partition]int{}
	for _, c := range consumers {
		for _, p := range c.parts {
			// One that is handling a batch will find out by itself; nobody waits for it here.
			if p.mu.TryLock() {
				writes[p] = p.writes
				p.mu.Unlock()
			}
		}
	}
	rows, err := f.standings(ctx, consumers)
	if err != nil {
		return err
	}
	for _, c := range consumers {
		for _, p := range c.parts {
			row := rows[place{c.Name, int16(p.number)}]
			if row == nil {
				if !c.follows {
					c.known = false // somebody deleted it; the next look makes it anew
					nudge(f.control)
				}
				continue
			}
			if !p.mu.TryLock() {
				continue
			}
			if before, looked := writes[p]; looked && p.writes == before || !p.loaded {
				f.learn(ctx, p, row)
			}
			p.mu.Unlock()
			nudge(p.changed)
		}
		c.moved.ring()
	}
	return nil
}

// introduce makes the checkpoints of consumers that are new to this process.
func (f *Feed) introduce(ctx context.Context, consumers []*consumer) error {
	var unknown, types, editions []string
	for _, c := range consumers {
		if c.known || c.follows { // whoever runs it makes its checkpoints
			continue
		}
		unknown = append(unknown, c.Name)
		types = append(types, strings.Join(c.Types, ","))
		editions = append(editions, c.Edition)
	}
	if len(unknown) == 0 {
		return nil
	}
	if _, err := f.store.pool.Exec(ctx, makeCheckpoints, unknown, types, Ranges, editions); err != nil {
		return fmt.Errorf("make checkpoints: %w", err)
	}
	if err := f.updateTypes(ctx, unknown, types, editions); err != nil {
		return fmt.Errorf("say what consumers want: %w", err)
	}
	for _, c := range consumers {
		c.known = c.known || !c.follows
	}
	nudge(f.leases) // they are free
	return nil
}

// updateTypes writes down what consumers want now where a former version wanted something else, one consumer after the
// other, so that it holds the rows of one alone while it waits.
func (f *Feed) updateTypes(ctx context.Context, consumers, types, editions []string) error {
	rows, err := f.store.pool.Query(ctx, outdatedTypes, consumers, types, editions)
	if err != nil {
		return err
	}
	outdated, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c [3]string, err error) {
		return c, row.Scan(&c[0], &c[1], &c[2])
	})
	if err != nil {
		return err
	}
	for _, c := range outdated {
		if _, err := f.store.pool.Exec(ctx, setTypes, c[0], c[1], c[2]); err != nil {
			return err
		}
	}
	return nil
}

// standings reads what the database says of all ranges of consumers.
func (f *Feed) standings(ctx context.Context, consumers []*consumer) (map[place]*standing, error) {
	names := make([]string, len(consumers))
	for i, c := range consumers {
		names[i] = c.Name
	}
	rows := map[place]*standing{}
	batch := &pgx.Batch{}
	batch.Queue(readCheckpoints, names).Query(func(r pgx.Rows) error {
		var at place
		var row standing
		_, err := pgx.ForEachRow(r, []any{&at.consumer, &at.number, &row.position, &row.term, &row.paused, &row.edition, &row.holder}, func() error {
			read := row
			read.parked = map[string]bool{}
			rows[at] = &read
			return nil
		})
		return err
	})
	batch.Queue(readParked, names).Query(func(r pgx.Rows) error {
		var at place
		var stream string
		var retry bool
		_, err := pgx.ForEachRow(r, []any{&at.consumer, &at.number, &stream, &retry}, func() error {
			if row := rows[at]; row != nil {
				row.parked[stream] = true
				row.retry = row.retry || retry
			}
			return nil
		})
		return err
	})
	if err := f.store.pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	return rows, nil
}

// learn takes over what the database says of a partition, which the caller has locked.
func (f *Feed) learn(ctx context.Context, p *partition, row *standing) {
	c := p.consumer
	mine := row.holder == f.holder && !c.follows
	parked := !maps.Equal(p.parked, row.parked)
	if p.loaded && !mine && !p.held && row.term == p.term {
		// Another process goes on with it; what it did is told when it is known which events those were.
		p.saved = Position(row.position)
		p.reached = max(Position(row.position), p.reached)
		if parked {
			c.committed(nil)
		}
	} else {
		moved := !p.loaded || Position(row.position) != p.saved || row.term != p.term || mine != p.held
		if moved || parked {
			c.committed(nil) // by another process, or by one of ours whose answer was lost
		}
		if moved {
			p.saved, p.term, p.held = Position(row.position), row.term, mine
			p.reached = Position(row.position)
			p.at.Store(row.position)
			p.holding.Store(mine)
			p.epoch++
			p.loaded = true
		}
	}
	// One of another edition is given up and followed, like those that other processes run.
	foreign := c.Edition != "" && row.edition != "" && row.edition != c.Edition
	if c.foreign.Swap(foreign) != foreign {
		if foreign {
			f.log.InfoContext(ctx, "the consumer's tables are of another version of the program; this one leaves them alone", "consumer", c.Name)
		}
		nudge(f.leases)
	}
	p.halted.Store(row.paused)
	p.paused, p.retry, p.parked = row.paused || foreign, row.retry && !foreign, row.parked
}

// saveCheckpoints locks the ranges in their order, as whoever holds a consumer does: in another one the two could wait
// for each other.
const saveCheckpoints = `WITH held AS (
		SELECT c.consumer, c.range, u.position, u.rate FROM eventstore.checkpoints c
		JOIN unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::real[]) AS u (consumer, range, saved, term, position, rate)
			ON c.consumer = u.consumer AND c.range = u.range
		WHERE c.position = u.saved AND c.term = u.term ORDER BY c.consumer, c.range FOR UPDATE OF c)
	UPDATE eventstore.checkpoints c SET position = held.position, rate = held.rate, updated_at = now()
	FROM held WHERE c.consumer = held.consumer AND c.range = held.range
	RETURNING c.consumer, c.range`

// save stores the checkpoints that moved past unwanted events, all in one statement. A crash loses at most what was
// unwanted anyway.
func (f *Feed) save(ctx context.Context) {
	type dirty struct {
		*partition
		to   Position
		rate float32
	}
	var all []dirty
	var (
		names               []string
		numbers             []int32
		saved, terms, moved []int64
		rates               []float32
	)
	now := time.Now()
	for _, c := range f.all() {
		for _, p := range c.parts {
			if !p.mu.TryLock() {
				continue // it is about to save itself
			}
			d := dirty{partition: p, to: Position(p.at.Load()), rate: p.rate.add(0, now)}
			if !p.loaded || !p.held || d.to == p.saved && (p.savedRate == 0 || d.rate > 0) {
				p.mu.Unlock()
				continue
			}
			all = append(all, d)
			names, numbers = append(names, c.Name), append(numbers, int32(p.number))
			saved, terms, moved, rates = append(saved, int64(p.saved)), append(terms, p.term), append(moved, int64(d.to)), append(rates, d.rate)
		}
	}
	if len(all) == 0 {
		return
	}
	defer func() {
		for _, d := range all {
			d.mu.Unlock()
		}
	}()
	written := map[*partition]bool{}
	err := pgx.BeginFunc(ctx, f.store.pool, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue("SET LOCAL synchronous_commit = off")
		batch.Queue(saveCheckpoints, names, numbers, saved, terms, moved, rates).Query(func(rows pgx.Rows) error {
			var name string
			var number int16
			_, err := pgx.ForEachRow(rows, []any{&name, &number}, func() error {
				for _, d := range all {
					if d.consumer.Name == name && d.number == int(number) {
						written[d.partition] = true
					}
				}
				return nil
			})
			return err
		})
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		f.log.Warn("checkpoints cannot be saved", "error", err)
	}
	for _, d := range all {
		if err == nil && written[d.partition] {
			d.saved, d.savedRate = d.to, d.rate
			d.writes++
			f.tell(d.partition, d.to)
		} else {
			d.unload()
		}
	}
}
