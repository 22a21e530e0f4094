package commands

import (
	"context"
	"log/slog"
	"sync"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"shop/eventstore"
	"shop/eventstore/snapshot"
)

const (
	// freezeEvery is the default of Options.FreezeEvery.
	freezeEvery = 1000
	// bytesPerEvent bounds what writing states down costs: a long state waits for more events.
	bytesPerEvent = 100
	// freezeQueue is how many streams wait to be written down; more are left for later.
	freezeQueue = 64
)

// frozen are the snapshots of streams that may grow long. Commands read them; they are written behind the appends, by Freeze.
type frozen struct {
	store *snapshot.Store
	every eventstore.Version
	queue chan *loaded

	mu sync.Mutex
	// due are the versions from which on a stream is written down again; absent: not known.
	due *lru.Cache[string, eventstore.Version]
	// waiting are streams in the queue.
	waiting map[string]bool
}

func newFrozen(store *snapshot.Store, every eventstore.Version) *frozen {
	f := &frozen{store: store, every: every, queue: make(chan *loaded, freezeQueue), waiting: map[string]bool{}}
	f.due, _ = lru.New[string, eventstore.Version](16384) // fails only for sizes below 1
	return f
}

// find begins states of which nothing is known with their snapshots, and answers the lengths of their streams.
func (f *frozen) find(ctx context.Context, states []*loaded) (map[string]eventstore.Version, error) {
	shapes := map[string]string{}
	for _, l := range states {
		if shape := l.ref.shape(); shape != "" && l.version == 0 {
			shapes[l.ref.name()] = shape
		}
	}
	if f.store == nil || len(shapes) == 0 {
		return nil, nil
	}
	found, err := f.store.Find(ctx, shapes)
	if err != nil {
		return nil, err
	}
	lengths := make(map[string]eventstore.Version, len(found))
	for _, l := range states {
		there, ok := found[l.ref.name()]
		if !ok {
			continue
		}
		lengths[l.ref.name()] = there.Length
		if taken := there.Snapshot; taken != nil {
			state, err := l.ref.thaw(taken.State)
			if err != nil {
				f.store.Refuse(ctx, *taken, "its state cannot be read: "+err.Error())
				continue
			}
			l.state, l.version = state, taken.Version
			f.written(l.ref.name(), taken.Version, len(taken.State))
		}
	}
	return lengths, nil
}

// written notes that a stream's state is written down.
func (f *frozen) written(stream string, version eventstore.Version, size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.due.Add(stream, version+max(f.every, eventstore.Version(size/bytesPerEvent)))
}

// grown hears of a stream that this process has written to.
func (f *frozen) grown(ref Ref, version eventstore.Version) {
	if f.store == nil || ref.shape() == "" || version < f.every {
		return
	}
	f.put(&loaded{ref: ref}, version)
}

// offer hears of a state that was read from a version on, up to an event.
func (f *frozen) offer(l *loaded, from eventstore.Version, last uuid.UUID) {
	if f.store == nil || l.ref.shape() == "" || l.version-from < f.every {
		return
	}
	f.put(&loaded{ref: l.ref, state: l.state, version: l.version, last: last}, l.version)
}

func (f *frozen) put(l *loaded, version eventstore.Version) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := l.ref.name()
	if due, known := f.due.Get(name); f.waiting[name] || known && version < due {
		return
	}
	select {
	case f.queue <- l:
		f.waiting[name] = true
	default: // it grows on, and is offered again
	}
}

// Freeze writes states of long streams down as they grow, until ctx ends. It is never in the way of a command: one stream at a time
// is read and written, and those for which it has no time come later. Errors go to the logger.
func (h *Handler) Freeze(ctx context.Context, logger *slog.Logger) {
	if h.frozen.store == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case l := <-h.frozen.queue:
			if err := h.freeze(ctx, l); err != nil && ctx.Err() == nil {
				logger.WarnContext(ctx, "a state was not written down; it is tried again when its stream has grown", "stream", l.ref.name(), "error", err)
			}
		}
	}
}

// freeze writes a stream's state down. One that is not given is read from the log, where nobody's memory can be wrong.
func (h *Handler) freeze(ctx context.Context, l *loaded) (err error) {
	f, name := h.frozen, l.ref.name()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.waiting, name)
	}()
	if l.version == 0 {
		if l, err = h.readToFreeze(ctx, l.ref); err != nil || l == nil {
			return err
		}
	}
	state, may := l.ref.freeze(l.state)
	if !may {
		f.written(name, l.version, 0) // it is asked again when it has grown
		return nil
	}
	if err := f.store.Save(ctx, snapshot.Snapshot{Stream: name, Shape: l.ref.shape(), Version: l.version, Event: l.last, State: state}); err != nil {
		return err
	}
	f.written(name, l.version, len(state))
	return nil
}

// readToFreeze folds a stream from its last snapshot on; nil: another process has written down what is enough for now.
func (h *Handler) readToFreeze(ctx context.Context, ref Ref) (*loaded, error) {
	l := &loaded{ref: ref, state: ref.initial()}
	if _, err := h.frozen.find(ctx, []*loaded{l}); err != nil {
		return nil, err
	}
	from := l.version
	var err error
	if l.last, err = h.readPages(ctx, l); err != nil || l.version-from < h.frozen.every {
		return nil, err
	}
	if l.ref.lacks(l.state) {
		l.state, l.version = ref.initial(), 0
		l.last, err = h.readPages(ctx, l)
	}
	return l, err
}
