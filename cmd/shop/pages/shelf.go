package pages

import (
	"strings"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// shelf keeps pages, and lets go of what was not asked for longest. The lock of Pages guards it.
type shelf struct {
	pages       *simplelru.LRU[string, *page]
	bytes, most int
}

func (s *shelf) open(most int) {
	s.most = most
	s.pages, _ = simplelru.NewLRU(1<<30, func(_ string, gone *page) { s.bytes -= gone.size() }) // fails only for sizes below 1
}

func (s *shelf) keep(key string, made *page) {
	s.pages.Remove(key)
	s.pages.Add(key, made)
	s.bytes += made.size()
	for s.bytes > s.most {
		s.pages.RemoveOldest()
	}
}

// isNarrowed: the page of a key is a filtered list or a later page of a list.
func isNarrowed(key string) bool { return strings.Contains(key, "?") }

func (p *Pages) shelfOf(key string) *shelf {
	if isNarrowed(key) {
		return &p.narrowed
	}
	return &p.kept
}

// Look is the page kept under a key; nil: none is.
func (p *Pages) Look(key string) *page {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, _ := p.shelfOf(key).pages.Get(key)
	return found
}

func (p *Pages) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shelfOf(key).pages.Remove(key)
}

func (p *Pages) keep(key string, made *page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shelfOf(key).keep(key, made)
}
