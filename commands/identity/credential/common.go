package credential

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// The commonest passwords of eight characters and more: 10 000, and all of twelve and more, which staff could choose. They are
// from @zxcvbn-ts/language-common 4.1.3 (MIT), in lower case and sorted.
//
//go:embed common.txt.gz
var commonest []byte

// ErrCommon: the password is one of the commonest. ErrOwn: it is the e-mail or the name of its owner, or the shop's name.
var (
	ErrCommon = errors.New("the password is one of the commonest")
	ErrOwn    = errors.New("the password is an e-mail or a name")
)

var commonList = sync.OnceValue(func() []string {
	r, err := gzip.NewReader(bytes.NewReader(commonest))
	if err != nil {
		panic(err) // it is built in
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
})

// Guessable says why a password would be among the first guesses: ErrCommon, or ErrOwn for one that is made of own words with
// digits and signs around them; else nil. Own words are e-mails and names of the owner and of the shop.
func Guessable(password string, own ...string) error {
	if _, found := slices.BinarySearch(commonList(), strings.ToLower(password)); found {
		return ErrCommon
	}
	bare := letters(password)
	if bare == "" {
		return nil // digits alone that are not common
	}
	var words []string
	for _, text := range own {
		local, domain, isEmail := strings.Cut(text, "@")
		for _, word := range []string{text, local} {
			if word := letters(word); len([]rune(word)) > 1 {
				words = append(words, word)
			}
		}
		if label, _, _ := strings.Cut(domain, "."); isEmail && len(label) > 1 {
			words = append(words, letters(label))
		}
	}
	for _, first := range words {
		rest, begins := strings.CutPrefix(bare, first)
		if begins && (rest == "" || slices.Contains(words, rest)) {
			return ErrOwn
		}
	}
	return nil
}

// letters is a text in lower case without what is no letter.
func letters(text string) string {
	return strings.Map(func(c rune) rune {
		switch c = unicode.ToLower(c); {
		case c == 'ё':
			return 'е'
		case unicode.IsLetter(c):
			return c
		}
		return -1
	}, text)
}
