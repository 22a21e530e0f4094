package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	sse "shop/cmd/shop/live"
	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/projections/rebuild"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

const (
	// followEvery is the pause between looks at the end of the log, surveyEvery that between looks at all the rest.
	followEvery = 200 * time.Millisecond
	surveyEvery = time.Second
	// repeatEvery is when the projections are told again although nothing changed.
	repeatEvery = 10 * time.Second
	// followed is the most new events looked at together; of an import only the last ones are shown.
	followed = 500
	// EventsPerMessage is the most a client is told at once.
	EventsPerMessage = 50
	// buildsFollowed is how many of the last builds are told.
	buildsFollowed = 20

	// StreamsPerSession and streamsInAll are how many may be open.
	StreamsPerSession = 4
	streamsInAll      = 200
	// Unread is how many messages may wait for a client; one that does not read them is dropped.
	Unread = 32
)

// live tells clients what changes. It looks once for all of them, and only while there are any.
type live struct {
	ops *Ops
	// wake is nudged when a client comes.
	wake chan struct{}

	mu      sync.Mutex
	clients map[*client]bool
	closed  bool
}

// client is an open stream.
type client struct {
	token, role   string
	personal, log bool
	search        eventstore.Search
	Messages      chan []byte
	// told is what the client was told last, by kind of message. Only the follower uses it.
	told map[string][]byte
	// Ended is closed when the stream is over.
	Ended chan struct{}
	end   func()
}

func newLive(o *Ops) *live {
	return &live{ops: o, wake: make(chan struct{}, 1), clients: map[*client]bool{}}
}

// Join opens a stream for a session.
func (l *live) Join(in signin.Session, search eventstore.Search) (*client, error) {
	role := staff.Role(in.Account.Role)
	c := &client{
		token: in.Token, role: in.Account.Role, personal: role.May(staff.SeePersonal) && in.ProvedToday, log: role.May(staff.SeeLog),
		search: search, Messages: make(chan []byte, Unread), told: map[string][]byte{}, Ended: make(chan struct{}),
	}
	c.end = sync.OnceFunc(func() { close(c.Ended) })
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, endpoint.Refuse(http.StatusServiceUnavailable, "The shop is stopping.")
	}
	of := 0
	for other := range l.clients {
		if other.token == c.token {
			of++
		}
	}
	if of >= StreamsPerSession || len(l.clients) >= streamsInAll {
		return nil, endpoint.Refuse(http.StatusTooManyRequests, "Too many pages are open. Close one.")
	}
	l.clients[c] = true
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return c, nil
}

func (l *live) leave(c *client) {
	c.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.clients, c)
}

// Close ends all streams, for good.
func (l *live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for c := range l.clients {
		c.end()
	}
}

// Watching are the clients there are now.
func (l *live) Watching() []*client {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*client, 0, len(l.clients))
	for c := range l.clients {
		select {
		case <-c.Ended:
		default:
			all = append(all, c)
		}
	}
	return all
}

// say leaves a message for a client, and drops one that does not read.
func (c *client) say(kind string, data []byte) {
	message := sse.Event(kind, data)
	select {
	case c.Messages <- message:
	default:
		c.end()
	}
}

// News says a kind of message unless the client knows it.
func (c *client) News(kind string, about, data []byte) {
	if known, any := c.told[kind]; any && bytes.Equal(known, about) {
		return
	}
	c.told[kind] = about
	c.say(kind, data)
}

// run follows what happens until ctx ends.
func (l *live) run(ctx context.Context) {
	defer l.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			l.follow(ctx)
		}
	}
}

// follow looks again and again while there are clients.
func (l *live) follow(ctx context.Context) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	end := eventstore.Position(-1) // up to where clients know the log; below 0 nobody has looked yet
	var surveyed, repeated time.Time
	for clients := l.Watching(); len(clients) > 0; clients = l.Watching() {
		now := time.Now()
		if now.Sub(repeated) >= repeatEvery {
			repeated = now
			for _, c := range clients {
				delete(c.told, "projections")
			}
		}
		if err := l.tellEvents(ctx, clients, &end); err != nil && ctx.Err() == nil {
			l.ops.log.WarnContext(ctx, "the log cannot be followed", "error", err)
		}
		if now.Sub(surveyed) >= surveyEvery || slices.ContainsFunc(clients, func(c *client) bool { return len(c.told) == 0 }) {
			surveyed = now
			if err := l.survey(ctx, clients); err != nil && ctx.Err() == nil {
				l.ops.log.WarnContext(ctx, "projections cannot be followed", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tellEvents tells clients what was appended since end.
func (l *live) tellEvents(ctx context.Context, clients []*client, end *eventstore.Position) error {
	head, err := l.ops.store.Head(ctx)
	if err != nil {
		return err
	}
	from := *end
	if from < 0 || head <= from {
		*end = head
		return nil
	}
	// Keys of persons are only asked for when somebody looks who may see what they open.
	for _, personal := range []bool{false, true} {
		those := slices.DeleteFunc(slices.Clone(clients), func(c *client) bool { return !c.log || c.personal != personal })
		if len(those) == 0 {
			continue
		}
		found, _, err := l.ops.store.Browse(ctx, eventstore.Search{Before: head + 1, After: from, Limit: followed}, personal)
		if err != nil {
			return err
		}
		for _, c := range those {
			views := []reads.Event{}
			for i := range found {
				if len(views) < EventsPerMessage && c.search.Matches(&found[i]) {
					views = append(views, l.ops.reads.EventOf(&found[i], personal))
				}
			}
			if len(views) == 0 {
				continue
			}
			data, err := json.Marshal(map[string]any{"events": views})
			if err != nil {
				return err
			}
			c.say("events", data)
		}
	}
	*end = head
	return nil
}

// survey tells clients what is new about everything but events, and ends the streams of sessions that are over.
func (l *live) survey(ctx context.Context, clients []*client) error {
	tokens := make([]string, 0, len(clients))
	for _, c := range clients {
		tokens = append(tokens, c.token)
	}
	standings, err := l.ops.accounts.Standings(ctx, tokens)
	if err != nil {
		return err
	}
	for _, c := range clients {
		stands := standings[c.token]
		// Also when it is another role now, or the second factor was shown too long ago: the next stream is by what holds then.
		if stands.Role != c.role || c.personal && !stands.ProvedToday {
			c.end()
		}
	}
	view, err := l.ops.reads.Projections(ctx)
	if err != nil {
		return err
	}
	builds, err := l.ops.reads.Builds(ctx, rebuild.Filter{Limit: buildsFollowed}, l.ops.names(ctx))
	if err != nil {
		return err
	}
	data, err := json.Marshal(view)
	if err != nil {
		return err
	}
	view.At = time.Time{} // to look at the clock is no change
	about, err := json.Marshal(view)
	if err != nil {
		return err
	}
	built, err := json.Marshal(builds)
	if err != nil {
		return err
	}
	count := fmt.Appendf(nil, `{"count":%d}`, view.DeadLetters())
	for _, c := range clients {
		c.News("projections", about, data)
		c.News("builds", built, built)
		c.News("deadletters", count, count)
	}
	return nil
}

// stream sends a client what changes until its session ends, it goes away, or the shop stops.
func (o *Ops) stream(w http.ResponseWriter, r *http.Request) error {
	search, err := searchIn(r.URL.Query())
	if err != nil {
		return err
	}
	c, err := o.Live.Join(signin.SessionOf(r.Context()), search)
	if err != nil {
		return err
	}
	defer o.Live.leave(c)
	if c.personal {
		signin.LookedAt(r.Context(), "live", uuid.Nil)
	}
	return sse.Send(w, r, c.Messages, c.Ended)
}
