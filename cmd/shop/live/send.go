package live

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"shop/readapi/endpoint"
)

const (
	// writeWithin is how long a client may take to accept a message, heartbeat the pause between comments that show
	// both ends that the other is there, reconnectAfter when a browser comes back after an end.
	writeWithin    = 5 * time.Second
	heartbeat      = 15 * time.Second
	reconnectAfter = 2 * time.Second
)

// Event is a message of a kind as it is written into a stream.
func Event(kind string, data []byte) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, data)
}

// Send answers a request with messages until ended is closed, the client is gone, or the shop stops.
func Send(w http.ResponseWriter, r *http.Request, messages <-chan []byte, ended <-chan struct{}) error {
	control := http.NewResponseController(w)
	// The server's deadlines are for requests that end. A client that vanished is noticed by what it does not accept.
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	send := func(message []byte) error {
		if err := control.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := w.Write(message); err != nil {
			return err
		}
		return control.Flush()
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not wait for more
	w.WriteHeader(http.StatusOK)
	if send(fmt.Appendf(nil, "retry: %d\n\n", reconnectAfter.Milliseconds())) != nil {
		return nil
	}
	whole := endpoint.Unlimited(r.Context())
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		message := []byte(":\n\n")
		select {
		case <-whole.Done():
			return nil
		case <-ended:
			return nil
		case message = <-messages:
		case <-beat.C:
		}
		if send(message) != nil {
			return nil // it is gone; there is nobody to answer
		}
	}
}
