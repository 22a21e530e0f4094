package staff_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain/spec"
	"shop/domain/staff"
)

var (
	noon     = time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	id       = uuid.UUID{15: 1}
	added    = staff.Added{ID: id, Email: "a@shop.example", Role: staff.Admin, At: noon}
	disabled = staff.Disabled{At: noon}
)

func TestAdd(t *testing.T) {
	t.Parallel()
	add := staff.Add{ID: id, Email: "a@shop.example", Role: staff.Admin, At: noon}
	spec.For(t, staff.Decider).When(add).Then(added)
	spec.For(t, staff.Decider).Given(added).When(add).Refused(staff.ErrExists)
	add.Role = "king"
	spec.For(t, staff.Decider).When(add).Refused(staff.ErrBadRole)
	for _, email := range []string{"", "a", "A@shop.example", " a@shop.example"} {
		spec.For(t, staff.Decider).When(staff.Add{ID: id, Email: email, Role: staff.Admin}).Refused(staff.ErrBadEmail)
	}
}

func TestAnAccountsLife(t *testing.T) {
	t.Parallel()
	fresh, here := spec.For(t, staff.Decider), spec.For(t, staff.Decider).Given(added)
	gone := here.Given(disabled)
	for _, c := range []staff.Command{staff.ChangeRole{Role: staff.Support}, staff.Disable{}, staff.Enable{}, staff.ResetCredentials{}} {
		fresh.When(c).Refused(staff.ErrUnknown)
	}
	here.When(staff.ChangeRole{Role: staff.Support, At: noon}).Then(staff.RoleChanged{Role: staff.Support, At: noon})
	here.When(staff.ChangeRole{Role: staff.Admin, At: noon}).Then()
	here.When(staff.ChangeRole{Role: "king", At: noon}).Refused(staff.ErrBadRole)
	here.When(staff.Disable{At: noon}).Then(disabled)
	here.When(staff.Enable{At: noon}).Then()
	here.When(staff.ResetCredentials{At: noon}).Then(staff.CredentialsReset{At: noon})
	gone.When(staff.Disable{At: noon}).Then()
	gone.When(staff.Enable{At: noon}).Then(staff.Enabled{At: noon})
	gone.When(staff.ResetCredentials{At: noon}).Refused(staff.ErrDisabled)
	gone.Given(staff.Enabled{At: noon}).When(staff.Disable{At: noon}).Then(disabled)
}

// TestNobodyLocksThemselvesOut: what takes rights away from an account, another one asks for.
func TestNobodyLocksThemselvesOut(t *testing.T) {
	t.Parallel()
	here := spec.For(t, staff.Decider).Given(added)
	here.When(staff.Disable{Self: true}).Refused(staff.ErrSelf)
	here.When(staff.ChangeRole{Role: staff.Support, Self: true}).Refused(staff.ErrSelf)
	here.When(staff.ResetCredentials{Self: true}).Refused(staff.ErrSelf)
	here.Given(disabled).When(staff.Disable{Self: true}).Then()
	here.When(staff.ChangeRole{Role: staff.Admin, Self: true}).Then()
}

func TestAnAccountsAccess(t *testing.T) {
	t.Parallel()
	here := spec.For(t, staff.Decider).Given(added)
	here.When(staff.Invite{At: noon}).Then(staff.Invited{At: noon})
	here.When(staff.Invite{Chosen: true, At: noon}).Refused(staff.ErrHasChosen)
	here.Given(disabled).When(staff.Invite{At: noon}).Refused(staff.ErrDisabled)
	here.When(staff.Unlock{At: noon}).Then(staff.Unlocked{At: noon})
	here.When(staff.EndSessions{At: noon}).Then(staff.SessionsEnded{At: noon})
	here.Given(staff.Invited{At: noon}, staff.Unlocked{At: noon}, staff.SessionsEnded{At: noon}).When(staff.Disable{At: noon}).Then(disabled)
	for _, c := range []staff.Command{staff.Invite{}, staff.Unlock{}, staff.EndSessions{}} {
		spec.For(t, staff.Decider).When(c).Refused(staff.ErrUnknown)
	}
}

func TestTheLastAdminStays(t *testing.T) {
	t.Parallel()
	here := spec.For(t, staff.Decider).Given(added)
	here.When(staff.Disable{LastAdmin: true}).Refused(staff.ErrLastAdmin)
	here.When(staff.ChangeRole{Role: staff.Support, LastAdmin: true}).Refused(staff.ErrLastAdmin)
	here.Given(disabled).When(staff.ChangeRole{Role: staff.Support, LastAdmin: true, At: noon}).Then(staff.RoleChanged{Role: staff.Support, At: noon})
	support := here.Given(staff.RoleChanged{Role: staff.Support})
	support.When(staff.Disable{LastAdmin: true, At: noon}).Then(disabled)
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	for _, p := range staff.Permissions {
		if !staff.Admin.May(p) {
			t.Errorf("an admin may not %s", p)
		}
	}
	// Who may do what is dangerous; everything else is the table's.
	for p, want := range map[staff.Permission][]staff.Role{
		staff.ManageStaff:    {staff.Admin},
		staff.RunProjections: {staff.Admin, staff.Operator},
		staff.SeePersonal:    {staff.Admin, staff.Manager, staff.Warehouse, staff.Support},
		staff.ErasePersonal:  {staff.Admin, staff.Manager},
		staff.ChangeOrders:   {staff.Admin, staff.Manager, staff.Support},
	} {
		var got []staff.Role
		for _, r := range staff.Roles {
			if r.May(p) {
				got = append(got, r)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
	for _, r := range staff.Roles {
		if len(r.Permissions()) == 0 || !r.Known() {
			t.Errorf("%s may do nothing", r)
		}
		for _, p := range r.Permissions() {
			if !slices.Contains(staff.Permissions, p) {
				t.Errorf("%s may %s, which is not listed", r, p)
			}
		}
	}
	if staff.Role("").May(staff.SeeLog) || staff.Role("").Known() {
		t.Error("nobody may something")
	}
}
