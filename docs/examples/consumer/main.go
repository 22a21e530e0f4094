package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
)

func main() {
	servers := flag.String("nats", "nats://127.0.0.1:4222", "where NATS is")
	out := flag.String("out", "orders.jsonl", "file of the orders")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *servers, *out); err != nil {
		slog.Error("the consumer ends", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, servers, out string) error {
	conn, err := nats.Connect(servers, nats.Name("example consumer"), nats.MaxReconnects(-1))
	if err != nil {
		return err
	}
	defer conn.Close()
	file, err := open(out)
	if err != nil {
		return err
	}
	defer file.Close()
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NewSlogLogger(slog.Default()))
	if err != nil {
		return err
	}
	for _, number := range []string{"0", "1", "2", "3"} { // the ranges of the log
		router.AddConsumerHandler("orders-"+number, number, subscriber{conn: conn, file: file}, file.take)
	}
	return router.Run(ctx)
}

// place is how far a range has come.
type place struct {
	Epoch string `json:"epoch"`
	Last  int64  `json:"last"`
}

// take handles a message: events of one range, in order.
func (f *file) take(msg *message.Message) error {
	number := func(key string) int64 {
		n, _ := strconv.ParseInt(msg.Metadata.Get(key), 10, 64)
		return n
	}
	rng, epoch := msg.Metadata.Get("Shop-Range"), msg.Metadata.Get("Shop-Epoch")
	at := f.place(rng)
	switch {
	case at.Epoch != "" && at.Epoch != epoch:
		// The shop's server was promoted or restored. This example trusts that nothing was lost; one that cannot compares ids.
		slog.Warn("the log has a new epoch", "range", rng, "before", at.Epoch, "now", epoch)
	case number("Shop-Previous") > at.Last:
		// The stream no longer has what comes before: the consumer was away longer than messages are kept, or NATS lost them.
		slog.Error("events are missing; ask the shop for an export", "range", rng, "after", at.Last, "up_to", number("Shop-Previous"))
	}
	if number("Shop-Last") <= at.Last {
		return nil // it came before
	}
	var events []struct {
		ID, Type, Subject, Position, Time string
		Data                              struct {
			Number int64 `json:"number"`
		}
	}
	if err := json.Unmarshal(msg.Payload, &events); err != nil {
		return err
	}
	line := line{Range: rng, place: place{Epoch: epoch, Last: number("Shop-Last")}}
	for _, e := range events {
		position, err := strconv.ParseInt(e.Position, 10, 64)
		if err != nil {
			return err
		}
		if e.Type == "order.placed" && position > at.Last {
			line.Orders = append(line.Orders, order{ID: e.ID, Stream: e.Subject, Number: e.Data.Number, At: e.Time})
		}
	}
	if err := f.write(line); err != nil {
		return fmt.Errorf("write what came: %w", err)
	}
	return nil
}
