package commands_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain/content"
	"shop/domain/stock"
	"shop/eventstore"
)

// gatedLog holds appends back until it is opened, and counts them.
type gatedLog struct {
	*eventstore.Store
	gate    chan struct{}
	appends atomic.Int64
}

func (l *gatedLog) Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error) {
	l.appends.Add(1)
	<-l.gate
	return l.Store.Append(ctx, together...)
}

func (l *gatedLog) AppendEach(ctx context.Context, appends ...eventstore.Append) []eventstore.Result {
	l.appends.Add(1)
	<-l.gate
	return l.Store.AppendEach(ctx, appends...)
}

// gated lets a shop append only once the gate, a channel, is closed.
func gated(s *testshop.Shop) *gatedLog {
	log := &gatedLog{Store: s.Log, gate: make(chan struct{})}
	s.Use(log)
	return log
}

// waiting returns when so many requests wait in the queue.
func waiting(t *testing.T, h *commands.Handler, n int) {
	t.Helper()
	testshop.Eventually(t, fmt.Sprint(n, " in the queue"), func() bool { return h.Waiting() == n })
}

func TestOrdersOfOneProductAreAppendedTogether(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 20)
	log := gated(s)
	before := s.Head()
	var all sync.WaitGroup
	var answers sync.Map
	order := func(i int) {
		all.Go(func() {
			answers.Store(i, s.Place(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithKey(fmt.Sprint("key-", i))).Code)
		})
	}
	order(0)
	testshop.Eventually(t, "the first appended", func() bool { return log.appends.Load() == 1 })
	for i := 1; i < 30; i++ {
		order(i)
	}
	waiting(t, s.Handler, 29)
	close(log.gate)
	all.Wait()
	codes := map[any]int{}
	answers.Range(func(_, code any) bool { codes[code]++; return true })
	testshop.EqualText(t, "answers", codes, map[any]int{201: 20, 400: 10})
	testshop.Equal(t, "appends", log.appends.Load(), 2)
	state := s.StockOf(cream)
	testshop.EqualText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "20 20")

	// Every order has its own event, number, cause and answer.
	events, err := s.Log.Read(t.Context(), eventstore.Query{After: before, Range: -1})
	if err != nil {
		t.Fatal(err)
	}
	requests := map[string]int{}
	orders := map[uuid.UUID]bool{}
	for _, e := range events {
		requests[e.Metadata.CorrelationID]++
		if r, ok := e.Data.(stock.Reserved); ok {
			orders[r.OrderID] = true
		}
	}
	testshop.Equal(t, "requests", len(requests), 20)
	testshop.Equal(t, "orders", len(orders), 20)
	for i := range 30 {
		key, ok, err := s.Log.Recall(t.Context(), commands.KeyScope, fmt.Sprint("key-", i))
		code, _ := answers.Load(i)
		if err != nil || ok != (code == 201) || ok && len(key.Response) == 0 {
			t.Errorf("order %d, answered %v: key %v %s, %v", i, code, ok, key.Response, err)
		}
	}
}

func TestRepeatsInABatchAreOneOrder(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 20)
	log := gated(s)
	var all sync.WaitGroup
	var mu sync.Mutex
	numbers := map[int64]int{}
	order := func(key string) {
		all.Go(func() {
			receipt := s.Placed(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithKey(key))
			mu.Lock()
			defer mu.Unlock()
			numbers[receipt.Number]++
		})
	}
	order("first")
	testshop.Eventually(t, "the first appended", func() bool { return log.appends.Load() == 1 })
	for range 4 {
		order("first")
		order("repeated")
		order("other repeated")
	}
	waiting(t, s.Handler, 12)
	close(log.gate)
	all.Wait()
	testshop.Equal(t, "orders", len(numbers), 3)
	testshop.Equal(t, "reserved", s.StockOf(cream).Reserved, 3)
}

func TestARequestThatGivesUpInTheQueueHarmsNobody(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 20)
	log := gated(s)
	var all sync.WaitGroup
	all.Go(func() { s.Placed(testshop.Checkout(testshop.Line(cream, 1))) })
	testshop.Eventually(t, "the first appended", func() bool { return log.appends.Load() == 1 })
	ctx, cancel := context.WithCancel(t.Context())
	var gone sync.WaitGroup
	gone.Go(func() {
		r := testshop.Post(ctx, testshop.Checkout(testshop.Line(cream, 1)))
		if err := (shopapi.Orders{Orders: s.Orders}).Place(nopWriter{}, r); !errors.Is(err, context.Canceled) {
			t.Errorf("the one that gave up: %v", err)
		}
	})
	waiting(t, s.Handler, 1)
	cancel()
	waiting(t, s.Handler, 0)
	gone.Wait()
	all.Go(func() { s.Placed(testshop.Checkout(testshop.Line(cream, 1))) })
	waiting(t, s.Handler, 1)
	close(log.gate)
	all.Wait()
	testshop.Equal(t, "reserved", s.StockOf(cream).Reserved, 2)
}

type nopWriter struct{}

func (nopWriter) Header() http.Header         { return http.Header{} }
func (nopWriter) Write(p []byte) (int, error) { return len(p), nil }
func (nopWriter) WriteHeader(int)             {}

func TestARivalOfTheBatchMakesThoseDecideAnewWhoAreConcerned(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 20)
	elsewhere := commands.New(s.Log, commands.Options{})
	rival := &rivalLog{Store: s.Log, act: func() {
		if _, err := testshop.Count(t.Context(), elsewhere, cream, 5); err != nil {
			t.Error(err)
		}
	}}
	rival.wins.Store(1)
	s.Use(rival)
	var all sync.WaitGroup
	var sold atomic.Int64
	for range 20 {
		all.Go(func() {
			if s.Place(testshop.Checkout(testshop.Line(cream, 1))).Code == 201 {
				sold.Add(1)
			}
		})
	}
	all.Wait()
	testshop.Equal(t, "sold", sold.Load(), 5)
	state := s.StockOf(cream)
	testshop.EqualText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "5 5")
}

func TestAPanicInTheQueueIsTheCommands(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	log := gated(s)
	change := func(text string, panics *atomic.Bool) error {
		_, err := s.Handler.Do(t.Context(), true, func(u *commands.Unit) error {
			block := commands.ContentStream("a")
			if err := u.Load(block); err != nil {
				return err
			}
			if u.InBatch() && panics != nil {
				panics.Store(true)
				panic("ouch")
			}
			return block.Do(u, content.Change{Name: "a", Text: text, At: u.At()})
		})
		return err
	}
	var all sync.WaitGroup
	all.Go(func() {
		if err := change("1", nil); err != nil {
			t.Error(err)
		}
	})
	testshop.Eventually(t, "the first appended", func() bool { return log.appends.Load() == 1 })
	var panicked, recovered atomic.Bool
	all.Go(func() {
		defer func() { recovered.Store(recover() != nil) }()
		_ = change("2", &panicked)
	})
	waiting(t, s.Handler, 1)
	all.Go(func() {
		if err := change("3", nil); err != nil {
			t.Error(err)
		}
	})
	waiting(t, s.Handler, 2)
	close(log.gate)
	all.Wait()
	testshop.EqualText(t, "panicked and recovered", fmt.Sprint(panicked.Load(), recovered.Load()), "true true")
	state, err := commands.See(t.Context(), s.Handler, commands.ContentStream("a"))
	testshop.EqualText(t, "text", fmt.Sprintf("%s %v", state.Text, err), "3 <nil>")
}
