package basket_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/spec"
)

var (
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	id   = uuid.UUID{15: 1}
)

func question(city string) basket.Question {
	return basket.Question{City: city, DeliveryType: domain.Delivery, PaymentMethod: domain.Card}
}

func calculation(total domain.Money) domain.Calculation {
	return domain.Calculation{
		TotalPaid: total, Lines: []domain.PricedLine{}, Reason: "below_minimum",
		Explanation: []domain.Step{{Code: "list_prices", Amount: total}},
	}
}

func price(city string, total domain.Money) basket.Command {
	return basket.Price{BasketID: id, Question: question(city), Calculation: calculation(total), At: noon}
}

func priced(city string, total domain.Money) basket.Priced {
	return basket.Priced{BasketID: id, Question: question(city), Calculation: calculation(total), At: noon}
}

// refusal asks for an event.
func refusal(e basket.CheckoutRefused) basket.RefuseCheckout {
	return basket.RefuseCheckout{BasketID: e.BasketID, Question: e.Question, Reason: e.Reason, TotalSum: e.TotalSum, TotalPaid: e.TotalPaid, At: e.At}
}

func TestEachDistinctPricingIsRemembered(t *testing.T) {
	t.Parallel()
	b := spec.For(t, basket.Decider)
	b.When(price("Алматы", 100)).Then(priced("Алматы", 100))
	asked := b.Given(priced("Алматы", 100))
	asked.When(price("Алматы", 100)).Nothing()
	asked.When(price("Астана", 100)).Then(priced("Астана", 100))
	asked.When(price("Алматы", 101)).Then(priced("Алматы", 101))
	asked.Given(priced("Астана", 100)).When(price("Алматы", 100)).Then(priced("Алматы", 100))
}

func TestARefusedCheckoutIsRememberedOnce(t *testing.T) {
	t.Parallel()
	full := priced("Алматы", 100)
	full.Calculation.Lines = []domain.PricedLine{{ProductID: id, Amount: 1}}
	refused := basket.CheckoutRefused{BasketID: id, Question: question("Алматы"), Reason: "below_minimum", TotalSum: 100, TotalPaid: 100, At: noon}
	later := refused
	later.At = noon.Add(time.Minute)
	other := later
	other.Reason = basket.ReasonPriceChanged
	b := spec.For(t, basket.Decider)
	b.When(refusal(refused)).Nothing()
	b.Given(priced("Алматы", 100)).When(refusal(refused)).Nothing() // nothing was in it
	tried := b.Given(full)
	tried.When(refusal(refused)).Then(refused)
	tried.Given(refused).When(refusal(later)).Nothing()
	tried.Given(refused).When(refusal(other)).Then(other)
	tried.Given(refused, full).When(refusal(later)).Then(later)
	tried.Given(basket.CheckedOut{BasketID: id, OrderID: uuid.UUID{15: 7}, At: noon}).When(refusal(refused)).Nothing()
}

// TestAStoredPricingIsTheSame: what comes back from the log must not look new.
func TestAStoredPricingIsTheSame(t *testing.T) {
	t.Parallel()
	empty := priced("Алматы", 0)
	empty.Calculation.Lines, empty.Calculation.Explanation = nil, nil
	stored, err := json.Marshal(empty)
	if err != nil {
		t.Fatal(err)
	}
	var loaded basket.Priced
	if err := json.Unmarshal(stored, &loaded); err != nil {
		t.Fatal(err)
	}
	again := empty.Calculation
	again.Lines, again.Explanation = []domain.PricedLine{}, []domain.Step{}
	spec.For(t, basket.Decider).Given(loaded).
		When(basket.Price{BasketID: id, Question: empty.Question, Calculation: again, At: noon}).Nothing()
}

func TestCheckOut(t *testing.T) {
	t.Parallel()
	first := basket.CheckedOut{BasketID: id, OrderID: uuid.UUID{15: 7}, At: noon}
	second := basket.CheckedOut{BasketID: id, OrderID: uuid.UUID{15: 8}, At: noon}
	b := spec.For(t, basket.Decider).Given(priced("Алматы", 100))
	b.When(basket.CheckOut(first)).Then(first)
	b.Given(first).When(basket.CheckOut(first)).Nothing()
	b.Given(first).When(basket.CheckOut(second)).Then(second)
	// After an order the same question is about a new basket.
	b.Given(first).When(price("Алматы", 100)).Then(priced("Алматы", 100))
}

// TestAnHourHasSoManyPricings: what is asked beyond them is not recorded, and an hour later it is again.
func TestAnHourHasSoManyPricings(t *testing.T) {
	t.Parallel()
	after := func(e basket.Priced, pause time.Duration) basket.Priced {
		e.At = e.At.Add(pause)
		return e
	}
	ask := func(e basket.Priced, most int) basket.Command {
		return basket.Price{BasketID: id, Question: e.Question, Calculation: e.Calculation, At: e.At, Most: most}
	}
	full := priced("Алматы", 100)
	full.Calculation.Lines = []domain.PricedLine{{ProductID: id, Amount: 1}}
	second, third := after(priced("Астана", 100), time.Minute), after(priced("Актау", 100), 59*time.Minute)
	b := spec.For(t, basket.Decider).Given(full, second)
	b.When(ask(third, 2)).Nothing()
	b.When(ask(third, 3)).Then(third)
	b.When(ask(third, 0)).Then(third)
	later := after(third, time.Minute)
	b.When(ask(later, 2)).Then(later)
	refused := basket.CheckoutRefused{BasketID: id, Question: question("Алматы"), Reason: "below_minimum", At: third.At}
	asked := refusal(refused)
	asked.Most = 2
	b.When(asked).Nothing()
	asked.Most = 3
	b.When(asked).Then(refused)
	b.Given(refused).When(ask(third, 3)).Nothing()
	// An order does not give the hour back.
	b.Given(basket.CheckedOut{BasketID: id, OrderID: uuid.UUID{15: 7}, At: third.At}).When(ask(third, 2)).Nothing()
}
