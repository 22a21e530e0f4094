package search

import "testing"

// Adjectives that share a noun are each of it, and may stand inside the name of a kind.
func TestSearchReadsPastAdjectives(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms+"\n? stiff | Жёсткие | Қатты | >жёсткие волосы | жёстких волос\n! пена для бритья\n",
		Product{Article: "AB-6", Name: "Бальзам для жёстких, сухих и окрашенных волос"}, Product{Article: "AB-7", Name: "Пена для комфортного бритья"})
	finds(t, x, map[string]string{"жёсткие волосы": "6", "пена для бритья": "7"})
}

// A longer name of a kind is no shorter one.
func TestSearchTellsKindsByTheirLongestNames(t *testing.T) {
	t.Parallel()
	x := shelf(t, "! духи, духи для дома", Product{Article: "AB-6", Name: "Духи для дома"}, Product{Article: "AB-7", Name: "Духи Norden"})
	finds(t, x, map[string]string{"духи": "7", "духи для дома": "6"})
}

// A need of a part of the body is told by goods for that part.
func TestSearchTellsNeedsByTheirPart(t *testing.T) {
	t.Parallel()
	x := shelf(t, "& hair = волос\n? damaged &hair | Повреждены | Зақым | ломкие волосы | восстанавливает\n? shiny !&hair | Блестит | Жылтыр | >лицо блестит | от блеска",
		Product{Article: "AB-6", Name: "Тоник", Description: "Восстанавливает лицо."}, Product{Article: "AB-7", Name: "Уход для волос", Description: "Восстанавливает. От блеска."},
		Product{Article: "AB-8", Name: "Салфетки", Description: "От блеска."})
	finds(t, x, map[string]string{"ломкие волосы": "7", "лицо блестит": "8"})
}

// Goods whose names say the part of a need come before others for it.
func TestSearchPutsNamedPartsOfNeedsFirst(t *testing.T) {
	t.Parallel()
	x := shelf(t, "? dull | Тусклый | Бозғылт | тусклое лицо | для сияния",
		Product{Article: "AB-6", Name: "Мист", Description: "Для сияния."}, Product{Article: "AB-7", Name: "Мист для лица", Description: "Для сияния."})
	finds(t, x, map[string]string{"тусклое лицо": "76"})
}

func TestSearchReadsAges(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms, Product{Article: "AB-6", Name: "Крем от морщин"}, Product{Article: "AB-7", Name: "Крем антивозрастной 55+"})
	finds(t, x, map[string]string{"крем 55+": "76", "крем после 55": "76", "крем 55 лет": "76", "крем после 40": "67"})
}

// Where names have the diminutive alone, the plain word is read as that.
func TestSearchReadsDiminutives(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms, Product{Article: "AB-6", Name: "Мешочек для белья"}, Product{Article: "AB-7", Name: "Ампула для лица"}, Product{Article: "AB-8", Name: "Лак для дерева"})
	finds(t, x, map[string]string{"мешок": "6", "ампулка": "7", "лачок": "8"})
}

// A slip of two letters is not taken for a word that only other shops' goods have.
func TestSearchTakesNoSlipForWhatIsNotHere(t *testing.T) {
	t.Parallel()
	x := shelf(t, "! детская кроватка", Product{Article: "AB-6", Name: "Сыворотка для лица"})
	if q := x.understand("сыроватка для лица", false); q.corrected != "" {
		t.Errorf("understood as %q", q.corrected)
	}
}

// Russian words with Kazakh endings say that the others are Kazakh too.
func TestSearchReadsKazakhBesideKazakhEndings(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms, Product{Article: "AB-6", Name: "Зубная паста"})
	finds(t, x, map[string]string{"тис пастасы": "6"})
}

// Where goods say a need in none of the words that were typed, those that say its title come first.
func TestSearchPutsTitlesOfNeedsFirst(t *testing.T) {
	t.Parallel()
	x := shelf(t, "? loss | Выпадение волос, рост | Шаш түсуі | >лысею | против выпадения, для укрепления",
		Product{Article: "AB-6", Name: "Шампунь для укрепления"}, Product{Article: "AB-7", Name: "Шампунь против выпадения волос"})
	finds(t, x, map[string]string{"лысею": "76"})
}

// What "without" stands before may have a word that says nothing between them.
func TestSearchReadsPastContents(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms, Product{Article: "AB-6", Name: "Лосьон без содержания спирта"}, Product{Article: "AB-7", Name: "Лосьон", Composition: "Aqua, Alcohol"})
	finds(t, x, map[string]string{"лосьон без спирта": "6", "лосьон без добавления спирта": "6"})
}

// Names of kinds with words that say nothing elsewhere are told by names, too.
func TestSearchTellsKindsWithSilentWords(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ средство\n! тональный крем > тональное средство", Product{Article: "AB-6", Name: "Компактное тональное средство"})
	finds(t, x, map[string]string{"тональный крем": "6"})
}

// What is said to smell says what, and not that there is a smell.
func TestSearchReadsScents(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms, Product{Article: "AB-6", Name: "Паста от запаха"}, Product{Article: "AB-7", Name: "Свеча «Кокос»"})
	finds(t, x, map[string]string{"с запахом кокоса": "7", "свеча с ароматом кокоса": "7"})
}

// What a description says that goods contain is as good as a composition.
func TestSearchReadsContents(t *testing.T) {
	t.Parallel()
	x := shelf(t, "облепиха = облепиховый", Product{Article: "AB-6", Name: "Бальзам", Description: "Содержит экстракты ромашки, облепихи и мёда."}, Product{Article: "AB-7", Name: "Тоник", Description: "Облепиховое масло питает. Не как ромашка."})
	finds(t, x, map[string]string{"облепиха": "67", "ромашка": "6"})
}

// What goods are for is not what they are like, packages in litres are in millilitres too, and the day of a month is no number.
func TestSearchReadsPurposesSizesAndDays(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms, Product{Article: "AB-6", Name: "Густой крем"}, Product{Article: "AB-7", Name: "Крем для жирной кожи", Size: "1000 мл"}, Product{Article: "AB-8", Name: "Подарочный набор"},
		Product{Article: "AB-9", Name: "Палитра 8 цветов"}, Product{Article: "AB-A", Name: "Supreme CC-крем"})
	finds(t, x, map[string]string{"крем для жирной кожи": "7", "крем 1 литр": "7", "подарок на 8 марта": "8", "сс крем": "A"})
}

// A slip beside a word that says nothing is not joined with it, and is read in its own alphabet first.
func TestSearchReadsSlipsInTheirAlphabet(t *testing.T) {
	t.Parallel()
	x := shelf(t, Synonyms, Product{Article: "AB-6", Name: "Кондиционердля волос"}, Product{Article: "AB-7", Name: "Шампунь"}, Product{Article: "AB-8", Name: "Shaman", Brand: "Shaman"}, Product{Article: "AB-9", Name: "Кондиционер для волос"})
	finds(t, x, map[string]string{"кондицеонер для волос": "9"})
	if q := x.understand("шампнь", false); q.corrected != "шампунь" {
		t.Errorf("understood as %q", q.corrected)
	}
}

// What is looked for comes first where it is all that goods are called, also as a kind of its own.
func TestSearchPutsPartsOfNamesLast(t *testing.T) {
	t.Parallel()
	x := shelf(t, "! тональный флюид = тоналка", Product{Article: "AB-6", Name: "Сухое крем-масло"}, Product{Article: "AB-7", Name: "Сухое масло/гель"}, Product{Article: "AB-8", Name: "Сухое масло"},
		Product{Article: "AB-9", Name: "Тональный флюид"}, Product{Article: "AB-0", Name: "Флюид матовый"})
	finds(t, x, map[string]string{"сухое масло": "867", "флюид": "09", "тоналка": "9", "крем-масло": "6"})
}

// A brand of several words is heard, though a name has one of the words.
func TestSearchHearsBrandsOfSeveralWords(t *testing.T) {
	t.Parallel()
	x := shelf(t, "", Product{Article: "AB-6", Name: "Воск", Brand: "Lady Caramel"}, Product{Article: "AB-7", Name: "Тени Милая леди"}, Product{Article: "AB-8", Name: "Крем леди карамелей", Brand: "Sweet"})
	finds(t, x, map[string]string{"леди карамель": "6", "воск леди карамель": "6", "милая леди": "7", "леди карамелей": "8"})
}

// Shops misspell too.
func TestSearchReadsMisspeltNames(t *testing.T) {
	t.Parallel()
	x := shelf(t, "мицеллярная вода = мицеллярка\nниацинамид = niacinamide", Product{Article: "AB-6", Name: "Мицеллярная вода"}, Product{Article: "AB-7", Name: "Мицелярная вода"}, Product{Article: "AB-8", Name: "Serum Niacinimide"}, Product{Article: "AB-9", Name: "Cream Niacinimide"})
	finds(t, x, map[string]string{"мицеллярная вода": "67", "мицеллярка": "67", "ниацинамид": "893"})
}

// Words of the lexicon that no Russian has say that the others are Kazakh too.
func TestSearchReadsKazakhBesideWordsOfTheLexicon(t *testing.T) {
	t.Parallel()
	x := shelf(t, "глаз = көз айналасына", Product{Article: "AB-6", Name: "Крем для кожи вокруг глаз"})
	finds(t, x, map[string]string{"коз айналасына крем": "6"})
}

// Of goods that say a need as it was typed, those whose names do come first.
func TestSearchPutsNamesThatSayANeedFirst(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ для\n? growth | Шевелюра | Өсу | рост волос | рост волос, густота волос",
		Product{Article: "AB-6", Name: "Мист густота волос", Description: "Рост волос."}, Product{Article: "AB-7", Name: "Мист рост волос"})
	finds(t, x, map[string]string{"рост волос": "76"})
}

// What is looked for may follow what is lacking, also where that looks like an adjective.
func TestSearchReadsWhatIsLackingBeforeTheGoods(t *testing.T) {
	t.Parallel()
	x := shelf(t, "- алюминий | aluminum", Product{Article: "AB-6", Name: "Дезодорант без алюминия"}, Product{Article: "AB-7", Name: "Дезодорант", Composition: "aluminum"}, Product{Article: "AB-8", Name: "Пудра SPF 30"},
		Product{Article: "AB-9", Name: "Пудра 30SPF"})
	finds(t, x, map[string]string{"без алюминия дезодорант": "6", "пудра spf 30": "89"})
}

// What is written by ear is heard before the words around it are read, unless too much of it differs.
func TestSearchHearsWordsBeforeItReads(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ с, для\nвитамин c = аскорбиновая кислота\nблеск для губ = lip gloss", Product{Article: "AB-6", Name: "Сыворотка с витамином С"}, Product{Article: "AB-7", Name: "Сыворотка с витаминами"},
		Product{Article: "AB-8", Name: "Блеск для губ"}, Product{Article: "AB-9", Name: "Корея баттер"}, Product{Article: "AB-A", Name: "Парфюмерная вода", Brand: "Baccarat Rouge"})
	finds(t, x, map[string]string{"витомин с": "6", "блеск для гупп": "8", "гарри поттер": "", "баккара руж": "A", "баккара": "A"})
	if q := x.understand("с витомином с", false); q.corrected != "с витамином c" {
		t.Errorf("understood as %q", q.corrected)
	}
}

// A slip in a short word is mended where that makes sense beside another word; one that makes another word of the language is not, unless letters
// lack.
func TestSearchMendsSlipsBesideOtherWords(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ для\nкрем для рук = hand cream\nскраб для тела = body scrub\n! точки на носу", Product{Article: "AB-6", Name: "Скраб для тела"}, Product{Article: "AB-7", Name: "Мист для волос"})
	finds(t, x, map[string]string{"кре для рук": "2", "ркем для рук": "2", "краб для тела": "6", "мст для волос": "7", "дочки на носу": ""})
}
