package relay

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Messages reads a range of the stream from a sequence on, in order; it survives lost connections. Stop it.
func (s *Stream) Messages(ctx context.Context, rng int, from uint64) (jetstream.MessagesContext, error) {
	c := jetstream.OrderedConsumerConfig{FilterSubjects: []string{s.Subject(rng)}, DeliverPolicy: jetstream.DeliverAllPolicy}
	if from > s.info.State.FirstSeq && from <= s.info.State.LastSeq+1 { // otherwise the stream lost its end, and may use sequences again
		c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, from
	}
	consumer, err := s.js.OrderedConsumer(ctx, s.Settings.Stream, c)
	if err != nil {
		return nil, fmt.Errorf("read range %d of stream %s: %w", rng, s.Settings.Stream, err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(64))
	if err != nil {
		return nil, fmt.Errorf("read range %d of stream %s: %w", rng, s.Settings.Stream, err)
	}
	return messages, nil
}
