package eventstore

import (
	"context"
	"sync"
)

// Result is what became of one append of AppendEach.
type Result struct {
	Appended Appended
	// Err is as of Append: this append was not written, whatever became of the others.
	Err error
}

// AppendEach writes appends in order, each all or nothing and for itself: a conflict, a used key or a full quota refuses that
// one alone, and those that expect the versions it would have left. The others share a transaction. The answers come when
// all is settled, in the order of the appends.
func (s *Store) AppendEach(ctx context.Context, appends ...Append) []Result {
	results := make([]Result, len(appends))
	if !s.enter() {
		for i := range results {
			results[i].Err = ErrClosed
		}
		return results
	}
	defer s.inFlight.Done()
	ctx, cancel := context.WithTimeout(ctx, s.within(appends))
	defer cancel()

	var group []*pending
	var of []int // whose each member is
	for i := range appends {
		p, err := s.prepare(ctx, appends[i:i+1])
		switch {
		case err != nil:
			results[i].Err = err
		case len(p.writes) == 0 && len(p.keys) == 0:
			results[i].Appended = Appended{Versions: map[string]Version{}}
		default:
			group, of = append(group, p), append(of, i)
		}
	}
	if len(group) == 0 {
		return results
	}
	answers := s.commit(group)
	var apart sync.WaitGroup
	for _, members := range related(group) {
		apart.Go(func() {
			for _, k := range members {
				r := &results[of[k]]
				if r.Appended, r.Err = answers[k].appended, answers[k].err; answers[k].alone {
					r.Appended, r.Err = s.appendAlone(ctx, group[k], answers[k].lost)
				}
			}
		})
	}
	apart.Wait()
	return results
}

// related parts the members of a group into those that have streams in common, directly or by way of others, each in order.
// What is not related need not wait for one another.
func related(group []*pending) map[int][]int {
	part, first := make([]int, len(group)), map[string]int{}
	for k, p := range group {
		part[k] = k
		for _, w := range p.writes {
			before, there := first[w.stream]
			if !there {
				first[w.stream] = k
				continue
			}
			from, into := part[k], part[before]
			for i := range part[:k+1] {
				if part[i] == from {
					part[i] = into
				}
			}
		}
	}
	parts := map[int][]int{}
	for k, label := range part {
		parts[label] = append(parts[label], k)
	}
	return parts
}
