package merchant

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
)

// Stock takes deliveries in.
type Stock struct{ Handler *commands.Handler }

// ReceivedLine is one product of a delivery.
type ReceivedLine struct {
	Product  domain.ID `json:"product"`
	Quantity int64     `json:"quantity"`
}

// maxReceived is how many products one delivery may have.
const maxReceived = 1_000

// Refusals of a delivery.
var (
	ErrNoLines  = domain.Refuse("stock/no-lines", "A delivery has 1 to 1000 products, each once.")
	ErrLongNote = domain.Refuse("stock/long-note", "A note may have 200 characters.")
)

// Receive takes a delivery in: all of its lines or none. key makes it unrepeatable; note is the supplier's paper.
func (s *Stock) Receive(ctx context.Context, key domain.ID, note string, lines []ReceivedLine) (eventstore.Position, error) {
	if utf8.RuneCountInString(note) > 200 {
		return 0, ErrLongNote
	}
	if len(lines) == 0 || len(lines) > maxReceived {
		return 0, ErrNoLines
	}
	var refs []commands.Ref
	seen := map[domain.ID]bool{}
	for _, line := range lines {
		if seen[line.Product] {
			return 0, ErrNoLines
		}
		seen[line.Product] = true
		refs = append(refs, commands.ProductStream(line.Product), commands.StockStream(line.Product))
	}
	request, err := json.Marshal(lines)
	if err != nil {
		return 0, fmt.Errorf("receive a delivery: %w", err)
	}
	digest := sha256.Sum256(append(request, note...))
	once := eventstore.Key{Scope: "stock-receipt", Key: key.String(), Request: digest[:]}
	_, position, _, err := commands.Once(ctx, s.Handler, once, func() (bool, eventstore.Position, error) {
		position, err := s.Handler.Do(ctx, false, func(u *commands.Unit) error {
			if err := u.Load(refs...); err != nil {
				return err
			}
			for _, line := range lines {
				if !commands.ProductStream(line.Product).Exists(u) {
					return catalog.ErrUnknown
				}
				receive := stock.Receive{ProductID: line.Product, Quantity: line.Quantity, Cause: stock.Cause{Kind: "receipt", Ref: note}, At: u.At()}
				if err := commands.StockStream(line.Product).Do(u, receive); err != nil {
					return err
				}
			}
			return u.Remember(once, true)
		})
		return true, position, err
	})
	if err != nil {
		return 0, fmt.Errorf("receive a delivery of %d products: %w", len(lines), err)
	}
	return position, nil
}
