package catalog

import (
	"strings"
	"unicode/utf8"

	"shop/domain"
)

// Limits of texts, in characters. Real catalogs stay far below; a merged cell of a broken file does not.
const (
	maxName = 500
	maxLink = 200
	maxText = 100_000
)

// Refusals that products, categories, brands and marks share; staff and importers meet them.
var (
	ErrNoName      = domain.Refuse("catalog/no-name", "A name is needed.")
	ErrNameTooLong = domain.Refuse("catalog/name-too-long", "A name may have 500 characters.")
	ErrTextTooLong = domain.Refuse("catalog/text-too-long", "A text may have 100000 characters.")
	// ErrTextBroken: a text is not UTF-8 or holds a NUL, which the log cannot store.
	ErrTextBroken = domain.Refuse("catalog/text-broken", "A text is not valid UTF-8 or holds a NUL character.")
	// ErrBadLink: a link is 1 to 200 of a–z, 0–9, '-' and '_', so that a URL needs no escapes for it.
	ErrBadLink = domain.Refuse("catalog/bad-link", "A link may have 1 to 200 of a-z, 0-9, '-' and '_'.")
	// ErrUnknown: the command needs a product, category, brand or mark that was added.
	ErrUnknown = domain.Refuse("catalog/unknown", "There is no such entry in the catalog.")
)

// checkName and the others answer a nil error, not a nil *Refusal, when nothing is wrong.
func checkName(name string) error {
	if strings.TrimSpace(name) == "" {
		return ErrNoName
	}
	if utf8.RuneCountInString(name) > maxName {
		return ErrNameTooLong
	}
	return checkTexts(name)
}

func checkTexts(texts ...string) error {
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return ErrTextBroken
		}
		if utf8.RuneCountInString(text) > maxText {
			return ErrTextTooLong
		}
	}
	return nil
}

func checkLink(link string) error {
	if link == "" || len(link) > maxLink {
		return ErrBadLink
	}
	for i := range len(link) {
		c := link[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return ErrBadLink
		}
	}
	return nil
}

// firstError is the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
