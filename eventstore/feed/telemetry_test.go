package feed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"shop/eventstore"
	"shop/migrations/pgtest"
)

func TestTheTraceGoesOnInTheConsumer(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(recorder))
	s := eventstore.Open(pgtest.Open(t), codec{}, eventstore.Options{Tracer: provider.Tracer("test"), Logger: quiet})
	t.Cleanup(s.Close)
	f, stop := run(t, s, Options{}, seen(t, s, "c"))

	ctx, request := provider.Tracer("test").Start(t.Context(), "request")
	got, err := s.Append(ctx, to("x", 0))
	if err != nil {
		t.Fatal(err)
	}
	request.End()
	waitFor(t, f, "c", got.Position)
	stop() // the last span has ended

	spans := map[string]trace.ReadOnlySpan{}
	for _, span := range recorder.Ended() {
		spans[span.Name()] = span
	}
	appended, consumed := spans["eventstore.append"], spans["consume c"]
	if appended == nil || consumed == nil {
		t.Fatalf("spans %v", spans)
	}
	if appended.Parent().SpanID() != request.SpanContext().SpanID() {
		t.Error("the append is not a child of the request")
	}
	if consumed.SpanContext().TraceID() != request.SpanContext().TraceID() || consumed.Parent().SpanID() != appended.SpanContext().SpanID() {
		t.Error("the handling does not go on from the append")
	}
	if !slices.Contains(consumed.Attributes(), attribute.Int64("shop.position", int64(got.Position))) {
		t.Errorf("attributes %v", consumed.Attributes())
	}
}

func TestABatchOfSeveralTracesIsLinked(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(recorder))
	s := eventstore.Open(pgtest.Open(t), codec{}, eventstore.Options{Tracer: provider.Tracer("test"), Logger: quiet})
	t.Cleanup(s.Close)
	for version := range eventstore.Version(3) {
		mustAppend(t, s, to("x", version)) // each the root of a trace of its own
	}
	f, stop := run(t, s, Options{}, seen(t, s, "c"))
	waitFor(t, f, "c", 3)
	stop()
	for _, span := range recorder.Ended() {
		if span.Name() == "consume c" {
			if len(span.Links()) != 3 || span.Parent().IsValid() {
				t.Errorf("%d links, parent %v", len(span.Links()), span.Parent())
			}
			return
		}
	}
	t.Error("no span of the handling")
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	s := eventstore.Open(pgtest.Open(t), codec{}, eventstore.Options{Meter: provider.Meter("test"), Logger: quiet})
	t.Cleanup(s.Close)
	c := seen(t, s, "c")
	handle := c.Handle
	c.Handle = func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		if events[0].Stream == "bad" {
			return errors.New("bad")
		}
		return handle(ctx, tx, events)
	}
	f, stop := run(t, s, Options{}, c)
	mustAppend(t, s, to("x", 0))
	if _, err := s.Append(t.Context(), to("x", 0)); !isConflict(err) {
		t.Fatal(err)
	}
	waitFor(t, f, "c", mustAppend(t, s, to("bad", 0)).Position)
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	if held := gauge(all, "shop.lease.held"); held != eventstore.Ranges {
		t.Errorf("%d leases are held, want %d", held, eventstore.Ranges)
	}
	stop()
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	points := map[string]uint64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					points[m.Name+labels(p.Attributes)] += p.Count
				}
			case metricdata.Histogram[int64]:
				for _, p := range data.DataPoints {
					points[m.Name+labels(p.Attributes)] += p.Count
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					points[m.Name+labels(p.Attributes)] += uint64(p.Value)
				}
			}
		}
	}
	for name, want := range map[string]uint64{
		"shop.append.duration outcome=done":     2,
		"shop.append.duration outcome=conflict": 1,
		"shop.append.group_size":                3,
		"shop.feed.lag consumer=c":              2,
		"shop.feed.batch consumer=c":            2,
		"shop.dead_letters consumer=c":          1,
		"shop.lease.changes reason=claimed":     eventstore.Ranges,
		"shop.lease.changes reason=handed-over": eventstore.Ranges,
	} {
		if points[name] != want {
			t.Errorf("%s: %d points, want %d (of %v)", name, points[name], want, points)
		}
	}
}

func gauge(all metricdata.ResourceMetrics, name string) (value int64) {
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if data, ok := m.Data.(metricdata.Gauge[int64]); ok && m.Name == name {
				value += data.DataPoints[0].Value
			}
		}
	}
	return value
}

func labels(set attribute.Set) string {
	var text strings.Builder
	for _, kv := range set.ToSlice() {
		text.WriteString(" " + string(kv.Key) + "=" + kv.Value.String())
	}
	return text.String()
}

// TestSubscriberServesARouterOfOnesOwn: acking without Apply moves the checkpoint after the work.
func TestSubscriberServesARouterOfOnesOwn(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	f, _ := run(t, s, Options{Save: 5 * time.Millisecond})
	subscriber := f.Subscriber(Consumer{Name: "own", Types: []string{"test.happened"}, Messages: true})
	if _, err := subscriber.Subscribe(t.Context(), "4"); err == nil {
		t.Error("a range that does not exist was subscribed")
	}
	messages, err := subscriber.Subscribe(t.Context(), "0")
	if err != nil {
		t.Fatal(err)
	}
	stream := "s"
	for n := 0; eventstore.RangeOf(eventstore.SliceOf(stream)) != 0; n++ {
		stream += "s"
	}
	a := to(stream, 0)
	a.Metadata.CorrelationID = "c-1"
	mustAppend(t, s, a)
	receive := func() *message.Message {
		t.Helper()
		select {
		case msg := <-messages:
			return msg
		case <-time.After(time.Minute):
			t.Fatal("no message")
			return nil
		}
	}
	msg := receive()
	msg.Nack() // comes again
	msg = receive()
	b, ok := BatchOf(msg.Context())
	if !ok || len(b.Events) != 1 || b.Events[0].Stream != stream || b.After != 0 || b.UpTo != 1 {
		t.Fatalf("batch %+v", b)
	}
	if middleware.MessageCorrelationID(msg) != "c-1" || msg.Metadata.Get(LastKey) != "1" || !strings.Contains(string(msg.Payload), `"subject":"`+stream+`"`) {
		t.Errorf("message %v %s", msg.Metadata, msg.Payload)
	}
	msg.Ack()
	eventually(t, "saved", func() bool {
		var position int64
		err := s.Pool().QueryRow(t.Context(), `SELECT position FROM eventstore.checkpoints WHERE consumer = 'own' AND range = 0`).Scan(&position)
		return err == nil && position == 1
	})
	if err := subscriber.Close(); err != nil {
		t.Fatal(err)
	}
	if _, open := <-messages; open {
		t.Error("a message after Close")
	}
}
