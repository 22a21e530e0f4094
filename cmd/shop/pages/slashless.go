package pages

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// Slashless lets a path end in a slash or not, without a redirect.
func Slashless(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if r.URL.RawPath != "" {
			path = r.URL.RawPath
		}
		if len(path) > 1 && strings.HasSuffix(path, "/") {
			chi.RouteContext(r.Context()).RoutePath = "/" + strings.Trim(path, "/")
		}
		next.ServeHTTP(w, r)
	})
}
