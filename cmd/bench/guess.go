package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// guessers are addresses that guess passwords, each once a second: as often as the shop lets an address ask.
	guessers = 100
	// owners are customers whose passwords are guessed, and who sign in meanwhile with a device that has signed in before; as many
	// others come with a new one.
	owners = 4
	// warmUp is how long the guessers guess before anything is measured.
	warmUp = 8 * time.Second
)

// benchGuess compares checkouts without and with addresses that guess passwords, and tells how long customers' sign-ins take then.
func benchGuess(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-guess-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	base, products, stop, err := sellPlenty(ctx, s, databaseURL, dir, "SHOP_TRUSTED_PROXIES=127.0.0.0/8")
	if err != nil {
		return nil, err
	}
	defer stop()
	g := &guessBench{base: base, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: guessers + buyers}}}
	defer g.client.CloseIdleConnections()
	for i := range 2 * owners {
		cookie, err := g.register(ctx, i)
		if err != nil {
			return nil, err
		}
		g.devices = append(g.devices, cookie)
	}
	choose := wishes(products)[0].choose
	checkouts := func() (float64, error) {
		rate, _, err := load(ctx, buyers, s.period, func(ctx context.Context, _, _ int) error { return placeOrder(ctx, g.client, base, choose()) })
		return rate, err
	}
	quiet := &guessBench{base: base, client: g.client, devices: g.devices} // its sign-ins are not told
	alone, attacked, ratio, err := alternate(s.rounds, func() (float64, error) { return quiet.attacked(ctx, 0, checkouts) },
		func() (float64, error) { return g.attacked(ctx, guessers, checkouts) })
	if err != nil {
		return nil, err
	}
	return []result{
		{work: fmt.Sprintf("checkouts while %d addresses guess passwords", guessers), limit: alone, product: attacked, unit: "/s", ratio: ratio,
			note: fmt.Sprintf("limit is without them; %d guesses were looked at, %d refused", g.guessed.Load(), g.refused.Load())},
		g.signIns("customers' sign-ins meanwhile, p99, known devices", &g.known),
		g.signIns("customers' sign-ins meanwhile, p99, new devices", &g.fresh),
	}, nil
}

type guessBench struct {
	base    string
	client  *http.Client
	devices []string

	guessed, refused atomic.Int64
	known, fresh     signIns
}

// signIns are how long good sign-ins took, and how many were refused.
type signIns struct {
	mu      sync.Mutex
	took    []time.Duration
	refused int
}

func (g *guessBench) signIns(work string, of *signIns) result {
	of.mu.Lock()
	defer of.mu.Unlock()
	return result{work: work, product: ms(quantile(of.took, .99)), unit: "ms",
		note: fmt.Sprintf("p50 %.0f ms, %d sign-ins, %d refused", ms(quantile(of.took, .5)), len(of.took), of.refused)}
}

// attacked measures while so many guessers guess and two customers a second sign in.
func (g *guessBench) attacked(ctx context.Context, guessers int, measure func() (float64, error)) (float64, error) {
	attack, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for i := range guessers {
		all.Go(func() { every(attack, time.Second, func(n int) { g.guess(attack, i, n) }) })
	}
	select {
	case <-time.After(warmUp):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	all.Go(func() {
		every(attack, time.Second, func(n int) {
			g.signIn(attack, &g.known, n%owners, fmt.Sprintf("10.1.0.%d", n%owners), g.devices[n%owners])
		})
	})
	all.Go(func() {
		every(attack, time.Second, func(n int) { g.signIn(attack, &g.fresh, owners+n%owners, fmt.Sprintf("10.2.0.%d", n%250), "") })
	})
	return measure()
}

// every does work now and after each pause, until ctx ends.
func every(ctx context.Context, pause time.Duration, work func(n int)) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for n := 0; ; n++ {
		work(n)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

const benchPassword = "пять котов на крыше"

func ownerEmail(i int) string { return fmt.Sprintf("owner%d@example.kz", i) }

// ask posts JSON as an address does.
func (g *guessBench) ask(ctx context.Context, address, cookie, path string, body map[string]any) (status int, cookies []*http.Cookie, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base+path, strings.NewReader(string(text)))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Forwarded-For", address)
	if cookie != "" {
		request.Header.Set("Cookie", cookie)
	}
	response, err := g.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	return response.StatusCode, response.Cookies(), err
}

// register opens an account and returns the cookie of its device.
func (g *guessBench) register(ctx context.Context, i int) (cookie string, err error) {
	status, cookies, err := g.ask(ctx, fmt.Sprintf("10.1.0.%d", i), "", "/api/auth/register/", map[string]any{
		"email": ownerEmail(i), "password": benchPassword, "password_check": benchPassword, "first_name": "Айгуль", "last_name": "Серикова",
		"phone": "+77012345678", "consent": true, "info": map[string]any{"phone": "+77012345678"},
	})
	if err != nil {
		return "", err
	}
	if status != http.StatusCreated || len(cookies) == 0 {
		return "", fmt.Errorf("the registration was answered %d", status)
	}
	device := cookies[0]
	return device.Name + "=" + device.Value, nil
}

// guess tries a password, at an account or at an e-mail that has none.
func (g *guessBench) guess(ctx context.Context, i, n int) {
	email := ownerEmail(i % owners)
	if n%2 == 0 {
		email = fmt.Sprintf("nobody%d-%d@example.kz", i, n)
	}
	status, _, err := g.ask(ctx, fmt.Sprintf("10.9.%d.%d", i/250, i%250), "", "/api/token/", map[string]any{"username": email, "password": fmt.Sprintf("guess number %d", n)})
	switch {
	case err != nil: // the round is over
	case status == http.StatusTooManyRequests:
		g.refused.Add(1)
	default:
		g.guessed.Add(1)
	}
}

func (g *guessBench) signIn(ctx context.Context, of *signIns, i int, address, cookie string) {
	begin := time.Now()
	status, _, err := g.ask(ctx, address, cookie, "/api/token/", map[string]any{"username": ownerEmail(i), "password": benchPassword})
	if err != nil {
		return // the round is over
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	if status == http.StatusOK {
		of.took = append(of.took, time.Since(begin))
	} else {
		of.refused++
	}
}
