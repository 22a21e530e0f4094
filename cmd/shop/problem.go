package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"shop/commands"
	"shop/readapi"
)

// What shoppers are told when the matter is not theirs.
const (
	textFailed   = "Что-то пошло не так. Попробуйте ещё раз позже"
	textNotFound = "Не найдено"
	textMethod   = "Этот метод здесь не поддерживается"
	textTooMany  = "Слишком много запросов. Попробуйте ещё раз чуть позже"
	textBusy     = "Магазин не успел ответить. Попробуйте ещё раз"
	textTooLarge = "Запрос слишком большой"
	textStarting = "Магазин открывается. Попробуйте ещё раз через несколько секунд"
)

// detail is the body of an answer that is one sentence.
func detail(text string) any {
	return struct {
		Detail string `json:"detail"`
	}{text}
}

// endpoint is a handler whose errors problems answers.
type endpoint func(w http.ResponseWriter, r *http.Request) error

// answer turns an endpoint's error into JSON. It is the one place where a request's error is logged: refusals
// are the shopper's business and not logged, our own failures are, once, with what they wrap.
func answer(log *slog.Logger, e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := e(w, r)
		if err == nil {
			return
		}
		status, body := problem(err)
		if status >= 500 {
			logFailure(log, r, err)
		}
		writeJSON(w, status, body)
	}
}

// logFailure logs why a request failed. Who has gone needs no answer, and what that made fail is no failure.
func logFailure(log *slog.Logger, r *http.Request, err error) {
	if errors.Is(r.Context().Err(), context.Canceled) {
		return
	}
	log.ErrorContext(r.Context(), "request failed", "error", err, "method", r.Method, "path", r.URL.Path,
		"request_id", requestID(r.Context()))
}

// problem says an error to a shopper.
func problem(err error) (status int, body any) {
	if status, body, ok := commands.Answer(err); ok {
		return status, body
	}
	if status, body, ok := readapi.Answer(err); ok {
		return status, body
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, detail(textTooLarge)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isAway(err):
		return http.StatusServiceUnavailable, detail(textBusy)
	}
	return http.StatusInternalServerError, detail(textFailed)
}

// isAway says that the database was not there, or went while it was asked: it is being started anew, or a connection was
// cut. The next attempt may find it back.
func isAway(err error) bool {
	var (
		connecting *pgconn.ConnectError
		network    *net.OpError
		refused    *pgconn.PgError
	)
	if errors.As(err, &refused) {
		// Connection, no free connection, the server shuts down, crashed or starts.
		return strings.HasPrefix(refused.Code, "08") || refused.Code == "53300" || strings.HasPrefix(refused.Code, "57P")
	}
	return errors.As(err, &connecting) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// writeJSON answers with a JSON body. Anything the failed handler promised about its own body no longer holds.
func writeJSON(w http.ResponseWriter, status int, body any) {
	encoded, err := json.Marshal(body)
	if err != nil {
		status, encoded = http.StatusInternalServerError, []byte(`{"detail":"`+textFailed+`"}`)
	}
	h := w.Header()
	h.Del("ETag")
	h.Del("Last-Modified")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(encoded)))
	w.WriteHeader(status)
	w.Write(encoded)
}
