package eventstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"shop/eventstore/coalesce"
	"shop/eventstore/traceparent"
	"shop/eventstore/wake"
)

// maxGroupEvents bounds a group's events; a larger append goes on its own, so that it holds nobody up.
const maxGroupEvents = 1000

// pending is an append on its way: encoded, and waiting for its answer.
type pending struct {
	keys   []*Key
	claims []Claim
	yields []uuid.UUID
	writes []pendingWrite
	events int
	// chained: it was decided over what the members before it in its group leave.
	chained bool
	// fresh are the keys of persons of whom nothing was said before, which are written with it.
	fresh []*freshKey
}

// streams counts those it writes or expects something of.
func (p *pending) streams() int {
	n := 0
	for i := range p.writes { // sorted
		if i == 0 || p.writes[i].stream != p.writes[i-1].stream {
			n++
		}
	}
	return n
}

type pendingWrite struct {
	stream   string
	slice    int16
	expected Version
	rows     []row
}

// row is an event as it is stored.
type row struct {
	id       uuid.UUID
	typ      string
	schema   int16
	data     []byte
	metadata []byte
	at       time.Time
}

// answer ends a pending append, or sends it on its way alone.
type answer struct {
	appended Appended
	err      error
	// alone: the group could not settle this append; its caller must. lost: it may have been written already.
	alone, lost bool
}

// batchQueue is the queue of the group commit. Its own, beside coalesce.Group: the judge, which lets a member be refused
// without harm to the others (group.go), and the way out of a group that failed, on which each member goes alone.
type batchQueue = coalesce.Group[*pending, answer]

type queued = coalesce.Call[*pending, answer]

// Append writes all of what it is given, in order, or nothing, and answers when it is committed. Several appends are
// written together as if they were one, each with the metadata, the time and the key of its own; a later one expects the
// versions that the earlier ones leave. It refuses with *VersionConflict, *KeyUsed,
// *QuotaFull or *DuplicateEvent; a used key goes before a conflict, a conflict before a full quota. Appends that wait at the same time share a transaction, but not
// their fate. When ctx ends or Options.Within is over while the append is in flight, it may still be written. Without Metadata.Trace the span in
// ctx is stored.
func (s *Store) Append(ctx context.Context, together ...Append) (_ Appended, err error) {
	if !s.enter() {
		return Appended{}, ErrClosed
	}
	defer s.inFlight.Done()

	start := time.Now()
	ctx, span := s.tel.tracer.Start(ctx, "eventstore.append", trace.WithSpanKind(trace.SpanKindProducer))
	outcome := "done"
	defer func() {
		if err != nil {
			outcome = outcomeOf(err)
			span.SetAttributes(attribute.String("shop.append.outcome", outcome))
			if outcome == "failed" {
				span.RecordError(err)
				span.SetStatus(codes.Error, err.Error())
			}
		}
		span.End()
		s.tel.appendDuration.Record(ctx, time.Since(start).Seconds(), s.tel.outcomes[outcome]...)
	}()

	ctx, cancel := context.WithTimeout(ctx, s.within(together))
	defer cancel()
	p, err := s.prepare(ctx, together)
	if err != nil {
		return Appended{}, err
	}
	span.SetAttributes(attribute.Int("shop.append.events", p.events), attribute.Int("shop.append.streams", len(p.writes)))
	if len(p.writes) == 0 && len(p.keys) == 0 {
		return Appended{Versions: map[string]Version{}}, nil
	}
	if p.events > maxGroupEvents || p.streams() > maxGroupStreams {
		return s.appendAlone(ctx, p, false)
	}

	got, err := s.queue.Do(ctx, p)
	if got.alone {
		return s.appendAlone(ctx, p, got.lost)
	}
	return got.appended, err
}

// within is how long an append may take.
func (s *Store) within(together []Append) time.Duration {
	events := 0
	for _, a := range together {
		for _, w := range a.Writes {
			events += len(w.Events)
		}
	}
	return s.opts.Within + time.Duration(events)*perEvent
}

func outcomeOf(err error) string {
	var conflict *VersionConflict
	var used *KeyUsed
	var duplicate *DuplicateEvent
	var full *QuotaFull
	switch {
	case errors.As(err, &conflict):
		return "conflict"
	case errors.As(err, &used):
		return "key_used"
	case errors.As(err, &duplicate):
		return "duplicate"
	case errors.As(err, &full):
		return "quota_full"
	default:
		return "failed"
	}
}

// prepare encodes and seals the events outside the queue, and sorts the streams into the order of locking.
func (s *Store) prepare(ctx context.Context, together []Append) (*pending, error) {
	p := &pending{}
	var secrets []secret
	seen := map[uuid.UUID]bool{}
	for i := range together {
		more, err := s.encode(ctx, &together[i], p, seen)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, more...)
	}
	fresh, err := s.keys.seal(ctx, secrets)
	if err != nil {
		return nil, err
	}
	p.fresh = fresh
	// Stable: two writes to one stream keep their order.
	slices.SortStableFunc(p.writes, func(a, b pendingWrite) int { return cmp.Compare(a.stream, b.stream) })
	return p, nil
}

// encode puts one append into p and returns the fields that must still be sealed. seen are the ids of events so far.
func (s *Store) encode(ctx context.Context, a *Append, p *pending, seen map[uuid.UUID]bool) (secrets []secret, err error) {
	about := a.Metadata
	if about.Trace == "" {
		about.Trace = traceparent.Of(ctx)
	}
	metadata, err := json.Marshal(about)
	if err != nil {
		return nil, fmt.Errorf("encode metadata: %w", err)
	}
	at := a.At
	if at.IsZero() {
		at = s.opts.Clock()
	}
	if a.Key != nil {
		if !(storable(a.Key.Scope) && storable(a.Key.Key)) {
			return nil, fmt.Errorf("idempotency key %q in %q cannot be stored", a.Key.Key, a.Key.Scope)
		}
		p.keys = append(p.keys, a.Key)
	}
	p.claims, p.yields = append(p.claims, a.Claims...), append(p.yields, a.Yields...)
	for _, w := range a.Writes {
		if w.Stream == "" || !storable(w.Stream) {
			return nil, fmt.Errorf("stream name %q cannot be stored", w.Stream)
		}
		if w.Expected < AnyVersion {
			return nil, fmt.Errorf("stream %s: no version is %d", w.Stream, w.Expected)
		}
		pw := pendingWrite{stream: w.Stream, slice: SliceOf(w.Stream), expected: w.Expected, rows: make([]row, len(w.Events))}
		for i, e := range w.Events {
			encoded, err := s.codec.Encode(e.Data)
			if err != nil {
				return nil, fmt.Errorf("stream %s: %w", w.Stream, err)
			}
			id := e.ID
			if id == uuid.Nil {
				if id, err = uuid.NewV7(); err != nil {
					return nil, fmt.Errorf("make an event id: %w", err)
				}
			}
			if seen[id] {
				return nil, &DuplicateEvent{ID: id}
			}
			seen[id] = true
			pw.rows[i] = row{id: id, typ: encoded.Type, schema: int16(encoded.Schema), data: encoded.Payload, metadata: metadata, at: at}
			if encoded.Person != uuid.Nil && len(encoded.Sealed) > 0 {
				secrets = append(secrets, secret{person: encoded.Person, first: encoded.NewPerson, fields: encoded.Sealed, row: &pw.rows[i]})
			}
		}
		p.events += len(pw.rows)
		p.writes = append(p.writes, pw)
	}
	return secrets, nil
}

// storable says whether PostgreSQL can hold the text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// settle commits a batch of the queue and answers its members.
func (s *Store) settle(batch []*queued) {
	group := make([]*pending, len(batch))
	for i, call := range batch {
		group[i] = call.In
	}
	for i, a := range s.commit(group) {
		batch[i].Reply(a, a.err)
	}
}

// commit settles a group, with an answer for each of its members.
func (s *Store) commit(group []*pending) []answer {
	// The group belongs to no caller, so no caller's context ends it; this bound is for a server that went silent.
	ctx, cancel := context.WithTimeout(context.Background(), groupTimeout)
	defer cancel()
	s.tel.groupSize.Record(ctx, int64(len(group)))

	verdict, err := s.tryFast(ctx, group)
	if errors.Is(err, errContended) {
		if err = s.keys.settle(ctx, group); err == nil {
			verdict, err = s.commitJudged(ctx, group, s.opts.LockWait)
		}
	}
	if err == nil {
		s.committed(verdict)
		return verdict
	}
	// Retry each append alone, so that the fault of one does not fail the others: only a lone append gets the error at once.
	lost := isLost(err)
	if len(group) == 1 && !lost && !isRetryable(err) {
		return []answer{{err: s.explain(ctx, group[0], err)}}
	}
	answers := make([]answer, len(group))
	for i := range answers {
		answers[i] = answer{alone: true, lost: lost}
	}
	return answers
}

// groupTimeout bounds one group's transaction, less than Options.Within, so that its members can find out what became of it.
const groupTimeout = 5 * time.Second

// committed wakes readers when something was written.
func (s *Store) committed(verdict []answer) {
	s.server.acknowledge(highest(verdict))
	for _, v := range verdict {
		if v.appended.Position > 0 {
			s.appended.Wake()
			s.grown.Wake()
			return
		}
	}
}

// attempts of an append that goes alone, and the pause before the next, which doubles. One that found a stream or key
// locked does not count: whoever holds it is soon made to let go.
const (
	aloneAttempts = 6
	alonePause    = 20 * time.Millisecond
	longestPause  = 200 * time.Millisecond
)

// appendAlone settles one append in a transaction of its own, in its caller's time. With lost set, an earlier
// attempt may have been committed although its answer never came; the events' ids tell.
func (s *Store) appendAlone(ctx context.Context, p *pending, lost bool) (Appended, error) {
	select {
	case s.alone <- struct{}{}:
		defer func() { <-s.alone }()
	case <-ctx.Done():
		return Appended{}, ctx.Err()
	}
	pause := alonePause
	for attempt := 1; ; {
		var verdict []answer
		var err error
		if lost {
			var stored *Appended
			if stored, err = storedBy(ctx, s.pool, p); stored != nil {
				return *stored, nil
			}
			if err != nil {
				err = lostError{err} // still open
			}
		}
		if err == nil {
			err = s.keys.settle(ctx, []*pending{p})
		}
		if err == nil {
			if verdict, err = s.commitJudged(ctx, []*pending{p}, aloneLockWait); err == nil {
				s.committed(verdict)
				err = verdict[0].err
				if err == nil {
					return verdict[0].appended, nil
				}
			}
		}
		// The attempt that was lost may have come through between the look and the refusal.
		if lost && err != nil && outcomeOf(s.explain(ctx, p, err)) != "failed" {
			if stored, _ := storedBy(ctx, s.pool, p); stored != nil {
				return *stored, nil
			}
		}
		wasLost := isLost(err)
		lost = lost || wasLost
		if state(err) != stateLockTimeout {
			attempt++
		}
		if !(wasLost || isRetryable(err)) || attempt > aloneAttempts || ctx.Err() != nil {
			switch ended := ctx.Err(); {
			case ended == nil:
				err = s.explain(ctx, p, err)
			case wasLost || isRetryable(err):
				err = fmt.Errorf("append: %w: %w", ended, err)
			}
			return Appended{}, err
		}
		if !wake.Pause(ctx, pause) {
			return Appended{}, ctx.Err()
		}
		pause = min(2*pause, longestPause)
	}
}
