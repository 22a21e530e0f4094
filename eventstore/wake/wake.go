package wake

import (
	"context"
	"sync"
	"time"
)

// Pause returns true after d, and false as soon as ctx ends.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Up leaves a wake-up in a channel of capacity one.
func Up(sleeper chan<- struct{}) {
	select {
	case sleeper <- struct{}{}:
	default:
	}
}

// Broadcast wakes all its listeners. A wake-up is kept for a listener that is busy. The zero value is ready, and safe for
// concurrent use.
type Broadcast struct {
	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
}

// Listen returns a channel that is sent to after each wake-up, until stop is called.
func (b *Broadcast) Listen() (woken <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners == nil {
		b.listeners = map[chan struct{}]struct{}{}
	}
	b.listeners[ch] = struct{}{}
	return ch, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.listeners, ch)
	}
}

// Wake wakes the listeners.
func (b *Broadcast) Wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ch := range b.listeners {
		Up(ch)
	}
}
