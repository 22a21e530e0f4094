package commands

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/restock"
	"shop/eventstore"
)

func from(stream string) eventstore.From { return eventstore.From{Stream: stream} }

func (s *testShop) subscribe(product string, headers ...header) response {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, "/api/subscriptions/products/x/", nil)
	r.SetPathValue("id", product)
	for _, h := range headers {
		h(r)
	}
	answer := s.ask((&Restock{Handler: s.handler}).Subscribe, r)
	return answer
}

// told are the customers who were notified of a product, in order.
func (s *testShop) told(product domain.ID) []domain.ID {
	s.t.Helper()
	events, err := s.log.Load(s.t.Context(), from(restock.Stream(product)))
	if err != nil {
		s.t.Fatal(err)
	}
	told := []domain.ID{}
	for _, e := range events[restock.Stream(product)] {
		if n, ok := e.Data.(restock.Notified); ok {
			told = append(told, n.CustomerID)
		}
	}
	return told
}

func TestSubscribe(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	anna, boris := s.customer(), s.customer()
	gone, there := s.product(1_000, 1_000, 0), s.product(1_000, 1_000, 1)
	s.subscribe(gone.String()).wants(401, `{"detail":"Войдите в аккаунт"}`)
	s.subscribe(gone.String(), by(anna)).wants(201, `{"is_subscribed":true}`)
	s.subscribe(gone.String(), by(anna)).wants(400, `{"detail":"Вы уже подписаны"}`)
	s.subscribe(gone.String(), by(boris)).wants(201, `{"is_subscribed":true}`)
	s.subscribe(there.String(), by(anna)).wants(400, `{"detail":"Товар уже есть в наличии"}`)
	s.subscribe(uuid.NewString(), by(anna)).wants(404, `{"detail":"`+catalog.ErrUnknown.Message+`"}`)
	s.subscribe("krem", by(anna)).wants(404, `{"detail":"`+catalog.ErrUnknown.Message+`"}`)

	list := &Restock{Handler: s.handler}
	for range 2 {
		if _, err := list.Leave(t.Context(), gone, boris); err != nil {
			t.Fatal(err)
		}
	}
	s.subscribe(gone.String(), by(boris)).wants(201, `{"is_subscribed":true}`)
	// A customer who leaves the shop waits for nothing.
	leaving := &Leaving{Handler: s.handler, Of: left{waits: []domain.ID{gone}}}
	var report customer.Report
	if err := leaving.Leave(t.Context(), boris, &report); err != nil || report.Subscriptions != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if state, _ := see(t.Context(), s.handler, restockStream(gone)); state.Waiting() != 1 || !state.IsSubscribed(anna) {
		t.Errorf("%d are waiting", state.Waiting())
	}
}

// left is what a customer left.
type left struct{ reviews, waits []domain.ID }

func (l left) ReviewsOf(_ context.Context, _ domain.ID) ([]domain.ID, error) { return l.reviews, nil }
func (l left) WaitsOf(_ context.Context, _ domain.ID) ([]domain.ID, error)   { return l.waits, nil }

func TestEverybodyIsToldOnceInOrder(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	soap := s.product(1_000, 1_000, 0)
	list := &Restock{Handler: s.handler}
	var want []domain.ID
	for range 2*noticesAtOnce + 5 {
		id := uuid.Must(uuid.NewV7())
		if _, err := list.Wait(t.Context(), soap, id); err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	if position, err := list.Notify(t.Context(), soap); position != 0 || err != nil {
		t.Errorf("told of what is not there: %d, %v", position, err)
	}
	if _, err := (&Stock{s.handler}).Receive(t.Context(), soap, 1, ""); err != nil {
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
	equalText(t, "who was told", s.told(soap), want)
	s.subscribe(soap.String(), by(want[0])).wants(400, `{"detail":"Товар уже есть в наличии"}`)
}
