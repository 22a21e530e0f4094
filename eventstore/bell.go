package eventstore

import "sync"

// bell wakes all who listen. A ring while a listener is busy is kept for it; more rings than one are the same as one.
// The zero value is ready.
type bell struct {
	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
}

func (b *bell) listen() (rung <-chan struct{}, stop func()) {
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

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ch := range b.listeners {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
