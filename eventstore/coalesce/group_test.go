package coalesce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// gated is a group of numbers whose batches wait at a gate, and are noted. It answers each number's double.
type gated struct {
	Group[int, int]
	entered chan struct{}
	gate    chan struct{}
	mu      sync.Mutex
	batches [][]int
}

func newGated() *gated {
	g := &gated{entered: make(chan struct{}, 100), gate: make(chan struct{})}
	g.Run = func(batch []*Call[int, int]) {
		g.entered <- struct{}{}
		<-g.gate
		var numbers []int
		for _, c := range batch {
			numbers = append(numbers, c.In)
			c.Reply(2*c.In, nil)
		}
		g.mu.Lock()
		g.batches = append(g.batches, numbers)
		g.mu.Unlock()
	}
	return g
}

// queue lets a call wait behind those before it.
func (g *gated) queue(t *testing.T, calls *sync.WaitGroup, number int) {
	t.Helper()
	before := g.Waiting()
	calls.Go(func() {
		if got, err := g.Do(context.Background(), number); got != 2*number || err != nil {
			t.Errorf("%d: %d, %v", number, got, err)
		}
	})
	waitUntil(func() bool { return g.Waiting() > before })
}

func waitUntil(true func() bool) {
	for !true() {
		runtime.Gosched()
	}
}

// hold begins a batch of number 0, which ends when the gate is opened.
func (g *gated) hold(t *testing.T, calls *sync.WaitGroup) {
	t.Helper()
	calls.Go(func() {
		if _, err := g.Do(context.Background(), 0); err != nil {
			t.Error(err)
		}
	})
	<-g.entered
}

func (g *gated) want(t *testing.T, want ...[]int) {
	t.Helper()
	g.Wait()
	if !slices.EqualFunc(g.batches, want, slices.Equal) {
		t.Errorf("batches %v, want %v", g.batches, want)
	}
}

func TestCallsThatWaitFormTheNextBatchInOrder(t *testing.T) {
	t.Parallel()
	g := newGated()
	var calls sync.WaitGroup
	g.hold(t, &calls)
	for n := 1; n <= 5; n++ {
		g.queue(t, &calls, n)
	}
	close(g.gate)
	calls.Wait()
	g.want(t, []int{0}, []int{1, 2, 3, 4, 5})
}

func TestABatchHasAMostOfCallsAndOfSize(t *testing.T) {
	t.Parallel()
	g := newGated()
	g.Most, g.Size, g.MostSize = 3, func(n int) int { return n }, 10
	var calls sync.WaitGroup
	g.hold(t, &calls)
	for _, n := range []int{1, 2, 3, 4, 6, 1, 20, 5} {
		g.queue(t, &calls, n)
	}
	close(g.gate)
	calls.Wait()
	// Three calls; ten together; the order is kept although 1 would fit before; a call too big is alone.
	g.want(t, []int{0}, []int{1, 2, 3}, []int{4, 6}, []int{1}, []int{20}, []int{5})
}

func TestParallelBatches(t *testing.T) {
	t.Parallel()
	g := newGated()
	g.Parallel = 2
	var calls sync.WaitGroup
	g.hold(t, &calls)
	g.hold(t, &calls)
	g.queue(t, &calls, 1)
	g.queue(t, &calls, 2)
	if len(g.entered) > 0 {
		t.Error("a third batch began beside two")
	}
	close(g.gate)
	calls.Wait()
	g.Wait()
}

func TestACallThatGivesUpWhileItWaitsIsInNoBatch(t *testing.T) {
	t.Parallel()
	g := newGated()
	var calls sync.WaitGroup
	g.hold(t, &calls)
	g.queue(t, &calls, 1)
	for i, do := range []func(context.Context, int) (int, error){g.Do, g.Finish} {
		ctx, cancel := context.WithCancel(context.Background())
		left := make(chan error)
		go func() {
			_, err := do(ctx, 100)
			left <- err
		}()
		waitUntil(func() bool { return g.Waiting() == 2+i })
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the one that gave up: %v", err)
		}
		g.queue(t, &calls, 2+i)
	}
	close(g.gate)
	calls.Wait()
	g.want(t, []int{0}, []int{1, 2, 3})
}

func TestACallThatGivesUpInItsBatchLosesNobodysWork(t *testing.T) {
	t.Parallel()
	g := newGated()
	var calls sync.WaitGroup
	g.hold(t, &calls)
	ctx, cancel := context.WithCancel(context.Background())
	var finished atomic.Bool
	left := make(chan error)
	go func() {
		_, err := g.Do(ctx, 1)
		left <- err
	}()
	waitUntil(func() bool { return g.Waiting() == 1 })
	calls.Go(func() {
		got, err := g.Finish(ctx, 2)
		if !finished.Load() || got != 4 || err != nil {
			t.Errorf("Finish returned %d, %v before its batch ended", got, err)
		}
	})
	waitUntil(func() bool { return g.Waiting() == 2 })
	g.queue(t, &calls, 3)
	g.gate <- struct{}{}
	<-g.entered // the batch of the three has begun
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("Do: %v, want the end of its context at once", err)
	}
	finished.Store(true)
	close(g.gate)
	calls.Wait()
	g.want(t, []int{0}, []int{1, 2, 3})
}

func TestAPanicReachesEveryMember(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(){
		"panic": func() { panic("ouch") }, "nil panic": func() { panic(nil) }, "exit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, gate := make(chan struct{}), make(chan struct{})
			var g Group[int, int]
			g.Run = func(batch []*Call[int, int]) {
				if batch[0].In == 0 {
					close(begun)
					<-gate
				}
				if batch[0].In == 1 {
					batch[0].Reply(1, nil) // it is not concerned any more
					fail()
				}
				for _, c := range batch {
					c.Reply(c.In, nil)
				}
			}
			g.Most = 4
			var calls sync.WaitGroup
			var panics atomic.Int64
			do := func(n int) {
				calls.Go(func() {
					defer func() {
						if p, ok := recover().(*Panic); ok {
							panics.Add(1)
							if p.Error() == "" || name == "panic" && p.Cause != "ouch" || !strings.Contains(string(p.Stack), "coalesce") {
								t.Errorf("%d panics with %v", n, p)
							}
						}
					}()
					if got, err := g.Do(context.Background(), n); got != n || err != nil {
						t.Errorf("%d: %d, %v", n, got, err)
					}
				})
			}
			do(0)
			<-begun
			for n := 1; n <= 6; n++ { // two of them behind the failing batch
				do(n)
				waitUntil(func() bool { return g.Waiting() == n })
			}
			close(gate)
			calls.Wait()
			if panics.Load() != 3 {
				t.Errorf("%d calls panicked, want the 3 that were not answered", panics.Load())
			}
			g.Wait()
		})
	}
}

// TestAPanicNobodyHearsEndsTheProgram runs itself as another process.
func TestAPanicNobodyHearsEndsTheProgram(t *testing.T) {
	t.Parallel()
	if os.Getenv("COALESCE_PANIC") != "" {
		ctx, cancel := context.WithCancel(context.Background())
		left := make(chan struct{})
		g := Group[int, int]{Run: func([]*Call[int, int]) {
			cancel()
			<-left
			panic("unheard")
		}}
		_, _ = g.Do(ctx, 1)
		close(left)
		g.Wait()
		return
	}
	child := exec.Command(os.Args[0], "-test.run", "^TestAPanicNobodyHearsEndsTheProgram$")
	child.Env = append(os.Environ(), "COALESCE_PANIC=yes")
	out, err := child.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "unheard") {
		t.Errorf("the program ended with %v and said %s", err, out)
	}
}

func TestAnErrorIsTheCallsOwn(t *testing.T) {
	t.Parallel()
	odd := errors.New("odd")
	g := Group[int, int]{Run: func(batch []*Call[int, int]) {
		for _, c := range batch {
			switch {
			case c.In%3 == 0: // forgotten
			case c.In%2 == 1:
				c.Reply(0, odd)
			default:
				c.Reply(c.In, nil)
				c.Reply(0, odd) // too late
			}
		}
	}}
	var calls sync.WaitGroup
	for n := range 60 {
		calls.Go(func() {
			got, err := g.Do(context.Background(), n)
			want := fmt.Sprint(n, nil)
			if n%3 == 0 {
				want = fmt.Sprint(0, ErrUnanswered)
			} else if n%2 == 1 {
				want = fmt.Sprint(0, odd)
			}
			if fmt.Sprint(got, err) != want {
				t.Errorf("%d: %d, %v", n, got, err)
			}
		})
	}
	calls.Wait()
}

// TestStorm is for the race detector: calls that give up at any moment, batches in parallel, and everybody who stays is
// answered once.
func TestStorm(t *testing.T) {
	t.Parallel()
	var handled, answered atomic.Int64
	g := Group[int, int]{Parallel: 2, Most: 7, Run: func(batch []*Call[int, int]) {
		if len(batch) > 7 {
			t.Errorf("a batch of %d", len(batch))
		}
		for _, c := range batch {
			handled.Add(1)
			if c.In%5 == 0 {
				runtime.Gosched()
			}
			c.Reply(c.In, nil)
		}
	}}
	var calls sync.WaitGroup
	for n := range 2000 {
		calls.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if n%3 == 0 {
				go cancel()
			}
			do := g.Do
			if n%2 == 0 {
				do = g.Finish
			}
			switch got, err := do(ctx, n); {
			case err == nil && got == n:
				answered.Add(1)
			case n%3 == 0 && errors.Is(err, context.Canceled):
			default:
				t.Errorf("%d: %d, %v", n, got, err)
			}
		})
	}
	calls.Wait()
	g.Wait()
	if answered.Load() > handled.Load() || answered.Load() < 1300 {
		t.Errorf("%d answered, %d handled", answered.Load(), handled.Load())
	}
}

func TestCallsThatWaitJoinABatchThatAsks(t *testing.T) {
	t.Parallel()
	g := &Group[int, int]{Most: 4}
	entered, gate := make(chan struct{}), make(chan struct{})
	var batches [][]int
	g.Run = func(batch []*Call[int, int]) {
		if len(batches) == 0 {
			close(entered)
			<-gate
			batch = append(batch, g.Join(batch[0])...)
			if more := g.Join(batch[0]); len(more) > 0 {
				t.Errorf("%d calls joined a batch that is full", len(more))
			}
		}
		var numbers []int
		for _, c := range batch {
			numbers = append(numbers, c.In)
			if c.In != 2 { // which is not answered, although it joined
				c.Reply(2*c.In, nil)
			}
		}
		batches = append(batches, numbers)
	}
	var calls sync.WaitGroup
	call := func(number int) {
		calls.Go(func() {
			got, err := g.Do(context.Background(), number)
			if number == 2 && !errors.Is(err, ErrUnanswered) || number != 2 && (got != 2*number || err != nil) {
				t.Errorf("%d: %d, %v", number, got, err)
			}
		})
	}
	call(0)
	<-entered
	for n := 1; n <= 5; n++ {
		call(n)
		waitUntil(func() bool { return g.Waiting() == n })
	}
	close(gate)
	calls.Wait()
	g.Wait()
	if want := [][]int{{0, 1, 2, 3}, {4, 5}}; !slices.EqualFunc(batches, want, slices.Equal) {
		t.Errorf("batches %v, want %v", batches, want)
	}
}

// begun notes how many calls each batch had and when it began, by the clock of a synctest bubble. A batch takes ten milliseconds.
type begun struct {
	Group[int, int]
	mu    sync.Mutex
	from  time.Time
	sizes []int
	at    []time.Duration
}

func newBegun() *begun {
	b := &begun{from: time.Now()}
	b.Run = func(batch []*Call[int, int]) {
		b.mu.Lock()
		b.sizes, b.at = append(b.sizes, len(batch)), append(b.at, time.Since(b.from))
		b.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
		for _, c := range batch {
			c.Reply(c.In, nil)
		}
	}
	return b
}

func (b *begun) expect(t *testing.T, sizes []int, at ...time.Duration) {
	t.Helper()
	b.Wait()
	if !slices.Equal(b.sizes, sizes) || !slices.Equal(b.at, at) {
		t.Errorf("batches of %v began at %v, want %v at %v", b.sizes, b.at, sizes, at)
	}
}

func TestABatchWaitsForThoseWhoWereAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBegun()
		b.Gather = time.Millisecond
		var calls sync.WaitGroup
		for n := range 4 {
			calls.Go(func() {
				time.Sleep(time.Duration(n) * time.Microsecond)
				for turn := range 4 - n/3 { // the last one goes a turn earlier
					if turn > 0 {
						time.Sleep(time.Duration(n+1) * 100 * time.Microsecond) // what it does between its calls
					}
					if _, err := b.Do(context.Background(), n); err != nil {
						t.Error(err)
					}
				}
			})
		}
		calls.Wait()
		// The first begins alone, and is not waited for: it misses the second batch. From the third on nobody is missed, and the last one waits in vain
		// for who has gone.
		b.expect(t, []int{1, 3, 4, 4, 3}, 0, 10*time.Millisecond, 20*time.Millisecond+400*time.Microsecond, 30*time.Millisecond+800*time.Microsecond,
			41*time.Millisecond+800*time.Microsecond)
	})
}

func TestFewCallsWaitForTheBatchThatRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBegun()
		b.Parallel, b.Gather, b.Beside = 2, time.Millisecond, 3
		var calls sync.WaitGroup
		call := func() {
			calls.Go(func() { _, _ = b.Do(context.Background(), 1) })
			synctest.Wait()
		}
		call() // alone
		call()
		call()
		call() // three begin beside it
		calls.Wait()
		time.Sleep(100 * time.Millisecond)
		call()
		time.Sleep(2 * time.Millisecond)
		call() // waits for company, and begins beside without it
		calls.Wait()
		time.Sleep(100 * time.Millisecond)
		call()
		time.Sleep(9500 * time.Microsecond)
		call() // comes just before the end
		calls.Wait()
		b.expect(t, []int{1, 3, 1, 1, 1, 1}, 0, 0, 110*time.Millisecond, 113*time.Millisecond, 223*time.Millisecond, 233*time.Millisecond)
	})
}
