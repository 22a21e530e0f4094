package staffapi

import (
	"fmt"
	"net/http"
)

// progress tells the client of a request with ?progress=true which share of its work is done: the answer is lines, {"share":0.25} as often as
// there is more to tell, and the answer itself as the last one, or what went wrong. It is nil for other requests.
func progress(w http.ResponseWriter, r *http.Request) func(share float64) {
	if r.URL.Query().Get("progress") != "true" {
		return nil
	}
	last := -1.0
	return func(share float64) {
		if share < last+0.01 && (share < 1 || last == 1) {
			return
		}
		last = share
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Header().Set("Cache-Control", "no-store")
		fmt.Fprintf(w, "{\"share\":%.3f}\n", share)
		_ = http.NewResponseController(w).Flush() // what cannot be flushed comes with the answer
	}
}
