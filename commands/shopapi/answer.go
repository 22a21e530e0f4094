package shopapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"shop/eventstore"
)

// answer writes a JSON body.
func answer(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a visitor who has gone needs no answer
	return nil
}

// written tells the browser how far a read model must have come to show what this command did.
func written(w http.ResponseWriter, position eventstore.Position) {
	if position > 0 {
		w.Header().Set("X-Event-Position", strconv.FormatInt(int64(position), 10))
	}
}
