package bonus_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/spec"
)

var (
	noon   = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	anna   = uuid.UUID{15: 100}
	first  = uuid.UUID{15: 1}
	second = uuid.UUID{15: 2}
)

// given is a ledger with these entries.
func given(t testing.TB, events ...bonus.Event) spec.Subject[bonus.Command, bonus.Event, bonus.State] {
	return spec.For(t, bonus.Decider).Given(events...)
}

func earn(order domain.ID, base domain.Money) bonus.Earn {
	return bonus.Earn{CustomerID: anna, OrderID: order, Base: base, Percent: 3, RulesVersion: 7, At: noon}
}

func earned(order domain.ID, base, amount, balance domain.Money) bonus.Earned {
	return bonus.Earned{CustomerID: anna, OrderID: order, Base: base, Percent: 3, RulesVersion: 7, Amount: amount, Balance: balance, At: noon}
}

func spend(order domain.ID, amount domain.Money) bonus.Spend {
	return bonus.Spend{CustomerID: anna, OrderID: order, Amount: amount, At: noon}
}

func spent(order domain.ID, amount, balance domain.Money) bonus.Spent {
	return bonus.Spent{CustomerID: anna, OrderID: order, Amount: amount, Balance: balance, At: noon}
}

func returned(order domain.ID, amount, balance domain.Money) bonus.Returned {
	return bonus.Returned{CustomerID: anna, OrderID: order, Amount: amount, Balance: balance, At: noon}
}

func revoked(order domain.ID, amount, balance domain.Money) bonus.Revoked {
	return bonus.Revoked{CustomerID: anna, OrderID: order, Amount: amount, Balance: balance, At: noon}
}

func TestEarn(t *testing.T) {
	t.Parallel()
	given(t).When(earn(first, 10_000)).Then(earned(first, 10_000, 300, 300))
	given(t).When(earn(first, 10_017)).Then(earned(first, 10_017, 301, 301)) // 300.51
	given(t).When(earn(first, 16)).Nothing()                                 // 0.48
	given(t).When(earn(first, 17)).Then(earned(first, 17, 1, 1))             // 0.51
	given(t).When(bonus.Earn{CustomerID: anna, OrderID: first, Base: 10_000}).Nothing()
	given(t).When(bonus.Earn{CustomerID: anna, OrderID: first, Base: 10, Percent: 100, At: noon}).
		Then(bonus.Earned{CustomerID: anna, OrderID: first, Base: 10, Percent: 100, Amount: 10, Balance: 10, At: noon})
	given(t).When(earn(first, 0)).Nothing()
	given(t).When(earn(first, -1)).Refused(bonus.ErrBadBase)
	given(t).When(bonus.Earn{OrderID: first, Base: 1, Percent: 101}).Refused(bonus.ErrBadBase)
	given(t).When(bonus.Earn{OrderID: first, Base: 1, Percent: -1}).Refused(bonus.ErrBadBase)

	// Once per order, whatever the base says the second time and whatever was taken back.
	once := given(t, earned(first, 10_000, 300, 300))
	once.When(earn(first, 10_000)).Nothing()
	once.When(earn(first, 20_000)).Nothing()
	once.Given(revoked(first, 300, 0)).When(earn(first, 10_000)).Nothing()
	once.When(earn(second, 10_000)).Then(earned(second, 10_000, 300, 600))
}

func TestSpend(t *testing.T) {
	t.Parallel()
	rich := given(t, earned(first, 10_000, 300, 300))
	rich.When(spend(second, 300)).Then(spent(second, 300, 0))
	rich.When(spend(second, 301)).Refused(bonus.ErrNotEnough)
	rich.When(spend(second, 0)).Refused(bonus.ErrBadAmount)
	rich.When(spend(second, -5)).Refused(bonus.ErrBadAmount)
	given(t).When(spend(second, 1)).Refused(bonus.ErrNotEnough)

	held := rich.Given(spent(second, 100, 200))
	held.When(spend(second, 100)).Nothing()
	held.When(spend(second, 50)).Refused(bonus.ErrOtherAmount)
	held.When(spend(first, 200)).Then(spent(first, 200, 0))

	_, err := bonus.Decider.Decide(spend(second, 1_001), bonus.Decider.Fold(bonus.State{}, earned(first, 0, 1_000, 1_000)))
	if err == nil || !strings.HasSuffix(err.Error(), "Бонусов не хватает: на счету 1\u00a0000\u00a0₸") {
		t.Error(err)
	}
}

func TestReturn(t *testing.T) {
	t.Parallel()
	giveBack := func(keep domain.Money) bonus.Return { return bonus.Return{OrderID: second, Keep: keep, At: noon} }
	held := given(t, earned(first, 10_000, 300, 300), spent(second, 100, 200))
	held.When(giveBack(0)).Then(returned(second, 100, 300))
	held.When(giveBack(-1)).Then(returned(second, 100, 300))
	held.When(giveBack(40)).Then(returned(second, 60, 260))
	held.When(giveBack(99)).Then(returned(second, 1, 201))
	held.When(giveBack(100)).Nothing()
	held.When(giveBack(101)).Nothing()
	held.When(bonus.Return{OrderID: first}).Nothing() // earned, nothing spent

	partly := held.Given(returned(second, 60, 260))
	partly.When(giveBack(40)).Nothing()
	partly.When(giveBack(0)).Then(returned(second, 40, 300))

	// An order whose payment is tried again spends again, while there is enough.
	gone := held.Given(returned(second, 100, 300))
	gone.When(giveBack(0)).Nothing()
	gone.When(spend(second, 100)).Then(spent(second, 100, 200))
	third := uuid.UUID{15: 3}
	gone.Given(spent(third, 250, 50)).When(spend(second, 100)).Refused(bonus.ErrNotEnough)
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	revoke := func(base domain.Money) bonus.Revoke { return bonus.Revoke{OrderID: first, Base: base, At: noon} }
	rich := given(t, earned(first, 10_000, 300, 300))
	rich.When(revoke(0)).Then(revoked(first, 300, 0))
	rich.When(revoke(-1)).Then(revoked(first, 300, 0))
	rich.When(revoke(9_967)).Then(revoked(first, 1, 299)) // 299.01
	rich.When(revoke(10_000)).Nothing()
	rich.When(revoke(20_000)).Nothing()
	rich.When(revoke(6_000)).Then(revoked(first, 120, 180))
	rich.When(bonus.Revoke{OrderID: second}).Nothing()
	given(t).When(revoke(0)).Nothing()

	partly := rich.Given(revoked(first, 120, 180))
	partly.When(revoke(6_000)).Nothing()
	partly.When(revoke(10_000)).Nothing() // an older word, come late
	partly.When(revoke(0)).Then(revoked(first, 180, 0))
}

func TestWhatWasSpentAndIsTakenBackIsOwed(t *testing.T) {
	t.Parallel()
	debtor := given(t, earned(first, 10_000, 300, 300), spent(second, 200, 100))
	debtor.When(bonus.Revoke{OrderID: first, At: noon}).Then(revoked(first, 300, -200))
	owing := debtor.Given(revoked(first, 300, -200))
	if s := owing.State(); s.Balance != -200 || s.Spendable() != 0 {
		t.Errorf("%+v", s)
	}
	third := uuid.UUID{15: 3}
	owing.When(spend(third, 1)).Refused(bonus.ErrNotEnough)
	owing.When(earn(third, 10_000)).Then(earned(third, 10_000, 300, 100))
	owing.When(bonus.Return{OrderID: second, At: noon}).Then(returned(second, 200, 0))
}

// TestTheBalanceIsTheSumOfTheLedger throws commands at a ledger, repeated and shuffled, and adds up apart from it.
func TestTheBalanceIsTheSumOfTheLedger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := bonus.Decider.Initial
		var balance domain.Money
		held, got, most := map[domain.ID]domain.Money{}, map[domain.ID]domain.Money{}, map[domain.ID]domain.Money{}
		var asked []bonus.Command
		for range rapid.IntRange(1, 50).Draw(t, "commands") {
			order := uuid.UUID{15: byte(rapid.IntRange(1, 4).Draw(t, "order"))}
			sum := rapid.Int64Range(0, 9_999).Draw(t, "sum")
			var command bonus.Command
			switch rapid.SampledFrom([]string{"earn", "earn", "spend", "spend", "return", "revoke", "again"}).Draw(t, "command") {
			case "earn":
				command = bonus.Earn{CustomerID: anna, OrderID: order, Base: sum, Percent: rapid.Int64Range(0, 100).Draw(t, "percent")}
			case "spend":
				command = bonus.Spend{CustomerID: anna, OrderID: order, Amount: sum}
			case "return":
				command = bonus.Return{OrderID: order, Keep: sum}
			case "revoke":
				command = bonus.Revoke{OrderID: order, Base: sum}
			case "again":
				if len(asked) == 0 {
					continue
				}
				command = rapid.SampledFrom(asked).Draw(t, "which")
			}
			asked = append(asked, command)

			events, err := bonus.Decider.Decide(command, state)
			if err != nil && len(events) > 0 {
				t.Fatalf("%#v was refused with entries", command)
			}
			for _, event := range events {
				var amount, after domain.Money
				switch e := event.(type) {
				case bonus.Earned:
					if _, twice := most[e.OrderID]; twice {
						t.Fatal("an order earned twice")
					}
					amount, after, got[e.OrderID], most[e.OrderID] = e.Amount, e.Balance, e.Amount, e.Amount
					balance += e.Amount
				case bonus.Spent:
					if amount, after = e.Amount, e.Balance; e.Amount > balance {
						t.Fatalf("spent %d of %d", e.Amount, balance)
					}
					held[e.OrderID] += e.Amount
					balance -= e.Amount
				case bonus.Returned:
					amount, after = e.Amount, e.Balance
					held[e.OrderID] -= e.Amount
					balance += e.Amount
				case bonus.Revoked:
					amount, after = e.Amount, e.Balance
					got[e.OrderID] -= e.Amount
					balance -= e.Amount
				}
				if amount < 1 || after != balance {
					t.Fatalf("%#v after which there are %d", event, balance)
				}
			}
			state = bonus.Decider.Fold(state, events...)

			if state.Balance != balance || state.Spendable() < 0 || state.Spendable() > max(0, balance) {
				t.Fatalf("balance %d, spendable %d; the entries add up to %d", state.Balance, state.Spendable(), balance)
			}
			for n := range byte(5) {
				id := uuid.UUID{15: n}
				if held[id] < 0 || got[id] < 0 || got[id] > most[id] {
					t.Fatalf("order %d holds %d and earned %d of %d", n, held[id], got[id], most[id])
				}
				if state.Held(id) != held[id] || state.EarnedBy(id) != got[id] {
					t.Fatalf("order %d: %d held, %d earned; entries say %d and %d", n, state.Held(id), state.EarnedBy(id), held[id], got[id])
				}
			}
			// What was just answered adds nothing when it is asked again.
			if again, _ := bonus.Decider.Decide(command, state); len(again) > 0 {
				t.Fatalf("%#v adds again %#v", command, again)
			}
		}
	})
}

// TestFoldedStatesAreShared proves that folding on leaves an earlier state as it was: handlers cache them.
func TestFoldedStatesAreShared(t *testing.T) {
	t.Parallel()
	before := bonus.Decider.Fold(bonus.State{}, bonus.Event(earned(first, 10_000, 300, 300)))
	bonus.Decider.Fold(before, spent(second, 100, 200))
	bonus.Decider.Fold(before, revoked(first, 300, 0))
	if before.Balance != 300 || before.Held(second) != 0 || before.EarnedBy(first) != 300 {
		t.Errorf("states share what changes: %+v", before)
	}
}
