package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// Log is a Source. The zero value is empty and ready.
type Log struct {
	mu       sync.Mutex
	events   []eventstore.Event
	versions map[string]eventstore.Version
	erasures int64

	grown, erased wake.Broadcast
}

// Append adds events to the end of a stream and returns the position of the last. An error as data is an event that
// cannot be decoded for this reason.
func (l *Log) Append(stream string, data ...any) eventstore.Position {
	l.mu.Lock()
	if l.versions == nil {
		l.versions = map[string]eventstore.Version{}
	}
	for _, d := range data {
		l.versions[stream]++
		e := eventstore.Event{Stream: stream, Slice: eventstore.SliceOf(stream), Version: l.versions[stream], Position: l.end() + 1, Type: "event", Data: d}
		if err, ok := d.(error); ok {
			e.Data = eventstore.Unreadable{Err: err}
		}
		if typed, ok := d.(interface{ EventType() string }); ok {
			e.Type = typed.EventType()
		}
		l.events = append(l.events, e)
	}
	end := l.end()
	l.mu.Unlock()
	l.grown.Wake()
	return end
}

func (l *Log) end() eventstore.Position { return eventstore.Position(len(l.events)) }

// Mend replaces what cannot be decoded in an event.
func (l *Log) Mend(p eventstore.Position, data any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = slices.Clone(l.events) // readers may still have the old ones
	l.events[p-1].Data = data
}

// Erase says that a person was erased.
func (l *Log) Erase() {
	l.mu.Lock()
	l.erasures++
	l.mu.Unlock()
	l.erased.Wake()
}

// Heads are all at the end: no append is ever half done.
func (l *Log) Heads(ctx context.Context) (heads eventstore.Heads, end eventstore.Position, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for r := range heads {
		heads[r] = l.end()
	}
	return heads, l.end(), ctx.Err()
}

// Between: see feed.Source.
func (l *Log) Between(ctx context.Context, after, upTo eventstore.Heads, limit int) ([]eventstore.Event, error) {
	return l.find(ctx, limit, func(e *eventstore.Event) bool {
		r := eventstore.RangeOf(e.Slice)
		return e.Position > after[r] && e.Position <= upTo[r]
	})
}

// Inspect: see feed.Source.
func (l *Log) Inspect(ctx context.Context, q eventstore.Query) ([]eventstore.Event, error) {
	return l.find(ctx, q.Limit, func(e *eventstore.Event) bool {
		return e.Position > q.After && e.Position <= q.UpTo && (q.Range < 0 || eventstore.RangeOf(e.Slice) == q.Range) &&
			(len(q.Types) == 0 || slices.Contains(q.Types, e.Type))
	})
}

// At: see feed.Source.
func (l *Log) At(ctx context.Context, positions []eventstore.Position) ([]eventstore.Event, error) {
	found, err := l.find(ctx, 0, func(e *eventstore.Event) bool { return slices.Contains(positions, e.Position) })
	slices.SortStableFunc(found, func(a, b eventstore.Event) int { return cmp.Compare(a.Stream, b.Stream) })
	return found, err
}

func (l *Log) find(ctx context.Context, limit int, matches func(*eventstore.Event) bool) (found []eventstore.Event, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.events {
		if limit > 0 && len(found) == limit {
			break
		}
		if matches(&l.events[i]) {
			found = append(found, l.events[i])
		}
	}
	return found, ctx.Err()
}

// Raw: see feed.RawSource. Data is the event's JSON.
func (l *Log) Raw(ctx context.Context, q eventstore.Query) ([]eventstore.Raw, error) {
	found, err := l.Inspect(ctx, q)
	if err != nil {
		return nil, err
	}
	return storedOf(found)
}

// BetweenBoth: see feed.RawSource.
func (l *Log) BetweenBoth(ctx context.Context, after, upTo eventstore.Heads, limit int) ([]eventstore.Event, []eventstore.Raw, error) {
	found, err := l.Between(ctx, after, upTo, limit)
	if err != nil {
		return nil, nil, err
	}
	stored, err := storedOf(found)
	return found, stored, err
}

func storedOf(found []eventstore.Event) ([]eventstore.Raw, error) {
	stored := make([]eventstore.Raw, len(found))
	for i, e := range found {
		data := any(struct{}{})
		if _, broken := e.Data.(eventstore.Unreadable); !broken {
			data = e.Data
		}
		payload, err := json.Marshal(data)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", e.Type, err)
		}
		stored[i] = eventstore.Raw{
			ID: uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%d", e.Position)), Stream: e.Stream, Version: e.Version, Position: e.Position,
			Type: e.Type, Schema: 1, RecordedAt: e.RecordedAt, Metadata: e.Metadata, Data: payload,
		}
	}
	return stored, nil
}

// Last: see feed.RawSource.
func (l *Log) Last(ctx context.Context, rng int, types []string, upTo eventstore.Position) (eventstore.Position, error) {
	found, err := l.Inspect(ctx, eventstore.Query{UpTo: upTo, Range: rng, Types: types})
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[len(found)-1].Position, nil
}

// Epoch: see feed.RawSource. All logs of this package have one.
func (l *Log) Epoch(ctx context.Context) (eventstore.Epoch, error) {
	return eventstore.Epoch{Log: uuid.NewSHA1(uuid.NameSpaceOID, []byte("memory"))}, ctx.Err()
}

// Grown: see feed.Source.
func (l *Log) Grown() (grown <-chan struct{}, stop func()) { return l.grown.Listen() }

// Erased: see feed.Source.
func (l *Log) Erased() (erased <-chan struct{}, stop func()) { return l.erased.Listen() }

// Erasures: see feed.Source.
func (l *Log) Erasures() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.erasures
}

// ErasedSince: see feed.Source. It names nobody.
func (l *Log) ErasedSince(int64) (persons []uuid.UUID, now int64, all bool) {
	return nil, l.Erasures(), true
}

// ErrUnavailable is an error that another attempt may not have.
var ErrUnavailable = errors.New("not available for the moment")
