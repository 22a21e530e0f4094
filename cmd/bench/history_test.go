package main

import (
	"testing"
	"time"

	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/order"
)

func TestAPastHasCashAndBonusesThatAddUp(t *testing.T) {
	t.Parallel()
	h := newHistory(time.Date(2025, 1, 1, 6, 0, 0, 0, time.UTC), 30*time.Second)

	for h.n < 60_000 {
		h.step()
	}

	states, placed, balances := map[string]order.State{}, map[domain.ID]order.Placed{}, map[domain.ID]domain.Money{}
	count := map[string]int{}
	books := func(customer domain.ID, change, balance domain.Money) {
		t.Helper()
		if balances[customer] += change; balances[customer] != balance || balance < 0 {
			t.Fatalf("%s has %d, the ledger says %d", customer, balances[customer], balance)
		}
	}
	for _, told := range h.queue {
		switch e := told.event.(type) {
		case order.Event:
			if p, ok := e.(order.Placed); ok {
				placed[p.ID] = p
				count[string(p.PaymentMethod)]++
				if p.BasketSince.IsZero() || p.BasketSince.After(p.At) {
					t.Fatalf("order %d began at %s", p.Number, p.BasketSince)
				}
			}
			states[told.stream] = order.Decider.Evolve(states[told.stream], e)
		case bonus.Spent:
			count["spent"]++
			books(e.CustomerID, -e.Amount, e.Balance)
		case bonus.Returned:
			count["returned"]++
			books(e.CustomerID, e.Amount, e.Balance)
		case bonus.Earned:
			count["earned"]++
			books(e.CustomerID, e.Amount, e.Balance)
			if state := states[order.Stream(e.OrderID)]; e.Base != state.BonusBase() {
				t.Fatalf("order %d earns of %d, not of %d", placed[e.OrderID].Number, e.Base, state.BonusBase())
			}
		}
	}
	for _, state := range states {
		unpaid := state.Status == order.StatusCompleted && state.Captured() != state.Due()
		if unpaid || state.Placed.PaymentMethod == domain.Cash && state.Status == order.StatusPaymentErr {
			t.Fatalf("order %d is %s with %d of %d", state.Placed.Number, state.Status, state.Captured(), state.Due())
		}
	}
	for _, what := range []string{"CARD", "KASPI_BILL", "CASH", "spent", "returned", "earned"} {
		if count[what] < 20 {
			t.Errorf("%d × %s of %d orders", count[what], what, len(placed))
		}
	}
}
