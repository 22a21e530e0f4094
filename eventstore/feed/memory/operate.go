package memory

import (
	"context"
	"slices"

	"shop/eventstore"
	"shop/eventstore/feed"
)

// Pause stops a consumer before its next transaction.
func (t *Tables) Pause(ctx context.Context, consumer string) error {
	return t.setPaused(ctx, consumer, true)
}

// Resume undoes Pause.
func (t *Tables) Resume(ctx context.Context, consumer string) error {
	return t.setPaused(ctx, consumer, false)
}

func (t *Tables) setPaused(ctx context.Context, consumer string, paused bool) error {
	return t.operate(ctx, func(s *state) {
		for at, p := range s.places {
			if at.Consumer == consumer {
				p.paused = paused
				s.places[at] = p
			}
		}
	})
}

// operate is change, and tells the processes.
func (t *Tables) operate(ctx context.Context, do func(s *state)) error {
	err := t.change(ctx, do)
	t.signal("", feed.Signal{Kind: feed.Changed})
	return err
}

// DeadLetters are a consumer's, by position.
func (t *Tables) DeadLetters(consumer string) (letters []feed.Letter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.state.letters {
		if l.place.Consumer == consumer && !l.skipped {
			letters = append(letters, l.Letter)
		}
	}
	slices.SortFunc(letters, func(a, b feed.Letter) int { return int(a.Position - b.Position) })
	return letters
}

// Retry asks for another attempt at a consumer's dead letters.
func (t *Tables) Retry(ctx context.Context, consumer string) error {
	return t.operate(ctx, func(s *state) {
		for i := range s.letters {
			l := &s.letters[i]
			l.retry = l.retry || l.place.Consumer == consumer && !l.skipped
		}
	})
}

// Skip lets a consumer go on without an event, and asks for an attempt at those of its stream that waited behind it.
func (t *Tables) Skip(ctx context.Context, consumer string, p eventstore.Position) error {
	return t.operate(ctx, func(s *state) {
		at := slices.IndexFunc(s.letters, func(l letter) bool { return l.place.Consumer == consumer && l.Position == p && !l.skipped })
		if at < 0 {
			return
		}
		s.letters[at].skipped = true
		for i := range s.letters {
			l := &s.letters[i]
			l.retry = !l.skipped && (l.retry || l.place.Consumer == consumer && l.Stream == s.letters[at].Stream)
		}
	})
}

// Take gives a place to another holder, as a process would that believes the present one dead.
func (t *Tables) Take(p feed.Place, holder string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.state.places[p]
	at.holder = holder
	at.term++
	t.state.places[p] = at
}

// Written is what handlers kept under a name.
func (t *Tables) Written(name string) []any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.state.written[name])
}
