package readapi

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

// page is one part of a long list.
type page struct {
	Limit, Offset int64
}

const (
	defaultLimit = 24
	maxLimit     = 100
	maxOffset    = 1_000_000_000
)

// readPage reads limit and offset; their faults go into bad.
func readPage(q url.Values, bad BadQuery) page { return readPageOf(q, bad, defaultLimit) }

// readPageOf is readPage with another limit where none is asked for.
func readPageOf(q url.Values, bad BadQuery, limit int64) page {
	p := page{Limit: limit}
	if s := q.Get("limit"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 1 || n > maxLimit {
			bad["limit"] = []string{"Введите целое число от 1 до 100"}
		}
		p.Limit = n
	}
	if s := q.Get("offset"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 || n > maxOffset {
			bad["offset"] = []string{"Введите целое число не меньше 0"}
		}
		p.Offset = n
	}
	return p
}

// Page is the envelope of a long list. Next and Previous are addresses on this host, nil at the ends.
type Page[T any] struct {
	Count    int64   `json:"count"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	Results  T       `json:"results"`
}

// envelope puts results into a Page that belongs to the request's address.
func envelope[T any](r *http.Request, p page, count int64, results T) Page[T] {
	at := func(offset int64) *string {
		q := r.URL.Query()
		q.Set("limit", strconv.FormatInt(p.Limit, 10))
		q.Set("offset", strconv.FormatInt(offset, 10))
		address := r.URL.EscapedPath() + "?" + q.Encode()
		return &address
	}
	out := Page[T]{Count: count, Results: results}
	if p.Offset+p.Limit < count {
		out.Next = at(p.Offset + p.Limit)
	}
	if p.Offset > 0 {
		out.Previous = at(max(0, min(p.Offset, count)-p.Limit))
	}
	return out
}

// Clean makes any text safe to compare with texts in the database: valid UTF-8, no control characters, trimmed,
// at most max runes.
func Clean(text string, max int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	runes := []rune(strings.TrimSpace(text))
	if len(runes) > max {
		runes = runes[:max]
	}
	return string(runes)
}

// ref is what an {id} in an address means: an identifier, or else a link. Both may be empty and match nothing.
type ref struct {
	ID   uuid.UUID
	Link string
}

func refOf(text string) ref {
	text = Clean(text, 300)
	id, err := uuid.Parse(text)
	if err != nil || id == uuid.Nil {
		// No row has this id: a version 8 UUID that nobody makes.
		return ref{ID: nobody, Link: text}
	}
	return ref{ID: id, Link: text}
}

// nobody is an identifier that nothing has. The zero UUID would do no harm to most queries, but it means "none" in others.
var nobody = uuid.Must(uuid.Parse("ffffffff-ffff-8fff-bfff-ffffffffffff"))

// param is a part of the path as the shopper wrote it.
func param(r *http.Request, name string) string {
	raw := chi.URLParam(r, name)
	if text, err := url.PathUnescape(raw); err == nil && r.URL.RawPath != "" {
		return text
	}
	return raw
}

// refsOf splits a comma-separated list; an empty text gives none.
func refsOf(text string) (ids []uuid.UUID, links []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = Clean(part, 300); part == "" {
			continue
		}
		r := refOf(part)
		ids, links = append(ids, r.ID), append(links, r.Link)
	}
	return ids, links
}
