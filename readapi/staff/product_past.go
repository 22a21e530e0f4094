package staff

import (
	"context"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
)

// ProductThen is a product as it was at a moment, with its stock.
type ProductThen struct {
	catalog.ProductState
	// Version is how many events it had.
	Version          eventstore.Version
	OnHand, Reserved int64
}

// Product is a product as it was; ErrNoProduct when it was not there yet. Of the stock it reads the last movement alone, however many there are.
func (t Then) Product(ctx context.Context, id domain.ID) (then ProductThen, err error) {
	histories, err := t.Log().Load(ctx, eventstore.From{Stream: catalog.ProductStream(id)})
	if err != nil {
		return then, err
	}
	for _, e := range histories[catalog.ProductStream(id)] {
		if of, ok := e.Data.(catalog.ProductEvent); ok {
			then.ProductState = catalog.ProductDecider.Evolve(then.ProductState, of)
		}
		then.Version = e.Version
	}
	if !then.Exists() {
		return then, ErrNoProduct
	}
	last, moved, err := t.store.LastOf(ctx, stock.Stream(id), t.Position, differing["stock"].types...)
	if err != nil || !moved {
		return then, err
	}
	level, _, _ := levelAfter(last.Data)
	then.OnHand, then.Reserved = level.onHand, level.reserved
	return then, nil
}
