package commands

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/restock"
	"shop/eventstore"
)

// noticesAtOnce is how many customers one append tells, so that a long list is no long transaction.
const noticesAtOnce = 200

// Restock keeps the waiting lists of products, and notifies the customers on them.
type Restock struct {
	Handler *Handler
	// Links lets a request name the product by link. Nil: by id only.
	Links Links
}

// Wait puts a customer at the end of a product's waiting list.
func (s *Restock) Wait(ctx context.Context, product, customer domain.ID) (eventstore.Position, error) {
	position, err := s.change(ctx, product, customer, func(u *Unit, available int64) restock.Command {
		// Goods that come in meanwhile are told to who waits then: nobody may begin to wait beside that.
		u.Assert(ProductStream(product), StockStream(product))
		return restock.Subscribe{ProductID: product, CustomerID: customer, Available: available, At: u.At()}
	})
	if err != nil {
		return 0, fmt.Errorf("subscribe to product %s: %w", product, err)
	}
	return position, nil
}

// Leave takes a customer off a product's waiting list; not being on it is fine. Where there is neither such a product nor
// a list it is catalog.ErrUnknown, which not everyone who asks need mind.
func (s *Restock) Leave(ctx context.Context, product, customer domain.ID) (eventstore.Position, error) {
	position, err := s.Handler.Do(ctx, false, func(u *Unit) error {
		known, list := ProductStream(product), RestockStream(product)
		if err := u.Load(known, list); err != nil {
			return err
		}
		if !known.Exists(u) && !list.Exists(u) {
			return catalog.ErrUnknown
		}
		return list.Do(u, restock.Unsubscribe{CustomerID: customer, At: u.At()})
	})
	if err != nil {
		return 0, fmt.Errorf("unsubscribe from product %s: %w", product, err)
	}
	return position, nil
}

// Notify tells everyone who waits for a product, the longest waiting first and each once, if there is any of it to sell.
func (s *Restock) Notify(ctx context.Context, product domain.ID) (last eventstore.Position, err error) {
	for {
		position, err := s.change(ctx, product, uuid.Nil, func(u *Unit, available int64) restock.Command {
			return restock.Notify{Available: available, Limit: noticesAtOnce, At: u.At()}
		})
		if err != nil {
			return last, fmt.Errorf("notify of product %s: %w", product, err)
		}
		if position == 0 {
			return last, nil
		}
		last = position
	}
}

// change decides about a product's waiting list, knowing how many pieces one may buy now. customer is who asks; zero: nobody.
func (s *Restock) change(ctx context.Context, id, customer domain.ID, command func(u *Unit, available int64) restock.Command) (eventstore.Position, error) {
	if id == uuid.Nil {
		return 0, catalog.ErrUnknown
	}
	return s.Handler.Do(ctx, false, func(u *Unit) error {
		product, pieces, list := ProductStream(id), StockStream(id), RestockStream(id)
		if err := u.Load(product, pieces, list); err != nil {
			return err
		}
		if !product.Exists(u) {
			return catalog.ErrUnknown
		}
		if err := u.account(customer); err != nil {
			return err
		}
		available := int64(0)
		if product.State(u).Sellable() {
			available = pieces.State(u).Free()
		}
		return list.Do(u, command(u, available))
	})
}
