package commands

import (
	"context"
	"fmt"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
)

// Stock receives and counts goods.
type Stock struct{ Handler *Handler }

// Receive adds pieces of a known product. Ref names the paper they came with; it may be empty.
func (s *Stock) Receive(ctx context.Context, product domain.ID, quantity int64, ref string) (eventstore.Position, error) {
	return s.move(ctx, product, func(u *Unit) stock.Command {
		return stock.Receive{ProductID: product, Quantity: quantity, Cause: stock.Cause{Kind: "receipt", Ref: ref}, At: u.At()}
	})
}

// Adjust sets the pieces on hand to what was counted.
func (s *Stock) Adjust(ctx context.Context, product domain.ID, onHand int64, ref string) (eventstore.Position, error) {
	return s.move(ctx, product, func(u *Unit) stock.Command {
		return stock.Count{ProductID: product, OnHand: onHand, Cause: stock.Cause{Kind: "count", Ref: ref}, At: u.At()}
	})
}

func (s *Stock) move(ctx context.Context, product domain.ID, command func(u *Unit) stock.Command) (eventstore.Position, error) {
	position, err := s.Handler.Do(ctx, true, func(u *Unit) error {
		if err := u.Load(ProductStream(product), StockStream(product)); err != nil {
			return err
		}
		if !ProductStream(product).Exists(u) {
			return catalog.ErrUnknown.With("Товар не найден")
		}
		return StockStream(product).Do(u, command(u))
	})
	if err != nil {
		return 0, fmt.Errorf("move stock of product %s: %w", product, err)
	}
	return position, nil
}
