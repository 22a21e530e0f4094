package main

import (
	"testing"
	"time"

	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/customer"
	"shop/domain/order"
)

// TestAPastHasAccounts that people open and come back with, and that orders of before join.
func TestAPastHasAccounts(t *testing.T) {
	t.Parallel()
	h := newHistory(time.Date(2025, 1, 1, 6, 0, 0, 0, time.UTC), 30*time.Second)

	for h.n < 60_000 {
		h.step()
	}

	orders, accounts, ordered, count := map[string]order.State{}, map[domain.ID]customer.State{}, map[domain.ID]int{}, map[string]int{}
	for _, told := range h.queue {
		state := orders[told.stream]
		switch e := told.event.(type) {
		case customer.Registered:
			accounts[e.ID] = customer.Decider.Evolve(accounts[e.ID], e)
		case customer.EmailVerified:
			accounts[e.ID] = customer.Decider.Evolve(accounts[e.ID], e)
		case order.Placed:
			if account := accounts[e.CustomerID]; e.CustomerID != (domain.ID{}) && (account.Email != e.Contact.Email || e.PersonID != e.CustomerID) {
				t.Fatalf("order %d is of %s, the account of %q", e.Number, e.Contact.Email, account.Email)
			}
			ordered[e.CustomerID]++
		case order.Joined:
			if decided, err := order.Decider.Decide(order.Join(e), state); err != nil || len(decided) != 1 {
				t.Fatalf("order %d joins: %v, %v", state.Placed.Number, decided, err)
			}
			if account := accounts[e.CustomerID]; !account.Verified || account.Email != state.Placed.Contact.Email {
				t.Fatalf("order %d of %s joins %+v", state.Placed.Number, state.Placed.Contact.Email, account)
			}
		}
		count[told.event.EventType()]++
		if e, ok := told.event.(order.Event); ok {
			orders[told.stream] = order.Decider.Evolve(state, e)
		}
	}
	guests := ordered[domain.ID{}]
	delete(ordered, domain.ID{})
	again := 0
	for _, n := range ordered {
		if n > 1 {
			again++
		}
	}
	if guests*5 < len(orders) || again*5 < len(ordered) || len(ordered)*10 > 9*len(accounts) {
		t.Errorf("%d orders, %d of guests; %d accounts, %d ordered, %d again", len(orders), guests, len(accounts), len(ordered), again)
	}
	for what, least := range map[string]int{"customer.registered": 500, "customer.email-verified": 400, "order.joined": 50} {
		if count[what] < least {
			t.Errorf("%d × %s of %d orders", count[what], what, len(orders))
		}
	}
}

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
