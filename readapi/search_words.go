package readapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

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

// otherLayout is the text as if the keyboard had been switched.
func otherLayout(text string) string {
	return strings.Map(func(r rune) rune {
		if other, ok := layouts[r]; ok {
			return other
		}
		return r
	}, text)
}
