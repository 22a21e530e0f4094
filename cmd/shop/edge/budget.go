package edge

import "net/http"

// budget asks a limit in the middle of a request, when it turns out that the request costs something. Beyond the limit it says
// after how many seconds to come again, and the asker answers.
func budget(limit func(http.Handler) http.Handler) func(r *http.Request) (after string, ok bool) {
	return func(r *http.Request) (after string, ok bool) {
		refused := unheard{}
		limit(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { ok = true })).ServeHTTP(refused, r)
		return http.Header(refused).Get("Retry-After"), ok
	}
}

// unheard is an answer that nobody gets; its headers are all that is read of it.
type unheard http.Header

func (u unheard) Header() http.Header       { return http.Header(u) }
func (unheard) Write(p []byte) (int, error) { return len(p), nil }
func (unheard) WriteHeader(int)             {}
