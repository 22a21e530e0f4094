package app

import "context"

// running is a goroutine with its way to end.
type running struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// Background runs work until stop is called. The end of ctx does not end it: the one who started it says when.
func Background(ctx context.Context, work func(ctx context.Context)) *running {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &running{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		work(ctx)
	}()
	return r
}

// Stop ends the work and waits for it.
func (r *running) Stop() {
	r.cancel()
	<-r.ended
}
