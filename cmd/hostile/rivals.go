package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"shop/commands"
	"shop/eventstore"
	"shop/eventstore/wake"
)

// rivals are two more processes of the shop, as far as commands are concerned, that sell and buy nothing but the first few products,
// together with the shops: the streams that everybody wants.
type rivals struct {
	stores []*eventstore.Store
	stocks []*commands.Stock

	mu sync.Mutex
	// done counts their commands; overtaken are those that were given up because others were always faster.
	done      int
	overtaken []string
}

// hotProducts is how many products everybody wants.
const hotProducts = 2

func (r *hostile) openRivals() {
	if r.rivals == nil {
		r.rivals = &rivals{}
	}
	r.rivals.stores, r.rivals.stocks = nil, nil
	for range 2 {
		store := eventstore.Open(r.pool, events(), eventstore.Options{Logger: silent})
		r.rivals.stores = append(r.rivals.stores, store)
		r.rivals.stocks = append(r.rivals.stocks, &commands.Stock{Handler: commands.New(store, commands.Options{})})
	}
}

func (v *rivals) close() {
	for _, s := range v.stores {
		s.Close()
	}
}

// rival receives a piece of a hot product.
func (r *hostile) rival(ctx context.Context, chance *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	product := r.products[chance.IntN(hotProducts)]
	position, err := r.rivals.stocks[chance.IntN(len(r.rivals.stocks))].Receive(ctx, product, 1, "rival")
	var conflict *eventstore.VersionConflict
	r.rivals.mu.Lock()
	r.rivals.done++
	if errors.As(err, &conflict) {
		r.rivals.overtaken = append(r.rivals.overtaken, fmt.Sprintf("a command for %s: %v", product, err))
	}
	r.rivals.mu.Unlock()
	if err != nil {
		r.report.count("rival of a hot product: refused or not done")
	} else {
		r.report.count("rival of a hot product: acknowledged")
		r.ledger.wrote(int64(position), "a rival's goods")
	}
	wake.Pause(ctx, time.Duration(chance.IntN(5))*time.Millisecond)
}

// judgeRivals says that no command was given up because others were always faster.
func (r *hostile) judgeRivals() {
	r.rivals.mu.Lock()
	defer r.rivals.mu.Unlock()
	r.report.found("no command is always overtaken", r.rivals.done, r.rivals.overtaken)
}
