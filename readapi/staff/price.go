package staff

import (
	"context"
	"time"

	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
	"shop/projections/replay"
)

// Prices are the prices that a product had, oldest first.
type Prices struct {
	Prices []Price `json:"prices"`
	Stream string  `json:"stream"`
}

// Price is a price that a product was given.
type Price struct {
	Position        eventstore.Position `json:"position"`
	RecordedAt      time.Time           `json:"recorded_at"`
	Actor           string              `json:"actor"`
	Price           domain.Money        `json:"price"`
	DiscountedPrice domain.Money        `json:"discounted_price"`
}

// Prices follows the prices of a product; ErrNothing without any.
func (r *Reader) Prices(ctx context.Context, product domain.ID, name Names) (Prices, error) {
	found, err := replay.Prices(ctx, r.store, product)
	if err != nil {
		return Prices{}, err
	}
	if len(found) == 0 {
		return Prices{}, ErrNothing
	}
	view := Prices{Prices: make([]Price, len(found)), Stream: catalog.ProductStream(product)}
	for i, p := range found {
		view.Prices[i] = Price{p.Event.Position, p.Event.RecordedAt, name(p.Event.Metadata.Actor), p.Price, p.DiscountedPrice}
	}
	return view, nil
}
