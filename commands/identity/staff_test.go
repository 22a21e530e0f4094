package identity_test

import (
	"errors"
	"testing"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/signin"
	"shop/commands/testshop"
	"shop/domain/staff"
)

func TestStaffEventsAndSignInAgree(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	ctx := commands.WithOrigin(t.Context(), commands.Origin{Actor: "staff:cli"})
	accounts, err := signin.Open(ctx, s.Pool, signin.Options{Key: make([]byte, 32), Clock: s.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	team := &identity.Staff{Handler: s.Handler, Accounts: accounts}
	before := s.Head()
	id, err := team.Add(ctx, " Boss@Shop.example", staff.Admin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := team.Add(ctx, "boss@shop.example", staff.Support); !errors.Is(err, staff.ErrExists) {
		t.Errorf("the same e-mail again: %v", err)
	}
	if _, err := team.Add(ctx, "king@shop.example", "king"); !errors.Is(err, staff.ErrBadRole) {
		t.Errorf("an unknown role: %v", err)
	}
	if _, err := team.Accounts.Find(ctx, "king@shop.example"); !errors.Is(err, signin.ErrUnknown) {
		t.Errorf("a refused account is kept: %v", err)
	}
	if err := team.Disable(ctx, "boss@shop.example"); !errors.Is(err, staff.ErrLastAdmin) {
		t.Errorf("the last admin: %v", err)
	}
	if err := team.Disable(ctx, "nobody@shop.example"); !errors.Is(err, staff.ErrUnknown) {
		t.Errorf("nobody: %v", err)
	}
	if _, err := team.Add(ctx, "second@shop.example", staff.Admin); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		team.ChangeRole(ctx, "boss@shop.example", staff.Analyst), team.Disable(ctx, "boss@shop.example"), team.Enable(ctx, "boss@shop.example"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := team.Reset(ctx, "boss@shop.example"); err != nil {
		t.Error(err)
	}
	testshop.EqualText(t, "the log", s.Types(before), []string{"staff.added", "staff.added", "staff.role-changed", "staff.disabled", "staff.enabled", "staff.credentials-reset"})
	boss, err := team.Accounts.Find(ctx, "boss@shop.example")
	if err != nil || boss.ID != id || boss.Role != "analyst" || boss.State != "invited" {
		t.Errorf("sign-in knows %+v, %v", boss, err)
	}
	events, err := s.Log.Stream(ctx, staff.Stream(id), 0, 0)
	if err != nil || events[0].Data.(staff.Added).Email != "boss@shop.example" || events[0].Metadata.Actor != "staff:cli" {
		t.Errorf("the stream is %+v, %v", events, err)
	}
	// A command that ended between log and tables is repeated.
	half := s.Handler.NewID()
	if _, err := team.Accounts.Reserve(ctx, half, "half@shop.example", "admin"); err != nil {
		t.Fatal(err)
	}
	if again, err := team.Add(ctx, "half@shop.example", staff.Support); err != nil || again != half {
		t.Errorf("added again: %v, %v", again, err)
	}
	if a, err := team.Accounts.Find(ctx, "half@shop.example"); err != nil || a.Role != "support" {
		t.Errorf("its role is %+v, %v", a, err)
	}
}
