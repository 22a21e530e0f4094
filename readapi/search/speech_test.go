package search

import (
	"strings"
	"testing"

	"github.com/google/uuid"
)

const speech = `
~ для, от, с, под, на, в, чтобы, алу, сатып, мыть
$< дешёвый, қымбат емес
$> қымбат
$- скидка
шаш = волос
ерін = губы
kk:шаш = волосы
полоскание рта > ополаскиватель
? sensitive | Чувствительная кожа | Сезімтал тері | чувствительная кожа | чувствительной кожи
? dry | Сухая кожа | Құрғақ тері | сухая кожа | пересохшей
- спирт | ^alcohol
! үй сатып алу
`

// spoken is an index of a few goods with prices and a lexicon of its own.
func spoken(t *testing.T) *index {
	t.Helper()
	l, err := readLexicon(speech, newAnalyzer())
	if err != nil {
		t.Fatal(err)
	}
	x := newIndex(newAnalyzer(), l)
	for i, p := range []Product{
		{Article: "DL-1009", Name: "Лосьон", Price: 1, FullPrice: 1, Description: "Для чувствительной кожи."},
		{Article: "DL-1000", Name: "Маска для тела", Price: 1, FullPrice: 1, Composition: "Aqua, Alcohol Denat."},
		{Article: "DL-1001", Name: "Крем для рук", Price: 900, FullPrice: 900, Description: "Без белых следов и без пятен."},
		{Article: "DL-1002", Name: "Крем для лица", Price: 2500, FullPrice: 2500, Description: "Для пересохшей и чувствительной кожи."},
		{Article: "DL-1003", Name: "Крем для ног", Price: 3000, FullPrice: 4000},
		{Article: "DL-1004", Name: "Маска для волос", Price: 5000, FullPrice: 5000, Composition: "Aqua, Cetearyl Alcohol"},
		{Article: "DL-1005", Name: "Ополаскиватель", Price: 1500, FullPrice: 1500, Composition: "Aqua, Alcohol Denat."},
		{Article: "DL-1006", Name: "Стиральный порошок", Price: 7000, FullPrice: 7000},
		{Article: "DL-1007", Name: "Бальзам для губ", Price: 1200, FullPrice: 1200},
		{Article: "DL-1008", Name: "Набор для дома үй", Price: 9000, FullPrice: 9000},
	} {
		p.ID = uuid.UUID{15: byte(i + 1)}
		x.put(p)
	}
	x.finish()
	return x
}

func TestSearchUnderstandsSpeech(t *testing.T) {
	t.Parallel()
	x := spoken(t)
	for text, want := range map[string]string{
		"крем до 2000":               "1",
		"крем от 2000 до 2900 тенге": "2",
		"крем до 1 тысячи":           "1",
		"2000 теңгеге дейін крем":    "1",
		"крем до 500":                "123", // nothing costs so little: the cheapest first
		"дешёвый крем":               "123",
		"крем қымбат емес":           "123",
		"крем қымбат":                "321",
		"крем скидка":                "312",
		"стеральный парашок":         "6",
		"крем для н":                 "3",
		"дял рук":                    "1",
		"полоскать рот":              "5",
		"сухая чувствительная кожа":  "29",
		"сухая железная кожа":        "",
		"дедушке от сухой кожи":      "2",
		"чехол в сухую кожу":         "",
		"маска без белых пятен":      "04",
		"маска без спирта":           "4",
		"маска нет спирта":           "4",
		"спирта нет маска":           "4",
		"ополаскиватель без спирта":  "5", // a phrase of a kind that none lacks
		"шашка маска":                "4",
		"ернім бальзам":              "7",
		"далап емес бальзам":         "7",
		"үй":                         "8",
		"үй сатып алу":               "",
		"дл-1003":                    "3",
		"артикул 1003":               "3",
		"арт. DL-1010":               "",
		"порошковый стиральный":      "6",
		"отмывающее мыло":            "",
	} {
		var b strings.Builder
		q := x.understand(text, false)
		for _, h := range x.affordable(x.matching(q), q.budget) {
			b.WriteString(x.products[h.number].Article[6:])
		}
		if got := b.String(); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		rest string
		budget
	}{
		"шампунь до 3000":             {"шампунь", budget{most: 3000}},
		"шампунь до 3 000 тг":         {"шампунь", budget{most: 3000}},
		"шампунь до 3 тысяч":          {"шампунь", budget{most: 3000}},
		"от 1000 до 2000 тенге мыло":  {"мыло", budget{least: 1000, most: 2000}},
		"до 500 мл шампунь":           {"до 500 мл шампунь", budget{}},
		"spf от 30 до 50":             {"spf от 30 до 50", budget{}},
		"до 150 тенге":                {"", budget{most: 150}},
		"3 мың теңгеге дейін шампунь": {"шампунь", budget{most: 3000}},
		"до 99999999999999999999999":  {"до 99999999999999999999999", budget{}},
	} {
		if rest, got := budgeted(text); got != want.budget || rest != want.rest {
			t.Errorf("%q is %q with %+v, want %q with %+v", text, rest, got, want.rest, want.budget)
		}
	}
}

func TestClassesOfWordsMakePhrases(t *testing.T) {
	t.Parallel()
	a := newAnalyzer()
	l, err := readLexicon(`
~ для, от, под, на, в, который, не, и
? nails | Слабые ногти | Әлсіз тырнақ | >&breaking &nails | слоящийся край
? dry | Сухая кожа | Құрғақ тері | >&dry &face | сухих щёк
& breaking = ломаться, ломкий, сынады
& nails = ноготь, тырнақ
& dry = сухой, пересохнуть
& cheeks = щека
& face = &cheeks, лоб
! подгузник, мочалка
- запах | parfum
`, a)
	if err != nil {
		t.Fatal(err)
	}
	x := newIndex(a, l)
	for i, p := range []Product{
		{Article: "AB-0", Name: "Масло-карандаш", Description: "Уплотняет слоящийся край."},
		{Article: "AB-1", Name: "Крем под подгузник", Composition: "Aqua, Parfum"},
		{Article: "AB-2", Name: "Крем", Description: "Для сухих щёк.", Composition: "Aqua"},
		{Article: "AB-3", Name: "Сухой шампунь"},
		{Article: "AB-4", Name: "Мыло"},
	} {
		p.ID = uuid.UUID{15: byte(i + 1)}
		x.put(p)
	}
	x.finish()
	finds(t, x, map[string]string{
		"ногти ломаются": "0", "для ломающихся ногтей": "0", "ломкий ноготь": "0", "тырнақ сынады": "0",
		"пересохло на лбу": "2", "пересохшие щёки": "2", "щека сухая": "2", "сухой шампунь для лба": "3",
		"подгузники": "", "крем под подгузник": "1", "мочалка": "", "мочалка-мыло": "4", "крем, который не пахнет": "2",
	})
	for _, bad := range []string{"& = слово", "& name", "& two words = слово", "& name = ,", "&dry &face"} {
		if CheckLexicon(bad) == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
