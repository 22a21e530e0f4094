package commands

import (
	"context"
	"fmt"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
)

// Stock receives goods.
type Stock struct{ Handler *Handler }

// Receive adds pieces of a known product. Ref names the paper they came with; it may be empty.
func (s *Stock) Receive(ctx context.Context, product domain.ID, quantity int64, ref string) (eventstore.Position, error) {
	position, err := s.Handler.Do(ctx, true, func(u *Unit) error {
		if err := u.Load(ProductStream(product), StockStream(product)); err != nil {
			return err
		}
		if !ProductStream(product).Exists(u) {
			return catalog.ErrUnknown.With("Товар не найден")
		}
		return StockStream(product).Do(u, stock.Receive{ProductID: product, Quantity: quantity, Cause: stock.Cause{Kind: "receipt", Ref: ref}, At: u.At()})
	})
	if err != nil {
		return 0, fmt.Errorf("receive stock of product %s: %w", product, err)
	}
	return position, nil
}
