package credential

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/google/uuid"
)

// Devices makes and reads the tokens of devices that have signed in to an account: a random number and its signature for the
// account. A token signs nobody in. It only says that whoever shows it is no stranger who guesses.
type Devices struct{ key []byte }

// DevicesOf signs with a key made of a secret, for one purpose.
func DevicesOf(secret []byte, purpose string) Devices {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("device of " + purpose))
	return Devices{key: h.Sum(nil)}
}

const deviceNumber = 16

// New is a token of a device for an account.
func (d Devices) New(account uuid.UUID) string {
	number := make([]byte, deviceNumber)
	rand.Read(number) // never fails
	return base64.RawURLEncoding.EncodeToString(append(number, d.signature(account, number)...))
}

func (d Devices) signature(account uuid.UUID, number []byte) []byte {
	h := hmac.New(sha256.New, d.key)
	h.Write(account[:])
	h.Write(number)
	return h.Sum(nil)
}

// Known is the token, of those given, that was made for an account; empty: none was.
func (d Devices) Known(account uuid.UUID, tokens []string) string {
	for _, token := range tokens {
		all, err := base64.RawURLEncoding.Strict().DecodeString(token)
		if err == nil && len(all) == deviceNumber+sha256.Size && hmac.Equal(all[deviceNumber:], d.signature(account, all[:deviceNumber])) {
			return token
		}
	}
	return ""
}

// Tokens are those that a cookie holds; most bounds them. Others than the first are dropped.
func Tokens(cookie string, most int) []string {
	if cookie == "" {
		return nil
	}
	tokens := strings.SplitN(cookie, ".", most+1)
	return tokens[:min(len(tokens), most)]
}

// JoinTokens is the value of a cookie that holds a token and, after it, the former ones; most bounds them.
func JoinTokens(most int, token string, former []string) string {
	all := append([]string{token}, former...)
	return strings.Join(all[:min(len(all), most)], ".")
}
