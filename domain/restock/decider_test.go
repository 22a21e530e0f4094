package restock_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/restock"
	"shop/domain/spec"
)

var (
	noon  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	soap  = uuid.UUID{15: 200}
	anna  = uuid.UUID{15: 9}
	boris = uuid.UUID{15: 5}
	clara = uuid.UUID{15: 7}
)

// given is a waiting list with this history.
func given(t testing.TB, events ...restock.Event) spec.Subject[restock.Command, restock.Event, restock.State] {
	return spec.For(t, restock.Decider).Given(events...)
}

func subscribe(customer domain.ID) restock.Subscribe {
	return restock.Subscribe{ProductID: soap, CustomerID: customer, At: noon}
}

func subscribed(customer domain.ID, place int64) restock.Subscribed {
	return restock.Subscribed{ProductID: soap, CustomerID: customer, Place: place, At: noon}
}

func notified(customer domain.ID, place int64) restock.Notified {
	return restock.Notified{ProductID: soap, CustomerID: customer, Place: place, At: noon}
}

func unsubscribed(customer domain.ID, place int64) restock.Unsubscribed {
	return restock.Unsubscribed{ProductID: soap, CustomerID: customer, Place: place, At: noon}
}

var notify = restock.Notify{Available: 1, At: noon}

func TestSubscribe(t *testing.T) {
	t.Parallel()
	given(t).When(subscribe(anna)).Then(subscribed(anna, 1))
	given(t, subscribed(anna, 1)).When(subscribe(boris)).Then(subscribed(boris, 2))
	given(t, subscribed(anna, 1)).When(subscribe(anna)).Refused(restock.ErrAlreadySubscribed)
	given(t).When(subscribe(domain.ID{})).Refused(restock.ErrNoCustomer)

	there := subscribe(anna)
	there.Available = 1
	given(t).When(there).Refused(restock.ErrInStock)
	// The button says «Вы уже подписаны» until the notice is on its way.
	given(t, subscribed(anna, 1)).When(there).Refused(restock.ErrAlreadySubscribed)
}

func TestNotifyInOrderOnceEach(t *testing.T) {
	t.Parallel()
	list := given(t, subscribed(anna, 1), subscribed(boris, 2), subscribed(clara, 3))
	list.When(notify).Then(notified(anna, 1), notified(boris, 2), notified(clara, 3))
	list.When(restock.Notify{At: noon}).Nothing()
	list.When(restock.Notify{Available: -2, At: noon}).Nothing()
	given(t).When(notify).Nothing()

	// In parts.
	list.When(restock.Notify{Available: 1, Limit: 2, At: noon}).Then(notified(anna, 1), notified(boris, 2))
	list.When(restock.Notify{Available: 1, Limit: 3, At: noon}).Then(notified(anna, 1), notified(boris, 2), notified(clara, 3))
	rest := list.Given(notified(anna, 1), notified(boris, 2))
	if s := rest.State(); s.Waiting() != 1 || s.IsSubscribed(anna) || !s.IsSubscribed(clara) {
		t.Errorf("%+v", s)
	}
	rest.When(restock.Notify{Available: 1, Limit: 2, At: noon}).Then(notified(clara, 3))
	told := rest.Given(notified(clara, 3))
	told.When(notify).Nothing()

	// A subscription that was closed may be made again, at the end of the list.
	told.When(subscribe(anna)).Then(subscribed(anna, 4))
	told.Given(subscribed(boris, 4), subscribed(anna, 5)).When(notify).Then(notified(boris, 4), notified(anna, 5))
}

func TestTheListIsInOrderBeyondTen(t *testing.T) {
	t.Parallel()
	list, want := given(t), []restock.Event{}
	for n := range int64(120) {
		customer := uuid.UUID{15: byte(250 - n)}
		list = list.Given(subscribed(customer, n+1))
		want = append(want, notified(customer, n+1))
	}
	list.When(notify).Then(want...)
}

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	leave := restock.Unsubscribe{CustomerID: anna, At: noon}
	list := given(t, subscribed(anna, 1), subscribed(boris, 2))
	list.When(leave).Then(unsubscribed(anna, 1))
	left := list.Given(unsubscribed(anna, 1))
	left.When(leave).Nothing()
	left.When(notify).Then(notified(boris, 2))
	left.When(subscribe(anna)).Then(subscribed(anna, 3))
	list.Given(notified(anna, 1)).When(leave).Nothing() // the link in the notice itself
	given(t).When(leave).Nothing()
}

// TestEverySubscriptionEndsOnce compares with a list kept apart.
func TestEverySubscriptionEndsOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := restock.Decider.Initial
		var waiting []domain.ID
		for range rapid.IntRange(1, 60).Draw(t, "commands") {
			customer := uuid.UUID{15: byte(rapid.IntRange(1, 6).Draw(t, "customer"))}
			available := rapid.Int64Range(0, 2).Draw(t, "available")
			before := state
			switch rapid.SampledFrom([]string{"subscribe", "subscribe", "subscribe", "notify", "unsubscribe"}).Draw(t, "command") {
			case "subscribe":
				events, err := restock.Decider.Decide(restock.Subscribe{ProductID: soap, CustomerID: customer, Available: available}, state)
				if (err == nil) != (available == 0 && !slices.Contains(waiting, customer)) {
					t.Fatalf("refused: %v, with %d free and %v waiting", err, available, waiting)
				}
				if err == nil {
					waiting = append(slices.Clone(waiting), customer)
				}
				state = restock.Decider.Fold(state, events...)
			case "notify":
				limit := rapid.IntRange(0, 3).Draw(t, "limit")
				events, _ := restock.Decider.Decide(restock.Notify{Available: available, Limit: limit}, state)
				told := len(waiting)
				if available == 0 {
					told = 0
				} else if limit > 0 {
					told = min(told, limit)
				}
				if len(events) != told {
					t.Fatalf("told %d of %d, limit %d, %d free", len(events), len(waiting), limit, available)
				}
				for i, e := range events {
					if e.(restock.Notified).CustomerID != waiting[i] {
						t.Fatalf("told %v, waiting are %v", events, waiting)
					}
				}
				waiting = waiting[told:]
				state = restock.Decider.Fold(state, events...)
			case "unsubscribe":
				events, _ := restock.Decider.Decide(restock.Unsubscribe{CustomerID: customer}, state)
				waiting = slices.DeleteFunc(slices.Clone(waiting), func(other domain.ID) bool { return other == customer })
				state = restock.Decider.Fold(state, events...)
			}
			if state.Waiting() != len(waiting) || state.Places < before.Places {
				t.Fatalf("%d waiting, want %d; places %d after %d", state.Waiting(), len(waiting), state.Places, before.Places)
			}
			for n := range byte(8) {
				if c := (uuid.UUID{15: n}); state.IsSubscribed(c) != slices.Contains(waiting, c) {
					t.Fatalf("customer %d is subscribed: %v", n, state.IsSubscribed(c))
				}
			}
		}
	})
}
