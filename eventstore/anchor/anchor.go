package anchor

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/anchor"
	"shop/eventstore"
)

const (
	// chunk is how many events are read at once, most how many one anchor covers: what a stopped process loses of its work.
	chunk = 2_000
	most  = 200_000
	// daily is when the next anchor is due.
	daily = 24 * time.Hour
)

// Log is the log that anchors are of.
type Log struct {
	Store *eventstore.Store
	// DB reads what is stored.
	DB *pgxpool.Pool
	// Key signs; the key file wraps it.
	Key []byte
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Others accepts anchors that another key signed, as those of a log that was imported: their hashes are compared alone.
	Others bool
	// Rest is how long to pause between chunks, as a multiple of the time that the last one took. 0: no pause.
	Rest float64
}

func (l *Log) now() time.Time {
	if l.Clock == nil {
		return time.Now()
	}
	return l.Clock()
}

// keyName names a key without telling it.
func keyName(key []byte) string {
	sum := sha256.Sum256(append([]byte("log anchor key\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// sign makes the signature of an anchor.
func (l *Log) sign(a anchor.Anchored) string {
	mac := hmac.New(sha256.New, l.Key)
	fmt.Fprintf(mac, "log.anchored\x00%d\x00%d\x00%d\x00%s", a.From, a.UpTo, a.Count, a.Hash)
	return hex.EncodeToString(mac.Sum(nil))
}

// chain is the link after the events so far.
type chain struct {
	link  [sha256.Size]byte
	count int64
	last  eventstore.Position
	hash  hash.Hash
}

func (c *chain) field(b []byte) {
	c.hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
	c.hash.Write(b)
}

// stored is an event as it is stored.
type stored struct {
	Position   eventstore.Position
	ID         [16]byte
	Version    int64
	Schema     int16
	RecordedAt time.Time
	Stream     string
	Type       string
	Data       []byte
	Metadata   []byte
}

// add makes the next link.
func (c *chain) add(e *stored) {
	if c.hash == nil {
		c.hash = sha256.New()
	}
	c.hash.Reset()
	c.hash.Write(c.link[:])
	numbers := binary.BigEndian.AppendUint64(nil, uint64(e.Position))
	numbers = binary.BigEndian.AppendUint64(numbers, uint64(e.Version))
	numbers = binary.BigEndian.AppendUint16(numbers, uint16(e.Schema))
	numbers = binary.BigEndian.AppendUint64(numbers, uint64(e.RecordedAt.UnixMicro()))
	c.hash.Write(numbers)
	c.hash.Write(e.ID[:])
	c.field([]byte(e.Stream))
	c.field([]byte(e.Type))
	c.field(e.Data)
	c.field(e.Metadata)
	c.hash.Sum(c.link[:0])
	c.count++
	c.last = e.Position
}

const selectChunk = `SELECT position, id, version, schema, recorded_at, stream, type, data::text, metadata::text
	FROM eventstore.events WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3`

// extend adds the events after the chain's last up to a position, at most so many, chunk by chunk, so that no snapshot is held long.
func (l *Log) extend(ctx context.Context, c *chain, upTo eventstore.Position, limit int64) error {
	for end := c.count + limit; c.count < end; {
		began, before := time.Now(), c.count
		rows, _ := l.DB.Query(ctx, selectChunk, int64(c.last), int64(upTo), min(chunk, end-c.count))
		var e stored
		var data, metadata string
		_, err := pgx.ForEachRow(rows, []any{(*int64)(&e.Position), &e.ID, &e.Version, &e.Schema, &e.RecordedAt, &e.Stream, &e.Type, &data, &metadata}, func() error {
			e.Data, e.Metadata = []byte(data), []byte(metadata)
			c.add(&e)
			return nil
		})
		if err != nil {
			return fmt.Errorf("read the log after %d: %w", c.last, err)
		}
		if c.count == before {
			return nil
		}
		if l.Rest > 0 {
			select {
			case <-time.After(time.Duration(l.Rest * float64(time.Since(began)))):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// Recorded is an anchor with the time and the version at which it was written.
type Recorded struct {
	anchor.Anchored
	At      time.Time
	Version eventstore.Version
}

// anchors are all anchors, the first one first.
func (l *Log) anchors(ctx context.Context) ([]Recorded, error) {
	events, err := l.Store.Stream(ctx, anchor.Stream, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("read the anchors: %w", err)
	}
	all := make([]Recorded, 0, len(events))
	for _, e := range events {
		a, ok := e.Data.(anchor.Anchored)
		if !ok {
			return nil, fmt.Errorf("anchor %d is not understood", e.Version)
		}
		all = append(all, Recorded{a, e.RecordedAt, e.Version})
	}
	return all, nil
}

// Due writes what anchors are due: none within a day of the last, else as many as it takes to come to the head.
func (l *Log) Due(ctx context.Context) (written []anchor.Anchored, err error) {
	all, err := l.anchors(ctx)
	if err != nil {
		return nil, err
	}
	c, version := chain{}, eventstore.Version(0)
	if n := len(all); n > 0 {
		last := all[n-1]
		if l.now().Sub(last.At) < daily {
			return nil, nil
		}
		if _, err := hex.Decode(c.link[:], []byte(last.Hash)); err != nil || len(last.Hash) != 2*sha256.Size {
			return nil, fmt.Errorf("the anchor up to %d has no hash: see 'shop events verify'", last.UpTo)
		}
		c.last, version = eventstore.Position(last.UpTo), last.Version
	}
	head, err := l.Store.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for the head: %w", err)
	}
	for c.last < head {
		from := c.last
		c.count = 0
		if err := l.extend(ctx, &c, head, most); err != nil {
			return written, err
		}
		if c.count == 0 {
			break
		}
		a := anchor.Anchored{From: int64(from), UpTo: int64(c.last), Count: c.count, Hash: hex.EncodeToString(c.link[:]), Key: keyName(l.Key)}
		a.Signature = l.sign(a)
		_, err := l.Store.Append(ctx, eventstore.Append{
			Writes:   []eventstore.Write{{Stream: anchor.Stream, Expected: version, Events: []eventstore.NewEvent{{Data: a}}}},
			Metadata: eventstore.Metadata{Actor: "system:anchor-log"},
		})
		if err != nil {
			return written, fmt.Errorf("write the anchor up to %d: %w", a.UpTo, err)
		}
		version++
		written = append(written, a)
	}
	return written, nil
}

// Broken says where the log does not fit its anchors.
type Broken struct {
	// At is when the first anchor was written that does not fit; From and UpTo are the positions it covers.
	At         time.Time
	From, UpTo int64
	Reason     string
}

func (e *Broken) Error() string {
	return fmt.Sprintf("the events after position %d up to %d, anchored on %s, do not fit: %s", e.From, e.UpTo, e.At.UTC().Format(time.DateOnly), e.Reason)
}

// Verified is what a verification saw.
type Verified struct {
	// Anchors are all, Others those of them that another key signed.
	Anchors, Others int
	// Events are those that anchors cover, UpTo the last of them, Hash the chain's there. At is when the last anchor was written.
	Events int64
	UpTo   int64
	Hash   string
	At     time.Time
}

// Verify computes the chain of the whole log again and compares it with each anchor. It refuses with *Broken, which names the first
// anchor that does not fit. progress hears how many events were looked at; nil: nobody asks.
func (l *Log) Verify(ctx context.Context, progress func(events int64)) (seen Verified, err error) {
	all, err := l.anchors(ctx)
	if err != nil {
		return seen, err
	}
	var c chain
	for _, a := range all {
		bad := func(reason string) error { return &Broken{a.At, a.From, a.UpTo, reason} }
		before := c.count
		switch {
		case a.From != int64(c.last):
			return seen, bad(fmt.Sprintf("the anchor before it ends at %d", c.last))
		case a.Key != keyName(l.Key) && !l.Others:
			return seen, bad("it is signed with a key that this shop does not have")
		case a.Key == keyName(l.Key) && !hmac.Equal([]byte(a.Signature), []byte(l.sign(a.Anchored))):
			return seen, bad("its signature is not the shop's")
		}
		for c.last < eventstore.Position(a.UpTo) {
			at := c.count
			if err := l.extend(ctx, &c, eventstore.Position(a.UpTo), chunk); err != nil {
				return seen, err
			}
			if c.count == at {
				break
			}
			if progress != nil {
				progress(c.count)
			}
		}
		switch {
		case c.count-before != a.Count:
			return seen, bad(fmt.Sprintf("there are %d events, there were %d", c.count-before, a.Count))
		case hex.EncodeToString(c.link[:]) != a.Hash:
			return seen, bad("an event was changed")
		}
		if a.Key != keyName(l.Key) {
			seen.Others++
		}
		seen = Verified{seen.Anchors + 1, seen.Others, c.count, a.UpTo, a.Hash, a.At}
	}
	return seen, nil
}
