package staff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain/bonus"
	"shop/domain/customer"
	"shop/eventstore"
)

// CustomerSheet is everything about a customer that staff need on one page.
type CustomerSheet struct {
	// Account is the row of the read model, persons masked without the permission to see them.
	Account json.RawMessage `json:"account"`
	// Orders counts all orders; Latest are the newest of them. Spent is what the paid ones cost.
	Orders int64         `json:"orders"`
	Spent  int64         `json:"spent"`
	Latest []OrderOf     `json:"latest"`
	Bonus  int64         `json:"bonus"`
	Ledger []LedgerEntry `json:"ledger"`
	// Reviews and Waits are what the customer wrote and what is awaited.
	Reviews  []ReviewLine  `json:"reviews"`
	Waits    []AwaitedGood `json:"waits"`
	Consents []Consent     `json:"consents"`
	Notes    []NoteAbout   `json:"notes"`
	// Erasure is a proposed one that waits for a second account of staff; null: none.
	Erasure *ProposedErasure `json:"erasure"`
}

// OrderOf is an order of a customer.
type OrderOf struct {
	Number    int64     `json:"number"`
	Status    string    `json:"status"`
	IsPaid    bool      `json:"is_paid"`
	TotalPaid int64     `json:"total_paid"`
	CreatedAt time.Time `json:"created_at"`
}

// LedgerEntry is an entry of a customer's bonuses. Number is that of its order, 0 without one; Actor and Reason say who adjusted them, and why.
type LedgerEntry struct {
	Kind    string    `json:"kind"`
	Amount  int64     `json:"amount"`
	Balance int64     `json:"balance"`
	Number  int64     `json:"number"`
	Actor   string    `json:"actor"`
	Reason  string    `json:"reason"`
	At      time.Time `json:"at"`
}

// Consent is a version of the text on personal data that was agreed to, or taken back.
type Consent struct {
	Text  string    `json:"text"`
	Given bool      `json:"given"`
	At    time.Time `json:"at"`
}

// NoteAbout is what staff wrote about a customer.
type NoteAbout struct {
	Text  string    `json:"text"`
	Actor string    `json:"actor"`
	At    time.Time `json:"at"`
}

// ProposedErasure waits for a second account of staff. By is the account that proposed it, Actor its name.
type ProposedErasure struct {
	By     uuid.UUID `json:"by"`
	Actor  string    `json:"actor"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// AwaitedGood is a product that a customer waits for.
type AwaitedGood struct {
	ProductID uuid.UUID `json:"product_id"`
	Article   string    `json:"article"`
	Product   string    `json:"product"`
	Since     time.Time `json:"since"`
}

// maxLatest is how many orders and entries a sheet shows.
const maxLatest = 50

// maskedAccount are the columns of an account that say who it is.
var maskedAccount = []string{"email", "wanted", "first_name", "last_name", "phone", "city", "street", "house", "floor", "apartment", "entrance"}

// CustomerSheet reads an account with what belongs to it; customer.ErrUnknown when there is none.
func (r *Reader) CustomerSheet(ctx context.Context, id uuid.UUID, persons bool, name Names) (CustomerSheet, error) {
	var view CustomerSheet
	err := r.db.QueryRow(ctx, `SELECT CASE WHEN $2 THEN to_jsonb(a) ELSE to_jsonb(a) || (SELECT jsonb_object_agg(c, $4::text) FROM unnest($3::text[]) c) END,
			o.orders, o.spent
		FROM customer.account a CROSS JOIN LATERAL (SELECT count(*) AS orders, coalesce(sum(o.total_paid) FILTER (WHERE o.is_paid), 0)::bigint AS spent
			FROM orders.orders o WHERE o.customer_id = a.id AND o.customer_id <> '00000000-0000-0000-0000-000000000000') o
		WHERE a.id = $1`, id, persons, maskedAccount, Masked).Scan(&view.Account, &view.Orders, &view.Spent)
	if errors.Is(err, pgx.ErrNoRows) {
		return CustomerSheet{}, customer.ErrUnknown
	}
	if err != nil {
		return CustomerSheet{}, fmt.Errorf("read customer %s: %w", id, err)
	}
	if err := r.belongings(ctx, id, &view); err != nil {
		return CustomerSheet{}, fmt.Errorf("read what customer %s has: %w", id, err)
	}
	if err := r.toldOf(ctx, id, persons, name, &view); err != nil {
		return CustomerSheet{}, err
	}
	return view, nil
}

// belongings are the orders, reviews and waits of a customer.
func (r *Reader) belongings(ctx context.Context, id uuid.UUID, view *CustomerSheet) error {
	rows, err := r.db.Query(ctx, `SELECT number, status, is_paid, total_paid, created_at FROM orders.orders
		WHERE customer_id = $1 AND customer_id <> '00000000-0000-0000-0000-000000000000' ORDER BY created_at DESC, number DESC LIMIT $2`, id, maxLatest)
	if err != nil {
		return err
	}
	latest, err := pgx.CollectRows(rows, pgx.RowToStructByName[OrderOf])
	if err != nil {
		return err
	}
	view.Latest = orEmpty(latest)
	return Shop{DB: r.db}.written(ctx, id, view)
}

// written are the reviews and waits of a customer.
func (s Shop) written(ctx context.Context, id uuid.UUID, view *CustomerSheet) error {
	rows, err := s.DB.Query(ctx, `SELECT `+s.reviewColumns()+` FROM reviews.review v LEFT JOIN catalog.product p ON p.id = v.product_id
		WHERE v.customer_id = $1 AND v.customer_id <> '00000000-0000-0000-0000-000000000000' ORDER BY v.created_at DESC, v.id LIMIT $2`, id, maxLatest)
	if err != nil {
		return err
	}
	reviews, err := pgx.CollectRows(rows, pgx.RowToStructByName[ReviewLine])
	if err != nil {
		return err
	}
	view.Reviews = orEmpty(reviews)
	page := make([]*ReviewLine, len(reviews))
	for i := range reviews {
		page[i] = &reviews[i]
	}
	if err := s.nameReviews(ctx, page...); err != nil {
		return err
	}
	rows, err = s.DB.Query(ctx, `SELECT w.product_id, coalesce(p.article, '') AS article, coalesce(p.name, '') AS product, w.since
		FROM restock.waiting w LEFT JOIN catalog.product p ON p.id = w.product_id WHERE w.customer_id = $1 ORDER BY w.since LIMIT $2`, id, maxLatest)
	if err != nil {
		return err
	}
	waits, err := pgx.CollectRows(rows, pgx.RowToStructByName[AwaitedGood])
	view.Waits = orEmpty(waits)
	return err
}

// toldOf is what the log tells of a customer and no read model keeps: consents, notes, a proposed erasure, and the ledger with who
// adjusted it.
func (r *Reader) toldOf(ctx context.Context, id uuid.UUID, persons bool, name Names, view *CustomerSheet) error {
	account, ledger := customer.Stream(id), bonus.Stream(id)
	streams, err := r.store.Load(ctx, eventstore.From{Stream: account}, eventstore.From{Stream: ledger})
	if err != nil {
		return fmt.Errorf("read the past of customer %s: %w", id, err)
	}
	numbers, err := Shop{DB: r.db}.OrderNumbers(ctx, ordersIn(streams[ledger]))
	if err != nil {
		return err
	}
	view.tell(streams[account], streams[ledger], numbers, persons, name)
	return nil
}

// tell takes what the events of an account and of its ledger say.
func (view *CustomerSheet) tell(account, ledger []eventstore.Event, numbers map[uuid.UUID]int64, persons bool, name Names) {
	secret := func(text string) string {
		if !persons && text != "" {
			return Masked
		}
		return text
	}
	view.Consents, view.Notes, view.Ledger = []Consent{}, []NoteAbout{}, []LedgerEntry{}
	for _, event := range account {
		switch e := event.Data.(type) {
		case customer.Registered:
			view.Consents = append(view.Consents, Consent{e.ConsentText, true, e.At})
		case customer.ConsentGiven:
			view.Consents = append(view.Consents, Consent{e.Text, true, e.At})
		case customer.ConsentWithdrawn:
			view.Consents = append(view.Consents, Consent{e.Text, false, e.At})
		case customer.Noted:
			if e.Text != "" { // else it was erased
				view.Notes = append(view.Notes, NoteAbout{secret(e.Text), name(event.Metadata.Actor), e.At})
			}
		case customer.ErasureProposed:
			view.Erasure = &ProposedErasure{e.By, name(event.Metadata.Actor), secret(e.Reason), e.At}
		case customer.ErasureWithdrawn, customer.ErasureRequested:
			view.Erasure = nil
		}
	}
	for _, event := range ledger {
		var entry LedgerEntry
		switch e := event.Data.(type) {
		case bonus.Earned:
			entry = LedgerEntry{Kind: "earned", Amount: e.Amount, Balance: e.Balance, Number: numbers[e.OrderID], At: e.At}
		case bonus.Spent:
			entry = LedgerEntry{Kind: "spent", Amount: -e.Amount, Balance: e.Balance, Number: numbers[e.OrderID], At: e.At}
		case bonus.Returned:
			entry = LedgerEntry{Kind: "returned", Amount: e.Amount, Balance: e.Balance, Number: numbers[e.OrderID], At: e.At}
		case bonus.Revoked:
			entry = LedgerEntry{Kind: "revoked", Amount: -e.Amount, Balance: e.Balance, Number: numbers[e.OrderID], At: e.At}
		case bonus.Adjusted:
			entry = LedgerEntry{Kind: "adjusted", Amount: e.Amount, Balance: e.Balance, Actor: name(event.Metadata.Actor), Reason: secret(e.Reason), At: e.At}
		default:
			continue
		}
		view.Ledger, view.Bonus = append(view.Ledger, entry), entry.Balance
	}
	slices.Reverse(view.Ledger)
	view.Ledger = view.Ledger[:min(len(view.Ledger), maxLatest)]
	slices.Reverse(view.Notes)
}

// ordersIn are the orders that a ledger names.
func ordersIn(ledger []eventstore.Event) (ids []uuid.UUID) {
	for _, event := range ledger {
		switch e := event.Data.(type) {
		case bonus.Earned:
			ids = append(ids, e.OrderID)
		case bonus.Spent:
			ids = append(ids, e.OrderID)
		case bonus.Returned:
			ids = append(ids, e.OrderID)
		case bonus.Revoked:
			ids = append(ids, e.OrderID)
		}
	}
	return ids
}
