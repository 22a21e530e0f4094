package catalogfile

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"unicode"
)

// MaxPrice is the highest plausible list price, in tenge. Anything above is a
// slip of the hand or an Excel number that lost its point.
const MaxPrice = 100_000_000

// maxAmountDigits bounds the arithmetic a price cell may ask for.
const maxAmountDigits = 30

var (
	remark     = regexp.MustCompile(`\([^()]*\)\s*$`)
	decimal    = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	dotGroups  = regexp.MustCompile(`^[1-9][0-9]{0,2}(\.[0-9]{3})+$`)
	commaGroup = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})+$`)
)

// currencies are the words and signs that may stand beside an amount; those
// that are not the tenge need a rate.
var currencies = map[string]bool{
	"₸": true, "тг": true, "тенге": true, "тңг": true, "теңге": true, "kzt": true, "t": true, "т": true,
	"$": false, "usd": false, "€": false, "eur": false, "£": false, "gbp": false,
	"₽": false, "р": false, "руб": false, "рублей": false, "rub": false, "rur": false,
	"¥": false, "cny": false, "сом": false, "kgs": false, "uzs": false, "usd$": false, "us$": false,
}

// parsePrice reads an amount as people and Excel write it and answers whole
// tenge, half a tenge rounded up: "7 990,00", "7990.00", "7,990", "$175.00",
// "12 500 тг". With both signs present the last one is the decimal one; with
// one sign alone, exactly three digits behind it are a group of thousands
// ("12.500"), anything else a fraction. A remark in brackets at the end is
// ignored. The reason is empty when the cell is good.
func parsePrice(cell string, rate *big.Rat) (tenge int64, reason string) {
	amount, foreign, reason := parseAmount(cell)
	if reason != "" {
		return 0, reason
	}
	if foreign != "" && rate == nil {
		return 0, fmt.Sprintf("%q is not in tenge; give a price rate for %s", shorten(cell), foreign)
	}
	if rate != nil {
		amount.Mul(amount, rate)
	}
	switch {
	case amount.Sign() < 0:
		return 0, fmt.Sprintf("%q is negative", shorten(cell))
	case amount.Cmp(big.NewRat(MaxPrice, 1)) > 0:
		return 0, fmt.Sprintf("%q is more than %d tenge", shorten(cell), MaxPrice)
	}
	tenge = roundHalfUp(amount)
	if tenge == 0 {
		return 0, fmt.Sprintf("%q is zero", shorten(cell))
	}
	return tenge, ""
}

func parseAmount(cell string) (amount *big.Rat, foreign, reason string) {
	text := strings.ToLower(strings.TrimSpace(remark.ReplaceAllString(cell, "")))
	text = strings.NewReplacer("−", "-", "–", "-", "’", "", "'", "").Replace(text)

	negative := false
	var digits strings.Builder
	var word strings.Builder
	sign := func() bool { // closes a word; false when it is no currency
		name := strings.Trim(word.String(), ".")
		word.Reset()
		if name == "" {
			return true
		}
		tenge, known := currencies[name]
		if known && !tenge {
			foreign = strings.ToUpper(name)
		}
		return known
	}
	afterSpace, ended, ok := false, false, true
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			ok = ok && sign()
			afterSpace = digits.Len() > 0
			continue
		case r >= '0' && r <= '9':
			ok = ok && sign()
			if ok && (ended || afterSpace && !groupAt(text[i:])) {
				return nil, "", fmt.Sprintf("%q holds several numbers", shorten(cell))
			}
			digits.WriteRune(r)
		case (r == '.' || r == ',') && word.Len() == 0 && digits.Len() > 0:
			digits.WriteRune(r)
		case r == '-' && digits.Len() == 0 && !negative:
			ok = ok && sign()
			negative = true
		default:
			word.WriteRune(r)
			ended = digits.Len() > 0
		}
		afterSpace = false
	}
	ok = ok && sign()
	number, plain := decimalPoint(strings.TrimRight(digits.String(), ".,"))
	if !ok || !plain {
		return nil, "", fmt.Sprintf("%q is not an amount", shorten(cell))
	}
	amount, plain = plainDecimal(number)
	if !plain {
		return nil, "", fmt.Sprintf("%q has too many digits", shorten(cell))
	}
	if negative {
		amount.Neg(amount)
	}
	return amount, foreign, ""
}

// groupAt tells whether text begins with exactly three digits: the next
// thousands of the number before the space.
func groupAt(text string) bool {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n == 3
}

// decimalPoint removes grouping and answers a number with a point at most.
func decimalPoint(number string) (string, bool) {
	dot, comma := strings.LastIndexByte(number, '.'), strings.LastIndexByte(number, ',')
	switch {
	case dot >= 0 && comma >= 0 && dot > comma:
		number = strings.ReplaceAll(number, ",", "")
	case dot >= 0 && comma >= 0:
		number = strings.ReplaceAll(strings.ReplaceAll(number, ".", ""), ",", ".")
	case dotGroups.MatchString(number):
		number = strings.ReplaceAll(number, ".", "")
	case commaGroup.MatchString(number):
		number = strings.ReplaceAll(number, ",", "")
	case comma >= 0:
		number = strings.ReplaceAll(number, ",", ".")
	}
	return number, decimal.MatchString(number)
}

// plainDecimal reads digits with at most one point, nothing else that big.Rat
// would take (exponents, fractions, hexadecimal).
func plainDecimal(number string) (*big.Rat, bool) {
	if len(number) > maxAmountDigits || !decimal.MatchString(number) {
		return nil, false
	}
	return new(big.Rat).SetString(number)
}

func roundHalfUp(amount *big.Rat) int64 {
	twice := new(big.Int).Mul(amount.Num(), big.NewInt(2))
	twice.Add(twice, amount.Denom())
	return twice.Quo(twice, new(big.Int).Mul(amount.Denom(), big.NewInt(2))).Int64()
}
