package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain/staff"
)

// GiveTime lets a request be read and answered for longer than the server gives others.
func GiveTime(w http.ResponseWriter, within time.Duration) {
	until, c := time.Now().Add(within+5*time.Second), http.NewResponseController(w)
	// What cannot wait longer ends the request as it would any other.
	_ = errors.Join(c.SetReadDeadline(until), c.SetWriteDeadline(until))
}

// MaxTime is how long a request may be worked on: shorter than the server's WriteTimeout, so that there is an answer.
const MaxTime = 20 * time.Second

type requestIDKey struct{}

// Identified gives every request an id of our own: events carry it, so a caller must not choose it.
func Identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := uuid.Must(uuid.NewV7()).String()
		w.Header().Set("X-Request-ID", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// maxCallerID is how long an id may be that a caller gives its request.
const maxCallerID = 64

// CallerID is the id that a caller gave its request, for a line of the log; empty when it is none.
func CallerID(r *http.Request) string {
	id := r.Header.Get("X-Request-ID")
	if len(id) > maxCallerID {
		return ""
	}
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return ""
		}
	}
	return id
}

// Broken is a panic as an error.
type Broken struct {
	cause any
	stack []byte
}

func (b *Broken) Error() string { return fmt.Sprintf("panic: %v\n%s", b.cause, b.stack) }

// OrError makes a panic a *broken in a goroutine of which no request is told by recovered; defer it.
func OrError(err *error) {
	if cause := recover(); cause != nil {
		*err = &Broken{cause, debug.Stack()}
	}
}

type unlimitedKey struct{}

// KeepUnlimited remembers a request's context as it was before it got a time limit.
func KeepUnlimited(limited, whole context.Context) context.Context {
	return context.WithValue(limited, unlimitedKey{}, whole)
}

// Unlimited is a request's context without the time limit, for an answer that goes on; it still ends with the client.
func Unlimited(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(unlimitedKey{}).(context.Context); ok {
		return whole
	}
	return ctx
}

// Detail is the body of an answer that is one sentence.
func Detail(text string) any {
	return struct {
		Detail string `json:"detail"`
	}{text}
}

// Refusal is the body of an answer that is a sentence about a refusal, whose code never changes.
func Refusal(text, code string) any {
	return struct {
		Detail string `json:"detail"`
		Code   string `json:"code,omitempty"`
	}{text, code}
}

// Endpoint is a handler whose errors cmd/shop/edge answers.
type Endpoint func(w http.ResponseWriter, r *http.Request) error

// LogFailure logs why a request failed. Who has gone needs no answer, and what that made fail is no failure.
func LogFailure(log *slog.Logger, r *http.Request, err error) {
	if errors.Is(r.Context().Err(), context.Canceled) {
		return
	}
	log.ErrorContext(r.Context(), "request failed", "error", err, "method", r.Method, "path", r.URL.Path,
		"request_id", RequestID(r.Context()))
}

// unwritable is what is answered in place of a value that has no JSON.
const unwritable = "Что-то пошло не так. Попробуйте ещё раз позже"

// WriteJSON answers with a JSON body. Anything the failed handler promised about its own body no longer holds.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	encoded, err := json.Marshal(body)
	if err != nil {
		status, encoded = http.StatusInternalServerError, []byte(`{"detail":"`+unwritable+`"}`)
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

// Language is the language that a page of staff asks to be answered in, such as kk; empty where none is asked for.
func Language(r *http.Request) string {
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	language, _, _ := strings.Cut(strings.TrimSpace(first), "-")
	return strings.ToLower(language)
}

// Guard makes a handler of an endpoint of staff: sessions whose role has the permission may call it ("" is any role), and
// errors are answered as staff read them.
type Guard func(staff.Permission, Endpoint) http.Handler

// StaffFailed is said of the shop's own trouble.
const StaffFailed = "Something went wrong. Try again later."

// NotUnderstood is said of a body that is no JSON, or not of the form that is wanted.
const NotUnderstood = "The request is not understood."

// StaffForbidden is said to staff who may not do what they ask for.
const StaffForbidden = "Your role does not allow this."

// StaffRefusal is an answer to staff that is no success.
type StaffRefusal struct {
	Status int
	Detail string
}

// Refuse answers staff with a status and what is the matter.
func Refuse(status int, detail string) *StaffRefusal { return &StaffRefusal{status, detail} }

func (e *StaffRefusal) Error() string { return e.Detail }

// IsForbidden says whether an error is that a role does not allow something.
func IsForbidden(err error) bool {
	var refused *StaffRefusal
	return errors.As(err, &refused) && refused.Status == http.StatusForbidden && refused.Detail == StaffForbidden
}

// FieldErrors says what is wrong with which field of a request.
type FieldErrors map[string][]string

func (e FieldErrors) Error() string { return NotUnderstood }

// WrongField is a request with one wrong field.
func WrongField(name, text string) error { return FieldErrors{name: {text}} }

// StaffBody reads a JSON body. To ask for the JSON type keeps other sites' forms out: a browser asks us before it
// sends that type from another origin, and we say no.
func StaffBody(r *http.Request, into any) error {
	if sent, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || sent != "application/json" {
		return &StaffRefusal{http.StatusUnsupportedMediaType, "The body must be application/json."}
	}
	err := json.NewDecoder(r.Body).Decode(into)
	var (
		tooLarge *http.MaxBytesError
		kind     *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return WrongField(kind.Field, "Must not be a "+kind.Value+".")
	case err != nil && !errors.As(err, &tooLarge):
		return &StaffRefusal{http.StatusBadRequest, NotUnderstood}
	}
	return err
}

// SameTag compares an If-None-Match header with a tag as RFC 9110 asks: weakly, against each of a list.
func SameTag(ifNoneMatch, tag string) bool {
	if ifNoneMatch == "" {
		return false
	}
	for t := range strings.SplitSeq(ifNoneMatch, ",") {
		t = strings.TrimSpace(t)
		if t == "*" || strings.TrimPrefix(t, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
