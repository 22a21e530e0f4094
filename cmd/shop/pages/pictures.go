package pages

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"shop/readapi"
)

const (
	// picturesEvery is the least between two looks at where pictures are, however often they change.
	picturesEvery = 10 * time.Second
	// picturesWithin is how long a look may take.
	picturesWithin = 2 * time.Second
)

// Pictures tells a policy which foreign hosts it has to let pictures come from: those that the catalog names. The zero value allows none.
// It is safe for concurrent use.
type Pictures struct {
	// List are the hosts, and whether there are more than one may list.
	List func(ctx context.Context) (hosts []string, more bool, err error)

	// Now is the clock; nil: the machine's.
	Now func() time.Time

	looking sync.Mutex
	mu      sync.Mutex
	sources string
	from    *readapi.Gathered
	looked  time.Time
}

// imgSrc is what img-src says after 'self': nothing, or hosts. A call of a script shows no pictures, so it never looks for them.
func (p *Pages) imgSrc(r *http.Request) string {
	at, now := &p.Pictures, time.Now
	if at.Now != nil {
		now = at.Now
	}
	at.mu.Lock()
	sources, stands := at.sources, at.from != nil && at.from.Stands() || now().Sub(at.looked) < picturesEvery
	at.mu.Unlock()
	if stands || at.List == nil || strings.HasPrefix(r.URL.Path, "/api/") || !at.looking.TryLock() {
		return sources
	}
	defer at.looking.Unlock()
	from := p.Gather()
	from.ShowPictures()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), picturesWithin)
	defer cancel()
	hosts, more, err := at.List(ctx)
	at.mu.Lock()
	defer at.mu.Unlock()
	at.looked = now()
	switch {
	case err != nil:
		p.Log.WarnContext(ctx, "where the catalog's pictures are cannot be read; pages show those of hosts that were known before", "error", err)
		return at.sources
	case more:
		p.Log.WarnContext(ctx, "the catalog names pictures on more hosts than pages may show; those of the least used are not shown", "most", readapi.MostPictureHosts)
	}
	at.from, at.sources = from, ""
	if len(hosts) > 0 {
		at.sources = " https://" + strings.Join(hosts, " https://")
	}
	return at.sources
}
