package edge

import (
	"container/heap"
	"hash/maphash"
	"sync"
	"time"
)

// maxLimited is how many keys a limit remembers: some 2 MB.
const maxLimited = 1 << 15

// longestRefill keeps the sums of times within an int64.
const longestRefill = 365 * 24 * time.Hour

// limitKey is what a request counts under, with a limit that is wider by a factor.
type limitKey struct {
	text  string
	wider int64
}

// buckets are token buckets, one for each key (the generic cell rate algorithm: a bucket is the moment at which it is full again).
//
// The table is bounded as Space-Saving does it (Metwally, Agrawal, El Abbadi, 2005): a new key takes the place of the fullest
// bucket, and begins as empty as that one was. So a key never counts for less than it used up, whoever walks through how many
// keys; a key that is over its limit is not forgotten before it is under it again. When all are over their limits, new keys are
// refused.
type buckets struct {
	refill, size time.Duration // of one token, of all
	most         int
	seed         maphash.Seed
	began        time.Time

	mu    sync.Mutex
	rows  map[uint64]*bucketRow
	queue bucketQueue
}

type bucketRow struct {
	key uint64
	// full is when the bucket is full again, since buckets began.
	full time.Duration
	at   int
}

// newBuckets makes buckets of burst tokens that refill at perSecond.
func newBuckets(perSecond float64, burst, most int) *buckets {
	refill := time.Duration(min(float64(longestRefill), float64(time.Second)/perSecond))
	return &buckets{
		refill: refill, size: refill * time.Duration(burst), most: most, seed: maphash.MakeSeed(), began: time.Now(), rows: map[uint64]*bucketRow{},
	}
}

// take takes a token from the bucket of every key, or none and says how long to wait.
func (b *buckets) take(at time.Time, keys []limitKey) (wait time.Duration) {
	now := at.Sub(b.began)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range keys {
		wait = max(wait, b.full(b.hash(k), now)+b.cost(k)-b.size-now)
	}
	if wait > 0 {
		return wait
	}
	for _, k := range keys {
		key := b.hash(k)
		b.set(key, b.full(key, now)+b.cost(k))
	}
	return 0
}

// giveBack puts the tokens back that take took.
func (b *buckets) giveBack(keys []limitKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range keys {
		if row, known := b.rows[b.hash(k)]; known {
			row.full -= b.cost(k)
			heap.Fix(&b.queue, row.at)
		}
	}
}

func (b *buckets) hash(k limitKey) uint64 { return maphash.Comparable(b.seed, k) }

// cost is how long a token takes to refill.
func (b *buckets) cost(k limitKey) time.Duration { return max(1, b.refill/time.Duration(k.wider)) }

// full is when the bucket of a key is full, now at the earliest. A new key begins as the one whose place it would take.
func (b *buckets) full(key uint64, now time.Duration) time.Duration {
	if row, known := b.rows[key]; known {
		return max(now, row.full)
	}
	if len(b.rows) < b.most {
		return now
	}
	return max(now, b.queue[0].full)
}

func (b *buckets) set(key uint64, full time.Duration) {
	row, known := b.rows[key]
	switch {
	case known:
		row.full = full
	case len(b.rows) < b.most:
		b.rows[key] = &bucketRow{key: key, full: full}
		heap.Push(&b.queue, b.rows[key])
		return
	default:
		row = b.queue[0]
		delete(b.rows, row.key)
		row.key, row.full = key, full
		b.rows[key] = row
	}
	heap.Fix(&b.queue, row.at)
}

// bucketQueue has the fullest bucket first.
type bucketQueue []*bucketRow

func (q bucketQueue) Len() int           { return len(q) }
func (q bucketQueue) Less(i, j int) bool { return q[i].full < q[j].full }
func (q bucketQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

func (q *bucketQueue) Push(x any) {
	row := x.(*bucketRow)
	row.at = len(*q)
	*q = append(*q, row)
}

// Pop is for heap.Interface; rows stay.
func (q *bucketQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
