package domain

import (
	"strings"
	"unicode/utf8"
)

// TextFits says whether the log can store a text of at most limit characters: it is UTF-8 and holds no NUL.
func TextFits(text string, limit int) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0) && utf8.RuneCountInString(text) <= limit
}

// Blank says whether a text shows nothing.
func Blank(text string) bool { return strings.TrimSpace(text) == "" }
