package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"shop/eventstore"
	"shop/eventstore/feed"
)

// Tables are Checkpoints beside a Log. Make them with Open.
type Tables struct {
	log *Log
	// writing is held by the one transaction at a time, which is not for those who only look.
	writing chan struct{}

	mu    sync.Mutex
	state state
	// live are the processes by holder, in the order of their start; jobs the holders of singleton jobs.
	live      []*process
	jobs      map[string]string
	listeners map[*listener]struct{}
}

// process is one that renews its leases.
type process struct {
	holder string
	can    []string
	until  time.Time
}

// listener is told what others do.
type listener struct {
	holder string
	heard  chan feed.Signal
}

// state is what transactions change.
type state struct {
	places  map[feed.Place]place
	types   map[string][]string
	letters []letter
	// written is what handlers wrote.
	written map[string][]any
}

type place struct {
	position eventstore.Position
	term     int64
	paused   bool
	edition  string
	holder   string
}

type letter struct {
	feed.Letter
	place    feed.Place
	attempts int
	retry    bool
	skipped  bool
}

func (s state) clone() state {
	c := state{places: maps.Clone(s.places), types: maps.Clone(s.types), letters: slices.Clone(s.letters), written: maps.Clone(s.written)}
	return c
}

// Open makes the tables of a log.
func Open(l *Log) *Tables {
	return &Tables{
		log: l, writing: make(chan struct{}, 1), jobs: map[string]string{}, listeners: map[*listener]struct{}{},
		state: state{places: map[feed.Place]place{}, types: map[string][]string{}, written: map[string][]any{}},
	}
}

// lock waits for the transaction at work.
func (t *Tables) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case t.writing <- struct{}{}:
		return func() { <-t.writing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// change is a short transaction of the tables' own.
func (t *Tables) change(ctx context.Context, do func(s *state)) error {
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	do(&t.state)
	return nil
}

// Declare: see feed.Checkpoints.
func (t *Tables) Declare(ctx context.Context, consumers []feed.Declaration) error {
	return t.change(ctx, func(s *state) {
		for _, d := range consumers {
			for r := range eventstore.Ranges {
				at := feed.Place{Consumer: d.Consumer, Range: r}
				if _, known := s.places[at]; !known {
					s.places[at] = place{edition: d.Edition}
				} else if p := s.places[at]; d.Revision > 0 && revisionOf(p.edition) < d.Revision {
					p.edition, p.holder = d.Edition, ""
					p.term++
					s.places[at] = p
				}
			}
			if s.places[feed.Place{Consumer: d.Consumer}].edition == d.Edition {
				s.types[d.Consumer] = d.Types
			}
		}
	})
}

// revisionOf is the revision that an edition is; 0: none.
func revisionOf(edition string) int {
	var n int
	if _, err := fmt.Sscanf(edition, "r%d", &n); err != nil {
		return 0
	}
	return n
}

// Read: see feed.Checkpoints.
func (t *Tables) Read(ctx context.Context, consumers []string) (map[feed.Place]feed.Standing, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	standings := map[feed.Place]feed.Standing{}
	for at, p := range t.state.places {
		if slices.Contains(consumers, at.Consumer) {
			standings[at] = feed.Standing{
				Position: p.position, Term: p.term, Paused: p.paused, Edition: p.edition, Holder: p.holder, Parked: map[string]bool{},
			}
		}
	}
	for _, l := range t.state.letters {
		if s, ok := standings[l.place]; ok && !l.skipped {
			s.Parked[l.Stream] = true
			s.Retry = s.Retry || l.retry
			standings[l.place] = s
		}
	}
	return standings, ctx.Err()
}

// fits says whether a place is where a move says.
func (s *state) fits(m feed.Move) bool {
	p, known := s.places[m.Place]
	return known && p.position == m.From && p.term == m.Term
}

func (s *state) move(m feed.Move) {
	p := s.places[m.Place]
	p.position = m.To
	s.places[m.Place] = p
}

// Transact: see feed.Checkpoints.
func (t *Tables) Transact(ctx context.Context, moves []feed.Move, work func(ctx context.Context, tx feed.Tx) error) error {
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	t.mu.Lock()
	tx := &Tx{state: t.state.clone()}
	t.mu.Unlock()
	for _, m := range moves {
		if !tx.state.fits(m) || tx.state.places[m.Place].paused {
			return feed.ErrMoved
		}
		tx.state.move(m)
	}
	if err := work(ctx, tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	// Leases are taken without waiting for a transaction: one that lost its lease meanwhile is fenced here.
	for _, m := range moves {
		if t.state.places[m.Place].term != m.Term {
			return feed.ErrMoved
		}
	}
	for at, p := range t.state.places {
		p.position = tx.state.places[at].position
		tx.state.places[at] = p
	}
	t.state = tx.state
	return nil
}

// Save: see feed.Checkpoints.
func (t *Tables) Save(ctx context.Context, moves []feed.Move) (saved []feed.Place, err error) {
	err = t.change(ctx, func(s *state) {
		for _, m := range moves {
			if s.fits(m) {
				s.move(m)
				saved = append(saved, m.Place)
			}
		}
	})
	return saved, err
}

// Retries: see feed.Checkpoints.
func (t *Tables) Retries(ctx context.Context, at feed.Place, limit int) (positions []eventstore.Position, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	wanted := map[string]bool{}
	for _, l := range t.state.letters {
		wanted[l.Stream] = wanted[l.Stream] || l.place == at && l.retry && !l.skipped
	}
	for _, l := range t.state.letters {
		if l.place == at && wanted[l.Stream] && !l.skipped {
			positions = append(positions, l.Position)
		}
	}
	slices.Sort(positions)
	return positions[:min(len(positions), limit)], ctx.Err()
}

// Reached: see feed.Checkpoints.
func (t *Tables) Reached(ctx context.Context, consumer string, p eventstore.Position) (reached, paused bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	reached, known := true, false
	for at, stands := range t.state.places {
		if at.Consumer != consumer {
			continue
		}
		known, paused = true, paused || stands.paused
		q := eventstore.Query{After: stands.position, UpTo: p, Range: at.Range, Types: t.state.types[consumer], Limit: 1}
		open, err := t.log.Inspect(ctx, q)
		if err != nil {
			return false, false, err
		}
		reached = reached && len(open) == 0
	}
	if !known {
		return false, false, &feed.UnknownConsumer{Name: consumer}
	}
	return reached, paused, nil
}

// Transient: an end of a context, and ErrUnavailable.
func (t *Tables) Transient(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnavailable)
}

// Tx is a transaction of Tables, which a consumer's HandleIn gets.
type Tx struct{ state state }

// Write keeps a value under a name, behind those written before.
func (tx *Tx) Write(name string, value any) {
	// A copy: other states may share the array.
	tx.state.written[name] = append(slices.Clone(tx.state.written[name]), value)
}

// Attempt: see feed.Tx.
func (tx *Tx) Attempt(ctx context.Context, work func(ctx context.Context, tx feed.Tx) error) error {
	inner := &Tx{state: tx.state.clone()}
	if err := work(ctx, inner); err != nil {
		return err
	}
	tx.state = inner.state
	return nil
}

// Parked: see feed.Tx.
func (tx *Tx) Parked(_ context.Context, at feed.Place) (streams []string, err error) {
	for _, l := range tx.state.letters {
		if l.place == at && !l.skipped {
			streams = append(streams, l.Stream)
		}
	}
	return streams, nil
}

// StillParked: see feed.Tx.
func (tx *Tx) StillParked(_ context.Context, at feed.Place, positions []eventstore.Position) (still []eventstore.Position, err error) {
	for _, l := range tx.state.letters {
		if l.place == at && !l.skipped && slices.Contains(positions, l.Position) {
			still = append(still, l.Position)
		}
	}
	return still, nil
}

// Park: see feed.Tx.
func (tx *Tx) Park(_ context.Context, at feed.Place, letters []feed.Letter) error {
	for _, l := range letters {
		tx.state.letters = append(tx.state.letters, letter{Letter: l, place: at, attempts: 1})
	}
	return nil
}

// Settle: see feed.Tx.
func (tx *Tx) Settle(_ context.Context, consumer string, s feed.Settlement) error {
	tx.state.letters = slices.DeleteFunc(tx.state.letters, func(l letter) bool {
		return l.place.Consumer == consumer && slices.Contains(s.Done, l.Position)
	})
	for i := range tx.state.letters {
		l := &tx.state.letters[i]
		if l.place.Consumer != consumer || l.skipped {
			continue
		}
		if slices.Contains(s.Mended, l.Stream) {
			l.retry = true
		}
		for _, f := range s.Failed {
			if l.Stream == f.Stream {
				l.retry = false
			}
			if l.Position == f.Position {
				l.Error = f.Error
				l.attempts++
			}
		}
	}
	return nil
}
