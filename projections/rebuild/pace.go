package rebuild

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
)

// pace leaves the machine to appends while a fold runs. As long as the log grows it lets one piece of work run at a
// time and has it followed by rest; how much rest is found out by commits of its own, which cost what a small append
// costs: timed while work runs and while it rests, they tell what the work does to others. Its zero value is full speed.
type pace struct {
	// share is the part of the time that may be worked, as the bits of a float; 0 is all of it.
	share atomic.Uint64
	// turn is held by the piece of work that runs or rests.
	turn sync.Mutex
	// busy counts pieces of work that run now, pieces all there were.
	busy, pieces atomic.Int64
}

const (
	// tolerated is by what part commits may take longer while a fold runs.
	tolerated = 0.15
	// firstShare is what is worked before anything is known. There is always some rest, or nothing could be compared;
	// at 0.2 the 90th percentile of appends was the same beside a fold as alone, within what such a measurement errs.
	firstShare, leastShare, mostShare = 0.1, 0.02, 0.2
	// probeEvery is the pause between two probes, growthEvery between two looks at the log's head.
	probeEvery  = 25 * time.Millisecond
	growthEvery = 500 * time.Millisecond
	// remembered is how long a probe counts, enough how many there must be.
	remembered, enough = 10 * time.Second, 15
	// firstLook is how long a fold looks at the log before it begins.
	firstLook = 250 * time.Millisecond
	// calmAfter is how long nothing must be appended before a fold takes everything.
	calmAfter = 3 * time.Second
	// politeWindow is how many positions are read at once beside appends: a few milliseconds of work.
	politeWindow = 256
	longestRest  = time.Second
)

// polite says whether work is to rest, and which part of the time it may run.
func (p *pace) polite() (share float64, polite bool) {
	share = math.Float64frombits(p.share.Load())
	return share, share > 0
}

// work runs a piece of work when it is its turn, and rests.
func (p *pace) work(ctx context.Context, piece func() error) error {
	if _, polite := p.polite(); !polite {
		return piece()
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	p.begin()
	start := time.Now()
	err := piece()
	p.end()
	if err != nil {
		return err
	}
	return p.rest(ctx, time.Since(start))
}

// breathe rests in the middle of a piece of work.
func (p *pace) breathe(ctx context.Context, worked time.Duration) error {
	if _, polite := p.polite(); !polite {
		return nil
	}
	p.end()
	defer p.begin()
	return p.rest(ctx, worked)
}

func (p *pace) begin() { p.pieces.Add(1); p.busy.Add(1) }
func (p *pace) end()   { p.busy.Add(-1) }

func (p *pace) rest(ctx context.Context, worked time.Duration) error {
	share, polite := p.polite()
	if !polite {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(longestRest, time.Duration(float64(worked)*(1/share-1)))):
		return nil
	}
}

// look answers whether the log grows. It takes a moment.
func (p *pace) look(ctx context.Context, store *eventstore.Store) (grows bool, err error) {
	before, err := store.Head(ctx)
	if err != nil {
		return false, err
	}
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-time.After(firstLook):
	}
	after, err := store.Head(ctx)
	return after > before, err
}

// watch sets the pace until its context ends. Where it cannot ask, it leaves the pace as it is.
func (p *pace) watch(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var head eventstore.Position
	var looked, grew time.Time
	if _, polite := p.polite(); polite {
		grew = time.Now()
	}
	var working, resting samples
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		if now.Sub(looked) >= growthEvery {
			at, err := store.Head(ctx)
			if err != nil {
				continue
			}
			if !looked.IsZero() && at > head {
				grew = now
			}
			head, looked = at, now
		}
		share, polite := p.polite()
		if now.Sub(grew) > calmAfter {
			p.set(0)
			continue
		}
		if !polite {
			share, working, resting = firstShare, nil, nil
		}
		pieces, busy := p.pieces.Load(), p.busy.Load() > 0
		start := time.Now()
		// A transaction with an id is one that its commit writes through to the disk.
		if _, err := db.Exec(ctx, "SELECT pg_current_xact_id()"); err != nil {
			continue
		}
		next := sample{start, time.Since(start)}
		if busy || p.busy.Load() > 0 || p.pieces.Load() != pieces {
			working = append(working, next)
		} else {
			resting = append(resting, next)
		}
		working, resting = working.since(now.Add(-remembered)), resting.since(now.Add(-remembered))
		if len(working) >= enough && len(resting) >= enough {
			share = shareFor(working.slow(), resting.slow())
		} else {
			share = min(firstShare, share*1.01) // too little is known: try a little more
		}
		p.set(share)
	}
}

func (p *pace) set(share float64) { p.share.Store(math.Float64bits(share)) }

// shareFor is how much of the time may be worked when slow commits take so long beside work and beside rest.
func shareFor(working, resting time.Duration) float64 {
	excess := float64(working)/float64(resting) - 1
	if excess <= tolerated/mostShare {
		return mostShare
	}
	return max(leastShare, tolerated/excess)
}

// sample is how long a commit took, and when.
type sample struct {
	at   time.Time
	took time.Duration
}

type samples []sample

func (s samples) since(at time.Time) samples {
	for len(s) > 0 && s[0].at.Before(at) {
		s = s[1:]
	}
	return s
}

// slow is the 90th percentile.
func (s samples) slow() time.Duration {
	d := make([]time.Duration, len(s))
	for i := range s {
		d[i] = s[i].took
	}
	slices.Sort(d)
	return d[len(d)*9/10]
}
