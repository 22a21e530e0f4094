package eventstore

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Result is what became of one append of AppendEach or AppendLocked.
type Result struct {
	Appended Appended
	// Err is as of Append: this append was not written, whatever became of the others.
	Err error
}

// AppendEach writes appends that were decided one after the other, each over what those before it leave. Each is all or
// nothing and for itself: a conflict, a used key or a full quota refuses that one, and those after it that expect a version
// of a stream it would have written, as they were decided over what is not there. The latter get a *VersionConflict whose
// Actual may equal Expected. The others share a transaction. The answers come when all is settled, in the order of the
// appends.
func (s *Store) AppendEach(ctx context.Context, appends ...Append) []Result {
	results := make([]Result, len(appends))
	if !s.enter() {
		return failed(results, ErrClosed)
	}
	defer s.inFlight.Done()
	ctx, end := s.observed(ctx)
	defer func() { end(results) }()
	ctx, cancel := context.WithTimeout(ctx, s.within(appends))
	defer cancel()

	group, of := s.chain(ctx, appends, results)
	if len(group) == 0 {
		return results
	}
	answers := s.commit(group)
	var apart sync.WaitGroup
	for _, members := range related(group) {
		apart.Go(func() {
			void := streamSet{}
			for _, k := range members {
				got := answers[k]
				if got.alone {
					got = s.aloneAfter(ctx, group[k], got.lost, void)
				}
				if got.err != nil {
					void.add(group[k])
				}
				results[of[k]] = Result{got.appended, got.err}
			}
		})
	}
	apart.Wait()
	return results
}

// aloneAfter settles a member of a chain in a transaction of its own, unless it was decided over what is not there.
func (s *Store) aloneAfter(ctx context.Context, p *pending, lost bool, void streamSet) answer {
	if stream, version := void.under(p); stream != "" {
		if lost {
			// The group may have been written after all.
			if stored, err := storedBy(ctx, s.pool, p); err == nil && stored != nil {
				return answer{appended: *stored}
			}
		}
		return answer{err: &VersionConflict{Stream: stream, Expected: version, Actual: version}}
	}
	appended, err := s.appendAlone(ctx, p, lost)
	return answer{appended: appended, err: err}
}

// chain prepares appends of which each was decided over those before it. results gets what is settled at once; of says whose
// each member is.
func (s *Store) chain(ctx context.Context, appends []Append, results []Result) (group []*pending, of []int) {
	void := streamSet{}
	for i := range appends {
		p, err := s.prepare(ctx, appends[i:i+1])
		if err != nil {
			results[i].Err = err
			for _, w := range appends[i].Writes {
				void[w.Stream] = true
			}
			continue
		}
		if stream, version := void.under(p); stream != "" {
			results[i].Err = &VersionConflict{Stream: stream, Expected: version, Actual: version}
			void.add(p)
			continue
		}
		if len(p.writes) == 0 && len(p.keys) == 0 {
			results[i].Appended = Appended{Versions: map[string]Version{}}
			continue
		}
		p.chained = true
		group, of = append(group, p), append(of, i)
	}
	return group, of
}

// streamSet are streams that appends which were refused would have written.
type streamSet map[string]bool

func (void streamSet) add(p *pending) {
	for _, w := range p.writes {
		if len(w.rows) > 0 {
			void[w.stream] = true
		}
	}
}

// under is the first stream of a member that it was decided over; empty: it was decided over none of them.
func (void streamSet) under(p *pending) (string, Version) {
	if len(void) > 0 {
		for _, w := range p.writes {
			if w.expected != AnyVersion && void[w.stream] {
				return w.stream, w.expected
			}
		}
	}
	return "", 0
}

func failed(results []Result, err error) []Result {
	for i := range results {
		results[i].Err = err
	}
	return results
}

// observed begins the span of appends that are written together; end tells what became of them.
func (s *Store) observed(ctx context.Context) (_ context.Context, end func([]Result)) {
	start := time.Now()
	ctx, span := s.tel.tracer.Start(ctx, "eventstore.append", trace.WithSpanKind(trace.SpanKindProducer))
	return ctx, func(results []Result) {
		span.SetAttributes(attribute.Int("shop.append.members", len(results)))
		for _, r := range results {
			outcome := "done"
			if r.Err != nil {
				if outcome = outcomeOf(r.Err); outcome == "failed" {
					span.RecordError(r.Err)
					span.SetStatus(codes.Error, r.Err.Error())
				}
			}
			s.tel.appendDuration.Record(ctx, time.Since(start).Seconds(), s.tel.outcomes[outcome]...)
		}
		span.End()
	}
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
