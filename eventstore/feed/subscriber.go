package feed

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"shop/eventstore"
	"shop/eventstore/traceparent"
	"shop/eventstore/wake"
)

// Batch is a run of wanted events of one range, in order. It travels in a message's context.
type Batch struct {
	Consumer string
	Range    int
	// After and UpTo bound what the batch covers; a consumer that has handled it stands at UpTo.
	After, UpTo eventstore.Position
	// Events are those that can be decoded; Apply parks the others.
	Events []eventstore.Event

	part    *partition
	entries []eventstore.Event
	// stored are the entries as they are in the log, where they were read so; nil: not yet.
	stored  []eventstore.Raw
	epoch   int
	applied bool
}

type batchKey struct{}

// BatchOf finds the batch in a message's context.
func BatchOf(ctx context.Context) (*Batch, bool) {
	b, ok := ctx.Value(batchKey{}).(*Batch)
	return b, ok
}

// Apply runs the consumer's Handle and moves its checkpoint in one transaction. An error means that nothing was done
// and that another attempt may succeed.
func (b *Batch) Apply(ctx context.Context) error {
	b.applied = true
	return b.part.apply(ctx, b)
}

// Subscriber offers a consumer to a Watermill router of the caller's own; the feed must run. Topics are the ranges, "0"
// to "3". A message carries a Batch in its context and, for a consumer with Messages, its events as payload. A handler either calls
// the batch's Apply, or does its own work and acks: then the checkpoint moves after it, which means at least once.
func (f *Feed) Subscriber(c Consumer) message.Subscriber {
	return &subscriber{feed: f, consumer: f.register(c, false), closing: make(chan struct{})}
}

type subscriber struct {
	feed     *Feed
	consumer *consumer
	closing  chan struct{}
	once     sync.Once
	ranges   sync.WaitGroup
}

// Subscribe starts the work on one range.
func (s *subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	r, err := strconv.Atoi(topic)
	if err != nil || r < 0 || r >= eventstore.Ranges {
		return nil, fmt.Errorf("topic %q is no range of slices", topic)
	}
	out := make(chan *message.Message)
	s.ranges.Go(func() {
		defer close(out)
		s.work(ctx, s.consumer.parts[r], out)
	})
	return out, nil
}

// Close lets the batches in flight be handled and ends the subscriptions.
func (s *subscriber) Close() error {
	s.once.Do(func() { close(s.closing) })
	s.ranges.Wait()
	return nil
}

// work delivers one batch after the other, each when the one before was acked.
func (s *subscriber) work(ctx context.Context, p *partition, out chan<- *message.Message) {
	// Waiting ends with the subscription; a message in flight lives on until it is acked.
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ranges.Go(func() {
		select {
		case <-s.closing:
			cancel()
		case <-waiting.Done():
		}
	})
	var backoff time.Duration
	for {
		batch, err := p.next(waiting)
		if waiting.Err() != nil {
			return
		}
		if err == nil {
			err = s.deliver(waiting, batch, out)
			if waiting.Err() != nil {
				return
			}
		}
		if err == nil {
			backoff = 0
			continue
		}
		backoff = min(max(2*backoff, 25*time.Millisecond), maxBackoff)
		s.feed.log.Warn("consumer tries again", "consumer", s.consumer.Name, "range", p.number, "error", err, "again_in", backoff)
		wake.Pause(waiting, backoff)
	}
}

// deliver sends a batch and waits for its end.
func (s *subscriber) deliver(waiting context.Context, b *Batch, out chan<- *message.Message) error {
	ctx, cancel := context.WithCancel(context.WithValue(s.feed.life.handling, batchKey{}, b))
	defer cancel()
	msg, err := b.message(ctx)
	if err != nil {
		return err
	}
	select {
	case out <- msg:
	case <-waiting.Done():
		return waiting.Err()
	}
	select {
	case <-msg.Acked():
		if !b.applied {
			b.part.advance(b.After, b.UpTo, b.epoch)
			b.part.sent = sent{epoch: b.epoch, last: b.entries[len(b.entries)-1].Position}
			b.part.gathering.after(0, gatherFor)
		}
		return nil
	case <-msg.Nacked():
		return errNacked
	}
}

var errNacked = fmt.Errorf("the batch was not handled")

// maxLinks bounds the traces a span of a batch is linked to.
const maxLinks = 32

// traced is the middleware that joins the handling to the traces of the events: one trace is continued, several are linked.
func (f *Feed) traced(next message.HandlerFunc) message.HandlerFunc {
	return func(msg *message.Message) ([]*message.Message, error) {
		b, ok := BatchOf(msg.Context())
		if !ok {
			return next(msg)
		}
		ctx := msg.Context()
		var links []trace.Link
		seen := map[string]bool{}
		for i := range b.entries {
			header := b.entries[i].Metadata.Trace
			if header == "" || seen[header] || len(links) == maxLinks {
				continue
			}
			seen[header] = true
			if origin := traceparent.SpanContext(header); origin.IsValid() {
				links = append(links, trace.Link{SpanContext: origin})
			}
		}
		if len(links) == 1 {
			ctx = trace.ContextWithRemoteSpanContext(ctx, links[0].SpanContext)
			links = nil
		}
		ctx, span := f.opts.Tracer.Start(ctx, "consume "+b.Consumer, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(links...),
			trace.WithAttributes(attribute.String("shop.consumer", b.Consumer), attribute.Int("shop.range", b.Range),
				attribute.Int("shop.events", len(b.entries)), attribute.Int64("shop.position", int64(b.UpTo))))
		defer span.End()
		msg.SetContext(ctx)
		produced, err := next(msg)
		if err != nil {
			span.RecordError(err)
			span.SetStatus(codes.Error, err.Error())
		}
		return produced, err
	}
}

// measured is the middleware that counts events and tells how late they are handled.
func (f *Feed) measured(next message.HandlerFunc) message.HandlerFunc {
	return func(msg *message.Message) ([]*message.Message, error) {
		produced, err := next(msg)
		if b, ok := BatchOf(msg.Context()); ok && err == nil {
			consumer := metric.WithAttributeSet(attribute.NewSet(attribute.String("consumer", b.Consumer)))
			f.tel.batch.Record(msg.Context(), int64(len(b.entries)), consumer)
			// The oldest of a batch waited longest.
			f.tel.lag.Record(msg.Context(), f.opts.Clock().Sub(b.entries[0].RecordedAt).Seconds(), consumer)
		}
		return produced, err
	}
}
