package promocode

import (
	"unicode"

	"shop/domain"
)

const (
	// UnguessableLength is the least length of a code that nobody guesses: ten random letters and digits are some 50 bits.
	UnguessableLength = 10
	// A discount of so much is worth guessing.
	worthPercent, worthSum = 20, 5000
	// variety is the least number of different characters in such a code.
	variety = 6
)

// WorthGuessing says that terms take off so much that guessers would try to find the code: 20 % or 5 000 tenge.
func WorthGuessing(t Terms) bool {
	least := domain.Money(worthSum)
	if t.Kind == Percent {
		least = worthPercent
	}
	return t.check() == nil && t.Value >= least
}

// IsGuessable says that a code is short, or has no letters, no digits or few different characters: a word or a number. It cannot
// tell whether a code is random.
func IsGuessable(code string) bool {
	seen, letters, digits, length := map[rune]bool{}, 0, 0, 0
	for _, c := range Normal(code) {
		length++
		seen[c] = true
		switch {
		case unicode.IsLetter(c):
			letters++
		case unicode.IsDigit(c):
			digits++
		}
	}
	return length < UnguessableLength || letters == 0 || digits == 0 || len(seen) < variety
}
