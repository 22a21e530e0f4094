package readapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Limits of what is read of a search text; the rest of a longer one is ignored.
const (
	searchRunes  = 200
	searchFields = 8
	searchTokens = 4 // in one field
	tokenRunes   = 40
)

// query is what a search text was understood as: PostgreSQL tsqueries over catalog.product. Words holds all of them,
// Any at least one, for when no product has all. Empty: nothing in the shop is called so.
type query struct {
	all, any, text string
}

// matching keeps the products of a selection that a query finds, best first. Goods out of stock count half.
func (s *selection) matching(q query) {
	if q.all == "" {
		s.and("false")
		return
	}
	// What matches is ranked and counted in one go.
	s.with = fmt.Sprintf(`WITH asked AS MATERIALIZED (
			SELECT CASE WHEN @all = @any OR EXISTS (SELECT FROM catalog.product p WHERE p.on_sale AND p.words @@ @all::tsquery)
				THEN @all::tsquery ELSE @any::tsquery END AS words),
		matches AS MATERIALIZED (
			SELECT p.id, p.discounted_price, p.added_at, lower(p.article) = @text AS exact,
				ts_rank(p.title, (SELECT words FROM asked)) * CASE WHEN s.available > 0 THEN 1 ELSE 0.5 END AS rank
			FROM %s LEFT JOIN stock.level s ON s.product_id = p.id
			WHERE %s AND p.words @@ (SELECT words FROM asked))`, s.from, s.where)
	s.from, s.where = "matches p", "true"
	s.parts = one("p.exact DESC, p.rank DESC, " + newestFirst)
	s.args["all"], s.args["any"], s.args["text"] = q.all, q.any, q.text
}

// understand turns any text into a query. Each field between blanks is read as it stands; if the shop does not
// know it, as typed on the other keyboard layout; if that fails too, as the nearest words the shop uses. A field that
// means nothing is left out as long as another means something.
func understand(ctx context.Context, db *pgxpool.Pool, text string) (query, error) {
	text = strings.ReplaceAll(strings.ToLower(text), "ё", "е")
	fields := strings.Fields(text)
	fields = fields[:min(len(fields), searchFields)]

	var words []string
	for _, f := range fields {
		words = append(words, tokens(f)...)
		words = append(words, tokens(otherLayout(f))...)
	}
	article := strings.Join(tokens(text), "")
	words = append(words, article)
	known, err := lookUp(ctx, db, words)
	if err != nil {
		return query{}, err
	}

	var unclear []string
	for _, f := range fields {
		if !known.understands(tokens(f)) && !known.understands(tokens(otherLayout(f))) {
			unclear = append(unclear, tokens(f)...)
			unclear = append(unclear, tokens(otherLayout(f))...)
		}
	}
	nearest, err := nearestWords(ctx, db, unclear)
	if err != nil {
		return query{}, err
	}
	var corrected []string
	for _, near := range nearest {
		corrected = append(corrected, near...)
	}
	meant, err := lookUp(ctx, db, corrected)
	if err != nil {
		return query{}, err
	}

	var parts []string
	for _, f := range fields {
		plain, other := tokens(f), tokens(otherLayout(f))
		switch {
		case known.understands(plain):
			parts = append(parts, known.all(plain))
		case known.understands(other):
			parts = append(parts, known.all(other))
		default:
			for _, token := range slices.Concat(plain, other) {
				var near []string
				for _, word := range nearest[token] {
					if meaning := meant[word]; meaning != "" {
						near = append(near, meaning)
					}
				}
				if len(near) > 0 {
					parts = append(parts, "("+strings.Join(near, " | ")+")")
				}
			}
		}
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	q := query{all: strings.Join(parts, " & "), any: strings.Join(parts, " | "), text: text}
	if len(fields) > 0 && strings.ContainsFunc(article, unicode.IsDigit) && known.understands([]string{article}) {
		a := known.all([]string{article})
		if q.all == "" {
			q.all, q.any = a, a
		} else {
			q.all, q.any = "("+q.all+") | "+a, q.any+" | "+a
		}
	}
	return q, nil
}

// tokens are the words of a field: runs of letters and digits.
func tokens(field string) []string {
	found := strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, t := range found {
		if utf8.RuneCountInString(t) > tokenRunes {
			found[i] = string([]rune(t)[:tokenRunes])
		}
	}
	return found[:min(len(found), searchTokens)]
}

// dictionary says what the shop knows by a word: a tsquery; empty for words that carry no meaning, such as "для".
type dictionary map[string]string

// understands is whether all words mean something here.
func (d dictionary) understands(words []string) bool {
	for _, w := range words {
		if _, ok := d[w]; !ok {
			return false
		}
	}
	return len(words) > 0
}

// all joins what the words mean.
func (d dictionary) all(words []string) string {
	var parts []string
	for _, w := range words {
		if d[w] != "" {
			parts = append(parts, d[w])
		}
	}
	return strings.Join(parts, " & ")
}

// Words of one letter are not searched by their beginning: half the shop begins so.
const wordsKnown = `SELECT word,
	numnode(form.russian) = 0 AS stop,
	form.russian::text AS russian,
	EXISTS (SELECT FROM catalog.product p WHERE p.on_sale AND p.words @@ form.russian) AS used,
	ARRAY(SELECT b.id::text FROM catalog.brand b WHERE NOT b.archived AND b.title @@ form.simple) ||
	ARRAY(SELECT c.id::text FROM catalog.category c LEFT JOIN catalog.category cp ON cp.id = c.parent_id
		WHERE NOT c.archived AND (c.title @@ form.russian OR cp.title @@ form.russian)) AS owners
	FROM unnest(@words::text[]) AS word,
	LATERAL (SELECT '''' || word || '''' || CASE WHEN length(word) > 1 THEN ':*' ELSE '' END AS text) AS quoted,
	LATERAL (SELECT to_tsquery('russian', quoted.text) AS russian, to_tsquery('simple', quoted.text) AS simple) AS form`

// lookUp finds which of the words the shop knows: from its texts, its brands, or its categories.
func lookUp(ctx context.Context, db *pgxpool.Pool, words []string) (dictionary, error) {
	words = distinct(words)
	if len(words) == 0 {
		return nil, nil
	}
	rows, err := db.Query(ctx, wordsKnown, pgx.NamedArgs{"words": words})
	if err != nil {
		return nil, fmt.Errorf("look words up: %w", err)
	}
	d := dictionary{}
	var (
		word, russian string
		stop, used    bool
		owners        []string
	)
	_, err = pgx.ForEachRow(rows, []any{&word, &stop, &russian, &used, &owners}, func() error {
		var parts []string
		if used {
			parts = append(parts, "("+russian+")")
		}
		for _, id := range owners {
			parts = append(parts, "'#"+id+"'")
		}
		if stop || len(parts) > 0 {
			d[word] = strings.Join(parts, " | ")
		}
		if len(parts) > 1 {
			d[word] = "(" + d[word] + ")"
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look words up: %w", err)
	}
	return d, nil
}

// nearestWords finds, for each of the words, those that the shop uses and that differ by the fewest slips.
func nearestWords(ctx context.Context, db *pgxpool.Pool, words []string) (map[string][]string, error) {
	words = slices.DeleteFunc(distinct(words), func(w string) bool { return utf8.RuneCountInString(w) < 3 })
	if len(words) == 0 {
		return nil, nil
	}
	rows, err := db.Query(ctx, `SELECT asked, near.word FROM unnest(@words::text[]) AS asked,
		LATERAL (SELECT word FROM catalog.word ORDER BY word <-> asked LIMIT 40) AS near`, pgx.NamedArgs{"words": words})
	if err != nil {
		return nil, fmt.Errorf("find near words: %w", err)
	}
	candidates := map[string][]string{}
	var asked, near string
	if _, err = pgx.ForEachRow(rows, []any{&asked, &near}, func() error {
		candidates[asked] = append(candidates[asked], near)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("find near words: %w", err)
	}
	for asked, near := range candidates {
		candidates[asked] = closest(asked, near)
	}
	return candidates, nil
}

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

// slips counts the letters missing, added, wrong or swapped with their neighbour between a and b (optimal string alignment).
func slips(a, b []rune) int {
	before, previous, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, previous, row = previous, row, before
	}
	return previous[len(b)]
}

func distinct(words []string) []string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	slices.Sort(words)
	return slices.Compact(words)
}

// The same keys on the two layouts of a Russian keyboard.
const (
	latinKeys   = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
	russianKeys = "йцукенгшщзхъфывапролджэячсмитьбюе"
)

var layouts = func() map[rune]rune {
	m := map[rune]rune{}
	latin, russian := []rune(latinKeys), []rune(russianKeys)
	for i := range latin {
		m[latin[i]] = russian[i]
	}
	// ё is read as е above, so е alone stands for t, not for the key of ё.
	for i := range latin[:len(latin)-1] {
		m[russian[i]] = latin[i]
	}
	return m
}()

// otherLayout is the text as if the keyboard had been switched.
func otherLayout(text string) string {
	return strings.Map(func(r rune) rune {
		if other, ok := layouts[r]; ok {
			return other
		}
		return r
	}, text)
}
