package commands

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/rules"
	"shop/eventstore"
)

// openOrders are what an order that nobody paid or confirmed takes of the bounds on such orders: of a guest's phone and
// e-mail, or of a customer's account, and of the network that the request came from. Only keyed hashes are kept, and only
// while the order is open.
func (o *Orders) openOrders(ctx context.Context, r rules.Rules, s order.State) []eventstore.Claim {
	var claims []eventstore.Claim
	claim := func(of, whose string, orders, pieces int64, exact bool) {
		if whose == "" || orders == 0 && pieces == 0 {
			return
		}
		claims = append(claims, eventstore.Claim{
			Quota: quotaOf(o.Secret, of, whose), Owner: s.Placed.ID, Amount: s.Pieces(), MostOwners: orders, MostAmount: pieces, Exact: exact,
		})
	}
	if s.CustomerID != uuid.Nil {
		claim("customer", s.CustomerID.String(), r.CustomerOpenOrders, r.CustomerOpenPieces, true)
	} else {
		claim("phone", s.Placed.Contact.Phone, r.GuestOpenOrders, r.GuestOpenPieces, true)
		claim("e-mail", customer.NormalEmail(s.Placed.Contact.Email), r.GuestOpenOrders, r.GuestOpenPieces, true)
	}
	// Many honest people may share a network: none of them waits for another.
	if s.Placed.Taken != (order.Taken{}) {
		return claims // the network is the office's
	}
	claim("network", OriginOf(ctx).Network, r.NetworkOpenOrders, r.NetworkOpenPieces, false)
	return claims
}

// quotaOf is the keyed hash by which open orders are counted.
func quotaOf(secret []byte, of, whose string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("open orders of a " + of + "\x00" + whose))
	return h.Sum(nil)[:16]
}

// tooManyOpen says to a shopper what a full quota means; other errors stay.
func tooManyOpen(err error, id domain.ID) error {
	var full *eventstore.QuotaFull
	if !errors.As(err, &full) {
		return err
	}
	c, its := full.Of(id)
	if its && c.MostAmount > 0 && c.Amount > c.MostAmount {
		return order.ErrTooManyPieces.With(fmt.Sprintf(
			"Без подтверждения можно заказать не больше %d шт. товаров. Уменьшите количество или позвоните нам", c.MostAmount))
	}
	return order.ErrTooManyOpen
}
