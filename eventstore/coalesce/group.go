package coalesce

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// ErrUnanswered: Run returned without a reply to this call.
var ErrUnanswered = errors.New("the batch ended without an answer to this call")

// errGoexit is the cause of a Panic when Run ended its goroutine.
var errGoexit = errors.New("runtime.Goexit was called in the batch")

// Panic is what the members of a batch panic with when Run did.
type Panic struct {
	// Cause is the value Run panicked with.
	Cause any
	// Stack is that of Run.
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic in a batch: %v\n%s", p.Cause, p.Stack) }

// Unwrap is the cause, if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Cause.(error)
	return err
}

// Group makes batches of calls. Set Run; everything else may stay zero. It is safe for concurrent use, and nothing of it
// may be changed after the first call.
type Group[In, Out any] struct {
	// Run does the work of a batch, which has at least one call, and replies to each. It runs in a goroutine of the
	// group's, which lives while there are calls.
	Run func(batch []*Call[In, Out])
	// Parallel is how many batches may run at once; 0: one.
	Parallel int
	// Most is the most calls of a batch; 0: no bound.
	Most int
	// Size is what a call counts for MostSize, the bound of their sum in a batch; a single call may exceed it. nil: no bound.
	Size     func(In) int
	MostSize int
	// Gather is how long calls wait at most for others to share their batch with. 0: not at all.
	//
	//	a batch of several ended         the next one waits until as many have come, beside those that came meanwhile: who was just
	//	                                 answered often calls again
	//	a batch runs, and another may    it waits until Beside calls have come, or the one that runs ends
	Gather time.Duration
	Beside int

	mu      sync.Mutex
	waiting []*Call[In, Out]
	running int
	idle    chan struct{} // closed when running becomes 0; nil: nobody waits for it
	// gathering is closed when enough calls wait for the batch that waits for them; nil: none does.
	gathering chan struct{}
	enough    int
	due       bool // beside will look
}

// Call is a member of a batch.
type Call[In, Out any] struct {
	// In is what the caller gave.
	In  In
	ctx context.Context

	// of is the batch that has the call.
	of       *members[In, Out]
	done     chan struct{}
	out      Out
	err      error
	panicked *Panic

	mu       sync.Mutex
	answered bool
	left     bool // nobody waits for the answer
}

// members are the calls of a batch, with those that joined it while it ran.
type members[In, Out any] struct{ calls []*Call[In, Out] }

// Context is the caller's; it may have ended.
func (c *Call[In, Out]) Context() context.Context { return c.ctx }

// Reply answers the call, once; later replies do nothing. It may come before the batch ends.
func (c *Call[In, Out]) Reply(out Out, err error) { c.settle(out, err, nil) }

// settle says whether somebody is there to be told.
func (c *Call[In, Out]) settle(out Out, err error, panicked *Panic) (told bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answered {
		return false
	}
	c.answered = true
	c.out, c.err, c.panicked = out, err, panicked
	close(c.done)
	return !c.left
}

// leave says that nobody waits for the answer any more, unless there is one.
func (c *Call[In, Out]) leave() (answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = !c.answered
	return c.answered
}

func (c *Call[In, Out]) result() (Out, error) {
	if c.panicked != nil {
		panic(c.panicked)
	}
	return c.out, c.err
}

// Do makes in a member of a batch and returns the reply. When ctx ends first it returns ctx's error; the work may be done
// nevertheless if the batch had begun.
func (g *Group[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	c := g.submit(ctx, in)
	select {
	case <-c.done:
	case <-ctx.Done():
		if g.withdraw(c) || !c.leave() {
			var none Out
			return none, ctx.Err()
		}
	}
	return c.result()
}

// Finish is Do for work that uses what belongs to the caller: once the batch has begun, it waits for the reply even if
// ctx ends.
func (g *Group[In, Out]) Finish(ctx context.Context, in In) (Out, error) {
	c := g.submit(ctx, in)
	select {
	case <-c.done:
	case <-ctx.Done():
		if g.withdraw(c) {
			var none Out
			return none, ctx.Err()
		}
		<-c.done
	}
	return c.result()
}

func (g *Group[In, Out]) submit(ctx context.Context, in In) *Call[In, Out] {
	c := &Call[In, Out]{In: in, ctx: ctx, done: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, c)
	switch {
	case g.gathering != nil: // the batch that waits takes it
		if len(g.waiting) >= g.enough {
			close(g.gathering)
			g.gathering = nil
		}
	case g.running == 0 || g.Gather <= 0 || len(g.waiting) >= g.Beside:
		g.begin()
	case g.running < g.Parallel && !g.due:
		g.due = true
		time.AfterFunc(g.Gather, g.beside)
	}
	return c
}

// begin begins a batch unless as many run as may. The caller holds the lock.
func (g *Group[In, Out]) begin() {
	if g.running < max(1, g.Parallel) {
		g.running++
		go g.work()
	}
}

// beside begins a batch beside those that run, for calls that have waited for company long enough.
func (g *Group[In, Out]) beside() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.due = false
	if len(g.waiting) > 0 && g.gathering == nil {
		g.begin()
	}
}

// withdraw takes a call back, and says whether it was in time: no batch has it.
func (g *Group[In, Out]) withdraw(c *Call[In, Out]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.Index(g.waiting, c)
	if at < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, at, at+1)
	return true
}

// work runs one batch after the other until nobody waits.
func (g *Group[In, Out]) work() {
	for batch := g.next(); len(batch) > 0; batch = g.next() {
		g.run(batch)
		// Those just answered may call again; let them, so that they share the next batch.
		if g.Gather > 0 && len(batch) > 1 {
			g.gather(len(batch))
		} else {
			runtime.Gosched()
		}
	}
}

// gather waits until so many calls wait beside those that wait already, but for Gather at most. One batch gathers at a time.
func (g *Group[In, Out]) gather(more int) {
	g.mu.Lock()
	enough := len(g.waiting) + more
	if g.Most > 0 {
		enough = min(enough, g.Most)
	}
	if g.gathering != nil || len(g.waiting) >= enough {
		g.mu.Unlock()
		return
	}
	full := make(chan struct{})
	g.gathering, g.enough = full, enough
	g.mu.Unlock()
	timer := time.NewTimer(g.Gather)
	defer timer.Stop()
	select {
	case <-full:
	case <-timer.C:
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.gathering == full {
			g.gathering = nil
		}
	}
}

// next takes the calls of the next batch, in the order they came; none: this worker is done.
func (g *Group[In, Out]) next() []*Call[In, Out] {
	g.mu.Lock()
	defer g.mu.Unlock()
	batch := g.take(&members[In, Out]{}, g.Most)
	if len(batch) == 0 {
		if g.running--; g.running == 0 && g.idle != nil {
			close(g.idle)
			g.idle = nil
		}
	}
	return batch
}

// take gives a batch the calls that wait, within the bounds. The caller holds the lock.
func (g *Group[In, Out]) take(of *members[In, Out], most int) []*Call[In, Out] {
	n, size := 0, 0
	for n < len(g.waiting) && (g.Most <= 0 || n < most) {
		if g.Size != nil {
			if size += g.Size(g.waiting[n].In); n > 0 && size > g.MostSize {
				break
			}
		}
		n++
	}
	if n == 0 {
		return nil
	}
	taken := g.waiting[:n:n]
	if g.waiting = g.waiting[n:]; len(g.waiting) == 0 {
		g.waiting = nil
	}
	for _, c := range taken {
		c.of = of
	}
	of.calls = append(of.calls, taken...)
	return taken
}

// Join lets the calls that wait join the batch of a member while it runs, as many as Most leaves room for, and returns them.
// Only Run may ask. The bound of sizes is not looked at.
func (g *Group[In, Out]) Join(member *Call[In, Out]) []*Call[In, Out] {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.take(member.of, g.Most-len(member.of.calls))
}

// run runs a batch and settles each of its calls.
func (g *Group[In, Out]) run(batch []*Call[In, Out]) {
	of := batch[0].of
	returned := false
	defer func() {
		if returned {
			return
		}
		cause := recover()
		exits := cause == nil // this goroutine ends; another goes on with the calls that wait
		if exits {
			cause = errGoexit
			defer func() { go g.work() }()
		}
		g.fail(of.calls, &Panic{Cause: cause, Stack: debug.Stack()})
	}()
	g.Run(batch)
	returned = true
	for _, c := range of.calls {
		var none Out
		c.settle(none, ErrUnanswered, nil)
	}
}

// fail lets the members of a batch panic, or the program when none of them is there any more.
func (g *Group[In, Out]) fail(batch []*Call[In, Out], panicked *Panic) {
	told := false
	for _, c := range batch {
		var none Out
		told = c.settle(none, nil, panicked) || told
	}
	if !told {
		panic(panicked)
	}
}

// Waiting is how many calls wait for a batch.
func (g *Group[In, Out]) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// Wait returns when no batch is running and no call waits: also the work that its callers gave up is done then.
func (g *Group[In, Out]) Wait() {
	g.mu.Lock()
	if g.running == 0 {
		g.mu.Unlock()
		return
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	idle := g.idle
	g.mu.Unlock()
	<-idle
}
