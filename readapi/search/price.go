package search

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shop/readapi/words"
)

// budget is what a search says of prices.
type budget struct {
	// least and most bound them in whole units of the currency; 0: they do not.
	least, most int64
	order       priceOrder
}

// priceOrder is which of the goods that fit come first.
type priceOrder byte

const (
	byFit priceOrder = iota
	cheapFirst
	dearFirst
	reducedFirst
)

// priceOrders are what the lines of a lexicon begin with that list words of prices.
var priceOrders = map[string]priceOrder{"$<": cheapFirst, "$>": dearFirst, "$-": reducedFirst}

// leastPrice is the smallest number that is a price without a currency: до 30 is none.
const leastPrice = 200

const amount = `(\d{1,3}(?: \d{3})+|\d+) ?(тыс\.?|тысяч\p{L}*|тыщ\p{L}*|к|k|мың)?(?: ?(тенге|тг|₸|kzt|теңге)\p{L}*)?`

var (
	atMost   = regexp.MustCompile(`(?:^| )(?:до|дешевле|не дороже|не больше|максимум|в пределах|под|under) ` + amount + `( |$)`)
	atLeast  = regexp.MustCompile(`(?:^| )(?:от|дороже|не дешевле|свыше|больше|минимум) ` + amount + `( |$)`)
	kkAtMost = regexp.MustCompile(`(?:^| )` + amount + `(?:ге|га|ға|ден|нан)? (?:дейін|арзан)( |$)`)
)

// budgeted takes the bounds of prices out of a plain text.
func budgeted(plain string) (rest string, b budget) {
	rest = plain
	for _, bound := range []struct {
		said *regexp.Regexp
		of   *int64
	}{{atMost, &b.most}, {kkAtMost, &b.most}, {atLeast, &b.least}} {
		at := bound.said.FindStringSubmatchIndex(rest)
		if at == nil {
			continue
		}
		group := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return rest[at[2*n]:at[2*n+1]]
		}
		value, err := strconv.ParseInt(strings.ReplaceAll(group(1), " ", ""), 10, 64)
		if err != nil {
			continue
		}
		if group(2) != "" {
			value *= 1000
		}
		next, _, _ := strings.Cut(strings.TrimSpace(rest[at[1]:]), " ")
		if value < leastPrice && group(3) == "" || group(3) == "" && words.Unit(next) != "" {
			continue // до 500 мл
		}
		*bound.of = value
		rest = strings.TrimSpace(rest[:at[0]] + " " + rest[at[1]:])
	}
	return rest, b
}

// priceOrderOf is which order of prices a text asks for.
func (l *lexicon) priceOrderOf(terms []term, plain string) priceOrder {
	for _, phrase := range l.pricePhrases {
		if strings.Contains(" "+plain+" ", " "+phrase+" ") {
			return l.prices[phrase] // қымбат емес is not қымбат
		}
	}
	for _, t := range terms {
		for _, key := range append([]string{t.token.Text}, t.keys...) {
			if order := l.prices[key]; order != byFit {
				return order
			}
		}
	}
	return byFit
}

// priced files the words of prices of a line of the lexicon.
func (l *lexicon) priced(line string) bool {
	order, ok := priceOrders[line[:min(2, len(line))]]
	if !ok || strings.Trim(line[2:], " ,") == "" {
		return false
	}
	for word := range strings.SplitSeq(words.Plain(line[2:]), ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		l.prices[word] = order
		if strings.Contains(word, " ") {
			l.pricePhrases = append(l.pricePhrases, word)
		} else {
			l.silent[word] = true
		}
	}
	return true
}

// fitting is the share of the best match's tier from which goods are ordered by price.
const fitting = 0.6

// affordable leaves out what a budget does not reach, and puts first what it asks for. Where nothing is within it, what comes nearest does.
func (x *index) affordable(hits []Hit, b budget) []Hit {
	if b == (budget{}) || len(hits) == 0 {
		return hits
	}
	within := slices.DeleteFunc(slices.Clone(hits), func(h Hit) bool {
		price := x.products[h.number].Price
		return b.most > 0 && price > b.most || price < b.least
	})
	order := b.order
	if len(within) > 0 {
		hits = within
	} else if b.most > 0 {
		order = cheapFirst
	}
	if order == byFit {
		return hits
	}
	best := hits[0].Tier
	fit := slices.IndexFunc(hits, func(h Hit) bool { return float64(h.Tier) < fitting*float64(best) })
	if fit < 0 {
		fit = len(hits)
	}
	hits = slices.Clone(hits)
	slices.SortStableFunc(hits[:fit], func(i, j Hit) int {
		a, b := x.products[i.number], x.products[j.number]
		switch order {
		case cheapFirst:
			return cmp.Compare(a.Price, b.Price)
		case dearFirst:
			return cmp.Compare(b.Price, a.Price)
		}
		return cmp.Compare(b.saved(), a.saved())
	})
	last := -1
	for i := range hits[:fit] {
		if order == reducedFirst && last >= 0 && x.products[hits[i].number].saved() == 0 && x.products[hits[last].number].saved() == 0 {
			hits[i].Tier = hits[last].Tier // what is not reduced is ordered by stock and sales
			continue
		}
		hits[i].Tier, last = best+fit-i, i
	}
	return hits
}

// saved is the share of the price that a product is reduced by, in thousandths.
func (p indexed) saved() int64 {
	if p.FullPrice <= 0 {
		return 0
	}
	return max(0, (p.FullPrice-p.Price)*1000/p.FullPrice)
}
