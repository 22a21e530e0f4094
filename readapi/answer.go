package readapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
)

// ErrNotFound: there is no such thing, or it is not shown any more.
var ErrNotFound = errors.New("not found")

// BadQuery: query parameters are wrong; messages are in Russian, by parameter.
type BadQuery map[string][]string

func (b BadQuery) Error() string { return fmt.Sprintf("bad query: %v", map[string][]string(b)) }

// Answer says an error to a shopper: an HTTP status and a JSON body. ok is false for errors that are the shop's
// own trouble.
func Answer(err error) (status int, body any, ok bool) {
	var bad BadQuery
	switch {
	case errors.Is(err, ErrNotFound):
		return http.StatusNotFound, map[string]string{"detail": "Не найдено"}, true
	case errors.As(err, &bad):
		return http.StatusBadRequest, bad, true
	}
	return http.StatusInternalServerError, nil, false
}

// How long a copy may be used without asking again.
const (
	// revalidate lets copies be kept but asks each time; the ETag makes that cheap.
	revalidate = "no-cache"
	// hour is for what changes with the program only.
	hour = "public, max-age=3600"
	// never is for what must be true now.
	never = "no-store"
)

// reply sends JSON with an ETag, or 304 when the browser has this very answer.
func reply(w http.ResponseWriter, r *http.Request, cache string, body []byte) error {
	h := w.Header()
	h.Set("Cache-Control", cache)
	if cache != never {
		tag := etag(body)
		h.Set("ETag", tag)
		if matches(r.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, err := w.Write(body)
	return err
}

// replyWith sends v as JSON.
func replyWith(w http.ResponseWriter, r *http.Request, cache string, v any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return reply(w, r, cache, body.Bytes())
}

// etag is weak: compression changes the bytes, not the answer.
func etag(body []byte) string {
	h := fnv.New128a()
	h.Write(body)
	return `W/"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)) + `"`
}

func matches(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
