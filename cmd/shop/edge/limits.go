package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"hash/maphash"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"shop/cmd/shop/app"
	"shop/commands"
	"shop/commands/shopapi"
	"shop/readapi/endpoint"
)

// Limits bound what one visitor can ask of the shop. Each is a middleware of its own, so that who searches a lot can
// still order. They count per process: n processes let n times as many through.
type Limits struct {
	// Pricings is for prices, orders for orders, Guesses for promo codes, Searches for searches, by address.
	Pricings, orders, Guesses, Searches func(http.Handler) http.Handler
	// guess counts the promo code of a price or an order under Guesses, see shopapi.Guards.
	guess func(r *http.Request, code string) (settle func(shopapi.Told), err error)
	// newBaskets is for pricings without a basket of ours. remembered is for those that the log remembers, pages and reads
	// for what is not kept ready; they are asked in the middle of a request, by budget.
	newBaskets, remembered, pages, reads func(http.Handler) http.Handler
	// Accounts is for customers' signing in, registration and reset, by address, and by address and e-mail; by the e-mail
	// alone strangers could keep its owner out. Reviews is for what customers write, by address.
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
		return limitBy(perSecond, least, text, byNetworks)
	}
	byAddress := limitWith(bucketsOf(c.AccountRate, 1), TextTooMany, byNetworks, noteLimit("accounts"))
	byEmail := limitWith(bucketsOf(c.EmailRate, 5), TextTooMany, func(r *http.Request) ([]limitKey, bool) {
		email, ok := emailOf(r)
		return []limitKey{{clientAddr(r).String() + email, 1}}, ok
	}, noteLimit("e-mail"))
	guesses := bucketsOf(c.PromocodeRate, 1)
	searches := address(c.SearchRate, 1, TextTooMany)
	return Limits{
		Pricings:   address(c.CheckoutRate, 1, TextTooMany),
		orders:     address(c.OrderRate, 10, TextTooMany),
		newBaskets: address(c.NewBasketRate, 1, TextTooMany),
		remembered: address(c.BasketRate, 60, TextTooMany),
		pages:      address(c.PageRate, 30, TextTooMany),
		reads:      address(c.ReadRate, 60, TextTooMany),
		Guesses:    limitWith(guesses, TextTooMany, byNetworks, noteLimit("promo codes")),
		guess:      guessesOf(guesses),
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
		portraits: limitBy(PortraitsAnHour/3600., PortraitsAnHour, TextTooMany, func(r *http.Request) ([]limitKey, bool) {
			return []limitKey{{commands.CustomerOf(r.Context()).String(), 1}}, true
		}),
		Staff: limitWith(bucketsOf(c.SigninRate, 1), StaffTooMany, byNetworks, noteLimit("staff")),
	}
}

// limitBy lets requests with the same keys through at perSecond, with bursts of ten seconds' worth, or more: at least so
// many. Others are answered 429, and told in Retry-After when to come again. A request without a key is let through; a
// perSecond of 0 lets everyone through.
func limitBy(perSecond float64, least int, tooMany string, keysOf func(*http.Request) (keys []limitKey, ok bool)) func(http.Handler) http.Handler {
	return limitWith(bucketsOf(perSecond, least), tooMany, keysOf, nil)
}

// bucketsOf are those of limitBy; nil: no limit.
func bucketsOf(perSecond float64, least int) *buckets {
	if perSecond == 0 {
		return nil
	}
	return newBuckets(perSecond, max(least, int(math.Ceil(perSecond*10))), maxLimited)
}

// limitWith is limitBy with buckets; refused hears of those who are not let through, nil: nobody does.
func limitWith(known *buckets, tooMany string, keysOf func(*http.Request) (keys []limitKey, ok bool), refused func(*http.Request)) func(http.Handler) http.Handler {
	if known == nil {
		return func(next http.Handler) http.Handler { return next }
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			keys, ok := keysOf(r)
			if !ok {
				next.ServeHTTP(w, r)
				return
			}
			if wait := known.take(time.Now(), keys); wait > 0 {
				if refused != nil {
					refused(r)
				}
				endpoint.RetryAfter(w, wait)
				tell(w, r, http.StatusTooManyRequests, tooMany)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Wider networks of IPv6 have wider limits: who has a /48 has 65 536 networks.
const widerBy56, widerBy48 = 8, 64

// networksOf are the networks that a request counts under.
func networksOf(r *http.Request) []limitKey {
	addr := clientAddr(r)
	keys := []limitKey{{addr.String(), 1}}
	if !addr.Is6() {
		return keys
	}
	for _, wide := range []struct {
		bits  int
		wider int64
	}{{56, widerBy56}, {48, widerBy48}} {
		if network, err := addr.Prefix(wide.bits); err == nil {
			keys = append(keys, limitKey{network.String(), wide.wider})
		}
	}
	return keys
}

// byNetworks counts a request under its networks.
func byNetworks(r *http.Request) ([]limitKey, bool) { return networksOf(r), true }

// maxAnswered is how many promo codes are remembered whose answer a network has had.
const maxAnswered = 10_000

// guessesOf counts the promo codes of prices and orders. A code that a network has had an answer about is no guess any more, so a
// basket may be priced again with it; and one that can be used is given back. So is one of which nothing was told: it stays a guess.
func guessesOf(known *buckets) func(r *http.Request, code string) (func(shopapi.Told), error) {
	if known == nil {
		return func(*http.Request, string) (func(shopapi.Told), error) { return func(shopapi.Told) {}, nil }
	}
	answered, _ := lru.New[uint64, struct{}](maxAnswered) // errs only below 1
	seed := maphash.MakeSeed()
	return func(r *http.Request, code string) (func(shopapi.Told), error) {
		networks := networksOf(r)
		key := maphash.Comparable(seed, [2]string{networks[0].text, code})
		if answered.Contains(key) {
			return func(shopapi.Told) {}, nil
		}
		if wait := known.take(time.Now(), networks); wait > 0 {
			noteLimit("promo codes")(r)
			return nil, &shopapi.Limited{For: wait, Detail: TextTooMany}
		}
		return func(told shopapi.Told) {
			if told != shopapi.ToldNothing {
				answered.Add(key, struct{}{})
			}
			if told != shopapi.ToldWrong {
				known.giveBack(networks)
			}
		}, nil
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
