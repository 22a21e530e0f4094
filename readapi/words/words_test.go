package words_test

import (
	"slices"
	"strings"
	"testing"

	"shop/readapi/words"
)

// The test needs the dictionary, which make build fetches.
func TestRussianWordsAreReadByDictionary(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		"масок": "маска", "кончиков": "кончик", "шампунем": "шампунь", "волос": "волос", "волосами": "волос", "мыла": "мыло", "мыл": "мыло", "детского": "детский", "губами": "губа",
		"сухих": "сухой", "увлажняющими": "увлажняющий", "увлажняет": "увлажнять", "свечей": "свеча", "щеток": "щетка", "берез": "береза", "десен": "десна", "зубов": "зуб", "пятен": "пятно",
		"кровоточат": "кровоточить", "прыщей": "прыщ", "морщин": "морщина", "кудрей": "кудри", "младенцев": "младенец", "рта": "рот", "льном": "лен", "воспалениями": "воспаление",
		"огурцом": "огурец", "карандашом": "карандаш", "покраснений": "покраснение", "щеках": "щека", "слезами": "слеза", "пальцев": "палец", "коленях": "колено", "ушей": "ухо", "кожей": "кожа", "свечой": "свеча", "массажем": "массаж", "углем": "уголь", "пересохли": "пересохнуть", "пересохла": "пересохнуть", "дня": "день",
	} {
		if got := words.Dictionary().Lemmas(form); !slices.Contains(got, want) {
			t.Errorf("%s is a form of %v, want %s", form, got, want)
		}
	}
	for _, unknown := range []string{"", "ывапролд", "ниацинамид", "niacinamide", "ъ"} {
		if words.Dictionary().Known(unknown) {
			t.Errorf("%q is in the dictionary", unknown)
		}
	}
}

func TestParticiplesAreOfVerbs(t *testing.T) {
	t.Parallel()
	for participle, want := range map[string]string{"ломающийся": "ломаться", "обгоревший": "обгореть", "потрескавшийся": "потрескаться", "пересушенный": "пересушить", "вздутый": "вздуть", "пересохший": "пересохнуть", "слоящийся": "слоиться", "стирать": "стирать"} {
		if got := words.Dictionary().VerbsOf(participle); !slices.Contains(got, want) {
			t.Errorf("%s is of %v, want %s", participle, got, want)
		}
	}
	for _, other := range []string{"сухой", "хороший", "большой", "мыло", "каменный"} {
		if got := words.Dictionary().VerbsOf(other); len(got) > 0 {
			t.Errorf("%s is of %v", other, got)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"крем 50мл, spf-30":    {"крем", "50", "мл", "spf", "30"},
		"5 % мочевины":         {"5%", "мочевины"},
		"l'oreal и d’alba":     {"loreal", "и", "dalba"},
		"men's, l' oreal, 'а'": {"men", "s", "l", "oreal", "а"},
		"'l'o'":                {"lo"},
	} {
		var got []string
		for _, token := range words.Tokens(text) {
			got = append(got, token.Text)
			if cut := text[token.From:token.To]; strings.NewReplacer("'", "", "’", "").Replace(cut) != strings.TrimSuffix(token.Text, "%") {
				t.Errorf("%q: %q stands at %q", text, token.Text, cut)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestStems(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"атопия", "атопии"}, {"атопия", "атопией"}, {"атопия", "атопию"}, {"атопия", "атопиям"}} {
		if a, b := words.Stem(pair[0]), words.Stem(pair[1]); a != b {
			t.Errorf("%s has the stem %s, %s has %s", pair[0], a, pair[1], b)
		}
	}
}

func TestDiminutives(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{"масочка": "маска", "мыльце": "мыло", "маслице": "масло", "порошочек": "порошок", "бальзамчик": "бальзам", "шампунчик": "шампунь", "кремик": "крем", "гелик": "гель"} {
		if got := words.Undiminished(form, false); !slices.Contains(got, want) {
			t.Errorf("%s is the diminutive of %v, want %s", form, got, want)
		}
	}
	for _, good := range []string{"домик", "носик", "водка"} {
		if got := words.Undiminished(good, true); len(got) > 0 {
			t.Errorf("%s is the diminutive of %v", good, got)
		}
	}
}

func TestRoots(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"лаванда", "лавандовый"}, {"береза", "березовый"}, {"мята", "мятный"}, {"мед", "медовый"}, {"роза", "розовый"}, {"глина", "глиняный"}, {"хвоя", "хвойный"}, {"кофе", "кофейный"},
		{"увлажнять", "увлажняющий"}, {"отбеливать", "отбеливающий"}, {"очищение", "очищать"}, {"соль", "соленый"}} {
		if a, b := words.Root(pair[0]), words.Root(pair[1]); a != b {
			t.Errorf("%s has the root %s, %s has %s", pair[0], a, pair[1], b)
		}
	}
}

func TestKazakhStems(t *testing.T) {
	t.Parallel()
	for form, stem := range map[string]string{"сабындар": "сабын", "балаларға": "бала", "шашқа": "шаш", "пастасы": "паста", "кремі": "крем", "сусабыны": "сусабын", "еріндер": "ерін",
		"денеге": "дене", "лавандалы": "лаванда", "безеуге": "безеу", "тісіне": "тіс", "тарағы": "тарақ"} {
		if !slices.Contains(words.KazakhStems(form), stem) {
			t.Errorf("%s may be a form of %v, want %s", form, words.KazakhStems(form), stem)
		}
	}
	// Vowels that do not agree are no suffix.
	if slices.Contains(words.KazakhStems("шашке"), "шаш") || slices.Contains(words.KazakhStems("тісқа"), "тіс") {
		t.Error("a suffix whose vowels do not agree was stripped")
	}
	if stem, ok := words.Without("иіссіз"); !ok || stem != "иіс" {
		t.Errorf("иіссіз is without %q", stem)
	}
}

func TestSounds(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"шампунь", "shampun"}, {"веледа", "weleda"}, {"дезодорант", "dezodorant"}, {"крем", "krem"}, {"нордэн", "norden"}, {"мыло", "mylo"}} {
		if a, b := words.Sound(pair[0]), words.Sound(pair[1]); a != b {
			t.Errorf("%s sounds %s, %s sounds %s", pair[0], a, pair[1], b)
		}
	}
	if words.OtherLayout("ifvgeym") != "шампунь" || words.OtherLayout("щцут") != "owen" {
		t.Error("a layout is read wrong")
	}
}

func TestKazakhWordsOfOneRoot(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{{"тырнақтарға", "тырнақтың", "тырнақты"}, {"жұмсартатын", "жұмсартқыш", "жұмсартқан"}} {
		for _, other := range same[1:] {
			if a, b := words.KazakhRoot(same[0]), words.KazakhRoot(other); a != b {
				t.Errorf("%s is %s, and %s is %s", same[0], a, other, b)
			}
		}
	}
	for _, other := range [][2]string{{"қышу", "қыша"}, {"тері", "тер"}} {
		if words.KazakhRoot(other[0]) == words.KazakhRoot(other[1]) {
			t.Errorf("%v are one root", other)
		}
	}
}

func TestWhatIsHeardAndReadInLatin(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"dlya": "для", "otdushki": "отдушки", "shchyotka": "щетка", "nezhnyy": "нежный"} {
		if !slices.Contains(words.InCyrillic(word), want) {
			t.Errorf("%s is read as %v", word, words.InCyrillic(word))
		}
	}
	if words.Heard("скрап") != words.Heard("скраб") || words.Heard("каска") == words.Heard("маска") || words.Heard("мило") == words.Heard("мыло") {
		t.Error("words are misheard")
	}
}

func TestEarHearsOneWordInManySpellings(t *testing.T) {
	t.Parallel()
	for written, word := range map[string]string{"парашок": "порошок", "барады": "бороды", "аблипиха": "облепиха", "мачевина": "мочевина", "пастта": "паста"} {
		if a, b := words.Ear(written), words.Ear(word); a != b {
			t.Errorf("%s is heard as %s, %s as %s", written, a, word, b)
		}
	}
	for a, b := range map[string]string{"масло": "мыло", "крем": "кран", "губы": "зубы"} {
		if words.Ear(a) == words.Ear(b) {
			t.Errorf("%s is heard as %s", a, b)
		}
	}
}

func TestKazakhStemsGetTheirLostVowelBack(t *testing.T) {
	t.Parallel()
	for form, stem := range map[string]string{"ернім": "ерін", "аузым": "ауыз", "мұрным": "мұрын"} {
		if !slices.Contains(words.KazakhStems(form), stem) {
			t.Errorf("%s is none of %s: %v", stem, form, words.KazakhStems(form))
		}
	}
	for word, want := range map[string]bool{"балаға": true, "шаштан": true, "крем": false, "шаш": false} {
		if words.IsKazakhAim(word) != want {
			t.Errorf("%s says what something is for: %v", word, !want)
		}
	}
}

func TestLatinLettersInRussianWordsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Cыворотка, 30 мл": "сыворотка, 30 мл", "BB-крем и vt": "bb-крем и vt", "шампyнь🧴": "шампунь🧴", "wкрем": "wкрем"} {
		if got := words.Plain(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
