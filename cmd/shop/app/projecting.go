package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/cmd/shop/terminal"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
)

// Projecting is the feed with every projection on it.
type Projecting struct {
	store *eventstore.Store
	Feed  *feed.Feed
	// Answers are told of what the projections change.
	Answers *readapi.Answers
	*running
}

// answersInMemory is how many bytes of ready answers a process keeps: some thousand lists, or ten times as many products.
const answersInMemory = 64 << 20

// extraInvalidations are events, by read model, that change none of its rows and make answers old all the same: the order of
// lists changes when goods sell out or come back.
var extraInvalidations = map[string][]string{"stock": {stock.Replenished{}.EventType(), stock.Depleted{}.EventType()}}

// StartProjections starts the feed until stop. With the role projectors it prepares the read models and folds the log
// into them, as its share of the work; with others it hears what is folded elsewhere. parts are put on the feed too. An
// error that ends the feed goes to failed.
func (s *Shop) StartProjections(ctx context.Context, does Roles, failed chan<- error, parts ...func(*feed.Feed)) (*Projecting, error) {
	consumers := feed.New(s.Store, feed.Options{Roles: does.names()})
	add := consumers.Follow
	if does.Has(RoleProjectors) {
		add = consumers.Add
		fresh, err := s.Builder.Deploy(ctx, projections.All()...)
		if err != nil {
			return nil, err
		}
		if len(fresh) > 0 {
			s.Log.InfoContext(ctx, "read models are new", "projections", fresh)
		}
	} else if err := s.Builder.Await(ctx, projections.All()...); err != nil {
		return nil, err
	}
	consumers.Observe(s.Handler.Observe)
	answers := readapi.NewAnswers(answersInMemory, s.Clock)
	for _, p := range projections.All() {
		add(feed.Consumer{
			Name: p.Name, Types: slices.Concat(p.Types(), extraInvalidations[p.Name]), Edition: p.Fingerprint(), Together: true, Rest: p.Rest,
			Handle: func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error { return p.Apply(ctx, tx, events) },
			Committed: func(events []eventstore.Event) {
				s.Replicas.Changed() // before an answer that is out of date can be made anew
				answers.Changed(p.Name, events)
			},
		})
	}
	for _, part := range parts {
		part(consumers)
	}
	p := &Projecting{store: s.Store, Feed: consumers, Answers: answers}
	p.running = Background(ctx, func(ctx context.Context) {
		if err := consumers.Run(ctx); err != nil && ctx.Err() == nil {
			failed <- fmt.Errorf("projections: %w", err)
		}
	})
	return p, nil
}

// WaitFor is what readapi asks for.
func (p *Projecting) WaitFor(ctx context.Context, projection string, position eventstore.Position) (eventstore.Position, error) {
	if err := p.Feed.WaitFor(ctx, projection, position); err != nil {
		return p.Feed.Position(projection), err
	}
	return position, nil
}

// Within is what readapi asks for.
func (p *Projecting) Within(ctx context.Context, position eventstore.Position) eventstore.Position {
	return p.Feed.Within(ctx, position)
}

// Shown is the position that everything the storefront's pages show has come to.
func (p *Projecting) Shown() eventstore.Position {
	least := p.Feed.Position("catalog")
	for _, name := range []string{"content", "documents", "popularity", "posts", "reviews", "rules", "settings", "stock"} {
		least = min(least, p.Feed.Position(name))
	}
	return least
}

// CatchUp waits until every projection that shoppers see has come to the log's present head; those for analysts may rest.
func (p *Projecting) CatchUp(ctx context.Context) error {
	head, err := p.store.Head(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range projections.All() {
		if p.Rest == 0 {
			names = append(names, p.Name)
		}
	}
	return p.wait(ctx, head, names)
}

// wait returns when the named projections, or all for no names, have come to a position.
func (p *Projecting) wait(ctx context.Context, position eventstore.Position, names []string) error {
	if names == nil {
		for _, projection := range projections.All() {
			names = append(names, projection.Name)
		}
	}
	for _, name := range names {
		err := p.Feed.WaitFor(ctx, name, position)
		var paused *feed.PausedConsumer
		if errors.As(err, &paused) {
			continue // an operator stopped it: the shop opens without it
		}
		if err != nil {
			return fmt.Errorf("wait for projection %s: %w", name, err)
		}
	}
	return nil
}

// otherProcess is how long a subcommand gives the projections of a running 'shop serve' before it runs its own.
const otherProcess = 500 * time.Millisecond

// CatchUp makes the named read models show everything that is in the log now. A running 'shop serve' does that
// within moments; where none runs, the projections run here until they have.
func (s *Shop) CatchUp(ctx context.Context, w terminal.World, names ...string) error {
	if _, err := rebuild.Prepare(ctx, s.Owner, projections.All()...); err != nil {
		return err
	}
	for _, name := range names {
		if p, ok := projections.Named(name); ok {
			if _, err := s.Builder.Deploy(ctx, p); err != nil {
				return err
			}
		}
	}
	head, err := s.Store.Head(ctx)
	if err != nil {
		return err
	}
	behind, err := s.behind(ctx, head, names)
	if err != nil || len(behind) == 0 {
		return err
	}
	paused, err := pausedOf(ctx, s.Store, behind)
	if err != nil {
		return err
	}
	if len(paused) > 0 {
		fmt.Fprintf(w.Stderr, "note: %s: paused, so what follows may be old (shop projections resume)\n", strings.Join(paused, ", "))
		return nil
	}
	failed := make(chan error, 1)
	p, err := s.StartProjections(ctx, Roles{RoleProjectors}, failed)
	if err != nil {
		return err
	}
	defer p.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	caughtUp := make(chan error, 1)
	go func() { caughtUp <- p.wait(ctx, head, names) }()
	show := terminal.NewProgress(w.Stderr)
	defer show.Clear()
	tick := time.NewTicker(show.Every)
	defer tick.Stop()
	for {
		select {
		case err := <-caughtUp:
			return err
		case err := <-failed:
			return err
		case <-tick.C:
			show.Say("bringing the read models up to date …")
		}
	}
}

// behind tells which projections do not come to a position while a moment passes.
func (s *Shop) behind(ctx context.Context, head eventstore.Position, names []string) ([]string, error) {
	patience := otherProcess
	if s.at.server != nil && !s.at.server.Reused() {
		patience = 10 * time.Millisecond // this very command started the database, so nobody else is at work
	}
	watch := feed.New(s.Store, feed.Options{}) // never run: it asks the database
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var behind []string
	for _, name := range names {
		err := watch.WaitFor(waiting, name, head)
		var unknown *feed.UnknownConsumer
		var paused *feed.PausedConsumer
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &unknown), errors.As(err, &paused), errors.Is(err, context.DeadlineExceeded):
			behind = append(behind, name)
		case err != nil:
			return nil, err
		}
	}
	return behind, nil
}

// pausedOf keeps the names of paused projections.
func pausedOf(ctx context.Context, store *eventstore.Store, names []string) ([]string, error) {
	consumers, err := feed.ControlOf(store).Consumers(ctx)
	if err != nil {
		return nil, err
	}
	var paused []string
	for _, c := range consumers {
		if c.State == feed.Paused && slices.Contains(names, c.Name) {
			paused = append(paused, c.Name)
		}
	}
	return paused, nil
}
