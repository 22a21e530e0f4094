package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"shop/eventstore"
	"shop/eventstore/keyring"
)

// Snapshot is a state as of a version of a stream.
type Snapshot struct {
	Stream string
	// Shape says what the state is made of, and by which fold.
	Shape   string
	Version eventstore.Version
	// Event is the id of the event of that version.
	Event uuid.UUID
	// State is of the owner's making, without personal fields.
	State []byte
}

// Found is what is there of a stream.
type Found struct {
	// Length is the stream's version; 0: it has no events.
	Length eventstore.Version
	// Snapshot may be used; nil: none may.
	Snapshot *Snapshot
}

// Store reads and writes snapshots in the database of a log. It is safe for concurrent use.
type Store struct {
	log    *eventstore.Store
	logger *slog.Logger
}

// Of are the snapshots of a log's streams.
func Of(log *eventstore.Store) *Store { return &Store{log: log, logger: log.Options().Logger} }

// server is known even when a row names nothing, so it comes with each.
const find = `SELECT f.stream, t.version, s.version, s.event, s.system, s.timeline, s.state, s.sum, e.id, v.system, v.timeline
	FROM unnest($1::text[], $2::text[]) AS f (stream, shape)
	JOIN eventstore.streams t ON t.name = f.stream
	CROSS JOIN eventstore.server() v
	LEFT JOIN eventstore.snapshots s ON s.stream = f.stream AND s.shape = f.shape
	LEFT JOIN eventstore.events e ON e.stream = s.stream AND e.version = s.version`

// row is a snapshot as it is stored, with what speaks for it.
type row struct {
	system, timeline     pgtype.Int8
	sum                  []byte
	there                pgtype.UUID
	isSystem, isTimeline int64
	length               int64
	version              pgtype.Int8
	stream               string
	event                pgtype.UUID
	state                []byte
}

// Find looks for streams by name, with the shapes of the states that are wanted. A stream without events is absent.
func (s *Store) Find(ctx context.Context, shapes map[string]string) (map[string]Found, error) {
	streams, of := make([]string, 0, len(shapes)), make([]string, 0, len(shapes))
	for stream, shape := range shapes {
		streams, of = append(streams, stream), append(of, shape)
	}
	rows, err := s.log.Pool().Query(ctx, find, streams, of)
	if err != nil {
		return nil, fmt.Errorf("find %d snapshots: %w", len(shapes), err)
	}
	found := make(map[string]Found, len(shapes))
	var r row
	_, err = pgx.ForEachRow(rows, []any{
		&r.stream, &r.length, &r.version, &r.event, &r.system, &r.timeline, &r.state, &r.sum, &r.there, &r.isSystem, &r.isTimeline,
	}, func() error {
		answer := Found{Length: eventstore.Version(r.length)}
		if r.version.Valid {
			taken := Snapshot{
				Stream: r.stream, Shape: shapes[r.stream], Version: eventstore.Version(r.version.Int64),
				Event: r.event.Bytes, State: bytes.Clone(r.state),
			}
			if why := s.fault(&r, taken); why != "" {
				s.Refuse(ctx, taken, why)
			} else {
				answer.Snapshot = &taken
			}
		}
		found[r.stream] = answer
		r = row{}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find %d snapshots: %w", len(shapes), err)
	}
	return found, nil
}

// fault is what speaks against a snapshot; empty: nothing does.
func (s *Store) fault(r *row, taken Snapshot) string {
	switch {
	case r.system.Int64 != r.isSystem:
		return "it was written on another server"
	case r.timeline.Int64 > r.isTimeline:
		return "it was written on a later timeline than the server's"
	case !r.there.Valid:
		return "the stream has no such version"
	case r.there.Bytes != r.event.Bytes:
		return "the stream has another event at its version"
	case !s.sealed(taken, r.sum):
		return "its sum is wrong"
	}
	return ""
}

// Refuse says why a snapshot is not used.
func (s *Store) Refuse(ctx context.Context, taken Snapshot, why string) {
	s.logger.WarnContext(ctx, "a snapshot is not used; the stream is read in full", "stream", taken.Stream, "version", taken.Version, "reason", why)
}

const save = `INSERT INTO eventstore.snapshots (stream, shape, version, event, system, timeline, state, sum)
	SELECT e.stream, $2, e.version, e.id, v.system, v.timeline, $5, $6 FROM eventstore.events e, eventstore.server() v
	WHERE e.stream = $1 AND e.version = $3 AND e.id = $4
	ON CONFLICT ON CONSTRAINT one_snapshot_per_shape DO UPDATE SET version = excluded.version, event = excluded.event, system = excluded.system,
		timeline = excluded.timeline, state = excluded.state, sum = excluded.sum, written_at = excluded.written_at`

// forsake deletes what programs of other versions wrote and no longer write.
const forsake = `DELETE FROM eventstore.snapshots WHERE stream = $1 AND shape <> $2 AND written_at < now() - interval '1 day'`

// Save writes a snapshot in place of the one of the same shape. One whose event is not in the log is not written.
func (s *Store) Save(ctx context.Context, taken Snapshot) error {
	batch := &pgx.Batch{}
	// A snapshot that a crash loses is written again: nobody waits for the disk.
	batch.Queue("SET LOCAL synchronous_commit = off")
	batch.Queue(save, taken.Stream, taken.Shape, int64(taken.Version), pgtype.UUID{Bytes: taken.Event, Valid: true}, taken.State, s.seal(taken))
	batch.Queue(forsake, taken.Stream, taken.Shape)
	if err := pgx.BeginFunc(ctx, s.log.Pool(), func(tx pgx.Tx) error { return tx.SendBatch(ctx, batch).Close() }); err != nil {
		return fmt.Errorf("write a snapshot of %s: %w", taken.Stream, err)
	}
	return nil
}

func useOf(taken Snapshot) keyring.Use { return keyring.Use{Kind: "snapshot", Of: taken.Stream} }

// seal is the sum of a snapshot, sealed with the first key of the file.
func (s *Store) seal(taken Snapshot) []byte {
	sealed, _ := s.log.Keys().Wrap(useOf(taken), digest(taken))
	return sealed
}

func (s *Store) sealed(taken Snapshot, sum []byte) bool {
	if _, wrapped := keyring.WrappedBy(sum); wrapped != (s.log.Keys() != nil) {
		return false
	}
	opened, err := s.log.Keys().Unwrap(useOf(taken), sum)
	return err == nil && bytes.Equal(opened, digest(taken))
}

// digest is a hash of all that a snapshot says, each part behind its length.
func digest(taken Snapshot) []byte {
	h := sha256.New()
	for _, part := range [][]byte{
		[]byte(taken.Stream), []byte(taken.Shape), binary.BigEndian.AppendUint64(nil, uint64(taken.Version)), taken.Event[:], taken.State,
	} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return h.Sum(nil)
}
