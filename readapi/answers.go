package readapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"golang.org/x/sync/singleflight"

	"shop/eventstore"
)

// Part names what an answer shows of a read model, by the events that change it: a stream ("product-<id>"), a type of
// event ("stock.depleted"), a kind of types ("brand"); an empty Name is the whole model.
type Part struct{ Model, Name string }

// Answers caches replies until the parts of the read models that they show change. Each change must be reported after it is
// visible and before requests that wait for its position continue; feed.Consumer.Committed does that. So a cached answer is
// never older than a request's X-Min-Position, and it is out of date for no longer than the moment between the commit and the
// report.
//
// Answers have no time to live; the least recently used are evicted. A nil *Answers caches nothing, which is right for a
// process that gets no reports of changes. It is safe for concurrent use.
type Answers struct {
	limit int64
	now   func() time.Time
	// lookups counts requests, by cache hit or miss.
	lookups metric.Int64Counter
	// Misses says whether a request may have an answer made that is not kept, and if not, after how many seconds it may come
	// again. Set before use; nil: it may.
	Misses func(r *http.Request) (after string, ok bool)
	// making joins concurrent requests for the same missing answer.
	making singleflight.Group

	mu   sync.Mutex
	kept *simplelru.LRU[string, *answer]
	// bytes is the size of kept.
	bytes int64
	// count counts changes; an answer remembers its value from before the answer was made.
	count uint64
	// shown are the models that answers have shown; of what changes in others only the last count is remembered.
	shown map[string]bool
	// changed is the count of each part's last change; before has those from before turned, when it was taken for changed.
	// unclear is the count at which unnamed parts of a model changed; forgotten is the count for all parts that are no longer in
	// changed and before.
	changed, before   map[Part]uint64
	unclear           map[string]uint64
	turned, forgotten uint64
}

const (
	// manyEvents is the number of events above which a whole model counts as changed.
	manyEvents = 1000
	// manyParts bounds the sizes of changed and before.
	manyParts = 4096
	// longKey bounds the addresses whose answers are kept.
	longKey = 1024
	// answerWithin is how long an answer may take to make. It does not end with the request that asked first, because
	// others wait for it too.
	answerWithin = 10 * time.Second
)

var (
	hit    = metric.WithAttributeSet(attribute.NewSet(attribute.String("result", "hit")))
	missed = metric.WithAttributeSet(attribute.NewSet(attribute.String("result", "miss")))
)

// NewAnswers keeps about so many bytes of answers. The clock ends answers that depend on time.
func NewAnswers(bytes int64, now func() time.Time) *Answers {
	a := &Answers{limit: bytes, now: now, shown: map[string]bool{}, changed: map[Part]uint64{}, before: map[Part]uint64{}, unclear: map[string]uint64{}}
	// An instrument with a valid constant name cannot fail.
	a.lookups, _ = otel.Meter("shop/readapi").Int64Counter("shop.answers.lookups", metric.WithUnit("{lookup}"),
		metric.WithDescription("Requests for answers that are kept, by whether one was"))
	a.kept, _ = simplelru.NewLRU(1<<30, func(_ string, gone *answer) { a.bytes -= gone.size }) // fails only for sizes below 1
	return a
}

// answer is a kept reply.
type answer struct {
	*Reply
	// since is the count of changes from before it was made, sound up to which count it is known to be right.
	since, sound uint64
	size         int64
	encodings    map[string]*encoded
}

type encoded struct {
	once sync.Once
	body []byte
}

// Changed says that a read model handled these events; none: that anything in it may have changed.
func (a *Answers) Changed(model string, events []eventstore.Event) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	if len(events) == 0 || len(events) > manyEvents || !a.shown[model] {
		a.unclear[model] = a.count
		return
	}
	a.changed[Part{model, ""}] = a.count
	for i := range events {
		kind, _, _ := strings.Cut(events[i].Type, ".")
		a.changed[Part{model, kind}] = a.count
		a.changed[Part{model, events[i].Type}] = a.count
		a.changed[Part{model, events[i].Stream}] = a.count
	}
	if len(a.changed) > manyParts {
		a.forgotten, a.turned = a.turned, a.count
		a.changed, a.before = a.before, a.changed
		clear(a.changed)
	}
}

// Endpoint lets e answer from memory. Queries are read as far as some endpoint knows them; the rest does not reach e.
func (a *Answers) Endpoint(e Endpoint) func(http.ResponseWriter, *http.Request) error {
	if a == nil {
		return e.ServeJSON
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		query := canonical(r.URL.RawQuery)
		key := keyOf(r, query)
		spend := func() error {
			if a.Misses == nil {
				return nil
			}
			after, ok := a.Misses(r)
			if ok {
				return nil
			}
			w.Header().Set("Retry-After", after)
			return ErrTooMany
		}
		if len(key) > longKey {
			if err := spend(); err != nil {
				return err
			}
			return e.ServeJSON(w, r)
		}
		found, err := a.find(key, spend, func() (*Reply, error) { return e.bare(r, query) })
		if err != nil {
			return err
		}
		encoding := ""
		if len(found.body) >= encodeFrom {
			encoding = Encoding(r.Header.Get("Accept-Encoding"))
		}
		found.write(w, r, a.body(key, found, encoding), encoding)
		return nil
	}
}

// keyOf is what an answer is kept under: a path, however it was escaped, and the query as canonical spells it.
func keyOf(r *http.Request, query string) string {
	parts := strings.Split(r.URL.EscapedPath(), "/")
	for i, part := range parts {
		if decoded, err := url.PathUnescape(part); err == nil {
			parts[i] = url.PathEscape(decoded)
		}
	}
	return strings.Join(parts, "/") + "?" + query
}

// bare asks an endpoint with nothing but a path and a query.
func (e Endpoint) bare(r *http.Request, query string) (*Reply, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), answerWithin)
	defer cancel()
	asked := (&http.Request{Method: http.MethodGet, URL: &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: query}, Header: http.Header{}}).WithContext(ctx)
	return e(asked)
}

// find answers from memory, or makes the answer once for all concurrent requests; spend is asked before, nil: nothing is.
func (a *Answers) find(key string, spend func() error, ask func() (*Reply, error)) (*answer, error) {
	kept, came := a.look(key)
	if kept == nil {
		a.lookups.Add(context.Background(), 1, missed)
		if spend != nil {
			if err := spend(); err != nil {
				return nil, err
			}
		}
	} else {
		a.lookups.Add(context.Background(), 1, hit)
	}
	for kept == nil {
		made, err, _ := a.making.Do(key, func() (any, error) { return a.make(key, ask) })
		if err != nil {
			return nil, err
		}
		if made.(*answer).since >= came {
			return made.(*answer), nil
		}
		// Its making began before we came: it may lack what we have reason to expect.
		kept, _ = a.look(key)
	}
	return kept, nil
}

// look finds an answer that is right now, and counts the changes so far.
func (a *Answers) look(key string) (*answer, uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if found, ok := a.kept.Get(key); ok {
		if a.isSound(found) {
			return found, a.count
		}
		a.kept.Remove(key)
	}
	return nil, a.count
}

func (a *Answers) make(key string, ask func() (*Reply, error)) (*answer, error) {
	kept, since := a.look(key)
	if kept != nil {
		return kept, nil // another was faster
	}
	p, err := ask()
	if err != nil {
		return nil, err
	}
	made := &answer{Reply: p, since: since, sound: since, size: int64(len(p.body) + 2*len(key) + 100*len(p.parts) + 1000),
		encodings: map[string]*encoded{"br": {}, "gzip": {}}}
	if p.cache == never && len(p.parts) == 0 {
		return made, nil // it must be right now, and says nothing of when it is not
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, part := range p.parts {
		a.shown[part.Model] = true
	}
	a.kept.Remove(key)
	a.kept.Add(key, made)
	a.bytes += made.size
	a.shrink()
	return made, nil
}

// shrink lets go of what was not asked for longest.
func (a *Answers) shrink() {
	for a.bytes > a.limit {
		a.kept.RemoveOldest()
	}
}

// isSound is whether nothing that an answer depends on has changed since it was made.
func (a *Answers) isSound(found *answer) bool {
	if !found.until.IsZero() && !a.now().Before(found.until) {
		return false
	}
	if found.sound == a.count {
		return true
	}
	if a.changedAfter(found.sound, found.parts) {
		return false
	}
	found.sound = a.count
	return true
}

// changedAfter is whether any of the parts has changed after a count.
func (a *Answers) changedAfter(since uint64, parts []Part) bool {
	return slices.ContainsFunc(parts, func(part Part) bool {
		return max(a.changed[part], a.before[part], a.unclear[part.Model], a.forgotten) > since
	})
}

// body is an answer's body in an encoding, made when it is first asked for.
func (a *Answers) body(key string, found *answer, encoding string) []byte {
	if encoding == "" {
		return found.Reply.body
	}
	e := found.encodings[encoding]
	e.once.Do(func() {
		e.body = Encode(found.Reply.body, encoding)
		a.mu.Lock()
		defer a.mu.Unlock()
		if kept, ok := a.kept.Peek(key); ok && kept == found {
			found.size += int64(len(e.body))
			a.bytes += int64(len(e.body))
			a.shrink()
		}
	})
	return e.body
}

// parameters are what endpoints read of queries.
var parameters = [...]string{"brand_id", "brief", "category_id", "is_new", "lang", "limit", "need", "offset", "ordering", "q", "search"}

// canonical spells a query in one way: the first value of each known parameter, if it has any, by name.
func canonical(query string) string {
	if query == "" {
		return ""
	}
	asked, _ := url.ParseQuery(query) // as URL.Query: broken pairs are left out
	known := url.Values{}
	for _, name := range parameters {
		if value := asked.Get(name); value != "" {
			known.Set(name, value)
		}
	}
	if known.Get("lang") != inKK { // all others are Russian
		known.Del("lang")
	}
	if brands := known.Get("brand_id"); brands != "" { // a set
		names := strings.Split(brands, ",")
		slices.Sort(names)
		known.Set("brand_id", strings.Join(slices.Compact(names), ","))
	}
	return known.Encode()
}
