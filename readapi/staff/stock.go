package staff

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/projections/replay"
)

// Movement is an entry of the stock ledger.
type Movement struct {
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

// Ledger is why there are so many pieces: the balance is the sum of all movements.
type Ledger struct {
	ProductID uuid.UUID `json:"product_id"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	// Movements counts all; Entries are the newest of them, newest first.
	Movements int        `json:"movements"`
	Entries   []Movement `json:"entries"`
	// Gap counts events that say another balance than the sum of movements; 0 when the ledger adds up.
	Gap int `json:"gap"`
}

// Ledger tells the newest movements of a product's stock up to a moment, now: all; ErrNoProduct without a product.
func (r *Reader) Ledger(ctx context.Context, product domain.ID, at Moment, limit int, name Names) (Ledger, error) {
	added, err := r.store.Stream(ctx, catalog.ProductStream(product), 0, 1)
	if err != nil {
		return Ledger{}, err
	}
	if len(added) == 0 {
		return Ledger{}, ErrNoProduct
	}
	moves, gap, err := replay.Ledger(ctx, r.store, product)
	if err != nil {
		return Ledger{}, err
	}
	if at != (Moment{}) {
		moves = slices.DeleteFunc(moves, func(m replay.Movement) bool {
			return at.Position > 0 && m.Event.Position > at.Position || !at.Time.IsZero() && m.Event.RecordedAt.After(at.Time)
		})
	}
	view := Ledger{ProductID: product, Movements: len(moves), Entries: []Movement{}, Gap: gap}
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
	numbers, err := Shop{DB: r.db}.OrderNumbers(ctx, ids)
	if err != nil {
		return Ledger{}, err
	}
	for _, m := range moves {
		entry := Movement{
			Position: m.Event.Position, Version: m.Event.Version, RecordedAt: m.Event.RecordedAt, Actor: name(m.Event.Metadata.Actor), Kind: m.Kind, Cause: m.Cause,
			OnHand: m.OnHand, Reserved: m.Reserved, OnHandAfter: m.OnHandAfter, ReservedAfter: m.ReservedAfter,
		}
		if number, known := numbers[m.OrderID]; known {
			entry.OrderNumber = &number
		}
		view.Entries = append(view.Entries, entry)
	}
	return view, nil
}
