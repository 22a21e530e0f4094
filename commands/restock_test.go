package commands_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/customer"
)

func TestSubscribe(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	anna, boris := s.Customer(), s.Customer()
	gone, there := s.Product(1_000, 1_000, 0), s.Product(1_000, 1_000, 1)
	s.Subscribe(gone.String()).Wants(401, `{"detail":"Войдите в аккаунт","code":"customer/signed-out"}`)
	s.Subscribe(gone.String(), testshop.By(anna)).Wants(201, `{"is_subscribed":true}`)
	s.Subscribe(gone.String(), testshop.By(anna)).Wants(400, `{"detail":"Вы уже подписаны","code":"restock/already-subscribed"}`)
	s.Subscribe(gone.String(), testshop.By(boris)).Wants(201, `{"is_subscribed":true}`)
	s.Subscribe(there.String(), testshop.By(anna)).Wants(400, `{"detail":"Товар уже есть в наличии","code":"restock/in-stock"}`)
	s.Subscribe(uuid.NewString(), testshop.By(anna)).Wants(404, `{"detail":"Такого товара нет в магазине","code":"catalog/unknown"}`)
	s.Subscribe("krem", testshop.By(anna)).Wants(404, `{"detail":"Такого товара нет в магазине","code":"catalog/unknown"}`)

	list := &commands.Restock{Handler: s.Handler}
	for range 2 {
		if _, err := list.Leave(t.Context(), gone, boris); err != nil {
			t.Fatal(err)
		}
	}
	s.Subscribe(gone.String(), testshop.By(boris)).Wants(201, `{"is_subscribed":true}`)
	// A customer who leaves the shop waits for nothing.
	leaving := &identity.Leaving{Handler: s.Handler, Of: left{waits: []domain.ID{gone}}}
	var report customer.Report
	if err := leaving.Leave(t.Context(), boris, &report); err != nil || report.Subscriptions != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if state, _ := commands.See(t.Context(), s.Handler, commands.RestockStream(gone)); state.Waiting() != 1 || !state.IsSubscribed(anna) {
		t.Errorf("%d are waiting", state.Waiting())
	}
}

// left is what a customer left.
type left struct{ reviews, waits []domain.ID }

func (l left) ReviewsOf(_ context.Context, _ domain.ID) ([]domain.ID, error) { return l.reviews, nil }
func (l left) WaitsOf(_ context.Context, _ domain.ID) ([]domain.ID, error)   { return l.waits, nil }

func TestEverybodyIsToldOnceInOrder(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	soap := s.Product(1_000, 1_000, 0)
	list := &commands.Restock{Handler: s.Handler}
	var want []domain.ID
	for range 2*commands.NoticesAtOnce + 5 {
		id := uuid.Must(uuid.NewV7())
		if _, err := list.Wait(t.Context(), soap, id); err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	if position, err := list.Notify(t.Context(), soap); position != 0 || err != nil {
		t.Errorf("told of what is not there: %d, %v", position, err)
	}
	if _, err := (&commands.Stock{Handler: s.Handler}).Receive(t.Context(), soap, 1, ""); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 { // several processes, an event handled again
		all.Go(func() {
			if _, err := list.Notify(t.Context(), soap); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	testshop.EqualText(t, "who was told", s.Told(soap), want)
	s.Subscribe(soap.String(), testshop.By(want[0])).Wants(400, `{"detail":"Товар уже есть в наличии","code":"restock/in-stock"}`)
}
