package domain

import (
	"math/bits"
	"strconv"
	"strings"
)

// Money is an amount in whole tenge.
type Money = int64

// MaxPrice is the most one piece may cost, in tenge; it keeps every sum of a basket far from the end of int64.
const MaxPrice Money = 1_000_000_000

// PercentOf is percent (0 to 100) of sum, rounded half up. Sum must not be negative; it may be as large as Money goes.
func PercentOf(sum Money, percent int64) Money {
	// Hundreds and rest apart, so that the product cannot overflow.
	return sum/100*percent + (sum%100*percent+50)/100
}

// PartOf is sum × part / whole, rounded half up, for 0 ≤ part ≤ whole and a whole above 0; sum must not be negative.
// No product of the two is too large.
func PartOf(sum, part, whole Money) Money {
	high, low := bits.Mul64(uint64(sum), uint64(part))
	quotient, rest := bits.Div64(high, low, uint64(whole))
	if rest >= uint64(whole)-rest {
		quotient++
	}
	return Money(quotient)
}

// PartDown is sum × part / whole, rounded down, and what of whole was lost by that, for 0 ≤ part ≤ whole and a whole above 0.
func PartDown(sum, part, whole Money) (down, lost Money) {
	high, low := bits.Mul64(uint64(sum), uint64(part))
	quotient, rest := bits.Div64(high, low, uint64(whole))
	return Money(quotient), Money(rest)
}

// Tenge writes an amount for a Russian text: "−12 500 ₸", with no-break spaces and a true minus.
func Tenge(amount Money) string {
	return strings.Replace(Thousands(amount), "-", "−", 1) + nbsp + "₸"
}

// Thousands writes a number with no-break spaces between its thousands: "-12 500".
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	grouped := make([]byte, 0, 2*len(digits))
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			grouped = append(grouped, nbsp...)
		}
		grouped = append(grouped, digits[i])
	}
	return sign + string(grouped)
}

// Percent writes a percentage for a Russian text: "5 %", with a no-break space.
func Percent(percent int64) string { return strconv.FormatInt(percent, 10) + nbsp + "%" }

// nbsp is U+00A0, which keeps a number and its unit on one line.
const nbsp = "\u00a0"
