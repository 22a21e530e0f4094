package staffapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/signin"
	"shop/commands/refunds"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
	"shop/readapi/statement"
)

// Payments are the calls of staff about bills, refunds and statements of providers.
type Payments struct {
	Orders *commands.Orders
	Shop   reads.Shop
	Past   reads.Past
	// History reads the money of a day from the log.
	History  *reads.Reader
	Accounts *signin.Accounts
	Clock    func() time.Time
	Log      *slog.Logger
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (s *Payments) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	r.Method("GET", "/api/staff/payments", fresh("orders")(allowed(staff.SeePayments, s.list)))
	r.Method("GET", "/api/staff/payments/refunds", fresh("orders")(allowed(staff.SeePayments, s.refunds)))
	r.Method("POST", "/api/staff/payments/refunds/attempts", allowed(staff.RefundOrders, s.retry))
	r.Method("POST", "/api/staff/payments/refunds/settlements", allowed(staff.MarkPayments, s.settle))
	r.Method("POST", "/api/staff/payments/reconciliation", allowed(staff.SeePayments, s.reconcile))
	r.Method("POST", "/api/staff/payments/{payment}/question", allowed(staff.SeePayments, s.ask))
	r.Method("POST", "/api/staff/payments/{payment}/mark", allowed(staff.MarkPayments, s.mark))
}

// pageOf reads limit and offset of a list.
func pageOf(q url.Values) (limit, offset int, err error) {
	wrong := endpoint.FieldErrors{}
	number := func(name string, fallback, least, most int) int {
		text := q.Get(name)
		if text == "" {
			return fallback
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			wrong[name] = []string{fmt.Sprintf("Must be a number from %d to %d.", least, most)}
		}
		return n
	}
	limit, offset = number("limit", 50, 1, maxPage), number("offset", 0, 0, 10_000)
	if len(wrong) > 0 {
		return 0, 0, wrong
	}
	return limit, offset, nil
}

// list is GET /api/staff/payments/?state=…&at=: bills that wait, are late, have another sum, or were paid twice.
func (s *Payments) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, offset, err := pageOf(q)
	if err != nil {
		return err
	}
	state := q.Get("state")
	if state == "" {
		state = reads.PaymentStates[0]
	}
	if !slices.Contains(reads.PaymentStates, state) {
		return endpoint.WrongField("state", "Must be open, late, mismatched, twice or marked.")
	}
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (reads.FoundPayments, error) {
		return shop.Payments(ctx, state, shop.Time(s.Clock()), limit, offset)
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}

// refunds is GET /api/staff/payments/refunds/?at=: those that are not done. How often they were tried is not known of the past.
func (s *Payments) refunds(w http.ResponseWriter, r *http.Request) error {
	limit, offset, err := pageOf(r.URL.Query())
	if err != nil {
		return err
	}
	stuck := r.URL.Query().Get("stuck") == "true"
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) ([]reads.RefundRow, error) {
		if stuck && shop.Then != nil {
			return nil, endpoint.WrongField("stuck", "Сколько раз возврат пробовали раньше, неизвестно")
		}
		return shop.Refunds(ctx, stuck, limit, offset)
	})
	if err != nil {
		return err
	}
	name := s.Accounts.Names(r.Context(), s.Log)
	for i := range found {
		found[i].Actor = name(found[i].Actor)
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]reads.RefundRow{"results": found})
	return nil
}

// ask is POST /api/staff/payments/{payment}/question/: the provider is asked for it, and what it says is settled.
func (s *Payments) ask(w http.ResponseWriter, r *http.Request) error {
	outcome, position, err := s.Orders.AskAgain(r.Context(), r.PathValue("payment"))
	if err != nil {
		return err
	}
	tellPosition(w, position)
	endpoint.WriteJSON(w, http.StatusOK, map[string]string{"outcome": string(outcome)})
	return nil
}

// mark is POST /api/staff/payments/{payment}/mark/: {"reason": "…"}.
func (s *Payments) mark(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Reason string `json:"reason"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	payment := r.PathValue("payment")
	id, err := uuid.Parse(payment[:min(len(payment), 36)])
	if err != nil {
		return order.ErrNoSuchPayment
	}
	position, err := s.Orders.MarkPayment(r.Context(), id, payment, asked.Reason)
	if err != nil {
		return err
	}
	return written(w, position)
}

// oneRefund is the body of a request about a refund. Its id holds slashes, so it is in no address.
type oneRefund struct {
	Refund string `json:"refund"`
	Reason string `json:"reason"`
	// Reference is the number of what went back in the books of the bank or the desk.
	Reference string `json:"reference"`
}

// retry is POST /api/staff/payments/refunds/attempts/: {"refund": "…"}. The role's limit for refunds holds.
func (s *Payments) retry(w http.ResponseWriter, r *http.Request) error {
	var asked oneRefund
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if err := signin.SteppedUp(r.Context()); err != nil {
		return err
	}
	if err := s.withinLimit(r, asked.Refund); err != nil {
		return err
	}
	position, err := s.Orders.RetryRefund(r.Context(), asked.Refund)
	if err != nil {
		return err
	}
	return written(w, position)
}

// settle is POST /api/staff/payments/refunds/settlements/: {"refund": "…", "reference": "…", "reason": "…"}: the money went back by hand. "waits" says that
// a second person's word is awaited.
func (s *Payments) settle(w http.ResponseWriter, r *http.Request) error {
	var asked oneRefund
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if err := signin.SteppedUp(r.Context()); err != nil {
		return err
	}
	if err := s.withinLimit(r, asked.Refund); err != nil {
		return err
	}
	position, waits, err := refunds.Desk{Orders: s.Orders}.SettleRefund(r.Context(), asked.Refund, asked.Reference, asked.Reason)
	if err != nil {
		return besideField(err)
	}
	tellPosition(w, position)
	endpoint.WriteJSON(w, http.StatusOK, map[string]bool{"waits": waits})
	return nil
}

func (s *Payments) withinLimit(r *http.Request, refund string) error {
	limit := limitsOf(r.Context()).Refund
	if limit == 0 {
		return nil
	}
	amount, found, err := s.Shop.WaitingRefund(r.Context(), refund)
	if err != nil {
		return err
	}
	if found && amount > limit {
		return endpoint.WrongField("refund", fmt.Sprintf("Your role may refund at most %d tenge at once.", limit))
	}
	return nil
}

// difference is what the shop and a provider do not agree on, with the number of its order; 0: the shop knows no such order.
type difference struct {
	statement.Difference
	Number int64 `json:"number"`
}

// reconcile is POST /api/staff/payments/reconciliation/: {"day": "YYYY-MM-DD", "file": "…"}. It compares a day's rows of a provider's
// file with the log and writes nothing.
func (s *Payments) reconcile(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Day  string `json:"day"`
		File string `json:"file"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	from, err := time.ParseInLocation(time.DateOnly, asked.Day, domain.Almaty)
	if err != nil {
		return endpoint.WrongField("day", "Must be a day, YYYY-MM-DD.")
	}
	theirs, bad, err := statement.Read(asked.File)
	var refusal *domain.Refusal
	if errors.As(err, &refusal) {
		return endpoint.WrongField("file", refusal.Message)
	}
	until := from.AddDate(0, 0, 1)
	// A row of a minute before midnight may be the next day's money by the other clock.
	ours, err := s.History.Moved(r.Context(), from.AddDate(0, 0, -1), until.AddDate(0, 0, 1))
	if err != nil {
		return err
	}
	compared := statement.Compare(ours, theirs, from, until)
	payments := make([]string, len(compared.Differences))
	for i, d := range compared.Differences {
		payments[i] = d.PaymentID
	}
	numbers, err := s.Shop.NumbersOf(r.Context(), payments)
	if err != nil {
		return err
	}
	differences := make([]difference, len(compared.Differences))
	for i, d := range compared.Differences {
		differences[i] = difference{d, numbers[d.PaymentID]}
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{
		"rows": len(theirs), "same": compared.Same, "same_sum": compared.SameSum, "differences": differences, "bad_rows": append([]statement.BadRow{}, bad...),
	})
	return nil
}
