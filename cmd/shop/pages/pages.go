package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"golang.org/x/sync/singleflight"

	"shop/eventstore"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// The languages of the storefront; a cookie chooses.
const (
	russian        = "ru"
	kazakh         = "kk"
	languageCookie = "lang"
)

const (
	// pagesInMemory is how many bytes of encoded pages a process keeps, some two hundred pages; narrowedInMemory is for filtered lists
	// and the later pages of lists, of which there are more than anybody could keep.
	pagesInMemory    = 20 << 20
	narrowedInMemory = 3 << 20
	// renderPatience is how long other requests wait for a page that was not rendered before; then its script draws it.
	renderPatience = 150 * time.Millisecond
	// coldCachePatience is how long a request without a cookie waits for a render: it comes from a search engine, which may
	// not run scripts, or from a browser that has none of them in its cache.
	coldCachePatience = time.Second
	// renewPatience is how long a request waits for a page that has changed; then it gets the old one, and its script asks again.
	renewPatience = 50 * time.Millisecond
	// renewEvery is the least between two renders of a page, however often it changes.
	renewEvery = time.Second
)

// View is a page as it is asked for.
type View struct {
	plan
	// missing: there is nothing at the address that was asked for.
	missing bool
	// own: the page is a shopper's.
	own bool
}

// notFoundAddress is where the not-found page is kept.
const notFoundAddress = "/404"

// moved is the one address of a page that was asked for by another.
type moved string

func (m moved) Error() string { return "moved to " + string(m) }

// Pages serves the storefront's pages: rendered, kept until what they show changes, the same for everybody. What is a
// shopper's own comes to them afterwards, by script.
type Pages struct {
	shop, Origin string
	shell        *shell
	// Staff is the page of the staff app, which is a bundle of its own.
	Staff   []byte
	Engines *engines
	// Gather begins to ask what a page shows; position is where the answers stand at least.
	Gather   func() *readapi.Gathered
	Position func() eventstore.Position
	// Reads are the calls that pages may ask.
	Reads *Reads
	// Pictures are the hosts of the catalog's pictures.
	Pictures Pictures
	// List is every page of the storefront.
	List []Listed
	Log  *slog.Logger

	// Misses says whether a request may have a page made that is not kept ready, and if not, after how many seconds it may
	// come again. Nil: it may.
	Misses func(r *http.Request) (after string, ok bool)

	rendering singleflight.Group
	mu        sync.Mutex
	plans     *simplelru.LRU[string, plan]
	// narrowed are filtered lists and later pages of lists, kept all other pages.
	kept, narrowed shelf
	// narrowing is held while a narrowed page is rendered, and as long again: those take half a processor at most.
	narrowing chan struct{}
	// brands are the names that filters may have, as the shop's brands were last read.
	brands  *brands
	served  metric.Int64Counter
	renders metric.Float64Histogram
}

// page is an answer in HTML.
type page struct {
	// plain is nil once the page has its encodings, which hold the same in a quarter of the memory.
	plain, brotli, gzip []byte
	tag                 string
	status              int
	From                *readapi.Gathered
	Made                time.Time
	// of is what it was made of.
	of plan
}

func (p *page) size() int { return len(p.plain) + len(p.brotli) + len(p.gzip) + 1000 }

func (p *page) html() []byte {
	if p.plain == nil {
		return readapi.Unzip(p.gzip)
	}
	return p.plain
}

// LoadPages reads the built storefront.
func LoadPages(dist fs.FS, shop, origin string, log *slog.Logger) (*Pages, error) {
	shell, err := loadShell(dist)
	if err != nil {
		return nil, err
	}
	staff, err := ReadBuilt(dist, StaffFile, unbuilt)
	if err != nil {
		return nil, err
	}
	list, err := loadList(dist)
	if err != nil {
		return nil, err
	}
	name := fmt.Appendf(nil, "<meta name=\"application-name\" content=\"%s\">\n</head>", html.EscapeString(shop))
	p := &Pages{shop: shop, Origin: origin, shell: shell, List: list, Log: log,
		Staff:    bytes.Replace(staff, []byte("</head>"), name, 1),
		Gather:   (*readapi.Answers)(nil).Gather,
		Position: func() eventstore.Position { return 0 },
	}
	p.kept.open(pagesInMemory)
	p.narrowed.open(narrowedInMemory)
	p.narrowing = make(chan struct{}, 1)
	p.plans, _ = simplelru.NewLRU[string, plan](plansKept, nil)
	// Instruments with valid constant names cannot fail.
	meter := otel.Meter("shop/pages")
	p.served, _ = meter.Int64Counter("shop.pages.served", metric.WithUnit("{page}"),
		metric.WithDescription("Pages by how they came: kept, stale, rendered, bare"))
	p.renders, _ = meter.Float64Histogram("shop.pages.render.duration", metric.WithUnit("s"),
		metric.WithDescription("Time to render a page, by whether it succeeded"))
	return p, nil
}

// Show serves a page: as it is kept; while it is made anew as it was kept; or made now.
func (p *Pages) Show(page Listed) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if path := pathOf(r); path != r.URL.EscapedPath() {
			redirect(w, r, path)
			return
		}
		p.answer(w, r, page.addressed(r), View{plan: plan{Module: page.Module}, own: page.Own})
	}
}

// answer answers with the page at an address. Without an engine nobody knows more of it than its script.
func (p *Pages) answer(w http.ResponseWriter, r *http.Request, address string, v View) {
	language := LanguageOf(r)
	if p.Engines == nil {
		p.count(r.Context(), "bare")
		p.page(v, language, p.unknown(v), "").write(w, r)
		return
	}
	key := language + " " + address
	found := p.Look(key)
	switch {
	case found == nil:
		if found = p.missed(w, r, address, v, language); found == nil {
			return
		}
	case found.From.Stands():
		p.count(r.Context(), "kept")
	default:
		v.plan = found.of
		if renewed := p.renew(r, v, key, language, found); renewed != nil {
			p.count(r.Context(), "rendered")
			found = renewed
			break
		}
		p.count(r.Context(), "stale")
		// Read by the storefront: what the page shows it asks again.
		w.Header().Set("Server-Timing", "stale")
	}
	found.write(w, r)
}

// missed answers with a page that is not kept: within the budget of its asker, and at its one address. Nil when it has
// answered already. The not-found page has no budget: it is one page.
func (p *Pages) missed(w http.ResponseWriter, r *http.Request, address string, v View, language string) *page {
	if after, ok := p.mayMake(r); !ok && !v.missing {
		w.Header().Set("Retry-After", after)
		p.count(r.Context(), "refused")
		return p.page(v, language, filled{head: Head{Private: true}, status: http.StatusTooManyRequests}, "")
	}
	var err error
	if v.plan, err = p.plan(r.Context(), address); err != nil {
		return p.fail(r, v, language, err)
	}
	if v.At != address && !v.own && !v.missing {
		lead(w, v.At, http.StatusMovedPermanently, "public, max-age=3600")
		return nil
	}
	if known := p.withKnownBrands(r.Context(), v.At); known != v.At {
		lead(w, known, http.StatusFound, "no-store") // the brand may come
		return nil
	}
	key := language + " " + v.At
	if isNarrowed(key) && (len(p.narrowing) > 0 || p.Engines.busy()) { // the pages that everybody asks for come first
		p.count(r.Context(), "bare")
		return p.page(v, language, p.unknown(v), "")
	}
	return p.make(w, r, v, key, language)
}

func (p *Pages) mayMake(r *http.Request) (after string, ok bool) {
	if p.Misses == nil {
		return "", true
	}
	return p.Misses(r)
}

// make answers with a page that is not kept yet; nil when it has answered already.
func (p *Pages) make(w http.ResponseWriter, r *http.Request, v View, key, language string) *page {
	f, err := p.fill(r.Context(), v, language)
	var elsewhere moved
	switch {
	case errors.As(err, &elsewhere):
		redirect(w, r, string(elsewhere))
		return nil
	case errors.Is(err, readapi.ErrNotFound) && !v.missing:
		p.NotFound(w, r)
		return nil
	case err != nil:
		return p.fail(r, v, language, err)
	}
	wait := renderPatience
	if r.Header.Get("Cookie") == "" {
		wait = coldCachePatience
	}
	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case made := <-p.render(v, key, language, f):
		if made.Err == nil {
			p.count(r.Context(), "rendered")
			return made.Val.(*page)
		}
	case <-patience.C: // the next visitor finds it rendered
	case <-r.Context().Done():
	}
	p.count(r.Context(), "bare")
	return p.page(v, language, f, "")
}

// fail logs why a page cannot be made, and gives it without content: the storefront may find out.
func (p *Pages) fail(r *http.Request, v View, language string, err error) *page {
	endpoint.LogFailure(p.Log, r, err)
	p.count(r.Context(), "bare")
	return p.page(v, language, filled{head: Head{Private: true}, status: http.StatusServiceUnavailable}, "")
}

// unknown is what is said of a page where no engine says more.
func (p *Pages) unknown(v View) filled {
	if v.missing {
		return filled{head: Head{Private: true}, status: http.StatusNotFound}
	}
	return filled{head: Head{Private: v.own}}
}

// renew makes a page that was kept anew; nil when that takes longer than one likes to wait: it goes on behind. When
// there is nothing to show any more, the page is forgotten.
func (p *Pages) renew(r *http.Request, v View, key, language string, old *page) *page {
	if time.Since(old.Made) < renewEvery {
		return nil
	}
	if isNarrowed(key) {
		if _, ok := p.mayMake(r); !ok {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), endpoint.MaxTime)
	renewed := make(chan *page, 1)
	go func() {
		defer cancel()
		made, err := p.remake(ctx, v, key, language)
		var elsewhere moved
		var broke *endpoint.Broken
		switch {
		case err == nil:
			renewed <- made
		case errors.Is(err, readapi.ErrNotFound), errors.As(err, &elsewhere):
			p.forget(key)
		case errors.As(err, &broke):
			p.Log.Error("a page was not made anew", "page", v.At, "error", err)
		} // else the old one is better than none
	}()
	patience := time.NewTimer(renewPatience)
	defer patience.Stop()
	select {
	case made := <-renewed:
		return made
	case <-patience.C:
		return nil
	}
}

// remake fills and renders a page.
func (p *Pages) remake(ctx context.Context, v View, key, language string) (_ *page, err error) {
	defer endpoint.OrError(&err)
	f, err := p.fill(ctx, v, language)
	if err != nil {
		return nil, err
	}
	made := <-p.render(v, key, language, f)
	if made.Err != nil {
		return nil, made.Err
	}
	return made.Val.(*page), nil
}

// render has a page rendered, once for all who ask for it meanwhile, and keeps it.
func (p *Pages) render(v View, key, language string, f filled) <-chan singleflight.Result {
	return p.rendering.DoChan(key, func() (_ any, err error) {
		defer func() {
			if err != nil && !errors.Is(err, errNotRendered) && !errors.Is(err, errNarrowed) {
				p.Log.Warn("a page was not rendered", "page", v.At, "error", err)
			}
		}()
		defer endpoint.OrError(&err)
		ctx, cancel := context.WithTimeout(context.Background(), endpoint.MaxTime)
		defer cancel()
		began := time.Now()
		if isNarrowed(key) {
			select {
			case p.narrowing <- struct{}{}:
				defer func() { time.AfterFunc(time.Since(began), func() { <-p.narrowing }) }()
			default:
				return nil, errNarrowed
			}
		}
		markup, err := p.Engines.Render(ctx, language, v.At, string(f.given))
		if !errors.Is(err, errNotRendered) {
			p.renders.Record(ctx, time.Since(began).Seconds(), metric.WithAttributes(attribute.Bool("ok", err == nil)))
		}
		if err != nil {
			return nil, err
		}
		made := p.page(v, language, f, markup)
		made.brotli, made.gzip, made.plain = readapi.Encode(made.plain, "br"), readapi.Encode(made.plain, "gzip"), nil
		p.keep(key, made)
		return made, nil
	})
}

// page puts a page together.
func (p *Pages) page(v View, language string, f filled, markup string) *page {
	scripts := []string{"index.html", v.Module}
	if language == kazakh {
		scripts = append(scripts, "shop/texts/kk.ts")
	}
	modules := p.shell.modules(scripts...)
	made := &page{status: f.status, From: f.from, Made: time.Now(), of: v.plan,
		plain: p.shell.assemble(language, f.head.write(p.shop, p.Origin, language), modules, markup, f.given)}
	if f.status == 0 {
		sum := sha256.Sum256(made.plain)
		made.tag = `W/"` + hex.EncodeToString(sum[:12]) + `"`
	}
	return made
}

func (p *Pages) count(ctx context.Context, how string) {
	p.served.Add(ctx, 1, metric.WithAttributes(attribute.String("from", how)))
}

// Bare serves what all pages have around their content: a browser keeps it for addresses that it has not seen yet.
func (p *Pages) Bare(w http.ResponseWriter, r *http.Request) {
	p.page(View{}, LanguageOf(r), filled{head: Head{Private: true}}, "").write(w, r)
}

// NotFound serves the not-found page with a real 404.
func (p *Pages) NotFound(w http.ResponseWriter, r *http.Request) {
	p.answer(w, r, notFoundAddress, View{missing: true})
}

// write sends the page in an encoding that the browser accepts, or 304 when it has this very one.
func (p *page) write(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-cache")
	header.Add("Vary", "Cookie") // the language
	if p.tag != "" {
		header.Set("ETag", p.tag)
		if keys := p.From.SurrogateKeys(); keys != "" {
			header.Set("Surrogate-Key", keys)
		}
		// A stale page is sent whole: its header says so to the storefront.
		if header.Get("Server-Timing") == "" && endpoint.SameTag(r.Header.Get("If-None-Match"), p.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	var body []byte
	if p.brotli == nil {
		body = p.plain
	} else {
		header.Add("Vary", "Accept-Encoding")
		switch encoding := readapi.Encoding(r.Header.Get("Accept-Encoding")); encoding {
		case "br":
			body = p.brotli
			header.Set("Content-Encoding", encoding)
		case "gzip":
			body = p.gzip
			header.Set("Content-Encoding", encoding)
		default:
			body = p.html()
		}
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	w.Write(body)
}

// redirect leads to the one address of a page for good, with the query that came.
func redirect(w http.ResponseWriter, r *http.Request, path string) {
	if r.URL.RawQuery != "" && !strings.Contains(path, "?") {
		path += "?" + r.URL.RawQuery
	}
	lead(w, path, http.StatusMovedPermanently, "public, max-age=3600") // what moved may move back
}

// lead sends a browser to another address, and says how long that may be kept.
func lead(w http.ResponseWriter, address string, status int, keep string) {
	w.Header().Set("Location", address)
	w.Header().Set("Cache-Control", keep)
	w.WriteHeader(status)
}

// LanguageOf is the language that a browser asks for; Russian unless its cookie says otherwise.
func LanguageOf(r *http.Request) string {
	if c, err := r.Cookie(languageCookie); err == nil && c.Value == kazakh {
		return kazakh
	}
	return russian
}
