package order

import "shop/domain"

// Refusals of an order more than may be open at a time, so that nobody holds the stock without paying or being known.
var (
	ErrTooManyOpen = domain.Refuse("order/too-many-open",
		"У Вас уже есть заказы, которые не оплачены и не подтверждены. Оплатите или отмените их, либо дождитесь подтверждения, и оформите новый заказ")
	ErrTooManyPieces = domain.Refuse("order/too-many-pieces", "В заказе слишком много товаров. Уменьшите количество или позвоните нам")
)

// Unconfirmed says whether the order holds goods although nobody paid or confirmed it: anybody can make such an order.
func (s State) Unconfirmed() bool { return s.Status == StatusReceived && !s.Forgotten }

// Claims says whether the order counts towards the limits on open orders, see Unconfirmed.
func (s State) Claims() (owner domain.ID, holds bool) { return s.Placed.ID, s.Unconfirmed() }

// Pieces are how many pieces the order is of.
func (s State) Pieces() int64 {
	var n int64
	for _, l := range s.Placed.Calculation.Lines {
		n += l.Amount
	}
	return n
}
