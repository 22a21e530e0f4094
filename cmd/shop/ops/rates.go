package ops

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	reads "shop/readapi/staff"
)

// rates are the projections' events a second over the last minutes, in the memory of this process. They are sampled
// whether anybody looks or not, so that who opens the page sees what was: it is one look at a few dozen rows a second.
type rates struct {
	mu sync.Mutex
	// byName holds a value for each second, the last one the newest.
	byName map[string][]float64
}

// RatesKept is how many seconds are kept.
const RatesKept = 300

func NewRates() *rates { return &rates{byName: map[string][]float64{}} }

// run samples until ctx ends.
func (m *rates) run(ctx context.Context, from *reads.Reader, log *slog.Logger) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		now, err := from.Rates(ctx)
		if err != nil && ctx.Err() == nil {
			log.DebugContext(ctx, "rates are not known for a second", "error", err)
		}
		m.Add(now)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Add keeps a second's values; a projection without one had 0.
func (m *rates) Add(now map[string]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range now {
		if m.byName[name] == nil {
			m.byName[name] = make([]float64, 0, 2*RatesKept)
		}
	}
	for name, values := range m.byName {
		if len(values) == cap(values) {
			values = append(values[:0], values[len(values)-RatesKept+1:]...)
		}
		m.byName[name] = append(values, now[name])
	}
}

// Lately is a copy of what is known, oldest first.
func (m *rates) Lately() map[string][]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[string][]float64, len(m.byName))
	for name, values := range m.byName {
		all[name] = slices.Clone(values[max(0, len(values)-RatesKept):])
	}
	return all
}
