package inci

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"shop/domain/typo"
)

//go:embed names.txt
var list string

// Doubt is a name of a composition that is not in the list.
type Doubt struct {
	Name string `json:"name"`
	// Near are names of the list that it may be a slip of, the nearest first; at most three.
	Near []string `json:"near"`
}

const (
	// mostNames is how many names of a composition are looked at, longestName how many characters one may have.
	mostNames   = 200
	longestName = 120
	mostNear    = 3
)

// known are the names of the list by their keys.
var known = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(list) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			names[key(name)] = name
		}
	}
	return names
})

// Doubts are the names of a composition that are not in the list, in their order, each once. Names without a Latin letter, such as
// Russian ones, are no names of this list and are passed over.
func Doubts(composition string) []Doubt {
	found := []Doubt{}
	seen := map[string]bool{}
	for _, name := range names(composition) {
		k := key(name)
		if _, ok := known()[k]; ok || k == "" || seen[k] {
			continue
		}
		seen[k] = true
		found = append(found, Doubt{name, near(k)})
	}
	return found
}

// key is what names are compared by: without case, brackets, marks and repeated spaces.
func key(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range strings.ToLower(name) {
		switch {
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth = max(0, depth-1)
		case depth > 0 || strings.ContainsRune("*¹²³†‡™®", r):
		default:
			b.WriteRune(r)
		}
	}
	return strings.Trim(strings.Join(strings.Fields(b.String()), " "), " .:;+/-–—")
}

// names are those of a composition that have a Latin letter. Commas and semicolons part them, but for commas within numbers (1,2-Hexanediol)
// and in brackets; a sentence after the list, such as one that explains an asterisk, is none.
func names(composition string) (all []string) {
	runes := []rune(composition)
	start, depth := 0, 0
	end := func(at int) {
		name := strings.TrimSpace(string(runes[start:at]))
		if _, after, ok := strings.Cut(name, ":"); ok { // a heading: "Ingredients: Aqua"
			name = strings.TrimSpace(after)
		}
		name, _, _ = strings.Cut(name, ". ")
		name = strings.Trim(name, " .*+-/\t")
		if len(all) < mostNames && len([]rune(name)) <= longestName && strings.ContainsFunc(name, isLatin) {
			all = append(all, name)
		}
		start = at + 1
	}
	for i, r := range runes {
		switch {
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth = max(0, depth-1)
		case r == '\n' || r == ';' && depth == 0:
			end(i)
		case r == ',' && depth == 0 && (i == 0 || i+1 == len(runes) || !unicode.IsDigit(runes[i-1]) || !unicode.IsDigit(runes[i+1])):
			end(i)
		}
	}
	end(len(runes))
	return all
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

// lookAlikes are Cyrillic letters that look like Latin ones, the commonest slip of a keyboard with two layouts.
var lookAlikes = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "к", "k", "в", "b", "н", "h", "т", "t", "м", "m", "і", "i")

// near are names that a key is at most two slips away from, one in a short key.
func near(k string) []string {
	type at struct {
		name string
		away int
	}
	latin := lookAlikes.Replace(k)
	most := 2
	if len(latin) < 8 {
		most = 1
	}
	var all []at
	for other, name := range known() {
		if max(len(other)-len(latin), len(latin)-len(other)) > 2*most { // of letters that have up to two bytes
			continue
		}
		if away := typo.Slips(latin, other); away <= most {
			all = append(all, at{name, away})
		}
	}
	slices.SortFunc(all, func(a, b at) int { return cmp.Or(cmp.Compare(a.away, b.away), strings.Compare(a.name, b.name)) })
	found := []string{}
	for _, one := range all[:min(mostNear, len(all))] {
		found = append(found, one.name)
	}
	return found
}
