package readapi

import (
	_ "embed"
	"net/http"
	"slices"
	"strings"
	"unicode"
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
	p := readPage(q, bad)
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
	asked, other := plain(text), plain(otherLayout(strings.ToLower(text)))
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

// nearly is whether the name, or as much of it as was typed, is asked with few slips.
func nearly(asked, name string) bool { return len(closest(asked, []string{name})) > 0 }

// closest keeps the candidates with the fewest slips, if these are few enough for the word's length; at most 5.
func closest(word string, candidates []string) []string {
	asked := []rune(word)
	best := 1
	if len(asked) > 5 {
		best = 2
	}
	var kept []string
	for _, c := range distinct(candidates) {
		is := []rune(c)
		n := slips(asked, is)
		// The word may be unfinished: compare with as much of the candidate.
		if len(asked) >= 5 && len(is) > len(asked) {
			n = min(n, slips(asked, is[:len(asked)]))
		}
		if n < best {
			best, kept = n, nil
		}
		if n == best {
			kept = append(kept, c)
		}
	}
	return kept[:min(len(kept), 5)]
}
