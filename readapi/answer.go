package readapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"sync"
	"time"

	"shop/readapi/endpoint"
	"shop/readapi/replicas"
)

// ErrNotFound: there is no such thing, or it is not shown any more.
var ErrNotFound = errors.New("not found")

// ErrTooMany: the request would cost the shop something, and its sender has had enough of that for now.
var ErrTooMany = errors.New("too many requests")

// BadQuery: query parameters are wrong; messages are in Russian, by parameter.
type BadQuery map[string][]string

func (b BadQuery) Error() string { return fmt.Sprintf("bad query: %v", map[string][]string(b)) }

// Answer says an error to a shopper: an HTTP status and a JSON body. ok is false for errors that are the shop's
// own trouble.
func Answer(err error) (status int, body any, ok bool) {
	var bad BadQuery
	switch {
	case errors.Is(err, ErrNotFound):
		return endpoint.Status(endpoint.NotFound), map[string]string{"detail": "Не найдено"}, true
	case errors.Is(err, ErrTooMany):
		return endpoint.Status(endpoint.TooMany), map[string]string{"detail": "Слишком много запросов. Попробуйте ещё раз чуть позже"}, true
	case errors.As(err, &bad):
		return endpoint.Status(endpoint.Invalid), bad, true
	}
	return endpoint.Status(endpoint.Failed), nil, false
}

// How long a copy may be used without asking again.
const (
	// revalidate lets caches keep copies but revalidate each time; the ETag makes that cheap.
	revalidate = "no-cache"
	// hour is for answers that change only with the program.
	hour = "public, max-age=3600"
	// private is revalidate for personal answers.
	private = "private, no-cache"
	// never is for answers that must always be current.
	never = "no-store"
)

// Endpoint answers a GET. What it answers may depend on the request's path and query alone, on the read models, and on
// time as far as its Reply says.
type Endpoint func(r *http.Request) (*Reply, error)

// ServeJSON computes an endpoint's answer each time; Answers.Endpoint answers from the cache.
func (e Endpoint) ServeJSON(w http.ResponseWriter, r *http.Request) error {
	p, err := e(r)
	if err != nil {
		return err
	}
	p.write(w, r, p.body, "")
	return nil
}

// patience is how long a read waits for a replica before it asks the primary.
const patience = 50 * time.Millisecond

// At is the endpoint with its reads at a replica, if one is far enough.
func (e Endpoint) At(set *replicas.Set) Endpoint {
	if set == nil {
		return e
	}
	return func(r *http.Request) (reply *Reply, err error) {
		trouble := set.Read(r.Context(), patience, func(ctx context.Context) error {
			if reply, err = e(r.WithContext(ctx)); err == nil {
				return nil
			}
			if _, _, ok := Answer(err); ok {
				return nil // it is the answer
			}
			return err
		})
		if trouble != nil {
			return nil, trouble
		}
		return reply, err
	}
}

// Reply is a JSON body with what must change before it is wrong.
type Reply struct {
	body []byte
	// cache is the Cache-Control, tag the ETag; empty with never.
	cache, tag string
	// parts of the read models that it shows.
	parts []Part
	// until is when the passing of time alone makes it wrong; zero: never.
	until time.Time
	// keys are those of the parts, made when the reply is first written.
	keys     string
	makeKeys sync.Once
}

// surrogateKeys are the reply's.
func (p *Reply) surrogateKeys() string {
	p.makeKeys.Do(func() { p.keys = surrogateKeys(p.parts) })
	return p.keys
}

// reply makes JSON into a reply that depends on parts of the read models.
func reply(cache string, body []byte, parts ...Part) *Reply {
	p := &Reply{body: body, cache: cache, parts: parts}
	if cache != never {
		p.tag = etag(body)
	}
	return p
}

// replyWith is reply for a value that becomes JSON here.
func replyWith(cache string, v any, parts ...Part) (*Reply, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return reply(cache, body.Bytes(), parts...), nil
}

// ReplyWith is a reply for a value that becomes JSON, for endpoints outside this package: copies are asked again each time.
func ReplyWith(v any, parts ...Part) (*Reply, error) { return replyWith(revalidate, v, parts...) }

// write sends the reply's body in an encoding, empty for none, or 304 when the browser has this very answer.
func (p *Reply) write(w http.ResponseWriter, r *http.Request, body []byte, encoding string) {
	h := w.Header()
	h.Set("Cache-Control", p.cache)
	if p.cache == revalidate && len(p.parts) > 0 {
		h.Set("Surrogate-Key", p.surrogateKeys())
	}
	if p.tag != "" {
		h.Set("ETag", p.tag)
		if endpoint.SameTag(r.Header.Get("If-None-Match"), p.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
		h.Add("Vary", "Accept-Encoding")
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body) // an error means that the browser is gone
}

// etag is weak: compression changes the bytes, not the answer.
func etag(body []byte) string {
	h := fnv.New128a()
	h.Write(body)
	return `W/"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)) + `"`
}
