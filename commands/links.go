package commands

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"shop/domain"
	"shop/eventstore"
)

// LogReader is what learning names from the log needs of the event store beside commands.
type LogReader interface {
	Read(ctx context.Context, q eventstore.Query) ([]eventstore.Event, error)
}

// NamesPage is how many events are read at a time to learn the catalog's names.
const NamesPage = 10_000

// made is the namespace of identifiers that are made of articles, names and links, so that the same file means the same
// products in every shop and at every time.
var made = uuid.NewSHA1(uuid.NameSpaceURL, []byte("urn:shop:catalog"))

// MadeOf is the identifier of what has a name, of its kind.
func MadeOf(kind, name string) domain.ID { return uuid.NewSHA1(made, []byte(kind+":"+name)) }

// LinkBook maps links to entries and entries to links.
type LinkBook struct {
	owner map[string]domain.ID
	of    map[domain.ID]string
}

// NewLinkBook is one without links.
func NewLinkBook() LinkBook {
	return LinkBook{owner: map[string]domain.ID{}, of: map[domain.ID]string{}}
}

// LinkOf is an entry's link; empty: it has none.
func (l LinkBook) LinkOf(id domain.ID) string { return l.of[id] }

// Owner is the entry that has a link; false: none has.
func (l LinkBook) Owner(link string) (id domain.ID, known bool) {
	id, known = l.owner[link]
	return id, known
}

// Set gives an entry a link, and takes its former one away.
func (l LinkBook) Set(id domain.ID, link string) {
	if old, ok := l.of[id]; ok {
		delete(l.owner, old)
	}
	l.owner[link], l.of[id] = id, link
}

// Give answers the entry's link, or gives it the first candidate that is free; when none is, the last with a number.
func (l LinkBook) Give(id domain.ID, candidates ...string) string {
	if link, ok := l.of[id]; ok {
		return link
	}
	last := "x" // of a name without any letter or digit
	for _, link := range candidates {
		if link == "" {
			continue
		}
		if _, taken := l.owner[link]; !taken {
			l.Set(id, link)
			return link
		}
		last = link
	}
	for n := 2; ; n++ {
		link := fmt.Sprintf("%s-%d", last, n)
		if _, taken := l.owner[link]; !taken {
			l.Set(id, link)
			return link
		}
	}
}
