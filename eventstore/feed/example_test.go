package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/feed/memory"
)

// placed is an event of the shop.
type placed struct {
	Total int64 `json:"total"`
}

func (placed) EventType() string { return "order.placed" }

// A stranger's handler in a router of its own: it knows Watermill and CloudEvents, and nothing of the shop.
func ExampleFeed_Subscriber() {
	log := &memory.Log{}
	log.Append("order-1", placed{Total: 7_000}, placed{Total: 12_000})
	shop := feed.Over(log, memory.Open(log), feed.Options{})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- shop.Run(ctx) }()

	router, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		panic(err)
	}
	orders := shop.Subscriber(feed.Consumer{Name: "stranger", Types: []string{"order.placed"}, Messages: true})
	handled := make(chan struct{}, 1)
	for _, topic := range []string{"0", "1", "2", "3"} { // the ranges of the log
		router.AddConsumerHandler("orders-"+topic, topic, orders, func(msg *message.Message) error {
			var events []struct {
				Type, Subject, Position string
				Data                    struct{ Total int64 }
			}
			if err := json.Unmarshal(msg.Payload, &events); err != nil {
				return err // comes again
			}
			for _, e := range events {
				fmt.Println(e.Position, e.Type, e.Subject, e.Data.Total)
			}
			handled <- struct{}{}
			return nil // acked: the checkpoint moves
		})
	}
	go func() { _ = router.Run(ctx) }()
	<-handled
	if err := router.Close(); err != nil {
		panic(err)
	}
	stop()
	<-ended
	// Output:
	// 1 order.placed order-1 7000
	// 2 order.placed order-1 12000
}

// Events go to a broker: here Watermill's own in memory, elsewhere a publisher for NATS or Kafka.
func ExampleFeed_Relay() {
	log := &memory.Log{}
	log.Append("order-1", placed{Total: 7_000})
	broker := gochannel.NewGoChannel(gochannel.Config{Persistent: true}, watermill.NopLogger{})
	defer broker.Close()
	shop := feed.Over(log, memory.Open(log), feed.Options{})
	shop.Relay(feed.Consumer{Name: "relay"}, broker, "log")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- shop.Run(ctx) }()

	topic := fmt.Sprintf("log.%d", eventstore.RangeOf(eventstore.SliceOf("order-1")))
	messages, err := broker.Subscribe(ctx, topic)
	if err != nil {
		panic(err)
	}
	select {
	case msg := <-messages:
		fmt.Println(msg.Metadata.Get(feed.ContentTypeKey))
		fmt.Println(msg.Metadata.Get(feed.PreviousKey), msg.Metadata.Get(feed.FirstKey), msg.Metadata.Get(feed.LastKey))
		msg.Ack()
	case <-time.After(time.Minute):
		fmt.Println("nothing came")
	}
	stop()
	<-ended
	// Output:
	// application/cloudevents-batch+json; charset=UTF-8
	// 0 1 1
}
