package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shop/eventstore"
	"shop/eventstore/feed"
)

// Publisher is a Watermill publisher of feed.Relay's messages into a Stream. It returns when JetStream keeps a message.
type Publisher struct {
	conn     *nats.Conn
	settings Settings
	source   feed.RawSource
	log      *slog.Logger
	ranges   [eventstore.Ranges]end
	counters counters

	mu sync.Mutex
	// stream is prepared when it is needed first: NATS may be away when the process starts.
	stream *Stream
	// epoch is that of the log; empty: nobody asked yet. A process never sees another one.
	epoch string
}

// end is what the publisher believes to be the end of a range's subject.
type end struct {
	mu     sync.Mutex
	stream *Stream
	known  bool
	seq    uint64
	last   eventstore.Position
	epoch  string
}

// NewPublisher publishes what source holds into the stream of its log, which it prepares.
func NewPublisher(conn *nats.Conn, s Settings, source feed.RawSource, log *slog.Logger) *Publisher {
	return &Publisher{conn: conn, settings: s.withDefaults(), source: source, log: log, counters: newCounters()}
}

// ready is the stream, prepared.
func (p *Publisher) ready(ctx context.Context) (*Stream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream != nil {
		return p.stream, nil
	}
	epoch, err := p.source.Epoch(ctx)
	if err != nil {
		return nil, err
	}
	p.epoch = epoch.String()
	p.stream, err = Prepare(ctx, p.conn, epoch.Log, p.settings)
	return p.stream, err
}

// doubt has the stream looked for again: it may have been deleted.
func (p *Publisher) doubt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stream = nil
}

// Close does nothing: the connection is the caller's.
func (p *Publisher) Close() error { return nil }

// publishWithin is how long JetStream may take to keep a message.
const publishWithin = 5 * time.Second

// Publish keeps messages of one range, in order.
func (p *Publisher) Publish(topic string, messages ...*message.Message) error {
	for _, msg := range messages {
		b, err := batchOf(msg)
		if err != nil {
			return err
		}
		if p.settings.Subject(b.rng) != topic {
			return fmt.Errorf("topic %s is not that of range %d", topic, b.rng)
		}
		ctx, cancel := context.WithTimeout(msg.Context(), publishWithin)
		err = p.publish(ctx, b)
		cancel()
		if err != nil {
			return fmt.Errorf("publish range %d from position %d: %w", b.rng, b.first, err)
		}
	}
	return nil
}

// batch is what is to be published: events of one range after a position.
type batch struct {
	rng                   int
	epoch, id             string
	previous, first, last eventstore.Position
	payload               []byte
}

func batchOf(msg *message.Message) (b batch, err error) {
	number := func(key string) eventstore.Position {
		n, bad := strconv.ParseInt(msg.Metadata.Get(key), 10, 64)
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("metadata %s: %w", key, bad))
		}
		return eventstore.Position(n)
	}
	b = batch{
		rng: int(number(feed.RangeKey)), epoch: msg.Metadata.Get(feed.EpochKey), id: msg.UUID,
		previous: number(feed.PreviousKey), first: number(feed.FirstKey), last: number(feed.LastKey), payload: msg.Payload,
	}
	if err == nil && (b.rng < 0 || b.rng >= eventstore.Ranges) {
		err = fmt.Errorf("there is no range %d", b.rng)
	}
	return b, err
}

// attempts is how often a refusal of JetStream is looked into before the feed waits.
const attempts = 5

// publish adds to the stream what of a batch is not there yet.
func (p *Publisher) publish(ctx context.Context, b batch) error {
	at := &p.ranges[b.rng]
	at.mu.Lock()
	defer at.mu.Unlock()
	stream, err := p.ready(ctx)
	if err != nil {
		return err
	}
	if at.stream != stream {
		at.stream, at.known = stream, false
	}
	for range attempts {
		if err = p.find(ctx, at, b); err != nil {
			return err
		}
		if at.seq > 0 && at.last >= b.last {
			return nil // an attempt whose answer was lost, or another relay
		}
		if at.seq > 0 && at.last < b.previous {
			err = p.fill(ctx, at, b)
		}
		if err == nil {
			err = p.append(ctx, at, b)
		}
		if !refused(err) {
			return err
		}
		// Another relay was here, or an earlier attempt of this one.
		at.known = false
		p.log.Info("the range has another end than this relay believed", "range", b.rng, "position", b.first)
	}
	return err
}

// find learns the end of the range from JetStream where it is not known.
func (p *Publisher) find(ctx context.Context, at *end, b batch) error {
	if at.known {
		return nil
	}
	t, err := at.stream.tail(ctx, b.rng)
	if errors.Is(err, ErrForged) {
		// Somebody else may publish here. Readers do not use it, and what they had before it may come again.
		p.log.Error("the last message of a range is not a relay's; it is passed over", "range", b.rng, "sequence", t.seq, "error", err)
		t.Received, err = Received{Epoch: b.epoch, Last: max(b.previous, at.last)}, nil
	}
	if err != nil {
		return err
	}
	at.seq, at.last, at.epoch = t.seq, t.Last, t.Epoch
	if at.seq > 0 && at.epoch != b.epoch {
		there, err := p.isThere(ctx, t)
		if err != nil {
			return err
		}
		if !there {
			p.log.Error("the stream knows events that the log has lost; readers find a new epoch and have to compare",
				"range", b.rng, "stream_ends", at.last, "epoch", at.epoch, "goes_on_at", b.first, "new_epoch", b.epoch)
			at.last = b.previous
		}
		at.epoch = b.epoch
	}
	at.known = true
	return nil
}

// isThere says whether the log has the last event of a message under its position.
func (p *Publisher) isThere(ctx context.Context, t tail) (bool, error) {
	raw, err := p.source.Raw(ctx, eventstore.Query{After: t.Last - 1, UpTo: t.Last, Range: t.Range})
	if err != nil {
		return false, err
	}
	return len(raw) == 1 && raw[0].ID.String() == t.Events[len(t.Events)-1].ID, nil
}

// fill publishes from the log what lies between the end of the range and a batch: JetStream has lost it.
func (p *Publisher) fill(ctx context.Context, at *end, b batch) error {
	p.log.Warn("the stream lost the end of a range; it is published again from the log", "range", b.rng, "after", at.last, "up_to", b.previous)
	for at.last < b.previous {
		raw, err := p.source.Raw(ctx, eventstore.Query{After: at.last, UpTo: b.previous, Range: b.rng, Limit: 1000})
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			return nil
		}
		epoch, err := p.source.Epoch(ctx)
		if err != nil {
			return err
		}
		missing := batch{
			rng: b.rng, epoch: epoch.String(), previous: at.last, first: raw[0].Position, last: raw[len(raw)-1].Position, payload: feed.CloudEvents(epoch, raw),
		}
		missing.id = idOf(missing)
		if err := p.append(ctx, at, missing); err != nil {
			return err
		}
	}
	return nil
}

func idOf(b batch) string { return fmt.Sprintf("%s/%d/%d-%d", b.epoch, b.rng, b.first, b.last) }

// append sends what of a batch lies after the end of the range, in messages that JetStream takes.
func (p *Publisher) append(ctx context.Context, at *end, b batch) error {
	most := int(at.stream.conn.MaxPayload()) - 2048 // of headers
	if most <= 0 {
		return nats.ErrDisconnected
	}
	if (at.seq == 0 || at.last < b.first) && len(b.payload) <= most {
		if at.seq > 0 {
			b.previous = max(b.previous, at.last)
		}
		return p.send(ctx, at, b)
	}
	items, err := itemsOf(b.payload)
	if err != nil {
		return err
	}
	before := b.previous
	for len(items) > 0 {
		if at.seq > 0 && items[0].at <= at.last {
			before, items = max(before, items[0].at), items[1:]
			continue
		}
		n, size := 0, 2
		for n < len(items) && size+len(items[n].written)+1 <= most {
			size += len(items[n].written) + 1
			n++
		}
		if n == 0 {
			return fmt.Errorf("the event at position %d has %d bytes, NATS takes %d: raise max_payload of NATS", items[0].at, len(items[0].written), most)
		}
		part := batch{rng: b.rng, epoch: b.epoch, previous: before, first: items[0].at, last: items[n-1].at, payload: payloadOf(items[:n])}
		part.id = idOf(part)
		if err := p.send(ctx, at, part); err != nil {
			return err
		}
		before, items = part.last, items[n:]
	}
	return nil
}

// errRepeated: JetStream takes the message for one that it had before.
var errRepeated = errors.New("the message has an id that JetStream knows")

// refused says that JetStream has another end of the range than was expected.
func refused(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, errRepeated) || errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// send gives one message to JetStream and waits until it is kept.
func (p *Publisher) send(ctx context.Context, at *end, b batch) error {
	msg := &nats.Msg{Subject: at.stream.Subject(b.rng), Data: b.payload, Header: nats.Header{
		feed.ContentTypeKey: {feed.ContentTypeBatch}, feed.RangeKey: {strconv.Itoa(b.rng)}, feed.EpochKey: {b.epoch},
		feed.PreviousKey: {text(b.previous)}, feed.FirstKey: {text(b.first)}, feed.LastKey: {text(b.last)},
	}}
	kept, err := at.stream.js.PublishMsg(ctx, msg, jetstream.WithMsgID(b.id), jetstream.WithExpectStream(at.stream.Settings.Stream),
		jetstream.WithExpectLastSequencePerSubject(at.seq))
	if err == nil && kept.Duplicate {
		// Either it is there, or it was purged a moment ago and its id is remembered.
		if kept.Sequence <= at.seq || !holds(ctx, at, b) {
			msg.Header.Set(nats.MsgIdHdr, b.id+"/"+uuid.NewString())
			kept, err = at.stream.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(at.seq))
		} else {
			err = errRepeated
		}
	}
	p.counters.count(err)
	if err != nil {
		at.known = false
		if !refused(err) {
			p.doubt()
		}
		return err
	}
	at.seq, at.last = kept.Sequence, b.last
	return nil
}

// holds says whether the stream ends at or after a batch.
func holds(ctx context.Context, at *end, b batch) bool {
	t, err := at.stream.tail(ctx, b.rng)
	return err == nil && t.seq > 0 && t.Last >= b.last
}

func text(p eventstore.Position) string { return strconv.FormatInt(int64(p), 10) }
