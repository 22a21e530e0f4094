package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// measured are figures of docs/performance.md and docs/regions.md, of two cores.
var measured = struct {
	// appends are appends of one event a second, by clients that do nothing else.
	appends map[int]float64
	// pages are product pages a second, by connections; the load itself ran on the same cores.
	pages map[int]float64
	cores int
	// order is the processor time of an order in all: request, decision, append, read models.
	order time.Duration
	// read is that of an answer that is kept, with its client; relayed that of an event in the relay and NATS.
	read, relayed time.Duration
	// eventsOfOrder are those of an order's whole life: 49 834 positions for 3 000 orders of the demo.
	eventsOfOrder float64
	// growth is what an append costs in a log of a hundred times as many events.
	growth float64
	// small is the log that growth was measured from.
	small float64
	// folded are events a second that a read model folds anew; eventBytes is an event on the disk with its indexes.
	folded, eventBytes float64
}{
	appends: map[int]float64{1: 2158, 8: 5648, 32: 6842},
	pages:   map[int]float64{1: 5889, 16: 14_993},
	cores:   2,
	order:   2600 * time.Microsecond, read: 140 * time.Microsecond, relayed: 5700 * time.Nanosecond,
	eventsOfOrder: 16.6, growth: 1.34, small: 50_000, folded: 90_000, eventBytes: 550,
}

// commits are how the log takes appends in: one batch at a time, of all that wait.
type commits struct {
	// flush is what a batch costs however small it is, each what one more append in it costs.
	flush, each time.Duration
}

// calibrate finds the two from two rates: n clients that do nothing else make batches of n.
func calibrate(one, many float64, n int) commits {
	alone, together := 1/one, float64(n)/many
	each := (together - alone) / float64(n-1)
	return commits{flush: seconds(alone - each), each: seconds(each)}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// grown are the commits of a log with so many events.
func (c commits) grown(events float64) commits {
	steps := math.Log(max(1, events/measured.small)) / math.Log(100)
	c.each = time.Duration(float64(c.each) * math.Pow(measured.growth, steps))
	return c
}

// closed simulates clients of which each waits for its append before the next one, and answers the rate.
func (c commits) closed(clients int, rounds int) float64 {
	var now time.Duration
	for range rounds {
		now += c.flush + time.Duration(clients)*c.each // everybody waits again when the batch ends
	}
	return float64(rounds*clients) / now.Seconds()
}

// open simulates appends that come by chance at a rate, for a time, and answers how long they waited, in order; nil: they pile up.
func (c commits) open(rate float64, lasts time.Duration, seed uint64) []time.Duration {
	chance := rand.New(rand.NewPCG(seed, 0)) // #nosec G404 -- a simulation that a seed repeats
	var waits, waiting []time.Duration
	var free time.Duration
	next := seconds(chance.ExpFloat64() / rate)
	for next < lasts {
		at := max(free, next)
		for next <= at {
			waiting = append(waiting, next)
			next += seconds(chance.ExpFloat64() / rate)
		}
		free = at + c.flush + time.Duration(len(waiting))*c.each
		for _, came := range waiting {
			waits = append(waits, free-came)
		}
		if waiting = waiting[:0]; free-next > time.Second {
			return nil
		}
	}
	slices.Sort(waits)
	return waits
}

// saturated is the rate of work on some cores when each piece takes what it takes alone.
func saturated(alone float64, cores int) float64 { return alone * float64(cores) }

// shop is a size to be predicted.
type shop struct {
	name                           string
	orders, reads, events, regions float64
}

// prediction is what a shop needs at an average use of half.
type prediction struct {
	orderCores, readCores, relayCores float64
	// primary is the share of its time in which the log writes; p99 is of an append's commit, 0: they pile up.
	primary float64
	p99     time.Duration
	disk    float64
	rebuild time.Duration
	first   string
}

// use is how busy machines shall be at most.
const use = 0.5

// predict takes an order for one append, whose events together cost as much as two and a half appends of one event: its share of the
// processor time of an order that is the database's was not measured apart.
func predict(s shop, c commits) (p prediction) {
	order := c.grown(s.events)
	order.each = order.each * 5 / 2
	p.orderCores = s.orders * measured.order.Seconds() / use
	p.readCores = s.reads * measured.read.Seconds() / use
	p.relayCores = s.orders * measured.eventsOfOrder * measured.relayed.Seconds() / use
	p.primary = s.orders * order.each.Seconds()
	if waits := order.open(s.orders, 20*time.Second, 1); len(waits) > 0 {
		p.p99 = waits[len(waits)*99/100]
	}
	p.disk = s.events * measured.eventBytes
	p.rebuild = seconds(s.events / measured.folded)
	switch {
	case p.p99 == 0:
		p.first = "one primary"
	case p.rebuild > time.Hour:
		p.first = "building a read model anew"
	case p.primary > use:
		p.first = "the primary's commits"
	default:
		p.first = "processors of web processes"
	}
	return p
}
