package feed

import (
	"context"
	"sync"

	"shop/eventstore/wake"
)

// job is a singleton job: work that one process at a time does.
type job struct {
	name string
	work func(ctx context.Context)
	// changed wakes when held or yielding changes.
	changed chan struct{}

	mu sync.Mutex
	// held: the lease is this process's; yielding: another shall have it; working: the work runs.
	held, yielding, working bool
}

// AddJob gives the feed, before Run, a singleton job: only one of the processes that were given it does it at a time. Its
// context ends when the feed stops or the lease is lost; then it must return soon. Unlike a consumer's such work is not
// fenced: a process that was stopped or cut off may go on with it for a moment before it hears that another has begun.
func (f *Feed) AddJob(name string, work func(ctx context.Context)) {
	f.consumers.mu.Lock()
	defer f.consumers.mu.Unlock()
	f.jobs = append(f.jobs, &job{name: name, work: work, changed: make(chan struct{}, 1)})
}

// run does the work while the lease is held, until ctx ends. Work that ends by itself is not begun again under the same
// lease. given is called when the lease can be given up.
func (j *job) run(ctx context.Context, given func()) {
	var ended chan struct{} // of the work at hand
	stop := func() {}
	defer func() { stop() }()
	for {
		j.mu.Lock()
		mayWork := j.held && !j.yielding && ctx.Err() == nil
		begin := mayWork && ended == nil
		j.working = j.working || begin
		j.mu.Unlock()
		switch {
		case begin:
			working, cancel := context.WithCancel(ctx)
			end := make(chan struct{})
			go func() {
				defer close(end)
				j.work(working)
			}()
			ended, stop = end, cancel
		case !mayWork && ended != nil:
			stop()
			<-ended
			ended = nil
			j.mu.Lock()
			j.working = false
			j.mu.Unlock()
			given()
		}
		if ctx.Err() != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-j.changed:
		}
	}
}

func (j *job) hold(held bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held != held {
		j.held, j.yielding = held, false
		wake.Up(j.changed)
	}
}

func (j *job) isHeld() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.held
}

// yield asks the work to end, and says whether it has.
func (j *job) yield() (ended bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.yielding = true
	wake.Up(j.changed)
	return !j.working
}
