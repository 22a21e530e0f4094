package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
)

func TestShoppersReadTheirOwnWrites(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	const shoppers, orders = 4, 40
	var goods [shoppers]uuid.UUID
	for i := range goods {
		goods[i] = p.stocked(fmt.Sprintf("MK-%d", i), 9000, orders)
	}
	p.unbounded()
	s := p.serve()
	// All at once, so that the read models have something to be behind with.
	var all sync.WaitGroup
	for i, product := range goods {
		all.Go(func() {
			for left := orders - 1; left >= 0; left-- {
				position, err := s.buy(product)
				if err != nil {
					t.Errorf("shopper %d: %v", i, err)
					return
				}
				for _, path := range []string{"/api/products/" + product.String() + "/stock/", fmt.Sprintf("/api/products/mk-%d/", i)} {
					request, _ := http.NewRequest(http.MethodGet, s.url+path, nil)
					request.Header.Set("X-Min-Position", position)
					response, err := http.DefaultClient.Do(request)
					if err != nil {
						t.Errorf("shopper %d: %v", i, err)
						return
					}
					var seen struct {
						Amount  int  `json:"amount"`
						InStock bool `json:"in_stock"`
					}
					err = json.NewDecoder(response.Body).Decode(&seen)
					response.Body.Close()
					if err != nil || response.StatusCode != 200 || seen.Amount != left || seen.InStock != (left > 0) {
						t.Errorf("shopper %d has left %d and is shown %d %+v by %s, %v", i, left, response.StatusCode, seen, path, err)
						return
					}
				}
			}
		})
	}
	all.Wait()
	p.audit()
}

// buy orders one piece and returns the position that the answer names.
func (s *served) buy(product uuid.UUID) (position string, err error) {
	asked := fmt.Sprintf(`{"customer_first_name":"А","customer_last_name":"С","customer_email":"a@example.com","customer_phone":"+77011234567",
		"payment_method":"CARD","delivery_type":"PICKUP","products":[{"product":%q,"amount":1}]}`, product)
	response, err := http.Post(s.url+"/api/orders/", "application/json", strings.NewReader(asked))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("answered with %d %s", response.StatusCode, &body)
	}
	return response.Header.Get("X-Event-Position"), nil
}
