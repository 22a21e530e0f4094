package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/wake"
)

// work runs one kind of client until the run is over, an act at a time. At quiet points it stands still.
func (r *hostile) work(ctx context.Context, act func(ctx context.Context, chance *rand.Rand)) {
	r.workers++
	chance := rand.New(rand.NewPCG(r.seed, r.workers))
	r.working.Go(func() {
		for ctx.Err() == nil {
			r.gate.RLock()
			if ctx.Err() == nil {
				act(ctx, chance)
			}
			r.gate.RUnlock()
		}
	})
}

// base is the address of one of the shops; empty when none is ready.
func (r *hostile) base(chance *rand.Rand) string {
	first := chance.IntN(len(r.shops))
	for i := range r.shops {
		if url := r.shops[(first+i)%len(r.shops)].address(); url != "" {
			return url
		}
	}
	return ""
}

// ask sends a request; status 0: no answer came.
func (r *hostile) ask(method, url string, body []byte, header map[string]string) (status int, answer []byte, position int64) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, 0
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := r.http.Do(request)
	if err != nil {
		return 0, nil, 0
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, 0
	}
	position, _ = strconv.ParseInt(response.Header.Get("X-Event-Position"), 10, 64)
	return response.StatusCode, answer, position
}

// lines are one to three different products.
func (r *hostile) lines(chance *rand.Rand) []map[string]any {
	var lines []map[string]any
	chosen := chance.Perm(len(r.products))[:1+chance.IntN(3)]
	if hot := chance.IntN(hotProducts); chance.IntN(2) == 0 && !slices.Contains(chosen, hot) {
		chosen[0] = hot // what everybody wants
	}
	for _, at := range chosen {
		lines = append(lines, map[string]any{"product": r.products[at], "amount": 1 + chance.IntN(2)})
	}
	return lines
}

// shopper prices a basket, looks around, or orders.
func (r *hostile) shopper(ctx context.Context, chance *rand.Rand) {
	base := r.base(chance)
	if base == "" {
		wake.Pause(ctx, 20*time.Millisecond)
		return
	}
	switch chance.IntN(4) {
	case 0:
		status, _, _ := r.ask(http.MethodGet, base+"/api/products/?limit=24&offset="+strconv.Itoa(chance.IntN(20)), nil, nil)
		r.outcome("read", status)
	case 1:
		body, _ := json.Marshal(map[string]any{"products": r.lines(chance), "city": "Алматы"})
		basket := fmt.Sprintf("basket=0198c0de-0000-7000-8000-%012d", chance.IntN(200))
		status, _, position := r.ask(http.MethodPost, base+"/api/orders/calculate-price/", body, map[string]string{"Cookie": basket})
		r.outcome("price a basket", status)
		if status == http.StatusOK && position > 0 {
			r.ledger.wrote(position, "a basket's price")
		}
	default:
		r.order(ctx, chance)
	}
}

// outcome counts answers by what they mean to the one who asked.
func (r *hostile) outcome(what string, status int) {
	switch {
	case status >= 200 && status < 300:
		r.report.count(what + ": acknowledged")
	case status >= 400 && status < 500:
		r.report.count(what + ": refused")
	case status == http.StatusServiceUnavailable:
		r.report.count(what + ": busy (503)")
	case status >= 500:
		r.report.count(fmt.Sprintf("%s: failed (%d)", what, status))
	default:
		r.report.count(what + ": no answer")
	}
}

// attempts of one order, with one key.
const attempts = 4

// order places an order as the storefront does: with a key, and again with the same key when no clear answer came.
func (r *hostile) order(ctx context.Context, chance *rand.Rand) {
	key := uuid.NewString()
	body, _ := json.Marshal(map[string]any{
		"customer_first_name": "Айгерим", "customer_last_name": "Сатпаева", "customer_email": "aigerim@example.com", "customer_phone": "+77011234567",
		"customer_city": "Алматы", "customer_street": "Абая", "customer_house": "10", "payment_method": "CASH", "delivery_type": "DELIVERY",
		"products": r.lines(chance),
	})
	unclear := false
	for attempt := range attempts {
		base := r.base(chance)
		if base == "" {
			wake.Pause(ctx, 50*time.Millisecond)
			continue
		}
		switch r.place(base, key, body) {
		case placedIt:
			if chance.IntN(5) == 0 { // a nervous customer
				if again := r.base(chance); again != "" {
					r.place(again, key, body)
					r.report.count("orders repeated on purpose")
				}
			}
			return
		case refusedIt:
			if unclear {
				r.ledger.unsettled(key, body)
			}
			return
		}
		unclear = true
		wake.Pause(ctx, time.Duration(20<<attempt)*time.Millisecond)
	}
	if unclear {
		r.ledger.unsettled(key, body)
		r.report.count("orders of unknown outcome")
	}
}

type fate int

const (
	unknown fate = iota
	placedIt
	refusedIt
)

func (r *hostile) place(base, key string, body []byte) fate {
	status, answer, position := r.ask(http.MethodPost, base+"/api/orders/", body, map[string]string{"Idempotency-Key": key})
	r.outcome("order", status)
	switch {
	case status == http.StatusCreated:
		got := receipt{Position: position}
		if err := json.Unmarshal(answer, &got); err != nil {
			return unknown
		}
		r.ledger.placed(key, got)
		return placedIt
	case status >= 400 && status < 500:
		return refusedIt
	}
	return unknown
}

// settle asks again for every order of which nobody knows. All is quiet now, so each gets a clear answer.
func (r *hostile) settle(ctx context.Context) error {
	r.ledger.mu.Lock()
	open := map[string][]byte{}
	for key, body := range r.ledger.open {
		open[key] = body
	}
	r.ledger.mu.Unlock()
	chance := rand.New(rand.NewPCG(r.seed, 0))
	for key, body := range open {
		for deadline := time.Now().Add(patience); ; wake.Pause(ctx, 20*time.Millisecond) {
			if fate := r.place(r.base(chance), key, body); fate != unknown {
				if fate == refusedIt {
					r.ledger.settled(key)
				}
				break
			}
			if time.Now().After(deadline) || ctx.Err() != nil {
				return fmt.Errorf("the order with key %s gets no clear answer", key)
			}
		}
	}
	return nil
}

// staff receives goods and cancels orders, through commands of a third process: this one.
func (r *hostile) staff(ctx context.Context, chance *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	var err error
	what := "receive goods"
	var position eventstore.Position
	if o, there := r.ledger.someOrder(); there && chance.IntN(3) == 0 {
		what = "cancel an order"
		position, err = r.orders.Cancel(ctx, o.ID, "staff", "")
	} else {
		position, err = r.stock.Receive(ctx, r.products[chance.IntN(len(r.products))], int64(1+chance.IntN(30)), "hostile")
	}
	if err != nil {
		r.report.count(what + ": refused or not done")
	} else {
		r.report.count(what + ": acknowledged")
		if position > 0 {
			r.ledger.wrote(int64(position), what)
		}
	}
	wake.Pause(ctx, time.Duration(chance.IntN(10))*time.Millisecond)
}

// appender appends to streams nobody owns, several at once, sometimes with a wrong expectation.
func (r *hostile) appender(_ context.Context, chance *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var a eventstore.Append
	var ids []uuid.UUID
	for range 1 + chance.IntN(3) {
		product := r.unowned[chance.IntN(len(r.unowned))]
		w := eventstore.Write{Stream: stock.Stream(product), Expected: eventstore.AnyVersion}
		if chance.IntN(4) == 0 {
			w.Expected = eventstore.Version(chance.IntN(50))
		}
		for range 1 + chance.IntN(3) {
			id := uuid.Must(uuid.NewV7())
			ids = append(ids, id)
			w.Events = append(w.Events, eventstore.NewEvent{ID: id, Data: stock.Received{ProductID: product, Quantity: 1, OnHand: chance.Int64N(1000), At: time.Now().UTC()}})
		}
		a.Writes = append(a.Writes, w)
	}
	if _, err := r.store.Append(ctx, a); err != nil {
		r.report.count("append: refused or not done")
	} else {
		r.report.count("append: acknowledged")
		r.ledger.appended(ids...)
	}
	wake.Pause(ctx, time.Duration(chance.IntN(8))*time.Millisecond)
}
