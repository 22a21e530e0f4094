package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	junkClients   = 10
	junkAddresses = 1000
	junkTarget    = 50 * time.Millisecond
	honestClients = 4
)

// benchJunk has ten clients ask for a thousand addresses that nobody else asks for, while others visit pages that are kept
// ready. Each junk client has a network of its own, as X-Forwarded-For says. The limit is the same visits without them.
func benchJunk(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-junk-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	base, stop, err := startShop(ctx, s, databaseURL, dir, 50, "SHOP_TRUSTED_PROXIES=127.0.0.0/8")
	if err != nil {
		return nil, err
	}
	defer stop()
	pages := []string{base + "/", base + "/brands", base + "/categories", base + "/about"}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: honestClients + junkClients}}
	defer client.CloseIdleConnections()
	for range 3 { // rendered, and kept
		for _, page := range pages {
			if _, _, err := visit(ctx, client, page, "192.0.2.1"); err != nil {
				return nil, err
			}
		}
		time.Sleep(2 * time.Second)
	}
	var bare atomic.Int64
	honest := func() (float64, []time.Duration, error) {
		return load(ctx, honestClients, s.period, func(ctx context.Context, _, n int) error {
			time.Sleep(5 * time.Millisecond) // a shopper reads: the question is how long a page takes, not how many there may be
			status, size, err := visit(ctx, client, pages[n%len(pages)], "192.0.2.1")
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("%s answered %d", pages[n%len(pages)], status)
			}
			if size < 10_000 {
				bare.Add(1)
			}
			return err
		})
	}
	var calm, disturbed []time.Duration
	var refused, asked atomic.Int64
	limit, rate, ratio, err := alternate(s.rounds,
		func() (float64, error) {
			r, took, err := honest()
			calm = took
			return r, err
		},
		func() (float64, error) {
			junk, end := context.WithCancel(ctx)
			var all sync.WaitGroup
			for i := range junkClients {
				all.Go(func() { junkOf(junk, client, base, i, &asked, &refused) })
			}
			r, took, err := honest()
			end()
			all.Wait()
			disturbed = took
			return r, err
		})
	if err != nil {
		return nil, err
	}
	p99 := quantile(disturbed, .99)
	note := fmt.Sprintf("p99 %.1f ms, alone %.1f ms (target ≤ %d ms); %d of the visits came bare; %d junk addresses, %d refused",
		ms(p99), ms(quantile(calm, .99)), junkTarget.Milliseconds(), bare.Load(), asked.Load(), refused.Load())
	return []result{{work: fmt.Sprintf("kept pages beside %d clients with junk addresses", junkClients), limit: limit, product: rate, unit: "/s", ratio: ratio, note: note}}, nil
}

// junkOf asks for one client's share of the junk addresses, again and again.
func junkOf(ctx context.Context, client *http.Client, base string, i int, asked, refused *atomic.Int64) {
	for n := i; ctx.Err() == nil; n += junkClients {
		k := n % junkAddresses
		path := []string{
			fmt.Sprintf("/category/razdel-1?page=%d", 2+k), fmt.Sprintf("/category/razdel-1?brand=x%d", k), fmt.Sprintf("/product/junk-%d", k),
			fmt.Sprintf("/category/razdel-1?brand=marka-%d,marka-%d,marka-%d", k%20, k/20%20, k/7%20), fmt.Sprintf("/api/products/?limit=%d&offset=%d", 1+k%100, k),
		}[k%5]
		status, _, err := visit(ctx, client, base+path, fmt.Sprintf("198.51.100.%d", i+1))
		if err != nil {
			return
		}
		asked.Add(1)
		if status == http.StatusTooManyRequests {
			refused.Add(1)
		}
	}
}

// visit asks for an address from a network, follows no redirect, and says how large the answer is.
func visit(ctx context.Context, client *http.Client, url, from string) (status int, size int64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, 0, err
	}
	request.Header.Set("X-Forwarded-For", from)
	request.Header.Set("Cookie", "visited=1")
	response, err := client.Transport.RoundTrip(request)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	size, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, size, err
}
