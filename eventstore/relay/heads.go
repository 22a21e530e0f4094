package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/wake"
)

// Progress says how far ranges are complete. It stays true for ever within its epoch, so it may come late, twice or not at all.
type Progress struct {
	Epoch  string     `json:"epoch"`
	Ranges []Complete `json:"ranges"`
}

// Complete says of a range that no event lies between Last and UpTo.
type Complete struct {
	Range int                 `json:"range"`
	Last  eventstore.Position `json:"last"`
	UpTo  eventstore.Position `json:"upto"`
}

const (
	// tellEvery is the least pause between two Progresses, tellAgain the longest, in case one was lost.
	tellEvery = 10 * time.Millisecond
	tellAgain = time.Second
)

// Tell says how far the ranges are that this process publishes for a consumer of the feed, until ctx ends.
func (p *Publisher) Tell(ctx context.Context, f *feed.Feed, consumer string) {
	moved, stop := f.Moved(consumer)
	defer stop()
	again := time.NewTicker(tellAgain)
	defer again.Stop()
	var told eventstore.Heads
	for {
		select {
		case <-ctx.Done():
			return
		case <-moved:
		case <-again.C:
			told = eventstore.Heads{}
		}
		if err := p.tell(ctx, f, consumer, &told); err != nil && ctx.Err() == nil {
			p.log.Debug("cannot tell how far the log is published", "error", err)
		}
		if !wake.Pause(ctx, tellEvery) {
			return
		}
	}
}

func (p *Publisher) tell(ctx context.Context, f *feed.Feed, consumer string, told *eventstore.Heads) error {
	at, held := f.Places(consumer) // before the ends: what lies up to there is published
	if _, err := p.ready(ctx); err != nil {
		return err
	}
	progress := Progress{Epoch: p.epoch}
	for r := range at {
		if !held[r] || at[r] == 0 || at[r] == told[r] {
			continue
		}
		last, known := p.ranges[r].at()
		if !known {
			var err error
			if last, err = p.source.Last(ctx, r, nil, at[r]); err != nil {
				return err
			}
		}
		progress.Ranges = append(progress.Ranges, Complete{Range: r, Last: last, UpTo: max(last, at[r])})
		told[r] = at[r]
	}
	if len(progress.Ranges) == 0 {
		return nil
	}
	payload, err := json.Marshal(progress)
	if err != nil {
		return err
	}
	return p.conn.Publish(p.settings.heads(), payload)
}

// at is the last event that was published; not known: nothing was published here yet.
func (e *end) at() (last eventstore.Position, known bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last, e.known && e.seq > 0
}

// Hear calls hear with what relays tell, until stop.
func (s *Stream) Hear(hear func(Progress)) (stop func(), err error) {
	heard, err := s.conn.Subscribe(s.heads(), func(msg *nats.Msg) {
		var p Progress
		if json.Unmarshal(msg.Data, &p) != nil {
			return // forged; nothing depends on it
		}
		for _, c := range p.Ranges {
			if c.Range < 0 || c.Range >= eventstore.Ranges || c.UpTo < c.Last || c.Last < 0 {
				return
			}
		}
		hear(p)
	})
	if err != nil {
		return nil, fmt.Errorf("listen to relays: %w", err)
	}
	return func() { _ = heard.Unsubscribe() }, nil
}
