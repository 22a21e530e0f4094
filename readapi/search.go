package readapi

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
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
	return q, nil
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

// known is what the shop knows of a word: tsqueries for it, for its root and for what begins so, empty where there is
// nothing to find; the brands and categories that are called so, and the categories below such.
type known struct {
	quality                   int
	stop                      bool
	form, root, begins        string
	brands, categories, below []uuid.UUID
}

// dictionary is what the shop knows of words.
type dictionary map[string]known

// least is how well the shop knows the word that it knows least; unknown if there are none.
func (d dictionary) least(words []string) int {
	if len(words) == 0 {
		return unknown
	}
	least := named
	for _, w := range words {
		least = min(least, d[w].quality)
	}
	return least
}

// cost is the number of typing errors if the shopper meant these words.
func (d dictionary) cost(words []string, nearest map[string]near) int {
	const hopeless = 100
	if len(words) == 0 {
		return hopeless
	}
	sum := 0
	for _, w := range words {
		switch n, ok := nearest[w]; {
		case ok:
			sum += n.slips
		case d[w].quality < told:
			sum += hopeless
		}
	}
	return sum
}

var (
	wordPattern = regexp.MustCompile(`[\p{L}\p{Nd}]+`)
	sizePattern = regexp.MustCompile(`^(\d+)(мл|л|г|гр|кг|шт|ml|g|kg)$`)
)

// tokens are the words of a field: runs of letters and digits. 50мл is two.
func tokens(field string) []string {
	var found []string
	for _, t := range wordPattern.FindAllString(field, searchTokens) {
		if utf8.RuneCountInString(t) > tokenRunes {
			t = string([]rune(t)[:tokenRunes])
		}
		if size := sizePattern.FindStringSubmatch(t); size != nil {
			found = append(found, size[1])
			t = size[2]
		}
		found = append(found, unit(t))
	}
	return found
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

func isUnit(word string) bool {
	return slices.Contains([]string{"мл", "л", "г", "кг", "шт"}, word)
}

// unit is a unit of packages as the catalog writes it; other words stay.
func unit(word string) string {
	switch word {
	case "гр":
		return "г"
	case "ml":
		return "мл"
	case "kg":
		return "кг"
	}
	return word
}

// lookUpWords counts instead of asking whether something EXISTS: for that PostgreSQL would read products one by one.
// Words of one letter are not searched by their beginning: half the shop begins so. English words without meaning may
// be meant on the other layout: her is рук.
const lookUpWords = `SELECT a.word, numnode(form.russian) = 0 AND brands.ids = '{}' AS stop,
	form.said::text, coalesce(CASE WHEN in_root.n > 0 THEN root.form::text END, ''), coalesce(form.begins::text, ''),
	brands.ids, own.ids, ARRAY(SELECT id FROM catalog.category WHERE parent_id = ANY(own.ids) AND NOT archived),
	CASE WHEN numnode(form.russian) = 0 AND a.word ~ '^[a-z]' AND brands.ids = '{}' THEN 2
		WHEN numnode(form.russian) = 0 OR in_title.n > 0 OR in_root.n > 0 OR brands.ids <> '{}' AND NOT brands.begun OR own.ids <> '{}' AND NOT own.begun THEN 5
		WHEN (SELECT count(*) FROM catalog.product WHERE on_sale AND inci @@ form.said) > 0 THEN 4
		WHEN brands.ids <> '{}' OR own.ids <> '{}' OR (SELECT count(*) FROM catalog.product WHERE on_sale AND title @@ form.begins) > 0 THEN 3
		WHEN (SELECT count(*) FROM catalog.product WHERE on_sale AND about @@ form.said) > 0 THEN 2
		WHEN (SELECT count(*) FROM catalog.product WHERE on_sale AND inci @@ form.begins) > 0
			OR (SELECT count(*) FROM catalog.product WHERE on_sale AND about @@ form.begins) > 0 THEN 1
		ELSE 0 END AS quality
	FROM unnest(@words::text[]) AS a(word),
	LATERAL (SELECT '''' || a.word || '''' AS text) AS quoted,
	LATERAL (SELECT to_tsquery('russian', quoted.text) AS russian, to_tsquery('simple', quoted.text) AS simple,
		CASE WHEN length(a.word) > 1 THEN to_tsquery('russian', quoted.text || ':*') END AS begins,
		CASE WHEN a.word ~ '[a-z0-9]' THEN to_tsquery('simple', quoted.text) || to_tsquery('russian', quoted.text)
			ELSE to_tsquery('russian', quoted.text) END AS said,
		CASE WHEN length(a.word) > 1 THEN to_tsquery('simple', quoted.text || ':*') END AS simply_begins) AS form,
	LATERAL (SELECT CASE WHEN form.russian::text ~ '^''[а-я]{2,}(ов|ев|ян|ен|н|к|ск)''$'
		THEN regexp_replace(form.russian::text, '(к?ов|к?ев|янн|енн|ян|н|к|ск)''$', '''')::tsquery END AS form) AS root,
	LATERAL (SELECT CASE WHEN root.form IS NULL THEN 0 ELSE (SELECT count(*) FROM catalog.product WHERE on_sale AND title @@ root.form) END AS n) AS in_root,
	LATERAL (SELECT count(*) AS n FROM catalog.product WHERE on_sale AND title @@ form.said) AS in_title,
	LATERAL (SELECT coalesce(array_agg(id) FILTER (WHERE title @@ form.simple), '{}') AS said, coalesce(array_agg(id), '{}') AS begun
		FROM catalog.brand WHERE NOT archived AND (title @@ form.simple OR title @@ form.simply_begins)) AS brand,
	LATERAL (SELECT CASE WHEN brand.said <> '{}' THEN brand.said ELSE brand.begun END AS ids, brand.said = '{}' AS begun) AS brands,
	LATERAL (SELECT coalesce(array_agg(id) FILTER (WHERE title @@ form.russian), '{}') AS said, coalesce(array_agg(id), '{}') AS begun
		FROM catalog.category WHERE NOT archived AND (title @@ form.russian OR title @@ form.begins)) AS category,
	LATERAL (SELECT CASE WHEN category.said <> '{}' THEN category.said ELSE category.begun END AS ids, category.said = '{}' AS begun) AS own`

// lookUp finds what the shop knows of words.
func lookUp(ctx context.Context, db *pgxpool.Pool, words []string) (dictionary, error) {
	words = distinct(words)
	if len(words) == 0 {
		return dictionary{}, nil
	}
	rows, err := db.Query(ctx, lookUpWords, pgx.NamedArgs{"words": words})
	if err != nil {
		return nil, fmt.Errorf("look words up: %w", err)
	}
	defer rows.Close()
	d := dictionary{}
	for rows.Next() {
		var word string
		var k known
		if err := rows.Scan(&word, &k.stop, &k.form, &k.root, &k.begins, &k.brands, &k.categories, &k.below, &k.quality); err != nil {
			return nil, fmt.Errorf("look words up: %w", err)
		}
		d[word] = k
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look words up: %w", err)
	}
	return d, nil
}

// near are the words of the shop that need the fewest slips, and how many.
type near struct {
	words []string
	slips int
}

// nearestWords finds, for each of the words, those of the shop that sound like it with the fewest slips, if any is near
// enough.
func nearestWords(ctx context.Context, db *pgxpool.Pool, words []string) (map[string]near, error) {
	words = slices.DeleteFunc(distinct(words), func(w string) bool {
		return utf8.RuneCountInString(w) < 3 || strings.ContainsFunc(w, unicode.IsDigit)
	})
	if len(words) == 0 {
		return nil, nil
	}
	rows, err := db.Query(ctx, `SELECT a.word, a.sound, near.word, near.sound
		FROM (SELECT word, catalog.sound(word) AS sound FROM unnest(@words::text[]) AS w(word)) a,
		LATERAL (SELECT word, sound FROM catalog.word ORDER BY sound <-> a.sound LIMIT 60) AS near`, pgx.NamedArgs{"words": words})
	if err != nil {
		return nil, fmt.Errorf("find near words: %w", err)
	}
	found := map[string]near{}
	var asked, askedSound, word, sound string
	if _, err = pgx.ForEachRow(rows, []any{&asked, &askedSound, &word, &sound}, func() error {
		n, ok := found[asked]
		if !ok {
			n.slips = forgiven(askedSound)
		}
		s := slipsTo(askedSound, sound)
		if s > n.slips || slices.Contains(n.words, word) {
			return nil
		}
		if s < n.slips {
			n.words = nil
		}
		if len(n.words) < 5 {
			n.words = append(n.words, word)
		}
		n.slips = s
		found[asked] = n
		return nil
	}); err != nil {
		return nil, fmt.Errorf("find near words: %w", err)
	}
	return found, nil
}

// forgiven is how many slips a word of this sound may hold and still be understood.
func forgiven(sound string) int {
	switch n := utf8.RuneCountInString(sound); {
	case n < 4:
		return 0
	case n < 7:
		return 1
	default:
		return 2
	}
}

// slipsTo counts the slips between two sounds; the first may be unfinished.
func slipsTo(asked, sound string) int {
	a, b := []rune(asked), []rune(sound)
	n := slips(a, b)
	if len(a) >= 5 && len(b) > len(a) {
		n = min(n, slips(a, b[:len(a)]))
	}
	return n
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

// spelling reads letters as the catalog's indexes do: ё as е, and without accents.
var spelling = strings.NewReplacer("ё", "е", "à", "a", "â", "a", "ä", "a", "á", "a", "ã", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
	"ó", "o", "ò", "o", "ô", "o", "ö", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ç", "c", "ñ", "n")
