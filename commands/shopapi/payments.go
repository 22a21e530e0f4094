package shopapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/commands/payments"
)

// Answers to a provider whose notification cannot be done.
var (
	errForged     = &Refused{http.StatusForbidden, "Подпись уведомления неверна"}
	errUnreadable = &Refused{http.StatusBadRequest, "Уведомление непонятно"}
	errNoProvider = &Refused{http.StatusNotFound, "Не найдено"}
)

// Payments hears from payment providers, and leads shoppers to them.
type Payments struct{ Orders *commands.Orders }

// Routes adds its calls.
func (a Payments) Routes(r chi.Router, by Guards) {
	r.Method("POST", "/api/payments/{provider}", by.Anyone(a.Notify))
	r.Method("POST", "/api/payments/{provider}/{kind}", by.Anyone(a.Notify))
	r.Method("GET", "/pay/{payment}", by.Anyone(a.Forward))
	r.Method("HEAD", "/pay/{payment}", by.Anyone(a.Forward))
}

// Notify is where a provider says how a payment went (POST /api/payments/{provider}/{kind}/). The answer is sent once what
// it says stands in the log; until then the provider repeats itself.
func (a Payments) Notify(w http.ResponseWriter, r *http.Request) error {
	provider, err := a.Orders.Providers.Notifier(r.PathValue("provider"))
	if err != nil {
		return errNoProvider
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return errTooLarge
	}
	reply, err := a.receive(r.Context(), provider, r.PathValue("kind"), r.Header, body)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]payments.Reply{"code": reply})
}

// Deliver is Notify for the sandbox's bank.
func (a Payments) Deliver(ctx context.Context, header http.Header, body []byte) error {
	_, err := a.receive(ctx, a.Orders.Providers.Current, "", header, body)
	return err
}

// receive verifies a notification and does what it says.
func (a Payments) receive(ctx context.Context, provider payments.Provider, kind string, header http.Header, body []byte) (payments.Reply, error) {
	n, err := provider.Verify(kind, header, body)
	switch {
	case errors.Is(err, payments.ErrForged):
		return 0, errForged
	case errors.Is(err, payments.ErrUnreadable):
		a.Orders.Logger().ErrorContext(ctx, "payment notification is not understood", "kind", kind, "error", err)
		return 0, errUnreadable
	case err != nil:
		return 0, fmt.Errorf("verify notification: %w", err)
	}
	return a.Orders.Take(ctx, provider.Name(), n)
}

// Forward is the page /pay/{payment}: it leads on to the provider's, or back to the shop when there is nothing to pay.
func (a Payments) Forward(w http.ResponseWriter, r *http.Request) error {
	url, paid, err := a.Orders.WhereToPay(r.Context(), r.PathValue("payment"))
	if err != nil {
		return err
	}
	to := "/#error_popup"
	switch {
	case paid:
		to = "/#success_popup"
	case url != "":
		to = url
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}
