package past

import (
	"context"
	"errors"
	"slices"

	"shop/eventstore"
)

// Log is a log up to a position, for whoever folds single streams of it. It takes nothing.
type Log struct {
	Store *eventstore.Store
	UpTo  eventstore.Position
}

// errPast: the past does not change.
var errPast = errors.New("nothing is written into the past")

// Load reads streams as they were.
func (l Log) Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error) {
	found, err := l.Store.Load(ctx, from...)
	for stream, events := range found {
		if found[stream] = l.Until(events); len(found[stream]) == 0 {
			delete(found, stream)
		}
	}
	return found, err
}

// Stream reads one stream as it was.
func (l Log) Stream(ctx context.Context, stream string, after eventstore.Version, limit int) ([]eventstore.Event, error) {
	events, err := l.Store.Stream(ctx, stream, after, limit)
	return l.Until(events), err
}

// Until leaves out of a stream's events what came later: positions grow with versions.
func (l Log) Until(events []eventstore.Event) []eventstore.Event {
	n, _ := slices.BinarySearchFunc(events, l.UpTo+1, func(e eventstore.Event, p eventstore.Position) int { return int(e.Position - p) })
	return events[:n]
}

// Append refuses.
func (l Log) Append(context.Context, ...eventstore.Append) (eventstore.Appended, error) {
	return eventstore.Appended{}, errPast
}

// AppendEach refuses each.
func (l Log) AppendEach(_ context.Context, appends ...eventstore.Append) []eventstore.Result {
	results := make([]eventstore.Result, len(appends))
	for i := range results {
		results[i].Err = errPast
	}
	return results
}

// AppendLocked refuses.
func (l Log) AppendLocked(context.Context, eventstore.Lock, func(context.Context, eventstore.Locked) []eventstore.Append) ([]eventstore.Result, error) {
	return nil, errPast
}

// Recall remembers no request.
func (l Log) Recall(context.Context, string, string) (eventstore.Key, bool, error) {
	return eventstore.Key{}, false, nil
}
