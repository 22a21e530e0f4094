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

// PublicAddress says whether a text may be an address in what staff publish: a path of the shop's own, or https.
func PublicAddress(text string) bool {
	// Browsers drop tabs and line breaks, and read a backslash as a slash.
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == '\\' }) {
		return false
	}
	own := strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//")
	return own || strings.HasPrefix(text, "https://") && len(text) > len("https://")
}
