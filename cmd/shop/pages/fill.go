package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"shop/readapi"
)

// filled is a view with its answers.
type filled struct {
	head   Head
	given  []byte
	from   *readapi.Gathered
	status int
}

// fill asks a view's questions of what shoppers read.
func (p *Pages) fill(ctx context.Context, v View, language string) (f filled, err error) {
	return p.fillFrom(ctx, p.Reads, p.Gather(), v, language)
}

// fillFrom asks a view's questions. Only the answer about its subject must be there: without another the page shows less.
func (p *Pages) fillFrom(ctx context.Context, reads *Reads, from *readapi.Gathered, v View, language string) (f filled, err error) {
	all := given{Position: strconv.FormatInt(int64(p.Position()), 10), Missing: v.missing, Queries: [][2]any{}}
	forHead := given{Position: all.Position, Missing: v.missing, Queries: [][2]any{}}
	f.from = from
	for _, q := range v.Asks {
		if language == kazakh {
			q.Path = inKazakh(q.Path)
		}
		body, err := reads.answer(ctx, q, f.from)
		switch {
		case err == nil:
			all.Queries = append(all.Queries, [2]any{q.Key, body})
			if q.ForHead {
				forHead.Queries = append(forHead.Queries, [2]any{q.Key, body})
			}
		case q.Subject:
			return f, err
		case !errors.Is(err, readapi.ErrNotFound):
			p.Log.WarnContext(ctx, "a page lacks an answer", "page", v.At, "call", q.Path, "error", err)
		}
	}
	if v.missing {
		f.status = http.StatusNotFound
	}
	if f.given, err = all.encode(v.At); err != nil {
		return f, err
	}
	told, err := forHead.encode(v.At)
	if err != nil {
		return f, err
	}
	said, err := p.Engines.head(ctx, language, v.At, string(told))
	switch {
	case err != nil:
		return f, fmt.Errorf("ask for the head of page %s: %w", v.At, err)
	case said.Moved != "":
		return f, moved(said.Moved)
	case said.Missing:
		return f, readapi.ErrNotFound
	}
	f.head = said.Head
	return f, nil
}

// inKazakh is a call as the storefront asks it in Kazakh.
func inKazakh(path string) string {
	before := "?"
	if strings.Contains(path, before) {
		before = "&"
	}
	return path + before + "lang=" + kazakh
}
