package main

import (
	"context"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// subscriber offers a range of the stream to a Watermill router. It keeps no consumer in JetStream: the file knows the place,
// and whatever comes again is passed over.
type subscriber struct {
	conn *nats.Conn
	file *file
}

// Subscribe reads a range, "0" to "3", from the beginning of what the stream has.
func (s subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	js, err := jetstream.New(s.conn)
	if err != nil {
		return nil, err
	}
	consumer, err := js.OrderedConsumer(ctx, "SHOP_LOG", jetstream.OrderedConsumerConfig{FilterSubjects: []string{"shop.log." + topic}})
	if err != nil {
		return nil, err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, messages.Stop)
	out := make(chan *message.Message)
	go func() {
		defer close(out)
		defer stop()
		for {
			came, err := messages.Next()
			if err != nil {
				return
			}
			if !deliver(ctx, came, out) {
				return
			}
		}
	}()
	return out, nil
}

// deliver hands a message on until it is taken.
func deliver(ctx context.Context, came jetstream.Msg, out chan<- *message.Message) bool {
	for {
		msg := message.NewMessageWithContext(ctx, watermill.NewUUID(), came.Data())
		for key := range came.Headers() {
			msg.Metadata.Set(key, came.Headers().Get(key))
		}
		select {
		case out <- msg:
		case <-ctx.Done():
			return false
		}
		select {
		case <-msg.Acked():
			return true
		case <-msg.Nacked():
		case <-ctx.Done():
			return false
		}
	}
}

// Close does nothing: a subscription ends with its context.
func (subscriber) Close() error { return nil }
