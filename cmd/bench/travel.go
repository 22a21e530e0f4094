package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/identity/credential"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/projections"
	"shop/projections/replay"
)

const (
	journeys = 300
	// Orders from all over the log, in an order of their own, the same in every run.
	drawn = `SELECT stream FROM eventstore.events WHERE type = $1 AND position IN (
		SELECT 1 + (hashint8(n) & 2147483647) % (SELECT max(position) FROM eventstore.events) FROM generate_series(1, 40 * $2::bigint) n)
		ORDER BY hashtext(stream) LIMIT $2`
)

// benchTravel follows orders event by event, with what else came of them, and explains their prices: as a function, and as
// /analytics asks for it.
func benchTravel(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	rows, _ := db.Query(ctx, drawn, order.Placed{}.EventType(), journeys)
	streams, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	var took []time.Duration
	var numbers []int64
	events, coded := 0, 0
	for _, stream := range streams {
		began := time.Now()
		steps, err := replay.Trail(ctx, store, stream, false)
		if err != nil {
			return nil, err
		}
		placed, ok := steps[0].Event.Data.(order.Placed)
		if !ok {
			return nil, fmt.Errorf("%s begins with %s", stream, steps[0].Event.Type)
		}
		if _, err := replay.Reprice(ctx, store, &placed, steps[0].Event.Position); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		numbers = append(numbers, placed.Number)
		events += len(steps)
		if placed.Calculation.PromocodeApplied != "" {
			coded++
		}
	}
	if len(numbers) == 0 {
		return nil, errors.New("the past has no orders")
	}
	asked, bytes, err := travelOverHTTP(ctx, db, s, numbers)
	if err != nil {
		return nil, fmt.Errorf("over HTTP: %w", err)
	}
	told := func(took []time.Duration) string {
		return fmt.Sprintf("p50 %.1f ms, most %.1f ms", ms(quantile(took, .5)), ms(quantile(took, 1)))
	}
	return []result{
		{
			work: "one order event by event, with its price explained (target p99 ≤ 20 ms)", product: ms(quantile(took, .99)), unit: "ms p99",
			note: fmt.Sprintf("%d orders, %d events, %d promo codes; %s", len(took), events, coded, told(took)),
		},
		{
			work: "the same over HTTP", product: ms(quantile(asked, .99)), unit: "ms p99",
			note: fmt.Sprintf("one connection, %.1f KB each on the wire; %s", float64(bytes)/1024/float64(len(asked)), told(asked)),
		},
	}, nil
}

// travelOverHTTP asks a process of the program for orders, one after the other, as an analyst's browser does; bytes are those
// of all answers.
func travelOverHTTP(ctx context.Context, db *pgxpool.Pool, s settings, numbers []int64) (took []time.Duration, bytes int64, err error) {
	dir, err := os.MkdirTemp("", "shop-bench-travel-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	address, err := freeAddress()
	if err != nil {
		return nil, 0, err
	}
	environment := append(os.Environ(), "SHOP_DATABASE_URL="+db.Config().ConnString(), "SHOP_DATA_DIR="+dir, "SHOP_ADDR="+address)
	if err := showing(ctx, db, s, environment); err != nil {
		return nil, 0, err
	}
	// Nothing is folded or sent meanwhile.
	stop, err := start(ctx, s, environment, "http://"+address+"/readyz", s.shop, "serve", "--roles", "web")
	if err != nil {
		return nil, 0, err
	}
	defer stop()
	cookie, signOut, err := signedIn(ctx, db)
	if err != nil {
		return nil, 0, err
	}
	defer signOut()

	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	ask := func(number int64, accept string) ([]byte, error) {
		url := fmt.Sprintf("http://%s/api/analytics/orders/%d/", address, number)
		request, err := question{accept: accept, cookie: cookie}.request(ctx, url)
		if err != nil {
			return nil, err
		}
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s answered %s: %s", url, response.Status, body)
		}
		return body, err
	}
	for _, number := range numbers {
		began := time.Now()
		body, err := ask(number, "")
		if err != nil {
			return nil, 0, err
		}
		took = append(took, time.Since(began))
		bytes += int64(len(body))
	}
	// That the answers say what they should is seen apart.
	body, err := ask(numbers[0], "identity")
	if err != nil {
		return nil, 0, err
	}
	var told struct {
		Number int64 `json:"number"`
		Steps  []any `json:"steps"`
		Price  struct {
			Holds bool `json:"holds"`
		} `json:"price"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return nil, 0, err
	}
	if told.Number != numbers[0] || len(told.Steps) == 0 || !told.Price.Holds {
		return nil, 0, fmt.Errorf("order %d is told as %.300s", numbers[0], body)
	}
	return took, bytes, nil
}

// showing sees to it that the read models show the log, without which no process of the program opens. Those that do are left
// as they are.
func showing(ctx context.Context, db *pgxpool.Pool, s settings, environment []string) error {
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	consumers, err := feed.ControlOf(store).Consumers(ctx)
	if err != nil {
		return err
	}
	for _, p := range projections.All() {
		current := func(c feed.ConsumerStatus) bool { return c.Name == p.Name && c.Lag == 0 }
		if slices.ContainsFunc(consumers, current) {
			continue
		}
		if err := runShop(ctx, s, environment, "projections", "rebuild", p.Name); err != nil {
			return err
		}
	}
	return nil
}

// signedIn is the cookie of an analyst, who is gone again after signOut. Nothing of them gets into the log.
func signedIn(ctx context.Context, db *pgxpool.Pool) (cookie string, signOut func(), err error) {
	id, now := uuid.New(), time.Now()
	token, hash := credential.NewToken()
	signOut = func() {
		_, _ = db.Exec(context.WithoutCancel(ctx), "DELETE FROM staff_accounts WHERE id = $1", id)
	}
	_, err = db.Exec(ctx, `WITH account AS (INSERT INTO staff_accounts (id, email, role, created_at) VALUES ($1, $2, $3, $4) RETURNING id)
		INSERT INTO staff_sessions (token, account, created_at, seen_at) SELECT $5, id, $4, $4 FROM account`, id, id.String()+"@bench.example", staff.Analyst, now, hash)
	if err != nil {
		return "", nil, fmt.Errorf("sign in: %w", err)
	}
	return "staff=" + token, signOut, nil
}
