package search

import (
	"slices"
	"strconv"
	"strings"

	"shop/readapi/words"
)

// number adds what numbers mean with the words around them: spf 50 is spf50, 50 мл is 50мл.
func (x *index) number(at map[string]uint16, said []term, i int, place uint16) {
	if key := measured(said, i); key != "" {
		at[key] |= place
	}
}

// measured is the key of a number with its unit or of spf with its number that begins here; empty: none does.
func measured(said []term, i int) string {
	if i+1 >= len(said) {
		return ""
	}
	a, b := said[i].token.Text, said[i+1].token.Text
	if words.IsNumber(a) && words.Unit(b) != "" {
		return size(a, words.Unit(b))
	}
	if words.IsNumber(a) && strings.HasPrefix(b, "процент") {
		return a + "%"
	}
	if isSPF(a) && words.IsNumber(b) {
		return "spf" + b
	}
	if words.IsNumber(a) && isSPF(b) && (i+2 == len(said) || !words.IsNumber(said[i+2].token.Text)) {
		return "spf" + a // 30SPF
	}
	return ""
}

func isSPF(word string) bool { return word == "spf" || word == "спф" }

// size is how much a package holds: litres as millilitres and kilograms as grams.
func size(number, unit string) string {
	n, err := strconv.Atoi(number)
	smaller, ok := map[string]string{"л": "мл", "кг": "г"}[unit]
	if err != nil || !ok {
		return number + unit
	}
	return strconv.Itoa(n*1000) + smaller
}

// numeric makes units of a number, of a unit of packages or of what both are together, and says how many terms it took; 0: there is none.
func (r *reading) numeric(said []term, i int) int {
	word := said[i].token.Text
	if key := measured(said, i); key != "" {
		r.understood = append(r.understood, word, said[i+1].token.Text)
		switch {
		case r.has(key) != 0:
			r.add(unit{word: key, adjective: words.IsNumber(word), alternatives: map[string]float32{key: 1}})
		case isSPF(word):
			r.add(unit{word: key, alternatives: map[string]float32{"spf": 1, "?sun": shareWanted}})
		}
		return 2
	}
	if n := r.aged(said, i); n > 0 {
		return n
	}
	if words.IsNumber(strings.TrimSuffix(word, "%")) {
		r.understood = append(r.understood, word)
		if r.has(word)&strong != 0 {
			r.add(unit{word: word, adjective: true, alternatives: map[string]float32{word: 1}})
		}
		return 1
	}
	if measure := words.Unit(word); measure != "" {
		key := size("1", measure)
		r.understood = append(r.understood, word) // литр is a litre
		if r.has(key) != 0 {
			r.add(unit{word: key, adjective: true, alternatives: map[string]float32{key: 1}})
		}
		return 1
	}
	return 0
}

// Ages of which somebody says that goods are for them, and the word of the lexicon for what is for these.
const (
	leastAge = 25
	mostAge  = 99
	forAge   = "возрастной"
)

// aged makes a unit of an age, as in 45+, после 50 and 60 лет, and says how many terms it took; 0: the number is none. Goods that name the age
// come before those for any such age.
func (r *reading) aged(said []term, i int) int {
	t := said[i]
	n, err := strconv.Atoi(t.token.Text)
	years := i+1 < len(said) && (slices.Contains(said[i+1].keys, age) || strings.HasPrefix(said[i+1].token.Text, "жас"))
	if err != nil || n < leastAge || n > mostAge || !years && !t.after && !strings.HasPrefix(r.text[t.token.To:], "+") {
		return 0
	}
	u := unit{word: t.token.Text + "+", adjective: true, alternatives: map[string]float32{t.token.Text: 1}, spelled: [][]string{{t.token.Text}}}
	r.mean(&u, r.lexicon.said([][]string{{forAge}}, phrase.isAsked)[1])
	if r.placesOf(u)&strong == 0 {
		return 0
	}
	r.understood = append(r.understood, t.token.Text)
	r.add(u)
	if years {
		r.understood = append(r.understood, said[i+1].token.Text)
		return 2
	}
	return 1
}
