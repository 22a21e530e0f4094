package readapi

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Limits of a search text; the rest of a longer one is ignored.
const (
	searchRunes  = 200
	searchFields = 8
	searchTokens = 4 // in one field
	tokenRunes   = 40
)

// How well the shop knows a word, best last.
const (
	unknown = iota
	begun   // a word of a composition or description begins so
	told    // it is in a description
	opening // a word of a name, brand or category begins so
	listed  // it is in a composition
	named   // it is in a name, an article, a brand or a category, or says nothing, such as "для"
)

// Weights of a match of one word, by the place of the word. A product's score is the sum over the words; products out of stock
// have half of it.
const (
	worthName       = 8.0
	worthNameBegins = 6.0
	worthNameRoot   = 5.5
	worthBrand      = 5.0
	worthCategory   = 4.0
	worthAbove      = 3.0 // the category above
	worthINCI       = 2.0
	worthINCIBegins = 1.2
	worthAbout      = 1.0
	worthBegins     = 0.5

	// worthCorrected is the share of a word's weight that remains when the shopper wrote another word.
	worthCorrected = 0.7
)

// query is an interpreted search text. No meanings: it matches nothing in the shop.
type query struct {
	// text is the search text, without case and marks.
	text string
	// corrected is the corrected text, empty if it was not corrected.
	corrected string
	meanings  []meaning
	// brands and categories are those that the text names.
	brands, categories []uuid.UUID
}

// meaning is one of the ways in which the word with this number may match: a tsquery over one of the columns title,
// inci and about of catalog.product, or ids for brand and category.
type meaning struct {
	word   int
	column string
	form   string
	ids    []uuid.UUID
	worth  float64
}

// matching keeps the products of a selection that a query finds, best first: those that match the most of its words.
// Exact names come first; equal scores are ordered by the orders since then.
func (s *selection) matching(q query, since time.Time) {
	if len(q.meanings) == 0 {
		s.and("false")
		return
	}
	chosen := "SELECT * FROM scored"
	if s.where != "p.on_sale" {
		chosen = fmt.Sprintf("SELECT m.* FROM %s JOIN scored m ON m.id = p.id WHERE %s", s.from, s.where)
	}
	s.with = fmt.Sprintf(`WITH asked AS MATERIALIZED (
			SELECT * FROM unnest(@words::int[], @columns::text[], @forms::text[], @worths::float8[]) AS a(word, part, form, worth)),
		owners AS MATERIALIZED (
			SELECT * FROM unnest(@owner_words::int[], @owner_parts::text[], @owners::uuid[], @owner_worths::float8[]) AS a(word, part, id, worth)),
		hits AS (
			SELECT a.word, p.id, a.worth FROM asked a, LATERAL (SELECT id FROM catalog.product WHERE on_sale AND title @@ a.form::tsquery) p WHERE a.part = 'title'
			UNION ALL SELECT a.word, p.id, a.worth FROM asked a, LATERAL (SELECT id FROM catalog.product WHERE on_sale AND inci @@ a.form::tsquery) p WHERE a.part = 'inci'
			UNION ALL SELECT a.word, p.id, a.worth FROM asked a, LATERAL (SELECT id FROM catalog.product WHERE on_sale AND about @@ a.form::tsquery) p WHERE a.part = 'about'
			UNION ALL SELECT o.word, p.id, o.worth FROM owners o JOIN catalog.product p ON p.brand_id = o.id WHERE o.part = 'brand' AND p.on_sale
			UNION ALL SELECT o.word, p.id, o.worth FROM owners o JOIN catalog.product p ON p.category_id = o.id WHERE o.part = 'category' AND p.on_sale),
		scored AS MATERIALIZED (
			SELECT id, count(*) AS words, sum(worth) AS worth
			FROM (SELECT id, max(worth) AS worth FROM hits GROUP BY word, id) best GROUP BY id),
		chosen AS MATERIALIZED (%s),
		found AS MATERIALIZED (
			SELECT p.id, p.discounted_price, p.added_at,
				p.called = ANY(@texts) OR p.code = @code OR p.brand_id = ANY(ARRAY(SELECT id FROM catalog.brand WHERE called = ANY(@texts) AND NOT archived)) AS exact,
				m.worth * CASE WHEN s.available > 0 THEN 1 ELSE 0.5 END AS worth
			FROM chosen m JOIN catalog.product p ON p.id = m.id LEFT JOIN stock.level s ON s.product_id = p.id
			WHERE m.words = (SELECT max(words) FROM chosen)),
		placed AS MATERIALIZED (
			SELECT *, row_number() OVER (ORDER BY exact DESC, worth DESC, `+newestFirst+`) AS place
			FROM found p),
		matches AS MATERIALIZED (
			SELECT p.*, coalesce((SELECT sum(u.units) FROM popularity.units u WHERE p.place <= %d AND u.product_id = p.id AND u.day > @since), 0) AS units
			FROM placed p)`, chosen, comparedBySales)
	s.from, s.where = "matches p", "true"
	s.parts = one(fmt.Sprintf("p.exact DESC, p.worth DESC, p.place <= %d DESC, p.units DESC, p.place", comparedBySales))

	var words, ownerWords []int
	var columns, forms, ownerParts []string
	var worths, ownerWorths []float64
	var owners []uuid.UUID
	for _, m := range q.meanings {
		if m.ids == nil {
			words, columns, forms, worths = append(words, m.word), append(columns, m.column), append(forms, m.form), append(worths, m.worth)
		}
		for _, id := range m.ids {
			ownerWords, ownerParts, owners, ownerWorths = append(ownerWords, m.word), append(ownerParts, m.column), append(owners, id), append(ownerWorths, m.worth)
		}
	}
	s.args["words"], s.args["columns"], s.args["forms"], s.args["worths"] = words, columns, forms, worths
	s.args["owner_words"], s.args["owner_parts"], s.args["owners"], s.args["owner_worths"] = ownerWords, ownerParts, owners, ownerWorths
	s.args["texts"], s.args["code"], s.args["since"] = []string{q.text, q.corrected}, strings.ReplaceAll(q.text, " ", ""), since.Format(time.DateOnly)
}

// comparedBySales is how many of the best matches are also compared by their orders: enough for all pages that shoppers open.
const comparedBySales = 100

// understand turns any text into a query. Each field between blanks is read as it is written; if the catalog does not have the
// word, as typed on the other keyboard layout; if that fails too, as the words of the catalog that sound nearest, in either
// alphabet. Words without a meaning are left out unless all words have none. The last word may be unfinished.
func understand(ctx context.Context, db *pgxpool.Pool, text string) (query, error) {
	text = spelling.Replace(strings.ToLower(text))
	fields := strings.Fields(text)
	fields = fields[:min(len(fields), searchFields)]

	// A field has two readings: as written, and on the other layout.
	readings := make([][2][]string, len(fields))
	var words, others []string
	for i, f := range fields {
		readings[i][0] = tokens(f)
		words = append(words, readings[i][0]...)
	}
	d, err := lookUp(ctx, db, words)
	if err != nil {
		return query{}, err
	}
	for i, f := range fields {
		if d.least(readings[i][0]) < opening {
			readings[i][1] = tokens(otherLayout(f))
			others = append(others, readings[i][1]...)
		}
	}
	typed, err := lookUp(ctx, db, others)
	if err != nil {
		return query{}, err
	}
	maps.Copy(d, typed)
	var unclear []string
	for _, r := range readings {
		if d.least(r[0]) < opening && d.least(r[1]) < opening {
			for _, w := range slices.Concat(r[:]...) {
				if d[w].quality < opening {
					unclear = append(unclear, w)
				}
			}
		}
	}
	nearest, err := nearestWords(ctx, db, unclear)
	if err != nil {
		return query{}, err
	}
	var candidates []string
	for _, n := range nearest {
		candidates = append(candidates, n.words...)
	}
	meant, err := lookUp(ctx, db, candidates)
	if err != nil {
		return query{}, err
	}

	return interpret(readings, d, meant, nearest), nil
}

// interpret makes a query of the readings of its fields, with what is known of their words, of the words nearest to them,
// and which those are.
func interpret(readings [][2][]string, d, meant dictionary, nearest map[string]near) query {
	var q query
	var plain, understood []string
	number, changed := 0, false
	for i, r := range readings {
		plain = append(plain, r[0]...)
		reading := r[0]
		if d.least(r[0]) < opening && (d.least(r[1]) >= opening || d.cost(r[1], nearest) < d.cost(r[0], nearest)) {
			reading, changed = r[1], true
		}
		for j, w := range reading {
			// A unit after a number is in half of the sizes: the number says it all.
			if isUnit(w) && len(understood) > 0 && isNumber(understood[len(understood)-1]) {
				understood = append(understood, w)
				continue
			}
			k, near := d[w], nearest[w]
			before := len(q.meanings)
			q.add(number, k, 1, i == len(readings)-1 && j == len(reading)-1)
			// What only some description holds is more likely a slip if a word of the names is one slip away.
			if k.quality < opening && !k.stop && (k.quality < told || near.slips < 2) {
				for _, n := range near.words {
					q.add(number, meant[n], worthCorrected, false)
				}
				if k.quality < told && len(near.words) > 0 {
					w, changed = near.words[0], true
				}
			}
			if len(q.meanings) > before {
				number++
			}
			understood = append(understood, w)
		}
	}
	q.text = strings.Join(plain, " ")
	if changed && len(q.meanings) > 0 {
		q.corrected = strings.Join(understood, " ")
	}
	return q
}

// add gives the word of this number its meanings. A word that may be unfinished, or that has no better match, matches beginnings too.
func (q *query) add(number int, k known, share float64, unfinished bool) {
	if k.quality == unknown || k.stop {
		return
	}
	put := func(column, form string, worth float64) {
		if form != "" {
			q.meanings = append(q.meanings, meaning{word: number, column: column, form: form, worth: worth * share})
		}
	}
	own := func(column string, ids []uuid.UUID, worth float64) {
		if len(ids) > 0 {
			q.meanings = append(q.meanings, meaning{word: number, column: column, ids: ids, worth: worth * share})
		}
	}
	put("title", k.form, worthName)
	put("title", k.root, worthNameRoot)
	if unfinished || k.quality < listed {
		put("title", k.begins, worthNameBegins)
	}
	put("inci", k.form, worthINCI)
	put("about", k.form, worthAbout)
	if k.quality < listed {
		put("inci", k.begins, worthINCIBegins)
		put("about", k.begins, worthBegins)
	}
	own("brand", k.brands, worthBrand)
	own("category", k.categories, worthCategory)
	own("category", k.below, worthAbove)
	q.brands = append(q.brands, k.brands...)
	q.categories = append(q.categories, k.categories...)
}

var (
	wordPattern = regexp.MustCompile(`[\p{L}\p{Nd}]+`)
	sizePattern = regexp.MustCompile(`^(\d+)(мл|л|г|гр|кг|шт|ml|g|kg)$`)
)

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

// spelling reads letters as the catalog's indexes do: ё as е, and without accents.
var spelling = strings.NewReplacer("ё", "е", "à", "a", "â", "a", "ä", "a", "á", "a", "ã", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
	"ó", "o", "ò", "o", "ô", "o", "ö", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ç", "c", "ñ", "n")
