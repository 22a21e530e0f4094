package edge

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"shop/cmd/shop/pages"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

// Region serves what everybody may read from a copy of the log, and leads everything else to the home region: whatever
// changes something, and whatever is somebody's own.
//
//	what may happen                        what a shopper sees
//	the copy lacks what the shopper wrote  the answer waits at most Wait, and comes from the home region after that
//	the home region cannot be reached      goods, pages and posts from the copy, with its age; a command is refused and says that the basket stays
//	a connection breaks under a command    it is sent again, with its Idempotency-Key, so that it is carried out once
type Region struct {
	Name string
	// Home is the home region's address.
	Home *url.URL
	// Local answers from the copy.
	Local http.Handler
	// Reached returns when the copy is complete up to a position, with ctx's error.
	Reached func(ctx context.Context, p eventstore.Position) error
	// Epoch is the history that the copy belongs to; empty: not known. What was seen in another one is answered at home.
	Epoch func() string
	// Age is how long ago the home region was last heard of.
	Age func() time.Duration
	Log *slog.Logger
	// Wait is how long an answer waits for the copy. Default 2s.
	Wait time.Duration
	// Patience is how long a command is tried to be sent. Default 3s.
	Patience time.Duration

	// away is since when the home region cannot be reached, in nanoseconds since 1970; 0: it can. looked is when that was found out.
	away, looked atomic.Int64
}

// Headers of answers in a region: its name, how many seconds old its sight of the shop is, once that is more than staleAfter, and
// "away" while the home region takes no orders.
const (
	RegionHeader = "X-Shop-Region"
	AgeHeader    = "X-Shop-Age"
	HomeHeader   = "X-Shop-Home"
	staleAfter   = 5 * time.Second
)

// bannerScript tells on open pages how old the catalog is and that no orders are taken, and takes that back by itself.
//
//go:embed region_banner.js
var bannerScript []byte

// What a shopper reads when the home region cannot be reached, by language.
var (
	textOrderCutOff = map[string]string{
		"ru": "Сейчас нет связи с магазином, поэтому заказ не оформлен. Корзина сохранена: попробуйте ещё раз через несколько минут",
		"kk": "Қазір дүкенмен байланыс жоқ, сондықтан тапсырыс рәсімделмеді. Себет сақталды: бірнеше минуттан кейін қайталап көріңіз",
	}
	textCutOff = map[string]string{
		"ru": "Сейчас нет связи с магазином. Попробуйте ещё раз через несколько минут",
		"kk": "Қазір дүкенмен байланыс жоқ. Бірнеше минуттан кейін қайталап көріңіз",
	}
)

// publicCalls are the beginnings of what everybody reads of the API.
var publicCalls = []string{"products", "categories", "brands", "content", "blog", "rules", "shop", "geonames", "openapi.json"}

// homePages are the first parts of paths, outside the API, that the home region alone answers: staff, the bank, letters, photos.
var homePages = []string{"admin", "ops", "analytics", "pay", "unsubscribe", "media", "order"}

// local says whether a region answers a request itself.
func local(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	parts := strings.SplitN(strings.Trim(r.URL.Path, "/"), "/", 3)
	if parts[0] != "api" {
		return !slices.Contains(homePages, parts[0])
	}
	return len(parts) > 1 && slices.Contains(publicCalls, parts[1]) && r.Header.Get("Authorization") == ""
}

// Routes is every URL of the shop in the region.
func (g *Region) Routes() http.Handler {
	home := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(g.Home)
			p.Out.Host = g.Home.Host
			p.Out.Header["X-Forwarded-For"] = p.In.Header["X-Forwarded-For"]
			p.SetXForwarded()
		},
		Transport: &steadfast{
			patience: cmpOr(g.Patience, 3*time.Second), log: g.Log,
			next: &http.Transport{
				MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, ResponseHeaderTimeout: 25 * time.Second,
				DialContext: (&net.Dialer{Timeout: time.Second, KeepAlive: 5 * time.Second}).DialContext, ForceAttemptHTTP2: true,
			},
		},
		FlushInterval: -1, // streams of staff
		ErrorHandler:  g.cutOff,
		ModifyResponse: func(*http.Response) error {
			g.away.Store(0)
			return nil
		},
		ErrorLog: slog.NewLogLogger(g.Log.Handler(), slog.LevelWarn),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(RegionHeader, g.Name)
		if r.URL.Path == pages.RegionScript {
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeContent(w, r, "region.js", time.Time{}, bytes.NewReader(bannerScript))
			return
		}
		if !local(r) || !g.fresh(r) && g.reachable(r.Context()) {
			home.ServeHTTP(w, r)
			return
		}
		age := g.Age()
		if age > staleAfter {
			w.Header().Set(AgeHeader, strconv.Itoa(int(age.Seconds())))
		}
		if (age > staleAfter || g.away.Load() != 0) && g.isAway(r.Context()) {
			w.Header().Set(HomeHeader, "away")
		}
		g.Local.ServeHTTP(w, r)
	})
}

// fresh says whether the copy has what the shopper has seen, within a moment.
func (g *Region) fresh(r *http.Request) bool {
	token := endpoint.SeenBy(r)
	if token.Position == 0 {
		return true
	}
	mark := ""
	if epoch := g.Epoch(); epoch != "" {
		mark = endpoint.EpochMark(epoch)
	}
	if token.Foreign(mark) {
		return false
	}
	ctx, cancel := context.WithTimeout(r.Context(), cmpOr(g.Wait, 2*time.Second))
	defer cancel()
	return g.Reached(ctx, eventstore.Position(token.Position)) == nil
}

// Observe says whether the home region is away, until stop. Instruments with valid constant names cannot fail.
func (g *Region) Observe() (stop func()) {
	meter := otel.Meter("shop/region")
	away, _ := meter.Int64ObservableGauge("shop.region.away", metric.WithDescription("1 while the home region takes no orders from a region, else 0"))
	registered, _ := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		is := int64(0)
		if g.away.Load() != 0 {
			is = 1
		}
		o.ObserveInt64(away, is, metric.WithAttributes(attribute.String("region", g.Name)))
		return nil
	}, away)
	return func() { _ = registered.Unregister() }
}

// lookEvery is how often, at most, it is looked whether the home region is there again.
const lookEvery = 3 * time.Second

// isAway says whether the home region is away. It looks now and then, for one request of many.
func (g *Region) isAway(ctx context.Context) bool {
	now := time.Now()
	if looked := g.looked.Load(); now.UnixNano()-looked > int64(lookEvery) && g.looked.CompareAndSwap(looked, now.UnixNano()) {
		if g.reachable(ctx) {
			g.away.Store(0)
		} else if ctx.Err() == nil {
			g.away.CompareAndSwap(0, now.UnixNano())
		}
	}
	return g.away.Load() != 0
}

// reachable says whether the home region answers.
func (g *Region) reachable(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.Home.JoinPath("healthz").String(), nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	return answer.Body.Close() == nil && answer.StatusCode < http.StatusInternalServerError
}

// cutOff answers a request that the home region does not get.
func (g *Region) cutOff(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the shopper has gone
	}
	g.away.CompareAndSwap(0, time.Now().UnixNano())
	g.Log.WarnContext(r.Context(), "the home region cannot be reached", "method", r.Method, "path", r.URL.Path, "error", err)
	text := textCutOff
	if r.Method == http.MethodPost && strings.Trim(r.URL.Path, "/") == "api/orders" {
		text = textOrderCutOff
	}
	w.Header().Set("Retry-After", "30")
	endpoint.WriteJSON(w, http.StatusServiceUnavailable, endpoint.Detail(text[pages.LanguageOf(r)]))
}

// steadfast sends a request again when that cannot carry it out twice.
type steadfast struct {
	next     http.RoundTripper
	patience time.Duration
	log      *slog.Logger
}

// mostKept is the largest body that is kept for another attempt: larger ones are photos.
const mostKept = 256 << 10

func (s *steadfast) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	kept := r.Body == nil || r.ContentLength == 0
	if !kept && r.ContentLength > 0 && r.ContentLength <= mostKept {
		var err error
		if body, err = io.ReadAll(io.LimitReader(r.Body, mostKept)); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
		kept = true
	}
	began := time.Now()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 400*time.Millisecond) {
		again := r.Clone(r.Context())
		if body != nil {
			again.Body = io.NopCloser(bytes.NewReader(body))
		}
		answer, err := s.next.RoundTrip(again)
		if err == nil || !kept || !repeatable(r, err) || time.Since(began)+pause > s.patience {
			return answer, err
		}
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-time.After(pause):
		}
	}
}

// repeatable says whether a request that failed may be sent again: it changes nothing, never arrived, or names itself.
func repeatable(r *http.Request, err error) bool {
	var op *net.OpError
	dialled := !errors.As(err, &op) || op.Op != "dial"
	return r.Method == http.MethodGet || r.Method == http.MethodHead || !dialled || r.Header.Get("Idempotency-Key") != ""
}

func cmpOr(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
