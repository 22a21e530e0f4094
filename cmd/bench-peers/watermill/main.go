// Command watermill measures watermill-sql in a module of its own, so that the shop does not depend on it.
package main

import (
	"context"
	stdsql "database/sql"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	_ "github.com/jackc/pgx/v5/stdlib"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "watermill:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, planned, batch, poll string) error {
	var p plan
	if err := json.Unmarshal([]byte(planned), &p); err != nil {
		return err
	}
	size, err := strconv.Atoi(batch)
	if err != nil {
		return err
	}
	every, err := time.ParseDuration(poll)
	if err != nil {
		return err
	}
	db, err := stdsql.Open("pgx", url)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(40)
	db.SetMaxIdleConns(40)
	schema := sql.DefaultPostgreSQLSchema{SubscribeBatchSize: size}
	publisher, err := sql.NewPublisher(sql.BeginnerFromStdSQL(db), sql.PublisherConfig{SchemaAdapter: schema, AutoInitializeSchema: true}, watermill.NopLogger{})
	if err != nil {
		return err
	}
	const topic = "peer"
	subscriber := func() (*sql.Subscriber, error) {
		return sql.NewSubscriber(sql.BeginnerFromStdSQL(db), sql.SubscriberConfig{
			SchemaAdapter: schema, OffsetsAdapter: sql.DefaultPostgreSQLOffsetsAdapter{}, InitializeSchema: true, PollInterval: every,
		}, watermill.NopLogger{})
	}
	first, err := subscriber()
	if err != nil {
		return err
	}
	if err := first.SubscribeInitialize(topic); err != nil {
		return err
	}
	f, err := measure(ctx, p, peer{
		// It has no versions: an append that expects one would have to ask itself.
		append: func(ctx context.Context, _, id string, _ int) error {
			return publisher.Publish(topic, message.NewMessage(id, payload(id)))
		},
		follow: func(ctx context.Context, seen func(string)) error {
			messages, err := first.Subscribe(ctx, topic)
			if err != nil {
				return err
			}
			for m := range messages {
				seen(m.UUID)
				m.Ack()
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}
