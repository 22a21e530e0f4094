package customer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain/customer"
	"shop/domain/spec"
)

func TestGroupsOfACustomer(t *testing.T) {
	t.Parallel()
	id, noon := uuid.UUID{15: 7}, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	joined := func(name string) customer.GroupJoined { return customer.GroupJoined{ID: id, Group: name, At: noon} }
	left := customer.GroupLeft{ID: id, Group: "VIP", At: noon}
	open := spec.For(t, customer.Decider).Given(customer.Registered{ID: id})
	open.When(customer.JoinGroup{Group: "  мелкий   опт 2 ", At: noon}).Then(joined("мелкий опт 2"))
	for _, name := range []string{"", " ", "a-b", "<b>", strings.Repeat("ж", 41)} {
		open.When(customer.JoinGroup{Group: name}).Refused(customer.ErrBadGroup)
	}
	open.When(customer.LeaveGroup{Group: "VIP", At: noon}).Nothing()
	member := open.Given(joined("VIP"))
	member.When(customer.JoinGroup{Group: "VIP", At: noon}).Nothing()
	member.When(customer.LeaveGroup{Group: "VIP", At: noon}).Then(left)
	member.Given(left).When(customer.LeaveGroup{Group: "VIP", At: noon}).Nothing()
	full := open
	for i := range customer.MaxGroups {
		full = full.Given(joined(fmt.Sprint("группа ", i)))
	}
	full.When(customer.JoinGroup{Group: "еще одна", At: noon}).Refused(customer.ErrTooManyGroups)
	spec.For(t, customer.Decider).When(customer.JoinGroup{Group: "VIP"}).Refused(customer.ErrUnknown)
	member.Given(customer.ErasureRequested{ID: id, By: "staff"}).When(customer.JoinGroup{Group: "опт"}).Refused(customer.ErrErased)
}
