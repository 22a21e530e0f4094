package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"shop/cmd/shop/app"
	"shop/commands"
	"shop/readapi/endpoint"
)

// Limits bound what one visitor can ask of the shop. Each is a middleware of its own, so that who searches a lot can
// still order. They count per process: n processes let n times as many through.
type Limits struct {
	// Pricings is for prices, orders for orders, guesses for promo codes, searches for searches, by address.
	Pricings, orders, Guesses, Searches func(http.Handler) http.Handler
	// newBaskets is for pricings without a basket of ours. remembered is for those that the log remembers, pages and reads
	// for what is not kept ready; they are asked in the middle of a request, by budget.
	newBaskets, remembered, pages, reads func(http.Handler) http.Handler
	// Accounts is for customers' signing in, registration and reset, by address, and by address and e-mail; by the e-mail
	// alone strangers could keep its owner out. reviews is for what customers write, by address.
	Accounts, Reviews func(http.Handler) http.Handler
	// portraits is for customers' photos of themselves, by customer.
	portraits func(http.Handler) http.Handler
	// Staff is for staff's signing in, by address; their accounts lock by themselves.
	Staff func(http.Handler) http.Handler
}

// PortraitsAnHour is more than anybody needs to choose one, and little work.
const PortraitsAnHour = 20

func newLimits(c app.Config) Limits {
	address := func(perSecond float64, least int, text string) func(http.Handler) http.Handler {
		return limitBy(perSecond, least, text, func(r *http.Request) (string, bool) { return clientAddr(r).String(), true })
	}
	byAddress := address(c.AccountRate, 1, TextTooMany)
	byEmail := limitBy(c.EmailRate, 5, TextTooMany, func(r *http.Request) (string, bool) {
		email, ok := emailOf(r)
		return clientAddr(r).String() + email, ok
	})
	searches := address(c.SearchRate, 1, TextTooMany)
	return Limits{
		Pricings:   address(c.CheckoutRate, 1, TextTooMany),
		orders:     address(c.OrderRate, 10, TextTooMany),
		newBaskets: address(c.NewBasketRate, 1, TextTooMany),
		remembered: address(c.BasketRate, 60, TextTooMany),
		pages:      address(c.PageRate, 30, TextTooMany),
		reads:      address(c.ReadRate, 60, TextTooMany),
		Guesses:    address(c.PromocodeRate, 1, TextTooMany),
		Searches: func(next http.Handler) http.Handler {
			limited := searches(next)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RawQuery == "" || r.URL.Query().Get("search") == "" && r.URL.Query().Get("q") == "" {
					next.ServeHTTP(w, r) // a list as it stands costs little
					return
				}
				limited.ServeHTTP(w, r)
			})
		},
		Accounts: func(next http.Handler) http.Handler { return byAddress(byEmail(next)) },
		Reviews:  address(c.ReviewsAnHour/3600, max(1, int(c.ReviewsAnHour)), TextTooMany),
		portraits: limitBy(PortraitsAnHour/3600., PortraitsAnHour, TextTooMany, func(r *http.Request) (string, bool) {
			return commands.CustomerOf(r.Context()).String(), true
		}),
		Staff: address(c.SigninRate, 1, StaffTooMany),
	}
}

// maxLimited is how many visitors a limit remembers; who is forgotten begins anew. It takes some 2 MB.
const maxLimited = 10_000

// limitBy lets requests with the same key through at perSecond, with bursts of ten seconds' worth, or more: at least so
// many. Others are answered 429, and told in Retry-After when to come again. A request without a key is let through; a
// perSecond of 0 lets everyone through.
func limitBy(perSecond float64, least int, tooMany string, keyOf func(*http.Request) (key string, ok bool)) func(http.Handler) http.Handler {
	if perSecond == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	burst := max(least, int(math.Ceil(perSecond*10)))
	known, _ := lru.New[string, *rate.Limiter](maxLimited) // errs only below 1
	var mu sync.Mutex
	limiterOf := func(key string) *rate.Limiter {
		mu.Lock()
		defer mu.Unlock()
		l, ok := known.Get(key)
		if !ok {
			l = rate.NewLimiter(rate.Limit(perSecond), burst)
			known.Add(key, l)
		}
		return l
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key, ok := keyOf(r)
			if !ok {
				next.ServeHTTP(w, r)
				return
			}
			now := time.Now()
			turn := limiterOf(key).ReserveN(now, 1)
			if wait := turn.DelayFrom(now); wait > 0 {
				turn.CancelAt(now) // who is refused uses up nothing
				w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
				endpoint.WriteJSON(w, http.StatusTooManyRequests, endpoint.Detail(tooMany))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// maxCredentials is the most bytes of a body in which an e-mail is looked for: as many as any handler takes.
const maxCredentials = 64 << 10

// emailOf is whose account a request with a JSON body is about: the hash of the e-mail it names, as the shop compares
// e-mails. The body stays to be read.
func emailOf(r *http.Request) (string, bool) {
	if r.Body == nil || r.Body == http.NoBody {
		return "", false
	}
	body := r.Body
	text, err := io.ReadAll(io.LimitReader(body, maxCredentials+1))
	// What went wrong is for the handler to find, where it would have.
	rest := io.Reader(body)
	if err != nil {
		rest = failing{err}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), rest), body}
	var named map[string]json.RawMessage
	if err != nil || len(text) > maxCredentials || json.Unmarshal(text, &named) != nil {
		return "", false // no handler takes it
	}
	for _, field := range []string{"username", "email"} {
		var email string
		if json.Unmarshal(named[field], &email) == nil && strings.TrimSpace(email) != "" {
			sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email))))
			return string(sum[:]), true
		}
	}
	return "", false
}

// failing is a reader that has nothing but its error.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }
