package search

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// shelf is an index of a few goods and more.
func shelf(t *testing.T, lexicon string, more ...Product) *index {
	t.Helper()
	a := newAnalyzer()
	l, err := readLexicon(lexicon, a)
	if err != nil {
		t.Fatal(err)
	}
	x := newIndex(a, l)
	for i, p := range append([]Product{
		{Article: "AB-1", Name: "Маска с розовой глиной", Category: "Маски", Parent: "Лицо", Brand: "Ostara", Description: "Для сухой кожи. Не нужен телефон."},
		{Article: "AB-2", Name: "Крем для рук", Size: "50 мл", Brand: "Ostara", Composition: "Aqua, Parfum", Description: "Зимний крем."},
		{Article: "AB-3", Name: "Крем для лица SPF 30", Size: "100 мл", Brand: "Norden", Composition: "Aqua, Niacinamide", Description: "Без отдушки и силиконов, мягко."},
		{Article: "AB-4", Name: "Крем для лица SPF 50", Brand: "Norden", Composition: "Aqua, Butyrospermum Parkii Butter", Description: "Ниацинамид здесь ни при чём."},
		{Article: "AB-5", Name: "Мыло с лавандой", Brand: "Kalm", Composition: "Sodium Olivate, Parfum", Description: "От прыщей."},
	}, more...) {
		p.ID = uuid.UUID{15: byte(i + 1)}
		x.put(p)
	}
	x.finish()
	return x
}

// found are the numbers of the articles that a search finds, best first.
func found(x *index, text string) string {
	var b strings.Builder
	for _, h := range x.matching(x.understand(text, false)) {
		b.WriteString(x.products[x.by[h.ID]].Article[3:])
	}
	return b.String()
}

// finds compares what searches find with what they should.
func finds(t *testing.T, x *index, wanted map[string]string) {
	t.Helper()
	for text, want := range wanted {
		if got := found(x, text); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

func TestSearchUnderstands(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms)
	finds(t, x, map[string]string{
		"масок": "1", "масками": "1", "лавандовое мыло": "5", "крем для рук": "2", "Ostara": "12", "кремов norden": "34", "сабын": "5", "қолға арналған крем": "2", "бет маскасы": "1",
		"прыщи": "5", "акне": "5", "от высыпаний": "5", "витамин b3": "3", "витамин В3": "3", "никотинамид": "3", "масло ши": "4", "карите": "4",
		"крем без отдушки": "3" + "4", "без отдушки": "34", "без силикона": "3245", "иіссіз крем": "34",
		"spf 30": "3", "крем spf50": "4", "солнцезащитный крем": "34", "крем 50 мл": "2", "крем 75 мл": "234",
		"ifcrf": "", "vfcrf": "1", "krem": "234", "мсака": "1", "AB-3": "3", "ab 5": "5", "AB-77": "",
		"телефон": "", "AB-99999": "", "iphone 15": "", "лак для рук": "", "маска и телефон": "1", "!!!": "", "": "", "для": "", "%": "", "100500": "",
		"маскадлялица": "1", "кремдлярук": "2", "солнце защитный крем": "34", "лавандавое мыло": "5", "крм для рук": "2", "маскк": "1", "мыла": "5", "остара": "12", "кальм": "5",
		"бессульфатный крем": "234", "krem dlya ruk": "2", "масло моторное": "", "крем для обуви": "", "маска для телефона": "1", "мыло для телефона": "", "ниацинамид": "3", "крем spf 30 литр": "3", "лица крем дневной": "34",
		"тональный крем": "", "лак для ногтей": "", "гоммаж": "", "санскрин": "34", "хозмыло": "",
	})
}

// What people say that is neither a form nor a slip.
func TestSearchUnderstandsHowPeopleSpeak(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms+`
крем для ванны = бальзам для ванны
? away | Далеко | Алыс | >в пути, без спешки | в дорогу
! kk:бады
`,
		Product{Article: "AB-6", Name: "Бальзам-стик для ванны", Description: "Для тех, кто в пути. На ламинате не скользит."},
		Product{Article: "AB-8", Name: "Пена для бритья", Kazakh: Wording{Name: "Бадам мен ерін"}},
		Product{Article: "AB-7", Name: "Пена после бритья", Description: "Берите в дорогу.", Marks: []string{"Ecocert"}},
		Product{Article: "AB-9", Name: "Паста Pinus", Description: "От 6 лет. Ламинария, хаммам.", Composition: "Laminaria, Maris Sal"},
		Product{Article: "AB-A", Name: "Мужской дезодорант 3"},
		Product{Article: "AB-B", Name: "Сүрткі", Kazakh: Wording{Name: "Бас терісіне, тазартатын сүрткі"}},
	)
	finds(t, x, map[string]string{
		// Compounds are what each of their words is.
		"крем для ванны": "6",
		// After something is not for it.
		"пена после бритья": "78", "после бритья": "78", "после маски": "1", "после бани": "9",
		// What is only asked is no claim, and words of a need may be in either order, with "без" too.
		"в пути": "7", "без спешки": "7", "шелушится лицо": "1", "лицо шелушится": "1",
		// Diminutives.
		"кремик для рук": "2", "масочка": "1", "масочку": "1", "маслице": "", "мыльце": "5", "носик": "", "домик": "",
		// Words together, short slips, other layouts and numbers.
		"крем длярук": "2", "крем для рцк": "2", "нигель": "", "b3": "3", "ьштгы 5": "",
		// Silent words in all their forms, and alone.
		"хорошая маска": "1", "шикарному мылу": "5", "посоветуйте": "", "эко": "7",
		// Kazakh words by the longest stem, and as no Russian ones.
		"ерінге": "8", "бады": "", "бадом": "", "бадам": "8", "тер иісіне қарсы": "A", "тазортатың": "B", "тозортатың": "",
		"лет": "", "летом": "", "ламинат": "",
	})
	if q := x.understand("retinol", false); q.corrected != "" {
		t.Errorf("retinol was corrected to %q", q.corrected)
	}
}

func TestWordsOfANameAreMarkedAsItSpellsThem(t *testing.T) {
	t.Parallel()
	x := shelf(t, "")
	for _, c := range []struct{ search, name, want string }{
		{"l'oreal", "Крем L'Oréal", "L'Oréal"},
		{"loreal", "Крем L’Oréal", "L’Oréal"},
		{"кремы", "Крем L'Oréal", "Крем"},
		{"маска", "Ма\u0301ска с розовой глиной", "Ма\u0301ска"},
		{"мыло", "Крем L'Oréal", ""},
	} {
		if got := strings.Join(x.marked(x.understand(c.search, false), c.name), " "); got != c.want {
			t.Errorf("%s marks %q in %q, want %q", c.search, got, c.name, c.want)
		}
	}
}

func TestGoodWordsAreNoSlips(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms)
	for _, good := range []string{"каска", "крема", "мило", "мы", "лак", "телефон"} {
		if q := x.understand(good, false); q.corrected != "" {
			t.Errorf("%q was taken for %q", good, q.corrected)
		}
	}
	if q := x.understand("маскк", false); q.corrected == "" {
		t.Error("маскк is no word, and stayed one")
	}
}

func TestLexiconsTakeAnyText(t *testing.T) {
	t.Parallel()
	// Circles: each line says what it says, and no line leads to another.
	circle := "крем = мазь\nмазь = бальзам\nбальзам = крем\nмыло > маска\nмаска > мыло\nкрем > крем\n"
	x := shelf(t, circle)
	finds(t, x, map[string]string{"мазь": "234", "мыло": "51", "маска": "15"})
	for _, bad := range []string{"крем", "? имя | только два", "- без черты", "крем\x00"} {
		var line *LexiconError
		if err := CheckLexicon("# первая\n" + bad); !errors.As(err, &line) || line.Line != 2 {
			t.Errorf("%q is read: %v", bad, err)
		}
	}
	for _, odd := range []string{"", "\xff\xfe = \x00", "= = =", "> ,", "~", "? | | | |", "- |", strings.Repeat("а = ", 100_000), strings.Repeat("а\n", 100_000), "🧴 = крем", "\u202eкрем = мыло"} {
		l, _ := readLexicon(odd, newAnalyzer())
		x := newIndex(newAnalyzer(), l)
		x.put(Product{Name: "Крем 🧴", Description: odd})
		x.finish()
		x.matching(x.understand(odd, true))
	}
	if err := CheckLexicon(Synonyms); err != nil {
		t.Error(err)
	}
}

// A product that changed is found by what it is now, and one that went away by nothing.
func TestIndexFollows(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms)
	changed := x.products[x.by[uuid.UUID{15: 1}]].Product
	changed.Name = "Тоник"
	changed.Category, changed.Parent = "", ""
	x.put(changed)
	x.remove(uuid.UUID{15: 5})
	x.finish()
	finds(t, x, map[string]string{"маска": "", "тоник": "1", "мыло": "", "ostara": "21"})
}

func FuzzUnderstand(f *testing.F) {
	a := newAnalyzer()
	l, err := readLexicon(Synonyms, a)
	if err != nil {
		f.Fatal(err)
	}
	x := newIndex(a, l)
	x.put(Product{ID: uuid.New(), Article: "A-1", Name: "Крем для лица", Composition: "Aqua"})
	x.finish()
	f.Add("крем без отдушки spf 50 \x00\xff")
	f.Fuzz(func(_ *testing.T, text string) {
		x.matching(x.understand(text, len(text)%2 == 0))
	})
}

func TestTextsAboutPersonsAreNotKept(t *testing.T) {
	t.Parallel()
	s := &Index{index: shelf(t, Synonyms)}
	for _, personal := range []string{"+7 701 123 45 67", "87011234567", "anna@mail.kz", "Иван Петров", "петров иван", "Айгерим Сериккызы", "ахметова", "нұрсұлтанұлы", strings.Repeat("слово ", 9), "", "\x00", "https://a.b/c"} {
		if kept := s.Impersonal(personal); kept != "" {
			t.Errorf("%q is kept as %q", personal, kept)
		}
	}
	for _, kept := range []string{"тушь для ресниц", "nivea", "крем spf 70", "кефир"} {
		if s.Impersonal(kept) != kept {
			t.Errorf("%q is not kept", kept)
		}
	}
}

// The kind of goods stands last in an English name, before what it is with or for and how much there is of it, and first in a Russian one. What
// such names say is found by what the lexicon says of it, also in diminutives and with a slip in each of two words.
func TestKindsOfGoodsWithEnglishNames(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms,
		Product{Article: "AB-6", Name: "Ahava Uplifting & Firming Sheet Mask with Clay 30 ml", Brand: "Vichy"},
		Product{Article: "AB-7", Name: "Sheet mask holder and travel case", Brand: "Clinique"},
		Product{Article: "AB-8", Name: "U.F.O. Foaming Cleanser for Men x 2", Brand: "La Roche-Posay"},
		Product{Article: "AB-9", Name: "Hydrating Face Sheet Mask 32 g"},
		Product{Article: "AB-a", Name: "Peptide Serum 30 ml", Composition: "Aqua, Sodium Hyaluronate, Salicylic Acid"},
		Product{Article: "AB-b", Name: "Self Tanning Mist - Dark 250 ml", Brand: "Anastasia Beverly Hills", Composition: "Argan Oil, L-J"},
		Product{Article: "AB-c", Name: "Bath & Shower Oil 55 ml", Brand: "Jo Malone"},
		Product{Article: "AB-d", Name: "Cleansing Bar for Body", Brand: "Inkey"},
	)
	finds(t, x, map[string]string{
		"тканевая маска": "69", "sheet mask": "69", "сывороточка с пептидами": "a", "гилауроновая кислата": "a", "автозагар": "b",
		// No крем is for it: what else is, and not what only has an ingredient that helps.
		"крем от прыщей": "5", "от прыщей": "5a",
		// What is of the kind comes after what has everything.
		"тканевая маска для лица": "96",
		// A meaning that compositions have too, plurals, sounds of brands and their initials.
		"маслице для ванны": "c", "bath oils": "c", "джо малон": "c", "инки": "d", "abh": "b",
		"bb крем": "", "праймер": "", "подарочный набор": "",
		"пенка для умывания": "8", "виши": "6", "клиник": "7", "ля рош позе": "8", "мужской": "8",
		// A lone letter before a number begins an article.
		"U9999": "", "x-10500": "",
	})
}

// Each slip may stand for several words, and all of them together for no more: twelve must not try every combination of four.
func TestManySlipsInARow(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms, Product{Article: "AB-6", Name: "Кемпатон кемпарон кемпалон кемпасон"})
	if near := (&reading{index: x}).near("кемпакон", false); len(near) != mostNear {
		t.Fatalf("a slip is near %d words, want %d", len(near), mostNear)
	}
	finds(t, x, map[string]string{strings.TrimSpace(strings.Repeat("кемпакон ", queryFields)): "6"})
}

// What a description says that goods are for answers who asks what is for it, and nobody else. Verbs say what one does with goods.
func TestSearchReadsWhatGoodsAreFor(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms,
		Product{Article: "AB-6", Name: "Спрей «Уголь»", Description: "Для ковриков в спортзале, ручек и гаджетов."},
		Product{Article: "AB-7", Name: "Гель для стирки", Description: "Лаванда отпугивает моль."},
		Product{Article: "AB-8", Name: "Пилинг-скатка", Category: "Маски и скрабы", Kazakh: Wording{Name: "Күнделікті қабыршақтағыш", Description: "Қабақшаға арналған."}},
		Product{Article: "AB-9", Name: "Скраб для тела", Category: "Маски и скрабы", Composition: "Arginine, Mentha Spicata"},
	)
	finds(t, x, map[string]string{
		"для ковриков": "6", "для гаджетов": "6", "коврик": "", "коврик для йоги": "", "гаджет": "", "от моли": "7", "моль": "", "қабақшаға арналған": "8", "қабыршақтағышты": "8",
		// Verbs and words that say little count only where the goods have them.
		"нанести скраб": "98", "скраб для защиты тела": "9", "выбросить телевизор": "", "постричь волосы": "",
		// A category that is called after several kinds says less than a name.
		"скрабы": "98",
		// By ear, by two keys in the wrong order, in Latin letters, in any form, on the other layout as a whole.
		"скрап": "98", "скарб для тела": "9", "мыслить": "", "skrab dlya tela": "9", "krem bez otdushki": "34", "пилинкговый": "", "crhf, lkz ntkf": "9", "выкраб": "",
		"спрей 100 г": "6", "тюль 200 г": "",
		// Ingredients by their Russian names; what is lacking by each of its names.
		"аргинин": "9", "скраб без мяты": "8", "скраб без мёда": "9",
		// Kazakh in Russian letters.
		"кабакшага арналган": "8", "колга крем": "2",
		// A kind of its own that the shop has not finds nothing, whatever stands before it.
		"крем для зубных протезов": "",
		// Where no cream is for what is asked, what else is for it.
		"крем от прыщей": "5",
		// Two needs: no goods are for both, so those for either; with a kind it is the kind that is looked for.
		"от прыщей и сухости кожи": "15", "сухая кожа и прыщи": "15",
	})
}
