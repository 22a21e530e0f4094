package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// buyers is how many clients place orders at once.
const buyers = 32

// benchCheckout compares orders of three lines over HTTP to raw INSERTs of one row into the same server.
func benchCheckout(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-checkout-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	base, products, stop, err := sellPlenty(ctx, s, databaseURL, dir)
	if err != nil {
		return nil, err
	}
	defer stop()
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = buyers
	db, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if _, err := db.Exec(ctx, rawTable); err != nil {
		return nil, err
	}
	processor, err := processorOf(ctx, db)
	if err != nil {
		return nil, err
	}
	raw := rawInserts(ctx, db, s)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: buyers}}
	defer client.CloseIdleConnections()
	var results []result
	for _, work := range wishes(products) {
		if !strings.Contains(work.name, s.work) {
			continue
		}
		var took []time.Duration
		var events int64
		var costs []cost
		limit, rate, ratio, err := alternate(s.rounds, raw, func() (float64, error) {
			var before, after int64
			const count = `SELECT count(*) FROM eventstore.events`
			if err := db.QueryRow(ctx, count).Scan(&before); err != nil {
				return 0, err
			}
			if err := caughtUp(ctx, db); err != nil {
				return 0, err
			}
			begin := processor.spent()
			rate, t, err := load(ctx, buyers, s.period, func(ctx context.Context, _, _ int) error {
				return placeOrder(ctx, client, base, work.choose())
			})
			if err != nil {
				return 0, err
			}
			if err := caughtUp(ctx, db); err != nil {
				return 0, err
			}
			costs = append(costs, processor.spent().each(begin, len(t)))
			if err := db.QueryRow(ctx, count).Scan(&after); err != nil {
				return 0, err
			}
			took, events = t, (after-before)/max(1, int64(len(t)))
			return rate, nil
		})
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			work: fmt.Sprintf("checkout of three lines, %s, %d clients", work.name, buyers), limit: limit, product: rate, unit: "/s", ratio: ratio,
			note: fmt.Sprintf("limit is raw INSERT; p50 %.1f ms, p99 %.1f ms, %d events each; processor time each: %s", ms(quantile(took, .5)), ms(quantile(took, .99)), events, medianCost(costs)),
		})
	}
	return results, nil
}

// rawInserts is the limit: buyers that insert one event each, one after the other.
func rawInserts(ctx context.Context, db *pgxpool.Pool, s settings) func() (float64, error) {
	return func() (float64, error) {
		run := uuid.NewString()
		rate, _, err := load(ctx, buyers, s.period, func(ctx context.Context, client, n int) error {
			id, err := uuid.NewV7()
			if err != nil {
				return err
			}
			_, err = db.Exec(ctx, rawInsert, fmt.Sprintf("stock-%s-%d", run, client), n+1, id, "stock.reserved", rawPayload, rawMetadata, time.Now())
			return err
		})
		return rate, err
	}
}

// wish is what buyers of a round choose.
type wish struct {
	name   string
	choose func() []string
}

func wishes(products []string) []wish {
	any3 := func() []string {
		a, b := rand.IntN(len(products)), 1+rand.IntN(len(products)/2-1)
		c := a + b + 1 + rand.IntN(len(products)/2-1)
		return []string{products[a], products[(a+b)%len(products)], products[c%len(products)]}
	}
	return []wish{
		{"spread over 1 000 products", any3},
		{"one product in all of them", func() []string {
			lines := any3()
			for i := range lines {
				if lines[i] == products[0] {
					lines[i] = lines[0]
				}
			}
			lines[0] = products[0]
			return lines
		}},
		{"the same three products", func() []string { return products[:3] }},
	}
}

// orderBody is a good order of three products.
const orderBody = `{"products":[{"product":"%s","amount":2},{"product":"%s","amount":2},{"product":"%s","amount":1}],` +
	`"customer_first_name":"Айгуль","customer_last_name":"Серикова","customer_email":"aigul@example.kz","customer_phone":"+77012345678",` +
	`"payment_method":"CASH","delivery_type":"DELIVERY","customer_city":"Алматы","customer_street":"Абая","customer_house":"10"}`

func placeOrder(ctx context.Context, client *http.Client, base string, products []string) error {
	body := fmt.Sprintf(orderBody, products[0], products[1], products[2])
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/orders/", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", uuid.NewString())
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusCreated {
		err = fmt.Errorf("the order of %s was answered %s: %s", strings.Join(products, ", "), response.Status, answer)
	}
	return err
}

// unbounded are rules under which one guest may have any number of open orders: all the bench's are the same guest's.
const unbounded = `{"guest_open_orders": 0, "guest_open_pieces": 0, "customer_open_orders": 0, "customer_open_pieces": 0, "network_open_orders": 0, "network_open_pieces": 0}`

// startShop serves a catalog of benchProducts, each with so many pieces in stock, from a process of its own. More is its
// environment besides.
func startShop(ctx context.Context, s settings, databaseURL, dir string, stock int, more ...string) (base string, stop func(), err error) {
	environment := environmentOf(databaseURL, dir, more)
	if err := fillShelves(ctx, s, environment, dir, stock); err != nil {
		return "", nil, err
	}
	return serve(ctx, s, environment)
}

// fillShelves loads the catalog, and rules under which one guest may have any number of open orders.
func fillShelves(ctx context.Context, s settings, environment []string, dir string, stock int) error {
	file := filepath.Join(dir, "catalog.csv")
	if err := os.WriteFile(file, catalogOf(benchProducts, stock), 0o644); err != nil {
		return err
	}
	if err := runShop(ctx, s, environment, "catalog", "import", file); err != nil {
		return err
	}
	open := filepath.Join(dir, "rules.json")
	if err := os.WriteFile(open, []byte(unbounded), 0o644); err != nil {
		return err
	}
	return runShop(ctx, s, environment, "rules", "set", open)
}

// environmentOf is that of a shop that limits nobody.
func environmentOf(databaseURL, dir string, more []string) []string {
	environment := append(os.Environ(), "SHOP_DATABASE_URL="+databaseURL, "SHOP_DATA_DIR="+dir, "SHOP_CHECKOUT_RATE=0", "SHOP_ORDER_RATE=0",
		"SHOP_NEW_BASKET_RATE=0", "SHOP_BASKET_RATE=0", "SHOP_BASKET_EVENTS_AN_HOUR=0")
	return append(environment, more...)
}

// serve serves a shop from a process of its own.
func serve(ctx context.Context, s settings, environment []string) (base string, stop func(), err error) {
	address, err := freeAddress()
	if err != nil {
		return "", nil, err
	}
	stop, err = start(ctx, s, append(slices.Clip(environment), "SHOP_ADDR="+address), "http://"+address+"/readyz", s.shop, "serve")
	return "http://" + address, stop, err
}

// sellPlenty is startShop with more of each product than anybody buys, and says what it sells.
func sellPlenty(ctx context.Context, s settings, databaseURL, dir string, more ...string) (base string, products []string, stop func(), err error) {
	if base, stop, err = startShop(ctx, s, databaseURL, dir, 1_000_000, more...); err != nil {
		return "", nil, nil, err
	}
	if products, err = productIDs(ctx, base); err != nil {
		stop()
		return "", nil, nil, err
	}
	return base, products, stop, nil
}

// benchProcesses compares three processes that sell the same three products to one of them. An answer other than 201 fails it.
func benchProcesses(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-processes-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	first, products, stop, err := sellPlenty(ctx, s, databaseURL, dir)
	if err != nil {
		return nil, err
	}
	defer stop()
	bases := []string{first}
	for range 2 {
		base, stop, err := serve(ctx, s, environmentOf(databaseURL, dir, nil))
		if err != nil {
			return nil, err
		}
		defer stop()
		bases = append(bases, base)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: buyers}}
	defer client.CloseIdleConnections()
	var took []time.Duration
	at := func(bases []string) func() (float64, error) {
		return func() (rate float64, err error) {
			rate, took, err = load(ctx, buyers, s.period, func(ctx context.Context, buyer, _ int) error {
				return placeOrder(ctx, client, bases[buyer%len(bases)], products[:3])
			})
			return rate, err
		}
	}
	one, three, ratio, err := alternate(s.rounds, at(bases[:1]), at(bases))
	if err != nil {
		return nil, err
	}
	return []result{{
		work: fmt.Sprintf("three web processes, the same three products, %d clients", buyers), limit: one, product: three, unit: "/s", ratio: ratio,
		note: fmt.Sprintf("limit: one of the processes gets all; every order was placed; p50 %.1f ms, p99 %.1f ms (target ≥ 0.8)", ms(quantile(took, .5)), ms(quantile(took, .99))),
	}}, nil
}

// productIDs are the shop's products.
func productIDs(ctx context.Context, base string) ([]string, error) {
	var ids []string
	for next := base + "/api/products/?limit=100"; next != ""; {
		var page struct {
			Next    string `json:"next"`
			Results []struct {
				ID string `json:"id"`
			} `json:"results"`
		}
		if err := readJSON(ctx, next, &page); err != nil {
			return nil, err
		}
		for _, p := range page.Results {
			ids = append(ids, p.ID)
		}
		if next = page.Next; strings.HasPrefix(next, "/") {
			next = base + next
		}
	}
	if len(ids) < benchProducts {
		return nil, fmt.Errorf("the shop lists %d products, want %d", len(ids), benchProducts)
	}
	return ids, nil
}
