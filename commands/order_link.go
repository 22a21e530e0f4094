package commands

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"shop/domain"
)

// OrderLinks signs the links in letters that show a guest their order.
type OrderLinks struct{ Secret []byte }

// Token opens one order to whoever has it.
func (l OrderLinks) Token(order domain.ID) string {
	h := hmac.New(sha256.New, l.Secret)
	h.Write([]byte("order link\x00" + order.String()))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// Opens says whether a token opens an order.
func (l OrderLinks) Opens(order domain.ID, token string) bool {
	return hmac.Equal([]byte(l.Token(order)), []byte(token))
}
