package commands

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/promocode"
)

// BuyerOf tells customers of a promo code apart without naming them: by their account, and by the e-mail and phone of their order.
func BuyerOf(secret []byte, account domain.ID, contact order.Contact) (b promocode.Buyer) {
	if account != uuid.Nil {
		b.Account = buyerHash(secret, "promocode account", account.String())
	}
	if email := customer.NormalEmail(contact.Email); email != "" {
		b.Email = buyerHash(secret, "promocode e-mail", email)
	}
	if contact.Phone != "" {
		b.Phone = buyerHash(secret, "promocode customer", contact.Phone)
	}
	return b
}

// buyerHash is a keyed hash. Those of accounts and phones are as the log has them in schema 1 of promocode.redeemed.
func buyerHash(secret []byte, of, whose string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(of + "\x00" + whose))
	return hex.EncodeToString(h.Sum(nil)[:16])
}
