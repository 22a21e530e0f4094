package readapi

import (
	"net/http"
	"time"
)

// Gathered is what something made of several answers, such as a page, depends on. Answers.Gather begins one.
type Gathered struct {
	from  *Answers
	since uint64
	parts []Part
	until time.Time
}

// Gather begins to make something of answers: what changes from now on makes it wrong.
func (a *Answers) Gather() *Gathered {
	g := &Gathered{from: a}
	if a != nil {
		a.mu.Lock()
		g.since = a.count
		a.mu.Unlock()
	}
	return g
}

// Ask answers a call in JSON as a shopper is answered, from memory if it can. It is not safe for concurrent use.
func (g *Gathered) Ask(e Endpoint, r *http.Request) ([]byte, error) {
	reply, err := g.ask(e, r)
	if err != nil {
		return nil, err
	}
	g.parts = append(g.parts, reply.parts...)
	if !reply.until.IsZero() && (g.until.IsZero() || reply.until.Before(g.until)) {
		g.until = reply.until
	}
	return reply.body, nil
}

func (g *Gathered) ask(e Endpoint, r *http.Request) (*Reply, error) {
	query := canonical(r.URL.RawQuery)
	if g.from == nil {
		return e.bare(r, query)
	}
	found, err := g.from.find(keyOf(r, query), nil, func() (*Reply, error) { return e.bare(r, query) })
	if err != nil {
		return nil, err
	}
	return found.Reply, nil
}

// Stands is whether nothing has changed since that any of the answers show. Without memory nobody knows.
func (g *Gathered) Stands() bool {
	if g.from == nil {
		return false
	}
	g.from.mu.Lock()
	defer g.from.mu.Unlock()
	if !g.until.IsZero() && !g.from.now().Before(g.until) || g.from.changedAfter(g.since, g.parts) {
		return false
	}
	g.since = g.from.count // nothing of it has changed so far
	return true
}
