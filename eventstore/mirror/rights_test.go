package mirror_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shop/eventstore/feed"
	"shop/eventstore/mirror"
	"shop/eventstore/relay"
	"shop/eventstore/relay/natstest"
)

// TestLeastRights: the rights that docs/regions.md gives to relay and regions are enough, and a region can neither publish nor
// change the stream.
func TestLeastRights(t *testing.T) {
	t.Parallel()
	may := func(publish, subscribe string) *server.Permissions {
		return &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: strings.Fields(publish)},
			Subscribe: &server.SubjectPermission{Allow: strings.Fields(subscribe)},
		}
	}
	nats1 := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "relay", Password: "r", Permissions: may("shop.log.* shop.log-heads $JS.API.STREAM.*.SHOP_LOG $JS.API.STREAM.MSG.GET.SHOP_LOG", "_INBOX.>")},
			{Username: "region", Password: "g", Permissions: may("$JS.API.STREAM.INFO.SHOP_LOG $JS.API.CONSUMER.*.SHOP_LOG.> $JS.API.CONSUMER.MSG.NEXT.SHOP_LOG.>", "_INBOX.> shop.log-heads")},
		}
	})
	as := func(who string) *nats.Conn {
		return natstest.Connect(t, strings.Replace(nats1.URL(), "nats://", "nats://"+who+"@", 1))
	}
	w := &world{t: t, home: open(t, time.Now), region: open(t, time.Now), hears: &ear{}}
	last := w.put(3)
	w.relay = feed.New(w.home, feed.Options{Save: 5 * time.Millisecond, Logger: quiet})
	publisher := relay.NewPublisher(as("relay:r"), relay.Settings{}, w.home, quiet)
	w.relay.Relay(feed.Consumer{Name: "relay"}, publisher, relay.Settings{}.Topic())
	w.background(func(ctx context.Context) error { return w.relay.Run(ctx) })
	w.background(func(ctx context.Context) error { publisher.Tell(ctx, w.relay, "relay"); return nil })
	w.relayed(last)
	region := as("region:g")
	m := &mirror.Mirror{Pool: w.region.Pool(), Home: mirror.Home{Pool: w.home.Pool()}, Conn: region, Log: quiet}
	w.background(m.Run)
	w.await(last)
	w.await(w.put(2))
	w.equal()

	js, err := jetstream.New(region)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := js.Publish(ctx, relay.Settings{}.Subject(0), []byte("[]")); err == nil {
		t.Error("a region publishes")
	}
	if err := js.DeleteStream(t.Context(), "SHOP_LOG"); err == nil {
		t.Error("a region deletes the stream")
	}
	if _, err := relay.Connect(relay.Address{Servers: "nats://nats.example:4222"}, quiet); !errors.Is(err, relay.ErrInClear) {
		t.Errorf("NATS without TLS on another machine: %v", err)
	}
}
