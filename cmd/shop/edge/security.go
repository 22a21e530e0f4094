package edge

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/commands/identity/securitylog"
	"shop/readapi/endpoint"
)

// watched lets what happens in a call reach the security log, with the template of its route. Pages and files change nothing and show
// nobody.
func watched(log securitylog.Recorder) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		if log == nil {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/api/") {
				ctx := r.Context()
				r = r.WithContext(securitylog.Into(ctx, log, securitylog.Request{
					Network: clientAddr(r).String(), ID: endpoint.RequestID(ctx),
					Route: func() string { return r.Method + " " + chi.RouteContext(ctx).RoutePattern() },
				}))
			}
			next.ServeHTTP(w, r)
		})
	}
}

// noted records answers that a role does not allow.
func noted(e endpoint.Endpoint) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := e(w, r)
		if endpoint.IsForbidden(err) {
			securitylog.Note(r.Context(), securitylog.Entry{Kind: securitylog.Permission, Outcome: securitylog.Refused})
		}
		return err
	}
}

// noteLimit records that a limit on guesses refused a request.
func noteLimit(how string) func(r *http.Request) {
	return func(r *http.Request) {
		securitylog.Note(r.Context(), securitylog.Entry{Kind: securitylog.Limit, Outcome: securitylog.Refused, How: how})
	}
}
