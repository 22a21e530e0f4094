package promocode_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/spec"
)

var (
	noon  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	terms = promocode.Terms{
		Kind: promocode.Percent, Value: 10, MinSum: 10_000,
		ValidFrom: noon.Add(-time.Hour), ValidUntil: noon.Add(time.Hour), Uses: 3, UsesPerUser: 1,
	}
	issued  = promocode.Issued{Code: "WELCOME10", Terms: terms, At: noon}
	revoked = promocode.Revoked{Code: "WELCOME10", At: noon}
)

func orderID(n byte) domain.ID { return uuid.UUID{15: n} }

func redeem(order byte, customer string) promocode.Redeem {
	return promocode.Redeem{Code: "welcome10", OrderID: orderID(order), Buyer: promocode.Buyer{Phone: customer}, TotalSum: 10_000, Discount: 1_000, At: noon}
}

func redeemed(order byte, customer string) promocode.Redeemed {
	return promocode.Redeemed{Code: "WELCOME10", OrderID: orderID(order), Buyer: promocode.Buyer{Phone: customer}, Discount: 1_000, At: noon}
}

func giveBack(order byte) promocode.Return {
	return promocode.Return{OrderID: orderID(order), At: noon}
}

func returned(order byte) promocode.Returned {
	return promocode.Returned{Code: "WELCOME10", OrderID: orderID(order), At: noon}
}

func TestIssueAndRevoke(t *testing.T) {
	t.Parallel()
	code := spec.For(t, promocode.Decider)
	code.When(promocode.Issue{Code: " welcome10 ", Terms: terms, At: noon}).Then(issued)
	code.When(promocode.Revoke{Code: "WELCOME10", At: noon}).Refused(promocode.ErrUnknown)

	// The same moment in another time zone is the same window.
	elsewhere := terms
	elsewhere.ValidUntil = terms.ValidUntil.In(time.FixedZone("", 5*60*60))
	code.Given(issued).When(promocode.Issue{Code: "WELCOME10", Terms: elsewhere, At: noon}).Nothing()

	longer := terms
	longer.ValidUntil = time.Time{}
	code.Given(issued).When(promocode.Issue{Code: "WELCOME10", Terms: longer, At: noon}).
		Then(promocode.Issued{Code: "WELCOME10", Terms: longer, At: noon})
	code.Given(issued).When(promocode.Revoke{Code: "WELCOME10", At: noon}).Then(revoked)
	code.Given(issued, revoked).When(promocode.Revoke{Code: "WELCOME10", At: noon}).Nothing()
	code.Given(issued, revoked).When(promocode.Issue{Code: "WELCOME10", Terms: terms, At: noon}).Then(issued)
}

func TestCodesAndTermsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "  ", "A B", "A\x00B", "\xff", string(make([]byte, 65))} {
		spec.For(t, promocode.Decider).When(promocode.Issue{Code: code, Terms: terms}).Refused(promocode.ErrBadCode)
	}
	for _, wrong := range []struct {
		field  string
		change func(*promocode.Terms)
	}{
		{"kind", func(t *promocode.Terms) { t.Kind = "" }},
		{"value", func(t *promocode.Terms) { t.Value = 0 }},
		{"value", func(t *promocode.Terms) { t.Value = 101 }},
		{"value", func(t *promocode.Terms) { t.Kind, t.Value = promocode.Fixed, 0 }},
		{"value", func(t *promocode.Terms) { t.Kind, t.Value = promocode.Fixed, domain.MaxPrice+1 }},
		{"max_discount", func(t *promocode.Terms) { t.MaxDiscount = -1 }},
		{"max_discount", func(t *promocode.Terms) { t.Kind, t.MaxDiscount = promocode.Fixed, 5 }},
		{"min_sum", func(t *promocode.Terms) { t.MinSum = -1 }},
		{"min_sum", func(t *promocode.Terms) { t.MinSum = domain.MaxPrice + 1 }},
		{"uses", func(t *promocode.Terms) { t.Uses = -1 }},
		{"uses_per_user", func(t *promocode.Terms) { t.UsesPerUser = -1 }},
		{"valid_until", func(t *promocode.Terms) { t.ValidUntil = t.ValidFrom }},
	} {
		bad := terms
		wrong.change(&bad)
		refusedAt(t, bad, promocode.ErrBadTerms, wrong.field)
	}
}

// refusedAt wants terms to be refused with a message that begins with a field.
func refusedAt(t *testing.T, bad promocode.Terms, want *domain.Refusal, field string) {
	t.Helper()
	_, err := promocode.Decider.Decide(promocode.Issue{Code: "A", Terms: bad}, promocode.Decider.Initial)
	var refusal *domain.Refusal
	if !errors.As(err, &refusal) || !errors.Is(err, want) || !strings.HasPrefix(refusal.Message, field+": ") {
		t.Errorf("%+v: %v, want %s at %s", bad, err, want.Code, field)
	}
}

func TestCodesAndTermsAtTheirBounds(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*promocode.Terms){
		func(t *promocode.Terms) { t.Value = 1 },
		func(t *promocode.Terms) { t.Value = 100 },
		func(t *promocode.Terms) { t.Kind, t.Value = promocode.Fixed, 1 },
		func(t *promocode.Terms) { t.Kind, t.Value = promocode.Fixed, domain.MaxPrice },
		func(t *promocode.Terms) { *t = promocode.Terms{Kind: promocode.Percent, Value: 5} },
	} {
		good := terms
		change(&good)
		code := strings.Repeat("Ж", 64)
		issued := promocode.Issued{Code: code, Terms: good, At: noon}
		spec.For(t, promocode.Decider).When(promocode.Issue{Code: code, Terms: good, At: noon}).Then(issued)
		if problem := promocode.Decider.Fold(promocode.State{}, issued).Problem(promocode.Buyer{Phone: "anna"}, promocode.Standing{}, domain.MaxPrice, noon); problem != "" {
			t.Errorf("%+v: %s", good, problem)
		}
	}
	spec.For(t, promocode.Decider).When(promocode.Issue{Code: strings.Repeat("Ж", 65), Terms: terms}).Refused(promocode.ErrBadCode)
}

func TestProblem(t *testing.T) {
	t.Parallel()
	state := func(events ...promocode.Event) promocode.State {
		return promocode.Decider.Fold(promocode.State{}, events...)
	}
	for name, c := range map[string]struct {
		state    promocode.State
		customer string
		total    domain.Money
		at       time.Time
		want     string
	}{
		"none":            {state(issued), "anna", 10_000, noon, ""},
		"first moment":    {state(issued), "anna", 10_000, terms.ValidFrom, ""},
		"unknown":         {state(), "anna", 10_000, noon, "Промокод не найден"},
		"revoked":         {state(issued, revoked), "anna", 10_000, noon, "Промокод больше не действует"},
		"too early":       {state(issued), "anna", 10_000, terms.ValidFrom.Add(-1), "Промокод ещё не действует"},
		"expired":         {state(issued), "anna", 10_000, terms.ValidUntil, "Срок действия промокода истёк"},
		"used up":         {state(issued, redeemed(1, "a"), redeemed(2, "b"), redeemed(3, "c")), "anna", 10_000, noon, "Промокод уже использован"},
		"used by you":     {state(issued, redeemed(1, "anna")), "anna", 10_000, noon, "Вы уже использовали этот промокод"},
		"used by another": {state(issued, redeemed(1, "boris")), "anna", 10_000, noon, ""},
		"who asks?":       {state(issued, redeemed(1, "anna")), "", 10_000, noon, ""},
		"small order":     {state(issued), "anna", 9_000, noon, "Промокод действует при заказе от 10\u00a0000\u00a0₸, не хватает 1\u00a0000\u00a0₸"},
	} {
		if got := c.state.Problem(promocode.Buyer{Phone: c.customer}, promocode.Standing{}, c.total, c.at); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestRedeemAndReturn(t *testing.T) {
	t.Parallel()
	code := spec.For(t, promocode.Decider).Given(issued)
	code.When(redeem(1, "anna")).Then(redeemed(1, "anna"))
	code.When(giveBack(1)).Nothing()

	used := code.Given(redeemed(1, "anna"))
	used.When(redeem(1, "anna")).Nothing()
	used.When(redeem(2, "anna")).Refused(promocode.ErrUsedByYou)
	used.When(redeem(2, "boris")).Then(redeemed(2, "boris"))
	used.When(giveBack(1)).Then(returned(1))
	used.Given(returned(1)).When(giveBack(1)).Nothing()
	used.Given(returned(1)).When(redeem(2, "anna")).Then(redeemed(2, "anna"))

	code.Given(revoked).When(redeem(1, "anna")).Refused(promocode.ErrRevoked)
	small := redeem(1, "anna")
	small.TotalSum = 9_999
	code.When(small).Refused(promocode.ErrBelowMinSum)
}

// TestAnOrderUsesItsCodeAgain: a new attempt to pay keeps the price of the day the order was placed.
func TestAnOrderUsesItsCodeAgain(t *testing.T) {
	t.Parallel()
	again := redeem(1, "anna")
	again.Again, again.TotalSum, again.At = true, 1, terms.ValidUntil.Add(time.Hour)
	later := redeemed(1, "anna")
	later.At = again.At

	code := spec.For(t, promocode.Decider).Given(issued, redeemed(1, "anna"), returned(1))
	code.When(again).Then(later)
	code.Given(revoked).When(again).Then(later)
	code.Given(redeemed(1, "anna")).When(again).Nothing()
	code.Given(redeemed(2, "anna")).When(again).Refused(promocode.ErrUsedByYou)
	code.Given(redeemed(2, "b"), redeemed(3, "c"), redeemed(4, "d")).When(again).Refused(promocode.ErrUsedUp)
	spec.For(t, promocode.Decider).When(again).Refused(promocode.ErrUnknown)
}

func TestDiscount(t *testing.T) {
	t.Parallel()
	fixed := promocode.Terms{Kind: promocode.Fixed, Value: 2_000}
	for _, c := range []struct {
		terms       promocode.Terms
		total, want domain.Money
	}{{terms, 12_345, 1_235}, {fixed, 12_345, 2_000}, {fixed, 1_999, 1_999}, {fixed, 0, 0}} {
		if got := c.terms.Discount(c.total); got != c.want {
			t.Errorf("%+v off %d: %d, want %d", c.terms, c.total, got, c.want)
		}
	}
}

func TestLimitsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := promocode.Terms{
			Kind: promocode.Fixed, Value: 500,
			Uses: rapid.Int64Range(0, 5).Draw(t, "uses"), UsesPerUser: rapid.Int64Range(0, 2).Draw(t, "uses per user"),
		}
		state := promocode.Decider.Fold(promocode.State{}, promocode.Issued{Code: "A", Terms: limits})
		holders := map[domain.ID]string{}
		for range rapid.IntRange(1, 40).Draw(t, "commands") {
			order := orderID(byte(rapid.IntRange(1, 9).Draw(t, "order")))
			var command promocode.Command = promocode.Return{OrderID: order}
			if rapid.IntRange(0, 3).Draw(t, "redeem") > 0 {
				customer := rapid.SampledFrom([]string{"anna", "boris", "clara"}).Draw(t, "customer")
				command = promocode.Redeem{OrderID: order, Buyer: promocode.Buyer{Phone: customer}}
			}
			events, _ := promocode.Decider.Decide(command, state)
			for _, event := range events {
				switch e := event.(type) {
				case promocode.Redeemed:
					if holders[e.OrderID] != "" {
						t.Fatal("redeemed twice for one order")
					}
					holders[e.OrderID] = e.Buyer.Phone
				case promocode.Returned:
					delete(holders, e.OrderID)
				}
			}
			state = promocode.Decider.Fold(state, events...)

			perUser := map[string]int64{}
			for _, customer := range holders {
				perUser[customer]++
				if limits.UsesPerUser > 0 && perUser[customer] > limits.UsesPerUser {
					t.Fatalf("%s uses the code %d times", customer, perUser[customer])
				}
			}
			if used := int64(len(holders)); state.Uses != used || limits.Uses > 0 && used > limits.Uses {
				t.Fatalf("state counts %d uses, there are %d of %d", state.Uses, used, limits.Uses)
			}
		}
	})
}
