package order_test

import (
	"testing"
	"time"

	"shop/domain"
	"shop/domain/order"
)

func TestAGuestIsForgottenOnceTheOrderHasEnded(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	at := noon.Add(time.Hour)
	forget, forgotten := order.ForgetGuest{At: at}, order.Forgotten{At: at}
	cancelled, completed := order.Cancelled{By: "staff", At: noon}, order.Completed{At: noon}
	joined := order.Joined{CustomerID: domain.ID{15: 9}, At: noon}
	guest := placedBy(domain.Cash)
	for _, c := range []struct {
		name    string
		history []order.Event
		want    error
	}{
		{"received", nil, order.ErrOpen},
		{"not paid", []order.Event{order.PaymentFailed{At: noon}}, order.ErrOpen},
		{"approved", []order.Event{order.Approved{At: noon}}, order.ErrOpen},
		{"packed", []order.Event{order.Approved{At: noon}, order.ProcessingStarted{At: noon}}, order.ErrOpen},
		{"an account's", []order.Event{cancelled, joined}, order.ErrOfAccount},
	} {
		t.Run(c.name, func(t *testing.T) {
			given(t, append([]order.Event{guest}, c.history...)...).When(forget).Refused(c.want)
		})
	}
	given(t, guest, cancelled).When(forget).Then(forgotten)
	ended := given(t, guest, completed)
	ended.When(forget).Then(forgotten)
	ended.Given(forgotten).When(forget).Nothing()

	s := ended.State()
	if !s.OpensByLink(noon.Add(90*day-time.Second)) || s.OpensByLink(noon.Add(90*day)) {
		t.Error("the link does not end 90 days after the order")
	}
	if s := given(t, guest).State(); !s.OpensByLink(noon.Add(1000 * day)) {
		t.Error("the link of an open order ends")
	}
	if s := ended.Given(forgotten).State(); s.OpensByLink(noon.Add(day)) {
		t.Error("the link opens an order whose guest is forgotten")
	}
}
