package search

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"shop/readapi/words"
)

// Hit is a product that answers a search.
type Hit struct {
	ID uuid.UUID
	// Tier is how well it does, larger is better. Equal tiers answer equally well: what is in stock and what sells decides.
	Tier int
	// number is the product's in the index.
	number int32
}

// tiers is how many of them one point of worth is.
const tiers = 2

// mostTier bounds tiers.
const mostTier = 1 << 20

// worthHead is how many times more what is looked for is worth than what it shall be like: a mask in a name before a face in it.
const worthHead = 1.6

// worthCalled is what the exact name is worth.
const worthCalled = 25

// matching finds the products that answer a query, best first; none: nothing in the shop does.
func (x *index) matching(q query) []Hit {
	if q.article {
		hits := make([]Hit, 0, len(q.products))
		for _, n := range q.products {
			hits = append(hits, Hit{ID: x.products[n].ID, number: n})
		}
		return hits
	}
	if slices.ContainsFunc(q.units, unit.isMissingKind) {
		return nil // a крем для зубных протезов is no крем
	}
	if len(q.units) > describedUnits && q.units[q.head].places&strong == 0 && q.strange == 0 {
		return x.described(q)
	}
	if len(q.units) == 0 {
		return nil
	}
	if q.units[q.head].places&strong == 0 {
		// мужу от перхоти asks for what helps against it, though the shop knows no husband.
		if i := x.problem(q); i >= 0 {
			q.head, q.strange = i, max(0, q.strange-1)
		}
	}
	if q.units[q.head].places&strong == 0 || q.strange >= len(q.units)-q.strange {
		return nil
	}
	hits := x.ranked(q, true)
	if len(hits) < fewClaims && q.onlyLacks() {
		q.unclaimed = true
		return x.ranked(q, true)
	}
	return hits
}

// fewClaims is how many goods that say what they lack are few, so that those of which only the composition says it come after them.
const fewClaims = 10

// onlyLacks is whether a query asks for what is lacking and nothing else.
func (q query) onlyLacks() bool {
	return !slices.ContainsFunc(q.units, func(u unit) bool { return !u.lacks })
}

// score is what a product has got.
type score struct {
	worth float32
	units int8
	head  bool
	out   bool
	// need: it is for one of the needs that were asked for.
	need bool
	// phrased is how many words of phrases it has.
	phrased int8
	// first: it has the first of the needs that were asked for.
	first bool
}

// has notes that a product has a unit, which may be one of the heads, a need, or what is looked for first.
func (s *score) has(u unit, head, need, first bool) {
	s.head = s.head || head
	s.need = s.need || need
	s.first = s.first || need && first
	if u.phrased {
		s.phrased++
	}
}

// almost is what a product is worth that has all but one of most units: it must be for a need, or with heads be what is looked for. One that is
// called as a phrase of several words says comes first: of a крем для ног смягчающий each крем для ног.
func (s score) almost(most, phrased int8, heads bool) (worth float32, ok bool) {
	worth = s.worth / 4
	if s.need {
		worth += worthHead
	}
	if s.first {
		worth += worthHead // после загара успокаивающее is first of all for after the sun
	}
	if phrased > 1 && s.phrased == phrased {
		worth += 4 * worthHead
	}
	return worth, !s.out && s.units == most-1 && (s.need || s.head && heads)
}

// describedUnits is how many things that names say a search has beside what only a description says.
const describedUnits = 2

// described are the products that have all of a query, though only a description has what is looked for: a мешочек трав для ванны is what a
// bath salt comes with.
func (x *index) described(q query) []Hit {
	has := map[int32]int{}
	for i, u := range q.units {
		mine := map[int32]bool{}
		for key := range u.alternatives {
			for _, p := range x.postings[key] {
				if i == q.head || u.adjective || p.places&strong != 0 {
					mine[p.product] = true
				}
			}
		}
		for n := range mine {
			has[n]++
		}
	}
	hits := x.ranked(q, false)
	return slices.DeleteFunc(hits, func(h Hit) bool { return has[h.number] < len(q.units) })
}

// isNeeded is whether a unit asks for what goods are for.
func (x *index) isNeeded(u unit) bool {
	for key := range u.alternatives {
		if key[0] == '?' && x.has(key)&strong != 0 {
			return true
		}
	}
	return false
}

// heads are the units of which goods must have one: what is looked for, or each of the needs where nothing else is.
func (x *index) heads(q query) map[int]bool {
	heads := map[int]bool{q.head: true}
	if !x.isNeeded(q.units[q.head]) {
		return heads
	}
	for i, u := range q.units {
		if !u.lacks && x.isNeeded(u) {
			heads[i] = true
		}
	}
	return heads
}

// needed are the units that ask for what goods are for.
func (x *index) needed(q query) map[int]bool {
	needs := map[int]bool{}
	for i, u := range q.units {
		if !u.lacks && x.isNeeded(u) {
			needs[i] = true
		}
	}
	return needs
}

// problem is the number of the first unit that is a need and no time or place; -1: there is none.
func (x *index) problem(q query) int {
	needs := x.needed(q)
	for i, u := range q.units {
		if (needs[i] || u.phrased && u.places&strong != 0) && !u.adjective && !u.beside {
			return i
		}
	}
	return -1
}

// isNeed is whether a key is of what goods are for.
func isNeed(key string) bool { return key[0] == '?' || strings.HasPrefix(key, purposeKey) }

// needInstead is the number of the unit that is a need, in a search for one and a kind of goods; -1: there is none.
func (x *index) needInstead(q query) int {
	return slices.IndexFunc(q.units, func(u unit) bool {
		needed := false
		for key := range u.alternatives {
			has := x.has(key) & strong
			if has != 0 && !isNeed(key) && key[0] != '=' && key[0] != '>' { // what else a need is called, or helps with it, is no kind
				return false
			}
			needed = needed || has != 0 && isNeed(key)
		}
		return needed && !u.lacks
	})
}

// isKind is whether a unit asks for a kind of goods of its own.
func (u unit) isKind() bool {
	for key := range u.alternatives {
		if isKind(key) {
			return true
		}
	}
	return false
}

// isMissingKind is whether the shop does not have the kind of its own that a unit asks for.
func (u unit) isMissingKind() bool { return u.isKind() && u.places == 0 }

// counts is whether goods that have the unit answer more of a query than those that do not: a description alone does not say which a product is,
// but what it is about.
func (u unit) counts() bool { return u.places&strong != 0 || !u.adjective && !u.lacks }

// asked is how many things a query asks for that count, and how many of them no name, need or the like has.
func (q query) asked() (asked, weak int) {
	asked, weak = q.strange, q.strange
	for _, u := range q.units {
		if u.places != 0 && u.counts() && !u.onlyClaimed() {
			asked++
			if u.places&strong == 0 {
				weak++
			}
		}
	}
	return asked, weak
}

// isMeasured is whether a unit is a size or a number of SPF, of which nothing near will do.
func (u unit) isMeasured() bool { return strings.ContainsAny(u.word, "0123456789") }

// onlyClaimed is whether a unit is lacking and only what goods say can answer it: goods of which nobody says it may lack it too.
func (u unit) onlyClaimed() bool {
	if !u.lacks {
		return false
	}
	for key := range u.alternatives {
		if key[0] != '-' {
			return false
		}
	}
	return true
}

// ranked are the products that answer the most units of a query; strict: the head among them, and by more than a description.
func (x *index) ranked(q query, strict bool) []Hit {
	// Who only asks what is lacking wants goods that say so first.
	claims := q.onlyLacks() && !q.unclaimed
	scores := make([]score, len(x.products))
	worth := make([]float32, len(x.products))
	var touched, any []int32
	heads, needs := x.heads(q), x.needed(q)
	for i, u := range q.units {
		if claims {
			u.alternatives = maps.Clone(u.alternatives)
			maps.DeleteFunc(u.alternatives, func(key string, _ float32) bool { return key[0] == '0' })
		}
		touched = x.unit(u, worth, touched[:0], strict && heads[i])
		weight := float32(1)
		if i == q.head {
			weight = worthHead
			x.partly(u, worth)
		}
		x.spelled(u, worth)
		x.elsewhere(u, worth, touched)
		for _, n := range touched {
			s := &scores[n]
			if s.worth == 0 {
				any = append(any, n)
			}
			s.worth += worth[n] * weight
			if u.counts() || len(q.units) == 1 {
				s.units++
			}
			s.has(u, heads[i], needs[i], i == q.head)
			worth[n] = 0
		}
		for _, key := range u.excluded {
			for _, p := range x.postings[key] {
				if p.places&(inName|inNameLate|inINCI|inMark) != 0 && !x.claims(u, p.product) {
					scores[p.product].out = true
				}
			}
		}
	}
	most, phrased := int8(0), int8(count(q.units, func(u unit) bool { return u.phrased }))
	asked, weak := q.asked()
	for _, n := range any {
		if s := scores[n]; x.products[n].alive && !s.out && (s.head || !strict) {
			most = max(most, s.units)
		}
	}
	if needed := x.needInstead(q); strict && most == 1 && asked == 2 && needed >= 0 && !heads[needed] {
		// No крем is for what is asked: what else is for it says more than any крем.
		return x.ordered(q, any, func(n int32) (float32, bool) {
			for key := range q.units[needed].alternatives {
				if isNeed(key) && slices.ContainsFunc(x.postings[key], func(p posting) bool { return p.product == n }) {
					return scores[n].worth, !scores[n].out
				}
			}
			return 0, false
		})
	}
	if strict && (int(most)*2 < asked || weak > 0 && q.units[q.head].places&inNeed == 0 && int(most)*2 <= asked) {
		if i := x.problem(q); i < 0 || q.strange > 0 {
			return nil // most of what was asked for is something else
		}
		return x.ordered(q, any, func(n int32) (float32, bool) { return scores[n].worth, !scores[n].out && scores[n].need })
	}
	hits := x.ordered(q, any, func(n int32) (float32, bool) {
		s := scores[n]
		return s.worth, !s.out && s.units >= most && (s.head || !strict)
	})
	kind := q.units[q.head].isKind()
	if strict && len(hits) < fewHits && (most >= 3 || most == 2 && (kind || len(needs) > 0) && !slices.ContainsFunc(q.units, unit.isMeasured)) {
		// Who asks for much gets what has all but one thing after what has everything, first what is for the need.
		hits = append(hits, x.ordered(q, any, func(n int32) (float32, bool) {
			return scores[n].almost(most, phrased, most >= 3 || kind || len(heads) > 1)
		})...)
	}
	return hits
}

// fewHits is how many goods are few: what fits on a phone's first screens.
const fewHits = 10

// ordered are the products that chosen chooses and weighs, best first, newest first among equals.
func (x *index) ordered(q query, products []int32, chosen func(int32) (worth float32, ok bool)) []Hit {
	var order []uint64 // the tier and the product
	for _, n := range products {
		p := &x.products[n]
		worth, ok := chosen(n)
		if !ok || !p.alive {
			continue
		}
		if p.called == q.plain || p.calledKazakh == q.plain && q.plain != "" {
			worth += worthCalled
		}
		tier := max(0, min(mostTier, int(math.Round(float64(worth)*tiers))))
		order = append(order, uint64(mostTier-tier)<<32|uint64(n))
	}
	slices.Sort(order)
	hits := make([]Hit, len(order))
	for i, o := range order {
		n := int32(o & math.MaxInt32)
		hits[i] = Hit{x.products[n].ID, mostTier - int(o>>32), n}
	}
	return hits
}

// unit puts what each product's best match of a unit is worth into worth, and returns the products that match.
func (x *index) unit(u unit, worth []float32, touched []int32, needsStrong bool) []int32 {
	for key, share := range u.alternatives {
		for _, p := range x.postings[key] {
			if needsStrong && p.places&strong == 0 {
				continue
			}
			at := p.places
			if key[0] == '?' && at&(inName|inNameLate) != 0 {
				at = at&^inName | inNameLate // what it is for may stand anywhere in a name
			}
			w := share * worthOf(at)
			if worth[p.product] == 0 {
				touched = append(touched, p.product)
			}
			worth[p.product] = max(worth[p.product], w)
		}
	}
	return touched
}

// spelled adds to what a need is worth in products that have its words as they were typed, or those of its title: чёрные точки finds a mask against
// чёрные точки before one against акне. A name or category that has some of them, such as the part of the body, counts too.
func (x *index) spelled(u unit, worth []float32) {
	most := map[int32]float32{}
	all, named := x.saying(u.spelled, worth)
	for product, n := range all {
		most[product] = worthNamed * float32(named[product]) / float32(len(u.spelled))
		if n == len(u.spelled) {
			most[product] = worthSpelled + most[product]/2 // names that say all of it come first
		}
	}
	for _, title := range u.titles {
		all, _ := x.saying(title, worth)
		for product, n := range all {
			if n == len(title) {
				most[product] = max(most[product], worthTitled)
			}
		}
	}
	for product, more := range most {
		worth[product] += more
	}
}

// saying counts of how many words, each given by its keys, the products that are worth something have one, and how many stand in their names or
// categories.
func (x *index) saying(spelled [][]string, worth []float32) (all, named map[int32]int) {
	const called = inName | inNameLate | inCategory | inShared
	all, named = map[int32]int{}, map[int32]int{}
	mine := map[int32]uint16{}
	for _, keys := range spelled {
		clear(mine)
		for _, key := range keys {
			for _, p := range x.postings[key] {
				if worth[p.product] > 0 && p.places&(called|inAbout) != 0 {
					mine[p.product] |= p.places
				}
			}
		}
		for product, places := range mine {
			all[product]++
			if places&called != 0 {
				named[product]++
			}
		}
	}
	return all, named
}

// worthSpelled is what the words of a need are worth in goods that have all of them: what only a description says comes before what a name says
// in other words. worthTitled is for those that have its title, worthNamed for those whose names have some of the words.
const (
	worthSpelled = 9
	worthTitled  = 4
	worthNamed   = 3
)

// worthAgreed is what it is worth that the category says what the name does: who asks for creams for the face finds sunscreens after them.
const worthAgreed = 0.4

// worthOf is what a match is worth that stands in these places: the most of them.
func worthOf(at uint16) (most float32) {
	for i := range places {
		if at&(1<<i) != 0 {
			most = max(most, worths[i])
		}
	}
	if at&(inName|inNameLate) != 0 && at&(inCategory|inShared) != 0 {
		most += worthAgreed
	}
	return most
}

// claims is whether a product says that it lacks what a unit asks to be lacking.
func (x *index) claims(u unit, product int32) bool {
	for key := range u.alternatives {
		if slices.ContainsFunc(x.postings[key], func(p posting) bool { return p.product == product }) {
			return true
		}
	}
	return false
}

// marked are the words of a name, as it spells them, that a query asked for.
func (x *index) marked(q query, name string) []string {
	var found []string
	for _, token := range words.Tokens(name) {
		keys := x.analyzer.keys(words.Plain(token.Text))
		all := slices.Concat(keys, roots(keys), x.lexicon.said([][]string{keys}, func(p phrase) bool { return p.told && !p.lack })[1])
		if slices.ContainsFunc(q.units, func(u unit) bool {
			return !u.lacks && slices.ContainsFunc(all, func(key string) bool { return u.alternatives[key] > 0 })
		}) {
			found = append(found, name[token.From:token.To])
		}
	}
	return found
}
