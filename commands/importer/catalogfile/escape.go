package catalogfile

import (
	"html"
	"regexp"
	"strings"
)

// listSigns take lists apart. In a file, a backslash before one makes it a part of the item.
var listSigns = []string{`\`, ">", "→", "»", "|", "/", ",", ";"}

// hideSigns puts characters that no text has in place of signs after a backslash, showSigns the signs in place of
// those, escapeSigns a backslash before each sign.
var hideSigns, showSigns, escapeSigns = func() (hide, show, escape *strings.Replacer) {
	var hidden, shown, escaped []string
	for i, sign := range listSigns {
		placeholder := string(rune(0xF700 + i))
		hidden = append(hidden, `\`+sign, placeholder)
		shown = append(shown, placeholder, sign)
		escaped = append(escaped, sign, `\`+sign)
	}
	return strings.NewReplacer(hidden...), strings.NewReplacer(shown...), strings.NewReplacer(escaped...)
}()

// joinList writes items so that splitList finds them again.
func joinList(items []string, between string) string {
	escaped := make([]string, len(items))
	for i, item := range items {
		escaped[i] = escapeSigns.Replace(item)
	}
	return strings.Join(escaped, between)
}

// guarded puts an apostrophe before what a spreadsheet would take for a formula. unguarded takes it away, and the one that files for
// spreadsheets have before a text that would become another number (package readapi/spreadsheet).
func guarded(cell string) string {
	if isFormula(cell) || guardedNumber.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

func unguarded(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(cell) || guardedNumber.MatchString(cell) {
		return cell[1:]
	}
	return cell
}

// isFormula also says yes to a formula that is guarded already.
func isFormula(cell string) bool {
	rest := strings.TrimLeft(cell, "'")
	return rest != "" && strings.IndexByte("=+-@", rest[0]) >= 0
}

// guardedNumber is a text of which a spreadsheet would keep another number, behind its apostrophes.
var guardedNumber = regexp.MustCompile(`^'+(0[0-9]+|[0-9]{12,}|[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+)$`)

// guardedHTML writes a plain text so that plainText, which reads HTML too, finds it again.
func guardedHTML(text string) string {
	if htmlTag.MatchString(text) || htmlEntity.MatchString(text) {
		return html.EscapeString(text)
	}
	return text
}
