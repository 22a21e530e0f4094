// Command consumer shows how another program reads the shop's events from NATS JetStream with Watermill: each order once,
// also when it is killed at any moment.
//
//	go run ./docs/examples/consumer -nats nats://127.0.0.1:4222 -out orders.jsonl
//
// What it makes of a message and how far it has come are one line of one file, written before the message is acknowledged.
// A program with a database keeps both in one transaction instead.
package main
