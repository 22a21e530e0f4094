package relay

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// pulledAtOnce is how many messages are on their way to a reader: few, as each may hold a thousand events.
const pulledAtOnce = 16

// Messages reads a range of the stream from a sequence on, in order; it survives lost connections. Stop it. Without a sequence (0)
// it begins with what JetStream kept since a time; the zero time is the beginning.
func (s *Stream) Messages(ctx context.Context, rng int, from uint64, since time.Time) (jetstream.MessagesContext, error) {
	c := jetstream.OrderedConsumerConfig{FilterSubjects: []string{s.Subject(rng)}, DeliverPolicy: jetstream.DeliverAllPolicy}
	if from == 0 && !since.IsZero() {
		c.DeliverPolicy, c.OptStartTime = jetstream.DeliverByStartTimePolicy, &since
	}
	if from > s.info.State.FirstSeq && from <= s.info.State.LastSeq+1 { // otherwise the stream lost its end, and may use sequences again
		c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, from
	}
	consumer, err := s.js.OrderedConsumer(ctx, s.Settings.Stream, c)
	if err != nil {
		return nil, fmt.Errorf("read range %d of stream %s: %w", rng, s.Settings.Stream, err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(pulledAtOnce))
	if err != nil {
		return nil, fmt.Errorf("read range %d of stream %s: %w", rng, s.Settings.Stream, err)
	}
	return messages, nil
}
