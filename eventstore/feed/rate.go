package feed

import "time"

// rate counts events over the last ten seconds.
type rate struct {
	buckets [10]float32
	last    int64 // Unix second of the newest bucket
}

// add counts n events now and returns the events a second.
func (r *rate) add(n int, now time.Time) float32 {
	second := now.Unix()
	for ; r.last < second; r.last++ {
		if second-r.last > int64(len(r.buckets)) {
			r.buckets = [10]float32{}
			r.last = second
			break
		}
		r.buckets[(r.last+1)%int64(len(r.buckets))] = 0
	}
	r.buckets[second%int64(len(r.buckets))] += float32(n)
	var sum float32
	for _, b := range r.buckets {
		sum += b
	}
	return sum / float32(len(r.buckets))
}
