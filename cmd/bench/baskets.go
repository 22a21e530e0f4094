package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands"
	"shop/domain"
	"shop/domain/bonus"
	"shop/eventstore"
	"shop/eventstore/registry"
)

const (
	// benchCode takes a tenth off every order.
	benchCode = "BENCH10"
	// benchBonuses is what each customer has: more than anybody spends in a run.
	benchBonuses = 1_000_000_000
	// loyal are the customers who order with code and bonuses: as many as there are shoppers at once, since nobody orders from eight browsers.
	loyal = 256
)

// unlimited takes off the limits that a single machine of many shoppers would meet.
var unlimited = []string{"SHOP_ACCOUNT_RATE=0", "SHOP_EMAIL_RATE=0", "SHOP_PROMOCODE_RATE=0", "SHOP_READ_RATE=0", "SHOP_PAGE_RATE=0", "SHOP_SEARCH_RATE=0"}

// benchBaskets measures a checkout with the pricing of its basket before it by ever more shoppers at once: all of them guests, and
// then with a promo code and bonuses in half of the orders.
func benchBaskets(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-baskets-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	base, products, stop, err := sellPlenty(ctx, s, databaseURL, dir, unlimited...)
	if err != nil {
		return nil, err
	}
	defer stop()
	db, err := migrated(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := runShop(ctx, s, environmentOf(databaseURL, dir, nil), "promocodes", "issue", benchCode, "--percent", "10"); err != nil {
		return nil, err
	}
	b := &basketBench{base: base, choose: wishes(products)[0].choose, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	defer b.client.CloseIdleConnections()
	if err := b.register(ctx, db); err != nil {
		return nil, err
	}
	measure, err := processorOf(ctx, db)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, clients := range []int{32, 64, 128, 256} {
		var took []time.Duration
		var costs [2][]cost
		round := func(half int) func() (float64, error) {
			return func() (rate float64, err error) {
				if err := caughtUp(ctx, db); err != nil {
					return 0, err
				}
				begin := measure.spent()
				rate, took, err = load(ctx, clients, s.period, func(ctx context.Context, client, n int) error {
					return b.buy(ctx, half == 1 && (client+n)%2 == 0, client)
				})
				if err == nil {
					err = caughtUp(ctx, db)
				}
				costs[half] = append(costs[half], measure.spent().each(begin, len(took)))
				return rate, err
			}
		}
		plain, rich, ratio, err := alternate(s.rounds, round(0), round(1))
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			work: fmt.Sprintf("pricing and checkout, code and bonuses in half, %d clients", clients), limit: plain, product: rich, unit: "/s", ratio: ratio,
			note: fmt.Sprintf("limit: without code and bonuses (target ≥ 0.85); p50 %.1f ms, p99 %.1f ms; processor time each: %s; with code and bonuses %s",
				ms(quantile(took, .5)), ms(quantile(took, .99)), medianCost(costs[0]), medianCost(costs[1])),
		})
	}
	return results, nil
}

type basketBench struct {
	base   string
	choose func() []string
	client *http.Client
	// tokens are the sessions of the loyal customers.
	tokens []string
}

// register opens the accounts of the loyal customers and gives them bonuses.
func (b *basketBench) register(ctx context.Context, db *pgxpool.Pool) error {
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	handler := commands.New(store, commands.Options{})
	for i := range loyal {
		var access struct {
			Access string    `json:"access"`
			ID     domain.ID `json:"id"`
		}
		body := fmt.Sprintf(`{"email":"loyal%d@example.kz","password":"%[2]s","password_check":"%[2]s","first_name":"Айгуль","last_name":"Серикова",`+
			`"phone":"+77012345678","consent":true,"info":{"phone":"+77012345678"}}`, i, benchPassword)
		if _, err := b.post(ctx, "/api/auth/register/", body, nil, &access); err != nil {
			return err
		}
		earn := bonus.Earn{CustomerID: access.ID, OrderID: uuid.New(), Base: benchBonuses, Percent: 100, RulesVersion: 1, At: time.Now()}
		if _, err := commands.Change(ctx, handler, commands.BonusStream(access.ID), func(*commands.Unit) bonus.Command { return earn }); err != nil {
			return err
		}
		b.tokens = append(b.tokens, access.Access)
	}
	return nil
}

// buy prices a basket that nobody knows yet and orders it.
func (b *basketBench) buy(ctx context.Context, richly bool, client int) error {
	products, more := b.choose(), ""
	header := http.Header{"Idempotency-Key": {uuid.NewString()}}
	if richly {
		more = fmt.Sprintf(`,"promocode":%q,"spend_bonus":100`, benchCode)
		header.Set("Authorization", "Bearer "+b.tokens[client%len(b.tokens)])
	}
	basket := fmt.Sprintf(`{"products":[{"product":%q,"amount":2},{"product":%q,"amount":2},{"product":%q,"amount":1}],"city":"Алматы","payment_method":"CASH","delivery_type":"DELIVERY"%s}`,
		products[0], products[1], products[2], more)
	cookies, err := b.post(ctx, "/api/orders/calculate-price/", basket, header, nil)
	if err != nil {
		return err
	}
	for _, cookie := range cookies {
		header.Add("Cookie", cookie.Name+"="+cookie.Value)
	}
	order := fmt.Sprintf(orderBody, products[0], products[1], products[2])
	_, err = b.post(ctx, "/api/orders/", strings.TrimSuffix(order, "}")+more+"}", header, nil)
	return err
}

// post sends JSON, reads the answer into what it is given, and answers its cookies; every status but 200 and 201 is an error.
func (b *basketBench) post(ctx context.Context, path, body string, header http.Header, into any) ([]*http.Cookie, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := b.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated:
		return nil, fmt.Errorf("%s was answered %s: %s", path, response.Status, answer)
	case into != nil:
		err = json.Unmarshal(answer, into)
	}
	return response.Cookies(), err
}
