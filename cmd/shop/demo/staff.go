package demo

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
	"shop/commands/identity/signin"
	"shop/domain/staff"
)

// Access is how a person signs in to the demo's staff accounts. Password and secret are made of a secret of this shop, so no
// other shop's demo has the same, and they are the same at each start.
type Access struct {
	Password string
	// Secret is that of the authenticator, of all accounts alike.
	Secret []byte
}

// AccessOf is the access to the demo's accounts of a shop.
func AccessOf(ctx context.Context, s *app.Shop) (Access, error) {
	secret, err := app.Secret(ctx, s.Store, "demo-staff")
	if err != nil {
		return Access{}, err
	}
	of := func(what string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(what))
		return mac.Sum(nil)
	}
	text := strings.ToLower(base32.StdEncoding.EncodeToString(of("password"))[:16])
	return Access{Password: text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:], Secret: of("authenticator")[:20]}, nil
}

// Code is what an authenticator would show now.
func (a Access) Code(now time.Time) string { return signin.CodeOf(a.Secret, now) }

// emailOf is the demo's account with a role.
func emailOf(role staff.Role) string { return string(role) + "@dala.example" }

// addStaff makes an account with a role, unless there is one with its e-mail. active: it can sign in.
func addStaff(ctx context.Context, s *app.Shop, role staff.Role, access Access) (active bool, err error) {
	account, err := s.Accounts.Find(ctx, emailOf(role))
	if !errors.Is(err, signin.ErrUnknown) {
		return account.State == "active", err
	}
	id, err := s.Staff.Add(as(ctx, "system:demo"), emailOf(role), role)
	if err == nil {
		err = s.Accounts.SetPassword(ctx, id, access.Password)
	}
	if err == nil {
		err = s.Accounts.SetAuthenticator(ctx, id, access.Secret)
	}
	if err != nil {
		return false, fmt.Errorf("the demo's %s: %w", role, err)
	}
	return true, nil
}

// welcomeStaff makes the demo's account of each role, once, and prints how to sign in to them. A log that is not the demo's gets
// none, nor does a shop that is public by its https address.
func welcomeStaff(ctx context.Context, s *app.Shop, w terminal.World) error {
	isDemo, err := s.Customers.SignIns.Taken(ctx, uuid.Nil, account.Email)
	if err != nil || !isDemo || s.Config.Https() {
		return err
	}
	access, err := AccessOf(ctx, s)
	if err != nil {
		return err
	}
	var emails []string
	for _, role := range staff.Roles {
		active, err := addStaff(ctx, s, role, access)
		if err != nil {
			return err
		}
		if active {
			emails = append(emails, emailOf(role))
		}
	}
	_, err = fmt.Fprintf(w.Stderr, "demo: staff sign in at /admin as %s\ndemo: their password is %s, unless it was changed\n"+
		"demo: add %s to an authenticator, or print a code with: shop demo code\n",
		strings.Join(emails, ", "), access.Password, signin.KeyURI("dala demo", "staff", access.Secret))
	return err
}
