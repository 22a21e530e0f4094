package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"shop/readapi/staff"
)

// amounts reads how much of a product there is, from its page and from a list, once the shop has come to a position.
func (s *served) amounts(link, position string) (page, list int64, err error) {
	type card struct{ Amount int64 }
	var one card
	var many struct{ Results []card }
	for path, into := range map[string]any{"/api/products/" + link + "/": &one, "/api/products/?limit=24": &many} {
		request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
		if err != nil {
			return 0, 0, err
		}
		request.Header.Set("X-Min-Position", position)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, 0, err
		}
		defer response.Body.Close()
		if late := response.Header.Get("X-Read-Model-Position"); late != "" {
			return 0, 0, fmt.Errorf("the read model stood at %s", late)
		}
		if err := json.NewDecoder(response.Body).Decode(into); err != nil {
			return 0, 0, err
		}
	}
	if len(many.Results) != 1 {
		return 0, 0, fmt.Errorf("a list of %d", len(many.Results))
	}
	return one.Amount, many.Results[0].Amount, nil
}

// TestAnOrderIsSeenAtOnceFromEveryProcess: answers come from memory, others keep asking for them, and yet whoever has
// ordered sees what is left, whichever process they ask.
func TestAnOrderIsSeenAtOnceFromEveryProcess(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9000, 60)
	p.unbounded()
	shops := []*served{p.serve(), p.serve()}

	var others sync.WaitGroup
	defer others.Wait()
	closed := make(chan struct{})
	defer close(closed)
	for _, s := range shops {
		others.Go(func() {
			for {
				select {
				case <-closed:
					return
				default:
					if _, _, err := s.amounts("mk-1", ""); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for left := int64(59); left >= 0; left-- {
		r := shops[left%2].placed(cream, 1, "CASH")
		for i, s := range shops {
			if page, list, err := s.amounts("mk-1", r.position); err != nil || page != left || list != left {
				t.Fatalf("process %d after position %s: %d on the page, %d in the list, %d are left, %v", i, r.position, page, list, left, err)
			}
		}
	}
	// An operator changes things past both of them.
	p.ok("stock", "receive", "--article", "MK-1", "--quantity", "5")
	p.ok("projections", "rebuild", "stock")
	var received staff.EventLine
	if err := json.Unmarshal([]byte(p.ok("events", "tail", "--follow=false", "-n", "1", "--format", "json")), &received); err != nil {
		t.Fatal(err)
	}
	last := fmt.Sprint(received.Position)
	for i, s := range shops {
		if page, list, err := s.amounts("mk-1", last); err != nil || page != 5 || list != 5 {
			t.Errorf("process %d: %d on the page, %d in the list, %v", i, page, list, err)
		}
	}
}
