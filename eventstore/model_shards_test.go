package eventstore_test

import (
	"fmt"
	"slices"
	"testing"
)

// Two logs, as a model of decision 24: stock is in one, orders in the other, and no append reaches both. Two shoppers want the
// last piece. Each step is one append to one log, or what a process learns from one; processes die between any two steps, answers
// are lost and asked for again, and no clock can be trusted: the sweeper may think at any time that a reservation has expired.
//
//	step          log     append
//	reserve       stock   held, if a piece is free; the order's id makes it idempotent, also after its release
//	place         orders  placed, if the order's stream is empty; then the shopper is answered
//	confirm       stock   confirmed, if held
//	close         orders  refused, if the order's stream is empty: from then on place cannot succeed
//	release       stock   released, if held, only after close
type shards struct {
	// The log of stock.
	free         int8
	reservations [shoppers]int8
	// The log of orders.
	orders [shoppers]int8
	acked  [shoppers]bool
	// at is where each shopper's process is, sweeper where the sweeper is with each reservation.
	at, sweeper [shoppers]int8
}

const shoppers = 2

const (
	unreserved int8 = iota
	reserved
	confirmed
	released
)

const (
	unplaced int8 = iota
	placedOrder
	refusedOrder
)

const (
	toReserve int8 = iota
	toPlace
	toAnswer
	toConfirm
	ended
)

const (
	resting int8 = iota
	toClose
	toRelease
	toSettle
)

// faults that are planted.
type shardFaults struct {
	// noClose releases when the order is not placed, without a word in the log of orders.
	noClose bool
	// reopens places an order that was closed.
	reopens bool
	// answersEarly answers before the order is placed.
	answersEarly bool
}

// next are all states after one step of anybody.
func (s shards) next(f shardFaults) (all []shards) {
	step := func(change func(n *shards)) {
		n := s
		change(&n)
		all = append(all, n)
	}
	for i := range shoppers {
		s.shop(f, i, step)
		s.sweep(f, i, step)
	}
	return all
}

func (s shards) shop(f shardFaults, i int, step func(func(n *shards))) {
	switch s.at[i] {
	case toReserve:
		step(func(n *shards) {
			switch {
			case s.reservations[i] == unreserved && s.free > 0:
				n.free, n.reservations[i], n.at[i] = s.free-1, reserved, toPlace
			case s.reservations[i] == reserved:
				n.at[i] = toPlace
			default:
				n.at[i] = ended // sold out, or too late
			}
		})
	case toPlace:
		step(func(n *shards) { n.at[i] = toReserve }) // the answer was lost
		step(func(n *shards) {
			if s.orders[i] == unplaced || f.reopens {
				n.orders[i] = placedOrder
			}
			n.at[i] = ended
			if n.orders[i] == placedOrder {
				n.at[i] = toAnswer
			}
		})
		if f.answersEarly {
			step(func(n *shards) { n.acked[i] = true })
		}
	case toAnswer:
		step(func(n *shards) { n.acked[i], n.at[i] = true, toConfirm })
	case toConfirm:
		step(func(n *shards) {
			if s.reservations[i] == reserved {
				n.reservations[i] = confirmed
			}
			n.at[i] = ended
		})
	}
	if s.at[i] != ended {
		step(func(n *shards) { n.at[i] = ended }) // it dies
	}
}

func (s shards) sweep(f shardFaults, i int, step func(func(n *shards))) {
	switch s.sweeper[i] {
	case resting:
		if s.reservations[i] == reserved {
			step(func(n *shards) { n.sweeper[i] = toClose })
		}
		return
	case toClose:
		step(func(n *shards) {
			switch {
			case s.orders[i] == placedOrder:
				n.sweeper[i] = toSettle
			case f.noClose:
				n.sweeper[i] = toRelease
			default:
				n.orders[i], n.sweeper[i] = refusedOrder, toRelease
			}
		})
	case toRelease:
		step(func(n *shards) {
			if s.reservations[i] == reserved {
				n.free, n.reservations[i] = s.free+1, released
			}
			n.sweeper[i] = resting
		})
	case toSettle:
		step(func(n *shards) {
			if s.reservations[i] == reserved {
				n.reservations[i] = confirmed
			}
			n.sweeper[i] = resting
		})
	}
	step(func(n *shards) { n.sweeper[i] = resting }) // it dies
}

// wrong says what must never be.
func (s shards) wrong(last bool) string {
	pieces := s.free
	for i := range shoppers {
		if s.reservations[i] == reserved || s.reservations[i] == confirmed {
			pieces++
		}
		switch {
		case s.acked[i] && s.orders[i] != placedOrder:
			return "an acknowledged order is not in the log"
		case s.orders[i] == placedOrder && (s.reservations[i] == unreserved || s.reservations[i] == released):
			return "an order has no piece"
		case last && s.reservations[i] == reserved:
			return "a piece is held for ever"
		case last && s.orders[i] == placedOrder && s.reservations[i] != confirmed:
			return "a placed order is not confirmed"
		}
	}
	if s.free < 0 || pieces != 1 {
		return fmt.Sprintf("%d pieces of 1", pieces)
	}
	return ""
}

// walkShards visits every state, and returns the first that is wrong.
func walkShards(f shardFaults) (visited int, wrong string) {
	first := shards{free: 1}
	seen := map[shards]bool{first: true}
	for waiting := []shards{first}; len(waiting) > 0; {
		s := waiting[0]
		waiting = waiting[1:]
		after := s.next(f)
		if wrong := s.wrong(len(after) == 0); wrong != "" {
			return len(seen), fmt.Sprintf("%s: %+v", wrong, s)
		}
		for _, n := range after {
			if !seen[n] {
				seen[n] = true
				waiting = append(waiting, n)
			}
		}
	}
	return len(seen), ""
}

// TestOrdersAcrossTwoLogs: no piece is sold twice or lost, whoever dies when.
func TestOrdersAcrossTwoLogs(t *testing.T) {
	t.Parallel()
	visited, wrong := walkShards(shardFaults{})
	if wrong != "" {
		t.Error(wrong)
	}
	if visited < 300 {
		t.Errorf("only %d states", visited)
	}
	t.Logf("%d states", visited)
	faults := map[string]shardFaults{
		"released without closing the order": {noClose: true}, "placed though it was closed": {reopens: true}, "answered before the order is placed": {answersEarly: true},
	}
	var missed []string
	for name, f := range faults {
		if _, wrong := walkShards(f); wrong == "" {
			missed = append(missed, name)
		} else {
			t.Logf("%s: %s", name, wrong)
		}
	}
	slices.Sort(missed)
	if len(missed) > 0 {
		t.Errorf("planted and not found: %q", missed)
	}
}
