package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/rules"
	"shop/domain/staff"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/projections"
	"shop/projections/replay"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// historyRoutes are how analysts follow history; openapi.yaml describes them.
func (o *Ops) historyRoutes(r chi.Router, allowed endpoint.Guard) {
	get := func(path string, e endpoint.Endpoint) {
		h := allowed(staff.SeeReports, e)
		r.Method("GET", "/api/analytics"+path, h)
		r.Method("HEAD", "/api/analytics"+path, h)
	}
	get("/orders/{number}", o.followOrder)
	get("/products/{id}/stock", o.showLedger)
	get("/products/{id}/prices", o.showPrices)
	get("/baskets/{id}", o.followBasket)
	get("/rules", o.followRules)
	get("/reports", o.listReports)
	get("/reports/{name}", o.showReport)
}

// stepView is an event with what it made of its stream, and what else came of it.
type stepView struct {
	EventView
	State   json.RawMessage `json:"state"`
	Changes []replay.Change `json:"changes"`
	Effects []effectView    `json:"effects"`
	// Letters are those the event called for; sent ones for as long as it is remembered.
	Letters []mailView `json:"letters"`
	// Projections are the read models that fold the event.
	Projections []string `json:"projections"`
}

type effectView struct {
	Position   eventstore.Position `json:"position"`
	Stream     string              `json:"stream"`
	Version    eventstore.Version  `json:"version"`
	Type       string              `json:"type"`
	RecordedAt time.Time           `json:"recorded_at"`
	Actor      string              `json:"actor"`
	// Caused: the event of the step is the cause; otherwise both come of the same request.
	Caused bool `json:"caused"`
}

type mailView struct {
	Kind  string `json:"kind"`
	State string `json:"state"`
	// SentAt is null before it is sent.
	SentAt *time.Time `json:"sent_at"`
}

// TrailView is a stream event by event.
type TrailView struct {
	Stream string     `json:"stream"`
	Steps  []stepView `json:"steps"`
}

// trail follows a stream for who may see as much as a request's session; a missing one is *staffRefusal.
func (o *Ops) trail(ctx context.Context, stream string) (TrailView, []replay.Step, error) {
	personal := may(ctx, staff.SeePersonal)
	steps, err := replay.Trail(ctx, o.store, stream, personal)
	if err != nil {
		return TrailView{}, nil, err
	}
	if len(steps) == 0 {
		return TrailView{}, nil, endpoint.Refuse(http.StatusNotFound, "There is nothing of it in the log.")
	}
	letters, err := o.lettersOf(ctx, steps)
	if err != nil {
		return TrailView{}, nil, err
	}
	view, name := TrailView{Stream: stream, Steps: make([]stepView, len(steps))}, o.names(ctx)
	for i, s := range steps {
		shown, err := o.viewOfDecoded(s.Event, personal)
		if err != nil {
			return TrailView{}, nil, err
		}
		shown.Actor = name(shown.Actor)
		step := stepView{
			EventView: shown, State: s.State, Changes: orEmpty(s.Changes), Effects: []effectView{},
			Letters: orEmpty(letters[s.Event.ID]), Projections: orEmpty(readBy()[s.Event.Type]),
		}
		for _, e := range s.Effects {
			step.Effects = append(step.Effects, effectView{
				e.Position, e.Stream, e.Version, e.Type, e.RecordedAt, name(e.Actor), e.Causation == s.Event.ID.String(),
			})
		}
		view.Steps[i] = step
	}
	return view, steps, nil
}

// viewOfDecoded is viewOfEvent for an event in the schema of today.
func (o *Ops) viewOfDecoded(e eventstore.Event, personal bool) (EventView, error) {
	text, err := json.Marshal(e.Data)
	if err != nil {
		return EventView{}, fmt.Errorf("show event %d: %w", e.Position, err)
	}
	recorded := eventstore.Recorded{
		ID: e.ID, Stream: e.Stream, Version: e.Version, Position: e.Position, Type: e.Type, Schema: e.Schema, RecordedAt: e.RecordedAt,
		Metadata: e.Metadata, Payload: text, Erased: e.Erased,
	}
	if e.Erased {
		recorded.Closed = o.events.Personal(e.Type)
	}
	return ViewOfEvent(o.events, &recorded, personal), nil
}

// readBy names the read models that fold events of a type, by types.
var readBy = sync.OnceValue(func() map[string][]string {
	names := map[string][]string{}
	for _, p := range projections.All() {
		for _, eventType := range p.Types() {
			names[eventType] = append(names[eventType], p.Name)
		}
	}
	return names
})

// lettersOf finds the letters that wait or were sent, by the event that called for them.
func (o *Ops) lettersOf(ctx context.Context, steps []replay.Step) (map[uuid.UUID][]mailView, error) {
	ids := make([]uuid.UUID, len(steps))
	for i, s := range steps {
		ids[i] = s.Event.ID
	}
	rows, err := o.pool.Query(ctx, `SELECT id, kind, CASE WHEN skipped_at IS NOT NULL THEN 'skipped' WHEN dead_at IS NOT NULL THEN 'dead' ELSE 'waiting' END, NULL
		FROM mail_jobs WHERE id = ANY ($1) UNION ALL SELECT id, kind, 'sent', sent_at FROM mail_sent WHERE id = ANY ($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("look for letters: %w", err)
	}
	letters := map[uuid.UUID][]mailView{}
	var id uuid.UUID
	var l mailView
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&id), &l.Kind, &l.State, &l.SentAt}, func() error {
		letters[id] = append(letters[id], l)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for letters: %w", err)
	}
	return letters, nil
}

// orderNamed finds an order by its number, or by the id that other events name it by.
func (o *Ops) orderNamed(ctx context.Context, name string) (number int64, id uuid.UUID, err error) {
	orders := readapi.Staff{DB: o.pool}
	var found bool
	if id, err = uuid.Parse(name); err == nil {
		var numbers map[uuid.UUID]int64
		numbers, err = orders.OrderNumbers(ctx, []uuid.UUID{id})
		number, found = numbers[id]
	} else {
		if number, err = strconv.ParseInt(name, 10, 64); err != nil || number < 1 {
			return 0, id, endpoint.WrongField("number", "Must be a number from 1, or an order's id.")
		}
		id, found, err = orders.OrderID(ctx, number)
	}
	if err == nil && !found {
		err = endpoint.Refuse(http.StatusNotFound, "There is no such order.")
	}
	return number, id, err
}

func (o *Ops) followOrder(w http.ResponseWriter, r *http.Request) error {
	number, id, err := o.orderNamed(r.Context(), chi.URLParam(r, "number"))
	if err != nil {
		return err
	}
	view, steps, err := o.trail(r.Context(), order.Stream(id))
	if err != nil {
		return err
	}
	answer := struct {
		Number int64     `json:"number"`
		ID     uuid.UUID `json:"id"`
		TrailView
		// TestPayment: the test bank was asked for money, and takes none.
		TestPayment bool           `json:"test_payment"`
		Price       *replay.Priced `json:"price"`
	}{Number: number, ID: id, TrailView: view}
	for _, s := range steps {
		if asked, ok := s.Event.Data.(order.PaymentRequested); ok && asked.Provider == payments.TestBank {
			answer.TestPayment = true
		}
	}
	if placed, ok := steps[0].Event.Data.(order.Placed); ok {
		price, err := replay.Reprice(r.Context(), o.store, &placed, steps[0].Event.Position)
		if err != nil {
			return err
		}
		answer.Price = &price
	}
	endpoint.WriteJSON(w, http.StatusOK, answer)
	return nil
}

// idIn reads an id of the path.
func idIn(r *http.Request, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, name))
	if err != nil {
		return uuid.UUID{}, endpoint.WrongField(name, "Must be an id.")
	}
	return id, nil
}

func (o *Ops) followBasket(w http.ResponseWriter, r *http.Request) error {
	id, err := idIn(r, "id")
	if err != nil {
		return err
	}
	return o.follow(w, r, basket.Stream(id))
}

func (o *Ops) followRules(w http.ResponseWriter, r *http.Request) error {
	return o.follow(w, r, rules.Stream)
}

func (o *Ops) follow(w http.ResponseWriter, r *http.Request, stream string) error {
	view, _, err := o.trail(r.Context(), stream)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}

// MovementView is an entry of the stock ledger.
type MovementView struct {
	Position      eventstore.Position `json:"position"`
	Version       eventstore.Version  `json:"version"`
	RecordedAt    time.Time           `json:"recorded_at"`
	Actor         string              `json:"actor"`
	Kind          string              `json:"kind"`
	Cause         stock.Cause         `json:"cause"`
	OrderNumber   *int64              `json:"order_number"`
	OnHand        int64               `json:"on_hand"`
	Reserved      int64               `json:"reserved"`
	OnHandAfter   int64               `json:"on_hand_after"`
	ReservedAfter int64               `json:"reserved_after"`
}

// LedgerView is why there are so many pieces: the balance is the sum of all movements.
type LedgerView struct {
	ProductID uuid.UUID `json:"product_id"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	// Movements counts all; Entries are the newest of them, newest first.
	Movements int            `json:"movements"`
	Entries   []MovementView `json:"entries"`
	// Gap counts events that say another balance than the sum of movements; 0 when the ledger adds up.
	Gap int `json:"gap"`
}

// Ledger tells the newest movements of a product's stock up to a moment; the zero time: all.
func Ledger(ctx context.Context, store *eventstore.Store, staff readapi.Staff, product domain.ID, at time.Time, limit int) (LedgerView, error) {
	moves, gap, err := replay.Ledger(ctx, store, product)
	if err != nil {
		return LedgerView{}, err
	}
	if !at.IsZero() {
		moves = slices.DeleteFunc(moves, func(m replay.Movement) bool { return m.Event.RecordedAt.After(at) })
	}
	view := LedgerView{ProductID: product, Movements: len(moves), Entries: []MovementView{}, Gap: gap}
	if len(moves) > 0 {
		last := moves[len(moves)-1]
		view.OnHand, view.Reserved = last.OnHandAfter, last.ReservedAfter
	}
	moves = moves[max(0, len(moves)-limit):]
	slices.Reverse(moves)
	var ids []domain.ID
	for _, m := range moves {
		if m.OrderID != (domain.ID{}) {
			ids = append(ids, m.OrderID)
		}
	}
	numbers, err := staff.OrderNumbers(ctx, ids)
	if err != nil {
		return LedgerView{}, err
	}
	for _, m := range moves {
		entry := MovementView{
			Position: m.Event.Position, Version: m.Event.Version, RecordedAt: m.Event.RecordedAt, Actor: m.Event.Metadata.Actor, Kind: m.Kind, Cause: m.Cause,
			OnHand: m.OnHand, Reserved: m.Reserved, OnHandAfter: m.OnHandAfter, ReservedAfter: m.ReservedAfter,
		}
		if number, known := numbers[m.OrderID]; known {
			entry.OrderNumber = &number
		}
		view.Entries = append(view.Entries, entry)
	}
	return view, nil
}

func (o *Ops) showLedger(w http.ResponseWriter, r *http.Request) error {
	id, err := idIn(r, "id")
	if err != nil {
		return err
	}
	limit, err := numberIn(r.URL.Query(), "limit", 100, 1, 1000)
	if err != nil {
		return err
	}
	var at time.Time
	if text := r.URL.Query().Get("at"); text != "" {
		if at, err = domain.MomentIn(text); err != nil {
			return endpoint.WrongField("at", "Must be a time such as 2026-03-02T12:00:00+05:00 or 2026-03-02T12:00, or a day.")
		}
	}
	added, err := o.store.Stream(r.Context(), catalog.ProductStream(id), 0, 1)
	if err != nil {
		return err
	}
	if len(added) == 0 {
		return endpoint.Refuse(http.StatusNotFound, "There is no such product.")
	}
	view, err := Ledger(r.Context(), o.store, readapi.Staff{DB: o.pool}, id, at, int(limit))
	if err != nil {
		return err
	}
	name := o.names(r.Context())
	for i := range view.Entries {
		view.Entries[i].Actor = name(view.Entries[i].Actor)
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}

func (o *Ops) showPrices(w http.ResponseWriter, r *http.Request) error {
	id, err := idIn(r, "id")
	if err != nil {
		return err
	}
	prices, err := replay.Prices(r.Context(), o.store, id)
	if err != nil {
		return err
	}
	if len(prices) == 0 {
		return endpoint.Refuse(http.StatusNotFound, "There is nothing of it in the log.")
	}
	type priceView struct {
		Position        eventstore.Position `json:"position"`
		RecordedAt      time.Time           `json:"recorded_at"`
		Actor           string              `json:"actor"`
		Price           domain.Money        `json:"price"`
		DiscountedPrice domain.Money        `json:"discounted_price"`
	}
	views, name := make([]priceView, len(prices)), o.names(r.Context())
	for i, p := range prices {
		views[i] = priceView{p.Event.Position, p.Event.RecordedAt, name(p.Event.Metadata.Actor), p.Price, p.DiscountedPrice}
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"stream": catalog.ProductStream(id), "prices": views})
	return nil
}
