package app

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"

	"shop/eventstore/feed"
	"shop/eventstore/relay"
)

// relayName is the consumer that publishes the log.
const relayName = "relay"

// Relaying publishes the log to NATS JetStream, as this process's share of the work.
type Relaying struct {
	conn      *nats.Conn
	publisher *relay.Publisher
	// unobserved ends the metrics.
	unobserved func()
}

// Relay connects to NATS. A server that is away keeps nobody waiting.
func (s *Shop) Relay() (*Relaying, error) {
	if s.Config.Nats.Servers == "" {
		return nil, errors.New("the role relay needs SHOP_NATS_URL")
	}
	at := s.Config.Nats
	at.Name = "shop relay"
	conn, err := relay.Connect(at, s.Log)
	if err != nil {
		return nil, err
	}
	r := &Relaying{conn: conn, publisher: relay.NewPublisher(conn, relay.Settings{}, s.Store, s.Log)}
	r.unobserved = r.publisher.Observe()
	return r, nil
}

// Join puts the relay on the feed.
func (r *Relaying) Join(f *feed.Feed) {
	f.Relay(feed.Consumer{Name: relayName}, r.publisher, relay.Settings{}.Topic())
}

// Tell says how far the log is published, until ctx ends.
func (r *Relaying) Tell(ctx context.Context, f *feed.Feed) { r.publisher.Tell(ctx, f, relayName) }

// Close ends the connection.
func (r *Relaying) Close() {
	r.unobserved()
	r.conn.Close()
}
