package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/cmd/shop/edge"
	"shop/cmd/shop/ops"
	"shop/domain/staff"
	"shop/projections/past"
)

// callsOfThePast are those that take a moment, by their paths in the contract, with what each needs.
func callsOfThePast(customer uuid.UUID) map[string]guarded {
	some := uuid.NewString()
	get := func(path string, needs staff.Permission) guarded { return guarded{"GET", path, "", needs} }
	return map[string]guarded{
		"/api/staff/today/":                  get("/api/staff/today/", ""),
		"/api/staff/orders/search/":          {"POST", "/api/staff/orders/search/", "{}", staff.SeeOrders},
		"/api/staff/packing/":                get("/api/staff/packing/", staff.PackOrders),
		"/api/staff/deliveries/":             get("/api/staff/deliveries/", staff.PackOrders),
		"/api/staff/rounds/":                 get("/api/staff/rounds/", staff.PackOrders),
		"/api/staff/payments/":               get("/api/staff/payments/", staff.SeePayments),
		"/api/staff/payments/refunds/":       get("/api/staff/payments/refunds/", staff.SeePayments),
		"/api/staff/customers/search/":       {"POST", "/api/staff/customers/search/", "{}", staff.SeeCustomers},
		"/api/staff/customers/groups/":       get("/api/staff/customers/groups/", staff.SeeCustomers),
		"/api/staff/customers/{id}/":         get("/api/staff/customers/"+customer.String()+"/", staff.SeeCustomers),
		"/api/staff/waiting/":                get("/api/staff/waiting/", staff.SeeCatalog),
		"/api/staff/waiting/{product}/":      get("/api/staff/waiting/"+some+"/", staff.SeeCatalog),
		"/api/staff/reviews/":                get("/api/staff/reviews/", staff.ModerateReviews),
		"/api/staff/reviews/templates/":      get("/api/staff/reviews/templates/", staff.ModerateReviews),
		"/api/staff/products/":               get("/api/staff/products/", staff.SeeCatalog),
		"/api/staff/products/groups/":        get("/api/staff/products/groups/", staff.SeeCatalog),
		"/api/staff/products/{article}/":     get("/api/staff/products/none/", staff.SeeCatalog),
		"/api/staff/catalog/{kind}/":         get("/api/staff/catalog/brand/", staff.SeeCatalog),
		"/api/staff/stock/{product}/ledger/": get("/api/staff/stock/"+some+"/ledger/", staff.SeeCatalog),
		"/api/staff/promocodes/":             get("/api/staff/promocodes/", staff.ChangeRules),
		"/api/staff/promocodes/{code}/":      get("/api/staff/promocodes/NONE/", staff.ChangeRules),
		"/api/staff/changes/":                get("/api/staff/changes/", staff.SeeChanges),
		"/api/staff/changes/file/":           get("/api/staff/changes/file/", staff.SeeChanges),
		"/api/staff/changes/{id}/":           get("/api/staff/changes/"+some+"/", staff.SeeChanges),
		"/api/staff/content/":                get("/api/staff/content/", staff.ChangeContent),
		"/api/staff/letters/texts/":          get("/api/staff/letters/texts/", staff.ChangeContent),
		"/api/staff/posts/":                  get("/api/staff/posts/", staff.ChangeContent),
		"/api/staff/posts/{id}/":             get("/api/staff/posts/"+some+"/", staff.ChangeContent),
		"/api/staff/settings/":               get("/api/staff/settings/", staff.ChangeRules),
	}
}

// statedPast are the paths of the contract that take a moment; true for those that may have to wait for others.
func statedPast(t *testing.T) map[string]bool {
	t.Helper()
	text, err := ops.Contract()
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Ref string `json:"$ref"`
			}
			Responses map[string]any
		}
	}
	if err := json.Unmarshal(text, &contract); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for path, methods := range contract.Paths {
		for _, call := range methods {
			for _, p := range call.Parameters {
				if strings.HasSuffix(p.Ref, "/At") {
					_, found[path] = call.Responses["503"]
				}
			}
		}
	}
	return found
}

// TestEveryRoleAndEveryCallOfThePast: what a role may not see it may not see of the past either.
func TestEveryRoleAndEveryCallOfThePast(t *testing.T) {
	t.Parallel()
	d, anna, _ := customersDesk(t)
	d.catchUp("packing", "changes", "content", "posts", "promocode", "sales", "rules", "settings", "popularity")
	stated, calls := statedPast(t), []guarded{}
	for path, call := range callsOfThePast(anna) {
		if _, is := stated[path]; !is {
			t.Errorf("the contract does not say that %s takes a moment", path)
		}
		delete(stated, path)
		call.path += fmt.Sprintf("?at=%d", d.head())
		calls = append(calls, call)
	}
	if len(stated) > 0 {
		t.Errorf("no role is tried at %v", stated)
	}
	for _, role := range staff.Roles {
		w := d.worker(role)
		for _, call := range calls {
			if call.needs != "" {
				w.mayCall(role, call)
			} else if got := d.ask(call.method, call.path, "", "Cookie", w.cookie); got.Code != http.StatusOK {
				t.Errorf("%s as %s: %d", call.path, role, got.Code)
			}
		}
	}
}

// TestWhoLooksWhileOthersLookIsAskedToWait: on every screen that folds read models of the past, in a sentence of its own.
func TestWhoLooksWhileOthersLookIsAskedToWait(t *testing.T) {
	t.Parallel()
	d, anna, _ := customersDesk(t)
	admin, stated, calls := d.worker(staff.Admin), statedPast(t), callsOfThePast(anna)
	head := d.head()
	inside, leave, left := make(chan struct{}), make(chan struct{}), make(chan error)
	looking, full := 0, false
	for at := head - 1; !full; at-- {
		go func() {
			left <- d.shop.Past.Pasts.At(t.Context(), at, func(context.Context, *past.DB) error { inside <- struct{}{}; <-leave; return nil })
		}()
		select {
		case <-inside:
			looking++
		case err := <-left:
			if full = errors.Is(err, past.ErrBusy); !full {
				t.Fatal(err)
			}
		}
	}
	at := fmt.Sprintf("?at=%d", head)
	for path, waits := range stated {
		call := calls[path]
		got := d.ask(call.method, call.path+at, call.body, "Cookie", admin.cookie, edge.CsrfHeader, admin.csrf)
		if asked := got.Code == http.StatusServiceUnavailable && strings.Contains(got.Body.String(), "Сейчас смотрят другие моменты прошлого"); asked != waits {
			t.Errorf("%s: %d %s; it waits for others: %t", path, got.Code, got.Body, waits)
		}
	}
	close(leave)
	for range looking {
		if err := <-left; err != nil {
			t.Error(err)
		}
	}
}
