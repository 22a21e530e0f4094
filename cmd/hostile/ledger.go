package main

import (
	"fmt"
	"sync"

	"github.com/google/uuid"
)

// ledger is what clients were promised.
type ledger struct {
	mu sync.Mutex
	// orders are the acknowledged ones, by idempotency key.
	orders map[string]receipt
	// open are the requests of which nobody knows whether an order came of them, by idempotency key.
	open map[string][]byte
	// events are acknowledged by id, positions by what was answered to have been written there.
	events    map[uuid.UUID]bool
	positions map[int64]string
	// contradictions are answers that cannot both be true.
	contradictions []string
}

// receipt is the answer to an order.
type receipt struct {
	ID     uuid.UUID `json:"id"`
	Number int64     `json:"number"`
	// Position comes in a header; 0 when the order had been there before.
	Position int64 `json:"-"`
}

func newLedger() *ledger {
	return &ledger{orders: map[string]receipt{}, open: map[string][]byte{}, events: map[uuid.UUID]bool{}, positions: map[int64]string{}}
}

// placed notes an acknowledged order. An answer to the same key must be about the same order.
func (l *ledger) placed(key string, r receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, key)
	if before, again := l.orders[key]; again && (before.ID != r.ID || before.Number != r.Number) {
		l.contradictions = append(l.contradictions, fmt.Sprintf("key %s was answered with order %d and with order %d", key, before.Number, r.Number))
		return
	}
	l.orders[key] = r
}

func (l *ledger) unsettled(key string, body []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.orders[key]; !known {
		l.open[key] = body
	}
}

func (l *ledger) settled(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, key)
}

func (l *ledger) appended(ids ...uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.events[id] = true
	}
}

func (l *ledger) wrote(position int64, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.positions[position] = what
}

// someOrder is an acknowledged one; false when there is none yet.
func (l *ledger) someOrder() (receipt, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.orders { // maps are walked in an order of chance
		return r, true
	}
	return receipt{}, false
}
