package commands

import (
	"context"
	"slices"
	"sync"
)

// queues line up commands of this process that want the same streams, so that a stream in demand is decided by
// one command after the other instead of by all at once and for nothing. They make no promise: other processes
// do not stand in them, and the expected versions of the append are what keeps the log right.
// The zero value is ready.
type queues struct {
	mu sync.Mutex
	of map[string]*queue
}

// queue is a stream in demand. Its slot is empty while somebody is being served.
type queue struct {
	slot    chan struct{}
	members int
}

// join waits for a turn at the streams and returns how to leave. Unless open is set, it waits only where others
// stand already. Slots are taken in the order of names, so two commands cannot wait for each other; when ctx
// ends it stops waiting and the command goes on, to fail where it notices.
func (q *queues) join(ctx context.Context, streams []string, open bool) (leave func()) {
	names := slices.Clone(streams)
	slices.Sort(names)
	names = slices.Compact(names)

	q.mu.Lock()
	joined := make(map[string]*queue, len(names))
	names = slices.DeleteFunc(names, func(name string) bool {
		line := q.of[name]
		if line == nil {
			if !open {
				return true
			}
			if q.of == nil {
				q.of = map[string]*queue{}
			}
			line = &queue{slot: make(chan struct{}, 1)}
			line.slot <- struct{}{}
			q.of[name] = line
		}
		line.members++
		joined[name] = line
		return false
	})
	q.mu.Unlock()

	served := 0
	for _, name := range names {
		select {
		case <-joined[name].slot:
			served++
			continue
		case <-ctx.Done():
		}
		break
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for i, name := range names {
			if i < served {
				joined[name].slot <- struct{}{}
			}
			if joined[name].members--; joined[name].members == 0 {
				delete(q.of, name)
			}
		}
		names = nil
	}
}
