package projections

import (
	"reflect"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
)

func TestAccountFolds(t *testing.T) {
	anna, stream, later := id(61), customer.Stream(id(61)), noon.Add(time.Hour)
	registered := customer.Registered{ID: anna, Email: "a@b.kz", ConsentText: "1", At: noon, Profile: customer.Profile{FirstName: "Анна", Phone: "+77012345678", City: "Алматы"}}
	a, ok := folded(t, accounts, stream, registered,
		customer.EmailChangeRequested{ID: anna, Email: "c@d.kz", Until: later, At: noon},
		customer.ProfileChanged{ID: anna, Profile: customer.Profile{FirstName: "Анна", LastName: "Ким", Street: "Абая"}, At: noon},
		customer.PhotoChanged{ID: anna, PhotoID: id(62), At: noon},
		customer.ConsentGiven{ID: anna, Text: "2", At: later})
	if !ok || a.Email != "a@b.kz" || a.Verified || a.Wanted != "c@d.kz" || a.LastName != "Ким" || a.City != "" || a.PhotoID != id(62) || a.ConsentText != "2" || !a.ConsentAt.Equal(later) || a.State != "active" {
		t.Errorf("got %+v, %v", a, ok)
	}
	if a, _ := folded(t, accounts, stream, registered, customer.EmailChangeRequested{Email: "c@d.kz"}, customer.EmailChangeRequested{Email: "a@b.kz"}); a.Wanted != "" {
		t.Errorf("a wish taken back: %+v", a)
	}
	if a, _ := folded(t, accounts, stream, registered, customer.EmailChangeRequested{Email: "c@d.kz"}, customer.EmailVerified{Email: "c@d.kz", Previous: "a@b.kz"}); a.Wanted != "" || a.Email != "c@d.kz" || !a.Verified {
		t.Errorf("another e-mail proved: %+v", a)
	}
	if a, _ := folded(t, accounts, stream, registered, customer.ErasureRequested{ID: anna, By: "staff", At: later}); a.State != "leaving" || a.Email == "" {
		t.Errorf("who leaves: %+v", a)
	}
	a, ok = folded(t, accounts, stream, registered, customer.ErasureRequested{ID: anna, By: "staff", At: later}, customer.Erased{ID: anna, At: later})
	erased := a.ErasedAt
	a.ErasedAt = nil
	if want := (Account{ID: anna, State: "erased", CreatedAt: noon, UpdatedAt: later, LeavingSince: a.LeavingSince, Groups: []string{}}); !ok || !reflect.DeepEqual(a, want) || !erased.Equal(later) {
		t.Errorf("who is erased: %+v", a)
	}
}

func TestOrderJoinsAndForgets(t *testing.T) {
	placed := order.Placed{ID: id(41), PersonID: id(42), At: noon, City: "Алматы", Calculation: domain.Calculation{TotalPaid: 9000},
		Contact: order.Contact{FirstName: "Анна", LastName: "Ким", Email: "a@b.kz", Phone: "+77012345678"},
		Address: order.Address{City: "Алматы", Street: "Абая", House: "1", Floor: "2", Apartment: "3", Entrance: "4", Comment: "5"}}
	o, _ := folded(t, orders, order.Stream(placed.ID), placed, order.Joined{CustomerID: id(61), At: noon})
	if o.CustomerID != id(61) || o.PersonID != id(42) {
		t.Errorf("joined: %+v", o)
	}
	o, ok := folded(t, orders, order.Stream(placed.ID), placed, order.Forgotten{At: noon})
	// What a rebuild makes once the key is gone.
	placed.Contact, placed.Address = order.Contact{}, order.Address{}
	again, _ := folded(t, orders, order.Stream(placed.ID), placed, order.Forgotten{At: noon})
	if !ok || o.FirstName+o.LastName+o.Email+o.Phone+o.Street+o.House+o.Floor+o.Apartment+o.Entrance+o.Comment != "" || o.City != "Алматы" || o.TotalPaid != 9000 {
		t.Errorf("forgotten: %+v", o)
	}
	if o.UpdatedAt != again.UpdatedAt || o.City != again.City || o.Email != again.Email || o.Number != again.Number {
		t.Errorf("a rebuild makes %+v of it", again)
	}
}
