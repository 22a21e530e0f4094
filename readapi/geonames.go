package readapi

import (
	_ "embed"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"shop/domain/typo"
	"shop/readapi/words"
)

// Geoname is a city of Kazakhstan.
type Geoname struct {
	AlternateName string `json:"alternate_name"`
	Region        string `json:"region"`
	// spellings are the names it goes by, as plain gives them.
	spellings []string
}

// The cities of Kazakhstan with their regions since 2022 and their other names; the three largest first, then by name.
//
//go:embed geonames.tsv
var geonamesFile string

var geonames = func() []Geoname {
	var all []Geoname
	for line := range strings.Lines(geonamesFile) {
		column := strings.Split(strings.TrimSpace(line), "\t")
		g := Geoname{AlternateName: column[0], Region: column[1], spellings: []string{plain(column[0])}}
		if len(column) > 2 {
			for other := range strings.SplitSeq(column[2], ",") {
				g.spellings = append(g.spellings, plain(other))
			}
		}
		all = append(all, g)
	}
	return all
}()

// plain is a name's letters in lower case, without what people write differently: ё, hyphens, blanks, "г.".
func plain(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "ё", "е")
	for _, prefix := range []string{"г.", "г ", "гор.", "город "} {
		name = strings.TrimPrefix(name, prefix)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, name)
}

// Geonames is GET /api/geonames/.
func Geonames(r *http.Request) (*Reply, error) {
	q, bad := r.URL.Query(), BadQuery{}
	p := readPageOf(q, bad, int64(len(geonames)))
	if len(bad) > 0 {
		return nil, bad
	}
	found := geonames
	if text := Clean(q.Get("search"), 100); text != "" {
		found = cities(text)
	}
	from := min(p.Offset, int64(len(found)))
	to := min(from+p.Limit, int64(len(found)))
	return replyWith(hour, envelope(r, p, int64(len(found)), found[from:to]))
}

// cities finds by the beginning of a name, then as typed on the other keyboard layout, then by any part of it, then with a slip or two.
func cities(text string) []Geoname {
	asked, other := plain(text), plain(words.OtherLayout(strings.ToLower(text)))
	if asked == "" && other == "" {
		return []Geoname{}
	}
	for _, likes := range []func(name string) bool{
		func(name string) bool { return asked != "" && strings.HasPrefix(name, asked) },
		func(name string) bool { return other != "" && strings.HasPrefix(name, other) },
		func(name string) bool { return asked != "" && strings.Contains(name, asked) },
		func(name string) bool { return nearly(asked, name) },
	} {
		var found []Geoname
		for _, g := range geonames {
			if slices.ContainsFunc(g.spellings, likes) {
				found = append(found, g)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return []Geoname{}
}

// nearly is whether a name, or as much of it as was typed, is what was asked for with a slip, or two in long words.
func nearly(asked, name string) bool {
	typed := []rune(asked)
	forgiven := 1
	if len(typed) > 5 {
		forgiven = 2
	}
	if typo.Slips(asked, name) <= forgiven {
		return true
	}
	whole := []rune(name)
	return len(typed) >= 5 && len(whole) > len(typed) && typo.Slips(asked, string(whole[:len(typed)])) <= forgiven
}

// Cities know the cities of the country by their names.
type Cities struct{}

// City is the usual name of the city that a text names by any of its spellings; false: it names none, or says more.
func (Cities) City(typed string) (name string, known bool) {
	asked := plain(strings.TrimSpace(typed))
	if asked == "" || strings.ContainsFunc(typed, unicode.IsDigit) {
		return "", false
	}
	for _, g := range geonames {
		if slices.Contains(g.spellings, asked) {
			return g.AlternateName, true
		}
	}
	return "", false
}
