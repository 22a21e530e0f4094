package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// NewToken is 256 random bits as text, and their hash to be kept.
func NewToken() (token string, hash []byte) {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	token = base64.RawURLEncoding.EncodeToString(secret)
	return token, HashOf(token)
}

// HashOf is the stored hash of a token. A token has 256 random bits, so a fast hash is enough.
func HashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
