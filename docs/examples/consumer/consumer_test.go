package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"shop/eventstore/feed"
	"shop/eventstore/feed/memory"
	"shop/eventstore/relay"
	"shop/eventstore/relay/natstest"
)

const asConsumer = "SHOP_TEST_AS_CONSUMER"

func TestMain(m *testing.M) {
	if os.Getenv(asConsumer) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

type placed struct {
	Number int64 `json:"number"`
}

func (placed) EventType() string { return "order.placed" }

// TestKillsCostNothing: however often the consumer is killed, it has each order once.
func TestKillsCostNothing(t *testing.T) {
	t.Parallel()
	kill(t, func(nats, out string) *exec.Cmd {
		consumer := exec.Command(os.Args[0], "-nats", nats, "-out", out)
		consumer.Env = append(os.Environ(), asConsumer+"=1")
		return consumer
	})
}

// TestKillsCostNothingInNode is the same for the other example, whose packages make test installs.
func TestKillsCostNothingInNode(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("node/node_modules"); err != nil {
		t.Fatal("run npm ci in docs/examples/consumer/node, as make test does")
	}
	kill(t, func(nats, out string) *exec.Cmd { return exec.Command("node", "node/consumer.mjs", nats, out) })
}

func kill(t *testing.T, start func(nats, out string) *exec.Cmd) {
	t.Helper()
	log, quiet := &memory.Log{}, slog.New(slog.DiscardHandler)
	nats := natstest.Start(t)
	number := int64(0)
	more := func(n int) {
		for range n {
			number++
			log.Append(fmt.Sprint("order-", number), placed{number})
		}
	}
	more(200)
	f := feed.Over(log, memory.Open(log), feed.Options{Logger: quiet})
	f.Relay(feed.Consumer{Name: "relay"}, relay.NewPublisher(nats.Connect(), relay.Settings{}, log, quiet), relay.Settings{}.Topic())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	defer func() { stop(); <-ended }()

	out := filepath.Join(t.TempDir(), "orders.jsonl")
	published := func() {
		waiting, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := f.WaitFor(waiting, "relay", log.Append("other", struct{}{})); err != nil {
			t.Fatal(err)
		}
	}
	published() // the stream is there before it is read
	for round := 0; ; round++ {
		consumer := start(nats.URL(), out)
		var said bytes.Buffer
		consumer.Stderr = &said
		if err := consumer.Start(); err != nil {
			t.Fatal(err)
		}
		had := len(orders(t, out))
		for range 5 {
			more(40)
			published()
		}
		before := number
		grown(t, out, had) // it is killed at work
		done := round >= 6 && settled(t, out, before)
		_ = consumer.Process.Kill()
		_ = consumer.Wait()
		if done {
			break
		}
		if round > 20 {
			t.Fatalf("%d orders of %d: %s", len(orders(t, out)), number, said.String())
		}
	}
	for n, times := range orders(t, out) {
		if times != 1 {
			t.Errorf("order %d is there %d times", n, times)
		}
	}
}

// grown returns when the file has more orders than it had.
func grown(t *testing.T, out string, had int) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); len(orders(t, out)) <= had; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the consumer reads nothing after %d orders", had)
		}
	}
}

// settled says whether all orders are there, within a moment.
func settled(t *testing.T, out string, number int64) bool {
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if int64(len(orders(t, out))) == number {
			return true
		}
	}
	return false
}

// orders counts the orders in the consumer's file by their number.
func orders(t *testing.T, out string) map[int64]int {
	t.Helper()
	text, err := os.ReadFile(out)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	n := map[int64]int{}
	for l := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		var read line
		if err := json.Unmarshal(l, &read); err != nil {
			t.Fatal(err)
		}
		for _, o := range read.Orders {
			n[o.Number]++
		}
	}
	return n
}
