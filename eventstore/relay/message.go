package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"

	"shop/eventstore"
	"shop/eventstore/feed"
)

// Received is a message of the stream, checked.
type Received struct {
	Epoch string
	Range int
	// Previous is the position of the range's event before First; 0: there is none.
	Previous, First, Last eventstore.Position
	Events                []feed.CloudEvent
}

// ErrForged: a message is not what a relay publishes. It is not used.
var ErrForged = errors.New("the message is not what a relay publishes")

// Receive reads a message. It trusts nothing: headers, payload, ranges and the order of positions must agree.
func Receive(header nats.Header, payload []byte) (r Received, err error) {
	number := func(key string, least int64) int64 {
		n, bad := strconv.ParseInt(header.Get(key), 10, 64)
		if bad != nil || n < least {
			err = errors.Join(err, fmt.Errorf("%w: %s is %q", ErrForged, key, header.Get(key)))
		}
		return n
	}
	r.Epoch = header.Get(feed.EpochKey)
	r.Range = int(number(feed.RangeKey, 0))
	r.Previous = eventstore.Position(number(feed.PreviousKey, 0))
	r.First, r.Last = eventstore.Position(number(feed.FirstKey, 1)), eventstore.Position(number(feed.LastKey, 1))
	if err != nil {
		return r, err
	}
	if r.Epoch == "" || r.Range >= eventstore.Ranges || r.Previous >= r.First {
		return r, fmt.Errorf("%w: epoch %q, range %d, %d after %d", ErrForged, r.Epoch, r.Range, r.First, r.Previous)
	}
	if err := json.Unmarshal(payload, &r.Events); err != nil {
		return r, fmt.Errorf("%w: %w", ErrForged, err)
	}
	before := r.Previous
	for i := range r.Events {
		at, err := positionOf(&r.Events[i])
		if err != nil {
			return r, err
		}
		if at <= before || eventstore.RangeOf(eventstore.SliceOf(r.Events[i].Subject)) != r.Range {
			return r, fmt.Errorf("%w: position %d of %s after %d in range %d", ErrForged, at, r.Events[i].Subject, before, r.Range)
		}
		if i == 0 && at != r.First {
			return r, fmt.Errorf("%w: it begins at %d, not at %d", ErrForged, at, r.First)
		}
		before = at
	}
	if len(r.Events) == 0 || before != r.Last {
		return r, fmt.Errorf("%w: %d events end at %d, not at %d", ErrForged, len(r.Events), before, r.Last)
	}
	return r, nil
}

// Passed says that a message holds nothing for a reader that has an epoch up to a position, without reading it.
func Passed(header nats.Header, epoch string, has eventstore.Position) bool {
	last, err := strconv.ParseInt(header.Get(feed.LastKey), 10, 64)
	return err == nil && header.Get(feed.EpochKey) == epoch && eventstore.Position(last) <= has
}

func positionOf(e *feed.CloudEvent) (eventstore.Position, error) {
	p, err := strconv.ParseInt(e.Position, 10, 64)
	if err != nil || p < 1 {
		return 0, fmt.Errorf("%w: an event at %q", ErrForged, e.Position)
	}
	return eventstore.Position(p), nil
}

// item is an event of a payload as it was written.
type item struct {
	at      eventstore.Position
	id      string
	written json.RawMessage
}

// itemsOf takes a payload apart.
func itemsOf(payload []byte) ([]item, error) {
	var written []json.RawMessage
	if err := json.Unmarshal(payload, &written); err != nil {
		return nil, fmt.Errorf("read a batch of events: %w", err)
	}
	items := make([]item, len(written))
	for i, w := range written {
		var of struct{ ID, Position string }
		if err := json.Unmarshal(w, &of); err != nil {
			return nil, fmt.Errorf("read a batch of events: %w", err)
		}
		at, err := strconv.ParseInt(of.Position, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read a batch of events: %w", err)
		}
		items[i] = item{at: eventstore.Position(at), id: of.ID, written: w}
	}
	return items, nil
}

// payloadOf puts items together again.
func payloadOf(items []item) []byte {
	payload := []byte{'['}
	for i, it := range items {
		if i > 0 {
			payload = append(payload, ',')
		}
		payload = append(payload, it.written...)
	}
	return append(payload, ']')
}
