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

// ProductAt is a product at a moment; ErrNoProduct when it was not there yet.
func (r *Reader) ProductAt(ctx context.Context, id domain.ID, at Moment) (then ProductThen, err error) {
	upTo, err := r.positionAt(ctx, at)
	if err != nil {
		return then, err
	}
	histories, err := r.store.Load(ctx, eventstore.From{Stream: catalog.ProductStream(id)}, eventstore.From{Stream: stock.Stream(id)})
	if err != nil {
		return then, err
	}
	for _, e := range histories[catalog.ProductStream(id)] {
		if upTo > 0 && e.Position > upTo {
			break
		}
		if of, ok := e.Data.(catalog.ProductEvent); ok {
			then.ProductState = catalog.ProductDecider.Evolve(then.ProductState, of)
		}
		then.Version = e.Version
	}
	if !then.Exists() {
		return then, ErrNoProduct
	}
	for _, e := range histories[stock.Stream(id)] {
		if upTo > 0 && e.Position > upTo {
			break
		}
		if after, _, ok := levelAfter(e.Data); ok {
			then.OnHand, then.Reserved = after.onHand, after.reserved
		}
	}
	return then, nil
}
