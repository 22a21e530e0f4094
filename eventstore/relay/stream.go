package relay

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shop/eventstore"
)

// Settings say which stream holds the log, and for how long.
type Settings struct {
	// Stream is its name. Default SHOP_LOG. Subjects begin with it in small letters: shop.log.2 is that of range 2.
	Stream string
	// Replicas are the servers that keep each message; 0: three in a cluster, one where NATS is a single server.
	Replicas int
	// Kept is how long messages stay. Default 7 days. A reader that is away longer refills from the log.
	Kept time.Duration
	// MaxBytes bounds the stream; 0: no bound but Kept.
	MaxBytes int64
}

func (s Settings) withDefaults() Settings {
	if s.Stream == "" {
		s.Stream = "SHOP_LOG"
	}
	if s.Kept <= 0 {
		s.Kept = 7 * 24 * time.Hour
	}
	return s
}

// Topic is what the subjects of the ranges begin with, as feed.Relay wants it.
func (s Settings) Topic() string {
	return strings.ReplaceAll(strings.ToLower(s.withDefaults().Stream), "_", ".")
}

// Subject is that of a range.
func (s Settings) Subject(rng int) string { return s.Topic() + "." + strconv.Itoa(rng) }

// heads is the subject on which the relay tells how far ranges are complete. It is not in the stream.
func (s Settings) heads() string { return s.Topic() + "-heads" }

// logKey is the metadata of the stream that names the log it holds.
const logKey = "shop-log"

// ErrForeign: the stream is not of this log.
var ErrForeign = errors.New("the stream holds another log")

// Stream is the log in JetStream.
type Stream struct {
	Settings
	conn *nats.Conn
	js   jetstream.JetStream
	// Made is when JetStream made the stream: one that was lost and made anew has the same name, and other sequences.
	Made time.Time
	info *jetstream.StreamInfo
}

// Prepare makes the stream of a log, or checks the one there is and corrects what may be corrected.
func Prepare(ctx context.Context, conn *nats.Conn, log uuid.UUID, s Settings) (*Stream, error) {
	s = s.withDefaults()
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	want := s.config(log, replicasFor(conn, s.Replicas))
	info, err := infoOf(ctx, js, s.Stream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		made, err := js.CreateStream(ctx, want)
		if err != nil {
			return nil, fmt.Errorf("make stream %s: %w", s.Stream, err)
		}
		info = made.CachedInfo()
	case err != nil:
		return nil, fmt.Errorf("look at stream %s: %w", s.Stream, err)
	default:
		if err := ours(info, log, s); err != nil {
			return nil, err
		}
		if len(settle(info.Config, want)) > 0 {
			corrected, err := js.UpdateStream(ctx, want)
			if err != nil {
				return nil, fmt.Errorf("correct the settings of stream %s: %w", s.Stream, err)
			}
			info = corrected.CachedInfo()
		}
	}
	if wrong := settle(info.Config, want); len(wrong) > 0 {
		return nil, fmt.Errorf("stream %s: %s", s.Stream, strings.Join(wrong, "; "))
	}
	return &Stream{Settings: s, conn: conn, js: js, Made: info.Created, info: info}, nil
}

// Find is Prepare for those who only read.
func Find(ctx context.Context, conn *nats.Conn, log uuid.UUID, s Settings) (*Stream, error) {
	s = s.withDefaults()
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	info, err := infoOf(ctx, js, s.Stream)
	if err != nil {
		return nil, fmt.Errorf("look at stream %s: %w", s.Stream, err)
	}
	if err := ours(info, log, s); err != nil {
		return nil, err
	}
	return &Stream{Settings: s, conn: conn, js: js, Made: info.Created, info: info}, nil
}

func infoOf(ctx context.Context, js jetstream.JetStream, name string) (*jetstream.StreamInfo, error) {
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	return stream.CachedInfo(), nil
}

// ours refuses a stream of another log.
func ours(info *jetstream.StreamInfo, log uuid.UUID, s Settings) error {
	if of := info.Config.Metadata[logKey]; of != log.String() {
		if of == "" {
			of = "none that it names"
		}
		return fmt.Errorf("%w: stream %s is of log %s, this one is %s; give this log another stream name", ErrForeign, s.Stream, of, log)
	}
	return nil
}

// replicasFor is three where NATS is a cluster.
func replicasFor(conn *nats.Conn, asked int) int {
	if asked > 0 {
		return asked
	}
	if conn.ConnectedClusterName() != "" {
		return 3
	}
	return 1
}

func (s Settings) config(log uuid.UUID, replicas int) jetstream.StreamConfig {
	most := s.MaxBytes
	if most <= 0 {
		most = -1
	}
	return jetstream.StreamConfig{
		Name: s.Stream, Description: "events of the shop's log, one subject per range of slices", Subjects: []string{s.Topic() + ".*"},
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxAge: s.Kept, MaxBytes: most, MaxMsgs: -1, MaxConsumers: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1,
		Storage: jetstream.FileStorage, Replicas: replicas, PersistMode: jetstream.DefaultPersistMode, Duplicates: min(2*time.Minute, s.Kept),
		// The leader answers what the last message is; a follower may not know it yet.
		AllowDirect: false, DenyDelete: true, Compression: jetstream.S2Compression,
		Metadata: map[string]string{logKey: log.String()},
	}
}

// settle answers how the settings of a stream differ from those wanted.
func settle(have, want jetstream.StreamConfig) (wrong []string) {
	differs := func(what string, have, want any) {
		if have != want {
			wrong = append(wrong, fmt.Sprintf("%s is %v, want %v", what, have, want))
		}
	}
	differs("storage", have.Storage, want.Storage)
	differs("the number of replicas", have.Replicas, want.Replicas)
	differs("persistence", have.PersistMode, want.PersistMode)
	differs("retention", have.Retention, want.Retention)
	differs("the age limit", have.MaxAge, want.MaxAge)
	differs("the size limit", have.MaxBytes, want.MaxBytes)
	differs("no_ack", have.NoAck, false)
	differs("subjects", strings.Join(have.Subjects, " "), strings.Join(want.Subjects, " "))
	differs("what is discarded", have.Discard, want.Discard)
	return wrong
}

// tail is the last message of a range.
type tail struct {
	// seq is its place on the subject; 0: there is none.
	seq uint64
	Received
}

// tail asks the leader of the stream.
func (s *Stream) tail(ctx context.Context, rng int) (t tail, err error) {
	stream, err := s.js.Stream(ctx, s.Settings.Stream)
	if err != nil {
		return t, fmt.Errorf("look at stream %s: %w", s.Settings.Stream, err)
	}
	raw, err := stream.GetLastMsgForSubject(ctx, s.Subject(rng))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return t, nil
	}
	if err != nil {
		return t, fmt.Errorf("read the last message of range %d: %w", rng, err)
	}
	t.seq = raw.Sequence
	t.Received, err = Receive(raw.Header, raw.Data)
	return t, err
}

// Tails are the positions of the last events of the ranges in the stream; 0: it has none.
func (s *Stream) Tails(ctx context.Context) (last eventstore.Heads, err error) {
	for r := range last {
		t, err := s.tail(ctx, r)
		if err != nil {
			return last, err
		}
		last[r] = t.Last
	}
	return last, nil
}
