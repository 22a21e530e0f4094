package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/go-json-experiment/json/jsontext"

	"shop/eventstore"
)

// RawSource is a Source that has events as they are stored, for consumers with Messages. *eventstore.Store is one.
type RawSource interface {
	Source
	// Raw is Inspect of events as they are stored.
	Raw(ctx context.Context, q eventstore.Query) ([]eventstore.Raw, error)
	// BetweenBoth is Between, and beside each event as it is stored.
	BetweenBoth(ctx context.Context, after, upTo eventstore.Heads, limit int) ([]eventstore.Event, []eventstore.Raw, error)
	// Last is the position of the last wanted event of a range up to a position; no types: all are wanted. 0: there is none.
	Last(ctx context.Context, rng int, types []string, upTo eventstore.Position) (eventstore.Position, error)
	// Epoch names the log and its history.
	Epoch(ctx context.Context) (eventstore.Epoch, error)
}

// What the metadata of a message holds beside Watermill's correlation id. Epoch and Previous let a receiver find out that it
// missed something: Previous is the last position that it was sent for this range, under the same epoch.
const (
	// ContentTypeKey is of ContentTypeBatch.
	ContentTypeKey = "Content-Type"
	// ConsumerKey is of the consumer's name, RangeKey of the range's number.
	ConsumerKey = "Shop-Consumer"
	RangeKey    = "Shop-Range"
	// FirstKey and LastKey are of the positions of the first and the last event, PreviousKey is of that of the wanted event before the
	// first: 0 at the beginning.
	FirstKey    = "Shop-First"
	LastKey     = "Shop-Last"
	PreviousKey = "Shop-Previous"
	// EpochKey is of the eventstore.Epoch.
	EpochKey = "Shop-Epoch"
)

// ContentTypeBatch is the content type of a payload: CloudEvents 1.0, JSON Batch Format.
const ContentTypeBatch = "application/cloudevents-batch+json; charset=UTF-8"

// describedBatch is how many events a message holds at most: a broker that flushes each message takes in more of them at once
// the fewer messages they are.
const describedBatch = 1000

// CloudEvent is an event in a message's payload. Attributes that CloudEvents does not define are extensions; positions and
// versions are text, because its integers have 32 bits.
type CloudEvent struct {
	SpecVersion     string    `json:"specversion"`
	ID              string    `json:"id"`
	Source          string    `json:"source"`
	Type            string    `json:"type"`
	Subject         string    `json:"subject"`
	Time            time.Time `json:"time"`
	DataContentType string    `json:"datacontenttype"`
	// Position is the event's place in the log, StreamVersion that in its stream (Subject). SchemaVersion is that of Data.
	Position      string `json:"position"`
	StreamVersion string `json:"streamversion"`
	SchemaVersion int    `json:"schemaversion"`
	CorrelationID string `json:"correlationid,omitempty"`
	CausationID   string `json:"causationid,omitempty"`
	Actor         string `json:"actor,omitempty"`
	// Imported: the event belongs to another system's past.
	Imported bool `json:"imported,omitempty"`
	// TraceParent is W3C's.
	TraceParent string `json:"traceparent,omitempty"`
	// Data is the payload as stored: personal fields are sealed, and $sealed says whose key opens them.
	Data json.RawMessage `json:"data"`
}

// CloudEvents is a payload of events of a log: an array of CloudEvent.
func CloudEvents(epoch eventstore.Epoch, events []eventstore.Raw) []byte {
	size := 2
	for i := range events {
		size += 512 + len(events[i].Data)
	}
	payload := append(make([]byte, 0, size), '[')
	source := epoch.Log.String()
	for i := range events {
		if i > 0 {
			payload = append(payload, ',')
		}
		payload = appendCloudEvent(payload, source, &events[i])
	}
	return append(payload, ']')
}

// appendCloudEvent writes a CloudEvent without making one: relays write hundreds of thousands.
func appendCloudEvent(b []byte, log string, e *eventstore.Raw) []byte {
	text := func(name, value string) {
		b = append(append(append(b, ',', '"'), name...), '"', ':')
		b, _ = jsontext.AppendQuote(b, value) // what is not UTF-8 is replaced
	}
	known := func(name, value string) {
		if value != "" {
			text(name, value)
		}
	}
	b = append(b, `{"specversion":"1.0"`...)
	text("id", e.ID.String())
	text("source", "/logs/"+log)
	text("type", e.Type)
	text("subject", e.Stream)
	b = append(e.RecordedAt.UTC().AppendFormat(append(b, `,"time":"`...), time.RFC3339Nano), `","datacontenttype":"application/json"`...)
	b = append(strconv.AppendInt(append(b, `,"position":"`...), int64(e.Position), 10), '"')
	b = append(strconv.AppendInt(append(b, `,"streamversion":"`...), int64(e.Version), 10), '"')
	b = strconv.AppendInt(append(b, `,"schemaversion":`...), int64(e.Schema), 10)
	known("correlationid", e.Metadata.CorrelationID)
	known("causationid", e.Metadata.CausationID)
	known("actor", e.Metadata.Actor)
	if e.Metadata.Imported {
		b = append(b, `,"imported":true`...)
	}
	known("traceparent", e.Metadata.Trace)
	return append(append(append(b, `,"data":`...), e.Data...), '}')
}

func decimal(p eventstore.Position) string { return strconv.FormatInt(int64(p), 10) }

// message is the batch for Watermill. What it holds is written out only where the consumer asks for it.
func (b *Batch) message(ctx context.Context) (*message.Message, error) {
	if !b.part.consumer.Messages {
		msg := message.NewMessageWithContext(ctx, watermill.NewUUID(), nil)
		b.correlate(msg)
		return msg, nil
	}
	source, ok := b.part.feed.source.(RawSource)
	if !ok {
		return nil, fmt.Errorf("consumer %s: the log has no stored events for messages", b.Consumer)
	}
	first, last := b.entries[0].Position, b.entries[len(b.entries)-1].Position
	raw := b.stored
	if raw == nil && len(b.part.consumer.Types) == 0 {
		raw = b.part.feed.recent.asStored(b.Range, first-1, len(b.entries))
	}
	if raw == nil {
		var err error
		if raw, err = source.Raw(ctx, eventstore.Query{After: first - 1, UpTo: last, Range: b.Range, Types: b.part.consumer.Types}); err != nil {
			return nil, err
		}
	}
	if len(raw) != len(b.entries) {
		return nil, fmt.Errorf("consumer %s: %d of %d events from position %d are stored", b.Consumer, len(raw), len(b.entries), first)
	}
	epoch, err := b.part.feed.epochOf(ctx, source)
	if err != nil {
		return nil, err
	}
	previous, err := b.part.previous(ctx, source, b.epoch, first)
	if err != nil {
		return nil, err
	}
	// The same for the same events, so that a broker can tell a repetition.
	msg := message.NewMessageWithContext(ctx, fmt.Sprintf("%s/%d/%d-%d", epoch, b.Range, first, last), CloudEvents(epoch, raw))
	for key, value := range map[string]string{
		ContentTypeKey: ContentTypeBatch, ConsumerKey: b.Consumer, RangeKey: strconv.Itoa(b.Range), EpochKey: epoch.String(),
		FirstKey: decimal(first), LastKey: decimal(last), PreviousKey: decimal(previous),
	} {
		msg.Metadata.Set(key, value)
	}
	b.correlate(msg)
	return msg, nil
}

// epochOf names the log's history. A process never sees another one: see eventstore.Server.
func (f *Feed) epochOf(ctx context.Context, source RawSource) (eventstore.Epoch, error) {
	if known := f.epoch.Load(); known != nil {
		return *known, nil
	}
	epoch, err := source.Epoch(ctx)
	if err == nil {
		f.epoch.Store(&epoch)
	}
	return epoch, err
}

// sent is the last event that was handed on since the partition was loaded; the zero value: none. Only the goroutine that
// delivers looks at it.
type sent struct {
	epoch int
	last  eventstore.Position
}

// previous is the position of the wanted event before one.
func (p *partition) previous(ctx context.Context, source RawSource, epoch int, first eventstore.Position) (eventstore.Position, error) {
	if p.sent.last > 0 && p.sent.epoch == epoch {
		return p.sent.last, nil
	}
	return source.Last(ctx, p.number, p.consumer.Types, first-1)
}

// correlate gives a message the correlation id of its first event.
func (b *Batch) correlate(msg *message.Message) {
	if correlation := b.entries[0].Metadata.CorrelationID; correlation != "" {
		middleware.SetCorrelationID(correlation, msg)
	}
}
