package main

import (
	"net/http"

	"shop/cmd/shop/edge"
	"shop/domain/staff"
)

// guarded is a call and the permission that it asks for.
type guarded struct {
	method, path, body string
	needs              staff.Permission
}

// mayCall makes calls: those that the role may not make are refused, and those that change something also without the token of
// the session.
func (w worker) mayCall(role staff.Role, calls ...guarded) {
	w.d.t.Helper()
	for _, c := range calls {
		got := w.d.ask(c.method, c.path, c.body, "Cookie", w.cookie, edge.CsrfHeader, w.csrf)
		if may := role.May(c.needs); may == (got.Code == http.StatusForbidden) || got.Code >= 500 {
			w.d.t.Errorf("%s %s %s as %s: %d %s", c.method, c.path, c.body, role, got.Code, got.Body)
		}
		if c.method != "GET" && w.d.ask(c.method, c.path, c.body, "Cookie", w.cookie).Code != http.StatusForbidden {
			w.d.t.Errorf("%s %s as %s needs no token of the session", c.method, c.path, role)
		}
	}
}
