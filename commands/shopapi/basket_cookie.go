package shopapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"shop/domain"
)

const basketCookie = "basket"

// basketCookies name baskets by cookies that only the shop can make: who makes up ids fills no log. Cookies of earlier
// releases are the id alone.
type basketCookies struct{ key []byte }

// sign is a basket's signature.
func (c basketCookies) sign(id domain.ID) string {
	h := hmac.New(sha256.New, c.key)
	h.Write([]byte("basket cookie\x00" + id.String()))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// basketOf is the basket that a request's cookie names, zero for none, and whether the shop has signed it.
func (c basketCookies) basketOf(r *http.Request) (id domain.ID, signed bool) {
	cookie, err := r.Cookie(basketCookie)
	if err != nil {
		return domain.ID{}, false
	}
	name, signature, _ := strings.Cut(cookie.Value, ".")
	if len(name) != 36 {
		return domain.ID{}, false
	}
	if id, err = uuid.Parse(name); err != nil || id == uuid.Nil {
		return domain.ID{}, false
	}
	return id, hmac.Equal([]byte(signature), []byte(c.sign(id)))
}

// BasketCookie is the value of a basket's cookie, signed with the key.
func BasketCookie(key []byte, id domain.ID) string {
	return id.String() + "." + basketCookies{key}.sign(id)
}

// set gives a browser the cookie of a basket.
func (c basketCookies) set(w http.ResponseWriter, id domain.ID, secure bool) {
	http.SetCookie(w, &http.Cookie{
		Name: basketCookie, Value: BasketCookie(c.key, id), Path: "/", MaxAge: 365 * 24 * 60 * 60,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure,
	})
}
