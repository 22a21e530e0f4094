package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/projections"
)

// projecting is the feed with every projection on it.
type projecting struct {
	store *eventstore.Store
	feed  *eventstore.Feed
	*running
}

// startProjections prepares the read models and folds the log into them until stop. An error that ends the feed
// goes to failed.
func (s *shop) startProjections(ctx context.Context, failed chan<- error) (*projecting, error) {
	fresh, err := projections.Prepare(ctx, s.pool, projections.All()...)
	if err != nil {
		return nil, err
	}
	if len(fresh) > 0 {
		s.log.InfoContext(ctx, "read models are built from the log", "projections", fresh)
	}
	feed := eventstore.NewFeed(s.store, eventstore.FeedOptions{})
	for _, p := range projections.All() {
		feed.Add(eventstore.Consumer{
			Name: p.Name, Types: p.Types(),
			Handle: func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error { return p.Apply(ctx, tx, events) },
		})
	}
	p := &projecting{store: s.store, feed: feed}
	p.running = background(ctx, func(ctx context.Context) {
		if err := feed.Run(ctx); err != nil && ctx.Err() == nil {
			failed <- fmt.Errorf("projections: %w", err)
		}
	})
	return p, nil
}

// WaitFor is what readapi asks for.
func (p *projecting) WaitFor(ctx context.Context, projection string, position eventstore.Position) (eventstore.Position, error) {
	if err := p.feed.WaitFor(ctx, projection, position); err != nil {
		return 0, err
	}
	return position, nil
}

// catchUp waits until every projection has come to the log's present head.
func (p *projecting) catchUp(ctx context.Context) error {
	head, err := p.store.Head(ctx)
	if err != nil {
		return err
	}
	for _, projection := range projections.All() {
		if err := p.feed.WaitFor(ctx, projection.Name, head); err != nil {
			return fmt.Errorf("wait for projection %s: %w", projection.Name, err)
		}
	}
	return nil
}

// otherProcess is how long a subcommand gives the projections of a running 'shop serve' before it runs its own.
const otherProcess = 500 * time.Millisecond

// catchUp makes the named read models show everything that is in the log now. A running 'shop serve' does that
// within moments; where none runs, the projections run here until they have.
func (s *shop) catchUp(ctx context.Context, w world, names ...string) error {
	if _, err := projections.Prepare(ctx, s.pool, projections.All()...); err != nil {
		return err
	}
	head, err := s.store.Head(ctx)
	if err != nil {
		return err
	}
	patience := time.Now().Add(otherProcess)
	if s.server != nil && !s.server.Reused() {
		patience = time.Time{} // this very command started the database, so nobody else is at work
	}
	for {
		behind, paused, err := s.behind(ctx, head, names)
		if err != nil {
			return err
		}
		if len(paused) > 0 {
			fmt.Fprintf(w.stderr, "note: %s paused, so what follows may be old (shop projections resume)\n", strings.Join(paused, ", "))
		}
		if len(behind) == 0 {
			return nil
		}
		if time.Now().After(patience) {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	failed := make(chan error, 1)
	p, err := s.startProjections(ctx, failed)
	if err != nil {
		return err
	}
	defer p.stop()
	caughtUp := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { caughtUp <- p.catchUp(ctx) }()
	show := newProgress(w.stderr)
	defer show.clear()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-caughtUp:
			return err
		case err := <-failed:
			return err
		case <-tick.C:
			show.say("bringing the read models up to date …")
		}
	}
}

// behind tells which of the named projections have not come to a position, and which of those are paused.
func (s *shop) behind(ctx context.Context, head eventstore.Position, names []string) (behind, paused []string, err error) {
	consumers, err := s.store.Consumers(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		i := slices.IndexFunc(consumers, func(c eventstore.ConsumerStatus) bool { return c.Name == name })
		switch {
		case i >= 0 && consumers[i].Position >= head:
		case i >= 0 && consumers[i].State == "paused":
			paused = append(paused, name)
		default:
			behind = append(behind, name)
		}
	}
	return behind, paused, nil
}
