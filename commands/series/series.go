package series

import (
	"crypto/rand"
	"regexp"

	"shop/domain"
	"shop/domain/promocode"
)

// Longest is how many codes a series may have: one change issues them all.
const Longest = 10_000

// letters are those of a tail, without those that look like others.
const letters = "23456789ABCDEFGHJKMNPQRSTVWXYZ"

// ErrBadSeries: there can be no such series.
var ErrBadSeries = domain.Refuse("promocode/bad-series", "A series has 1 to 10000 codes and a prefix of at most 20 letters, digits and hyphens.")

var prefixes = regexp.MustCompile(`^[\p{L}\p{N}-]{0,20}$`)

// Prefix is a prefix in its one spelling; false: codes cannot begin so.
func Prefix(text string) (string, bool) {
	prefix := promocode.Normal(text)
	return prefix, prefixes.MatchString(prefix)
}

// Codes makes codes that differ; nothing issues them yet.
func Codes(prefix string, count int) ([]string, error) {
	prefix, fits := Prefix(prefix)
	if !fits || count < 1 || count > Longest {
		return nil, ErrBadSeries
	}
	codes := make([]string, count)
	for i := range codes {
		codes[i] = prefix + tail()
	}
	return codes, nil
}

// tail is the random end of a code, with letters and digits both, so that it is none that guessers would try.
func tail() string {
	for {
		random := make([]byte, 0, promocode.UnguessableLength)
		for len(random) < cap(random) {
			var one [1]byte
			rand.Read(one[:])                                        // never fails
			if n := int(one[0]); n < 256/len(letters)*len(letters) { // each letter as likely as any other
				random = append(random, letters[n%len(letters)])
			}
		}
		if code := string(random); !promocode.IsGuessable(code) {
			return code
		}
	}
}
