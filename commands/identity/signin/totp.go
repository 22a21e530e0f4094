package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"
)

// Codes as every authenticator makes them: RFC 6238 with SHA-1, six digits, a new one each 30 seconds.
const (
	codeDigits = 6
	codePeriod = 30
	// codeSlack is how many steps a phone's clock may be off, either way.
	codeSlack  = 1
	secretSize = 20
)

func newSecret() []byte {
	secret := make([]byte, secretSize)
	rand.Read(secret) // never fails
	return secret
}

// hotp is RFC 4226: the code of a counter.
func hotp(secret []byte, counter int64, digits int) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(counter)))
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&0xf:]) & 0x7fffffff
	modulus := uint32(1)
	for range digits {
		modulus *= 10
	}
	return fmt.Sprintf("%0*d", digits, number%modulus)
}

// stepOf finds the time step a code is of, among those near now that come after last. ok is false when there is none.
func stepOf(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
	present := now.Unix() / codePeriod
	for s := present - codeSlack; s <= present+codeSlack; s++ {
		if subtle.ConstantTimeCompare([]byte(hotp(secret, s, codeDigits)), []byte(code)) == 1 && s > last {
			step, ok = s, true
		}
	}
	return step, ok
}

// CodeOf is what an authenticator with a secret shows at a time.
func CodeOf(secret []byte, at time.Time) string {
	return hotp(secret, at.Unix()/codePeriod, codeDigits)
}

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// KeyURI is what an authenticator reads from a QR code.
func KeyURI(issuer, email string, secret []byte) string {
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + email}
	// Some authenticators take a plus for itself, so spaces are %20.
	return fmt.Sprintf("%s?secret=%s&issuer=%s&algorithm=SHA1&digits=%d&period=%d",
		u.String(), base32Text.EncodeToString(secret), url.PathEscape(issuer), codeDigits, codePeriod)
}
