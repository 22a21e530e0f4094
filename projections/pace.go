package projections

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
	// firstShare is what is worked before anything is known. There is always some rest, or nothing could be compared.
	firstShare, leastShare, mostShare = 0.1, 0.01, 0.5
	// probeEvery is the pause between two probes, growthEvery between two looks at the log's head.
	probeEvery  = 25 * time.Millisecond
	growthEvery = 500 * time.Millisecond
	// probes is how many of the latest count, enough how many there must be.
	probes, enough = 80, 20
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

// settle rests for work that ran outside of work.
func (p *pace) settle(ctx context.Context, worked time.Duration) error {
	if _, polite := p.polite(); !polite {
		return nil
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	return p.rest(ctx, worked)
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

// watch sets the pace until its context ends. Where it cannot ask, it leaves the pace as it is.
func (p *pace) watch(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var head eventstore.Position
	var looked, grew time.Time
	var working, resting []time.Duration
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := time.Now(); now.Sub(looked) >= growthEvery {
			at, err := store.Head(ctx)
			if err != nil {
				continue
			}
			if !looked.IsZero() && at > head {
				grew = now
			}
			head, looked = at, now
		}
		if time.Since(grew) > calmAfter {
			p.share.Store(0)
			working, resting = nil, nil
			continue
		}
		if _, polite := p.polite(); !polite {
			p.share.Store(math.Float64bits(firstShare))
		}
		pieces, busy := p.pieces.Load(), p.busy.Load() > 0
		start := time.Now()
		// A transaction with an id is one that its commit writes through to the disk.
		if _, err := db.Exec(ctx, "SELECT pg_current_xact_id()"); err != nil {
			continue
		}
		took := time.Since(start)
		if busy || p.busy.Load() > 0 || p.pieces.Load() != pieces {
			working = latest(working, took)
		} else {
			resting = latest(resting, took)
		}
		if len(working) >= enough && len(resting) >= enough {
			p.share.Store(math.Float64bits(shareFor(slow(working), slow(resting))))
		}
	}
}

// shareFor is how much of the time may be worked when slow commits take so long beside work and beside rest.
func shareFor(working, resting time.Duration) float64 {
	excess := float64(working)/float64(resting) - 1
	if excess <= tolerated/mostShare {
		return mostShare
	}
	return max(leastShare, tolerated/excess)
}

func latest(d []time.Duration, next time.Duration) []time.Duration {
	if len(d) == probes {
		d = d[1:]
	}
	return append(d, next)
}

// slow is the 90th percentile.
func slow(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)*9/10]
}
