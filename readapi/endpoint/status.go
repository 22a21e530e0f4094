package endpoint

import "net/http"

// What goes wrong without a domain.Refusal, by a word of its own.
const (
	Invalid  = "invalid"
	NotFound = "not-found"
	Outdated = "outdated"
	TooLarge = "too-large"
	TooMany  = "too-many"
	Busy     = "busy"
	Failed   = "failed"
	// Conflict is what no refusal says: what is asked for does not fit how things stand.
	Conflict = "conflict"

	StaffSignedOut        = "staff/signed-out"
	StaffWrongCredentials = "staff/wrong-credentials"
	StaffWeakPassword     = "staff/weak-password"
	// StaffGuessablePassword: it is long enough, and still among the first guesses.
	StaffGuessablePassword = "staff/guessable-password"
	StaffUsedLink          = "staff/used-link"
	// StaffStepUp is public: pages ask for the second factor and repeat the request.
	StaffStepUp = "step-up-required"
)

// statuses is the one table from errors to HTTP statuses: by the public code of a refusal, or by one of the words above.
// A refusal that is not in it is a conflict. What is told beside the status is for those who answer: shoppers read Russian
// (commands/shopapi, readapi), staff English (cmd/shop/edge, cmd/shop/ops); readapi/sentences has both in other languages.
var statuses = map[string]int{
	Invalid:  http.StatusBadRequest,
	NotFound: http.StatusNotFound,
	Outdated: http.StatusConflict,
	TooLarge: http.StatusRequestEntityTooLarge,
	TooMany:  http.StatusTooManyRequests,
	Busy:     http.StatusServiceUnavailable,
	Failed:   http.StatusInternalServerError,

	"customer/unknown":  http.StatusNotFound,
	"order/unknown":     http.StatusNotFound,
	"mail/no-letter":    http.StatusNotFound,
	"catalog/unknown":   http.StatusNotFound,
	"promocode/unknown": http.StatusNotFound,
	"review/unknown":    http.StatusNotFound,
	"post/unknown":      http.StatusNotFound,
	"payment/unknown":   http.StatusNotFound,
	"payment/no-refund": http.StatusNotFound,

	"change/unknown":   http.StatusNotFound,
	"change/no-items":  http.StatusBadRequest,
	"change/text":      http.StatusBadRequest,
	"change/past":      http.StatusBadRequest,
	"change/end":       http.StatusBadRequest,
	"change/no-reason": http.StatusBadRequest,
	"change/days":      http.StatusBadRequest,
	"change/own":       http.StatusForbidden,

	"order/no-such-payment":     http.StatusNotFound,
	"order/mark-without-reason": http.StatusBadRequest,
	"payment/provider-silent":   http.StatusServiceUnavailable,
	"staff/unknown":             http.StatusNotFound,

	"order/below-minimum":        http.StatusBadRequest,
	"restock/already-subscribed": http.StatusBadRequest,
	"restock/in-stock":           http.StatusBadRequest,

	"customer/signed-out": http.StatusUnauthorized,

	StaffSignedOut:         http.StatusUnauthorized,
	StaffWrongCredentials:  http.StatusUnauthorized,
	StaffWeakPassword:      http.StatusBadRequest,
	StaffGuessablePassword: http.StatusBadRequest,
	StaffUsedLink:          http.StatusGone,
	StaffStepUp:            http.StatusForbidden,
}

// Status is what an error is answered with, by its code.
func Status(code string) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusConflict
}
