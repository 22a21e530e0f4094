package staffapi

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/changes"
	"shop/commands/identity/signin"
	"shop/domain/catalog"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Stock are the calls of staff about goods in the warehouse. What was counted is a change of stock: staff/changes.
type Stock struct {
	Changes  *changes.Changes
	Ledgers  *reads.Reader
	Past     reads.Past
	Accounts *signin.Accounts
	Log      *slog.Logger
}

// Routes adds its calls.
func (s *Stock) Routes(r chi.Router, allowed endpoint.Guard, _ func(projections ...string) func(http.Handler) http.Handler) {
	r.Method("POST", "/api/staff/stock/receipts", allowed(staff.ChangeStock, s.receive))
	r.Method("GET", "/api/staff/stock/{product}/ledger", allowed(staff.SeeCatalog, s.ledger))
}

// receipt is a delivery. ID makes it unrepeatable, Note names the supplier's paper, Title is that of its change.
type receipt struct {
	ID    uuid.UUID              `json:"id"`
	Title string                 `json:"title"`
	Note  string                 `json:"note"`
	Lines []changes.ReceivedLine `json:"lines"`
}

// receive is POST /api/staff/stock/receipts/: a whole delivery or nothing of it, as a change.
func (s *Stock) receive(w http.ResponseWriter, r *http.Request) error {
	var asked receipt
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if asked.ID == uuid.Nil {
		return endpoint.WrongField("id", "Must be an id.")
	}
	a, err := s.Changes.Receive(r.Context(), changes.Delivery{ID: asked.ID, Title: asked.Title, Note: asked.Note, Lines: asked.Lines, May: mayOf(r.Context())})
	var refused *changes.Refused
	if err != nil && !errors.As(err, &refused) {
		return besideField(err)
	}
	return made(w, r, a, err)
}

// ledger is GET /api/staff/stock/{product}/ledger/?at=: the newest movements of a product's stock.
func (s *Stock) ledger(w http.ResponseWriter, r *http.Request) error {
	product, err := uuid.Parse(r.PathValue("product"))
	if err != nil {
		return catalog.ErrUnknown
	}
	limit, _, err := pageOf(r.URL.Query())
	if err != nil {
		return err
	}
	var until reads.Moment
	if at, err := thenOf(r, s.Past); err != nil {
		return err
	} else if at != nil {
		until.Position = at.Position
	}
	found, err := s.Ledgers.Ledger(r.Context(), product, until, limit, s.Accounts.Names(r.Context(), s.Log))
	if errors.Is(err, reads.ErrNoProduct) {
		return catalog.ErrUnknown
	}
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}
