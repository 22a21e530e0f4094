package endpoint

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
)

// SayWhen tells who was refused for a while when to come again: an error that has RetryAfter says it.
func SayWhen(w http.ResponseWriter, err error) {
	var refused interface{ RetryAfter() time.Duration }
	if errors.As(err, &refused) {
		RetryAfter(w, refused.RetryAfter())
	}
}

// RetryAfter tells a client how long to wait, in whole seconds.
func RetryAfter(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
}
