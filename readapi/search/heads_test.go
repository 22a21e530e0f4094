package search

import "testing"

// A kind of its own is what is looked for, though a word that no goods are called by stands before it; such a word beside it says what it is like.
func TestSearchLooksForKinds(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ с\n! духи, шоколад", Product{Article: "AB-6", Name: "Духи Norden", Description: "Для всех, унисекс."}, Product{Article: "AB-7", Name: "Духи Kalm", Description: "С экстрактом: шоколад."},
		Product{Article: "AB-8", Name: "Спрей Kalm унисекс"})
	finds(t, x, map[string]string{"унисекс духи": "67", "духи шоколад": "76", "шоколад": ""})
}

// A long number after letters is an article and nothing else, and one letter or two are not typed on another layout.
func TestSearchTellsArticlesFromWords(t *testing.T) {
	t.Parallel()
	x := shelf(t, "", Product{Article: "AB-6", Name: "Крем LX"}, Product{Article: "AB-7", Name: "Гель le"}, Product{Article: "AB-8", Name: "Гель дубовый"})
	finds(t, x, map[string]string{"LX-40921": "", "LX": "6", "гель ду": "8"})
}

// What is lacking may be two words, and a word is not split before one that says nothing.
func TestSearchReadsWhatIsLackingInTwoWords(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ один\n- соли алюминия | aluminum", Product{Article: "AB-6", Name: "Стик без солей алюминия"}, Product{Article: "AB-7", Name: "Стик", Composition: "Aluminum"}, Product{Article: "AB-8", Name: "Сенс"})
	finds(t, x, map[string]string{"стик без солей алюминия": "6", "сенсодин": ""})
}

// What a name says with words that say nothing elsewhere is told as it is written.
func TestSearchTellsWantsWithSilentWords(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ средство, для\nполоскание > средство для полости", Product{Article: "AB-6", Name: "Средство для полости рта"}, Product{Article: "AB-7", Name: "Нить полости рта"})
	finds(t, x, map[string]string{"полоскание": "6"})
}
