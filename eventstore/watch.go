package eventstore

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// watch follows the head of the log and fills the ring: one query when nothing happened, two when something did, for
// all consumers of the process together.
func (f *Feed) watch(ctx context.Context) {
	rung, deaf := f.store.appended.listen()
	defer deaf()
	poll := f.opts.Poll
	timer := time.NewTimer(0)
	defer timer.Stop()
	first, backoff := true, time.Duration(0)
	var ends horizons
	for {
		select {
		case <-ctx.Done():
			return
		case <-rung:
		case <-f.wake:
		case <-timer.C:
		}
		grown, err := f.follow(ctx, first, &ends)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			backoff = min(max(2*backoff, f.opts.Poll), maxBackoff)
			f.log.Warn("the head of the log cannot be read", "error", err, "again_in", backoff)
			if !pause(ctx, backoff) {
				return
			}
			timer.Reset(0)
			continue
		}
		if first {
			first = false
			close(f.watching)
		}
		backoff = 0
		if grown {
			poll = f.opts.Poll
		} else {
			poll = min(poll+poll/4, f.opts.IdlePoll)
		}
		// Whatever is appended during this pause is read together.
		if !pause(ctx, f.opts.Gather) {
			return
		}
		timer.Reset(poll)
	}
}

// pause waits; false when ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// follow brings the ring and the observers up to the heads, and says whether they had moved.
func (f *Feed) follow(ctx context.Context, first bool, ends *horizons) (grown bool, err error) {
	asked := time.Now()
	to, end, err := f.store.heads(ctx)
	if err != nil {
		return false, err
	}
	ends.add(end, asked)
	if first {
		f.leap(to)
		return true, nil
	}
	defer func() {
		if err == nil {
			f.show(Sight{Head: f.ring.present().least(), At: ends.reached(f.ring.present().least())})
		}
	}()
	for {
		from := f.ring.present()
		low, high := from[0], from[0]
		for r := range to {
			to[r] = max(to[r], from[r])
			low, high = min(low, from[r]), max(high, to[r])
			grown = grown || to[r] > from[r]
		}
		if !grown || high == low {
			return grown, nil
		}
		if high-low > Position(8*Ranges*f.opts.Ring) {
			// An import: consumers catch up from the table, at their own pace.
			f.leap(to)
			return true, nil
		}
		erasures := f.store.keys.erasures.Load()
		events, err := f.store.query(ctx, `SELECT `+columns+` FROM eventstore.events e
			WHERE e.position > $1 AND e.position <= $2
			  AND e.position > ($3::bigint[])[e.slice / $5 + 1] AND e.position <= ($4::bigint[])[e.slice / $5 + 1]
			ORDER BY e.position LIMIT $6`, int64(low), int64(high), from.array(), to.array(), Slices/Ranges, f.opts.Ring)
		if err != nil {
			return grown, err
		}
		reached := to
		if len(events) == f.opts.Ring {
			last := events[len(events)-1].Position
			for r := range reached {
				reached[r] = max(from[r], min(to[r], last))
			}
		}
		f.pass(events, reached, erasures)
		if reached == to {
			return true, nil
		}
	}
}

// forget empties the ring when a person was erased: events in it may hold what their key opened.
func (f *Feed) forget(ctx context.Context) {
	rung, deaf := f.store.forgotten.listen()
	defer deaf()
	for {
		select {
		case <-ctx.Done():
			return
		case <-rung:
			f.observing.Lock()
			f.ring.forget()
			f.inform(Sight{Gap: true})
			f.observing.Unlock()
		}
	}
}

func (h heads) array() []int64 {
	array := make([]int64, len(h))
	for i, p := range h {
		array[i] = int64(p)
	}
	return array
}

// listen hears other processes on a connection of its own. Nothing depends on it but speed.
func (f *Feed) listen(ctx context.Context) {
	backoff := time.Duration(0)
	for ctx.Err() == nil {
		conn, err := connectAside(ctx, f.store.pool.Config().ConnConfig,
			"LISTEN "+channelAppended+"; LISTEN "+channelControl+"; LISTEN "+channelErased+"; LISTEN "+channelLeases+"; LISTEN "+channelMoved)
		if err == nil {
			backoff = 0
			f.listening.Store(true)
			f.show(Sight{Gap: true}) // an erasure may have gone unheard
			nudge(f.wake)            // what came while nobody listened
			nudge(f.control)
			nudge(f.leases)
			err = f.hear(ctx, conn)
			f.listening.Store(false)
			closeConn(conn)
		}
		if ctx.Err() != nil {
			return
		}
		backoff = min(max(2*backoff, 100*time.Millisecond), maxBackoff)
		f.log.Warn("not listening; polling instead", "error", err, "again_in", backoff)
		pause(ctx, backoff)
	}
}

func (f *Feed) hear(ctx context.Context, conn *pgx.Conn) error {
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		switch n.Channel {
		case channelAppended:
			if n.Payload != f.store.id { // this one has rung its own bell
				nudge(f.wake)
			}
		case channelControl:
			nudge(f.control)
		case channelLeases:
			nudge(f.leases)
		case channelMoved:
			f.hearNews(n.Payload)
		case channelErased:
			if person, err := uuid.Parse(n.Payload); err == nil {
				f.store.forgetPerson(person)
			}
		}
	}
}

// nudge leaves a wake-up in a channel of capacity one.
func nudge(bell chan<- struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}
