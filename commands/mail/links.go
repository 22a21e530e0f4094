package mail

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"

	"shop/domain"
)

// Links are addresses that prove by themselves that the shop gave them out: whoever has one needs no account. A new key ends them
// all; what a link leads to says how long it is opened (order.OpensByLink). Keys stand behind the #, so that no server's log has
// them, but for Unsubscribe, which mail programs call by themselves.
type Links struct {
	// PublicURL is how browsers reach the shop, without a final slash.
	PublicURL string
	// Key signs; 32 bytes that only the shop knows.
	Key []byte
}

// Order leads to a guest's order.
func (l Links) Order(order domain.ID) string {
	return l.PublicURL + "/order/" + order.String() + "#" + l.OrderKey(order)
}

// PayOrder is Order, with its button to pay.
func (l Links) PayOrder(order domain.ID) string { return l.Order(order) + "&pay" }

// ForgetOrder leads to where a guest has the shop forget who made an order. The key is that of Order.
func (l Links) ForgetOrder(order domain.ID) string {
	return l.PublicURL + "/forget/order/" + order.String() + "#" + l.OrderKey(order)
}

// ForgetReview leads to where a guest has the shop forget who wrote a review.
func (l Links) ForgetReview(review domain.ID) string {
	return l.PublicURL + "/forget/review/" + review.String() + "#" + l.sign("review", review)
}

// OpensReview says whether a key is the review's.
func (l Links) OpensReview(review domain.ID, key string) bool {
	return hmac.Equal([]byte(key), []byte(l.sign("review", review)))
}

// OrderKey is the key in the links to an order.
func (l Links) OrderKey(order domain.ID) string { return l.sign("order", order) }

// OpensOrder says whether a key is the order's. It takes the same time for each key.
func (l Links) OpensOrder(order domain.ID, key string) bool {
	return hmac.Equal([]byte(key), []byte(l.OrderKey(order)))
}

// AccountOrder leads to a customer's order, past the sign-in.
func (l Links) AccountOrder(order domain.ID) string {
	return l.PublicURL + "/account/order/" + order.String()
}

// Product leads to a product's page.
func (l Links) Product(link string) string { return l.PublicURL + "/product/" + url.PathEscape(link) }

// Unsubscribe leads off a product's waiting list.
func (l Links) Unsubscribe(product, customer domain.ID) string {
	return l.PublicURL + "/unsubscribe/restock/" + product.String() + "/" + customer.String() + "?key=" + l.sign("restock", product, customer)
}

// Unsubscribes says whether a key is that of the customer's place on the product's waiting list.
func (l Links) Unsubscribes(product, customer domain.ID, key string) bool {
	return hmac.Equal([]byte(key), []byte(l.sign("restock", product, customer)))
}

// sign gives 128 bits, for a purpose that no other link has.
func (l Links) sign(purpose string, ids ...domain.ID) string {
	mac := hmac.New(sha256.New, l.Key)
	mac.Write([]byte(purpose))
	for _, id := range ids {
		mac.Write(id[:])
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// absolute completes a path of the storefront.
func (l Links) absolute(path string) string {
	return l.PublicURL + "/" + strings.TrimPrefix(path, "/")
}
