package live

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

// Topic is a part of the shop that a page shows. Its text is public.
type Topic string

const (
	Orders   Topic = "orders"
	Payments Topic = "payments"
	Reviews  Topic = "reviews"
	Stock    Topic = "stock"
	// Letters are those that could not be sent, Parked the events that a consumer could not handle.
	Letters Topic = "letters"
	Parked  Topic = "parked"
)

// seenBy are the permissions of which any lets a role hear of a topic.
var seenBy = map[Topic][]staff.Permission{
	Orders:   {staff.SeeOrders, staff.Deliver},
	Payments: {staff.SeePayments},
	Reviews:  {staff.ModerateReviews},
	Stock:    {staff.SeeCatalog},
	Letters:  {staff.ChangeOrders},
	Parked:   {staff.SeeProjections},
}

// topics are all, in the order in which they are told.
var topics = []Topic{Orders, Payments, Reviews, Stock, Letters, Parked}

const (
	// lookEvery is the pause between looks at the log: what happens in between is one message. checkEvery is the pause
	// between looks at the sessions and the stuck things.
	lookEvery  = time.Second
	checkEvery = 5 * time.Second
	// StreamsPerSession and streamsInAll are how many streams may be open in a process.
	StreamsPerSession = 8
	streamsInAll      = 500
	// unread is how many messages may wait for a client; one that does not read them is dropped, and comes back.
	unread = 8
)

// Log is what the hub reads of the log; eventstore.Store is one.
type Log interface {
	Head(ctx context.Context) (eventstore.Position, error)
}

// Changes says what happened; the read side implements it.
type Changes interface {
	// TypesBetween are the distinct types of the events after a position and up to another.
	TypesBetween(ctx context.Context, after, upTo eventstore.Position) ([]string, error)
	// Stuck counts what no event tells of: dead letters of the mail, parked events, stuck refunds.
	Stuck(ctx context.Context) (letters, parked, refunds int64, err error)
}

// Sessions knows who is still signed in, by token; signin.Accounts does.
type Sessions interface {
	SignedInAs(ctx context.Context, tokens []string) (map[string]string, error)
}

// Hub tells open pages of the office which parts of the shop changed.
type Hub struct {
	Log      Log
	Changes  Changes
	Sessions Sessions
	Logger   *slog.Logger

	mu      sync.Mutex
	clients map[*client]bool
	closed  bool
	// wake is nudged when the first client comes.
	wake chan struct{}
	once sync.Once
}

// client is an open stream.
type client struct {
	token, role string
	topics      []Topic
	messages    chan []byte
	ended       chan struct{}
	end         func()
}

// told is what a message says: what changed, and up to where the log was read. A page sends the position back as
// X-Min-Position, so that its answer holds the change.
type told struct {
	Topics   []Topic             `json:"topics"`
	Position eventstore.Position `json:"position"`
}

func (h *Hub) open() {
	h.once.Do(func() { h.clients, h.wake = map[*client]bool{}, make(chan struct{}, 1) })
}

// Stream is GET /api/staff/live/: a client hears of what its role may see.
func (h *Hub) Stream(w http.ResponseWriter, r *http.Request) error {
	c, err := h.join(signin.SessionOf(r.Context()))
	if err != nil {
		return err
	}
	defer h.leave(c)
	return Send(w, r, c.messages, c.ended)
}

func (h *Hub) join(in signin.Session) (*client, error) {
	h.open()
	role := staff.Role(in.Account.Role)
	c := &client{token: in.Token, role: in.Account.Role, messages: make(chan []byte, unread), ended: make(chan struct{})}
	for _, t := range topics {
		if slices.ContainsFunc(seenBy[t], role.May) {
			c.topics = append(c.topics, t)
		}
	}
	c.end = sync.OnceFunc(func() { close(c.ended) })
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, endpoint.Refuse(http.StatusServiceUnavailable, "The shop is stopping.")
	}
	of := 0
	for other := range h.clients {
		if other.token == c.token {
			of++
		}
	}
	if of >= StreamsPerSession || len(h.clients) >= streamsInAll {
		return nil, endpoint.Refuse(http.StatusTooManyRequests, "Too many pages are open. Close one.")
	}
	h.clients[c] = true
	select {
	case h.wake <- struct{}{}:
	default:
	}
	return c, nil
}

func (h *Hub) leave(c *client) {
	c.end()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.clients, c)
}

// Close ends all streams, for good.
func (h *Hub) Close() {
	h.open()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for c := range h.clients {
		c.end()
	}
}

// Open is how many streams there are.
func (h *Hub) Open() int { return len(h.watching()) }

func (h *Hub) watching() []*client {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*client, 0, len(h.clients))
	for c := range h.clients {
		select {
		case <-c.ended:
		default:
			all = append(all, c)
		}
	}
	return all
}

// Run tells of changes until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	h.open()
	defer h.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
			h.follow(ctx)
		}
	}
}

// look is what the hub knows from its last looks.
type look struct {
	end                      eventstore.Position // below 0: nobody has looked yet
	checked                  time.Time
	letters, parked, refunds int64
	counted                  bool
}

// follow looks again and again while there are clients.
func (h *Hub) follow(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	at := look{end: -1}
	for clients := h.watching(); len(clients) > 0; clients = h.watching() {
		if err := h.tell(ctx, clients, &at); err != nil && ctx.Err() == nil {
			h.Logger.WarnContext(ctx, "the office's pages cannot be told what changes", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tell says once what changed since the last look, to those whose sessions still have the role that they came with.
func (h *Hub) tell(ctx context.Context, clients []*client, at *look) error {
	changed, err := h.changed(ctx, at)
	if err != nil {
		return err
	}
	due := time.Since(at.checked) >= checkEvery
	if due {
		stuck, err := h.stuck(ctx, at)
		if err != nil {
			return err
		}
		at.checked = time.Now()
		changed = append(changed, stuck...)
	}
	if len(changed) == 0 && !due {
		return nil
	}
	if clients, err = h.still(ctx, clients); err != nil {
		return err
	}
	for _, c := range clients {
		about := slices.DeleteFunc(slices.Clone(c.topics), func(t Topic) bool { return !slices.Contains(changed, t) })
		if len(about) == 0 {
			continue
		}
		data, err := json.Marshal(told{about, at.end})
		if err != nil {
			return err
		}
		c.say(Event("changed", data))
	}
	return nil
}

// still are the clients whose session goes on with the same role. The streams of the others end.
func (h *Hub) still(ctx context.Context, clients []*client) ([]*client, error) {
	tokens := make([]string, len(clients))
	for i, c := range clients {
		tokens[i] = c.token
	}
	roles, err := h.Sessions.SignedInAs(ctx, tokens)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(clients), func(c *client) bool {
		if roles[c.token] == c.role {
			return false
		}
		c.end()
		return true
	}), nil
}

// changed are the topics of the events since the last look.
func (h *Hub) changed(ctx context.Context, at *look) ([]Topic, error) {
	head, err := h.Log.Head(ctx)
	if err != nil {
		return nil, err
	}
	from := at.end
	at.end = max(head, from)
	if from < 0 || head <= from {
		return nil, nil
	}
	types, err := h.Changes.TypesBetween(ctx, from, head)
	if err != nil {
		at.end = from // it is asked again
		return nil, err
	}
	var found []Topic
	for _, one := range types {
		found = append(found, topicsOf(one)...)
	}
	return found, nil
}

// topicsOf are the topics that an event of a type belongs to.
func topicsOf(eventType string) []Topic {
	noun, what, _ := strings.Cut(eventType, ".")
	switch noun {
	case "order":
		if what == "paid" || what == "refunded" || strings.HasPrefix(what, "payment-") {
			return []Topic{Orders, Payments}
		}
		return []Topic{Orders}
	case "review":
		return []Topic{Reviews}
	case "stock", "restock":
		return []Topic{Stock}
	}
	return nil
}

// stuck are the topics whose counts changed.
func (h *Hub) stuck(ctx context.Context, at *look) (changed []Topic, err error) {
	letters, parked, refunds, err := h.Changes.Stuck(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range []struct {
		topic       Topic
		before, now int64
	}{{Letters, at.letters, letters}, {Parked, at.parked, parked}, {Payments, at.refunds, refunds}} {
		if at.counted && one.before != one.now {
			changed = append(changed, one.topic)
		}
	}
	at.letters, at.parked, at.refunds, at.counted = letters, parked, refunds, true
	return changed, nil
}

// say leaves a message for a client, and drops one that does not read.
func (c *client) say(message []byte) {
	select {
	case c.messages <- message:
	default:
		c.end()
	}
}
