package catalogfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// maxLength bounds texts, in characters.
var maxLength = map[Field]int{
	Article:     100,
	Name:        300,
	Link:        120,
	Brand:       100,
	Category:    400,
	Description: 20_000,
	Composition: 20_000,
	Expires:     2_000,
	ApplyMethod: 5_000,
	PackageSize: 100,
	MadeIn:      100,
	Marks:       1_000,
	Pictures:    10_000,
	GTIN:        20,

	KazakhName:        300,
	KazakhDescription: 20_000,
	KazakhExpires:     2_000,
	KazakhApplyMethod: 5_000,
	KazakhPackageSize: 100,
	KazakhMadeIn:      100,
}

var (
	htmlTag    = regexp.MustCompile(`(?i)</?[a-z][a-z0-9]*(\s[^<>]*)?/?>`)
	htmlEntity = regexp.MustCompile(`&(#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});`)
	blankLines = regexp.MustCompile(`\n{3,}`)
	slug       = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	shortened  = regexp.MustCompile(`^[0-9][.,][0-9]+[eEеЕ]\+[0-9]+$`)
	pathSign   = regexp.MustCompile(`\s*[>→»|]\s*|\s+[/\\]\s+`)
	listSign   = regexp.MustCompile(`\s*[,;|\n]\s*`)
	imageSign  = regexp.MustCompile(`\s*[|;]\s*|,\s+|\s+`)
)

// DerivedArticle is the article of a product whose file states none: "A-" and
// 48 bits of the SHA-256 of brand and name, letter case and spacing ignored.
// It stays the same as long as brand and name do.
func DerivedArticle(brand, name string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(oneLine(brand) + "\x00" + oneLine(name))))
	return "A-" + strings.ToUpper(hex.EncodeToString(sum[:6]))
}

// oneLine trims and turns every run of white space into one space. What no file may hold may still come of an entity.
func oneLine(text string) string { return strings.Join(strings.Fields(strings.Map(clean, text)), " ") }

// plainText trims, keeps line breaks, and turns HTML into text: blocks become
// lines, list items get a bullet, scripts and tags go.
func plainText(text string) string {
	if htmlTag.MatchString(text) {
		text = textOfHTML(text)
	} else if htmlEntity.MatchString(text) {
		text = html.UnescapeString(text)
	}
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	for i, line := range lines {
		lines[i] = oneLine(line)
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
}

func textOfHTML(source string) string {
	var out strings.Builder
	hidden := ""
	tokens := html.NewTokenizer(strings.NewReader(source))
	for {
		switch tokens.Next() {
		case html.ErrorToken: // io.EOF: a string has no other error
			return out.String()
		case html.TextToken:
			if hidden == "" {
				// Line breaks of the source mean nothing in HTML.
				out.WriteString(strings.Map(func(r rune) rune {
					if r == '\n' || r == '\r' {
						return ' '
					}
					return r
				}, string(tokens.Text())))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			switch tag := string(name); tag {
			case "script", "style":
				hidden = tag
			case "li":
				out.WriteString("\n• ")
			case "p", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "table":
				out.WriteString("\n\n")
			case "br", "div", "tr":
				out.WriteString("\n")
			case "td", "th":
				out.WriteString(" ")
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			switch tag := string(name); tag {
			case hidden:
				hidden = ""
			case "p", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "table":
				out.WriteString("\n\n")
			case "div":
				out.WriteString("\n")
			}
		}
	}
}

// badText says why a text cannot be taken; empty when it can.
func badText(field Field, text string) string {
	if strings.ContainsRune(text, unreadable) {
		return "has characters that cannot be read (broken encoding or a NUL byte)"
	}
	if limit := maxLength[field]; limit > 0 && len(text) > limit {
		if n := utf8.RuneCountInString(text); n > limit {
			return fmt.Sprintf("is %d characters long, at most %d are allowed", n, limit)
		}
	}
	return ""
}

// splitList splits a cell and drops empty and repeated items. A character after a backslash belongs to its item.
func splitList(cell string, sign *regexp.Regexp) []string {
	var items []string
	seen := map[string]bool{}
	cell = hideSigns.Replace(strings.TrimSpace(cell))
	if sign == imageSign {
		cell = strings.ReplaceAll(cell, ",http", " http")
	}
	for _, item := range sign.Split(cell, -1) {
		item = oneLine(showSigns.Replace(item))
		if item != "" && !seen[item] {
			seen[item] = true
			items = append(items, item)
		}
	}
	return items
}

// parseBool understands what people answer in a yes-or-no column.
func parseBool(cell string) (value, ok bool) {
	switch strings.ReplaceAll(strings.ToLower(strings.TrimSpace(cell)), "ё", "е") {
	case "1", "да", "yes", "y", "true", "истина", "есть", "+", "в наличии":
		return true, true
	case "0", "нет", "no", "n", "false", "ложь", "-", "нет в наличии":
		return false, true
	}
	return false, false
}

// shorten makes a cell fit into an error text.
func shorten(cell string) string {
	const limit = 40
	cell = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, cell)
	if utf8.RuneCountInString(cell) <= limit {
		return cell
	}
	return string([]rune(cell)[:limit]) + "…"
}
