package pages

import (
	"net/http"
)

// StaffPage serves a page of the staff, the same to everybody under every address of it: what it shows comes from the API,
// to those who are signed in.
func StaffPage(page []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Robots-Tag", "noindex")
		w.Write(page)
	}
}
