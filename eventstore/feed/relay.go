package feed

import (
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"shop/eventstore"
)

// Relay publishes the events that a consumer wants, as messages (see CloudEvent), before Run. The consumer needs a name and
// nothing to handle. Range 2 goes to the topic "topic.2", each range in its order and one message at a time.
//
//	what may happen                      what is published
//	the publisher fails, or takes long   the same message again, more and more slowly; the other ranges go on
//	the process dies after publishing    the same events again, in messages that may be cut elsewhere: at least once
//	another process takes the range      it goes on at the checkpoint, which moves after the publisher returned
//	an event that cannot be decoded      itself, as it is stored
//	the publisher returned, and loses    nothing more: a publisher must return when the message is kept
//
// A receiver that needs every event once compares Shop-Previous with the last position it has of the range: equal, it takes the
// message; higher, it skips what it has; lower, it missed something. The publisher stays the caller's: Relay does not close it.
func (f *Feed) Relay(c Consumer, p message.Publisher, topic string) {
	c.Messages = true
	n := f.register(c, false)
	n.relay = &relay{publisher: kept{p}, topic: topic}
	f.add(n)
}

// gatherFor is how long a range gathers events after a message before it sends the next: a broker flushes each message, however small.
const gatherFor = 25 * time.Millisecond

// relay is where the messages of a consumer go.
type relay struct {
	publisher message.Publisher
	topic     string
}

// kept is a publisher that outlives the router.
type kept struct{ message.Publisher }

func (kept) Close() error { return nil }

// handleBy puts a handler for each range of the consumer into a router.
func (c *consumer) handleBy(router *message.Router, f *Feed) {
	s := &subscriber{feed: f, consumer: c, closing: make(chan struct{})}
	for r := range eventstore.Ranges {
		number := strconv.Itoa(r)
		if c.relay == nil {
			router.AddConsumerHandler(c.Name+"/"+number, number, s, applyBatch)
			continue
		}
		router.AddHandler(c.Name+"/"+number, number, s, c.relay.topic+"."+number, c.relay.publisher, passOn)
	}
}

// passOn publishes what came; it is acked once it is published.
func passOn(msg *message.Message) ([]*message.Message, error) {
	return message.Messages{msg.Copy()}, nil
}
